//! Definitions and call sites of an evaluated program (a corpus), read from its syntax trees.

use crate::disk;
use anyhow::{Context, Result};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::Path,
};
use toolpost_syntax::{Base, Chain, Kind, Language, Step, Symbol, Usage};

/// Names of constructors; they stand for their class.
const CONSTRUCTORS: [&str; 3] = ["__init__", "__new__", "constructor"];
/// Directories of installed packages and compiled code, which are not read.
const SKIPPED: [&str; 2] = ["node_modules", "__pycache__"];

/// Index in `Code::definitions`. Overloads and conditional duplicates share one index.
pub(super) type Id = usize;

/// The files, definitions and call sites of a corpus.
pub(super) struct Code {
    pub(super) files: BTreeMap<String, File>,
    pub(super) definitions: Vec<Definition>,
    pub(super) sites: Vec<Site>,
    by_name: HashMap<String, Vec<Id>>,
}

/// A source file of a corpus.
pub(super) struct File {
    pub(super) text: String,
    /// Byte offsets at which the lines start.
    lines: Vec<usize>,
    /// Definitions in the file: the byte range of the name, and the index in `Code::definitions`.
    defined: Vec<(Range<usize>, Id)>,
    /// Byte ranges of the names of parameters and local variables.
    bound: Vec<Range<usize>>,
}

/// A definition, such as a function or a class. A class also stands for its constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) path: String,
    pub(super) qualified: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    /// True for a declaration without a body, as in C headers.
    declared: bool,
}

/// A call site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) path: String,
    pub(super) at: Range<usize>,
    pub(super) name: String,
    /// Form of the callee expression.
    pub(super) shape: Shape,
    /// The definition that contains the call; `None` at the top level of the file.
    pub(super) within: Option<Id>,
}

/// Form of a callee expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// A plain name: `f()`.
    Plain,
    /// A member of the object itself or its base class: `self.f()`, `super().f()`.
    Own,
    /// A member of a name: `a.f()`.
    Named,
    /// A member of a longer expression: `a.b.f()`.
    Chain,
}

impl Code {
    /// Reads all files below `tree` that are written in one of `languages`.
    pub(super) fn read(tree: &Path, languages: &[&str]) -> Result<Self> {
        let mut code = Self {
            files: BTreeMap::new(),
            definitions: Vec::new(),
            sites: Vec::new(),
            by_name: HashMap::new(),
        };
        let mut folders = vec![(tree.to_owned(), String::new())];
        while let Some((folder, above)) = folders.pop() {
            for path in disk::list(&folder)? {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if name.starts_with('.') || SKIPPED.contains(&name) {
                    continue;
                }
                let shown = format!("{above}{name}");
                if disk::is_folder(&path) {
                    folders.push((path, format!("{shown}/")));
                } else if let Some(language) = Language::of_path(&path)
                    && languages.contains(&language.name())
                    && let Ok(text) = disk::read(&path)
                {
                    code.add(shown, language, text)?;
                }
            }
        }
        code.join();
        code.sites.sort_by(|one, other| (&one.path, one.at.start).cmp(&(&other.path, other.at.start)));
        for (id, definition) in code.definitions.iter().enumerate() {
            if is_callable(definition.kind) {
                code.by_name.entry(definition.name.clone()).or_default().push(id);
            }
        }
        Ok(code)
    }

    /// Merges a declaration into its definition if the definition is unique, because language servers answer
    /// with either.
    fn join(&mut self) {
        let mut bodies: HashMap<&str, Vec<Id>> = HashMap::new();
        for (id, definition) in self.definitions.iter().enumerate() {
            if definition.kind == Kind::Function && !definition.declared {
                bodies.entry(&definition.qualified).or_default().push(id);
            }
        }
        let joined: HashMap<Id, Id> = self
            .definitions
            .iter()
            .enumerate()
            .filter(|(_, definition)| definition.declared)
            .filter_map(|(id, definition)| match bodies.get(definition.qualified.as_str())?.as_slice() {
                [only] => Some((id, *only)),
                _ => None,
            })
            .collect();
        for (_, id) in self.files.values_mut().flat_map(|file| &mut file.defined) {
            *id = joined.get(id).copied().unwrap_or(*id);
        }
    }

