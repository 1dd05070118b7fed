//! Shows parts of an office document or an archive, as text.

use crate::files::lookup::OpenedFile;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Content, FileContent, Office, OfficePart, Request},
    seen_content::SeenRange,
};
use std::time::Duration;
use toolpost_documents::{
    office::{self, Format, Limits},
    pdf::PageRange,
};
use toolpost_text::budget::ByteBudget;

/// The time limit for reading an office document or an archive, unless the call has less time left.
const TIME: Duration = Duration::from_secs(20);
/// The number of bytes that a part takes in the answer, in addition to its text and its title.
const AROUND: usize = 48;

/// Shows the requested parts of an office document or an archive.
pub(crate) fn show(
    opened: OpenedFile,
    format: Format,
    request: &Request,
    cx: &CallCtx,
) -> Result<FileContent, Failure> {
    let path = opened.path().display();
    let range = request.pages.as_deref().map(PageRange::parse).transpose();
    let range =
        range.map_err(|error| Failure::invalid(error.to_string()).hint(Hint::Pages(path.clone(), 10)))?;
    let whole = opened.whole()?;
    let limits = Limits { time: cx.time_left(TIME), ..Limits::default() };
    let document = office::read(&whole.bytes, format, limits).map_err(|error| failed(&path, &error))?;
    let total = u32::try_from(document.parts.len()).unwrap_or(u32::MAX);
    let wanted = match range {
        None => (1..=total).collect(),
        Some(range) => range.within(total).map_err(|first| {
            let what = format!("{path} has {total} parts, but part {first} was requested.");
            Failure::invalid(what).hint(Hint::Pages(path.clone(), total))
        })?,
    };
    let mut notes = document.notes;
    let parts = (1..).zip(document.parts).filter(|(number, _)| wanted.binary_search(number).is_ok());
    let parts = parts.map(|(number, part)| OfficePart { number, title: part.title, text: part.text });
    let (parts, next) = fit(parts, request.max_bytes);
    if let Some(next) = next {
        notes.push(format!(
            "part {next} and later ones do not fit in this reply; request them by number, as you would pages"
        ));
    }
    let content = Content::Office(Office { total_parts: total, parts, notes });
    // The file contains more than the shown text, so it never counts as read completely.
    Ok(FileContent { content, hash: Some(whole.hash), part: SeenRange::Some, bytes: None })
}

/// Keeps the parts that fit into `max_bytes`, at least one; also returns the number of the first part that does not
/// fit.
fn fit(parts: impl Iterator<Item = OfficePart>, max_bytes: usize) -> (Vec<OfficePart>, Option<u32>) {
    let mut budget = ByteBudget::reserving(max_bytes, max_bytes / super::NOTES);
    let mut kept = Vec::new();
    for part in parts {
        if !budget.takes(part.text.len() + part.title.len() + AROUND) && !kept.is_empty() {
            return (kept, Some(part.number));
        }
        kept.push(part);
    }
    (kept, None)
}

fn failed(path: &str, error: &office::Error) -> Failure {
    let kind = match error {
        office::Error::TooLarge(_) => Kind::TooLarge,
        office::Error::TimedOut(_) => Kind::Timeout,
        office::Error::Damaged(_)
        | office::Error::Missing(_)
        | office::Error::Xml(..)
        | office::Error::Unavailable => Kind::WrongKind,
    };
    Failure::new(kind, format!("{path} cannot be shown: {error}."))
}
