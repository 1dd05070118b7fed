//! Division of a text into blocks that cover every line: functions, types, sections, and the lines between them.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolpost_syntax::{Kind, Language, Symbol};
use toolpost_text::lines::LineIndex;

use crate::tokens;

/// A block: consecutive lines of a file that are indexed and ranked as one unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The first line of the block in its file, counted from 1.
    pub first: u32,
    /// The last line of the block in its file, inclusive.
    pub last: u32,
    /// The kind of the symbol that the block belongs to, if it belongs to one.
    pub kind: BlockKind,
    /// The qualified name of the symbol that the block belongs to; empty for lines outside any symbol.
    pub name: String,
    /// Set if the block belongs to a test.
    pub test: bool,
}

/// The kind of a block. Its name, such as `function`, represents it on disk and in replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlockKind {
    /// The block belongs to a symbol of this kind.
    Symbol(Kind),
    /// The block has lines outside any symbol.
    #[default]
    Lines,
}

impl BlockKind {
    /// Returns the name: that of the symbol's kind, or `lines`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Symbol(kind) => kind.name(),
            Self::Lines => "lines",
        }
    }

    /// Finds the kind with a name. An unknown name, which another version may have written, counts as `lines`.
    pub(crate) fn of_name(name: &str) -> Self {
        Kind::of_name(name).map_or(Self::Lines, Self::Symbol)
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for BlockKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for BlockKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of_name(&String::deserialize(deserializer)?))
    }
}

/// Data of a block that the index stores, and that search results do not show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockData {
    /// Set if a symbol was too long for one block, and this block is not the first of its blocks.
    pub(crate) goes_on: bool,
    /// The kinds of the symbols that begin in the block but are not separate blocks, as a set of [`bit`]s.
    pub(crate) holds: u32,
}

/// A text divided into blocks, with the byte ranges of its names, declarations and comments.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) all: Vec<Block>,
    /// The index data of each block of `all`, in the same order.
    pub(crate) marks: Vec<BlockData>,
    pub(crate) names: Vec<Range<usize>>,
    pub(crate) signatures: Vec<Range<usize>>,
    pub(crate) comments: Vec<Range<usize>>,
    /// The names that the text defines, in the order of their byte offsets.
    pub(crate) defined: Vec<Definition>,
}

/// The definition of a name in a text.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The byte offset of the name in the text.
    pub(crate) at: usize,
    pub(crate) name: String,
    /// The rank among definitions of the same name, from 0 (most important: a type with a body) to 3 (a variable or
    /// module).
    pub(crate) rank: u8,
}

/// The longest text that is parsed, in bytes; longer ones are divided only by lines.
const PARSED: usize = 2 << 20;
/// Lines outside symbols are split if there are more than the second number: at the first blank line after the first
/// number of lines, otherwise at the second number.
const LINES: (u32, u32) = (24, 60);
/// The number of lines beyond which a function or section is split, and the minimum and maximum number of lines of its
/// parts except the last.
const LONG: (u32, (u32, u32)) = (240, (80, 120));
/// The minimum number of lines for a constant, a variable or a type alias to be a separate block.
const TABLE: u32 = 8;

/// The innermost symbol that contains the lines of a block; without a name if no symbol does.
#[derive(Clone, Default)]
struct Owner {
    kind: BlockKind,
    name: String,
    test: bool,
}

/// A range of lines that becomes a block.
struct Unit {
    lines: (u32, u32),
    owner: Owner,
}

