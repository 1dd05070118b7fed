//! How symbols use one another: who calls, imports, inherits or uses what.

use std::collections::HashSet;

use toolpost_syntax::Kind;

use crate::graph::is_class;
use crate::record::{Base, Usage, Used, What};
use crate::resolve::{Resolver, Spot, Value};
use crate::{At, FileId, Found, Graph, How, Sure, Target, Word};

/// How one symbol has to do with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It calls it, or makes one of it.
    Call,
    /// It imports it.
    Import,
    /// It inherits from it or implements it.
    Inherit,
    /// It names it as a type.
    Type,
    /// It uses it in whatever way.
    Usage,
}

/// From where to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// What uses the symbol.
    In,
    /// What the symbol uses.
    Out,
}

/// One use of a symbol by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The symbol in which the use stands; none where it stands in no symbol.
    pub from: Option<At>,
    /// The file in which it stands.
    pub file: FileId,
    /// The byte at which the name begins.
    pub place: u32,
    /// The symbol that is used.
    pub to: At,
    /// How it is used.
    pub usage: Usage,
    /// How that was found.
    pub how: How,
    /// How sure it is.
    pub sure: Sure,
}

/// The uses that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// The uses, the surest first, in the order of their places.
    pub edges: Vec<Edge>,
    /// How many there are of each.
    pub counts: Counts,
}

/// How many uses there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of those that the text proves.
    pub proved: usize,
    /// Of those that are likely.
    pub inferred: usize,
    /// Of those that may be.
    pub possible: usize,
    /// Of places with the name, or in the symbol, of which nobody can tell what they lead to.
    pub unresolved: usize,
    /// Of places in the symbol that lead out of the workspace.
    pub outside: usize,
    /// Of uses that lead to files of which nothing may be told.
    pub withheld: usize,
}

impl Relation {
    /// Tells whether a use of a name is of this relation.
    fn takes(self, usage: Usage) -> bool {
        match self {
            Self::Call => usage == Usage::Call,
            Self::Import => usage == Usage::Import,
            Self::Inherit => usage == Usage::Inherit,
            Self::Type => matches!(usage, Usage::Type | Usage::Inherit),
            Self::Usage => true,
        }
    }
}

impl Graph {
    /// Lists the uses of a symbol, or what it uses; `may` says of which files they may be.
    #[must_use]
    pub fn edges(
        &self,
        at: At,
        direction: Direction,
        relation: Relation,
        may: &dyn Fn(&str) -> bool,
    ) -> Edges {
        let resolver = Resolver::new(self);
        let mut out = match direction {
            Direction::In => self.incoming(&resolver, at, relation, may),
            Direction::Out => self.outgoing(&resolver, at, relation, may),
        };
        out.edges.sort_by(|one, other| {
            let key = |edge: &Edge| (edge.sure, self.file(edge.file).path.as_ref(), edge.place);
            key(one).cmp(&key(other))
        });
        for edge in &out.edges {
            match edge.sure {
                Sure::Proved => out.counts.proved += 1,
                Sure::Inferred => out.counts.inferred += 1,
                Sure::Possible => out.counts.possible += 1,
            }
        }
        out
    }

    fn incoming(
        &self,
        resolver: &Resolver<'_>,
        at: At,
        relation: Relation,
        may: &dyn Fn(&str) -> bool,
    ) -> Edges {
        let above = self.above(resolver, at);
        let mut out = Edges::default();
        let names = self.names_of(resolver, at);
        let mut files: Vec<FileId> = names.iter().flat_map(|name| self.users(*name)).copied().collect();
        files.sort_unstable();
        files.dedup();
        for file in files.into_iter().filter(|file| may(&self.file(*file).path)) {
            let uses = names.iter().flat_map(|name| self.file(file).uses_of(*name));
            for used in uses.filter(|used| relation.takes(used.usage)) {
                match resolver.found(file, used) {
                    Found::Targets(targets) => {
                        out.edges.extend(self.reaching(resolver, &targets, at, &above, (file, used)));
                    }
                    Found::Unresolved => out.counts.unresolved += 1,
                    Found::Outside | Found::Local => {}
                }
            }
        }
        if relation == Relation::Inherit && is_class(self.symbol(at).kind.kind()) {
            let by_methods =
                resolver.implementers(at).iter().map(|own| (*own, How::Methods)).collect::<Vec<_>>();
            let told = self.told_to_implement(at).into_iter().map(|own| (own, How::Server));
            let all = told.chain(by_methods).filter(|(own, _)| may(&self.file(own.file).path));
            for (own, how) in all {
                if !out.edges.iter().any(|known| known.from == Some(own)) {
                    out.edges.push(self.implementing(own, at, how));
                }
            }
        }
        out
    }

