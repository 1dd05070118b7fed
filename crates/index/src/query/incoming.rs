//! Uses of a symbol: a parallel search with a cache.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::edge::{Edge, Edges, Relation, Unresolved};
use crate::edge_cache::Uses;
use crate::graph::{Graph, is_class};
use crate::ids::{At, FileId};
use crate::record::{Base, Used, What};
use crate::resolve::{Resolver, Spot, Value};
use crate::rules::together;
use crate::target::{Found, How, Sure, Target};
use crate::word::Word;

/// The minimum number of files per thread.
const SHARE: usize = 64;

/// The symbol whose uses are searched for.
struct Sought {
    at: At,
    relation: Relation,
    /// The methods that it implements, each with the certainty that a call of that method means this one.
    above: Vec<(At, Sure)>,
    /// The names under which it may be used.
    names: HashSet<Word>,
}

impl Graph {
    /// Returns the uses in permitted files.
    pub(super) fn permitted(&self, uses: &Uses, may: &dyn Fn(&str) -> bool) -> Edges {
        let mut known: HashMap<FileId, bool> = HashMap::new();
        let mut told = |file: FileId| *known.entry(file).or_insert_with(|| may(&self.file(file).path));
        let edges = uses.edges.iter().filter(|edge| told(edge.file)).cloned().collect();
        let mut out = Edges { edges, ..Edges::default() };
        out.unresolved = uses.unresolved.iter().filter(|one| told(one.file)).copied().collect();
        out.counts.unresolved = out.unresolved.len();
        out.counts.other = uses.other.iter().filter(|file| told(**file)).count();
        out
    }

    /// Lists all uses of a symbol.
    pub(super) fn incoming(&self, at: At, relation: Relation) -> Arc<Uses> {
        if let Some(uses) = self.asked.get(self.changes, (at, relation)) {
            return uses;
        }
        let resolver = Resolver::new(self);
        let sought =
            Sought { at, relation, above: self.above(&resolver, at), names: self.names_of(&resolver, at) };
        let mut files: Vec<FileId> =
            sought.names.iter().flat_map(|name| self.users(*name)).copied().collect();
        files.sort_unstable();
        files.dedup();
        let mut uses = self.uses_in(&files, &sought);
        if relation == Relation::Inherit && is_class(self.symbol(at).kind.kind()) {
            let by_methods =
                resolver.implementers(at).iter().map(|own| (*own, How::Methods)).collect::<Vec<_>>();
            let told = self.told_to_implement(at).into_iter().map(|own| (own, How::Server));
            for (own, how) in told.chain(by_methods) {
                if !uses.edges.iter().any(|known| known.from == Some(own)) {
                    uses.edges.push(self.implementing(own, at, how));
                }
            }
        }
        self.sort(&mut uses.edges);
        self.sort_places(&mut uses.unresolved);
        let uses = Arc::new(uses);
        self.asked.keep(self.changes, (at, relation), &uses);
        uses
    }

    /// Searches files for uses of a symbol, in parallel if there are many.
    fn uses_in(&self, files: &[FileId], sought: &Sought) -> Uses {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let share = files.len().div_ceil(cores).max(SHARE);
        let mut shares = files.chunks(share);
        let first = shares.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let others: Vec<_> =
                shares.map(|files| scope.spawn(|| self.uses_by_one(files, sought))).collect();
            let mut uses = self.uses_by_one(first, sought);
            for other in others {
                let own = match other.join() {
                    Ok(own) => own,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                uses.edges.extend(own.edges);
                uses.unresolved.extend(own.unresolved);
                uses.other.extend(own.other);
            }
            uses
        })
    }

    fn uses_by_one(&self, files: &[FileId], sought: &Sought) -> Uses {
        let resolver = Resolver::new(self);
        let mut out = Uses::default();
        for file in files.iter().copied() {
            // The same name in another language family is another name.
            if !together(self.file(file).language(), self.file(sought.at.file).language()) {
                continue;
            }
            let uses = sought.names.iter().flat_map(|name| self.file(file).uses_of(*name));
            for used in uses {
                if sought.relation.takes(used.usage) {
                    self.account(&resolver, sought, (file, used), &mut out);
                } else {
                    out.other.push(file);
                }
            }
        }
        out
    }

    /// Accounts for one occurrence of a symbol's name: it is a use, it is unresolved, or it means something else and is dropped.
    fn account(
        &self,
        resolver: &Resolver<'_>,
        sought: &Sought,
        (file, used): (FileId, &Used),
        out: &mut Uses,
    ) {
        let found = resolver.found(file, used);
        if let Found::Targets(targets) = &found
            && let Some(edge) = self.reaching(resolver, targets, sought, (file, used))
        {
            out.edges.push(edge);
            return;
        }
        // A call through a variable also uses the variable.
        let named = resolver.named_by(file, used);
        if let Some((_, how)) = named.iter().find(|(at, _)| self.same(*at, sought.at)) {
            out.edges.push(self.use_of(sought, (file, used), *how, how.sure()));
            return;
        }
        let open = match &found {
            Found::Unresolved => true,
            // A mere possibility does not exclude this symbol.
            Found::Targets(targets) => {
                named.is_empty() && targets.iter().all(|target| target.how == How::SameName)
            }
            Found::Outside | Found::Local => false,
        };
        if open {
            let from = used.within.map(|symbol| At { file, symbol });
            out.unresolved.push(Unresolved { from, file, place: used.at, usage: used.usage });
        }
    }

    fn use_of(&self, sought: &Sought, (file, used): (FileId, &Used), how: How, sure: Sure) -> Edge {
        Edge {
            from: used.within.map(|symbol| At { file, symbol }),
            file,
            place: used.at,
            to: sought.at,
            usage: used.usage,
            how,
            sure,
        }
    }

    /// Returns the methods that one implements, each with the certainty that a call of that method means this one.
    fn above(&self, resolver: &Resolver<'_>, at: At) -> Vec<(At, Sure)> {
        let sure = |declared: At| {
            let only = resolver.implementations(declared).as_slice() == [at];
            if only { Sure::Inferred } else { Sure::Possible }
        };
        resolver.declared(at).into_iter().map(|declared| (declared, sure(declared))).collect()
    }

    /// Returns the edge of a use that leads to a symbol, directly or through a method that it implements.
    fn reaching(
        &self,
        resolver: &Resolver<'_>,
        targets: &[Target],
        sought: &Sought,
        (file, used): (FileId, &Used),
    ) -> Option<Edge> {
        let Sought { at, above, .. } = sought;
        let at = *at;
        let own = targets.iter().find(|target| self.same(target.at, at));
        let by = |how: How, sure: Sure| self.use_of(sought, (file, used), how, sure);
        if let Some(target) = own {
            return Some(by(target.how, target.sure));
        }
        // A call through the superclass never means the object's own method.
        if used.receiver.as_ref().is_some_and(|receiver| receiver.base == Base::Above)
            && resolver.goes_above(Spot { file, place: used.at }, at)
        {
            return None;
        }
        let sure = above.iter().filter(|(above, _)| targets.iter().any(|one| self.same(one.at, *above)));
        sure.map(|(_, sure)| *sure).min().map(|sure| by(How::Dispatch, sure))
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
        // A default export gets its name where it is imported.
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

    /// Returns the names that imports give to the default export of a file.
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
}