    fn add(&mut self, path: String, language: Language, text: String) -> Result<()> {
        let facts = language.parse(&text).with_context(|| format!("{path} cannot be parsed"))?.facts();
        let mut known: HashMap<String, Id> = HashMap::new();
        let mut ids = Vec::new();
        let mut defined = Vec::new();
        for symbol in &facts.symbols {
            let meant = meant(&facts.symbols, symbol);
            let id = *known.entry(meant.qualified.clone()).or_insert_with(|| {
                self.definitions.push(Definition {
                    path: path.clone(),
                    qualified: meant.qualified.clone(),
                    name: meant.name.clone(),
                    kind: meant.kind,
                    declared: matches!(language.name(), "c" | "cpp"),
                });
                self.definitions.len() - 1
            });
            self.definitions[id].declared &= meant.body.is_none();
            ids.push(id);
            defined.extend(symbol.at.clone().map(|at| (at, id)));
        }
        for one in facts.references.iter().filter(|one| one.usage == Usage::Call) {
            self.sites.push(Site {
                path: path.clone(),
                at: one.at.clone(),
                name: text[one.at.clone()].to_owned(),
                shape: shape(one.receiver.as_ref()),
                within: one.within.map(|within| ids[within]),
            });
        }
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let bound = facts.bindings.iter().map(|binding| binding.at.clone()).collect();
        self.files.insert(path, File { text, lines, defined, bound });
        Ok(())
    }

    /// Returns the callable definitions of a name.
    pub(super) fn named(&self, name: &str) -> &[Id] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Finds the definition whose name is at an offset of a file, or else the only one on its line. `None` at the
    /// name of a parameter or variable.
    pub(super) fn at(&self, path: &str, place: usize) -> Option<Id> {
        let file = self.files.get(path)?;
        if let Some((_, id)) = file.defined.iter().find(|(at, _)| at.contains(&place)) {
            return Some(*id);
        }
        // A parameter or variable must not be taken for the function that is defined on the same line.
        if file.bound.iter().any(|at| at.contains(&place)) {
            return None;
        }
        let line = file.line(place);
        let mut there = file.defined.iter().filter(|(at, _)| file.line(at.start) == line);
        match (there.next(), there.next()) {
            (Some((_, id)), None) => Some(*id),
            _ => None,
        }
    }
}

impl File {
    /// Returns the line of an offset, counted from 0.
    pub(super) fn line(&self, place: usize) -> usize {
        self.lines.partition_point(|start| *start <= place).saturating_sub(1)
    }

    /// Returns the offset and text of a line.
    pub(super) fn row(&self, line: usize) -> Option<(usize, &str)> {
        let start = *self.lines.get(line)?;
        Some((start, self.text[start..].lines().next().unwrap_or_default()))
    }
}

/// Returns whether a definition of this kind can be the target of a call.
pub(super) fn is_callable(kind: Kind) -> bool {
    kind.defines()
        && !matches!(kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Module | Kind::Key)
}

/// Returns the class for its constructor, and every other symbol unchanged.
fn meant<'s>(symbols: &'s [Symbol], symbol: &'s Symbol) -> &'s Symbol {
    let Some(parent) = symbol.parent.map(|parent| &symbols[parent]) else { return symbol };
    let holds = matches!(parent.kind, Kind::Class | Kind::Struct);
    let constructs = CONSTRUCTORS.contains(&symbol.name.as_str()) || symbol.name == parent.name;
    if holds && constructs { parent } else { symbol }
}

fn shape(receiver: Option<&Chain>) -> Shape {
    let Some(chain) = receiver else { return Shape::Plain };
    match (&chain.base, chain.steps.as_slice()) {
        (Base::Own | Base::Above, []) | (Base::Above, [Step::Call]) => Shape::Own,
        (Base::Name(_), []) => Shape::Named,
        _ => Shape::Chain,
    }
}
