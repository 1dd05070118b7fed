//! Finds symbols by what somebody remembers of their names.

use std::cmp::Reverse;

use toolpost_syntax::Kind;

use crate::graph::{is_class, split, stem};
use crate::resolve::Resolver;
use crate::word::folded;
use crate::{At, Graph, Word};

/// Which symbols are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'w> {
    /// What is remembered of the name: all of it, parts, the first letters of its words, or names with dots between them.
    pub query: &'w str,
    /// Of which kinds; all if none is named.
    pub kinds: &'w [Kind],
    /// How many.
    pub limit: usize,
}

/// A symbol that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The symbol.
    pub at: At,
    /// How well its name fits.
    pub fit: Fit,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The best, first those whose names fit best.
    pub hits: Vec<Hit>,
    /// How many fit in all.
    pub total: usize,
}

/// How well a name fits; the first is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is the name.
    Exact,
    /// It is the name of something that the class before it inherits.
    Inherited,
    /// It is the name but for capital letters.
    Folded,
    /// The name begins with it.
    Begins,
    /// It is the first letters of the name's words.
    Initials,
    /// The name holds it.
    Holds,
    /// The name holds its words, in some order.
    Words,
    /// The name holds its letters, in their order.
    Letters,
}

impl Fit {
    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Inherited => "inherited",
            Self::Folded => "ignoring case",
            Self::Begins => "prefix",
            Self::Initials => "initials",
            Self::Holds => "substring",
            Self::Words => "words",
            Self::Letters => "letters",
        }
    }
}

/// A symbol with all that says where among the others it stands.
type Ranked<'g> = ((Fit, Outer, bool, u8, usize, Reverse<usize>), &'g str, At);

/// Where the names before a symbol's own are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outer {
    /// Among what it stands in.
    Symbols,
    /// Among the directories and the file that it lies in, too.
    Path,
}

/// Files that stand for the directory in which they lie, and words for a module that are no names.
const NO_NAMES: [&str; 8] = ["__init__", "__main__", "index", "mod", "lib", "crate", "self", "super"];

impl Graph {
    /// Finds symbols; `may` says of which files they may be.
    #[must_use]
    pub fn find(&self, wanted: &Wanted<'_>, may: &dyn Fn(&str) -> bool) -> Hits {
        let query = wanted.query.trim();
        // Of a whole id, or a file with a name in it, the name counts here.
        let query = toolpost_syntax::Id::read(query).map_or(query, |id| id.qualified);
        let query = query.rsplit_once('#').map_or(query, |(_, name)| name);
        let segments = toolpost_syntax::segments(query);
        let Some((last, outer)) = segments.split_last() else { return Hits::default() };
        let mut ranked = Vec::new();
        for (name, fit) in self.fitting(last) {
            let (length, users) = (self.text(name).len(), self.users(name).len());
            for at in self.definitions(name) {
                let (symbol, file) = (self.symbol(*at), self.file(at.file));
                let kind = symbol.kind.kind();
                if !(wanted.kinds.is_empty() || wanted.kinds.contains(&kind)) {
                    continue;
                }
                let place = stands_in(self.text(symbol.qualified), &file.path, outer);
                if let Some(place) = place.filter(|_| may(&file.path)) {
                    let rank = (fit, place, file.is_secondary, weight(kind), length, Reverse(users));
                    ranked.push((rank, file.path.as_ref(), *at));
                }
            }
        }
        for at in self.inherited(last, outer) {
            let (symbol, file) = (self.symbol(at), self.file(at.file));
            let kind = symbol.kind.kind();
            let fits = wanted.kinds.is_empty() || wanted.kinds.contains(&kind);
            if fits && may(&file.path) && !ranked.iter().any(|(.., known)| *known == at) {
                let (length, users) = (last.len(), self.users(symbol.name).len());
                let rank =
                    (Fit::Inherited, Outer::Symbols, file.is_secondary, weight(kind), length, Reverse(users));
                ranked.push((rank, file.path.as_ref(), at));
            }
        }
        let total = ranked.len();
        let order = |one: &Ranked<'_>, other: &Ranked<'_>| {
            (one.0, one.1, one.2.symbol).cmp(&(other.0, other.1, other.2.symbol))
        };
        if wanted.limit < total {
            ranked.select_nth_unstable_by(wanted.limit, order);
            ranked.truncate(wanted.limit);
        }
        ranked.sort_unstable_by(order);
        let hits = ranked.into_iter().map(|(rank, _, at)| Hit { at, fit: rank.0 }).collect();
        Hits { hits, total }
    }

