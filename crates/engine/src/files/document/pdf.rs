//! Pages of a PDF, as text.

use crate::files::lookup::Opened;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Content, Pdf, PdfPage, Request, Shown},
    seen::Part,
};
use std::time::Duration;
use toolpost_documents::pdf::{self, PageRange, PdfError, PdfLimits};

/// The time limit for a document, unless the call has less.
const TIME: Duration = Duration::from_secs(30);

/// The maximum number of pages of a document that is not a file.
const MOST: u32 = 200;

/// Shows pages of a PDF.
pub(crate) fn show(opened: Opened, request: &Request, cx: &CallCtx) -> Result<Shown, Failure> {
    let path = opened.path().display();
    let range = request
        .pages
        .as_deref()
        .map(PageRange::parse)
        .transpose()
        .map_err(|error| Failure::invalid(format!("pages is wrong: {error}")).hint(Hint::Pages(10)))?;
    let whole = opened.whole()?;
    let hash = whole.hash;
    let limits = PdfLimits { deadline: cx.time_left(TIME), ..PdfLimits::default() };
    let pdf = pdf::read(whole.bytes, range.as_ref(), limits).map_err(|error| failed(&path, &error))?;
    let pages = pdf.pages.into_iter().map(noted).collect();
    let (pages, notes) = fit(pages, request.max_bytes);
    let all = notes.is_empty() && pages.len() as u64 == u64::from(pdf.total_pages);
    let part = if all { Part::Whole } else { Part::Some };
    let pdf = Pdf { total_pages: pdf.total_pages, pages, notes };
    Ok(Shown { content: Content::Pdf(pdf), hash: Some(hash), part, bytes: None })
}

/// Adds the note about the text of a page, if there is one.
fn noted(page: pdf::Page) -> PdfPage {
    let text = match page.note {
        Some(note) if page.text.trim().is_empty() => format!("[{note}]"),
        Some(note) => format!("{}\n[{note}]", page.text),
        None => page.text,
    };
    PdfPage { number: page.number, text }
}

/// Returns the text of a document that is not a file, page after page, with a note if there are more pages.
pub(crate) fn text(name: &str, bytes: Vec<u8>, time: Duration) -> Result<(String, Option<String>), Failure> {
    let limits = PdfLimits { deadline: time, max_unasked: MOST, max_pages: MOST, ..PdfLimits::default() };
    let (read, note) = match pdf::read(bytes.clone(), None, limits) {
        Err(PdfError::PagesNeeded { total, .. }) => {
            let range = PageRange::parse(&format!("1-{MOST}")).ok();
            (
                pdf::read(bytes, range.as_ref(), limits),
                Some(format!("only the first {MOST} of {total} pages are shown")),
            )
        }
        read => (read, None),
    };
    let read = read.map_err(|error| failed(name, &error))?;
    let total = read.total_pages;
    let pages = read.pages.into_iter().map(noted);
    let pages =
        pages.map(|page| format!("--- page {} of {total} ---\n{}\n", page.number, page.text.trim_end()));
    Ok((pages.collect(), note))
}

/// Keeps the first pages that fit into the answer, and names the missing ones.
fn fit(pages: Vec<PdfPage>, max_bytes: usize) -> (Vec<PdfPage>, Vec<String>) {
    let room = max_bytes.saturating_sub(max_bytes / 16);
    let mut used = 0;
    let mut fits = |page: &PdfPage| {
        used += page.text.len() + 32;
        used <= room
    };
    let mut kept: Vec<PdfPage> = Vec::with_capacity(pages.len());
    let mut pages = pages.into_iter().peekable();
    while let Some(page) = pages.next_if(|page| fits(page)) {
        kept.push(page);
    }
    let Some(next) = pages.peek() else { return (kept, Vec::new()) };
    let note =
        format!("pages from {} on did not fit into this answer; ask for them by their numbers", next.number);
    if kept.is_empty() {
        kept.extend(pages.next());
    }
    (kept, vec![note])
}

fn failed(path: &str, error: &PdfError) -> Failure {
    let failure = Failure::new(Kind::WrongKind, format!("{path}: {error}"));
    match error {
        PdfError::PagesNeeded { total, .. } | PdfError::OutOfRange { total, .. } => {
            Failure { kind: Kind::Invalid, ..failure }.hint(Hint::Pages(*total))
        }
        PdfError::TooManyPages { max, .. } => {
            Failure { kind: Kind::Invalid, ..failure }.hint(Hint::Pages(*max))
        }
        PdfError::TimedOut { .. } => Failure { kind: Kind::Timeout, ..failure }.hint(Hint::Pages(1)),
        PdfError::Busy { .. } => Failure { kind: Kind::Conflict, ..failure }.hint(Hint::TryAgain),
        PdfError::NoText { .. } | PdfError::Encrypted | PdfError::NotAPdf | PdfError::Garbled { .. } => {
            failure
        }
    }
}
