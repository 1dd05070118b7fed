//! Errors of reading an image.

use super::format::Format;
use crate::UNAVAILABLE;

/// The reason why an image cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes are not a PNG, JPEG, GIF or WebP image.
    #[error("not a PNG, JPEG, GIF or WebP image ({size} bytes); convert it to one of these to see it")]
    NotAnImage {
        /// Size of the file, in bytes.
        size: usize,
    },
    /// The header declares more pixels than may be decoded.
    #[error(
        "{format} image of {width}×{height} pixels ({size} bytes): too big to decode (the limit is {max_pixels} \
         pixels); scale it down first"
    )]
    TooManyPixels {
        /// The format of the file.
        format: Format,
        /// Size of the file, in bytes.
        size: usize,
        /// Width of the image, in pixels.
        width: u32,
        /// Height of the image, in pixels.
        height: u32,
        /// The maximum number of pixels that may be decoded.
        max_pixels: u64,
    },
    /// The decoded image would take more memory than permitted.
    #[error(
        "{format} image of {width}×{height} pixels ({size} bytes): decoding takes more than {max_memory} bytes of memory; scale it down first"
    )]
    TooMuchMemory {
        /// The format of the file.
        format: Format,
        /// Size of the file, in bytes.
        size: usize,
        /// Width of the image, in pixels.
        width: u32,
        /// Height of the image, in pixels.
        height: u32,
        /// The maximum memory for decoding, in bytes.
        max_memory: u64,
    },
    /// The image file is damaged and cannot be decoded, or the image cannot be scaled or encoded again.
    #[error("broken {format} image ({size} bytes): {why}; restore or export the file again")]
    Broken {
        /// The format of the file.
        format: Format,
        /// Size of the file, in bytes.
        size: usize,
        /// The message of the image decoder or encoder.
        why: String,
    },
    /// The image was decoded, but cannot be encoded in the permitted number of bytes.
    #[error(
        "{format} image of {width}×{height} pixels ({size} bytes): cannot be made smaller than {max_bytes} bytes"
    )]
    TooManyBytes {
        /// The format of the file.
        format: Format,
        /// Size of the file, in bytes.
        size: usize,
        /// Width of the image, in pixels.
        width: u32,
        /// Height of the image, in pixels.
        height: u32,
        /// The maximum size of the encoded image, in bytes.
        max_bytes: usize,
    },
    /// This build has no image decoders.
    #[error("{UNAVAILABLE}")]
    Unavailable,
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::Webp => "WebP",
        })
    }
}
