//! Relations of the members of a document, by id.

use std::collections::HashMap;

use super::{
    Budget, Error,
    archive::Archive,
    xml::{self, Node, attribute},
};

/// The relations of a member: by id its type's last word, and the member that it leads to.
pub(super) fn relations(
    archive: &Archive<'_>,
    of: &str,
    budget: &mut Budget,
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

/// The member that a target leads to, from a folder.
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
