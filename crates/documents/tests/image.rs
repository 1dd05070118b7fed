//! Tests of image preparation: the result, and the refusal of damaged images.
#![cfg(test)]

use crate::pictures;
use toolpost_test_rows::each;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use pictures::*;
use toolpost_documents::image::{Change, Format, ImageError, ImageLimits, ViewableImage, show};

use Change::{FirstFrame, Reencoded, Scaled, Turned};

/// The properties of a shown image without its bytes: media type, shown size, original size, frames, changes.
type Facts = (&'static str, (u32, u32), (u32, u32), u32, Vec<Change>);

fn facts(shown: &ViewableImage) -> Facts {
    let original = (shown.original_width, shown.original_height);
    (shown.mime, (shown.width, shown.height), original, shown.frames, shown.changed.clone())
}

/// Shows an image, and compares the properties with the expected ones and with the decoded bytes.
fn check(bytes: &[u8], limits: ImageLimits, expected: Facts) -> ViewableImage {
    let shown = show(bytes, limits).unwrap();
    assert_eq!(facts(&shown), expected);
    assert!(shown.data.len() <= limits.max_bytes);
    assert_eq!(shown.changed.is_empty(), shown.data == bytes);
    let decoded = image::load_from_memory(&shown.data).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (shown.width, shown.height));
    shown
}

#[test]
fn passes_fitting_images_unchanged_and_reencodes_others() {
    let limits = ImageLimits { max_side: 64, ..ImageLimits::default() };
    let rows: Vec<(Vec<u8>, Facts)> = vec![
        (encoded(&gradient(40, 30), ImageFormat::Png), ("image/png", (40, 30), (40, 30), 1, vec![])),
        (encoded(&gradient(40, 30), ImageFormat::Jpeg), ("image/jpeg", (40, 30), (40, 30), 1, vec![])),
        (encoded(&gradient(40, 30), ImageFormat::WebP), ("image/webp", (40, 30), (40, 30), 1, vec![])),
        (gif(40, 30, 1), ("image/gif", (40, 30), (40, 30), 1, vec![])),
        (encoded(&gradient(64, 64), ImageFormat::Png), ("image/png", (64, 64), (64, 64), 1, vec![])),
        (
            encoded(&gradient(128, 32), ImageFormat::Jpeg),
            ("image/jpeg", (64, 16), (128, 32), 1, vec![Scaled, Reencoded]),
        ),
        (
            encoded(&plain(65, 10), ImageFormat::Png),
            ("image/png", (64, 10), (65, 10), 1, vec![Scaled, Reencoded]),
        ),
        (
            encoded(&plain(1000, 1), ImageFormat::Png),
            ("image/png", (64, 1), (1000, 1), 1, vec![Scaled, Reencoded]),
        ),
        (encoded(&plain(1, 1), ImageFormat::Png), ("image/png", (1, 1), (1, 1), 1, vec![])),
        (gif(40, 30, 3), ("image/png", (40, 30), (40, 30), 3, vec![FirstFrame, Reencoded])),
        (gif(80, 30, 2), ("image/png", (64, 24), (80, 30), 2, vec![FirstFrame, Scaled, Reencoded])),
        (animated_webp(20, 10, 2), ("image/png", (20, 10), (20, 10), 2, vec![FirstFrame, Reencoded])),
        (animated_png(20, 10, 5), ("image/png", (20, 10), (20, 10), 5, vec![FirstFrame, Reencoded])),
    ];
    each(rows, |(bytes, expected)| {
        check(&bytes, limits, expected);
    });
}

#[test]
fn keeps_the_colours_of_every_pixel_type() {
    let limits = ImageLimits { max_side: 8, ..ImageLimits::default() };
    let picture =
        DynamicImage::ImageRgba8(image::RgbaImage::from_pixel(16, 16, image::Rgba([200, 100, 50, 255])));
    let grey = 123;
    let rows: Vec<(DynamicImage, [u8; 3])> = vec![
        (picture.clone(), [200, 100, 50]),
        (DynamicImage::ImageRgb8(picture.to_rgb8()), [200, 100, 50]),
        (DynamicImage::ImageRgb16(picture.to_rgb16()), [200, 100, 50]),
        (DynamicImage::ImageRgba16(picture.to_rgba16()), [200, 100, 50]),
        (DynamicImage::ImageLuma8(picture.to_luma8()), [grey; 3]),
        (DynamicImage::ImageLumaA8(picture.to_luma_alpha8()), [grey; 3]),
        (DynamicImage::ImageLuma16(picture.to_luma16()), [grey; 3]),
        (DynamicImage::ImageLumaA16(picture.to_luma_alpha16()), [grey; 3]),
    ];
    each(rows, |(picture, expected)| {
        let shown = show(&encoded(&picture, ImageFormat::Png), limits).unwrap();
        let pixel = image::load_from_memory(&shown.data).unwrap().to_rgb8().get_pixel(4, 4).0;
        let near = pixel.iter().zip(expected).all(|(got, want)| got.abs_diff(want) <= 6);
        assert!(near, "{:?}: {pixel:?}, wanted {expected:?}", picture.color());
    });
}

#[test]
fn keeps_transparency() {
    let clear = DynamicImage::ImageRgba8(image::RgbaImage::from_pixel(40, 40, image::Rgba([9, 9, 9, 0])));
    let limits = ImageLimits { max_side: 20, ..ImageLimits::default() };
    let facts = ("image/png", (20, 20), (40, 40), 1, vec![Scaled, Reencoded]);
    let shown = check(&encoded(&clear, ImageFormat::Png), limits, facts);
    assert_eq!(image::load_from_memory(&shown.data).unwrap().to_rgba8().get_pixel(9, 9).0[3], 0);
}

