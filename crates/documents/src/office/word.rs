//! Reader for Word documents: the text of the pages, as Word divided them when it last saved the document.

use super::{Document, DocumentPart, Error, UnpackLimit, archive::Archive, flow::Flow, xml};

/// The member of the document that contains the text.
const BODY: &str = "word/document.xml";

pub(super) fn read(bytes: &[u8], budget: &mut UnpackLimit) -> Result<Document, Error> {
    let archive = Archive::open(bytes)?;
    let body = archive.needed(BODY, budget)?;
    let mut flow = Flow::default();
    xml::walk(BODY, &body, budget, |node| flow.see(&node))?;
    let pages = flow.finish().into_iter().zip(1..);
    let parts = pages.map(|(text, number)| DocumentPart { title: format!("page {number}"), text });
    Ok(Document { parts: parts.collect(), notes: Vec::new() })
}
