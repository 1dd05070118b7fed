//! One file of the graph: its record, and tables over it.

use std::sync::Arc;

use toolpost_syntax::Kind;
use toolpost_workspace::ContentHash;

use super::kept::Kept;
use crate::Word;
use crate::record::{Defined, Used};

/// One file of the graph.
#[derive(Debug)]
pub struct File {
    /// Its path from the root, with `/` between the names.
    pub path: Arc<str>,
    /// The hash of the content behind the record.
    pub hash: Option<ContentHash>,
    /// After how many changes of the graph it was put in.
    pub(crate) since: u64,
    /// The record of its content.
    pub record: Kept,
    /// Set if the path suggests a less relevant file, such as a test.
    pub(crate) is_secondary: bool,
}

impl File {
    pub(super) fn new(path: Arc<str>, hash: Option<ContentHash>, since: u64, record: Kept) -> Self {
        Self { hash, since, is_secondary: is_secondary(&path), record, path }
    }

    /// Returns its language.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.record.summary().language
    }

    /// Returns whether the parser did not understand parts of it.
    #[must_use]
    pub fn is_imperfect(&self) -> bool {
        self.record.summary().imperfect
    }

    /// Returns the top-level symbols with a name.
    #[must_use]
    pub fn top(&self, name: Word) -> &[u32] {
        self.record.whole().named.get((None, name))
    }

    /// Lists the uses of a name, in the order of their places.
    pub(crate) fn uses_of(&self, name: Word) -> impl Iterator<Item = &Used> {
        let places = self.record.whole().uses.get(name);
        places.iter().map(|place| &self.record.uses[*place as usize])
    }

    /// Returns the direct members of a symbol.
    #[must_use]
    pub fn children(&self, symbol: u32) -> &[u32] {
        self.record.whole().children.get(symbol)
    }

    /// Returns the direct members of a symbol with a name.
    pub(crate) fn members(&self, symbol: u32, name: Word) -> impl Iterator<Item = u32> {
        self.record.whole().named.get((Some(symbol), name)).iter().copied()
    }

    /// Lists the fields of a class that its methods give a value.
    pub(crate) fn fields(&self, class: u32, name: Word) -> &[u32] {
        self.record.whole().fields.get((class, name))
    }

    /// Lists the local names of a scope, or of the whole file.
    pub(crate) fn locals(&self, scope: Option<u32>, name: Word) -> &[u32] {
        self.record.whole().locals.get((scope, name))
    }

    /// Finds the innermost symbol around a place.
    #[must_use]
    pub fn around(&self, place: u32) -> Option<u32> {
        around(&self.record.symbols, place)
    }

    /// Returns a symbol and all symbols around it, from the inside.
    pub(crate) fn outwards(&self, from: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(from, |number| self.record.symbols[*number as usize].parent)
    }

    /// Finds the innermost class around a place: what methods and fields belong to.
    pub(crate) fn class_around(&self, place: u32) -> Option<u32> {
        class_around(&self.record.symbols, place)
    }

    /// Finds the innermost scope around a place.
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

/// Finds the innermost symbol around a place.
fn around(symbols: &[Defined], place: u32) -> Option<u32> {
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

/// Finds the innermost class around a place.
pub(super) fn class_around(symbols: &[Defined], place: u32) -> Option<u32> {
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

/// Returns whether the path is that of a test or a generated file.
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
