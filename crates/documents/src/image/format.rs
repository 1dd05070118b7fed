//! The image formats that can be shown to a model.

/// An image format that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Portable Network Graphics.
    Png,
    /// JPEG, with baseline or progressive coding.
    Jpeg,
    /// Graphics Interchange Format, also animated.
    Gif,
    /// WebP, lossy or lossless, also animated.
    Webp,
}
