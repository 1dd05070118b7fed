//! Relations between symbols: calls, imports, inheritance and other uses.

use toolpost_syntax::Kind;

use crate::edge::{Direction, Edge, Edges, Relation, Unresolved};
use crate::graph::{Graph, is_class};
use crate::ids::At;
use crate::record::{ReferenceRecord, Usage};
use crate::resolve::Resolver;
use crate::target::{Certainty, Resolution, ResolutionMethod, Target};

/// The length in bytes of `...`, the body of an overload in Python.
const PLACEHOLDER: u32 = 3;

impl Graph {
    /// Returns the uses of a symbol, or the symbols that it uses; `may` returns whether the caller may see a
    /// file.
    #[must_use]
    pub fn edges(
        &self,
        at: At,
        direction: Direction,
        relation: Relation,
        may: &dyn Fn(&str) -> bool,
    ) -> Edges {
        let mut out = match direction {
            Direction::In => self.permitted(&self.incoming(at, relation), may),
            Direction::Out => self.outgoing(&Resolver::new(self), at, relation, may),
        };
        if direction == Direction::Out {
            self.sort(&mut out.edges);
            out.counts.unresolved = out.unresolved.len();
        }
        for edge in &out.edges {
            match edge.sure {
                Certainty::Proved => out.counts.proved += 1,
                Certainty::Inferred => out.counts.inferred += 1,
                Certainty::Possible => out.counts.possible += 1,
            }
        }
        out
    }

    /// Sorts uses by certainty, then by position.
    pub(super) fn sort(&self, edges: &mut [Edge]) {
        let key = |edge: &Edge| (edge.sure, self.file(edge.file).path.as_ref(), edge.place);
        edges.sort_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Sorts occurrences by file and position.
    pub(super) fn sort_places(&self, places: &mut [Unresolved]) {
        let key = |one: &Unresolved| (self.file(one.file).path.as_ref(), one.place);
        places.sort_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Creates the edge from a type to an interface that the type implements without naming it as a base.
    pub(super) fn implementing(&self, own: At, interface: At, how: ResolutionMethod) -> Edge {
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
            let by_methods =
                resolver.implemented_by(at).into_iter().map(|to| (to, ResolutionMethod::Methods));
            let told = self.told_to_be_implemented(at).into_iter().map(|to| (to, ResolutionMethod::Server));
            let all: Vec<(At, ResolutionMethod)> = told.chain(by_methods).collect();
            for (to, how) in all.into_iter().filter(|(to, _)| may(&self.file(to.file).path)) {
                if !out.edges.iter().any(|known| known.to == to) {
                    out.edges.push(self.implementing(at, to, how));
                }
            }
        }
        out
    }

    /// Adds the symbols that one symbol uses to `out`.
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
                Resolution::Targets(targets) => targets,
                Resolution::Unresolved => {
                    let mention = matches!(used.usage, Usage::Mention | Usage::Apparent);
                    // A word that the text does not show to be a use counts as unresolved only if a symbol of the
                    // workspace has this name.
                    if !mention || !self.definitions(used.name).is_empty() {
                        let from = used.within.map(|symbol| At { file: at.file, symbol });
                        let (file, place, usage) = (at.file, used.at, used.usage);
                        out.unresolved.push(Unresolved { from, file, place, usage });
                    }
                    continue;
                }
                Resolution::Outside => {
                    out.counts.outside += 1;
                    continue;
                }
                Resolution::Local => {
                    out.counts.local += usize::from(used.usage == Usage::Call);
                    continue;
                }
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

    /// Adds the implementations of abstract methods that a call provably refers to.
    fn with_implementations(
        &self,
        resolver: &Resolver<'_>,
        mut targets: Vec<Target>,
        used: &ReferenceRecord,
    ) -> Vec<Target> {
        let called =
            targets.iter().filter(|target| used.usage == Usage::Call && target.sure == Certainty::Proved);
        let all: Vec<_> = called.map(|target| resolver.implementations(target.at)).collect();
        for methods in all {
            let sure = if methods.len() == 1 { Certainty::Inferred } else { Certainty::Possible };
            for at in methods.iter().copied() {
                if !targets.iter().any(|known| known.at == at) {
                    targets.push(Target { at, how: ResolutionMethod::Dispatch, sure });
                }
            }
        }
        targets
    }

    /// Returns whether two symbols are the same: identical, a class and its constructor, or overloads and
    /// declarations of one name in one file.
    pub(super) fn same(&self, one: At, other: At) -> bool {
        let (first, second) = (self.symbol(one), self.symbol(other));
        one == other
            || (one.file == other.file && first.qualified == second.qualified && first.kind == second.kind)
            || self.declares(one, other)
            || self.declares(other, one)
            || self.constructed(one) == Some(other)
            || self.constructed(other) == Some(one)
    }

    /// Removes signatures of overloads and declarations if the list also has their implementation, because they are one
    /// symbol with the same uses.
    #[must_use]
    pub fn without_signatures(&self, mut symbols: Vec<At>) -> Vec<At> {
        let all = symbols.clone();
        let implemented = |one: &At| {
            self.is_signature(*one)
                && all.iter().any(|other| !self.is_signature(*other) && self.same(*one, *other))
        };
        symbols.retain(|one| !implemented(one));
        symbols
    }

    /// Keeps the symbols whose kind can be in the relation; if there are none, keeps all.
    #[must_use]
    pub fn in_relation(&self, mut symbols: Vec<At>, relation: Relation) -> Vec<At> {
        let can = |at: &At| relation.has(self.symbol(*at).kind.kind());
        if symbols.iter().any(can) {
            symbols.retain(can);
        }
        symbols
    }

    /// Returns whether a function has no body, or one that is at most as long as `...`, the body of an overload in
    /// Python.
    fn is_signature(&self, at: At) -> bool {
        let symbol = self.symbol(at);
        let is_placeholder = |(from, to): (u32, u32)| to - from <= PLACEHOLDER;
        symbol.kind.kind() == Kind::Function && symbol.body.is_none_or(is_placeholder)
    }

    /// Returns whether a symbol without a body declares one with a body, as in a C header.
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

    /// Returns the class of a constructor; `None` for any other symbol.
    pub(crate) fn constructed(&self, at: At) -> Option<At> {
        let symbol = self.symbol(at);
        let class = At { file: at.file, symbol: symbol.parent? };
        let own = self.symbol(class);
        let named = matches!(self.text(symbol.name), "__init__" | "__new__" | "constructor")
            || symbol.name == own.name;
        (symbol.kind.kind() == Kind::Function && named && is_class(own.kind.kind())).then_some(class)
    }
}