/// Divides a text into blocks.
pub(crate) fn cut(language: Option<Language>, text: &str) -> Blocks {
    let index = LineIndex::new(text);
    let total = number(index.count().max(1));
    let mut out = Blocks::default();
    let parsed =
        language.filter(|known| (known.is_code() || known.name() == "markdown") && text.len() <= PARSED);
    let tree = parsed.and_then(|known| known.parse(text).ok());
    let symbols = tree.as_ref().map(toolpost_syntax::Tree::symbols).unwrap_or_default();
    if let Some(tree) = &tree {
        out.comments = tree.comments();
    }
    for symbol in &symbols {
        out.names.extend(symbol.at.clone());
        if has_signature(symbol.kind) {
            out.signatures.push(symbol.signature.clone());
        }
        out.comments.extend(symbol.docs.clone());
        out.defined.extend(definition(symbol));
    }
    out.defined.sort_by_key(|definition| definition.at);
    if parsed.is_some_and(|known| !known.is_code()) || language.is_none() {
        out.comments = std::iter::once(0..text.len()).collect();
    }
    for ranges in [&mut out.names, &mut out.signatures, &mut out.comments] {
        ranges.sort_by_key(|range| (range.start, range.end));
    }
    let lines = |range: &Range<usize>| {
        let last = index.line(range.end.saturating_sub(1).max(range.start));
        (number(index.line(range.start)), number(last))
    };
    let mut layout = Layout::of(text);
    let inside = units(&symbols, &lines, &mut layout.units);
    layout.fill(total, &containers(&symbols, &lines));
    out.marks = layout.on.iter().map(|goes_on| BlockData { goes_on: *goes_on, holds: 0 }).collect();
    out.all = layout.out;
    for (symbol, _) in symbols.iter().zip(&inside).filter(|(_, inside)| !**inside) {
        let line = number(index.line(symbol.at.clone().map_or(symbol.span.start, |at| at.start)));
        let block = out.all.partition_point(|block| block.last < line);
        if let Some(mark) = out.marks.get_mut(block) {
            mark.holds |= bit(symbol.kind.name());
        }
    }
    out
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn has_signature(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Function
            | Kind::Class
            | Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Interface
            | Kind::Trait
            | Kind::Impl
            | Kind::Type
            | Kind::Macro
            | Kind::Module
    )
}

/// Returns the name that a symbol defines, if it is one word. An `impl` block and a heading define nothing.
fn definition(symbol: &Symbol) -> Option<Definition> {
    let rank = match (symbol.kind, symbol.body.is_some()) {
        (Kind::Type | Kind::Macro, _)
        | (Kind::Class | Kind::Struct | Kind::Union | Kind::Enum | Kind::Interface | Kind::Trait, true) => 0,
        (Kind::Function, true) => 1,
        (
            Kind::Function
            | Kind::Constant
            | Kind::Class
            | Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Interface
            | Kind::Trait,
            _,
        ) => 2,
        (Kind::Module | Kind::Variable | Kind::Field | Kind::Variant, _) => 3,
        _ => return None,
    };
    let mut words = tokens::words(&symbol.name);
    let (Some(word), None) = (words.next(), words.next()) else { return None };
    let at = symbol.at.clone().map_or(symbol.signature.start, |at| at.start);
    Some(Definition { at, name: word.text.to_owned(), rank })
}

/// Returns whether a symbol of this kind is indexed as one block together with all symbols in it.
fn is_leaf(kind: Kind) -> bool {
    matches!(kind, Kind::Function | Kind::Macro)
}

/// Returns whether the members of a symbol of this kind can be separate blocks.
fn is_container(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Class
            | Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Interface
            | Kind::Trait
            | Kind::Impl
            | Kind::Module
            | Kind::Section
    )
}

/// Returns, for each symbol, whether it contains symbols that can be separate blocks, and whether it is in a test.
fn holders(symbols: &[Symbol]) -> (Vec<bool>, Vec<bool>) {
    let mut holds = vec![false; symbols.len()];
    let mut test: Vec<bool> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let above = symbol.parent.is_some_and(|parent| test.get(parent).copied().unwrap_or(false));
        test.push(above || is_test(symbol));
        if (is_leaf(symbol.kind) || is_container(symbol.kind))
            && let Some(parent) = symbol.parent
        {
            holds[parent] = true;
        }
    }
    (holds, test)
}

/// Returns whether the name of a symbol is that of a test.
fn is_test(symbol: &Symbol) -> bool {
    match symbol.kind {
        Kind::Module => matches!(symbol.name.as_str(), "tests" | "test"),
        Kind::Function => symbol.name.starts_with("test_") && symbol.parent.is_none(),
        _ => false,
    }
}