    /// Lists the names of symbols that may become a text by so many letters that are put in, taken out or changed.
    pub fn names_near(&self, text: &str, most: usize) -> Vec<(&str, &[At])> {
        let folded = folded(text);
        let near = self.words.near(&folded, most);
        let named = near.map(|word| (self.text(word), self.definitions(word)));
        named.filter(|(_, all)| !all.is_empty()).collect()
    }

    /// Lists what the classes that are named before a name have under it, but inherit.
    fn inherited(&self, name: &str, outer: &[String]) -> Vec<At> {
        let (Some((class, outer)), Some(name)) = (outer.split_last(), self.word(name)) else {
            return Vec::new();
        };
        let Some(class) = self.word(class) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let classes = self.definitions(class).iter().filter(|at| {
            let (symbol, file) = (self.symbol(**at), self.file(at.file));
            is_class(symbol.kind.kind())
                && stands_in(self.text(symbol.qualified), &file.path, outer).is_some()
        });
        let mut found: Vec<At> = classes.flat_map(|class| resolver.members_of(*class, name)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Lists the names of symbols that fit a text; those that only hold its letters count where no other does.
    fn fitting(&self, text: &str) -> Vec<(Word, Fit)> {
        let folded = folded(text);
        let words: Vec<&str> = folded.split([' ', '_', '-', '*']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let defined = |word: &Word| !self.definitions(*word).is_empty();
        let mut out: Vec<(Word, Fit)> = self
            .words
            .holding(&words)
            .filter_map(|word| Some((word, self.fit(word, text, &folded, &words)?)))
            .filter(|(word, _)| defined(word))
            .collect();
        let mut seen: Vec<Word> = out.iter().map(|(word, _)| *word).collect();
        seen.sort_unstable();
        let short = text.chars().count() >= 2 && words.len() == 1;
        if short {
            let others = self.words.with_initials(&folded);
            let others = others.filter(|word| defined(word) && seen.binary_search(word).is_err());
            out.extend(others.map(|word| (word, Fit::Initials)));
        }
        if out.is_empty() && folded.chars().count() >= 3 {
            let others = self.words.with_letters(&folded);
            let others = others.filter(|word| has_letters(self.text(*word), &folded) && defined(word));
            out.extend(others.map(|word| (word, Fit::Letters)));
        }
        out
    }

    /// Tells how well a name fits.
    fn fit(&self, word: Word, text: &str, folded: &str, words: &[&str]) -> Option<Fit> {
        let name = self.text(word);
        if name == text {
            return Some(Fit::Exact);
        }
        let name = self.words.folded(word);
        if name == folded {
            Some(Fit::Folded)
        } else if name.starts_with(folded) {
            Some(Fit::Begins)
        } else if name.contains(folded) {
            Some(Fit::Holds)
        } else {
            words.iter().all(|word| name.contains(word)).then_some(Fit::Words)
        }
    }
}

/// Tells where the names before a symbol's own end with those that are wanted; none if they do not.
fn stands_in(qualified: &str, path: &str, outer: &[String]) -> Option<Outer> {
    let mut wanted = outer.iter().rev().map(String::as_str).filter(|name| !NO_NAMES.contains(name));
    let Some(mut next) = wanted.next() else { return Some(Outer::Symbols) };
    for name in qualified.rsplit('.').skip(1) {
        if folded(name) == folded(next) {
            match wanted.next() {
                Some(wanted) => next = wanted,
                None => return Some(Outer::Symbols),
            }
        }
    }
    let (folder, file) = split(path);
    for name in std::iter::once(stem(file)).chain(folder.rsplit('/')) {
        if name == next {
            match wanted.next() {
                Some(wanted) => next = wanted,
                None => return Some(Outer::Path),
            }
        }
    }
    None
}

/// Tells whether a name holds letters in their order.
fn has_letters(name: &str, folded: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    folded.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// Orders kinds: what is looked for most comes first.
fn weight(kind: Kind) -> u8 {
    match kind {
        Kind::Class | Kind::Struct | Kind::Interface | Kind::Trait | Kind::Enum | Kind::Union => 0,
        Kind::Function | Kind::Macro | Kind::Type => 1,
        Kind::Module | Kind::Constant => 2,
        Kind::Variable | Kind::Field | Kind::Variant => 3,
        _ => 4,
    }
}
