//! Occurrences of a symbol's name in all files, each with the outcome of its resolution.

use std::collections::HashMap;

use toolpost_syntax::Kind;

use crate::graph::{Graph, is_class};
use crate::ids::{At, FileId};
use crate::record::{ImportTarget, ReferenceRecord, Usage};
use crate::resolve::{Resolver, Value};
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
                let bound = renamed && used.receiver.is_none() && used.usage != Usage::Import;
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
        self.file(file).record.imports.iter().any(|import| match import.what {
            ImportTarget::Default(own) => own == name,
            ImportTarget::Name(own) => import.alias == Some(name) && own != name,
            ImportTarget::Module | ImportTarget::All => import.alias == Some(name),
        })
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
        match resolver.found(file, used) {
            Resolution::Targets(targets) => {
                let ours: Vec<_> = targets.iter().filter(|target| own(target.at)).collect();
                let first = ours.first().map(|target| target.how);
                let proved = ours.iter().all(|target| target.how.sure() == Certainty::Proved);
                match first {
                    Some(_) if proved && ours.len() == targets.len() => Outcome::Proved,
                    Some(how) => Outcome::Possible(how),
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
