//! Parts of an office document or an archive, as text.

use crate::files::lookup::Opened;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Content, Office, OfficePart, Request, Shown},
    seen::Part,
};
use std::time::Duration;
use toolpost_documents::{
    office::{self, Format, Limits},
    pdf::PageRange,
};

/// The time limit for a document, unless the call has less.
const TIME: Duration = Duration::from_secs(20);
/// The size that a part takes in addition to its text and its title, in bytes.
const AROUND: usize = 48;

/// Shows parts of a document.
pub(crate) fn show(
    opened: Opened,
    format: Format,
    request: &Request,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    let path = opened.path().display();
    let range = request.pages.as_deref().map(PageRange::parse).transpose();
    let range =
        range.map_err(|error| Failure::invalid(format!("pages is wrong: {error}")).hint(Hint::Pages(10)))?;
    let whole = opened.whole()?;
    let limits = Limits { time: cx.time_left(TIME), ..Limits::default() };
    let document = office::read(&whole.bytes, format, limits).map_err(|error| failed(&path, &error))?;
    let total = u32::try_from(document.parts.len()).unwrap_or(u32::MAX);
    let wanted = match range {
        None => (1..=total).collect(),
        Some(range) => range.within(total).map_err(|first| {
            let what = format!("{path} has {total} parts, and part {first} was asked for.");
            Failure::invalid(what).hint(Hint::Pages(total))
        })?,
    };
    let mut notes = document.notes;
    let parts = (1..).zip(document.parts).filter(|(number, _)| wanted.binary_search(number).is_ok());
    let parts = parts.map(|(number, part)| OfficePart { number, title: part.title, text: part.text });
    let (parts, next) = fit(parts, request.max_bytes);
    if let Some(next) = next {
        notes.push(format!(
            "parts from {next} on do not fit into this answer; ask for them by their numbers, as pages"
        ));
    }
    let content = Content::Office(Office { total_parts: total, parts, notes });
    // Such a file holds more than its text.
    Ok(Shown { content, hash: Some(whole.hash), part: Part::Some, bytes: None })
}

/// Keeps the parts that fit, at least one; also returns the number of the first that does not.
fn fit(parts: impl Iterator<Item = OfficePart>, max_bytes: usize) -> (Vec<OfficePart>, Option<u32>) {
    let room = max_bytes.saturating_sub(max_bytes / 16);
    let (mut used, mut kept) = (0, Vec::new());
    for part in parts {
        used += part.text.len() + part.title.len() + AROUND;
        if used > room && !kept.is_empty() {
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
        office::Error::Damaged(_) | office::Error::Missing(_) | office::Error::Xml(..) => Kind::WrongKind,
    };
    Failure::new(kind, format!("{path} cannot be shown: {error}."))
}
