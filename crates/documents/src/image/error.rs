//! Errors of images.

use super::Format;

/// The reason why an image cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes are not a PNG, JPEG, GIF or WebP image.
    #[error("not a PNG, JPEG, GIF or WebP image ({size} bytes); convert it to one of these to look at it")]
    NotAnImage {
        /// Bytes in the file.
        size: usize,
    },
    /// The header promises more pixels than may be decoded.
    #[error(
        "{format} image of {width}×{height} pixels ({size} bytes): too big to decode, at most {max_pixels} pixels are; scale it down first"
    )]
    TooManyPixels {
        /// The format of the file.
        format: Format,
        /// Bytes in the file.
        size: usize,
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// The exceeded limit.
        max_pixels: u64,
    },
    /// The decoded image would take more memory than permitted.
    #[error(
        "{format} image of {width}×{height} pixels ({size} bytes): decoding takes more than {max_memory} bytes of memory; scale it down first"
    )]
    TooMuchMemory {
        /// The format of the file.
        format: Format,
        /// Bytes in the file.
        size: usize,
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// The exceeded limit.
        max_memory: u64,
    },
    /// The image does not decode.
    #[error("broken {format} image ({size} bytes): {why}; restore or export the file again")]
    Broken {
        /// The format of the file.
        format: Format,
        /// Bytes in the file.
        size: usize,
        /// The decoder's message.
        why: String,
    },
    /// The image decodes, but no encoding of it is small enough.
    #[error(
        "{format} image of {width}×{height} pixels ({size} bytes): cannot be made smaller than {max_bytes} bytes"
    )]
    TooManyBytes {
        /// The format of the file.
        format: Format,
        /// Bytes in the file.
        size: usize,
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// The exceeded limit.
        max_bytes: usize,
    },
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
