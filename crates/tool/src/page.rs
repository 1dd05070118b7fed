//! The reply as it is being written: text, images, notes.

use toolpost_text::cut::NOTICE;

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture that the client can show.
    Image {
        /// The media type, such as `image/png`.
        mime: String,
        /// The file's bytes.
        data: Vec<u8>,
    },
}

/// The reply as it is being written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    parts: Vec<Part>,
    notes: Vec<Note>,
    remarks: Remarks,
    extent: Extent,
}

/// A remark at the end of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    words: String,
    scope: Scope,
}

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The call: the remark stays.
    Call,
    /// The session: a second remark in the same words is left out.
    Session,
}

/// How much of a reply was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Extent {
    /// As much as is usual.
    #[default]
    Usual,
    /// All of it, however long.
    All,
}

/// Where remarks stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Remarks {
    /// Below the text, in the same part.
    #[default]
    Below,
    /// In a part of their own.
    Apart,
}

impl Page {
    /// Starts an empty reply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text as it is.
    pub fn text(&mut self, text: &str) {
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else {
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    /// Adds a text that was written for the reply alone; the first one is not copied.
    pub fn take(&mut self, text: String) {
        if self.parts.is_empty() {
            self.parts.push(Part::Text(text));
        } else {
            self.text(&text);
        }
    }

    /// Adds a line.
    pub fn line(&mut self, line: &str) {
        self.text(line);
        self.text("\n");
    }

    /// Adds a picture.
    pub fn image(&mut self, mime: &str, data: Vec<u8>) {
        self.parts.push(Part::Image { mime: mime.to_owned(), data });
    }

    /// Adds a remark about this call, at the end of the reply.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(Note { words: note.into(), scope: Scope::Call });
    }

    /// Adds a remark about the session, such as a directory that every search skips: the runtime shows the same words once in a
    /// session.
    pub fn note_once(&mut self, note: impl Into<String>) {
        self.notes.push(Note { words: note.into(), scope: Scope::Session });
    }

    /// Drops the remarks about the session that `is_new` does not want again.
    pub fn retain_new(&mut self, mut is_new: impl FnMut(&str) -> bool) {
        self.notes.retain(|note| note.scope == Scope::Call || is_new(&note.words));
    }

    /// Puts the remarks into a part of their own: the text is for a program. It then ends with a line break, so that a client that
    /// joins the parts keeps them on different lines.
    pub fn remarks_apart(&mut self) {
        self.remarks = Remarks::Apart;
    }

    /// Says that the caller asked for all of it, however long.
    pub fn all(&mut self) {
        self.extent = Extent::All;
    }

    /// Tells whether the caller asked for all of it.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.extent == Extent::All
    }

    /// Gives the finished parts: remarks stand after the text, one a line, in a form that the write guard
    /// knows: they are never taken for content.
    #[must_use]
    pub fn finish(mut self) -> Vec<Part> {
        let notes = std::mem::take(&mut self.notes);
        if !notes.is_empty() {
            self.end_line();
        }
        if self.remarks == Remarks::Apart && !notes.is_empty() {
            self.parts.push(Part::Text(String::new()));
        }
        for Note { words, .. } in notes {
            self.text(&format!("{NOTICE}{words}]\n"));
        }
        self.close();
        if self.parts.is_empty() {
            self.parts.push(Part::Text("(empty)".to_owned()));
        }
        self.parts
    }

    /// Ends the last line, unless it is ended.
    fn end_line(&mut self) {
        if let Some(Part::Text(last)) = self.parts.last_mut()
            && !last.is_empty()
            && !last.ends_with('\n')
        {
            last.push('\n');
        }
    }

    /// Takes off the end of the last line.
    fn close(&mut self) {
        if let Some(Part::Text(last)) = self.parts.last_mut()
            && last.ends_with('\n')
        {
            last.pop();
        }
    }

    /// Gives the parts so far, to be cut.
    pub fn parts_mut(&mut self) -> &mut Vec<Part> {
        &mut self.parts
    }
}

/// Writes arguments as a model would send them, for an example in a next step.
#[must_use]
pub fn example(arguments: &[(&str, &str)]) -> String {
    let object = arguments.iter().map(|(name, value)| ((*name).to_owned(), serde_json::Value::from(*value)));
    serde_json::Value::Object(object.collect()).to_string()
}
