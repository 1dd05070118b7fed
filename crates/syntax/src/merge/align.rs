//! Pairing of the items of a snippet (partial code that is merged into a file) with the items of the file.

use std::collections::{HashMap, HashSet, VecDeque};

use toolpost_text::merge::RefusalReason;

use super::source::Source;
use crate::grammar::Overloads;
use crate::{Item, Kind};

/// Pairs items of a snippet with items of the text. Returns the index of the counterpart for each item of the
/// snippet; `None` for a new item.
///
/// Fails with the index of an item that matches several items of the text.
pub(super) fn pair(
    old: &Source,
    olds: &[&Item],
    new: &Source,
    news: &[&Item],
) -> Result<Vec<Option<usize>>, (usize, RefusalReason)> {
    let mut pairing = Pairing { old, olds, new, news, to: vec![None; news.len()], taken: HashSet::new() };
    pairing.identical()?;
    pairing.by_key()?;
    pairing.by_name();
    pairing.by_first_line();
    Ok(pairing.to)
}

/// Groups of kinds that an edit may change into each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum KindGroup {
    Function,
    Type,
    Value,
    Other(Kind),
}

/// Returns the group of a kind.
pub(super) fn sort(kind: Kind) -> KindGroup {
    match kind {
        Kind::Function | Kind::Macro => KindGroup::Function,
        Kind::Class
        | Kind::Struct
        | Kind::Union
        | Kind::Enum
        | Kind::Interface
        | Kind::Trait
        | Kind::Type => KindGroup::Type,
        Kind::Constant | Kind::Variable | Kind::Field | Kind::Variant => KindGroup::Value,
        other => KindGroup::Other(other),
    }
}

/// Lists the names that an import imports, without the path of the module.
pub(super) fn imported(source: &Source, item: &Item) -> HashSet<String> {
    let text = source.plain(item).replacen(&item.name, " ", 1);
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*'));
    words
        .filter(|word| !word.is_empty() && !matches!(*word, "import" | "from" | "use" | "pub" | "type"))
        .map(str::to_owned)
        .collect()
}

struct Pairing<'a> {
    old: &'a Source<'a>,
    olds: &'a [&'a Item],
    new: &'a Source<'a>,
    news: &'a [&'a Item],
    to: Vec<Option<usize>>,
    taken: HashSet<usize>,
}