/// Appends the symbols that are separate blocks to `out`. Returns, for each symbol, whether it or a symbol around it is
/// a block.
fn units(symbols: &[Symbol], lines: &dyn Fn(&Range<usize>) -> (u32, u32), out: &mut Vec<Unit>) -> Vec<bool> {
    let (holds, test) = holders(symbols);
    let mut inside: Vec<bool> = Vec::with_capacity(symbols.len());
    for (at, symbol) in symbols.iter().enumerate() {
        let above = symbol.parent.is_some_and(|parent| inside[parent]);
        let range = lines(&symbol.span);
        let leaf = is_leaf(symbol.kind) || (is_container(symbol.kind) && !holds[at]);
        let table = matches!(symbol.kind, Kind::Constant | Kind::Variable | Kind::Type)
            && range.1 - range.0 + 1 >= TABLE;
        let own = !above && (leaf || table);
        inside.push(above || own);
        if own {
            out.push(Unit { lines: range, owner: owner(symbol, test[at]) });
        }
    }
    out.sort_by_key(|unit| unit.lines);
    inside
}

fn owner(symbol: &Symbol, test: bool) -> Owner {
    Owner { kind: BlockKind::Symbol(symbol.kind), name: symbol.qualified.clone(), test }
}

/// Returns the symbols that contain other symbols which can be separate blocks, parents first.
fn containers(symbols: &[Symbol], lines: &dyn Fn(&Range<usize>) -> (u32, u32)) -> Vec<Unit> {
    let (holds, test) = holders(symbols);
    let held = symbols.iter().enumerate().filter(|(at, symbol)| holds[*at] && is_container(symbol.kind));
    held.map(|(at, symbol)| Unit { lines: lines(&symbol.span), owner: owner(symbol, test[at]) }).collect()
}

/// A sequence of blocks under construction.
struct Layout<'t> {
    text: Vec<&'t str>,
    units: Vec<Unit>,
    out: Vec<Block>,
    /// For each block, true if it continues the previous block of the same long symbol.
    on: Vec<bool>,
}

impl<'t> Layout<'t> {
    fn of(text: &'t str) -> Self {
        Self { text: toolpost_text::lines::bare(text), units: Vec::new(), out: Vec::new(), on: Vec::new() }
    }

    /// Assigns every line of the text to a block.
    fn fill(&mut self, total: u32, containers: &[Unit]) {
        let cuts: BTreeSet<u32> =
            containers.iter().flat_map(|unit| [unit.lines.0, unit.lines.1.saturating_add(1)]).collect();
        let mut next = 1;
        for unit in std::mem::take(&mut self.units) {
            let (first, last) = (unit.lines.0.max(next), unit.lines.1.min(total));
            if first > last {
                continue;
            }
            self.between(next, first - 1, &cuts, containers);
            self.put(first, last, &unit.owner, LONG.0, LONG.1);
            next = last + 1;
        }
        self.between(next, total, &cuts, containers);
        if self.out.is_empty() {
            self.push(1, total, &Owner::default(), false);
        }
    }

    fn push(&mut self, first: u32, last: u32, owner: &Owner, goes_on: bool) {
        self.out.push(block(first, last, owner));
        self.on.push(goes_on);
    }

    /// Assigns the lines from `first` to `last`, which are between two symbols with separate blocks, to blocks.
    fn between(&mut self, first: u32, last: u32, cuts: &BTreeSet<u32>, containers: &[Unit]) {
        if first > last {
            return;
        }
        let mut from = first;
        let ends: Vec<u32> =
            cuts.range(first..=last).filter(|cut| **cut > first).map(|cut| cut - 1).chain([last]).collect();
        for end in ends {
            let holds = |unit: &&Unit| unit.lines.0 <= from && end <= unit.lines.1;
            let owner =
                containers.iter().rev().find(holds).map(|unit| unit.owner.clone()).unwrap_or_default();
            let section = owner.kind == BlockKind::Symbol(Kind::Section);
            if self.says_nothing(from, end)
                && let Some(before) = self.out.last_mut()
            {
                before.last = end;
            } else if section {
                self.put(from, end, &owner, LONG.0, LONG.1);
            } else {
                self.put(from, end, &owner, LINES.1, LINES);
            }
            from = end + 1;
        }
    }

    /// Adds the lines from `first` to `last` as one block, or as several if they are more than `most`.
    fn put(&mut self, first: u32, last: u32, owner: &Owner, most: u32, (least, longest): (u32, u32)) {
        let mut from = first;
        // A part of a long symbol is marked as the continuation of the part before it; other lines are not.
        let one = most == LONG.0;
        while last - from + 1 > most {
            let empty = (from + least..from + longest).find(|line| self.line(*line).trim().is_empty());
            let end = empty.unwrap_or(from + longest - 1);
            self.push(from, end, owner, one && from > first);
            from = end + 1;
        }
        self.push(from, last, owner, one && from > first);
    }

