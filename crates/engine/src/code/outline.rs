//! `outline`: the symbols that a file defines, as a tree.

pub use super::outline_cache::Entry;

use super::{outline_cache::Cached, symbol_index::one_line};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    files::document::block,
    operation::Operation,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::HashMap, sync::Arc};
use toolpost_syntax::{Symbol, Tree, ids};
use toolpost_text::lines::LineIndex;
use toolpost_workspace::{WorkspacePath, hash};

/// The `outline` operation.
pub struct Outline;

/// The file to outline.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file.
    pub path: WorkspacePath,
    /// The file, as the caller wrote it.
    pub said: String,
    /// Number of symbols to skip, in file order; without it, the outline covers the whole file.
    pub offset: Option<usize>,
    /// Maximum size of the answer in bytes. The outline of a whole file drops the deepest symbols first.
    pub max_bytes: usize,
}

/// The outline of a file.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Output {
    /// The file, relative to its root.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Its symbols, each before its members.
    pub symbols: Vec<Entry>,
    /// Total number of symbols in the file.
    pub total: usize,
    /// Number of symbols that were skipped, if the request had an offset.
    pub offset: Option<usize>,
    /// The offset of the next page, if the request had an offset.
    pub next_offset: Option<usize>,
    /// Number of places that the parser did not understand: symbols there may be missing.
    pub errors: usize,
}

/// Estimated bytes that an entry needs in addition to its text.
const AROUND: usize = 160;

impl Operation for Outline {
    const NAME: &'static str = "outline";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.path)
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let (code, cx) = (code.clone(), cx.clone());
        blocking(move || outline(&code, &request, &cx)).await
    }
}

fn outline(code: &Code, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    let (path, text) = block::read(code.files(), &request.path, &request.said, cx)?;
    let outline = cached(code, &path, text.view())?;
    let total = outline.entries.len();
    let (symbols, next_offset) = match request.offset {
        None => (fit(outline.entries.clone(), request.max_bytes), None),
        Some(offset) => page(&outline.entries, offset, request.max_bytes),
    };
    Ok(Output {
        path,
        language: outline.language.to_owned(),
        symbols,
        total,
        offset: request.offset,
        next_offset,
        errors: outline.errors,
    })
}

/// Returns the whole outline of a text; parses it only if it is not cached.
fn cached(code: &Code, path: &str, text: &str) -> Result<Arc<Cached>, Failure> {
    let hash = hash(text.as_bytes());
    if let Some(outline) = code.outlines().get(path, hash) {
        return Ok(outline);
    }
    let tree = block::parse(path, text)?;
    let (language, symbols) = (tree.language(), tree.symbols());
    let entries = entries(&tree, &ids(language, path, &symbols), &symbols);
    let errors = tree.errors().len();
    let outline = Arc::new(Cached { language: language.name(), entries, errors });
    code.outlines().put(path, hash, outline.clone());
    Ok(outline)
}

fn entries(tree: &Tree<'_>, ids: &[String], symbols: &[Symbol]) -> Vec<Entry> {
    let text = tree.text();
    let index = LineIndex::new(text);
    let part = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default();
    let mut names: HashMap<&str, usize> = HashMap::new();
    symbols.iter().for_each(|symbol| *names.entry(symbol.qualified.as_str()).or_default() += 1);
    let entry = |(symbol, id): (&Symbol, &String)| {
        let last = symbol.span.end.saturating_sub(1).max(symbol.span.start);
        Entry {
            id: id.clone(),
            name: symbol.name.clone(),
            qualified: symbol.qualified.clone(),
            kind: symbol.kind.name().to_owned(),
            signature: one_line(part(&symbol.signature)),
            documentation: symbol.docs.as_ref().and_then(|docs| first_words(part(docs))),
            line: index.line(symbol.at.as_ref().map_or(symbol.signature.start, |at| at.start)) as u64,
            first_line: index.line(symbol.span.start) as u64,
            last_line: index.line(last) as u64,
            parent: symbol.parent,
            more: 0,
            shares_name: names.get(symbol.qualified.as_str()).is_some_and(|count| *count > 1),
        }
    };
    symbols.iter().zip(ids).map(entry).collect()
}

