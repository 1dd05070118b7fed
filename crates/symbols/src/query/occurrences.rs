//! Occurrences of a symbol's name in all files, each with the outcome of its resolution.

use std::collections::HashMap;

use toolpost_syntax::Kind;

use crate::graph::{Graph, is_class};
use crate::ids::{At, FileId};
use crate::record::{BindingKind, ImportRecord, ImportTarget, ReferenceRecord, Usage};
use crate::resolve::{Location, Resolver, Value};
use crate::rules::{self, Family, together};
use crate::target::{Certainty, Resolution, ResolutionMethod};
use crate::word::Word;

/// An occurrence of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The file that contains the occurrence.
    pub file: FileId,
    /// The byte offset of the name in the file.
    pub place: u32,
    /// The kind of use; `None` for a definition.
    pub usage: Option<Usage>,
    /// The outcome of resolving the occurrence.
    pub outcome: Outcome,
}

/// The outcome of resolving an occurrence of a name against a set of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The occurrence refers to one of the symbols.
    Proved,
    /// The occurrence may refer to one of the symbols, according to this method.
    Possible(ResolutionMethod),
    /// The meaning of the occurrence is unknown.
    Unresolved,
    /// The occurrence refers to something else.
    Other,
}

impl Graph {
    /// Lists the symbols that must be renamed together: overloads, declarations and conditional duplicates of
    /// a symbol, the `impl` blocks and constructors of a class, and the methods that a method overrides or
    /// that override it.
    #[must_use]
    pub fn namesakes(&self, at: At) -> Vec<At> {
        let resolver = Resolver::new(self);
        let name = self.symbol(at).name;
        let language = self.file(at.file).language();
        let alike = |other: &At| together(self.file(other.file).language(), language);
        let candidates: Vec<At> = self.definitions(name).iter().copied().filter(alike).collect();
        let start = self.constructed(at).filter(|class| self.symbol(*class).name == name).unwrap_or(at);
        let (mut all, mut waiting) = (vec![start], vec![start]);
        while let Some(next) = waiting.pop() {
            for other in candidates.iter().copied().filter(|other| *other != next) {
                if !all.contains(&other) && self.shares_name(&resolver, next, other) {
                    all.push(other);
                    waiting.push(other);
                }
            }
        }
        all.sort_unstable();
        all
    }

    /// Checks whether two symbols with one name must be renamed together.
    fn shares_name(&self, resolver: &Resolver<'_>, one: At, other: At) -> bool {
        let function = |at: At| self.symbol(at).kind.kind() == Kind::Function;
        if self.same(one, other) {
            return true;
        }
        let block = |class: At, part: At| {
            is_class(self.symbol(class).kind.kind()) && resolver.parts(class).contains(&part)
        };
        if block(one, other) || block(other, one) {
            return true;
        }
        function(one)
            && function(other)
            && (resolver.declared(one).contains(&other) || resolver.declared(other).contains(&one))
    }

    /// Lists the occurrences of a symbol's name in the files of its language family, each with the outcome of resolving
    /// it against `symbols`, the result of [`Self::namesakes`]. Declarations of local names, comments and strings are
    /// not listed.
    #[must_use]
    pub fn occurrences(&self, symbols: &[At]) -> Vec<Occurrence> {
        let Some(first) = symbols.first() else { return Vec::new() };
        let resolver = Resolver::new(self);
        let name = self.symbol(*first).name;
        let language = self.file(first.file).language();
        let mut out = Vec::new();
        for file in self.users(name).iter().copied() {
            if !together(self.file(file).language(), language) {
                continue;
            }
            let renamed = self.renames_an_import(file, name);
            for used in self.file(file).uses_of(name) {
                // The import itself may bind one of the symbols, as in `const path = require("path")`.
                let bound = renamed
                    && used.receiver.is_none()
                    && used.usage != Usage::Import
                    && !self.is_bound_to(&resolver, symbols, (file, used));
                let outcome =
                    if bound { Outcome::Other } else { self.outcome(&resolver, symbols, (file, used)) };
                out.push(Occurrence { file, place: used.at, usage: Some(used.usage), outcome });
            }
        }
        let defined = self.definitions(name).iter().copied();
        let defined = defined.filter(|at| together(self.file(at.file).language(), language));
        out.extend(defined.map(|at| Occurrence {
            file: at.file,
            place: self.symbol(at).at.0,
            usage: None,
            outcome: if symbols.contains(&at) { Outcome::Proved } else { Outcome::Other },
        }));
        self.strongest(out)
    }

    /// Keeps the most certain outcome for each position, because a definition can also be listed as a use. Sorts by
    /// path and position.
    fn strongest(&self, all: Vec<Occurrence>) -> Vec<Occurrence> {
        let mut by_place: HashMap<(FileId, u32), Occurrence> = HashMap::new();
        for one in all {
            let known = by_place.entry((one.file, one.place)).or_insert(one);
            if one.outcome < known.outcome {
                *known = one;
            }
        }
        let mut out: Vec<Occurrence> = by_place.into_values().collect();
        let key = |one: &Occurrence| (self.file(one.file).path.clone(), one.place);
        out.sort_by_cached_key(key);
        out
    }