    fn line(&self, number: u32) -> &str {
        self.text.get(number as usize - 1).copied().unwrap_or_default()
    }

    /// Returns whether the lines from `first` to `last` contain only punctuation, such as brackets, or the word `end`.
    fn says_nothing(&self, first: u32, last: u32) -> bool {
        (first..=last).all(|line| {
            let line = self.line(line).trim();
            line == "end" || !line.contains(char::is_alphanumeric)
        })
    }
}

fn block(first: u32, last: u32, owner: &Owner) -> Block {
    Block { first, last, kind: owner.kind, name: owner.name.clone(), test: owner.test }
}

/// The kinds of blocks that the filter `type:` accepts, each with its synonyms.
pub(super) const KINDS: [(&str, &[&str]); 19] = [
    ("function", &["method", "fn", "func", "constructor"]),
    ("class", &[]),
    ("struct", &["record"]),
    ("union", &[]),
    ("enum", &[]),
    ("interface", &["protocol"]),
    ("trait", &[]),
    ("impl", &["implementation"]),
    ("constant", &["const"]),
    ("variable", &["var", "static", "let"]),
    ("type", &["typedef", "type_alias"]),
    ("module", &["namespace", "mod"]),
    ("macro", &[]),
    ("section", &["heading"]),
    ("field", &["property"]),
    ("element", &[]),
    ("rule", &[]),
    ("key", &[]),
    ("lines", &["text"]),
];

/// Returns the bit that represents a kind of symbol in [`BlockData::holds`].
pub(crate) fn bit(kind: &str) -> u32 {
    KINDS.iter().position(|(name, _)| *name == kind).map_or(0, |at| 1 << at)
}

#[cfg(test)]
mod tests {
    use super::cut;
    use toolpost_syntax::Language;

    /// Formats each block as its lines, kind and name, and checks that the blocks cover all lines.
    fn rows(language: &str, text: &str) -> Vec<String> {
        let blocks = cut(Language::of_name(language), text);
        let mut next = 1;
        for block in &blocks.all {
            assert_eq!(block.first, next, "{text}");
            next = block.last + 1;
        }
        assert_eq!(next as usize, toolpost_text::lines::LineIndex::new(text).count().max(1) + 1, "{text}");
        let row = |block: &super::Block| {
            let test = if block.test { " test" } else { "" };
            format!("{}-{} {} {}{test}", block.first, block.last, block.kind, block.name)
        };
        blocks.all.iter().map(row).collect()
    }

    #[test]
    fn code_is_split_into_blocks_at_symbol_starts() {
        let rust = "use a;\n\n/// Doc.\nfn one() {\n    fn inner() {}\n}\n\nstruct S {\n    x: u8,\n}\n\nimpl S {\n    const A: u8 = 1;\n\n    fn two(&self) {}\n\n    fn three(&self) {\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {}\n}\n";
        assert_eq!(
            rows("rust", rust),
            [
                "1-2 lines ",
                "3-7 function one",
                "8-11 struct S",
                "12-14 impl S",
                "15-16 function S.two",
                "17-20 function S.three",
                "21-22 module tests test",
                "23-25 function tests.t test",
            ]
        );
        let python = "import os\n\nclass A:\n    \"\"\"Doc.\"\"\"\n    x = 1\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n\nprint(1)\n";
        assert_eq!(
            rows("python", python),
            ["1-2 lines ", "3-6 class A", "7-9 function A.f", "10-11 function A.g", "12-13 lines "]
        );
        let markdown = "intro\n\n# One\n\ntext\n\n## Two\n\nmore\n";
        assert_eq!(rows("markdown", markdown), ["1-2 lines ", "3-6 section One", "7-9 section One.Two"]);
        assert_eq!(rows("rust", ""), ["1-1 lines "]);
        assert_eq!(rows("none", "a\nb"), ["1-2 lines "]);
        let long = "line\n".repeat(130);
        assert_eq!(rows("none", &long), ["1-60 lines ", "61-120 lines ", "121-130 lines "]);
    }
}
