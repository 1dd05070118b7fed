//! Files whose contents a server knows, so that it answers for them wherever they lie.

use std::io;
use std::ops::Range;

use toolpost_workspace::ContentHash;

use crate::remote::{Answer, State};
use crate::source::{Answers, Doc, Form, Found, Lines, Question};

/// Files whose contents the shared index knows, and files that need no lookup because of their metadata.
pub(crate) struct RemoteFiles {
    docs: Vec<Doc>,
    contents: Vec<ContentHash>,
    odd: Vec<u32>,
    /// The version that knew the contents.
    state: State,
}

impl RemoteFiles {
    /// Creates the source from files in the order of their keys.
    pub(crate) fn new(files: Vec<(Doc, ContentHash)>, state: State) -> Self {
        let (docs, contents): (Vec<Doc>, Vec<ContentHash>) = files.into_iter().unzip();
        let odd = (0..).zip(&docs).filter(|(_, doc)| doc.form == Form::Odd).map(|(number, _)| number);
        Self { odd: odd.collect(), docs, contents, state }
    }

    /// Returns whether an answer covers the known contents.
    pub(crate) fn takes(&self, answer: &Answer) -> bool {
        answer.state.holds(self.state)
    }
}

impl Answers for RemoteFiles {
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
            // Ranges that cannot be in this content are ignored.
            let parts = if parts.iter().all(fits) { parts.as_slice() } else { &[] };
            let lines = parts.iter().map(|part| Lines { bytes: part.clone(), before: None });
            Some(Found { doc, parts: lines.collect() })
        });
        Ok(found.collect())
    }
}
