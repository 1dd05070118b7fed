//! The steps from the bytes of an image file to an image that a model can see.

use super::{
    Change, Format, ImageError, ImageLimits, ViewableImage,
    container::{self, Container, EndMarker},
    decode::{self, DecodedImage},
    encode,
};
use ::image::metadata::Orientation;

/// Decodes an image completely to check it. Returns the unchanged file if it is a complete and upright still image
/// within the limits; otherwise rotates, scales and encodes the image, or the first frame of an animation, again.
///
/// # Errors
///
/// If the bytes are not an image, or the image is damaged, too large to decode, or cannot be encoded within the limits.
pub fn show(bytes: &[u8], limits: ImageLimits) -> Result<ViewableImage, ImageError> {
    let Some(format) = container::format_of(bytes) else {
        return Err(ImageError::NotAnImage { size: bytes.len() });
    };
    let container = container::walk(format, bytes);
    let decoded = decode::decode(bytes, format, &container, &limits)?;
    let (width, height) = (decoded.picture.width(), decoded.picture.height());
    let changed = changes(bytes, &container, &decoded, &limits);
    let (original_width, original_height) =
        if swaps_sides(decoded.orientation) { (height, width) } else { (width, height) };
    let whole = ViewableImage {
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
        return Ok(ViewableImage { data: bytes.to_vec(), ..whole });
    }
    remade(whole, decoded, bytes.len(), &limits)
}

fn changes(bytes: &[u8], container: &Container, decoded: &DecodedImage, limits: &ImageLimits) -> Vec<Change> {
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
    if !changed.is_empty() || bytes.len() > limits.max_bytes || container.end == EndMarker::Missing {
        changed.push(Change::Reencoded);
    }
    changed
}

fn remade(
    mut shown: ViewableImage,
    decoded: DecodedImage,
    size: usize,
    limits: &ImageLimits,
) -> Result<ViewableImage, ImageError> {
    let format = shown.format;
    let broken = |why: String| ImageError::Broken { format, size, why };
    let DecodedImage { mut picture, orientation } = decoded;
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
    Ok(ViewableImage {
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
