//! Shows pages of a PDF, as text.

use crate::files::lookup::OpenedFile;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Content, FileContent, Pdf, PdfPage, Request},
    seen_content::SeenRange,
};
use std::time::Duration;
use toolpost_documents::pdf::{self, PageRange, PdfError, PdfLimits};
use toolpost_text::budget::ByteBudget;

/// The time limit for reading a PDF, unless the call has less time left.
const TIME: Duration = Duration::from_secs(30);

/// The maximum number of pages shown of a PDF that is not a file, such as a download.
const MOST: u32 = 200;

pub(crate) fn show(opened: OpenedFile, request: &Request, cx: &CallCtx) -> Result<FileContent, Failure> {
    let path = opened.path().display();
    let range = request
        .pages
        .as_deref()
        .map(PageRange::parse)
        .transpose()
        .map_err(|error| Failure::invalid(error.to_string()).hint(Hint::Pages(path.clone(), 10)))?;
    let whole = opened.whole()?;
    let hash = whole.hash;
    let limits = PdfLimits { deadline: cx.time_left(TIME), ..PdfLimits::default() };
    let pdf = pdf::read(whole.bytes, range.as_ref(), limits).map_err(|error| failed(&path, &error))?;
    let pages = pdf.pages.into_iter().map(noted).collect();
    let (pages, notes) = fit(pages, request.max_bytes);
    let all = notes.is_empty() && pages.len() as u64 == u64::from(pdf.total_pages);
    let part = if all { SeenRange::Whole } else { SeenRange::Some };
    let pdf = Pdf { total_pages: pdf.total_pages, pages, notes };
    Ok(FileContent { content: Content::Pdf(pdf), hash: Some(hash), part, bytes: None })
}

/// Converts a page for the reply; if the PDF reader has a note about the page's text, appends the note in brackets.
fn noted(page: pdf::Page) -> PdfPage {
    let text = match page.note {
        Some(note) if page.text.trim().is_empty() => format!("[{note}]"),
        Some(note) => format!("{}\n[{note}]", page.text),
        None => page.text,
    };
    PdfPage { number: page.number, text }
}

/// Returns the text of a PDF that is not a file, page by page. If the PDF has more than `MOST` pages, returns the
/// first `MOST` pages and a note.
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
    let read = read.map_err(|error| download_failed(name, &error))?;
    let total = read.total_pages;
    let pages = read.pages.into_iter().map(noted);
    let pages =
        pages.map(|page| format!("--- page {} of {total} ---\n{}\n", page.number, page.text.trim_end()));
    Ok((pages.collect(), note))
}

/// Keeps the first pages that fit into the answer, at least one; also returns a note if some do not fit.
fn fit(pages: Vec<PdfPage>, max_bytes: usize) -> (Vec<PdfPage>, Vec<String>) {
    let mut budget = ByteBudget::reserving(max_bytes, max_bytes / super::NOTES);
    let mut kept: Vec<PdfPage> = Vec::with_capacity(pages.len());
    let mut pages = pages.into_iter().peekable();
    while let Some(page) = pages.next_if(|page| budget.takes(page.text.len() + 32)) {
        kept.push(page);
    }
    let Some(next) = pages.peek() else { return (kept, Vec::new()) };
    let note = format!("pages from {} on do not fit in this reply; request them by number", next.number);
    if kept.is_empty() {
        kept.extend(pages.next());
    }
    (kept, vec![note])
}

fn failed(path: &str, error: &PdfError) -> Failure {
    let failure = Failure::new(Kind::WrongKind, format!("{path}: {error}"));
    match error {
        PdfError::PagesNeeded { total, max, .. } => {
            Failure { kind: Kind::Invalid, ..failure }.hint(Hint::Pages(path.to_owned(), *total.min(max)))
        }
        PdfError::OutOfRange { total, .. } => {
            let readable = PdfLimits::default().max_pages.min(*total);
            Failure { kind: Kind::Invalid, ..failure }.hint(Hint::Pages(path.to_owned(), readable))
        }
        PdfError::TooManyPages { max, .. } => {
            Failure { kind: Kind::Invalid, ..failure }.hint(Hint::Pages(path.to_owned(), *max))
        }
        PdfError::TimedOut { .. } => {
            Failure { kind: Kind::Timeout, ..failure }.hint(Hint::Pages(path.to_owned(), 1))
        }
        PdfError::Busy { .. } => Failure { kind: Kind::Conflict, ..failure }.hint(Hint::TryAgain),
        PdfError::NoText { .. }
        | PdfError::Encrypted
        | PdfError::NotAPdf
        | PdfError::Garbled { .. }
        | PdfError::Unavailable => failure,
    }
}

/// Creates the failure for a PDF that is not a file. A caller can request page ranges only of files, so the hints about
/// them are removed.
fn download_failed(name: &str, error: &PdfError) -> Failure {
    let mut failure = failed(name, error);
    failure.hints.retain(|hint| !matches!(hint, Hint::Pages(..)));
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn failures_of_downloads_keep_all_hints_except_those_about_pages() {
        let pages = |count| Hint::Pages("a.pdf".to_owned(), count);
        let rows = [
            (PdfError::Busy { running: 4 }, vec![Hint::TryAgain], vec![Hint::TryAgain]),
            (PdfError::TimedOut { seconds: 30 }, vec![pages(1)], vec![]),
            (PdfError::OutOfRange { page: 9, total: 3 }, vec![pages(3)], vec![]),
            (PdfError::Encrypted, vec![], vec![]),
        ];
        each(rows, |(error, of_file, of_download)| {
            assert_eq!(failed("a.pdf", &error).hints, of_file);
            assert_eq!(download_failed("a.pdf", &error).hints, of_download);
        });
    }
}