#[test]
fn turns_every_orientation_upright() {
    // The upright image has red, green, blue and white corners, clockwise from the top left.
    let upright = corners();
    for orientation in 1..=8_u8 {
        let stored = as_stored(&upright, orientation);
        let bytes = with_orientation(&encoded(&stored, ImageFormat::Jpeg), orientation);
        let changed = if orientation == 1 { vec![] } else { vec![Turned, Reencoded] };
        let shown = show(&bytes, ImageLimits::default()).unwrap();
        let expected = (shown.mime, (48, 32), (48, 32), 1, changed);
        assert_eq!(facts(&shown), expected, "orientation {orientation}");
        let seen = image::load_from_memory(&shown.data).unwrap().to_rgb8();
        let corner = |x, y| nearest(seen.get_pixel(x, y));
        let seen = [corner(4, 4), corner(43, 4), corner(43, 27), corner(4, 27)];
        assert_eq!(seen, ["red", "green", "blue", "white"], "orientation {orientation}");
    }
}

#[test]
fn reduces_an_image_to_the_byte_limit() {
    let noise = noise(200, 200);
    let bytes = encoded(&noise, ImageFormat::Png);
    let limit = |max_bytes| ImageLimits { max_bytes, ..ImageLimits::default() };
    check(&bytes, limit(60_000), ("image/jpeg", (200, 200), (200, 200), 1, vec![Reencoded]));
    check(&bytes, limit(9_000), ("image/jpeg", (100, 100), (200, 200), 1, vec![Scaled, Reencoded]));
    let (format, size) = (Format::Png, bytes.len());
    let too_many = ImageError::TooManyBytes { format, size, width: 200, height: 200, max_bytes: 100 };
    assert_eq!(show(&bytes, limit(100)), Err(too_many));
}

#[test]
fn refuses_bombs_by_their_header() {
    let limits = ImageLimits::default();
    let max_pixels = limits.max_pixels;
    let rows = [
        (Format::Png, png_header(60_000, 60_000), 60_000, 60_000),
        (Format::Jpeg, jpeg_header(65_000, 65_000), 65_000, 65_000),
        (Format::Gif, gif_header((65_535, 65_535), (1, 1)), 65_535, 65_535),
        (Format::Gif, gif_header((10, 10), (65_535, 65_535)), 10, 10),
        (Format::Webp, webp_header(16_000, 16_000), 16_000, 16_000),
    ];
    each(rows, |(format, bytes, width, height)| {
        let expected = ImageError::TooManyPixels { format, size: bytes.len(), width, height, max_pixels };
        assert_eq!(show(&bytes, limits), Err(expected));
    });
    let bytes = encoded(&plain(100, 100), ImageFormat::Png);
    let limits = ImageLimits { max_memory: 29_999, ..limits };
    let (format, size) = (Format::Png, bytes.len());
    let expected = ImageError::TooMuchMemory { format, size, width: 100, height: 100, max_memory: 29_999 };
    assert_eq!(show(&bytes, limits), Err(expected));
}

#[test]
fn refuses_truncated_and_damaged_images() {
    let picture = noise(60, 50);
    let whole = [
        encoded(&picture, ImageFormat::Png),
        encoded(&picture, ImageFormat::Jpeg),
        encoded(&picture, ImageFormat::WebP),
        gif(60, 50, 1),
    ];
    each(&whole, |bytes| {
        for part in 1..10 {
            let cut = &bytes[..bytes.len() * part / 10];
            let refused = matches!(show(cut, ImageLimits::default()), Err(ImageError::Broken { size, .. }) if size == cut.len());
            assert!(refused, "{part}/10 of {:?}", bytes[..4].escape_ascii().to_string());
        }
    });
    let mut damaged = whole[0].clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    assert!(matches!(
        show(&damaged, ImageLimits::default()),
        Err(ImageError::Broken { format: Format::Png, .. })
    ));
    let cut = &whole[1][..whole[1].len() / 2];
    let message = format!(
        "broken JPEG image ({} bytes): the data ends before the image is complete; restore or export the file again",
        cut.len()
    );
    assert_eq!(show(cut, ImageLimits::default()).unwrap_err().to_string(), message);
}

#[test]
fn reencodes_an_image_that_lacks_only_its_end() {
    let gif = gif(30, 20, 1);
    let facts = ("image/png", (30, 20), (30, 20), 1, vec![Reencoded]);
    check(&gif[..gif.len() - 1], ImageLimits::default(), facts);
}

#[test]
fn refuses_bytes_that_are_not_an_image() {
    each([&b""[..], b"words", b"<svg/>", b"%PDF-1.7", b"\x89PNG"], |bytes| {
        assert_eq!(show(bytes, ImageLimits::default()), Err(ImageError::NotAnImage { size: bytes.len() }));
    });
}

#[test]
fn damaged_files_give_an_image_or_an_error() {
    // Set every byte of small files to a few values: the result must be an image or an error, never a panic.
    let tiny = DynamicImage::ImageRgb8(RgbImage::from_pixel(3, 2, Rgb([1, 2, 3])));
    let files = [encoded(&tiny, ImageFormat::Png), encoded(&tiny, ImageFormat::WebP), gif(3, 2, 2)];
    let limits = ImageLimits { max_pixels: 1 << 20, max_memory: 1 << 24, ..ImageLimits::default() };
    let mut shown = 0;
    for file in files {
        for place in 0..file.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = file.clone();
                bytes[place] = value;
                if let Ok(picture) = show(&bytes, limits) {
                    image::load_from_memory(&picture.data).unwrap();
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 0);
}