    /// Checks whether an import of a file binds this name to an item with another name.
    fn renames_an_import(&self, file: FileId, name: Word) -> bool {
        // An export of JavaScript binds no name.
        let binds = |import: &ImportRecord| !import.exported || !self.is_script(file);
        let mut imports = self.file(file).record.imports.iter();
        imports.any(|import| binds(import) && gives_other_name(import, name))
    }

    /// Checks whether a file exports one of the symbols under its name, but only because an alias or a default import
    /// has this name. If the symbol gets another name, the file still exports the old one.
    #[must_use]
    pub fn is_exported_by_alias(&self, symbols: &[At]) -> bool {
        let Some(first) = symbols.first() else { return false };
        let resolver = Resolver::new(self);
        let name = self.symbol(*first).name;
        let language = self.file(first.file).language();
        // The other languages have no aliases of symbols that the index resolves.
        if !matches!(rules::of(language).family, Family::Ecma | Family::Python | Family::Rust) {
            return false;
        }
        let own = |value: &Value| match value {
            Value::Thing(at) => symbols.iter().any(|symbol| self.same(*symbol, *at)),
            _ => false,
        };
        let exports = |file: FileId, import: &ImportRecord| {
            let script = self.is_script(file);
            let default = matches!(import.what, ImportTarget::Default(_));
            let by_alias = gives_other_name(import, name) && !default && (import.exported || !script);
            let passed_on = script
                && import.exported
                && import.alias.is_none()
                && import.what == ImportTarget::Name(name)
                && self.renames_an_import(file, name);
            let spot = Location { file, place: import.at };
            (by_alias || passed_on)
                && resolver.import(spot, import).iter().any(|value| value.each().iter().any(own))
        };
        let mut files = self.files().filter(|file| together(self.file(*file).language(), language));
        files.any(|file| self.file(file).record.imports.iter().any(|import| exports(file, import)))
    }

    fn is_script(&self, file: FileId) -> bool {
        rules::of(self.file(file).language()).family == Family::Ecma
    }

    /// Checks whether the file of a use defines one of the symbols, and the use names it.
    fn is_bound_to(
        &self,
        resolver: &Resolver<'_>,
        symbols: &[At],
        (file, used): (FileId, &ReferenceRecord),
    ) -> bool {
        resolver.named_by(file, used).iter().any(|(at, how)| {
            at.file == file
                && *how == ResolutionMethod::Scope
                && symbols.iter().any(|symbol| self.same(*symbol, *at))
        })
    }

    /// Checks whether an import binds a symbol, as in `const { total } = require("./cart")`.
    fn is_bound_by_import(&self, at: At) -> bool {
        let place = self.symbol(at).at.0;
        self.file(at.file).record.imports.iter().any(|import| import.at == place)
    }

    fn outcome(
        &self,
        resolver: &Resolver<'_>,
        symbols: &[At],
        (file, used): (FileId, &ReferenceRecord),
    ) -> Outcome {
        let own = |at: At| symbols.iter().any(|symbol| self.same(*symbol, at));
        let named = resolver.named_by(file, used);
        if !named.is_empty() && named.iter().all(|(at, how)| own(*at) && how.sure() == Certainty::Proved) {
            return Outcome::Proved;
        }
        // The definitions in the same file that the use names without a receiver.
        let is_binding = |(at, how): &&(At, ResolutionMethod)| {
            used.receiver.is_none() && at.file == file && *how == ResolutionMethod::Scope
        };
        let bindings: Vec<At> = named.iter().filter(is_binding).map(|(at, _)| *at).collect();
        // The name also means what the import brings, which keeps its name.
        let imported = bindings.iter().all(|at| own(*at) && self.is_bound_by_import(*at));
        if self.is_script(file) && !bindings.is_empty() && imported {
            return Outcome::Proved;
        }
        // A use is not more certain than the variable that it names, which holds the symbol and keeps its name, as in
        // `const total = cart.total`.
        let kept = |at: At| !own(at) && self.symbol(at).name == used.name;
        let indirect = bindings.iter().any(|at| kept(*at))
            || (!named.iter().any(|(at, _)| own(*at)) && named.iter().any(|(at, _)| kept(*at)));
        let reported =
            |how: ResolutionMethod| matches!(how, ResolutionMethod::Server | ResolutionMethod::Scip);
        match resolver.found(file, used) {
            Resolution::Targets(targets) => {
                let ours: Vec<_> = targets.iter().filter(|target| own(target.at)).collect();
                let first = ours.first().map(|target| target.how);
                let proved = ours.iter().all(|target| target.how.sure() == Certainty::Proved);
                match first {
                    Some(how) if indirect && !reported(how) => Outcome::Possible(ResolutionMethod::Local),
                    Some(_) if proved && ours.len() == targets.len() => Outcome::Proved,
                    Some(how) => Outcome::Possible(how),
                    None if named.iter().any(|(at, _)| own(*at)) => {
                        Outcome::Possible(ResolutionMethod::Local)
                    }
                    None if targets.iter().any(|target| target.how.sure() == Certainty::Proved) => {
                        Outcome::Other
                    }
                    None => Outcome::Unresolved,
                }
            }
            Resolution::Unresolved => Outcome::Unresolved,
            Resolution::Outside | Resolution::Local if named.iter().any(|(at, _)| own(*at)) => {
                Outcome::Possible(ResolutionMethod::Local)
            }
            Resolution::Outside | Resolution::Local => Outcome::Other,
        }
    }

