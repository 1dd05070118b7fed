//! The part of a glob that matches one name of a path.

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
    /// A literal name.
    Literal(Vec<u8>),
    /// `*` followed by literal text, which must end the name.
    Ending(Vec<u8>),
    /// A pattern of another form. It also matches a name that equals its text, because `[id]` is a valid file name.
    Glob { text: Vec<u8>, matcher: GlobSet, literal: Literal },
}

/// `Yes` for a literal name that is compared without regard to case, and therefore needs a matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    No,
    Yes,
}

/// The comparison of letters: exact, or without regard to case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    Exact,
    Folded,
}

/// The way in which a name of a path matches a segment: not at all, by a wildcard, or as a literal name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentMatch {
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

    pub(super) fn fit(&self, name: &[u8]) -> SegmentMatch {
        match self {
            Self::Any | Self::One => SegmentMatch::Wild,
            Self::Literal(literal) => {
                if literal == name {
                    SegmentMatch::Named
                } else {
                    SegmentMatch::No
                }
            }
            Self::Ending(ending) => {
                if name.ends_with(ending) {
                    SegmentMatch::Wild
                } else {
                    SegmentMatch::No
                }
            }
            Self::Glob { text, .. } if text == name => SegmentMatch::Named,
            Self::Glob { matcher, literal, .. } => match matcher.is_match(Path::new(OsStr::from_bytes(name)))
            {
                false => SegmentMatch::No,
                true if *literal == Literal::Yes => SegmentMatch::Named,
                true => SegmentMatch::Wild,
            },
        }
    }
}

/// Returns whether a name in a glob contains no special characters.
pub(super) fn is_plain(text: &str) -> bool {
    !text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}
