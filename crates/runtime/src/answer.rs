//! Outcomes and replies of calls.

use crate::ask::Question;
use serde_json::Value;
use toolpost_engine::{InnerPicture, Kind};
use toolpost_text::counted::counted;
use toolpost_tool::{Part, RunResult};

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The call succeeded.
    Done(Answer),
    /// The call failed; the answer has the reason and the next step.
    Failed(Kind, Answer),
    /// Approval is needed: the caller asks the question and repeats the call with the verdict.
    Ask(Question),
    /// No tool has that name.
    NoSuchTool(Answer),
}

/// The text and images of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// The operation's output as data, if requested.
    pub structured: Option<Value>,
    /// The result of the action: a command that exits with a failure did run, and its result is a failure.
    pub result: RunResult,
}

impl Answer {
    /// Creates an answer with one text part.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self::of(vec![Part::Text(text)])
    }

    /// Creates an answer from parts.
    #[must_use]
    pub fn of(parts: Vec<Part>) -> Self {
        Self { parts, structured: None, result: RunResult::Succeeded }
    }

    /// Returns whether the work of the call did not come to its end, as with a script that stopped.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result == RunResult::Error
    }

    /// Returns all text of the answer; each part starts on a new line.
    #[must_use]
    pub fn words(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.strip_suffix('\n').unwrap_or(text)),
            Part::Image { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the text, with a marker at the position of each image, and the images.
    #[must_use]
    pub fn with_pictures(self) -> (String, Vec<InnerPicture>) {
        let mut pictures = Vec::new();
        let texts = self.parts.into_iter().map(|part| match part {
            Part::Image { mime, data } => {
                let named = format!(
                    "[picture {}: {mime}, {}]",
                    pictures.len() + 1,
                    counted(data.len() as u64, "byte")
                );
                pictures.push(InnerPicture { mime, data });
                named
            }
            Part::Text(text) => text.strip_suffix('\n').map(str::to_owned).unwrap_or(text),
        });
        let words = texts.collect::<Vec<_>>().join("\n");
        (words, pictures)
    }

    /// Returns the size of the answer in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let size = |part: &Part| match part {
            Part::Text(text) => text.len(),
            Part::Image { data, .. } => data.len(),
        };
        self.parts.iter().map(size).sum()
    }
}
