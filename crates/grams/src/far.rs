//! Files whose contents a server knows, so that it answers for them wherever they lie.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use toolpost_workspace::ContentHash;

use crate::listing::Lines;
use crate::pattern::Pattern;
use crate::segment::{Doc, Form, Found};

/// What answers for some files: a segment of the index, or a server that knows their contents.
pub(crate) trait Answers: Send + Sync {
    /// Gives the files, in the order of their keys.
    fn docs(&self) -> &[Doc];
    /// Gives the numbers of the files that are candidates whatever is looked for.
    fn odd(&self) -> &[u32];
    /// Finds the files in which a pattern may match; what is odd is not among them.
    fn find(&self, question: &Question<'_>) -> io::Result<Vec<Found>>;
}

/// What is looked for, and what the server said of it.
pub(crate) struct Question<'q> {
    pub(crate) pattern: &'q Pattern,
    /// None where it was not asked, or could not say.
    pub(crate) answer: Option<&'q Answer>,
}

/// An index of contents that others keep, asked by many machines.
///
/// It is believed only in what a content that it knows does *not* hold; what it names is searched on the disk.
pub trait Shared: Send + Sync {
    /// Says of each of some contents whether it is known.
    ///
    /// # Errors
    /// When nobody answers.
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost>;

    /// Finds the contents in which a pattern may match, among all that are known; none if it cannot say that quickly.
    ///
    /// # Errors
    /// When nobody answers.
    fn find(&self, pattern: &Pattern) -> Result<Option<Answer>, Lost>;
}

/// In which state a shared index was when it said something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// How often contents were forgotten: what was known before need not be any more.
    pub forgotten: u64,
    /// How often contents were learnt.
    pub learnt: u64,
}

impl State {
    /// Says whether everything that was known in another state was so in this one, too.
    pub(crate) fn holds(self, other: Self) -> bool {
        self.forgotten == other.forgotten && self.learnt >= other.learnt
    }
}

/// Which of some contents are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knows {
    /// The state in which this was so.
    pub state: State,
    /// One for each content that was asked about.
    pub known: Vec<bool>,
}

/// The contents in which a pattern may match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The state in which this was so; it may be later than that in which contents were said to be known.
    pub state: State,
    /// Each content, with where in it a match may be, as whole lines.
    pub contents: HashMap<ContentHash, Vec<Range<u32>>>,
}

/// Why nobody answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// Files of the workspace for whose contents the server answers, and those of which the disk alone says enough.
pub(crate) struct Far {
    docs: Vec<Doc>,
    contents: Vec<ContentHash>,
    odd: Vec<u32>,
    /// The state in which the contents were known.
    state: State,
}

impl Far {
    /// Puts files together that are in the order of their keys.
    pub(crate) fn new(files: Vec<(Doc, ContentHash)>, state: State) -> Self {
        let (docs, contents): (Vec<Doc>, Vec<ContentHash>) = files.into_iter().unzip();
        let odd = (0..).zip(&docs).filter(|(_, doc)| doc.form == Form::Odd).map(|(number, _)| number);
        Self { odd: odd.collect(), docs, contents, state }
    }

    /// Says whether an answer is about the contents that were known.
    pub(crate) fn takes(&self, answer: &Answer) -> bool {
        answer.state.holds(self.state)
    }
}

impl Answers for Far {
    fn docs(&self) -> &[Doc] {
        &self.docs
    }

    fn odd(&self) -> &[u32] {
        &self.odd
    }

    fn find(&self, question: &Question<'_>) -> io::Result<Vec<Found>> {
        let answer = question.answer.filter(|answer| self.takes(answer));
        let texts =
            (0..).zip(self.docs.iter().zip(&self.contents)).filter(|(_, (doc, _))| doc.form == Form::Text);
        let found = texts.filter_map(|(doc, (file, content))| {
            let Some(answer) = answer else { return Some(Found { doc, parts: Vec::new() }) };
            let parts = answer.contents.get(content)?;
            let fits = |part: &Range<u32>| part.start < part.end && u64::from(part.end) <= file.stat.len;
            // What cannot be true of this content says nothing of where to look.
            let parts = if parts.iter().all(fits) { parts.as_slice() } else { &[] };
            let lines = parts.iter().map(|part| Lines { bytes: part.clone(), before: None });
            Some(Found { doc, parts: lines.collect() })
        });
        Ok(found.collect())
    }
}
