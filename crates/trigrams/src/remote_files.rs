//! Files whose contents are in the shared index, which identifies contents by hash and not by path.

use std::io;
use std::ops::Range;

use toolpost_workspace::ContentHash;

use crate::remote::{Answer, State};
use crate::source::{Answers, CandidateDoc, Doc, Form, Lines, Question};

/// Local files whose contents the shared index has, and local files that need no lookup there, because they are
/// binary or always candidates.
pub(crate) struct RemoteFiles {
    docs: Vec<Doc>,
    contents: Vec<ContentHash>,
    odd: Vec<u32>,
    /// The version of the shared index in which it had all these contents.
    state: State,
}

impl RemoteFiles {
    /// Creates this source of candidates from files in the order of their keys.
    pub(crate) fn new(files: Vec<(Doc, ContentHash)>, state: State) -> Self {
        let (docs, contents): (Vec<Doc>, Vec<ContentHash>) = files.into_iter().unzip();
        let odd = (0..).zip(&docs).filter(|(_, doc)| doc.form == Form::Odd).map(|(number, _)| number);
        Self { odd: odd.collect(), docs, contents, state }
    }

    /// Returns whether an answer of the shared index covers all contents of these files.
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

    fn find(&self, question: &Question<'_>) -> io::Result<Vec<CandidateDoc>> {
        let answer = question.answer.filter(|answer| self.takes(answer));
        let texts =
            (0..).zip(self.docs.iter().zip(&self.contents)).filter(|(_, (doc, _))| doc.form == Form::Text);
        let found = texts.filter_map(|(doc, (file, content))| {
            let Some(answer) = answer else { return Some(CandidateDoc { doc, parts: Vec::new() }) };
            let parts = answer.contents.get(content)?;
            let fits = |part: &Range<u32>| part.start < part.end && u64::from(part.end) <= file.stat.len;
            // If a range is invalid for this content, the whole file is searched.
            let parts = if parts.iter().all(fits) { parts.as_slice() } else { &[] };
            let lines = parts.iter().map(|part| Lines { bytes: part.clone(), before: None });
            Some(CandidateDoc { doc, parts: lines.collect() })
        });
        Ok(found.collect())
    }
}
