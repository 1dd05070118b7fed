//! Images for the tests, valid and invalid.

use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

pub(crate) fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

pub(crate) fn plain(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_pixel(width, height, Rgb([10, 120, 200])))
}

/// A gradient in both directions, which JPEG compresses better than PNG.
pub(crate) fn gradient(width: u32, height: u32) -> DynamicImage {
    let level = |at: u32, of: u32| u8::try_from(255 * at / of).unwrap();
    let pixel = |x, y| Rgb([level(x, width), level(y, height), level((x * 7 + y * 13) % width, width)]);
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, pixel))
}

pub(crate) fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()])))
}

pub(crate) fn gif(width: u32, height: u32, frames: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    for frame in 0..frames {
        let color = Rgba([frame * 60, 50, 90, 255]);
        encoder.encode_frame(Frame::new(RgbaImage::from_pixel(width, height, color))).unwrap();
    }
    drop(encoder);
    bytes
}

/// Creates an animated WebP from still images.
pub(crate) fn animated_webp(width: u32, height: u32, frames: u8) -> Vec<u8> {
    let less_one = |number: u32| (number - 1).to_le_bytes()[..3].to_vec();
    let still = encoded(&plain(width, height), ImageFormat::WebP);
    let picture = &still[12..];
    let mut body = b"WEBP".to_vec();
    body.extend(webp_chunk(b"VP8X", &[vec![2, 0, 0, 0], less_one(width), less_one(height)].concat()));
    body.extend(webp_chunk(b"ANIM", &[0; 6]));
    for _ in 0..frames {
        let head = [vec![0; 6], less_one(width), less_one(height), vec![100, 0, 0, 0]].concat();
        body.extend(webp_chunk(b"ANMF", &[head, picture.to_vec()].concat()));
    }
    webp_chunk(b"RIFF", &body)
}

pub(crate) fn webp_header(width: u32, height: u32) -> Vec<u8> {
    let sizes = (width - 1) | (height - 1) << 14;
    let lossless = [vec![0x2f], sizes.to_le_bytes().to_vec(), vec![0; 20]].concat();
    webp_chunk(b"RIFF", &[b"WEBP".to_vec(), webp_chunk(b"VP8L", &lossless)].concat())
}

fn webp_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap();
    let mut chunk = [name.to_vec(), length.to_le_bytes().to_vec(), data.to_vec()].concat();
    chunk.extend(vec![0; data.len() % 2]);
    chunk
}

/// A PNG that is marked as animated; the first frame is the image itself.
pub(crate) fn animated_png(width: u32, height: u32, frames: u32) -> Vec<u8> {
    let still = encoded(&plain(width, height), ImageFormat::Png);
    let control = png_chunk(b"acTL", &[frames.to_be_bytes(), [0; 4]].concat());
    [&still[..33], &control, &still[33..]].concat()
}

pub(crate) fn png_header(width: u32, height: u32) -> Vec<u8> {
    let head = [width.to_be_bytes().to_vec(), height.to_be_bytes().to_vec(), vec![8, 6, 0, 0, 0]].concat();
    let data = png_chunk(b"IDAT", &[0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1]);
    [b"\x89PNG\r\n\x1a\n".to_vec(), png_chunk(b"IHDR", &head), data, png_chunk(b"IEND", &[])].concat()
}

fn png_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [&name[..], data].concat();
    let sum = named.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(
            sum ^ u32::from(*byte),
            |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 },
        )
    });
    let length = u32::try_from(data.len()).unwrap();
    [length.to_be_bytes().to_vec(), named, (!sum).to_be_bytes().to_vec()].concat()
}

/// A small JPEG whose header declares a different size.
pub(crate) fn jpeg_header(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = encoded(&plain(8, 8), ImageFormat::Jpeg);
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

pub(crate) fn gif_header(screen: (u16, u16), frame: (u16, u16)) -> Vec<u8> {
    let size = |(width, height): (u16, u16)| [width.to_le_bytes(), height.to_le_bytes()].concat();
    let head = [b"GIF89a".to_vec(), size(screen), vec![0x80, 0, 0], vec![0, 0, 0, 255, 255, 255]].concat();
    let picture = [vec![0x2c, 0, 0, 0, 0], size(frame), vec![0, 2, 2, 0x44, 0x01, 0]].concat();
    [head, picture, vec![0x3b]].concat()
}

/// Red, green, blue and white quarters, clockwise from the top left.
pub(crate) fn corners() -> DynamicImage {
    let pixel = |x, y| match (x < 24, y < 16) {
        (true, true) => Rgb([255, 0, 0]),
        (false, true) => Rgb([0, 255, 0]),
        (false, false) => Rgb([0, 0, 255]),
        (true, false) => Rgb([255, 255, 255]),
    };
    DynamicImage::ImageRgb8(RgbImage::from_fn(48, 32, pixel))
}

/// Returns the image as a camera stores it for an EXIF orientation.
pub(crate) fn as_stored(upright: &DynamicImage, orientation: u8) -> DynamicImage {
    match orientation {
        2 => upright.fliph(),
        3 => upright.rotate180(),
        4 => upright.flipv(),
        5 => upright.rotate90().fliph(),
        6 => upright.rotate270(),
        7 => upright.rotate270().fliph(),
        8 => upright.rotate90(),
        _ => upright.clone(),
    }
}

/// Inserts an EXIF block with an orientation after the first marker of a JPEG.
pub(crate) fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
    let exif = [b"Exif\0\0MM\0*\0\0\0\x08\0\x01".to_vec(), entry.to_vec(), vec![0; 4]].concat();
    let length = u16::try_from(exif.len() + 2).unwrap();
    [&jpeg[..2], &[0xff, 0xe1], &length.to_be_bytes(), &exif, &jpeg[2..]].concat()
}

pub(crate) fn nearest(pixel: &Rgb<u8>) -> &'static str {
    match pixel.0.map(|level| level > 127) {
        [true, false, false] => "red",
        [false, true, false] => "green",
        [false, false, true] => "blue",
        [true, true, true] => "white",
        _ => "something else",
    }
}