/// Returns the first line of a documentation that has text.
fn first_words(docs: &str) -> Option<String> {
    let signs: &[char] = &['/', '*', '!', '#', '-', '"', '\'', '<', '>', ';', ' ', '\t'];
    docs.lines().map(|line| line.trim_matches(signs)).find(|line| !line.is_empty()).map(one_line)
}

/// Returns the entries from an offset that fit, and the offset of the next page; a page has at least one entry.
///
/// An entry whose parent is on another page has no parent.
fn page(all: &[Entry], offset: usize, max_bytes: usize) -> (Vec<Entry>, Option<usize>) {
    let (mut room, mut out) = (max_bytes, Vec::new());
    for entry in all.iter().skip(offset) {
        let weight = weight(entry);
        if weight > room && !out.is_empty() {
            break;
        }
        room = room.saturating_sub(weight);
        let parent = entry.parent.and_then(|parent| parent.checked_sub(offset));
        out.push(Entry { parent, ..entry.clone() });
    }
    let next = offset + out.len();
    let more = next < all.len() && !out.is_empty();
    (out, more.then_some(next))
}

/// Estimates the size of an entry in bytes.
fn weight(entry: &Entry) -> usize {
    let documentation = entry.documentation.as_ref().map_or(0, String::len);
    let id = if entry.shares_name { entry.id.len() } else { 0 };
    AROUND + id + entry.name.len() + entry.signature.len() + documentation
}

/// Drops the deepest symbols until the rest fits; at the top level, those at the end.
fn fit(all: Vec<Entry>, max_bytes: usize) -> Vec<Entry> {
    let depths = depths(&all);
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let of_level = |level: usize| {
        all.iter()
            .zip(&depths)
            .filter(move |(_, depth)| **depth == level)
            .map(|(entry, _)| weight(entry))
            .sum()
    };
    let mut room = max_bytes;
    let mut levels = 0;
    while levels <= deepest {
        let needed: usize = of_level(levels);
        if needed > room {
            break;
        }
        room -= needed;
        levels += 1;
    }
    let mut of_first = 0;
    let stays = |(at, entry): (usize, &Entry)| {
        if levels > 0 {
            return depths[at] < levels;
        }
        of_first += if depths[at] == 0 { weight(entry) } else { 0 };
        depths[at] == 0 && of_first <= max_bytes
    };
    let kept: Vec<bool> = all.iter().enumerate().map(stays).collect();
    without(all, &kept)
}

/// Returns the depth of each entry; each entry follows its parent.
fn depths(all: &[Entry]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(all.len());
    for entry in all {
        depths.push(entry.parent.and_then(|parent| depths.get(parent)).map_or(0, |above| above + 1));
    }
    depths
}

