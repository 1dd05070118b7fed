//! Search for symbols by approximate names.

use std::cmp::Reverse;

use toolpost_syntax::Kind;

use crate::graph::is_class;
use crate::path::{split, stem};
use crate::resolve::Resolver;
use crate::word::folded;
use crate::{At, Graph, Word};

/// A symbol search.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'w> {
    /// The name: complete, partial, its initials, or qualified with dots.
    pub query: &'w str,
    /// The wanted kinds; empty for all.
    pub kinds: &'w [Kind],
    /// The maximum number of results.
    pub limit: usize,
}

/// A symbol that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The symbol.
    pub at: At,
    /// The quality of the match.
    pub fit: Fit,
}

/// The result of a symbol search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The best, first those whose names fit best.
    pub hits: Vec<Hit>,
    /// The total number of matches.
    pub total: usize,
}

/// The quality of a match, the best first.
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

/// A symbol with its sort key.
type Ranked<'g> = ((Fit, Outer, bool, u8, usize, Reverse<usize>), &'g str, At);

/// The origin of the qualifiers of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outer {
    /// The enclosing symbols.
    Symbols,
    /// The enclosing symbols, the file and its directories.
    Path,
}

/// File names that represent their directory, and keywords for modules.
const NO_NAMES: [&str; 8] = ["__init__", "__main__", "index", "mod", "lib", "crate", "self", "super"];

impl Graph {
    /// Returns matching symbols; `may` returns whether the caller may see a file.
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

    /// Returns the symbol names within an edit distance of a text.
    pub fn names_near(&self, text: &str, most: usize) -> Vec<(&str, &[At])> {
        let folded = folded(text);
        let near = self.words.near(&folded, most);
        let named = near.map(|word| (self.text(word), self.definitions(word)));
        named.filter(|(_, all)| !all.is_empty()).collect()
    }

    /// Returns the inherited members with a name of the classes in the qualifiers.
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

    /// Returns the quality of a match.
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

/// Returns the origin of the wanted qualifiers; `None` if they do not match.
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

/// Returns whether a name contains letters in their order.
fn has_letters(name: &str, folded: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    folded.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// Ranks kinds by how often they are searched for.
fn weight(kind: Kind) -> u8 {
    match kind {
        Kind::Class | Kind::Struct | Kind::Interface | Kind::Trait | Kind::Enum | Kind::Union => 0,
        Kind::Function | Kind::Macro | Kind::Type => 1,
        Kind::Module | Kind::Constant => 2,
        Kind::Variable | Kind::Field | Kind::Variant => 3,
        _ => 4,
    }
}
