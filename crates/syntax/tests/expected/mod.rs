//! The trap corpus: small workspaces whose comments state the target of each call.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the traps are files of this repository")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toolpost_syntax::{Facts, Language, Usage, ids};

/// A workspace that is easy to misread.
pub(crate) struct Trap {
    /// The language and the name, such as `python/nested`.
    pub(crate) name: String,
    /// The calls, by file and byte offset.
    pub(crate) calls: BTreeMap<(String, usize), Call>,
    /// The errors in the comments.
    pub(crate) faults: Vec<String>,
}

/// A call and its target.
#[derive(Debug)]
pub(crate) struct Call {
    /// The line and the name, as `a.py:3 helper`; the second call of a name on a line ends with `~2`.
    pub(crate) label: String,
    /// The definitions that may be returned as proved.
    pub(crate) right: Vec<Definition>,
    /// The definitions that may be returned as possible.
    pub(crate) possible: Vec<Definition>,
    /// Set if the definition may be outside the directory.
    pub(crate) outside: Outside,
}

/// A definition: the file, and the byte offset of the name.
pub(crate) type Definition = (String, usize);

/// The location of a call's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    /// The definition is in the directory.
    No,
    /// The definition is outside the directory or unknown.
    Yes,
}

/// Reads all traps of a language.
pub(crate) fn traps(corpus: &Path, language: &str) -> Vec<Trap> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(corpus.join(language)).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.retain(|folder| folder.is_dir());
    folders.iter().map(|folder| trap(language, folder)).collect()
}

fn trap(language: &str, folder: &Path) -> Trap {
    let name = format!("{language}/{}", folder.file_name().unwrap().to_str().unwrap());
    let mut files = BTreeMap::new();
    gather(folder, "", &mut files);
    let facts: BTreeMap<&String, Facts> =
        files.iter().map(|(path, (language, text))| (path, language.parse(text).unwrap().facts())).collect();
    let faults = RefCell::new(Vec::new());
    let definition = |word: &str| {
        let known = word.split_once(':').and_then(|(path, name)| Some((path, files.get(path)?.0, name)));
        let Some((path, language, wanted)) = known else {
            faults.borrow_mut().push(format!("{name}: `{word}` is not a file"));
            return Vec::new();
        };
        if let Some((own, line)) = wanted.split_once('@') {
            let text = &files[path].1;
            let line: usize = line.parse().unwrap();
            let (from, to) = lines(text)[line - 1];
            let at = text[from..to].find(own).unwrap_or_else(|| panic!("{name}: no `{own}` in line {line}"));
            return vec![(path.to_owned(), from + at)];
        }
        let symbols = &facts[&path.to_owned()].symbols;
        let ids = ids(language, path, symbols);
        let found: Vec<Definition> = std::iter::zip(symbols, &ids)
            .filter(|(symbol, id)| fits(&symbol.qualified, symbol.kind.name(), id, wanted))
            .filter_map(|(symbol, _)| Some((path.to_owned(), symbol.at.as_ref()?.start)))
            .collect();
        if found.is_empty() {
            faults.borrow_mut().push(format!("{name}: `{word}` is not defined; the definitions are {ids:?}"));
        }
        found
    };
    let mut calls = BTreeMap::new();
    for (path, (_, text)) in &files {
        for (line, (from, to)) in lines(text).into_iter().enumerate() {
            let shown = &text[from..to];
            let words =
                shown.split_once("#-> ").or_else(|| shown.split_once("//-> ")).map(|(_, words)| words);
            let sites = facts[path].references.iter().filter(|one| one.usage == Usage::Call);
            let sites: Vec<_> = sites.filter(|one| (from..to).contains(&one.at.start)).collect();
            let names: Vec<&str> = sites.iter().map(|one| &text[one.at.clone()]).collect();
            let entries: Vec<&str> = words.map_or_else(Vec::new, |words| words.split(", ").collect());
            let at = format!("{path}:{}", line + 1);
            if names.len() != entries.len() {
                faults.borrow_mut().push(format!("{name}/{at}: calls {names:?}, expected {entries:?}"));
            }
            for (place, (site, entry)) in sites.iter().zip(&entries).enumerate() {
                let before = names[..place].iter().filter(|before| **before == names[place]).count();
                let again = if before == 0 { String::new() } else { format!("~{}", before + 1) };
                let label = format!("{at} {}{again}", names[place]);
                calls.insert((path.clone(), site.at.start), call(label, entry, definition));
            }
        }
    }
    let faults = faults.into_inner();
    Trap { name, calls, faults }
}

/// Reads the expectation for one call: `a.py:f | a.py:g possible b.py:C.f`, `external` or `?`.
fn call(label: String, entry: &str, definition: impl Fn(&str) -> Vec<Definition>) -> Call {
    let (right, possible) = entry.split_once("possible").unwrap_or((entry, ""));
    let words = |text: &str| -> Vec<String> {
        text.split([' ', '|']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (outside, right): (Vec<String>, Vec<String>) =
        words(right.trim()).into_iter().partition(|word| word == "external" || word == "?");
    let outside = if outside.is_empty() { Outside::No } else { Outside::Yes };
    let all = |words: Vec<String>| words.iter().flat_map(|word| definition(word)).collect();
    Call { label, right: all(right), possible: all(words(possible)), outside }
}

/// Returns whether an expectation refers to a symbol: `C.f`, `f~2` (the second one) or `f~macro` (the one of
/// that kind).
fn fits(qualified: &str, kind: &str, id: &str, wanted: &str) -> bool {
    let (wanted, which) = wanted.split_once('~').map_or((wanted, None), |(name, which)| (name, Some(which)));
    let chosen = which.is_none_or(|which| which == kind || id.ends_with(&format!("~{which}")));
    qualified == wanted && kind != "impl" && chosen
}

fn lines(text: &str) -> Vec<(usize, usize)> {
    let mut from = 0;
    text.split_inclusive('\n')
        .map(|line| {
            from += line.len();
            (from - line.len(), from)
        })
        .map(|(from, to)| (from, from + text[from..to].trim_end().len()))
        .collect()
}

fn gather(folder: &Path, above: &str, files: &mut BTreeMap<String, (Language, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{above}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            gather(&path, &format!("{name}/"), files);
        } else if let Ok(text) = fs::read_to_string(&path)
            && let Some(language) = Language::of_text(&path, &text).filter(|language| language.is_code())
        {
            files.insert(name, (language, text));
        }
    }
}
