//! Making an image safe and small enough to be shown to a model.

mod container;
mod decode;
mod encode;
mod error;

use ::image::metadata::Orientation;

use container::{Container, End};
use decode::Decoded;

pub use error::ImageError;

/// Limits on the size of an image, before and after conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// The longest side that is shown, in pixels; a longer one is scaled down.
    pub max_side: u32,
    /// The most bytes that are handed on.
    pub max_bytes: usize,
    /// The most pixels (width × height) that are decoded.
    pub max_pixels: u64,
    /// The most bytes that decoding may take.
    pub max_memory: u64,
}

impl Default for ImageLimits {
    /// 1568 pixels a side, 3 750 000 bytes (5 MB as base64), 64 million pixels, 400 MB decoded.
    fn default() -> Self {
        Self { max_side: 1568, max_bytes: 3_750_000, max_pixels: 64_000_000, max_memory: 400_000_000 }
    }
}

/// An image format that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
}

/// One thing that was done to an image before it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The first frame of an animation was taken.
    FirstFrame,
    /// The image was rotated or mirrored according to its EXIF orientation.
    Turned,
    /// The image was scaled down.
    Scaled,
    /// The image was encoded again.
    Reencoded,
}

/// An image that is known to decode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The media type of `data`.
    pub mime: &'static str,
    /// The encoded image.
    pub data: Vec<u8>,
    /// Pixels across, as shown.
    pub width: u32,
    /// Pixels down, as shown.
    pub height: u32,
    /// Pixels across in the file, after its EXIF orientation.
    pub original_width: u32,
    /// Pixels down in the file, after its EXIF orientation.
    pub original_height: u32,
    /// Frames in the file; 1 unless it is animated.
    pub frames: u32,
    /// The format of the file.
    pub format: Format,
    /// The steps, in order; empty if `data` is the file's own bytes.
    pub changed: Vec<Change>,
}

/// Decodes an image completely, then returns it: unchanged if it fits, else rotated, scaled and encoded again.
///
/// # Errors
///
/// If the bytes are not an image, or the image is too large to decode or damaged. A damaged image is never returned.
pub fn show(bytes: &[u8], limits: ImageLimits) -> Result<Shown, ImageError> {
    let Some(format) = container::format_of(bytes) else {
        return Err(ImageError::NotAnImage { size: bytes.len() });
    };
    let container = container::walk(format, bytes);
    let decoded = decode::decode(bytes, format, &container, &limits)?;
    let (width, height) = (decoded.picture.width(), decoded.picture.height());
    let changed = changes(bytes, &container, &decoded, &limits);
    let (original_width, original_height) =
        if swaps_sides(decoded.orientation) { (height, width) } else { (width, height) };
    let whole = Shown {
        mime: mime(format),
        data: Vec::new(),
        width,
        height,
        original_width,
        original_height,
        frames: container.frames,
        format,
        changed,
    };
    if whole.changed.is_empty() {
        return Ok(Shown { data: bytes.to_vec(), ..whole });
    }
    remade(whole, decoded, bytes.len(), &limits)
}

fn changes(bytes: &[u8], container: &Container, decoded: &Decoded, limits: &ImageLimits) -> Vec<Change> {
    let mut changed = Vec::new();
    if container.frames > 1 {
        changed.push(Change::FirstFrame);
    }
    if decoded.orientation != Orientation::NoTransforms {
        changed.push(Change::Turned);
    }
    if decoded.picture.width().max(decoded.picture.height()) > limits.max_side {
        changed.push(Change::Scaled);
    }
    if !changed.is_empty() || bytes.len() > limits.max_bytes || container.end == End::Missing {
        changed.push(Change::Reencoded);
    }
    changed
}

fn remade(
    mut shown: Shown,
    decoded: Decoded,
    size: usize,
    limits: &ImageLimits,
) -> Result<Shown, ImageError> {
    let format = shown.format;
    let broken = |why: String| ImageError::Broken { format, size, why };
    let Decoded { mut picture, orientation } = decoded;
    if let Some(smaller) = encode::scaled(&picture, limits.max_side).map_err(broken)? {
        picture = smaller;
    }
    let turned = encode::turned(picture, orientation);
    let (fit_width, fit_height) = (turned.width(), turned.height());
    let Some(encoded) = encode::fitted(turned, limits.max_bytes).map_err(broken)? else {
        return Err(ImageError::TooManyBytes {
            format,
            size,
            width: shown.original_width,
            height: shown.original_height,
            max_bytes: limits.max_bytes,
        });
    };
    if (encoded.width, encoded.height) != (fit_width, fit_height) && !shown.changed.contains(&Change::Scaled)
    {
        shown.changed.insert(shown.changed.len() - 1, Change::Scaled);
    }
    Ok(Shown {
        mime: encoded.mime,
        data: encoded.data,
        width: encoded.width,
        height: encoded.height,
        ..shown
    })
}

fn mime(format: Format) -> &'static str {
    match format {
        Format::Png => "image/png",
        Format::Jpeg => "image/jpeg",
        Format::Gif => "image/gif",
        Format::Webp => "image/webp",
    }
}

fn swaps_sides(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}
