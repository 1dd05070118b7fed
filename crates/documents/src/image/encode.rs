//! Scaling, rotation and encoding of a decoded image.

use ::image::codecs::jpeg::JpegEncoder;
use ::image::codecs::png::{CompressionType, FilterType, PngEncoder};
use ::image::metadata::Orientation;
use ::image::{DynamicImage, Rgba, RgbaImage};
use fast_image_resize::images::Image;
use fast_image_resize::{FilterType as ResizeFilter, PixelType, ResizeAlg, ResizeOptions, Resizer};
use std::borrow::Cow;

/// An encoded image with its media type.
pub(super) struct EncodedImage {
    pub(super) mime: &'static str,
    pub(super) data: Vec<u8>,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// JPEG qualities, tried in order until the image is small enough.
const QUALITIES: [u8; 3] = [85, 70, 50];
/// Minimum length of the longer side, in pixels, to which an image is scaled down to reduce its bytes.
const SMALLEST_SIDE: u32 = 16;

/// Scales an image so that its longest side is at most `max_side`; `None` if it already fits.
pub(super) fn scaled(picture: &DynamicImage, max_side: u32) -> Result<Option<DynamicImage>, String> {
    let (width, height) = (picture.width(), picture.height());
    let longest = width.max(height);
    if longest <= max_side {
        return Ok(None);
    }
    let side = |side: u32| {
        let scaled = (u64::from(side) * u64::from(max_side) + u64::from(longest) / 2) / u64::from(longest);
        u32::try_from(scaled).unwrap_or(max_side).max(1)
    };
    resized(picture, side(width), side(height)).map(Some)
}

/// Converts an image to at most 8 bits per channel, and rotates and mirrors it.
pub(super) fn turned(picture: DynamicImage, orientation: Orientation) -> DynamicImage {
    let mut picture = eight_bits(picture);
    picture.apply_orientation(orientation);
    picture
}

/// Encodes an image as PNG or JPEG: a transparent image as PNG if that fits, otherwise as the smaller one. Lowers the
/// quality and halves the size until the encoded image has at most `max_bytes`; `None` if that is not possible.
pub(super) fn fitted(mut picture: DynamicImage, max_bytes: usize) -> Result<Option<EncodedImage>, String> {
    loop {
        let encoded = smallest(&picture, max_bytes)?;
        if encoded.data.len() <= max_bytes {
            return Ok(Some(encoded));
        }
        let longest = picture.width().max(picture.height());
        if longest / 2 < SMALLEST_SIDE {
            return Ok(None);
        }
        match scaled(&picture, longest / 2)? {
            Some(half) => picture = half,
            None => return Ok(None),
        }
    }
}

fn smallest(picture: &DynamicImage, max_bytes: usize) -> Result<EncodedImage, String> {
    let png = png(picture)?;
    let see_through = is_see_through(picture);
    if see_through && png.data.len() <= max_bytes {
        return Ok(png);
    }
    let opaque = if see_through { on_white(picture) } else { without_alpha(picture) };
    let mut best = png;
    for quality in QUALITIES {
        let jpeg = jpeg(&opaque, quality)?;
        if jpeg.data.len() < best.data.len() {
            best = jpeg;
        }
        if best.data.len() <= max_bytes {
            break;
        }
    }
    Ok(best)
}

fn png(picture: &DynamicImage) -> Result<EncodedImage, String> {
    let mut data = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut data, CompressionType::Default, FilterType::Adaptive);
    picture.write_with_encoder(encoder).map_err(|error| error.to_string())?;
    Ok(EncodedImage { mime: "image/png", data, width: picture.width(), height: picture.height() })
}

fn jpeg(picture: &DynamicImage, quality: u8) -> Result<EncodedImage, String> {
    let mut data = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut data, quality);
    picture.write_with_encoder(encoder).map_err(|error| error.to_string())?;
    Ok(EncodedImage { mime: "image/jpeg", data, width: picture.width(), height: picture.height() })
}

/// Scales an image as four channels of 8 bits, and converts the scaled image back to its original channels.
fn resized(picture: &DynamicImage, width: u32, height: u32) -> Result<DynamicImage, String> {
    let mut target = Image::new(width, height, PixelType::U8x4);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(ResizeFilter::Lanczos3));
    let four = match picture {
        DynamicImage::ImageRgba8(_) => Cow::Borrowed(picture),
        _ => Cow::Owned(DynamicImage::ImageRgba8(picture.to_rgba8())),
    };
    Resizer::new().resize(four.as_ref(), &mut target, &options).map_err(|error| error.to_string())?;
    let scaled = RgbaImage::from_raw(width, height, target.into_vec());
    let scaled = DynamicImage::ImageRgba8(scaled.ok_or("the scaled image has an unexpected size")?);
    let color = picture.color();
    Ok(match (color.has_color(), color.has_alpha()) {
        (true, true) => scaled,
        (true, false) => DynamicImage::ImageRgb8(scaled.into_rgb8()),
        (false, true) => DynamicImage::ImageLumaA8(scaled.into_luma_alpha8()),
        (false, false) => DynamicImage::ImageLuma8(scaled.into_luma8()),
    })
}

fn eight_bits(picture: DynamicImage) -> DynamicImage {
    use ::image::ColorType;
    match picture.color() {
        ColorType::L16 => DynamicImage::ImageLuma8(picture.into_luma8()),
        ColorType::La16 => DynamicImage::ImageLumaA8(picture.into_luma_alpha8()),
        ColorType::Rgb16 => DynamicImage::ImageRgb8(picture.into_rgb8()),
        ColorType::Rgba16 => DynamicImage::ImageRgba8(picture.into_rgba8()),
        _ => picture,
    }
}

fn is_see_through(picture: &DynamicImage) -> bool {
    match picture {
        DynamicImage::ImageLumaA8(image) => image.pixels().any(|pixel| pixel.0[1] < 255),
        DynamicImage::ImageRgba8(image) => image.pixels().any(|pixel| pixel.0[3] < 255),
        _ => false,
    }
}

fn without_alpha(picture: &DynamicImage) -> DynamicImage {
    if picture.color().has_color() {
        DynamicImage::ImageRgb8(picture.to_rgb8())
    } else {
        DynamicImage::ImageLuma8(picture.to_luma8())
    }
}

fn on_white(picture: &DynamicImage) -> DynamicImage {
    let mut ground = RgbaImage::from_pixel(picture.width(), picture.height(), Rgba([255; 4]));
    ::image::imageops::overlay(&mut ground, &picture.to_rgba8(), 0, 0);
    DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(ground).into_rgb8())
}
