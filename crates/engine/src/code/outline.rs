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
use toolpost_text::budget::ByteBudget;
use toolpost_text::lines::LineIndex;
use toolpost_workspace::{WorkspacePath, hash};

/// The `outline` operation, which lists the symbols that a file defines.
pub struct Outline;

/// Request for the outline of a file.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file to outline.
    pub path: WorkspacePath,
    /// The path of the file, as the caller wrote it.
    pub raw_path: String,
    /// Number of symbols to skip, in file order; `None` requests the outline of the whole file on one page.
    pub offset: Option<usize>,
    /// Maximum size of the answer in bytes. If the outline of a whole file is larger, its deepest symbols are left
    /// out first.
    pub max_bytes: usize,
}

/// The outline of a file.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Output {
    /// The file, relative to its root.
    pub path: String,
    /// The language of the file.
    pub language: String,
    /// The symbols, each before its members.
    pub symbols: Vec<Entry>,
    /// Total number of symbols in the file.
    pub total: usize,
    /// Number of symbols that were skipped, if the request had an offset.
    pub offset: Option<usize>,
    /// The offset of the next page; `None` on the last page, or if the request had no offset.
    pub next_offset: Option<usize>,
    /// Number of parse errors. Symbols near them may be missing.
    pub errors: usize,
}

/// Estimated size of one symbol in the answer without its texts, in bytes.
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
    let (path, text) = block::read(code.files(), &request.path, &request.raw_path, cx)?;
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

/// Returns the whole outline of a file, from the cache if the content is unchanged.
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
            kind: symbol.kind,
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

/// Returns the first line with text of a documentation comment, without comment markers; `None` if no line has text.
fn first_words(docs: &str) -> Option<String> {
    let signs: &[char] = &['/', '*', '!', '#', '-', '"', '\'', '<', '>', ';', ' ', '\t'];
    docs.lines().map(|line| line.trim_matches(signs)).find(|line| !line.is_empty()).map(one_line)
}

/// Returns the page of symbols that starts at an offset, with as many symbols as fit, and the offset of the
/// next page. A page has at least one symbol, unless the offset is after the last one.
///
/// A symbol whose parent is on another page has no parent.
fn page(all: &[Entry], offset: usize, max_bytes: usize) -> (Vec<Entry>, Option<usize>) {
    let (mut budget, mut out) = (ByteBudget::new(max_bytes), Vec::new());
    for entry in all.iter().skip(offset) {
        if !budget.takes(weight(entry)) && !out.is_empty() {
            break;
        }
        let parent = entry.parent.and_then(|parent| parent.checked_sub(offset));
        out.push(Entry { parent, ..entry.clone() });
    }
    let next = offset + out.len();
    let more = next < all.len() && !out.is_empty();
    (out, more.then_some(next))
}

/// Estimates the size of a symbol in the answer, in bytes.
fn weight(entry: &Entry) -> usize {
    let documentation = entry.documentation.as_ref().map_or(0, String::len);
    let id = if entry.shares_name { entry.id.len() } else { 0 };
    AROUND + id + entry.name.len() + entry.signature.len() + documentation
}

/// Drops the deepest levels of symbols until the remaining ones fit into `max_bytes`. If the top level alone
/// is too large, keeps its first symbols.
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
    let levels = ByteBudget::new(max_bytes).count((0..=deepest).map(of_level));
    let mut of_first = ByteBudget::new(max_bytes);
    let stays = |(at, entry): (usize, &Entry)| {
        if levels > 0 {
            return depths[at] < levels;
        }
        depths[at] == 0 && of_first.takes(weight(entry))
    };
    let kept: Vec<bool> = all.iter().enumerate().map(stays).collect();
    without(all, &kept)
}

/// Returns the depth of each entry. In `all`, each entry comes after its parent.
fn depths(all: &[Entry]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(all.len());
    for entry in all {
        depths.push(entry.parent.and_then(|parent| depths.get(parent)).map_or(0, |above| above + 1));
    }
    depths
}

/// Removes the entries whose flag in `kept` is false. Each removed entry is counted in the field `more` of
/// its nearest remaining ancestor.
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
    use toolpost_syntax::Kind;
    use toolpost_test_rows::each;

    /// Builds one entry for each element of `parents`, which is the index of the entry's parent.
    fn all(parents: &[Option<usize>]) -> Vec<Entry> {
        let entry = |(at, parent): (usize, &Option<usize>)| Entry {
            id: format!("{at}"),
            name: String::new(),
            qualified: String::new(),
            kind: Kind::Function,
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
    fn outline_omits_the_deepest_entries_first() {
        let parents = [None, Some(0), Some(1), Some(1), None, Some(4)];
        let size = AROUND;
        type EntryRow = (&'static str, Option<usize>, usize);
        let rows: [(usize, &[EntryRow]); 4] = [
            (
                6 * size,
                &[
                    ("0", None, 0),
                    ("1", Some(0), 0),
                    ("2", Some(1), 0),
                    ("3", Some(1), 0),
                    ("4", None, 0),
                    ("5", Some(4), 0),
                ],
            ),
            (5 * size, &[("0", None, 0), ("1", Some(0), 2), ("4", None, 0), ("5", Some(2), 0)]),
            (3 * size, &[("0", None, 3), ("4", None, 1)]),
            (size, &[("0", None, 3)]),
        ];
        each(rows, |(room, wanted)| {
            let fitted = fit(all(&parents), room);
            let got: Vec<_> =
                fitted.iter().map(|entry| (entry.id.as_str(), entry.parent, entry.more)).collect();
            assert_eq!(got, wanted, "{room}");
        });
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
        // Ids contain the path, so files with the same content must not share an outline.
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
    fn doc_comment_markers_are_stripped() {
        let rows = [
            ("/// Adds.\n/// More.", Some("Adds.")),
            ("/**\n * Adds.\n */", Some("Adds.")),
            ("\"\"\"\n    Adds.\n    \"\"\"", Some("Adds.")),
            ("# Adds.", Some("Adds.")),
            ("/** */", None),
        ];
        each(rows, |(docs, wanted)| {
            assert_eq!(first_words(docs).as_deref(), wanted, "{docs}");
        });
    }

    #[test]
    fn outline_pages_list_each_entry_once_in_order() {
        let all = all(&[None, Some(0), Some(1), None, Some(3), None]);
        each([0, 200, 340, 700, 10_000], |room| {
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
        });
        assert_eq!(page(&all, 9, 10_000), (Vec::new(), None));
    }
}
