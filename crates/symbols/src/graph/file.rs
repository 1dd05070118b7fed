//! One file of the graph: its record, and tables over it.

use std::sync::Arc;

use toolpost_syntax::Kind;
use toolpost_workspace::ContentHash;

use super::lazy_record::LazyRecord;
use crate::Word;
use crate::record::{ReferenceRecord, SymbolRecord};

/// One file of the graph.
#[derive(Debug)]
pub struct File {
    /// The path from the root, with `/` between the names.
    pub path: Arc<str>,
    /// The hash of the content of the file.
    pub hash: Option<ContentHash>,
    /// The number of graph changes when the file was added.
    pub(crate) since: u64,
    /// The record of the file: its symbols and the names that it uses.
    pub record: LazyRecord,
    /// Set if the path suggests a less relevant file, such as a test.
    pub(crate) is_secondary: bool,
}

impl File {
    pub(super) fn new(path: Arc<str>, hash: Option<ContentHash>, since: u64, record: LazyRecord) -> Self {
        Self { hash, since, is_secondary: is_secondary(&path), record, path }
    }

    /// Returns the name of the language.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.record.summary().language
    }

    /// Returns whether the parser did not understand parts of the file.
    #[must_use]
    pub fn is_imperfect(&self) -> bool {
        self.record.summary().imperfect
    }

    /// Returns the top-level symbols named `name`, as indexes in the file's list of symbols.
    #[must_use]
    pub fn top(&self, name: Word) -> &[u32] {
        self.record.whole().named.get((None, name))
    }

    /// Lists the uses of a name, in the order of their positions.
    pub(crate) fn uses_of(&self, name: Word) -> impl Iterator<Item = &ReferenceRecord> {
        let places = self.record.whole().uses.get(name);
        places.iter().map(|place| &self.record.uses[*place as usize])
    }

    /// Returns the direct members of a symbol.
    #[must_use]
    pub fn children(&self, symbol: u32) -> &[u32] {
        self.record.whole().children.get(symbol)
    }

    /// Returns the direct members of a symbol that are named `name`, as indexes in the file's list of symbols.
    pub(crate) fn members(&self, symbol: u32, name: Word) -> impl Iterator<Item = u32> {
        self.record.whole().named.get((Some(symbol), name)).iter().copied()
    }

    /// Lists the fields named `name` to which the methods of a class assign a value, as indexes in the file's list of
    /// local names.
    pub(crate) fn fields(&self, class: u32, name: Word) -> &[u32] {
        self.record.whole().fields.get((class, name))
    }

    /// Lists the declarations of a local name in a scope, or outside all scopes if `scope` is `None`, as indexes in
    /// the file's list of local names.
    pub(crate) fn locals(&self, scope: Option<u32>, name: Word) -> &[u32] {
        self.record.whole().locals.get((scope, name))
    }

    /// Finds the innermost symbol around a position.
    #[must_use]
    pub fn around(&self, place: u32) -> Option<u32> {
        around(&self.record.symbols, place)
    }

    /// Returns a symbol and all enclosing symbols, innermost first.
    pub(crate) fn outwards(&self, from: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(from, |number| self.record.symbols[*number as usize].parent)
    }

    /// Finds the innermost class around a position: the owner of methods and fields.
    pub(crate) fn class_around(&self, place: u32) -> Option<u32> {
        class_around(&self.record.symbols, place)
    }

    /// Finds the innermost scope around a position.
    pub(crate) fn scope(&self, place: u32) -> Option<u32> {
        let scopes = &self.record.scopes;
        let first = scopes.partition_point(|(span, _)| span.0 <= place);
        let mut number = u32::try_from(first).ok()?.checked_sub(1);
        while let Some(at) = number {
            let (span, parent) = scopes[at as usize];
            if place < span.1 {
                return Some(at);
            }
            number = parent;
        }
        None
    }
}

/// Finds the innermost symbol around a position.
fn around(symbols: &[SymbolRecord], place: u32) -> Option<u32> {
    let first = symbols.partition_point(|symbol| symbol.span.0 <= place);
    let mut number = u32::try_from(first).ok()?.checked_sub(1);
    while let Some(at) = number {
        let symbol = &symbols[at as usize];
        if symbol.span.0 <= place && place < symbol.span.1 {
            return Some(at);
        }
        number = symbol.parent;
    }
    None
}

/// Finds the innermost class around a position.
pub(super) fn class_around(symbols: &[SymbolRecord], place: u32) -> Option<u32> {
    let parent = |number: &u32| symbols[*number as usize].parent;
    std::iter::successors(around(symbols, place), parent)
        .find(|number| is_class(symbols[*number as usize].kind.kind()))
}

/// Returns whether methods and fields belong to symbols of this kind.
pub(crate) fn is_class(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Class | Kind::Struct | Kind::Union | Kind::Enum | Kind::Interface | Kind::Trait | Kind::Impl
    )
}

/// Returns whether the path suggests a test, build output, third-party code or a generated file.
fn is_secondary(path: &str) -> bool {
    const FOLDERS: [&str; 14] = [
        "test",
        "tests",
        "testing",
        "__tests__",
        "spec",
        "dist",
        "build",
        "out",
        "vendor",
        "third_party",
        "generated",
        "bundles",
        "umd",
        "esm",
    ];
    const ENDS: [&str; 6] = [".min.js", ".umd.js", ".d.ts", ".pyi", ".pb.go", "_pb2.py"];
    let named = |part: &str| {
        FOLDERS.contains(&part)
            || part.starts_with("test_")
            || part.contains("_test.")
            || part.contains(".test.")
            || part.contains(".spec.")
    };
    path.split('/').any(named) || ENDS.iter().any(|end| path.ends_with(end))
}
