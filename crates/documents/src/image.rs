//! Making an image safe and small enough to be shown to a model.

mod error;

pub use error::ImageError;

/// How big an image may be, coming in and going out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// The longest side that is shown, in pixels; a longer one is scaled down.
    pub max_side: u32,
    /// The most bytes that are handed on.
    pub max_bytes: usize,
    /// The most pixels (width × height) that are decoded.
    pub max_pixels: u64,
    /// The most bytes that the decoded picture may take.
    pub max_memory: u64,
}

impl Default for ImageLimits {
    /// 1568 pixels a side, 3 750 000 bytes (5 MB as base64), 64 million pixels, 256 MB decoded.
    fn default() -> Self {
        Self { max_side: 1568, max_bytes: 3_750_000, max_pixels: 64_000_000, max_memory: 256_000_000 }
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
    /// The picture was turned or mirrored as its EXIF orientation asks.
    Turned,
    /// The picture was scaled down.
    Scaled,
    /// The picture was encoded anew.
    Reencoded,
}

/// An image that is known to decode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The media type of `data`.
    pub mime: &'static str,
    /// The encoded picture.
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
    /// What was done, in order; empty when `data` is the file's own bytes.
    pub changed: Vec<Change>,
}

/// Decodes an image fully, then hands it on: as it is when it fits, else turned, scaled and encoded anew.
///
/// # Errors
///
/// When the bytes are no image, when the picture is too big to decode, or when it is broken. A broken image is never handed on.
pub fn show(bytes: &[u8], limits: ImageLimits) -> Result<Shown, ImageError> {
    let _ = limits;
    Err(ImageError::NotAnImage { size: bytes.len() })
}
