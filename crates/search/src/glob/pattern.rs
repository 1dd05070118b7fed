//! A compiled glob, which a directory walk matches name by name while it descends.

use super::braces::{MOST, expand};
use super::segment::{Letters, Segment, SegmentMatch, is_plain};
use crate::SearchError;
use crate::error::LONGEST_GLOB;
use crate::grep::Case;

/// A compiled glob.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The literal names before the first wildcard, where the walk starts; empty if it starts in the base directory.
    pub(super) prefix: String,
    pub(super) anchor: Anchor,
    pub(super) ending: PatternTarget,
    /// The segments (patterns for one name) of all alternatives, one alternative after the other. The last segment of
    /// each alternative is marked.
    segments: Vec<(Segment, Last)>,
    starts: Vec<u16>,
}

/// The directory to which the prefix of a glob is relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Base,
    Absolute,
}

/// The kind of entry that a glob selects: with a trailing slash, only directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternTarget {
    Anything,
    Directory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    No,
    Yes,
}

/// The state of a glob in a directory: the indexes of the segments that the names in the directory may match.
pub(super) type State = Vec<u16>;

/// The result of matching a directory's name: how it completes the glob, and the states of the glob inside the
/// directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) accepted: NameMatch,
    pub(super) below: State,
    /// The part of `below` that was reached because the directory's name is literally in the glob.
    pub(super) named_below: State,
}

/// The way in which a name completes a glob: not at all, by a wildcard, or as a literal name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NameMatch {
    #[default]
    No,
    Wild,
    Named,
}

/// The reason why a glob is invalid if it has more names in all alternatives than a `u16` can count.
const TOO_LONG: &str = "it expands to more than 65535 names; use fewer alternatives";

impl Pattern {
    pub(super) fn new(pattern: &str, case: Case) -> Result<Self, SearchError> {
        let wrong = |why: &str| SearchError::Glob { pattern: pattern.to_owned(), why: why.to_owned() };
        if pattern.len() > LONGEST_GLOB {
            return Err(SearchError::long_glob(pattern));
        }
        if pattern.contains('\0') {
            return Err(wrong("it has a NUL byte, which no name contains"));
        }
        let ending = if pattern.ends_with('/') { PatternTarget::Directory } else { PatternTarget::Anything };
        let anchor = if pattern.starts_with('/') || pattern.starts_with("~/") {
            Anchor::Absolute
        } else {
            Anchor::Base
        };
        let expanded = expand(pattern).ok_or_else(|| {
            wrong(&format!("its braces expand to more than {MOST} patterns; use fewer alternatives"))
        })?;
        let letters = letters(pattern, case);
        let mut alternatives: Vec<Vec<&str>> = expanded.iter().map(|text| names(text)).collect();
        if alternatives.iter().any(Vec::is_empty) {
            return Err(wrong("it contains no name; use **/* for all files"));
        }
        // The literal prefix of an absolute pattern is a path on disk, so it is always compared case-sensitively.
        let exact = letters == Letters::Exact || anchor == Anchor::Absolute;
        let prefix = take_prefix(&mut alternatives, if exact { Letters::Exact } else { letters });
        if alternatives.iter().flatten().any(|name| *name == "..") {
            return Err(wrong("`..` cannot follow a wildcard or end the pattern; put `..` at the beginning"));
        }
        let mut segments = Vec::new();
        let mut starts = Vec::new();
        for names in &alternatives {
            starts.push(u16::try_from(segments.len()).map_err(|_| wrong(TOO_LONG))?);
            for (at, name) in names.iter().enumerate() {
                let last = if at + 1 == names.len() { Last::Yes } else { Last::No };
                segments.push((Segment::new(name, letters)?, last));
            }
        }
        u16::try_from(segments.len()).map_err(|_| wrong(TOO_LONG))?;
        let root = if anchor == Anchor::Absolute && !pattern.starts_with('~') { "/" } else { "" };
        Ok(Self { prefix: format!("{root}{prefix}"), anchor, ending, segments, starts })
    }

    /// Returns the state of the glob in the directory where the walk begins.
    pub(super) fn start(&self) -> State {
        let mut state = State::new();
        for start in &self.starts {
            self.reach(&mut state, *start);
        }
        state
    }

    /// Returns how the name of an entry completes the glob; `state` is that of the entry's directory.
    pub(super) fn accepts(&self, state: &State, name: &[u8]) -> NameMatch {
        let mut accepted = NameMatch::No;
        for at in state {
            let Some((segment, Last::Yes)) = self.segments.get(usize::from(*at)) else { continue };
            match segment.fit(name) {
                SegmentMatch::No => {}
                SegmentMatch::Wild => accepted = NameMatch::Wild,
                SegmentMatch::Named => return NameMatch::Named,
            }
        }
        accepted
    }

    /// Matches the name of a directory against the glob. Also returns the state of the glob inside the directory.
    pub(super) fn step(&self, state: &State, name: &[u8]) -> Step {
        let mut step = Step { accepted: self.accepts(state, name), ..Step::default() };
        for at in state {
            let Some((segment, last)) = self.segments.get(usize::from(*at)) else { continue };
            match segment.fit(name) {
                SegmentMatch::No => {}
                SegmentMatch::Wild | SegmentMatch::Named if matches!(segment, Segment::Any) => {
                    self.reach(&mut step.below, *at);
                }
                _ if *last == Last::Yes => {}
                SegmentMatch::Wild => self.reach(&mut step.below, at + 1),
                SegmentMatch::Named => {
                    self.reach(&mut step.below, at + 1);
                    self.reach(&mut step.named_below, at + 1);
                }
            }
        }
        step
    }

    /// Adds a segment to a state. After `**`, which may match no name at all, also adds the segment that follows.
    fn reach(&self, state: &mut State, at: u16) {
        if state.contains(&at) {
            return;
        }
        state.push(at);
        if let Some((Segment::Any, Last::No)) = self.segments.get(usize::from(at)) {
            self.reach(state, at + 1);
        }
    }
}

fn letters(pattern: &str, case: Case) -> Letters {
    match case {
        Case::Sensitive => Letters::Exact,
        Case::Insensitive => Letters::Folded,
        Case::Smart if pattern.chars().any(char::is_uppercase) => Letters::Exact,
        Case::Smart => Letters::Folded,
    }
}

/// Splits a glob at its slashes. A glob with no slash, or only one at the end, matches at any depth, so `**` comes first.
fn names(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('/').unwrap_or(text);
    let mut names: Vec<&str> = Vec::new();
    for name in body.split('/').filter(|name| !name.is_empty() && *name != ".") {
        if name == "**" && names.last() == Some(&"**") {
            continue;
        }
        names.push(name);
    }
    if !body.contains('/') && !matches!(names.as_slice(), [] | ["**" | ".." | "~"]) {
        names.insert(0, "**");
    }
    names
}

/// Removes the literal names with which all alternatives begin, and returns them; each alternative keeps at least one
/// name. If letter case is ignored, only `..` and `~` are removed.
fn take_prefix(alternatives: &mut [Vec<&str>], letters: Letters) -> String {
    let mut prefix = Vec::new();
    while let Some(name) = alternatives.first().and_then(|names| names.first()).copied() {
        let plain = is_plain(name) && (letters == Letters::Exact || name == ".." || name == "~");
        if !plain || alternatives.iter().any(|names| names.len() < 2 || names.first() != Some(&name)) {
            break;
        }
        for names in alternatives.iter_mut() {
            names.remove(0);
        }
        prefix.push(name);
    }
    prefix.join("/")
}
