//! How symbols use one another: who calls, imports, inherits or uses what.

use toolpost_syntax::Kind;

use crate::graph::is_class;
use crate::record::{Usage, Used};
use crate::resolve::Resolver;
use crate::{At, FileId, Found, Graph, How, Sure, Target};

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

/// An occurrence of a symbol's name, or a use inside the symbol, that could not be resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unresolved {
    /// The enclosing symbol, if there is one.
    pub from: Option<At>,
    /// The file.
    pub file: FileId,
    /// The byte at which the name begins.
    pub place: u32,
    /// The kind of use.
    pub usage: Usage,
}

/// The uses that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// The uses, the surest first, in the order of their places.
    pub edges: Vec<Edge>,
    /// The unresolved occurrences, in order.
    pub unresolved: Vec<Unresolved>,
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
    /// Calls in the symbol through a parameter or a variable.
    pub local: usize,
    /// Occurrences of the symbol's name that belong to another relation.
    pub other: usize,
    /// Of uses that lead to files of which nothing may be told.
    pub withheld: usize,
}

impl Relation {
    /// Tells whether a use of a name is of this relation.
    pub(super) fn takes(self, usage: Usage) -> bool {
        match self {
            Self::Call => matches!(usage, Usage::Call | Usage::Apparent),
            Self::Import => usage == Usage::Import,
            Self::Inherit => usage == Usage::Inherit,
            Self::Type => matches!(usage, Usage::Type | Usage::Inherit | Usage::Construct),
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
        let mut out = match direction {
            Direction::In => self.incoming(at, relation).seen(self, may),
            Direction::Out => self.outgoing(&Resolver::new(self), at, relation, may),
        };
        if direction == Direction::Out {
            self.sort(&mut out.edges);
            out.counts.unresolved = out.unresolved.len();
        }
        for edge in &out.edges {
            match edge.sure {
                Sure::Proved => out.counts.proved += 1,
                Sure::Inferred => out.counts.inferred += 1,
                Sure::Possible => out.counts.possible += 1,
            }
        }
        out
    }

    /// Puts uses in order: the surest first, then by their places.
    pub(super) fn sort(&self, edges: &mut [Edge]) {
        let key = |edge: &Edge| (edge.sure, self.file(edge.file).path.as_ref(), edge.place);
        edges.sort_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Sorts occurrences by file and position.
    pub(super) fn sort_places(&self, places: &mut [Unresolved]) {
        let key = |one: &Unresolved| (self.file(one.file).path.as_ref(), one.place);
        places.sort_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Says that a type of Go implements an interface.
    pub(super) fn implementing(&self, own: At, interface: At, how: How) -> Edge {
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
                    let mention = matches!(used.usage, Usage::Mention | Usage::Apparent);
                    // A mention is open only if the workspace defines its name.
                    if !mention || !self.definitions(used.name).is_empty() {
                        let from = used.within.map(|symbol| At { file: at.file, symbol });
                        let (file, place, usage) = (at.file, used.at, used.usage);
                        out.unresolved.push(Unresolved { from, file, place, usage });
                    }
                    continue;
                }
                Found::Outside => {
                    out.counts.outside += 1;
                    continue;
                }
                Found::Local => {
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
    pub(super) fn same(&self, one: At, other: At) -> bool {
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

    /// Gives the class that a constructor makes objects of.
    pub(crate) fn constructed(&self, at: At) -> Option<At> {
        let symbol = self.symbol(at);
        let class = At { file: at.file, symbol: symbol.parent? };
        let own = self.symbol(class);
        let named = matches!(self.text(symbol.name), "__init__" | "__new__" | "constructor")
            || symbol.name == own.name;
        (symbol.kind.kind() == Kind::Function && named && is_class(own.kind.kind())).then_some(class)
    }
}