    /// Lists the methods that one stands in for, each with how sure it is that a call of that is one of this.
    fn above(&self, resolver: &Resolver<'_>, at: At) -> Vec<(At, Sure)> {
        let sure = |declared: At| {
            let only = resolver.implementations(declared).as_slice() == [at];
            if only { Sure::Inferred } else { Sure::Possible }
        };
        resolver.declared(at).into_iter().map(|declared| (declared, sure(declared))).collect()
    }

    /// Says that a type of Go implements an interface.
    fn implementing(&self, own: At, interface: At, how: How) -> Edge {
        Edge {
            from: Some(own),
            file: own.file,
            place: self.symbol(own).at.0,
            to: interface,
            usage: Usage::Inherit,
            how,
            sure: how.sure(),
        }
    }

    /// Tells whether a use leads to a symbol: to itself, or to what it stands in for where it is called by another name.
    fn reaching(
        &self,
        resolver: &Resolver<'_>,
        targets: &[Target],
        at: At,
        above: &[(At, Sure)],
        (file, used): (FileId, &Used),
    ) -> Option<Edge> {
        let own = targets.iter().find(|target| self.same(target.at, at));
        let by = |how: How, sure: Sure| Edge {
            from: used.within.map(|symbol| At { file, symbol }),
            file,
            place: used.at,
            to: at,
            usage: used.usage,
            how,
            sure,
        };
        if let Some(target) = own {
            return Some(by(target.how, target.sure));
        }
        // What is called as that of the class above is never the object's own.
        if used.receiver.as_ref().is_some_and(|receiver| receiver.base == Base::Above)
            && resolver.goes_above(Spot { file, place: used.at }, at)
        {
            return None;
        }
        let sure = above.iter().filter(|(above, _)| targets.iter().any(|one| self.same(one.at, *above)));
        sure.map(|(_, sure)| *sure).min().map(|sure| by(How::Dispatch, sure))
    }

    fn outgoing(
        &self,
        resolver: &Resolver<'_>,
        at: At,
        relation: Relation,
        may: &dyn Fn(&str) -> bool,
    ) -> Edges {
        let mut out = Edges::default();
        for part in resolver.parts(at) {
            self.used_in(resolver, part, relation, may, &mut out);
        }
        if relation == Relation::Inherit && is_class(self.symbol(at).kind.kind()) {
            let by_methods = resolver.implemented_by(at).into_iter().map(|to| (to, How::Methods));
            let told = self.told_to_be_implemented(at).into_iter().map(|to| (to, How::Server));
            let all: Vec<(At, How)> = told.chain(by_methods).collect();
            for (to, how) in all.into_iter().filter(|(to, _)| may(&self.file(to.file).path)) {
                if !out.edges.iter().any(|known| known.to == to) {
                    out.edges.push(self.implementing(at, to, how));
                }
            }
        }
        out
    }

    /// Adds what stands in one symbol.
    fn used_in(
        &self,
        resolver: &Resolver<'_>,
        at: At,
        relation: Relation,
        may: &dyn Fn(&str) -> bool,
        out: &mut Edges,
    ) {
        let file = self.file(at.file);
        let span = self.symbol(at).span;
        let first = file.record.uses.partition_point(|used| used.at < span.0);
        let uses = file.record.uses[first..].iter().take_while(|used| used.at < span.1);
        for used in uses.filter(|used| relation.takes(used.usage)) {
            let targets = match resolver.found(at.file, used) {
                Found::Targets(targets) => targets,
                Found::Unresolved => {
                    out.counts.unresolved += 1;
                    continue;
                }
                Found::Outside => {
                    out.counts.outside += 1;
                    continue;
                }
                Found::Local => continue,
            };
            let targets = self.with_implementations(resolver, targets, used);
            let told = |target: &&Target| may(&self.file(target.at.file).path);
            let seen = targets.iter().filter(told);
            out.counts.withheld += targets.len() - seen.clone().count();
            out.edges.extend(seen.map(|target| Edge {
                from: used.within.map(|symbol| At { file: at.file, symbol }),
                file: at.file,
                place: used.at,
                to: target.at,
                usage: used.usage,
                how: target.how,
                sure: target.sure,
            }));
        }
    }

