//! A reply under construction: text, images, notes.

use crate::{Budget, budget::TruncationPolicy};
use toolpost_text::{
    cut::{self, Limit, NOTICE},
    lines::count,
};

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyPart {
    /// A text.
    Text(String),
    /// An image that the client can show.
    Image {
        /// The media type, such as `image/png`.
        mime: String,
        /// The file's bytes.
        data: Vec<u8>,
    },
}

/// A reply under construction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    parts: Vec<ReplyPart>,
    /// Lines about the outcome of the call, at the end of the text; they are never truncated.
    outcome: String,
    notes: Vec<Note>,
    remarks: Remarks,
    extent: Extent,
    result: RunResult,
    limit: Option<Limit>,
}

/// A remark at the end of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    words: String,
    scope: Scope,
}

/// The subject of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The call: the remark is always kept.
    Call,
    /// The session: a second remark with the same text is left out.
    Session,
}

/// Success or failure of a call's work, such as a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunResult {
    /// The work succeeded.
    #[default]
    Succeeded,
    /// The work ran and failed, such as a command with an exit code other than 0.
    Failed,
    /// The call did not do the requested work, for example because a script stopped; clients get the reply as an error.
    Error,
}

/// Minimum room for text on a page, so that the last lines of an output always fit.
const LEAST: Limit = Limit { bytes: 512, lines: 8 };
/// The remark about the rest of a truncated text. A dialect that words the notice itself includes the remark
/// in the notice.
const NARROWER: &str = "the reply was too long; make a narrower call to see the part that was left out";
/// Number of bytes that a remark takes in addition to its text.
const AROUND: usize = NOTICE.len() + 3;

/// The size to which a reply is truncated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Extent {
    /// The default size limit.
    #[default]
    Usual,
    /// The size limit for callers that ask for the whole reply.
    All,
    /// No truncation, because the renderer has fitted the text to the page.
    Fitted,
}

/// Position of the remarks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Remarks {
    /// After the text, in the same part.
    #[default]
    Below,
    /// In a separate content part.
    Apart,
}

impl Page {
    /// Starts an empty reply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts an empty reply with a size limit.
    #[must_use]
    pub fn within(limit: Limit) -> Self {
        Self { limit: Some(limit), ..Self::default() }
    }

    /// Returns the remaining room for text, which is at least `LEAST`; unlimited without a size limit.
    #[must_use]
    pub fn room(&self) -> Limit {
        let Some(limit) = self.limit else { return Limit { bytes: usize::MAX, lines: usize::MAX } };
        let (mut bytes, mut lines) = (0, self.notes.len());
        for text in self.texts().chain([self.outcome.as_str()]) {
            bytes += text.len();
            lines += count(text);
        }
        bytes += self.notes.iter().map(|note| note.words.len() + AROUND).sum::<usize>();
        Limit {
            bytes: limit.bytes.saturating_sub(bytes).max(LEAST.bytes),
            lines: limit.lines.saturating_sub(lines).max(LEAST.lines),
        }
    }

    /// Adds a text that was fitted to the page's room; the page is then not truncated again.
    pub fn fitted(&mut self, text: String) {
        self.extent = Extent::Fitted;
        self.take(text);
    }

    /// Adds a text, and truncates it in the middle if it is too long for the page.
    pub fn ends(&mut self, text: String) {
        let kept = cut::ends(&text, self.room()).map(|kept| kept.to_string());
        self.fitted(kept.unwrap_or(text));
    }

    /// Adds a line about the outcome of the call to the end of the text; no budget cuts it.
    pub fn outcome(&mut self, line: &str) {
        self.outcome.push_str(line);
        self.outcome.push('\n');
    }

    /// Records that the call's work failed, although the call itself succeeded.
    pub fn failed(&mut self) {
        self.result = RunResult::Failed;
    }

    /// Marks the reply as an error: the call's work did not finish, and the reply explains why.
    pub fn error(&mut self) {
        self.result = RunResult::Error;
    }

    /// Returns the result of the call's work.
    #[must_use]
    pub fn result(&self) -> RunResult {
        self.result
    }

