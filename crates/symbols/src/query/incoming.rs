//! Uses of a symbol: a parallel search with a cache.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolpost_workspace::{cores, on_threads};

use crate::edge::{Edge, Edges, Relation, Unresolved};
use crate::edge_cache::Uses;
use crate::graph::{Graph, is_class};
use crate::ids::{At, FileId};
use crate::record::{Base, ImportTarget, ReferenceRecord, Usage};
use crate::resolve::{Location, Resolver, Value};
use crate::rules::together;
use crate::target::{Certainty, Resolution, ResolutionMethod, Target};
use crate::word::Word;

/// The minimum number of files per thread.
const SHARE: usize = 64;

/// The symbol whose uses are searched for.
struct TargetSymbol {
    at: At,
    relation: Relation,
    /// The methods that the symbol implements, each with the certainty that a call of the implemented method calls
    /// this symbol.
    above: Vec<(At, Certainty)>,
    /// The names under which the symbol may be used.
    names: HashSet<Word>,
}

impl Graph {
    /// Returns the uses in permitted files.
    pub(super) fn permitted(&self, uses: &Uses, may: &dyn Fn(&str) -> bool) -> Edges {
        let mut known: HashMap<FileId, bool> = HashMap::new();
        let mut is_permitted =
            |file: FileId| *known.entry(file).or_insert_with(|| may(&self.file(file).path));
        let edges = uses.edges.iter().filter(|edge| is_permitted(edge.file)).cloned().collect();
        let mut out = Edges { edges, ..Edges::default() };
        out.unresolved = uses.unresolved.iter().filter(|one| is_permitted(one.file)).copied().collect();
        out.counts.unresolved = out.unresolved.len();
        let mut count = |files: &[FileId]| files.iter().filter(|file| is_permitted(**file)).count();
        out.counts.other = count(&uses.other);
        out.counts.namesakes = count(&uses.namesakes);
        out.counts.outside = count(&uses.outside);
        out.counts.local = count(&uses.local);
        out
    }

