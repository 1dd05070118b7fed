//! One name of a pattern.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet};

use crate::SearchError;

/// The pattern for one name of a path.
#[derive(Clone, Debug)]
pub(super) enum Segment {
    /// `**`: any number of names.
    Any,
    /// `*`: any one name.
    One,
    /// A name written out.
    Literal(Vec<u8>),
    /// `*` and an ending.
    Ending(Vec<u8>),
    /// Anything else; also matches the very text of the pattern, since `[id]` is a good name.
    Glob { text: Vec<u8>, matcher: GlobSet, literal: Literal },
}

/// The literalness of a segment that needs the matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    No,
    Yes,
}

/// Case sensitivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    Exact,
    Folded,
}

/// The way that a name matches a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    No,
    Wild,
    Named,
}

impl Segment {
    pub(super) fn new(text: &str, letters: Letters) -> Result<Self, SearchError> {
        if text == "**" {
            return Ok(Self::Any);
        }
        if text == "*" {
            return Ok(Self::One);
        }
        let plain = is_plain(text);
        if letters == Letters::Exact {
            if plain {
                return Ok(Self::Literal(text.as_bytes().to_vec()));
            }
            if let Some(ending) = text.strip_prefix('*').filter(|ending| is_plain(ending)) {
                return Ok(Self::Ending(ending.as_bytes().to_vec()));
            }
        }
        let wrong = |error: globset::Error| SearchError::Glob {
            pattern: text.to_owned(),
            why: error.kind().to_string(),
        };
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(letters == Letters::Folded)
            .build()
            .map_err(wrong)?;
        let matcher = GlobSet::builder().add(glob).build().map_err(wrong)?;
        let literal = if plain { Literal::Yes } else { Literal::No };
        Ok(Self::Glob { text: text.as_bytes().to_vec(), matcher, literal })
    }

    pub(super) fn fit(&self, name: &[u8]) -> Fit {
        match self {
            Self::Any | Self::One => Fit::Wild,
            Self::Literal(literal) => {
                if literal == name {
                    Fit::Named
                } else {
                    Fit::No
                }
            }
            Self::Ending(ending) => {
                if name.ends_with(ending) {
                    Fit::Wild
                } else {
                    Fit::No
                }
            }
            Self::Glob { text, .. } if text == name => Fit::Named,
            Self::Glob { matcher, literal, .. } => match matcher.is_match(Path::new(OsStr::from_bytes(name)))
            {
                false => Fit::No,
                true if *literal == Literal::Yes => Fit::Named,
                true => Fit::Wild,
            },
        }
    }
}

/// Returns whether a text contains no special characters.
pub(super) fn is_plain(text: &str) -> bool {
    !text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}
