//! A whole pattern, matched name by name on the way down a tree.

use super::braces::{MOST, expand};
use super::segment::{Fit, Letters, Segment, is_plain};
use crate::SearchError;
use crate::error::LONGEST_GLOB;
use crate::grep::Case;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The literal start of the walk; empty for the base itself.
    pub(super) prefix: String,
    pub(super) anchor: Anchor,
    pub(super) ending: Ending,
    /// All alternatives, one after the other; the last segment of each is marked.
    segments: Vec<(Segment, Last)>,
    starts: Vec<u16>,
}

/// The directory that the prefix is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Base,
    Absolute,
}

/// The trailing slash of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Anything,
    Directory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    No,
    Yes,
}

/// The state of the pattern in a directory: the segments that its entries may match.
pub(super) type State = Vec<u16>;

/// The effect of a name on a state.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) accepted: Accepted,
    pub(super) below: State,
    /// The part of `below` that was reached by a name written out.
    pub(super) named_below: State,
}

/// The kind of entry for which a name completes the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Accepted {
    #[default]
    No,
    Wild,
    Named,
}

impl Pattern {
    pub(super) fn new(pattern: &str, case: Case) -> Result<Self, SearchError> {
        let wrong = |why: &str| SearchError::Glob { pattern: pattern.to_owned(), why: why.to_owned() };
        if pattern.len() > LONGEST_GLOB {
            return Err(SearchError::long_glob(pattern));
        }
        if pattern.contains('\0') {
            return Err(wrong("it holds a NUL byte, which no name can"));
        }
        let ending = if pattern.ends_with('/') { Ending::Directory } else { Ending::Anything };
        let anchor = if pattern.starts_with('/') || pattern.starts_with("~/") {
            Anchor::Absolute
        } else {
            Anchor::Base
        };
        let expanded = expand(pattern).ok_or_else(|| {
            wrong(&format!("its braces stand for more than {MOST} patterns: say fewer at a time"))
        })?;
        let letters = letters(pattern, case);
        let mut alternatives: Vec<Vec<&str>> = expanded.iter().map(|text| names(text)).collect();
        if alternatives.iter().any(Vec::is_empty) {
            return Err(wrong("it names nothing: use **/* for all files"));
        }
        // The names that lead to the workspace are always meant as they are written.
        let exact = letters == Letters::Exact || anchor == Anchor::Absolute;
        let prefix = take_prefix(&mut alternatives, if exact { Letters::Exact } else { letters });
        if alternatives.iter().flatten().any(|name| *name == "..") {
            return Err(wrong(
                "`..` cannot follow a wildcard or be its last name: begin the pattern with it",
            ));
        }
        let mut segments = Vec::new();
        let mut starts = Vec::new();
        for names in &alternatives {
            starts.push(u16::try_from(segments.len()).map_err(|_| wrong("it is too long"))?);
            for (at, name) in names.iter().enumerate() {
                let last = if at + 1 == names.len() { Last::Yes } else { Last::No };
                segments.push((Segment::new(name, letters)?, last));
            }
        }
        u16::try_from(segments.len()).map_err(|_| wrong("it is too long"))?;
        let root = if anchor == Anchor::Absolute && !pattern.starts_with('~') { "/" } else { "" };
        Ok(Self { prefix: format!("{root}{prefix}"), anchor, ending, segments, starts })
    }

    /// Returns the state in the directory where the walk begins.
    pub(super) fn start(&self) -> State {
        let mut state = State::new();
        for start in &self.starts {
            self.reach(&mut state, *start);
        }
        state
    }

    /// Returns the kind of entry for which a name completes the pattern.
    pub(super) fn accepts(&self, state: &State, name: &[u8]) -> Accepted {
        let mut accepted = Accepted::No;
        for at in state {
            let Some((segment, Last::Yes)) = self.segments.get(usize::from(*at)) else { continue };
            match segment.fit(name) {
                Fit::No => {}
                Fit::Wild => accepted = Accepted::Wild,
                Fit::Named => return Accepted::Named,
            }
        }
        accepted
    }

    /// Returns the kind of entry for which the name of a directory completes the pattern, and the state inside the
    /// directory.
    pub(super) fn step(&self, state: &State, name: &[u8]) -> Step {
        let mut step = Step { accepted: self.accepts(state, name), ..Step::default() };
        for at in state {
            let Some((segment, last)) = self.segments.get(usize::from(*at)) else { continue };
            match segment.fit(name) {
                Fit::No => {}
                Fit::Wild | Fit::Named if matches!(segment, Segment::Any) => self.reach(&mut step.below, *at),
                _ if *last == Last::Yes => {}
                Fit::Wild => self.reach(&mut step.below, at + 1),
                Fit::Named => {
                    self.reach(&mut step.below, at + 1);
                    self.reach(&mut step.named_below, at + 1);
                }
            }
        }
        step
    }

    /// Adds a segment, and the next one if this one may match no name at all.
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

/// Splits a pattern into names; one without a slash in the middle is meant at any depth.
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

/// Removes the common literal prefix of all alternatives; one name always remains.
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
