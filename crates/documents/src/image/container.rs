//! Properties of an image file, read from the structure of its container without decoding pixels.

use super::format::Format;

/// The properties of an image file, from the structure of its container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Container {
    /// Number of frames of the animation in the file; 1 for a still image.
    pub(super) frames: u32,
    /// The completeness of the file: its end marker is present or missing.
    pub(super) end: EndMarker,
    /// Number of pixels of the first frame if it may differ from the image's size (GIF); otherwise 0.
    pub(super) frame_pixels: u64,
    /// Memory that decoding needs for each pixel in addition to the decoded image, in bytes.
    pub(super) working_bytes: u64,
}

/// The completeness of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndMarker {
    /// The file contains the end marker of its format.
    Reached,
    /// The file ends before the end marker, or its structure is damaged.
    Missing,
}

/// Returns the format of an image file by its first bytes; `None` for formats other than PNG, JPEG, GIF and WebP.
pub(super) fn format_of(bytes: &[u8]) -> Option<Format> {
    match crate::kind(bytes, "") {
        crate::Kind::Png => Some(Format::Png),
        crate::Kind::Jpeg => Some(Format::Jpeg),
        crate::Kind::Gif => Some(Format::Gif),
        crate::Kind::Webp => Some(Format::Webp),
        _ => None,
    }
}

/// Reads the properties of an image file from its container, without decoding pixels.
pub(super) fn walk(format: Format, bytes: &[u8]) -> Container {
    let mut container = Container { frames: 0, end: EndMarker::Missing, frame_pixels: 0, working_bytes: 0 };
    // The result `None` means that the file is truncated or damaged; `container.end` is then `Missing`.
    let _ = match format {
        Format::Png => walk_png(bytes, &mut container),
        Format::Jpeg => walk_jpeg(bytes, &mut container),
        Format::Gif => walk_gif(bytes, &mut container),
        Format::Webp => walk_webp(bytes, &mut container),
    };
    container.frames = container.frames.max(1);
    container
}

fn walk_png(bytes: &[u8], found: &mut Container) -> Option<()> {
    let mut at = 8;
    loop {
        let length = u32::from_be_bytes(array(bytes, at)?) as usize;
        let kind: [u8; 4] = array(bytes, at + 4)?;
        match &kind {
            b"acTL" => found.frames = u32::from_be_bytes(array(bytes, at + 8)?),
            b"IEND" => {
                found.end = EndMarker::Reached;
                return Some(());
            }
            _ => {}
        }
        at = at.checked_add(length)?.checked_add(12)?;
    }
}

fn walk_jpeg(bytes: &[u8], found: &mut Container) -> Option<()> {
    let mut at = 2;
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == 0xff)?;
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xff => at += 1,
            0x00 | 0x01 | 0xd0..=0xd8 => at += 2,
            0xd9 => {
                found.end = EndMarker::Reached;
                return Some(());
            }
            _ => {
                if matches!(marker, 0xc2 | 0xc6 | 0xca | 0xce) {
                    // The decoder keeps a 16-bit coefficient per sample of a progressive image until its last
                    // scan.
                    found.working_bytes = 2 * u64::from(*bytes.get(at + 9)?);
                }
                at += 2 + usize::from(u16::from_be_bytes(array(bytes, at + 2)?));
            }
        }
    }
}

fn walk_gif(bytes: &[u8], found: &mut Container) -> Option<()> {
    let mut at = 13 + colour_table(*bytes.get(10)?);
    loop {
        match *bytes.get(at)? {
            0x21 => at = skip_sub_blocks(bytes, at + 2)?,
            0x2c => {
                if found.frames == 0 {
                    let width = u16::from_le_bytes(array(bytes, at + 5)?);
                    let height = u16::from_le_bytes(array(bytes, at + 7)?);
                    found.frame_pixels = u64::from(width) * u64::from(height);
                }
                found.frames = found.frames.saturating_add(1);
                at = skip_sub_blocks(bytes, at + 11 + colour_table(*bytes.get(at + 9)?))?;
            }
            0x3b => {
                found.end = EndMarker::Reached;
                return Some(());
            }
            _ => return None,
        }
    }
}

/// Returns the size in bytes of the colour table of a GIF file; `packed` is the field with the flags of the table.
fn colour_table(packed: u8) -> usize {
    if packed & 0x80 == 0 { 0 } else { 3 << ((packed & 7) + 1) }
}

fn skip_sub_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

fn walk_webp(bytes: &[u8], found: &mut Container) -> Option<()> {
    // Decoding WebP needs memory for the colour planes or the lossless pixels, in addition to the image.
    found.working_bytes = 4;
    let end = (u32::from_le_bytes(array(bytes, 4)?) as usize).checked_add(8)?;
    let mut at = 12;
    while at + 8 <= end.min(bytes.len()) {
        if bytes[at..].starts_with(b"ANMF") {
            found.frames = found.frames.saturating_add(1);
        }
        let length = u32::from_le_bytes(array(bytes, at + 4)?) as usize;
        at = at.checked_add(8)?.checked_add(length)?.checked_add(length & 1)?;
    }
    if end <= bytes.len() {
        found.end = EndMarker::Reached;
    }
    Some(())
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}