/// Removes entries; their nearest kept ancestors count them.
fn without(all: Vec<Entry>, kept: &[bool]) -> Vec<Entry> {
    let parents: Vec<Option<usize>> = all.iter().map(|entry| entry.parent).collect();
    let mut places: Vec<Option<usize>> = Vec::with_capacity(all.len());
    let mut out: Vec<Entry> = Vec::new();
    for (at, entry) in all.into_iter().enumerate() {
        if kept[at] {
            places.push(Some(out.len()));
            let parent = entry.parent.and_then(|parent| places[parent]);
            out.push(Entry { parent, ..entry });
            continue;
        }
        places.push(None);
        let mut above = parents[at];
        while let Some(parent) = above {
            match places[parent].and_then(|place| out.get_mut(place)) {
                Some(shown) => {
                    shown.more += 1;
                    break;
                }
                None => above = parents[parent],
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds one entry for each name, with the given parents.
    fn all(parents: &[Option<usize>]) -> Vec<Entry> {
        let entry = |(at, parent): (usize, &Option<usize>)| Entry {
            id: format!("{at}"),
            name: String::new(),
            qualified: String::new(),
            kind: String::new(),
            signature: String::new(),
            documentation: None,
            line: 1,
            first_line: 1,
            last_line: 1,
            parent: *parent,
            more: 0,
            shares_name: false,
        };
        parents.iter().enumerate().map(entry).collect()
    }

    #[test]
    fn what_is_deepest_is_left_out_first() {
        let parents = [None, Some(0), Some(1), Some(1), None, Some(4)];
        let each = AROUND;
        type Shown = (&'static str, Option<usize>, usize);
        let rows: [(usize, &[Shown]); 4] = [
            (
                6 * each,
                &[
                    ("0", None, 0),
                    ("1", Some(0), 0),
                    ("2", Some(1), 0),
                    ("3", Some(1), 0),
                    ("4", None, 0),
                    ("5", Some(4), 0),
                ],
            ),
            (5 * each, &[("0", None, 0), ("1", Some(0), 2), ("4", None, 0), ("5", Some(2), 0)]),
            (3 * each, &[("0", None, 3), ("4", None, 1)]),
            (each, &[("0", None, 3)]),
        ];
        for (room, wanted) in rows {
            let fitted = fit(all(&parents), room);
            let got: Vec<_> =
                fitted.iter().map(|entry| (entry.id.as_str(), entry.parent, entry.more)).collect();
            assert_eq!(got, wanted, "{room}");
        }
    }

    #[test]
    fn an_outline_is_cached_by_path_and_content() {
        let root = tempfile::tempdir().unwrap();
        let options =
            toolpost_workspace::Options { roots: vec![root.path().to_owned()], ..Default::default() };
        let code = Code::of_workspace(toolpost_workspace::Workspace::open(options).unwrap().0);
        let outline = |path: &str, text: &str| cached(&code, path, text).unwrap();
        let first = outline("a.py", "def f(): ...\n");
        assert!(Arc::ptr_eq(&first, &outline("a.py", "def f(): ...\n")));
        // The same content at another path has other ids, and another content other symbols.
        let other = outline("b.py", "def f(): ...\n");
        assert_ne!(first.entries[0].id, other.entries[0].id);
        let changed = outline("a.py", "def g(): ...\n");
        assert_eq!((changed.entries[0].name.as_str(), code.outlines().len()), ("g", 2));
        for number in 0..100 {
            outline(&format!("f{number}.py"), "def f(): ...\n");
        }
        assert_eq!(code.outlines().len(), 64);
    }

    #[test]
    fn documentation_is_shown_without_its_signs() {
        let rows = [
            ("/// Adds.\n/// More.", Some("Adds.")),
            ("/**\n * Adds.\n */", Some("Adds.")),
            ("\"\"\"\n    Adds.\n    \"\"\"", Some("Adds.")),
            ("# Adds.", Some("Adds.")),
            ("/** */", None),
        ];
        for (docs, wanted) in rows {
            assert_eq!(first_words(docs).as_deref(), wanted, "{docs}");
        }
    }

    #[test]
    fn pages_give_each_entry_once_and_in_order() {
        let all = all(&[None, Some(0), Some(1), None, Some(3), None]);
        for room in [0, 200, 340, 700, 10_000] {
            let (mut seen, mut next) = (Vec::new(), Some(0));
            while let Some(offset) = next {
                let (entries, after) = page(&all, offset, room);
                assert!(!entries.is_empty() && after.is_none_or(|after| after > offset), "{room}");
                assert!(
                    entries
                        .iter()
                        .enumerate()
                        .all(|(at, entry)| entry.parent.is_none_or(|parent| parent < at))
                );
                seen.extend(entries.into_iter().map(|entry| entry.id));
                next = after;
            }
            assert_eq!(seen, ["0", "1", "2", "3", "4", "5"], "{room}");
        }
        assert_eq!(page(&all, 9, 10_000), (Vec::new(), None));
    }
}