impl Pairing<'_> {
    fn set(&mut self, new: usize, old: usize) {
        self.to[new] = Some(old);
        self.taken.insert(old);
    }

    /// Pairs items that are equal apart from white space and the comments before them.
    ///
    /// Fails with a statement that occurs several times in the file and a different number of times in the snippet.
    fn identical(&mut self) -> Result<(), (usize, RefusalReason)> {
        let mut known: HashMap<(KindGroup, String), VecDeque<usize>> = HashMap::new();
        for (at, item) in self.olds.iter().enumerate() {
            known.entry((sort(item.kind), self.old.plain(item))).or_default().push_back(at);
        }
        let keys: Vec<(KindGroup, String)> =
            self.news.iter().map(|item| (sort(item.kind), self.new.plain(item))).collect();
        for (at, item) in self.news.iter().enumerate() {
            let key = &keys[at];
            let Some(found) = known.get_mut(key) else { continue };
            let shown = || keys[at..].iter().filter(|other| *other == key).count();
            if item.kind == Kind::Statement && found.len() > 1 && found.len() != shown() {
                let free: Vec<usize> = found.iter().copied().collect();
                return Err((at, self.several(&free)));
            }
            if let Some(found) = found.pop_front() {
                self.set(at, found);
            }
        }
        Ok(())
    }

    /// Pairs items of the same name and kind group.
    fn by_key(&mut self) -> Result<(), (usize, RefusalReason)> {
        let keyed = |item: &Item| !matches!(item.kind, Kind::Statement | Kind::Comment);
        let mut groups: HashMap<(KindGroup, &str), Vec<usize>> = HashMap::new();
        for (at, item) in self.olds.iter().enumerate().filter(|(_, item)| keyed(item)) {
            groups.entry((sort(item.kind), item.name.as_str())).or_default().push(at);
        }
        for at in 0..self.news.len() {
            let item = self.news[at];
            if self.to[at].is_some() || !keyed(item) {
                continue;
            }
            let all = groups.get(&(sort(item.kind), item.name.as_str())).map_or(&[][..], Vec::as_slice);
            let free: Vec<usize> = all.iter().copied().filter(|old| !self.taken.contains(old)).collect();
            if let Some(old) = self.choose(at, all, &free).map_err(|why| (at, why))? {
                self.set(at, old);
            }
        }
        Ok(())
    }

    /// Chooses one of the items of the text that have the name of the snippet's item with index `at`; `free` are
    /// those not yet paired.
    fn choose(&self, at: usize, all: &[usize], free: &[usize]) -> Result<Option<usize>, RefusalReason> {
        let item = self.news[at];
        if free.is_empty() {
            return Ok(None);
        }
        if item.kind == Kind::Import {
            return self.import(item, free);
        }
        let signature = self.new.signature(item);
        let mut exact = free.iter().filter(|old| self.old.signature(self.olds[**old]) == signature);
        if let Some(first) = exact.next() {
            // If several items of the text have the signature, the one that shares most children matches.
            let is_block = matches!(item.kind, Kind::Impl | Kind::Group);
            return match exact.next() {
                // An `impl` with other attributes may hold the functions of the snippet.
                None if is_block => Ok(Some(self.by_children(at, free).unwrap_or(*first))),
                None => Ok(Some(*first)),
                Some(_) => self.by_children(at, free).map(Some),
            };
        }
        if matches!(item.kind, Kind::Impl | Kind::Group) && (free.len() > 1 || item.name.is_empty()) {
            return self.by_children(at, free).map(Some);
        }
        if self.old.language.0.overloads != Overloads::None && item.parameters.is_some() {
            let mut same = free.iter().filter(|old| self.olds[**old].parameters == item.parameters);
            let found = same.next().copied().filter(|_| same.next().is_none());
            return found.map(Some).ok_or_else(|| self.several(free));
        }
        let attributes = self.new.attributes(item);
        let mut alike = free.iter().filter(|old| self.old.attributes(self.olds[**old]) == attributes);
        match (free, alike.next(), alike.next()) {
            ([only], _, _) if all.len() == 1 => Ok(Some(*only)),
            (_, Some(only), None) => Ok(Some(*only)),
            _ => Err(self.several(free)),
        }
    }

    /// Chooses the old item that shares most children with a new one.
    fn by_children(&self, at: usize, free: &[usize]) -> Result<usize, RefusalReason> {
        let names = |item: &Item| -> HashSet<(KindGroup, String)> {
            item.children
                .iter()
                .filter(|child| !child.name.is_empty())
                .map(|child| (sort(child.kind), child.name.clone()))
                .collect()
        };
        let wanted = names(self.news[at]);
        let shared = |old: &usize| names(self.olds[*old]).intersection(&wanted).count();
        let most = free.iter().map(shared).max().unwrap_or(0);
        let mut best = free.iter().filter(|old| shared(old) == most);
        match (best.next(), best.next()) {
            (Some(only), None) => Ok(*only),
            _ => Err(self.several(free)),
        }
    }

    /// Chooses the old import from the same module that has names in common; `None` if there is none. Fails if there
    /// are several, or if each import has names that the other lacks.
    fn import(&self, new: &Item, free: &[usize]) -> Result<Option<usize>, RefusalReason> {
        let wanted = imported(self.new, new);
        let found = |old: &&usize| !imported(self.old, self.olds[**old]).is_disjoint(&wanted);
        let mut found = free.iter().filter(found);
        let Some(first) = found.next() else { return Ok(None) };
        let there = imported(self.old, self.olds[*first]);
        let fits = found.next().is_none() && (there.is_subset(&wanted) || wanted.is_subset(&there));
        if fits { Ok(Some(*first)) } else { Err(self.several(free)) }
    }

    fn several(&self, free: &[usize]) -> RefusalReason {
        RefusalReason::Ambiguous {
            lines: free.iter().map(|old| self.old.head(self.olds[*old]) + 1).collect(),
        }
    }

    /// Pairs a function with a variable of the same name, or the other way round, if there is one of each.
    fn by_name(&mut self) {
        let plain = |item: &Item| matches!(item.kind, Kind::Function | Kind::Variable | Kind::Constant);
        for at in 0..self.news.len() {
            let item = self.news[at];
            if self.to[at].is_some() || !plain(item) {
                continue;
            }
            let found = |old: &&usize| plain(self.olds[**old]) && self.olds[**old].name == item.name;
            let all: Vec<usize> = (0..self.olds.len()).collect();
            let mut found = all.iter().filter(found);
            if let (Some(only), None) = (found.next().copied(), found.next())
                && !self.taken.contains(&only)
            {
                self.set(at, only);
            }
        }
    }

    /// Pairs multi-line statements that begin with the same line, if no other statement begins with that
    /// line.
    fn by_first_line(&mut self) {
        let line = |source: &Source, item: &Item| {
            let span = source.head(item)..source.span(item).end;
            (item.kind == Kind::Statement && span.len() > 1)
                .then(|| source.lines[span.start].trim().to_owned())
        };
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in self.olds.iter().enumerate() {
            if let Some(first) = line(self.old, item) {
                known.entry(first).or_default().push(at);
            }
        }
        let mut said: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in self.news.iter().enumerate() {
            if let Some(first) = line(self.new, item) {
                said.entry(first).or_default().push(at);
            }
        }
        for (first, news) in said {
            if let (Some(&[old]), &[new]) = (known.get(&first).map(Vec::as_slice), news.as_slice())
                && self.to[new].is_none()
                && !self.taken.contains(&old)
            {
                self.set(new, old);
            }
        }
    }
}