    /// Adds to methods without bodies that are called those that stand in for them.
    fn with_implementations(
        &self,
        resolver: &Resolver<'_>,
        mut targets: Vec<Target>,
        used: &Used,
    ) -> Vec<Target> {
        let called = targets.iter().filter(|target| used.usage == Usage::Call && target.sure == Sure::Proved);
        let all: Vec<_> = called.map(|target| resolver.implementations(target.at)).collect();
        for methods in all {
            let sure = if methods.len() == 1 { Sure::Inferred } else { Sure::Possible };
            for at in methods.iter().copied() {
                if !targets.iter().any(|known| known.at == at) {
                    targets.push(Target { at, how: How::Dispatch, sure });
                }
            }
        }
        targets
    }

    /// Tells whether two symbols are one: the same, a class and its constructor, or overloads and declarations of the same in one file.
    fn same(&self, one: At, other: At) -> bool {
        let (first, second) = (self.symbol(one), self.symbol(other));
        one == other
            || (one.file == other.file && first.qualified == second.qualified && first.kind == second.kind)
            || self.declares(one, other)
            || self.declares(other, one)
            || self.constructed(one) == Some(other)
            || self.constructed(other) == Some(one)
    }

    /// Tells whether a symbol without a body declares one that has it, as a header of C does.
    fn declares(&self, one: At, other: At) -> bool {
        let (first, second) = (self.symbol(one), self.symbol(other));
        first.name == second.name
            && first.kind.kind() == Kind::Function
            && second.kind.kind() == Kind::Function
            && first.body.is_none()
            && second.body.is_some()
            && matches!(self.file(one.file).record.language.as_str(), "c" | "cpp")
            && matches!(self.file(other.file).record.language.as_str(), "c" | "cpp")
            && first.qualified == second.qualified
    }

    /// Lists the names under which a symbol may be used: those that imports give it, too, and of a constructor its class's.
    fn names_of(&self, resolver: &Resolver<'_>, at: At) -> HashSet<Word> {
        let symbol = self.symbol(at);
        let class = self.constructed(at).map(|class| self.symbol(class).name);
        let mut names: HashSet<Word> = std::iter::once(symbol.name).chain(class).collect();
        let mut waiting: Vec<Word> = names.iter().copied().collect();
        while let Some(name) = waiting.pop() {
            for file in self.users(name) {
                for import in &self.file(*file).record.imports {
                    let of = matches!(import.what, What::Name(of) | What::Default(of) if of == name);
                    if let Some(alias) = import.alias.filter(|alias| of && names.insert(*alias)) {
                        waiting.push(alias);
                    }
                }
            }
        }
        // What is exported without a name gets one where it is imported.
        let named = |word: &Word| self.text(*word) == "default";
        let exports = self.file(at.file).record.imports.iter();
        let default = symbol.modifiers.iter().any(named)
            || exports
                .clone()
                .any(|import| matches!(import.what, What::Default(name) if name == symbol.name));
        if default {
            names.extend(self.default_names(resolver, at.file));
        }
        names
    }

    /// Lists the names that imports give to what a file exports without a name.
    fn default_names(&self, resolver: &Resolver<'_>, exporter: FileId) -> HashSet<Word> {
        let mut names = HashSet::new();
        for file in self.takers() {
            for import in &self.file(file).record.imports {
                let What::Default(name) = import.what else { continue };
                let spot = Spot { file, place: import.at };
                let own = || resolver.module(spot, self.text(import.module)).contains(&Value::File(exporter));
                if !names.contains(&name) && own() {
                    names.insert(name);
                }
            }
        }
        names
    }

    /// Gives the class that a constructor makes objects of.
    fn constructed(&self, at: At) -> Option<At> {
        let symbol = self.symbol(at);
        let class = At { file: at.file, symbol: symbol.parent? };
        let own = self.symbol(class);
        let named = matches!(self.text(symbol.name), "__init__" | "__new__" | "constructor")
            || symbol.name == own.name;
        (symbol.kind.kind() == Kind::Function && named && is_class(own.kind.kind())).then_some(class)
    }
}
