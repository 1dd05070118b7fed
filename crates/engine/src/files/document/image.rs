//! A picture, prepared for a client.

use crate::files::lookup::Opened;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Content, Image, Shown},
    seen::Part,
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use toolpost_documents::image::{self, ImageLimits};

/// Locks the decoder: only one picture is decoded at a time, since a large one needs hundreds of megabytes.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static DECODING: Mutex<()> = Mutex::new(());
    DECODING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows a picture. It is decoded first, since a broken one would break the conversation.
pub(crate) fn show(opened: Opened, cx: &CallCtx) -> Result<Shown, Failure> {
    let path = opened.path().display();
    let _alone = alone();
    cx.check()?;
    let whole = opened.whole()?;
    let image = made(&path, &whole.bytes)?;
    Ok(Shown { content: Content::Image(image), hash: Some(whole.hash), part: Part::Whole, bytes: None })
}

/// Shows a picture whose bytes are already in memory.
pub(crate) fn of_bytes(name: &str, bytes: &[u8]) -> Result<Image, Failure> {
    let _alone = alone();
    made(name, bytes)
}

fn made(name: &str, bytes: &[u8]) -> Result<Image, Failure> {
    let shown = image::show(bytes, ImageLimits::default()).map_err(|error| {
        Failure::new(Kind::WrongKind, format!("{name} cannot be shown as a picture: {error}"))
            .hint(Hint::Advice("The file itself may be broken; its bytes were not passed on.".to_owned()))
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
