//! One file of the graph: its record, and tables over it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolpost_syntax::Kind;
use toolpost_workspace::ContentHash;

use crate::Word;
use crate::record::{Bound, Record, Used, What};

/// One file of the graph.
#[derive(Debug)]
pub struct File {
    /// Its path from the root, with `/` between the names.
    pub path: Arc<str>,
    /// The hash of the content of which the record was made.
    pub hash: Option<ContentHash>,
    /// After how many changes of the graph it was put in.
    pub(crate) since: u64,
    /// What is remembered of it.
    pub record: Record,
    /// Whether it holds what is looked for less, by its path.
    pub(crate) is_secondary: bool,
    /// Its uses by the names, each with its place in the list.
    uses: Box<[(Word, u32)]>,
    /// The symbols by what they stand in, if they stand in anything, and by name.
    named: HashMap<(Option<u32>, Word), Vec<u32>>,
    /// What stands in each symbol.
    children: Vec<Vec<u32>>,
    /// The fields that methods give a value, by the class and the name.
    fields: HashMap<(u32, Word), Vec<u32>>,
    /// The local names of each scope, and of the whole file, by name.
    locals: HashMap<(Option<u32>, Word), Vec<u32>>,
}

impl File {
    pub(super) fn new(path: Arc<str>, hash: Option<ContentHash>, record: Record) -> Self {
        let mut named: HashMap<(Option<u32>, Word), Vec<u32>> = HashMap::new();
        let mut children = vec![Vec::new(); record.symbols.len()];
        for (number, symbol) in (0..).zip(&record.symbols) {
            named.entry((symbol.parent, symbol.name)).or_default().push(number);
            if let Some(parent) = symbol.parent {
                children[parent as usize].push(number);
            }
        }
        let mut uses: Box<[(Word, u32)]> =
            (0..).zip(&record.uses).map(|(place, used)| (used.name, place)).collect();
        uses.sort_unstable();
        let mut file = Self {
            hash,
            since: 0,
            is_secondary: is_secondary(&path),
            uses,
            record,
            path,
            named,
            children,
            fields: HashMap::new(),
            locals: HashMap::new(),
        };
        let mut fields: HashMap<(u32, Word), Vec<u32>> = HashMap::new();
        let mut locals: HashMap<(Option<u32>, Word), Vec<u32>> = HashMap::new();
        for (number, local) in (0..).zip(&file.record.locals) {
            if local.sort == Bound::Field {
                if let Some(class) = file.class_around(local.at) {
                    fields.entry((class, local.name)).or_default().push(number);
                }
            } else {
                locals.entry((local.scope, local.name)).or_default().push(number);
            }
        }
        file.fields = fields;
        file.locals = locals;
        file
    }

    /// Lists the symbols of a name that stand in nothing else.
    #[must_use]
    pub fn top(&self, name: Word) -> &[u32] {
        self.named.get(&(None, name)).map_or(&[], Vec::as_slice)
    }

    /// Lists the uses of a name, in the order of their places.
    pub(crate) fn uses_of(&self, name: Word) -> impl Iterator<Item = &Used> {
        let first = self.uses.partition_point(|(other, _)| *other < name);
        let same = self.uses[first..].iter().take_while(move |(other, _)| *other == name);
        same.map(|(_, place)| &self.record.uses[*place as usize])
    }

    /// Lists what stands in a symbol.
    #[must_use]
    pub fn children(&self, symbol: u32) -> &[u32] {
        self.children.get(symbol as usize).map_or(&[], Vec::as_slice)
    }

    /// Lists what stands in a symbol under a name.
    pub(crate) fn members(&self, symbol: u32, name: Word) -> impl Iterator<Item = u32> {
        let found = self.named.get(&(Some(symbol), name)).map_or(&[][..], Vec::as_slice);
        found.iter().copied()
    }

    /// Lists the fields of a class that its methods give a value.
    pub(crate) fn fields(&self, class: u32, name: Word) -> &[u32] {
        self.fields.get(&(class, name)).map_or(&[], Vec::as_slice)
    }

    /// Lists the local names of a scope, or of the whole file.
    pub(crate) fn locals(&self, scope: Option<u32>, name: Word) -> &[u32] {
        self.locals.get(&(scope, name)).map_or(&[], Vec::as_slice)
    }

    /// Finds the innermost symbol around a place.
    #[must_use]
    pub fn around(&self, place: u32) -> Option<u32> {
        let symbols = &self.record.symbols;
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

    /// Lists a symbol and all that it stands in, from the inside.
    pub(crate) fn outwards(&self, from: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(from, |number| self.record.symbols[*number as usize].parent)
    }

    /// Finds the innermost class around a place: what methods and fields belong to.
    pub(crate) fn class_around(&self, place: u32) -> Option<u32> {
        self.outwards(self.around(place))
            .find(|number| is_class(self.record.symbols[*number as usize].kind.kind()))
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

    /// Lists the names that it uses or imports under another name, each once.
    pub(super) fn used_names(&self) -> HashSet<Word> {
        let mut names: HashSet<Word> = self.record.uses.iter().map(|used| used.name).collect();
        for import in &self.record.imports {
            if let What::Name(name) | What::Default(name) = import.what {
                names.insert(name);
            }
        }
        names
    }
}

/// Tells whether methods and fields belong to what is of this kind.
pub(crate) fn is_class(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Class | Kind::Struct | Kind::Union | Kind::Enum | Kind::Interface | Kind::Trait | Kind::Impl
    )
}

/// Tells whether a file holds tests, or what was made of other files, by its path.
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
