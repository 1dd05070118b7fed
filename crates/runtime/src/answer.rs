//! The outcome and the reply of a call.

use crate::ask::Question;
use serde_json::Value;
use toolpost_engine::{InnerPicture, Kind};
use toolpost_text::plural::counted;
use toolpost_tool::{ReplyPart, RunResult};

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The call succeeded, with this reply.
    Done(ToolReply),
    /// The call failed; the reply contains the reason and the next step.
    Failed(Kind, ToolReply),
    /// The call needs approval: the caller prompts the user, and repeats the call with the verdict.
    Ask(Question),
    /// No tool has the name in the call.
    NoSuchTool(ToolReply),
}

/// A reply: its text and images, and optionally the operation's output as data.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// The text and image parts, in order.
    pub parts: Vec<ReplyPart>,
    /// The operation's output as data; `None` if structured output is off, or the call failed.
    pub structured: Option<Value>,
    /// The result of the call's work. It can be a failure although the call succeeded, for example if a command ran and
    /// exited with an error.
    pub result: RunResult,
}

impl ToolReply {
    /// Creates an answer with one text part.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self::of(vec![ReplyPart::Text(text)])
    }

    /// Creates a reply from text and image parts.
    #[must_use]
    pub fn of(parts: Vec<ReplyPart>) -> Self {
        Self { parts, structured: None, result: RunResult::Succeeded }
    }

    /// Returns true if the call's work stopped before it was finished, for example because its script failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result == RunResult::Error
    }

    /// Returns all text of the reply; each part starts on a new line.
    #[must_use]
    pub fn words(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            ReplyPart::Text(text) => Some(text.strip_suffix('\n').unwrap_or(text)),
            ReplyPart::Image { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the text of the reply, in which a marker replaces each image, and the images.
    #[must_use]
    pub fn with_pictures(self) -> (String, Vec<InnerPicture>) {
        let mut pictures = Vec::new();
        let texts = self.parts.into_iter().map(|part| match part {
            ReplyPart::Image { mime, data } => {
                let named =
                    format!("[image {}: {mime}, {}]", pictures.len() + 1, counted(data.len() as u64, "byte"));
                pictures.push(InnerPicture { mime, data });
                named
            }
            ReplyPart::Text(text) => text.strip_suffix('\n').map(str::to_owned).unwrap_or(text),
        });
        let words = texts.collect::<Vec<_>>().join("\n");
        (words, pictures)
    }

    /// Returns the size of the reply in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let size = |part: &ReplyPart| match part {
            ReplyPart::Text(text) => text.len(),
            ReplyPart::Image { data, .. } => data.len(),
        };
        self.parts.iter().map(size).sum()
    }
}
