//! What comes back from a call.

use crate::Question;
use serde_json::Value;
use toolpost_engine::{InnerPicture, Kind};
use toolpost_text::counted::counted;
use toolpost_tool::{Part, RunResult};

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was done.
    Done(Answer),
    /// It was not done; the answer says why and what to do next.
    Failed(Kind, Answer),
    /// Somebody has to be asked first: the caller asks, and makes the same call again with the verdict.
    Ask(Question),
    /// No tool has that name.
    NoSuchTool(Answer),
}

/// The words and pictures of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// The operation's output as data, where it was asked for.
    pub structured: Option<Value>,
    /// Whether what the call ran did what it was asked to: a command that fails was run, and failed.
    pub result: RunResult,
}

impl Answer {
    /// Makes an answer of one text.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self::of(vec![Part::Text(text)])
    }

    /// Makes an answer of parts.
    #[must_use]
    pub fn of(parts: Vec<Part>) -> Self {
        Self { parts, structured: None, result: RunResult::Succeeded }
    }

    /// Gives all text of the answer, each part on lines of its own.
    #[must_use]
    pub fn words(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.strip_suffix('\n').unwrap_or(text)),
            Part::Image { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Gives the words, which say where each picture stands, and the pictures.
    #[must_use]
    pub fn told(self) -> (String, Vec<InnerPicture>) {
        let mut pictures = Vec::new();
        let told = self.parts.into_iter().map(|part| match part {
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
        let words = told.collect::<Vec<_>>().join("\n");
        (words, pictures)
    }

    /// Counts the bytes of the answer.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let size = |part: &Part| match part {
            Part::Text(text) => text.len(),
            Part::Image { data, .. } => data.len(),
        };
        self.parts.iter().map(size).sum()
    }
}
