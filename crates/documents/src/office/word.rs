//! Word documents: the text of the pages as they were laid out last.

use super::{Budget, Document, Error, Part, archive::Archive, flow::Flow, xml};

/// The member that holds the text.
const BODY: &str = "word/document.xml";

pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, Error> {
    let archive = Archive::open(bytes)?;
    let body = archive.needed(BODY, budget)?;
    let mut flow = Flow::default();
    xml::walk(BODY, &body, budget, |node| flow.see(&node))?;
    let pages = flow.finish().into_iter().zip(1..);
    let parts = pages.map(|(text, number)| Part { title: format!("page {number}"), text });
    Ok(Document { parts: parts.collect(), notes: Vec::new() })
}
