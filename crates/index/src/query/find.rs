//! Finds symbols by what somebody remembers of their names.

use std::cmp::Reverse;

use toolpost_syntax::Kind;

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
type Ranked<'g> = ((Fit, bool, u8, usize, Reverse<usize>), &'g str, At);

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
                let wanted = (wanted.kinds.is_empty() || wanted.kinds.contains(&kind))
                    && self.stands_in(self.text(symbol.qualified), outer)
                    && may(&file.path);
                if wanted {
                    let rank = (fit, file.is_secondary, weight(kind), length, Reverse(users));
                    ranked.push((rank, file.path.as_ref(), *at));
                }
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

    /// Tells whether the names before a symbol's own end with those that are wanted.
    fn stands_in(&self, qualified: &str, outer: &[String]) -> bool {
        if outer.is_empty() {
            return true;
        }
        let mut names = qualified.rsplit('.').skip(1);
        outer.iter().rev().all(|wanted| names.any(|name| folded(name) == folded(wanted)))
    }
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
