//! Preparation of an image for a model: decoding to check it, and scaling and encoding again if it is too large.

#[cfg(feature = "readers")]
mod container;
#[cfg(feature = "readers")]
mod decode;
#[cfg(feature = "readers")]
mod encode;
mod error;
mod format;
#[cfg(feature = "readers")]
mod prepare;

pub use error::ImageError;
pub use format::Format;
#[cfg(feature = "readers")]
pub use prepare::show;

/// Limits on the size of an image, before and after it is prepared for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// Maximum length of the longer side, in pixels; larger images are scaled down.
    pub max_side: u32,
    /// Maximum size of the encoded image, in bytes.
    pub max_bytes: usize,
    /// Maximum number of pixels (width × height) that are decoded.
    pub max_pixels: u64,
    /// Maximum memory for decoding, in bytes.
    pub max_memory: u64,
}

impl Default for ImageLimits {
    /// The limits for models: sides of 1568 pixels, 3 750 000 bytes (5 MB as base64), 64 million pixels, and 400 MB for
    /// decoding.
    fn default() -> Self {
        Self { max_side: 1568, max_bytes: 3_750_000, max_pixels: 64_000_000, max_memory: 400_000_000 }
    }
}

/// A change that was made to an image before it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Only the first frame of an animation is shown.
    FirstFrame,
    /// The image was rotated or mirrored as its EXIF orientation demands.
    Turned,
    /// The image was scaled down to the maximum side length.
    Scaled,
    /// The image was encoded again, so `data` differs from the file.
    Reencoded,
}

/// An image that was decoded without an error and fits the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewableImage {
    /// The media type of `data`.
    pub mime: &'static str,
    /// The encoded image.
    pub data: Vec<u8>,
    /// Width of the encoded image, in pixels.
    pub width: u32,
    /// Height of the encoded image, in pixels.
    pub height: u32,
    /// Width of the image in the file, in pixels, after its EXIF orientation is applied.
    pub original_width: u32,
    /// Height of the image in the file, in pixels, after its EXIF orientation is applied.
    pub original_height: u32,
    /// Number of frames in the file; 1 unless it is animated.
    pub frames: u32,
    /// The format of the file; that of `data` may differ.
    pub format: Format,
    /// The changes that were made, in order; empty if `data` is the unchanged file.
    pub changed: Vec<Change>,
}

/// Stub of the image reader, for builds without readers.
///
/// # Errors
/// Always [`ImageError::Unavailable`].
#[cfg(not(feature = "readers"))]
pub fn show(_bytes: &[u8], _limits: ImageLimits) -> Result<ViewableImage, ImageError> {
    Err(ImageError::Unavailable)
}
