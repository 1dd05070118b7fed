//! Record of one file: its length, its symbols and its entry points.

use super::entries;
use crate::code::symbol_index::ReadFiles;
use std::path::Path;
use toolpost_syntax::{Kind, Language, Symbol, Tree};
use toolpost_text::lines::LineIndex;

/// The record of one file: its length, its symbols and its entry points.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// The name of the file's language.
    pub(crate) language: &'static str,
    pub(crate) lines: u64,
    /// The symbols that the file defines, in order, up to `Limits::SYMBOLS`.
    pub(crate) symbols: Vec<Line>,
    /// The number of symbols that were left out because there are too many.
    pub(crate) more: usize,
    /// The entry points of the file; for a manifest, the entry points that it names.
    pub(crate) entries: Vec<Line>,
    pub(crate) errors: usize,
    /// The reason why the record is incomplete; `None` if it is complete.
    pub(crate) why: Option<Why>,
}

/// The line of a file on which a symbol or an entry point begins, with its number and a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) depth: usize,
    pub(crate) number: u64,
    pub(crate) words: String,
}

/// The reason why a file has no full record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    TooLarge,
    NotText,
    Unparsed,
    /// The file is a symbolic link, which a walk does not follow.
    Link,
    Unreadable,
    Withheld,
    /// The call had no time to read the file; it is read in the background.
    Later,
}

/// Limits for the records of files.
pub(crate) struct Limits;

impl Limits {
    /// The maximum size of a file that is read for its record, in bytes.
    pub(crate) const LONGEST: u64 = 2 * 1024 * 1024;
    /// The maximum number of symbols in the record of a file.
    const SYMBOLS: usize = 60;
    /// The maximum nesting depth of the symbols in a record; 0 for symbols at the top level.
    const DEPTH: usize = 2;
    /// The maximum number of characters of a name or a line in a record.
    const CHARACTERS: usize = 100;
}

impl Record {
    pub(crate) fn of(name: &str, language: Language, text: &str) -> Self {
        let mut record =
            Self { language: language.name(), lines: text.lines().count() as u64, ..Self::default() };
        // In Rust, `#![…]` is an attribute, not a shebang line.
        if text.strip_prefix("#!").is_some_and(|rest| !rest.trim_start().starts_with('[')) {
            let line = text.lines().next().unwrap_or_default();
            record.entries.push(Line { depth: 0, number: 1, words: format!("script ({})", short(line)) });
        }
        let manifest = entries::is_manifest(name);
        if !(language.is_code() || manifest || language.name() == "markdown") {
            return record;
        }
        let Ok(tree) = language.parse(text) else {
            return Self { why: Some(Why::Unparsed), ..record };
        };
        record.errors = tree.errors().len();
        let symbols = tree.symbols();
        record.entries.extend(entries::of(name, &tree, &symbols));
        if !manifest {
            (record.symbols, record.more) = outline(&tree, &symbols);
        }
        record
    }

    /// Counts the file as read, as not read yet, or as left out.
    pub(crate) fn count_in(&self, files: &mut ReadFiles) {
        match self.why {
            None | Some(Why::Unparsed) => files.read += 1,
            Some(Why::Later) => files.later += 1,
            Some(Why::TooLarge | Why::NotText | Why::Link | Why::Unreadable | Why::Withheld) => {
                files.left_out += 1;
            }
        }
    }

    /// Creates the record of a file without its symbols, with the reason.
    pub(crate) fn without(path: &str, why: Why) -> Self {
        let language = Language::of_path(Path::new(path)).map_or("", Language::name);
        Self { language, why: Some(why), ..Self::default() }
    }
}

/// Lists the symbols of a file to show, and counts those that are left out. If there are too many, the most deeply
/// nested ones are left out first.
fn outline(tree: &Tree<'_>, symbols: &[Symbol]) -> (Vec<Line>, usize) {
    let index = LineIndex::new(tree.text());
    let mut depths: Vec<Option<usize>> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let depth = match symbol.parent {
            None => Some(0),
            // Symbols local to a function are not visible outside it, so they are left out.
            Some(parent) if symbols[parent].kind == Kind::Function => None,
            Some(parent) => depths[parent].map(|above| above + 1),
        };
        depths.push(depth.filter(|depth| is_shown(symbol.kind, *depth)));
    }
    let count = |most: usize| depths.iter().flatten().filter(|depth| **depth <= most).count();
    let deepest = (0..=Limits::DEPTH).rev().find(|most| count(*most) <= Limits::SYMBOLS).unwrap_or(0);
    let shown = symbols.iter().zip(&depths).filter_map(|(symbol, depth)| {
        let depth = depth.filter(|depth| *depth <= deepest)?;
        let at = symbol.at.as_ref().map_or(symbol.signature.start, |at| at.start);
        let words = format!("{} {}", symbol.kind.name(), short(&symbol.name));
        Some(Line { depth, number: index.line(at) as u64, words })
    });
    let lines: Vec<Line> = shown.take(Limits::SYMBOLS).collect();
    let more = count(Limits::DEPTH).saturating_sub(lines.len());
    (lines, more)
}

/// Returns true if symbols of this kind are shown at this nesting depth.
fn is_shown(kind: Kind, depth: usize) -> bool {
    match kind {
        Kind::Field | Kind::Variant => false,
        Kind::Variable | Kind::Constant => depth == 0,
        _ => true,
    }
}

/// Shortens a name or a line to `Limits::CHARACTERS`.
pub(super) fn short(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match toolpost_text::cut::line(&line, Limits::CHARACTERS) {
        (_, 0) => line,
        (kept, _) => format!("{kept}…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    fn lines(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| format!("{}{}{}", "  ".repeat(line.depth), line.number, line.words)).collect()
    }

    #[test]
    fn file_record_summarises_symbols_up_to_a_limit() {
        let rows: [(&str, &str, &[&str], usize); 5] = [
            (
                "a.py",
                "import os\n\n@deco\nclass A:\n    x = 1\n    def f(self):\n        def g(): ...\n\ndef h(): ...\nB = 2\n",
                &["4class A", "  6function f", "9function h", "10variable B"],
                0,
            ),
            (
                "a.rs",
                "struct S { a: u8 }\nimpl S {\n    fn f() {}\n}\nenum E { A, B }\nconst C: u8 = 1;\n",
                &["1struct S", "2impl S", "  3function f", "5enum E", "6constant C"],
                0,
            ),
            (
                "a.md",
                "# A\n\n## B\n\n### C\n\n#### D\n",
                &["1section A", "  3section B", "    5section C"],
                0,
            ),
            ("a.json", "{\"a\": 1}", &[], 0),
            ("Cargo.toml", "[package]\nname = \"x\"\n", &[], 0),
        ];
        each(rows, |(name, text, wanted, more)| {
            let record = Record::of(name, Language::of_path(Path::new(name)).unwrap(), text);
            assert_eq!(
                (lines(&record.symbols), record.more),
                (wanted.iter().map(ToString::to_string).collect(), more),
                "{name}"
            );
        });
        let many: String = (0..50).map(|at| format!("class C{at}:\n    def f(self): ...\n")).collect();
        let record = Record::of("a.py", Language::of_name("python").unwrap(), &many);
        assert_eq!((record.symbols.len(), record.more), (50, 50));
    }
}