    /// Lists all uses of a symbol.
    pub(super) fn incoming(&self, at: At, relation: Relation) -> Arc<Uses> {
        if let Some(uses) = self.asked.get(self.changes, (at, relation)) {
            return uses;
        }
        let resolver = Resolver::new(self);
        let target_symbol = TargetSymbol {
            at,
            relation,
            above: self.above(&resolver, at),
            names: self.names_of(&resolver, at),
        };
        let mut files: Vec<FileId> =
            target_symbol.names.iter().flat_map(|name| self.users(*name)).copied().collect();
        files.sort_unstable();
        files.dedup();
        let mut uses = self.uses_in(&files, &target_symbol);
        if relation == Relation::Inherit && is_class(self.symbol(at).kind.kind()) {
            let by_methods = resolver
                .implementers(at)
                .iter()
                .map(|own| (*own, ResolutionMethod::Methods))
                .collect::<Vec<_>>();
            let by_server = self.told_to_implement(at).into_iter().map(|own| (own, ResolutionMethod::Server));
            for (own, how) in by_server.chain(by_methods) {
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
    fn uses_in(&self, files: &[FileId], target_symbol: &TargetSymbol) -> Uses {
        let shares: Vec<&[FileId]> = files.chunks(files.len().div_ceil(cores()).max(SHARE)).collect();
        let mut uses = Uses::default();
        for own in on_threads(&shares, 1, &|files| self.uses_by_one(files, target_symbol), &|| false) {
            uses.append(own);
        }
        uses
    }

    fn uses_by_one(&self, files: &[FileId], target_symbol: &TargetSymbol) -> Uses {
        let resolver = Resolver::new(self);
        let mut out = Uses::default();
        for file in files.iter().copied() {
            // A name in another language family does not refer to this symbol.
            if !together(self.file(file).language(), self.file(target_symbol.at.file).language()) {
                continue;
            }
            let uses = target_symbol.names.iter().flat_map(|name| self.file(file).uses_of(*name));
            for used in uses {
                if target_symbol.relation.takes(used.usage) {
                    self.account(&resolver, target_symbol, (file, used), &mut out);
                } else {
                    out.other.push(file);
                }
            }
        }
        out
    }

    /// Accounts for one occurrence of a symbol's name: it is a use, it is unresolved, it is a use of something else
    /// with that name, or it is a local name that is not called and is dropped.
    fn account(
        &self,
        resolver: &Resolver<'_>,
        target_symbol: &TargetSymbol,
        (file, used): (FileId, &ReferenceRecord),
        out: &mut Uses,
    ) {
        let found = resolver.found(file, used);
        if let Resolution::Targets(targets) = &found
            && let Some(edge) = self.reaching(resolver, targets, target_symbol, (file, used))
        {
            out.edges.push(edge);
            return;
        }
        // A call through a variable is a call of the function that the variable holds, and a use of the variable
        // itself.
        let named = resolver.named_by(file, used);
        if let Some((_, how)) = named.iter().find(|(at, _)| self.same(*at, target_symbol.at)) {
            out.edges.push(self.use_of(target_symbol, (file, used), *how, how.sure()));
            return;
        }
        let open = match &found {
            Resolution::Unresolved => true,
            // If the targets were found only by their name, the use may still refer to this symbol.
            Resolution::Targets(targets) => {
                named.is_empty() && targets.iter().all(|target| target.how == ResolutionMethod::SameName)
            }
            Resolution::Outside | Resolution::Local => false,
        };
        if open {
            let from = used.within.map(|symbol| At { file, symbol });
            out.unresolved.push(Unresolved { from, file, place: used.at, usage: used.usage });
            return;
        }
        match found {
            Resolution::Targets(_) => out.namesakes.push(file),
            Resolution::Outside => out.outside.push(file),
            // A parameter or a variable of this name is called. Its value may be this symbol.
            Resolution::Local if used.usage == Usage::Call => out.local.push(file),
            Resolution::Local | Resolution::Unresolved => {}
        }
    }

    fn use_of(
        &self,
        target_symbol: &TargetSymbol,
        (file, used): (FileId, &ReferenceRecord),
        how: ResolutionMethod,
        sure: Certainty,
    ) -> Edge {
        Edge {
            from: used.within.map(|symbol| At { file, symbol }),
            file,
            place: used.at,
            to: target_symbol.at,
            usage: used.usage,
            how,
            sure,
        }
    }

    /// Returns the methods that a method implements, each with the certainty that a call of the implemented method
    /// calls the implementation.
    fn above(&self, resolver: &Resolver<'_>, at: At) -> Vec<(At, Certainty)> {
        let sure = |declared: At| {
            let only = resolver.implementations(declared).as_slice() == [at];
            if only { Certainty::Inferred } else { Certainty::Possible }
        };
        resolver.declared(at).into_iter().map(|declared| (declared, sure(declared))).collect()
    }

    /// Returns the edge of a use that leads to the symbol, directly or through a method that the symbol implements.
    fn reaching(
        &self,
        resolver: &Resolver<'_>,
        targets: &[Target],
        target_symbol: &TargetSymbol,
        (file, used): (FileId, &ReferenceRecord),
    ) -> Option<Edge> {
        let TargetSymbol { at, above, .. } = target_symbol;
        let at = *at;
        let own = targets.iter().find(|target| self.same(target.at, at));
        let by = |how: ResolutionMethod, sure: Certainty| self.use_of(target_symbol, (file, used), how, sure);
        if let Some(target) = own {
            return Some(by(target.how, target.sure));
        }
        // A call through the superclass never calls the object's own method.
        if used.receiver.as_ref().is_some_and(|receiver| receiver.base == Base::Above)
            && resolver.goes_above(Location { file, place: used.at }, at)
        {
            return None;
        }
        let sure = above.iter().filter(|(above, _)| targets.iter().any(|one| self.same(one.at, *above)));
        sure.map(|(_, sure)| *sure).min().map(|sure| by(ResolutionMethod::Dispatch, sure))
    }

    /// Lists the names under which a symbol may be used: its own name, its names in imports and, for a constructor, the
    /// name of its class.
    fn names_of(&self, resolver: &Resolver<'_>, at: At) -> HashSet<Word> {
        let symbol = self.symbol(at);
        let class = self.constructed(at).map(|class| self.symbol(class).name);
        let mut names: HashSet<Word> = std::iter::once(symbol.name).chain(class).collect();
        let mut waiting: Vec<Word> = names.iter().copied().collect();
        while let Some(name) = waiting.pop() {
            for file in self.users(name) {
                for import in &self.file(*file).record.imports {
                    let of = matches!(import.what, ImportTarget::Name(of) | ImportTarget::Default(of) if of == name);
                    if let Some(alias) = import.alias.filter(|alias| of && names.insert(*alias)) {
                        waiting.push(alias);
                    }
                }
            }
        }
        // A default export gets its name from the import.
        let named = |word: &Word| self.text(*word) == "default";
        let exports = self.file(at.file).record.imports.iter();
        let default = symbol.modifiers.iter().any(named)
            || exports
                .clone()
                .any(|import| matches!(import.what, ImportTarget::Default(name) if name == symbol.name));
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
                let ImportTarget::Default(name) = import.what else { continue };
                let spot = Location { file, place: import.at };
                let own = || resolver.module(spot, self.text(import.module)).contains(&Value::File(exporter));
                if !names.contains(&name) && own() {
                    names.insert(name);
                }
            }
        }
        names
    }
}