    /// Checks whether a name at a position is a local name: its declaration, or a position in the scope of one.
    #[must_use]
    pub fn is_local(&self, file: FileId, place: u32, name: &str) -> bool {
        let Some(name) = self.word(name) else { return false };
        let record = &self.file(file).record;
        let mut locals = record.locals.iter().filter(|local| local.name == name);
        locals.any(|local| {
            let span = local.scope.map(|scope| record.scopes[scope as usize].0);
            local.at == place || span.is_some_and(|span| span.0 <= place && place < span.1)
        })
    }

    /// Checks whether a position is in the scope of one of the symbols that is a local name. The index records no plain
    /// reads of local names.
    #[must_use]
    pub fn is_in_scope_of(&self, file: FileId, place: u32, symbols: &[At]) -> bool {
        let record = &self.file(file).record;
        let binds = |start: u32| {
            let mut locals = record.locals.iter();
            locals.any(|local| {
                let span = local.scope.map(|scope| record.scopes[scope as usize].0);
                local.at == start
                    && local.sort != BindingKind::Field
                    && span.is_some_and(|span| span.0 <= place && place < span.1)
            })
        };
        symbols.iter().any(|at| at.file == file && binds(self.symbol(*at).at.0))
    }

    /// Lists the files of the symbol's language family with an import whose path contains the name of the symbol.
    #[must_use]
    pub fn files_with_import_path(&self, at: At) -> Vec<FileId> {
        let name = self.text(self.symbol(at).name);
        let language = self.file(at.file).language();
        // In these languages, a path consists of names of files and directories.
        if matches!(rules::of(language).family, Family::Ecma | Family::C | Family::Go) {
            return Vec::new();
        }
        let parts =
            |path: Word| self.text(path).split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let has = |file: &FileId| {
            let mut imports = self.file(*file).record.imports.iter();
            imports.any(|import| parts(import.module).any(|part| part == name))
        };
        self.files().filter(|file| together(self.file(*file).language(), language)).filter(has).collect()
    }

    /// Lists the files of the symbol's language family that have a local name, a parameter or a destructuring
    /// pattern with the name of the symbol.
    #[must_use]
    pub fn binders(&self, at: At) -> Vec<FileId> {
        let name = self.symbol(at).name;
        let language = self.file(at.file).language();
        let files = self.files().filter(|file| together(self.file(*file).language(), language));
        files.filter(|file| self.file(*file).record.locals.iter().any(|local| local.name == name)).collect()
    }

    /// Lists the existing members called `name` that would clash if the methods or fields `symbols` got this name:
    /// members of their classes, and of the base classes and subclasses of these.
    #[must_use]
    pub fn clashes(&self, symbols: &[At], name: &str) -> Vec<At> {
        let Some(name) = self.word(name) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let classes: Vec<At> = symbols.iter().filter_map(|at| resolver.class_of(*at)).collect();
        let mut found: Vec<At> = classes.iter().flat_map(|class| resolver.members_of(*class, name)).collect();
        let below = self.definitions(name).iter().copied().filter(|other| {
            let class = resolver.class_of(*other);
            class.is_some_and(|class| classes.iter().any(|own| resolver.inherits_from(class, *own)))
        });
        found.extend(below);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Checks whether the class of a method inherits from something that is not in the workspace, which may
    /// declare the method.
    #[must_use]
    pub fn has_foreign_base(&self, at: At) -> bool {
        let resolver = Resolver::new(self);
        let part = self.symbol(at).parent.map(|symbol| At { file: at.file, symbol });
        let Some(part) = part.filter(|part| is_class(self.symbol(*part).kind.kind())) else { return false };
        let (mut seen, mut waiting) = (Vec::new(), vec![part]);
        while let Some(class) = waiting.pop() {
            if seen.contains(&class) {
                continue;
            }
            seen.push(class);
            for base in resolver.inherits(class).iter().flat_map(Value::each) {
                match base {
                    Value::Thing(base) => waiting.push(*base),
                    _ => return true,
                }
            }
        }
        false
    }

    /// Checks whether a symbol belongs to a class or an object.
    #[must_use]
    pub fn is_member(&self, at: At) -> bool {
        Resolver::new(self).is_member(at) || self.symbol(at).kind.kind() == Kind::Field
    }
}

/// Checks whether an import gives this name to an item with another name.
fn gives_other_name(import: &ImportRecord, name: Word) -> bool {
    match import.what {
        ImportTarget::Default(own) => own == name,
        ImportTarget::Name(own) => import.alias == Some(name) && own != name,
        ImportTarget::Module | ImportTarget::All => import.alias == Some(name),
    }
}
