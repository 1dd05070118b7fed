//! Decoding of an image within limits on size and memory.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::image::codecs::{gif::GifDecoder, jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder};
use ::image::metadata::Orientation;
use ::image::{DynamicImage, ImageDecoder, ImageResult, Limits};

use super::container::{Container, EndMarker};
use super::{Format, ImageError, ImageLimits};

/// A decoded image before rotation, and its orientation.
pub(super) struct DecodedImage {
    pub(super) picture: DynamicImage,
    pub(super) orientation: Orientation,
}

/// The reason that the error gives for an image file without an end marker.
const CUT_OFF: &str = "the data ends before the image is complete";

/// Decodes an image file, or the first frame of an animation.
pub(super) fn decode(
    bytes: &[u8],
    format: Format,
    container: &Container,
    limits: &ImageLimits,
) -> Result<DecodedImage, ImageError> {
    let job = Job { bytes, format, container, limits };
    // If the decoder panics, the image counts as damaged.
    catch_unwind(AssertUnwindSafe(|| job.run())).unwrap_or_else(|_| Err(job.broken("the decoder failed")))
}

struct Job<'a> {
    bytes: &'a [u8],
    format: Format,
    container: &'a Container,
    limits: &'a ImageLimits,
}

impl Job<'_> {
    fn run(&self) -> Result<DecodedImage, ImageError> {
        let reader = Cursor::new(self.bytes);
        let limits = self.decoder_limits();
        match self.format {
            Format::Png => self.finish(PngDecoder::with_limits(reader, limits)),
            Format::Jpeg => self.finish(JpegDecoder::new(reader)),
            Format::Gif => self.finish(GifDecoder::new(reader)),
            Format::Webp => self.finish(WebPDecoder::new(reader)),
        }
    }

    fn finish(&self, opened: ImageResult<impl ImageDecoder>) -> Result<DecodedImage, ImageError> {
        let mut decoder = opened.map_err(|error| self.refused(&error))?;
        self.check_size(&decoder)?;
        if self.format == Format::Jpeg && self.container.end == EndMarker::Missing {
            // The JPEG decoder would fill missing data with grey, without an error.
            return Err(self.broken(CUT_OFF));
        }
        // Some decoders do not support limits and return an error here; the size of the image was checked above.
        let _ = decoder.set_limits(self.decoder_limits());
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let picture = DynamicImage::from_decoder(decoder).map_err(|error| self.refused(&error))?;
        Ok(DecodedImage { picture, orientation })
    }

    fn check_size(&self, decoder: &impl ImageDecoder) -> Result<(), ImageError> {
        let (format, size) = (self.format, self.bytes.len());
        let (width, height) = decoder.dimensions();
        let own = u64::from(width) * u64::from(height);
        let pixels = own.max(self.container.frame_pixels);
        if pixels > self.limits.max_pixels {
            let max_pixels = self.limits.max_pixels;
            return Err(ImageError::TooManyPixels { format, size, width, height, max_pixels });
        }
        let frame = if own == self.container.frame_pixels { 0 } else { 4 * self.container.frame_pixels };
        let memory = decoder.total_bytes() + own * self.container.working_bytes + frame;
        if memory > self.limits.max_memory {
            let max_memory = self.limits.max_memory;
            return Err(ImageError::TooMuchMemory { format, size, width, height, max_memory });
        }
        Ok(())
    }

    fn decoder_limits(&self) -> Limits {
        let mut limits = Limits::no_limits();
        limits.max_alloc = Some(self.limits.max_memory);
        limits
    }

    fn refused(&self, error: &::image::ImageError) -> ImageError {
        match self.container.end {
            EndMarker::Missing => self.broken(CUT_OFF),
            EndMarker::Reached => self.broken(error.to_string().trim()),
        }
    }

    fn broken(&self, why: &str) -> ImageError {
        ImageError::Broken { format: self.format, size: self.bytes.len(), why: why.to_owned() }
    }
}
