//! Reader for presentations: the text of the slides in display order, with the speaker notes.

use super::{
    Document, DocumentPart, Error, UnpackLimit,
    archive::Archive,
    flow::Flow,
    package::relations,
    xml::{self, Node, attribute, relation},
};

/// The member of the document that lists the slides.
const LIST: &str = "ppt/presentation.xml";

pub(super) fn read(bytes: &[u8], budget: &mut UnpackLimit) -> Result<Document, Error> {
    let archive = Archive::open(bytes)?;
    let list = archive.needed(LIST, budget)?;
    let targets = relations(&archive, LIST, budget)?;
    let mut ids = Vec::new();
    xml::walk(LIST, &list, budget, |node| {
        if let Node::Open("sldId", start) = node {
            ids.extend(relation(start));
        }
    })?;
    let mut document = Document::default();
    for (id, number) in ids.iter().zip(1..) {
        let Some((_, member)) = targets.get(id) else { continue };
        let mut text = text(&archive, member, budget)?;
        let beside = relations(&archive, member, budget)?;
        if let Some((_, notes)) = beside.values().find(|(kind, _)| kind == "notesSlide") {
            let notes = self::text(&archive, notes, budget)?;
            if !notes.trim().is_empty() {
                text.push_str(&format!("Notes:\n{notes}"));
            }
        }
        document.parts.push(DocumentPart { title: format!("slide {number}"), text });
    }
    Ok(document)
}

fn text(archive: &Archive<'_>, member: &str, budget: &mut UnpackLimit) -> Result<String, Error> {
    let Some(slide) = archive.text(member, budget)? else { return Ok(String::new()) };
    let (mut flow, mut fields) = (Flow::default(), 0_usize);
    xml::walk(member, &slide, budget, |node| match node {
        // Generated fields, such as the slide number, are skipped.
        Node::Open("fld", start) if attribute(start, "type").is_some() => fields += 1,
        Node::Close("fld") => fields = fields.saturating_sub(1),
        _ if fields > 0 => {}
        node => flow.see(&node),
    })?;
    let lines: Vec<String> = flow.finish();
    let lines = lines.iter().flat_map(|page| page.lines()).filter(|line| !line.trim().is_empty());
    Ok(lines.map(|line| format!("{line}\n")).collect())
}
