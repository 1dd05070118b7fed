//! Relationships between the members (files) of an Office document: one member refers to another by an id.

use std::collections::HashMap;

use super::{
    Error, UnpackLimit,
    archive::Archive,
    xml::{self, Node, attribute},
};

/// Reads the relationships of the member `of`. Maps each id to the type (the last segment of its URI) and to the name
/// of the target member.
pub(super) fn relations(
    archive: &Archive<'_>,
    of: &str,
    budget: &mut UnpackLimit,
) -> Result<HashMap<String, (String, String)>, Error> {
    let (folder, name) = of.rsplit_once('/').unwrap_or(("", of));
    let member = format!("{folder}/_rels/{name}.rels");
    let mut found = HashMap::new();
    let Some(text) = archive.text(&member, budget)? else { return Ok(found) };
    xml::walk(&member, &text, budget, |node| {
        if let Node::Open("Relationship", start) = node
            && let (Some(id), Some(target)) = (attribute(start, "Id"), attribute(start, "Target"))
        {
            let kind = attribute(start, "Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            found.insert(id, (kind, joined(folder, &target)));
        }
    })?;
    Ok(found)
}

/// Resolves the path of a target member relative to a folder in the document.
fn joined(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}
