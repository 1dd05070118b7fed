//! `cargo xtask book`: the sources of the documentation book, and a check of the links in the built book.

use crate::{Repository, Verdict, disk, output, programs, tidy::links, tree::Tree};
use anyhow::{Context, Result, bail};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// The table of contents, with links relative to its directory.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The directory that `book.toml` names as the source.
const SOURCE: &str = "target/book/src";

/// The directory to which `book.toml` tells mdBook to write.
const BUILT: &str = "target/book/html";

/// The first page of the book, which mdBook also serves as the start page of the site.
const START: &str = "docs/introduction.md";

/// The npm package that draws the diagrams of the pages.
const MERMAID: &str = "mermaid@12.3.0";

/// The directory to which that package is unpacked; `book.toml` lists its script.
const UNPACKED: &str = "target/book/mermaid";

/// The script of the package, in [`UNPACKED`].
const SCRIPT: &str = "package/dist/mermaid.min.js";

/// Copies the pages of the book, and the files that they link to, to the directory from which mdBook builds, and
/// downloads the script that draws their diagrams. With `--check`, checks the built book instead.
///
/// # Errors
/// If a page links to a page outside the book, the script cannot be downloaded, or a file cannot be read or written.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    match arguments {
        [] => {}
        [flag] if flag == "--check" => return check(house),
        [unknown, ..] => bail!("book accepts only `--check`, got `{unknown}`"),
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
    download_script(house)?;
    output::line(&format!("book: {} files in {SOURCE}; build them with `mdbook build`", files.len()));
    Ok(Verdict::Good)
}

/// Downloads the script that draws the diagrams, unless an earlier run did.
fn download_script(house: &Repository) -> Result<()> {
    let folder = house.path(UNPACKED);
    if disk::exists(&folder.join(SCRIPT)) {
        return Ok(());
    }
    disk::make_folder(&folder)?;
    let mut pack = programs::program("npm");
    pack.args(["pack", "--silent", MERMAID, "--pack-destination"]).arg(&folder);
    let archive = programs::output(&mut pack).context("the diagrams of the book need a package from npm")?;
    let mut unpack = programs::program("tar");
    unpack.arg("-xzf").arg(folder.join(archive.trim())).arg("-C").arg(&folder).arg(SCRIPT);
    programs::output(&mut unpack)?;
    Ok(())
}

/// Checks the links and the diagrams of the built book, and prints what is wrong.
fn check(house: &Repository) -> Result<Verdict> {
    let root = house.path(BUILT);
    let mut pages = BTreeMap::new();
    let mut others = BTreeSet::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in disk::list(&folder)? {
            let name = path.strip_prefix(&root)?.to_string_lossy().into_owned();
            if disk::is_folder(&path) {
                folders.push(path);
            } else if name.ends_with(".html") {
                pages.insert(name, disk::read(&path)?);
            } else {
                others.insert(name);
            }
        }
    }
    if pages.is_empty() {
        bail!("{BUILT} has no pages: build the book first with `cargo xtask book && mdbook build`");
    }
    let (dead, undrawn) = (dead_links(&pages, &others)?, undrawn_diagrams(&pages));
    dead.iter().chain(&undrawn).for_each(|problem| output::line(&format!("book: {problem}")));
    let (count, links, diagrams) = (pages.len(), dead.len(), undrawn.len());
    output::line(&format!(
        "book: {count} pages, {links} dead links, {diagrams} without the script for their diagrams"
    ));
    Ok(if dead.is_empty() && undrawn.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// Finds the HTML pages that have a diagram, but not the script that draws it, and so would show its source text.
#[must_use]
pub fn undrawn_diagrams(pages: &BTreeMap<String, String>) -> Vec<String> {
    pages
        .iter()
        .filter(|(_, text)| text.contains("language-mermaid"))
        .filter(|(_, text)| !text.contains("/dist/mermaid") || !text.contains("docs/diagrams"))
        .map(|(path, _)| format!("{path} has a diagram, but no script that draws it"))
        .collect()
}

/// Finds the relative links in HTML pages whose file or anchor does not exist. `others` contains the paths of
/// all other files.
///
/// # Errors
/// None in practice: the expressions are constants.
pub fn dead_links(pages: &BTreeMap<String, String>, others: &BTreeSet<String>) -> Result<Vec<String>> {
    let link = Regex::new(r#"<(?:a|img|script|link)\s[^>]*?(?:href|src)="([^"]*)""#)?;
    let id = Regex::new(r#"\sid="([^"]*)""#)?;
    let anchors: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| {
            let ids = id.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()));
            (path.as_str(), ids.collect())
        })
        .collect();
    let mut dead = Vec::new();
    // Skip `404.html`, which has absolute links, and `print.html`, which repeats all pages at one URL, where their
    // relative links do not fit.
    for (path, text) in pages.iter().filter(|(path, _)| !["404.html", "print.html"].contains(&path.as_str()))
    {
        for target in link.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str())) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.contains(':') {
                continue;
            }
            let file = if file.is_empty() { Some(path.clone()) } else { links::resolve(path, file) };
            let alive = file.is_some_and(|file| match anchors.get(file.as_str()) {
                Some(ids) => anchor.is_empty() || ids.contains(anchor),
                None => others.contains(&file),
            });
            if !alive {
                dead.push(format!("{path} links to `{target}`, which does not exist"));
            }
        }
    }
    Ok(dead)
}

/// Returns the path of a file in the book. The table of contents and the start page are at the top, and each
/// `README.md` becomes an `index.md`, as in mdBook, which does not rewrite the links to it.
fn place(path: &str) -> String {
    match path {
        SUMMARY => "SUMMARY.md".to_owned(),
        START => "index.md".to_owned(),
        _ => path.strip_suffix("README.md").map_or(path.to_owned(), |folder| format!("{folder}index.md")),
    }
}

/// Returns the relative link from one path to another.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let folders = from.len() - 1;
    let shared =
        from.iter().take(folders).zip(to.iter().take(to.len() - 1)).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; folders - shared];
    parts.extend(&to[shared..]);
    parts.join("/")
}

/// Rewrites the links of a page, because the page and the targets may have other paths in the book.
fn rewrite(path: &str, text: &str) -> String {
    let from = place(path);
    links::targets(text).into_iter().fold(text.to_owned(), |text, (_, link)| {
        let (file, anchor) =
            link.split_once('#').map_or((link.as_str(), ""), |(file, _)| (file, &link[file.len()..]));
        let Some(target) =
            (!file.is_empty() && !file.contains(':')).then(|| links::resolve(path, file)).flatten()
        else {
            return text;
        };
        if from == path && place(&target) == target {
            return text;
        }
        text.replace(&format!("]({link})"), &format!("]({}{anchor})", relative(&from, &place(&target))))
    })
}

/// Returns the files of the book by their path in the book, with the links between them rewritten.
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
    files.insert(SUMMARY.to_owned(), summary.text.clone());
    let placed = files.into_iter().map(|(path, text)| match path.ends_with(".md") {
        true => (place(&path), rewrite(&path, &text)),
        false => (path, text),
    });
    Ok(placed.collect())
}
