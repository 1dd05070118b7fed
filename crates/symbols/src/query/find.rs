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
pub struct SymbolQuery<'w> {
    /// The name: complete, partial, as initials, or qualified with dots.
    pub query: &'w str,
    /// The wanted kinds; empty for all.
    pub kinds: &'w [Kind],
    /// The maximum number of results.
    pub limit: usize,
}

/// A symbol that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The position of the symbol in the graph.
    pub at: At,
    /// The quality of the match.
    pub fit: MatchQuality,
}

/// The result of a symbol search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The best matches, in order.
    pub hits: Vec<Hit>,
    /// The total number of matches.
    pub total: usize,
}

/// The quality of a match, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchQuality {
    /// The query is the name.
    Exact,
    /// The query is qualified, as in `Class.name`, and the class has or inherits a member `name`.
    Inherited,
    /// The query is the name, ignoring case.
    Folded,
    /// The name begins with the query.
    Begins,
    /// The query consists of the initials of the name's words.
    Initials,
    /// The name contains the query.
    Holds,
    /// The name contains the words of the query, in any order.
    Words,
    /// The name contains the letters of the query, in order.
    Letters,
}

impl MatchQuality {
    /// Returns the text that replies show for this match quality.
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
type RankedSymbol<'g> = ((MatchQuality, QualifierSource, bool, u8, usize, Reverse<usize>), &'g str, At);

/// The thing that the qualifiers of a query refer to; part of the sort key of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum QualifierSource {
    /// All qualifiers are names of symbols that enclose the match.
    Symbols,
    /// Some qualifiers name the match's file or a directory in its path.
    Path,
}

/// File names that represent their directory, and keywords for modules. Among the qualifiers of a query, they are
/// ignored.
const NO_NAMES: [&str; 8] = ["__init__", "__main__", "index", "mod", "lib", "crate", "self", "super"];

impl Graph {
    /// Returns the best matches up to the limit, and the number of all matches; `may` returns whether the caller may
    /// see a file.
    #[must_use]
    pub fn find(&self, wanted: &SymbolQuery<'_>, may: &dyn Fn(&str) -> bool) -> Hits {
        let query = wanted.query.trim();
        // Only the name in a complete id or in `FILE#NAME` is used here.
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
                let rank = (
                    MatchQuality::Inherited,
                    QualifierSource::Symbols,
                    file.is_secondary,
                    weight(kind),
                    length,
                    Reverse(users),
                );
                ranked.push((rank, file.path.as_ref(), at));
            }
        }
        let total = ranked.len();
        let order = |one: &RankedSymbol<'_>, other: &RankedSymbol<'_>| {
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

    /// Returns all symbol names within the edit distance `most` of a text, each with its symbols. Only length and
    /// letters are compared, not their order, so the result can also contain more distant names.
    pub fn names_near(&self, text: &str, most: usize) -> Vec<(&str, &[At])> {
        let folded = folded(text);
        let near = self.words.near(&folded, most);
        let named = near.map(|word| (self.text(word), self.definitions(word)));
        named.filter(|(_, all)| !all.is_empty()).collect()
    }

    /// Returns the members called `name`, including inherited ones, of the classes that the qualifiers name.
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

    /// Lists the symbol names that match a text. Names that only contain the letters of the text, in order, count
    /// only if no other name matches and the text has at least three letters.
    fn fitting(&self, text: &str) -> Vec<(Word, MatchQuality)> {
        let folded = folded(text);
        let words: Vec<&str> = folded.split([' ', '_', '-', '*']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let defined = |word: &Word| !self.definitions(*word).is_empty();
        let mut out: Vec<(Word, MatchQuality)> = self
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
            out.extend(others.map(|word| (word, MatchQuality::Initials)));
        }
        if out.is_empty() && folded.chars().count() >= 3 {
            let others = self.words.with_letters(&folded);
            let others = others.filter(|word| has_letters(self.text(*word), &folded) && defined(word));
            out.extend(others.map(|word| (word, MatchQuality::Letters)));
        }
        out
    }

    /// Returns how a name matches the query; `None` if it does not contain all words of the query.
    fn fit(&self, word: Word, text: &str, folded: &str, words: &[&str]) -> Option<MatchQuality> {
        let name = self.text(word);
        if name == text {
            return Some(MatchQuality::Exact);
        }
        let name = self.words.folded(word);
        if name == folded {
            Some(MatchQuality::Folded)
        } else if name.starts_with(folded) {
            Some(MatchQuality::Begins)
        } else if name.contains(folded) {
            Some(MatchQuality::Holds)
        } else {
            words.iter().all(|word| name.contains(word)).then_some(MatchQuality::Words)
        }
    }
}

/// Returns whether the qualifiers `outer` name enclosing symbols only, or also parts of the path; `None` if the
/// symbol does not match them.
fn stands_in(qualified: &str, path: &str, outer: &[String]) -> Option<QualifierSource> {
    let mut wanted = outer.iter().rev().map(String::as_str).filter(|name| !NO_NAMES.contains(name));
    let Some(mut next) = wanted.next() else { return Some(QualifierSource::Symbols) };
    for name in qualified.rsplit('.').skip(1) {
        if folded(name) == folded(next) {
            match wanted.next() {
                Some(wanted) => next = wanted,
                None => return Some(QualifierSource::Symbols),
            }
        }
    }
    let (folder, file) = split(path);
    for name in std::iter::once(stem(file)).chain(folder.rsplit('/')) {
        if name == next {
            match wanted.next() {
                Some(wanted) => next = wanted,
                None => return Some(QualifierSource::Path),
            }
        }
    }
    None
}

/// Returns whether a name contains the letters of a lower-case text, in the same order.
fn has_letters(name: &str, folded: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    folded.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// Ranks kinds by how often users search for them; lower comes first.
fn weight(kind: Kind) -> u8 {
    match kind {
        Kind::Class | Kind::Struct | Kind::Interface | Kind::Trait | Kind::Enum | Kind::Union => 0,
        Kind::Function | Kind::Macro | Kind::Type => 1,
        Kind::Module | Kind::Constant => 2,
        Kind::Variable | Kind::Field | Kind::Variant => 3,
        _ => 4,
    }
}
