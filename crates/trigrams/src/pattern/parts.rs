//! Literals extracted from a part of a regular expression: possible beginnings and endings, and required
//! texts.

use std::collections::BTreeSet;

use crate::gram::grams;

/// A condition on the pieces of text that a text must contain.
type TextQuery = super::IndexQuery<Vec<u8>>;

/// The texts that a part of an expression can match.
#[derive(Clone, Debug)]
pub(super) enum ExtractedLiterals {
    /// Exactly these texts.
    Exact(Texts),
    /// The possible beginnings and endings, and the required pieces.
    Open { begins: Texts, ends: Texts, need: TextQuery },
}

type Texts = BTreeSet<Vec<u8>>;

/// The maximum number of texts in [`ExtractedLiterals::Exact`].
const MOST: usize = 16;

/// The maximum number of distinct beginnings or endings.
const MOST_OUTER: usize = 32;
/// The maximum number of pairs of an ending and the beginning of the next part. With more pairs, the text across the
/// boundary of the parts is not used to narrow the search.
const MOST_SEAMS: usize = 64;

/// The number of bytes at either end of a text that can share a trigram with the adjacent text: one less than the
/// length of a trigram.
const OUTER: usize = 2;

impl ExtractedLiterals {
    /// Creates a part that matches exactly these texts.
    pub(super) fn exactly(texts: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::Exact(texts.into_iter().collect()).small()
    }

    /// Creates a part that can match anything.
    pub(super) fn unknown() -> Self {
        Self::Open { begins: nothing(), ends: nothing(), need: TextQuery::Anything }
    }

    /// Returns the pieces that a text must contain for this part to match.
    pub(super) fn need(&self) -> TextQuery {
        match self {
            Self::Exact(texts) => of(texts),
            Self::Open { need, .. } => need.clone(),
        }
    }

    /// Allows additional text between the beginnings and the endings.
    pub(super) fn open(self) -> Self {
        match self {
            Self::Exact(texts) => {
                Self::Open { need: of(&texts), begins: beginnings(&texts), ends: endings(&texts) }
            }
            open @ Self::Open { .. } => open,
        }
    }

    /// Appends another part.
    pub(super) fn then(self, next: Self) -> Self {
        if let (Self::Exact(texts), Self::Exact(others)) = (&self, &next)
            && texts.len() * others.len() <= MOST
        {
            return Self::Exact(across(texts, others));
        }
        let (ends, follows) = (self.ends(), next.begins());
        let few = ends.len() * follows.len() <= MOST_SEAMS;
        let seam = if few { of(&across(&ends, &follows)) } else { TextQuery::Anything };
        let need = TextQuery::all([self.need(), seam, next.need()]);
        let begins = match &self {
            Self::Exact(texts) => bounded(beginnings(&across(&beginnings(texts), &next.begins()))),
            Self::Open { begins, .. } => begins.clone(),
        };
        let ends = match &next {
            Self::Exact(texts) => bounded(endings(&across(&self.ends(), &endings(texts)))),
            Self::Open { ends, .. } => ends.clone(),
        };
        Self::Open { begins, ends, need }
    }

    /// Adds another part as an alternative.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact(texts), Self::Exact(others)) => Self::Exact(&texts | &others).small(),
            (one, other) => Self::Open {
                need: TextQuery::any([one.need(), other.need()]),
                begins: bounded(&one.begins() | &other.begins()),
                ends: bounded(&one.ends() | &other.ends()),
            },
        }
    }

    fn begins(&self) -> Texts {
        match self {
            Self::Exact(texts) => bounded(beginnings(texts)),
            Self::Open { begins, .. } => begins.clone(),
        }
    }

    fn ends(&self) -> Texts {
        match self {
            Self::Exact(texts) => bounded(endings(texts)),
            Self::Open { ends, .. } => ends.clone(),
        }
    }

    fn small(self) -> Self {
        match self {
            Self::Exact(texts) if texts.len() > MOST => Self::Open {
                need: of(&texts),
                begins: bounded(beginnings(&texts)),
                ends: bounded(endings(&texts)),
            },
            small => small,
        }
    }
}

/// Returns the set that contains only the empty text, with which every text begins and ends.
fn nothing() -> Texts {
    [Vec::new()].into()
}

fn of(texts: &Texts) -> TextQuery {
    // A piece shorter than a trigram does not narrow the search.
    let piece = |text: &Vec<u8>| {
        if grams(text).next().is_some() { TextQuery::One(text.clone()) } else { TextQuery::Anything }
    };
    TextQuery::any(texts.iter().map(piece))
}

fn across(texts: &Texts, others: &Texts) -> Texts {
    let both = |text: &Vec<u8>, other: &Vec<u8>| [text.as_slice(), other.as_slice()].concat();
    texts.iter().flat_map(|text| others.iter().map(move |other| both(text, other))).collect()
}

fn beginnings(texts: &Texts) -> Texts {
    texts.iter().map(|text| text[..text.len().min(OUTER)].to_vec()).collect()
}

fn endings(texts: &Texts) -> Texts {
    texts.iter().map(|text| text[text.len().saturating_sub(OUTER)..].to_vec()).collect()
}

/// Replaces a set that is too large with the set that contains only the empty text.
fn bounded(texts: Texts) -> Texts {
    if texts.len() > MOST_OUTER { nothing() } else { texts }
}
