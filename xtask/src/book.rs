//! `cargo xtask book`: the sources of the documentation book.

use crate::{House, Verdict, disk, say, tidy::links, tree::Tree};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};

/// The table of contents, with links relative to its directory.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The directory that `book.toml` names as the source.
const SOURCE: &str = "target/book/src";

/// Copies the pages of the book, and the files that they link to, to the directory from which mdBook builds.
///
/// # Errors
/// If a page links to a page outside the book, or if a file cannot be read or written.
pub fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    if let Some(unknown) = arguments.first() {
        bail!("book takes no argument, got `{unknown}`");
    }
    let files = sources(&Tree::of_house(house)?)?;
    let source = house.path(SOURCE);
    disk::remove_folder(&source)?;
    for (path, text) in &files {
        let path = source.join(path);
        if let Some(folder) = path.parent() {
            disk::make_folder(folder)?;
        }
        disk::write(&path, text.as_bytes()).with_context(|| path.display().to_string())?;
    }
    say::line(&format!("book: {} files in {SOURCE}; build them with `mdbook build`", files.len()));
    Ok(Verdict::Good)
}

/// Returns the files of the book by path. The table of contents moves to the top, with its links rewritten.
///
/// # Errors
/// If the table of contents is missing, or if a page in it links to a page that it does not list.
pub fn sources(tree: &Tree) -> Result<BTreeMap<String, String>> {
    let summary = tree.file(SUMMARY).with_context(|| format!("there is no {SUMMARY}"))?;
    let listed: BTreeMap<String, String> = links::targets(&summary.text)
        .into_iter()
        .filter_map(|(_, link)| Some((links::resolve(SUMMARY, &link)?, link)))
        .collect();
    let mut files = BTreeMap::new();
    let mut outside = BTreeSet::new();
    for path in listed.keys() {
        let page =
            tree.file(path).with_context(|| format!("{SUMMARY} lists `{path}`, which does not exist"))?;
        files.insert(path.clone(), page.text.clone());
        for (_, link) in links::targets(&page.text) {
            let target = link.split('#').next().unwrap_or_default();
            let Some(file) = links::resolve(path, target).and_then(|target| tree.file(&target)) else {
                continue;
            };
            if !file.path.ends_with(".md") {
                files.insert(file.path.clone(), file.text.clone());
            } else if !target.is_empty() && file.path != SUMMARY && !listed.contains_key(&file.path) {
                outside.insert(format!("{path} links to {}", file.path));
            }
        }
    }
    if !outside.is_empty() {
        let links: Vec<String> = outside.into_iter().collect();
        bail!("pages of the book link to pages outside it: {}; list them in {SUMMARY}", links.join(", "));
    }
    let rewritten = listed.iter().fold(summary.text.clone(), |text, (path, link)| {
        text.replace(&format!("]({link})"), &format!("]({path})"))
    });
    files.insert("SUMMARY.md".to_owned(), rewritten);
    Ok(files)
}