    /// Truncates the text to a budget, unless a text was fitted to the page, and notes how to get the rest. The outcome and
    /// the remarks stay whole, but count against the budget.
    pub fn cut(&mut self, budget: &Budget) {
        if self.extent == Extent::Fitted {
            return;
        }
        let notes: usize = self.notes.iter().map(|note| note.words.len() + AROUND).sum();
        let bytes = budget.bytes.saturating_sub(self.outcome.len());
        let lines = budget.lines.saturating_sub(count(&self.outcome));
        // A text that fits needs no remark: if it is only a part, its operation has noted how to get the rest.
        if !self.texts().any(|text| text.len() > bytes || count(text) > lines) {
            return;
        }
        // The notice of the omission is part of the text, so the budget of the text is reduced by its size.
        let own = notes + NARROWER.len() + AROUND + cut::NOTICED;
        let bytes = bytes.saturating_sub(own).max(LEAST.bytes.min(bytes));
        let budget = Budget { bytes, lines: lines.max(1), ..*budget };
        let mut is_cut = false;
        for part in &mut self.parts {
            if let ReplyPart::Text(text) = part
                && let Some(kept) = budget.apply(text)
            {
                *text = kept;
                is_cut = true;
            }
        }
        if is_cut && !matches!(budget.cut, TruncationPolicy::Worded { .. }) {
            self.note(NARROWER);
        }
    }

    /// Adds a text verbatim.
    pub fn text(&mut self, text: &str) {
        if let Some(ReplyPart::Text(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else {
            self.parts.push(ReplyPart::Text(text.to_owned()));
        }
    }

    /// Adds a text that was written for this reply. Moves it without a copy if the reply is still empty.
    pub fn take(&mut self, text: String) {
        if self.parts.is_empty() {
            self.parts.push(ReplyPart::Text(text));
        } else {
            self.text(&text);
        }
    }

    /// Adds a line.
    pub fn line(&mut self, line: &str) {
        self.text(line);
        self.text("\n");
    }

    /// Adds an image.
    pub fn image(&mut self, mime: &str, data: Vec<u8>) {
        self.parts.push(ReplyPart::Image { mime: mime.to_owned(), data });
    }

    /// Adds a remark about this call, at the end of the reply.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(Note { words: note.into(), scope: Scope::Call });
    }

    /// Adds a remark about the session, such as a directory that every search skips. The runtime shows the same text only
    /// once in a session.
    pub fn note_once(&mut self, note: impl Into<String>) {
        self.notes.push(Note { words: note.into(), scope: Scope::Session });
    }

    /// Drops the remarks about the session that `is_new` rejects.
    pub fn retain_new(&mut self, mut is_new: impl FnMut(&str) -> bool) {
        self.notes.retain(|note| note.scope == Scope::Call || is_new(&note.words));
    }

    /// Puts the remarks into a separate part, because a program reads the text. The text then ends with a line
    /// break, so that a client that joins the parts keeps them on different lines.
    pub fn remarks_apart(&mut self) {
        self.remarks = Remarks::Apart;
    }

    /// Records that the caller asked for the whole reply, to which a larger size limit applies.
    pub fn all(&mut self) {
        self.extent = Extent::All;
    }

    /// Returns whether the caller asked for the whole reply.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.extent == Extent::All
    }

    /// Returns the finished parts. Remarks follow the text, one on each line, in a form that the write guard
    /// recognizes, so that they are never mistaken for content.
    #[must_use]
    pub fn finish(mut self) -> Vec<ReplyPart> {
        let (notes, outcome) = (std::mem::take(&mut self.notes), std::mem::take(&mut self.outcome));
        if !outcome.is_empty() {
            self.end_line();
            self.text(&outcome);
        }
        if !notes.is_empty() {
            self.end_line();
        }
        if self.remarks == Remarks::Apart && !notes.is_empty() {
            self.parts.push(ReplyPart::Text(String::new()));
        }
        for Note { words, .. } in notes {
            self.text(&format!("{NOTICE}{words}]\n"));
        }
        self.close();
        if self.parts.is_empty() {
            self.parts.push(ReplyPart::Text("(empty)".to_owned()));
        }
        self.parts
    }

    /// Adds a line break after the last line, unless it has one.
    fn end_line(&mut self) {
        if let Some(ReplyPart::Text(last)) = self.parts.last_mut()
            && !last.is_empty()
            && !last.ends_with('\n')
        {
            last.push('\n');
        }
    }

    /// Removes the line break after the last line.
    fn close(&mut self) {
        if let Some(ReplyPart::Text(last)) = self.parts.last_mut()
            && last.ends_with('\n')
        {
            last.pop();
        }
    }

    /// Returns the text so far, without the remarks.
    #[must_use]
    pub fn words(&self) -> String {
        let mut texts: Vec<&str> = self.texts().collect();
        texts.extend(Some(self.outcome.as_str()).filter(|outcome| !outcome.is_empty()));
        texts.join("\n")
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            ReplyPart::Text(text) => Some(text.as_str()),
            ReplyPart::Image { .. } => None,
        })
    }
}

/// Formats arguments as a model would send them, for an example in a next step.
#[must_use]
pub fn example(arguments: &[(&str, &str)]) -> String {
    let object = arguments.iter().map(|(name, value)| ((*name).to_owned(), serde_json::Value::from(*value)));
    serde_json::Value::Object(object.collect()).to_string()
}
