//! Selection and reading of the pages of a PDF document.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::content::ContentInterpreter;
use super::worker::Clock;
use super::{Page, PageNote, PageRange, Pdf, PdfError, PdfLimits, font, load};

/// A page that has an image and fewer characters than this counts as an image without text.
const FEW_LETTERS: usize = 20;
const DEEPEST_PAGE: usize = 64;

/// Reads the requested pages of a PDF file.
pub(super) fn read(
    bytes: &[u8],
    range: Option<&PageRange>,
    limits: &PdfLimits,
    clock: &Clock,
) -> Result<Pdf, PdfError> {
    let document = load::open(bytes, clock)?;
    let ids: Vec<ObjectId> = document.page_iter().collect();
    let total_pages = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    let numbers = choose(range, total_pages, limits)?;
    let mut pages = Vec::with_capacity(numbers.len());
    for &number in &numbers {
        clock.check()?;
        let id = ids[number as usize - 1];
        pages.push(read_page(&document, number, id, limits, clock)?);
    }
    refuse_textless(&pages, numbers, total_pages)?;
    Ok(Pdf { total_pages, pages })
}

fn choose(range: Option<&PageRange>, total: u32, limits: &PdfLimits) -> Result<Vec<u32>, PdfError> {
    let Some(range) = range else {
        if total > limits.max_unasked {
            let (unasked, max) = (limits.max_unasked, limits.max_pages);
            return Err(PdfError::PagesNeeded { total, unasked, max });
        }
        return Ok((1..=total).collect());
    };
    let pages = range.within(total).map_err(|page| PdfError::OutOfRange { page, total })?;
    let asked = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    if asked > limits.max_pages {
        return Err(PdfError::TooManyPages { asked, max: limits.max_pages });
    }
    Ok(pages)
}

fn read_page(
    document: &Document,
    number: u32,
    id: ObjectId,
    limits: &PdfLimits,
    clock: &Clock,
) -> Result<Page, PdfError> {
    let Ok(page) = document.get_dictionary(id) else {
        let why = "the page is missing from the file".to_owned();
        return Ok(Page { number, text: String::new(), note: Some(PageNote::Garbled { why }) });
    };
    let mut painter = ContentInterpreter::new(document, clock, limits.max_page_bytes);
    let drawn = draw(document, page, &mut painter);
    if let Err(error @ PdfError::TimedOut { .. }) = drawn {
        return Err(error);
    }
    let images = painter.images;
    let laid = painter.layout.finish();
    let note = match drawn {
        Err(PdfError::Garbled { why }) => Some(PageNote::Garbled { why }),
        Err(error) => return Err(error),
        Ok(()) if 2 * laid.unknown > laid.letters => Some(PageNote::Garbled {
            why: format!(
                "{} of {} characters have fonts without a character map",
                laid.unknown, laid.letters
            ),
        }),
        Ok(()) if laid.left_out > 0 => Some(PageNote::Cut { left_out: laid.left_out }),
        Ok(()) if laid.letters < FEW_LETTERS && images > 0 => Some(PageNote::Image),
        Ok(()) if laid.letters == 0 => Some(PageNote::Blank),
        Ok(()) => None,
    };
    let text = if laid.letters == 0 { String::new() } else { laid.text };
    Ok(Page { number, text, note })
}

fn draw(
    document: &Document,
    page: &Dictionary,
    painter: &mut ContentInterpreter<'_>,
) -> Result<(), PdfError> {
    let none = Dictionary::new();
    let resources = inherited(document, page, b"Resources").and_then(|found| found.as_dict().ok());
    let streams = contents(document, page)?;
    painter.page(&streams, resources.unwrap_or(&none))?;
    for annotation in annotations(document, page) {
        if let Some((look, x, y)) = look_of(document, annotation) {
            painter.form_at(look, x, y)?;
        }
    }
    Ok(())
}

fn contents<'d>(document: &'d Document, page: &'d Dictionary) -> Result<Vec<&'d Stream>, PdfError> {
    let Ok(written) = page.get(b"Contents") else { return Ok(Vec::new()) };
    let lost = || PdfError::Garbled { why: "the page's content is missing from the file".to_owned() };
    let (_, written) = document.dereference(written).map_err(|_| lost())?;
    let parts = match written {
        Object::Array(parts) => parts.iter().collect(),
        other => vec![other],
    };
    let streams: Vec<&Stream> =
        parts.iter().filter_map(|part| document.dereference(part).ok()?.1.as_stream().ok()).collect();
    if streams.len() < parts.len() { Err(lost()) } else { Ok(streams) }
}

/// Returns the value of `key` in a page's dictionary, or in the nearest ancestor in the page tree that has it.
fn inherited<'d>(document: &'d Document, page: &'d Dictionary, key: &[u8]) -> Option<&'d Object> {
    let mut node = page;
    for _ in 0..DEEPEST_PAGE {
        if let Ok(found) = node.get_deref(key, document) {
            return Some(found);
        }
        node = node.get_deref(b"Parent", document).ok()?.as_dict().ok()?;
    }
    None
}

fn annotations<'d>(document: &'d Document, page: &'d Dictionary) -> impl Iterator<Item = &'d Dictionary> {
    let listed = page.get_deref(b"Annots", document).and_then(Object::as_array);
    listed.into_iter().flatten().filter_map(|item| document.dereference(item).ok()?.1.as_dict().ok())
}

/// Returns the appearance of an annotation, such as a completed form field, and the position of its rectangle's first
/// corner. `None` if the annotation is hidden, or has no rectangle or no single appearance.
fn look_of<'d>(document: &'d Document, annotation: &'d Dictionary) -> Option<(&'d Stream, f64, f64)> {
    const HIDDEN: i64 = 2;
    let flags = annotation.get_deref(b"F", document).and_then(Object::as_i64).unwrap_or(0);
    if flags & HIDDEN != 0 {
        return None;
    }
    let looks = annotation.get_deref(b"AP", document).ok()?.as_dict().ok()?;
    let look = looks.get_deref(b"N", document).ok()?.as_stream().ok()?;
    let place = annotation.get_deref(b"Rect", document).ok()?.as_array().ok()?;
    Some((look, font::float(place.first()?)?, font::float(place.get(1)?)?))
}

/// Returns an error with the reason if none of the pages has text.
fn refuse_textless(pages: &[Page], numbers: Vec<u32>, total: u32) -> Result<(), PdfError> {
    if pages.iter().any(|page| !page.text.is_empty()) {
        return Ok(());
    }
    let garbled = pages.iter().find_map(|page| match &page.note {
        Some(PageNote::Garbled { why }) => Some(why.clone()),
        _ => None,
    });
    match garbled {
        Some(why) => Err(PdfError::Garbled { why }),
        None => Err(PdfError::NoText { pages: numbers, total }),
    }
}
