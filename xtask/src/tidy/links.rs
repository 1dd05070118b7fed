//! Checks Markdown files: the target and anchor of each link exist, and each page is in its table of contents.

use super::Finding;
use crate::tree::{Source, Tree};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Tables of contents, each with the directory whose pages it must link to.
const LISTS: [(&str, &str); 2] =
    [("docs/SUMMARY.md", "docs"), ("docs/decisions/README.md", "docs/decisions")];

const WHY: &str = "readers and the book follow links";

static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\]\(<?([^()<>\s]+)>?[^()]*\)").ok());
static REFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s<>]+)>?").ok());
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"``[^`].*?``|`[^`]*`").ok());
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[([^\]]*)\]\([^)]*\)").ok());
static ANCHOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"<a (?:id|name)="([^"]+)""#).ok());

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pages: Vec<&Source> =
        tree.files().filter(|file| file.path.ends_with(".md") && !file.is_data()).collect();
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|page| (page.path.as_str(), anchors(&page.text))).collect();
    let mut findings = Vec::new();
    for page in &pages {
        for (line, target) in targets(&page.text) {
            if let Some(what) = dead(tree, &anchors, &page.path, &target) {
                findings.push(Finding {
                    path: page.path.clone(),
                    line,
                    what,
                    why: WHY,
                    next: "correct the path or the anchor; an anchor is its heading in lower case, with hyphens for blanks",
                });
            }
        }
    }
    findings.extend(LISTS.iter().flat_map(|(list, directory)| unlisted(&pages, list, directory)));
    findings.extend(LISTS.iter().flat_map(|(list, _)| untitled(&pages, list)));
    findings
}

/// Returns the decisions that a table of contents does not list under their titles.
fn untitled(pages: &[&Source], list: &str) -> Vec<Finding> {
    let Some(index) = pages.iter().find(|page| page.path == list) else { return Vec::new() };
    let decisions = pages.iter().filter(|page| page.path.starts_with("docs/decisions/0"));
    decisions
        .filter_map(|page| {
            let title = page.text.lines().next()?.strip_prefix("# ")?;
            let name = page.path.rsplit('/').next()?;
            // The index has the number in a separate column.
            let words = title.split_once(": ").map_or(title, |(_, words)| words);
            let row = index.text.lines().position(|line| line.contains(name))?;
            let listed = index.text.lines().nth(row)?.contains(words);
            (!listed).then(|| Finding {
                path: list.to_owned(),
                line: row + 1,
                what: format!("`{name}` is listed under another title than `{words}`"),
                why: "a title states the decision, in one wording",
                next: "copy the title of the page",
            })
        })
        .collect()
}

/// Returns the pages of a directory that its table of contents does not link to.
fn unlisted(pages: &[&Source], list: &str, directory: &str) -> Vec<Finding> {
    let Some(index) = pages.iter().find(|page| page.path == list) else { return Vec::new() };
    let linked: BTreeSet<String> = targets(&index.text)
        .into_iter()
        .filter_map(|(_, target)| resolve(list, target.split('#').next().unwrap_or_default()))
        .collect();
    let inside = |page: &&&Source| {
        page.path.rsplit_once('/').is_some_and(|(parent, _)| parent == directory) && page.path != list
    };
    let missing = pages.iter().filter(inside).filter(|page| !linked.contains(&page.path));
    missing
        .map(|page| Finding {
            path: list.to_owned(),
            line: 1,
            what: format!("the table of contents does not list `{}`", page.path),
            why: "readers find a page through its table of contents",
            next: "add a link to it",
        })
        .collect()
}

/// Returns the reason why a link is dead; `None` if the link works.
fn dead(tree: &Tree, anchors: &BTreeMap<&str, BTreeSet<String>>, from: &str, target: &str) -> Option<String> {
    let scheme = target
        .split_once(':')
        .is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_lowercase()));
    if scheme {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let Some(path) = (if path.is_empty() { Some(from.to_owned()) } else { resolve(from, path) }) else {
        return Some(format!("the link `{target}` leads out of the repository"));
    };
    if !tree.holds(&path) {
        return Some(format!("the link `{target}` leads to `{path}`, which does not exist"));
    }
    let known = anchors.get(path.as_str())?;
    let anchor = anchor.filter(|anchor| !anchor.is_empty())?;
    (!known.contains(anchor))
        .then(|| format!("the link `{target}` names an anchor that `{path}` does not have"))
}

/// Resolves a relative path against the directory of a page; `None` if the path leaves the repository.
pub(crate) fn resolve(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns the links of a page with their lines, without those in code.
pub(crate) fn targets(text: &str) -> Vec<(usize, String)> {
    let (Some(link), Some(reference), Some(code)) = (LINK.as_ref(), REFERENCE.as_ref(), CODE.as_ref()) else {
        return Vec::new();
    };
    let mut targets = Vec::new();
    for (line, text) in prose_lines(text) {
        let text = code.replace_all(text, "``");
        let found = link.captures_iter(&text).chain(reference.captures_iter(&text));
        targets.extend(found.filter_map(|found| Some((line, found.get(1)?.as_str().to_owned()))));
    }
    targets
}

/// Returns the anchors of a page: those that GitHub and mdBook derive from headings, and those that the page
/// defines.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in prose_lines(text) {
        let set = ANCHOR.as_ref().and_then(|anchor| anchor.captures(line)?.get(1));
        anchors.extend(set.map(|set| set.as_str().to_owned()));
        let marks = line.bytes().take_while(|byte| *byte == b'#').count();
        let Some(heading) =
            line.get(marks..).and_then(|rest| rest.strip_prefix(' ')).filter(|_| (1..=6).contains(&marks))
        else {
            continue;
        };
        let slug = slug(heading);
        let count = seen.entry(slug.clone()).or_default();
        anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

fn slug(heading: &str) -> String {
    let heading = LABEL.as_ref().map_or(heading.into(), |label| label.replace_all(heading, "$1"));
    let kept =
        heading.trim().chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|sign| if sign == ' ' { '-' } else { sign }).collect()
}

/// Returns the lines outside fenced code, counted from 1.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<(char, usize)> = None;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let start = line.trim_start();
        let mark = start.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| start.chars().take_while(|sign| *sign == mark).count());
        match (fence, mark) {
            (None, Some(mark)) if length >= 3 => fence = Some((mark, length)),
            (None, _) => return Some((at + 1, line)),
            (Some((open, least)), Some(mark)) if mark == open && length >= least => fence = None,
            (Some(_), _) => {}
        }
        None
    })
}
