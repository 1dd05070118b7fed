//! Decodes images and converts them for the reply.

use crate::files::lookup::OpenedFile;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Content, FileContent, Image},
    seen_content::SeenRange,
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use toolpost_documents::image::{self, ImageError, ImageLimits};

/// Locks the decoder: only one image is decoded at a time, because a large one needs hundreds of megabytes.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static DECODING: Mutex<()> = Mutex::new(());
    DECODING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows an image file. The image is decoded first, because model services refuse a conversation with an invalid image.
pub(crate) fn show(opened: OpenedFile, cx: &CallCtx) -> Result<FileContent, Failure> {
    let path = opened.path().display();
    let _alone = alone();
    cx.check()?;
    let whole = opened.whole()?;
    let image = made(&path, &whole.bytes)?;
    Ok(FileContent {
        content: Content::Image(image),
        hash: Some(whole.hash),
        part: SeenRange::Whole,
        bytes: None,
    })
}

/// Shows an image whose bytes are already in memory.
pub(crate) fn of_bytes(name: &str, bytes: &[u8]) -> Result<Image, Failure> {
    let _alone = alone();
    made(name, bytes)
}

fn made(name: &str, bytes: &[u8]) -> Result<Image, Failure> {
    let shown = image::show(bytes, ImageLimits::default()).map_err(|error| {
        let failure = Failure::new(Kind::WrongKind, format!("{name} cannot be shown as an image: {error}"));
        let advice = match error {
            ImageError::Unavailable => return failure,
            ImageError::Broken { .. } => "The file may be damaged; the image was not returned.",
            _ => "The image was not returned.",
        };
        failure.hint(Hint::Advice(advice.to_owned()))
    })?;
    let mut summary = format!("{name}: {} {}x{}", shown.format, shown.original_width, shown.original_height);
    if (shown.width, shown.height) != (shown.original_width, shown.original_height) {
        summary.push_str(&format!(", shown as {}x{}", shown.width, shown.height));
    }
    if shown.frames > 1 {
        summary.push_str(&format!(", the first of {} frames", shown.frames));
    }
    Ok(Image { mime: shown.mime.to_owned(), summary, data: shown.data })
}

#[cfg(test)]
mod tests {
    use super::{Hint, made};
    use toolpost_test_rows::each;

    #[test]
    fn only_a_broken_image_may_be_damaged() {
        let rows: [(&[u8], &str); 2] = [
            (b"\x89PNG\r\n\x1a\nrest", "The file may be damaged; the image was not returned."),
            (b"no image", "The image was not returned."),
        ];
        each(rows, |(bytes, advice)| {
            let failure = made("a.png", bytes).map(|_| ()).unwrap_err();
            assert_eq!(failure.hints, [Hint::Advice(advice.to_owned())], "{}", bytes.escape_ascii());
        });
    }
}
