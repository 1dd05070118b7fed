//! What was said in a piece of work, on the disk: a line for each message, so that another process can go on with it.

use crate::{
    ending::Reason,
    models::{Message, Usage},
};
use serde::{Deserialize, Serialize};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};
use thiserror::Error;
use toolpost_workspace::{operator, unique};

/// The folder of the transcripts in the state folder.
const FOLDER: &str = "transcripts";
/// How the name of a transcript ends.
const ENDS: &str = ".jsonl";
/// The most that a transcript may have which is read again.
const MOST: u64 = 256 * 1024 * 1024;
/// How many characters an id may have.
const LONGEST: usize = 64;

/// How a piece of work began: its task, and the settings with which it goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Began {
    /// Its id.
    pub id: String,
    /// What was to be done.
    pub task: String,
    /// The dialects of the tools.
    pub dialects: Vec<String>,
    /// The model, or the command of an external agent.
    pub model: String,
    /// The roots of the workspace.
    pub roots: Vec<String>,
    /// The provider of the model; `None` in older transcripts and for an external agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The URL of the model service, if it is not the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The command of an external agent, and its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acp: Option<Vec<String>>,
    /// What an external agent may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acp_may: Option<String>,
    /// The only tools, if not all were served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What no tool could do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Whether no tool could write.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The session in which tasks are kept; empty in older transcripts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
}

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line {
    Began(Box<Began>),
    Message {
        message: Message,
    },
    Usage(Usage),
    /// From here on these messages stand for all before.
    Shortened {
        messages: Vec<Message>,
    },
    Ended(Reason),
}

/// What a transcript holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// With what the work began.
    pub began: Began,
    /// What was said, as far as it still counts.
    pub messages: Vec<Message>,
    /// Why the work ended, if it did.
    pub ended: Option<Reason>,
    /// How often the model answered.
    pub turns: usize,
}

/// A transcript in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// When it was last written.
    pub time: SystemTime,
    /// What it holds.
    pub kept: Kept,
}

/// Why there is no transcript.
#[derive(Debug, Error)]
pub enum TranscriptError {
    /// The id cannot be one.
    #[error(
        "`{0}` is not the id of a transcript: ids have letters, digits and hyphens, as `toolpost agent list` shows them"
    )]
    Id(String),
    /// Nothing has that id.
    #[error("no work has the id {id} (there is no {place}): `toolpost agent list` shows what there is")]
    Missing {
        /// The id.
        id: String,
        /// Where it would be.
        place: String,
    },
    /// It was damaged by somebody else.
    #[error("line {line} of {place} is damaged, and it is not the last one: start the task again")]
    Damaged {
        /// The line.
        line: usize,
        /// The file.
        place: String,
    },
    /// The disk says no.
    #[error("{place} cannot be used: {why}")]
    Io {
        /// The file.
        place: String,
        /// What the system said.
        why: io::Error,
    },
}

/// Where a piece of work is written down.
pub struct Transcript {
    id: String,
    out: Option<Mutex<Box<dyn Write + Send>>>,
}

impl Transcript {
    /// Writes nothing down.
    #[must_use]
    pub fn none() -> Self {
        Self { id: String::new(), out: None }
    }

    /// Begins one in a state folder.
    ///
    /// # Errors
    /// When it cannot be written there.
    pub fn begin(state: &Path, began: Began) -> Result<Self, TranscriptError> {
        let id = if began.id.is_empty() { unique() } else { began.id };
        let line = Line::Began(Box::new(Began { id: id.clone(), ..began }));
        Self::written(state, id, &[line])
    }

    /// Goes on with one; what a process that was killed wrote of its last line is dropped.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be read and written.
    pub fn resume(state: &Path, id: &str) -> Result<(Self, Kept), TranscriptError> {
        let lines = read(state, id)?;
        let transcript = Self::written(state, id.to_owned(), &lines)?;
        Ok((transcript, kept(lines)))
    }

    /// Reads one without changing it.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be read.
    pub fn read(state: &Path, id: &str) -> Result<Kept, TranscriptError> {
        Ok(kept(read(state, id)?))
    }

    /// Lists all transcripts of a state folder that can be read, the latest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(state: &Path) -> Result<Vec<Listed>, TranscriptError> {
        let folder = state.join(FOLDER);
        let failed = |why| TranscriptError::Io { place: folder.display().to_string(), why };
        let files = operator::names(&folder, ENDS).map_err(failed)?;
        let listed = files.into_iter().filter_map(|(name, time)| {
            let id = name.strip_suffix(ENDS)?;
            let mut kept = Self::read(state, id).ok()?;
            id.clone_into(&mut kept.began.id);
            Some(Listed { time, kept })
        });
        let mut listed: Vec<Listed> = listed.collect();
        listed.sort_by(|one, other| (other.time, &other.kept.began.id).cmp(&(one.time, &one.kept.began.id)));
        Ok(listed)
    }

    /// Writes a whole transcript, and opens it to go on.
    fn written(state: &Path, id: String, lines: &[Line]) -> Result<Self, TranscriptError> {
        let place = place(state, &id)?;
        let failed = |why| TranscriptError::Io { place: place.display().to_string(), why };
        let text: Vec<String> = lines.iter().map(in_a_line).collect();
        operator::replace(&place, &text.concat()).map_err(failed)?;
        let out: Box<dyn Write + Send> = Box::new(operator::append(&place).map_err(failed)?);
        Ok(Self { id, out: Some(Mutex::new(out)) })
    }

    /// Gives the id; nothing where nothing is written down.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.out.as_ref().map(|_| self.id.as_str())
    }

    /// Writes down a message.
    pub fn message(&self, message: &Message) {
        self.line(&Line::Message { message: message.clone() });
    }

    /// Writes down what an answer took.
    pub fn usage(&self, usage: Usage) {
        self.line(&Line::Usage(usage));
    }

    /// Writes down that these messages stand for all before.
    pub fn shortened(&self, messages: &[Message]) {
        self.line(&Line::Shortened { messages: messages.to_vec() });
    }

    /// Writes down why the work ended.
    pub fn ended(&self, reason: &Reason) {
        self.line(&Line::Ended(reason.clone()));
    }

    /// A line is one write: a process that is killed leaves it whole, or torn at the end of the file.
    fn line(&self, line: &Line) {
        let Some(out) = &self.out else { return };
        let written =
            out.lock().unwrap_or_else(PoisonError::into_inner).write_all(in_a_line(line).as_bytes());
        if let Err(error) = written {
            tracing::warn!(%error, "the transcript could not be written on");
        }
    }
}

fn read(state: &Path, id: &str) -> Result<Vec<Line>, TranscriptError> {
    let place = place(state, id)?;
    let failed = |why| TranscriptError::Io { place: place.display().to_string(), why };
    let text = operator::read_at_most(&place, MOST).map_err(failed)?;
    let missing = || TranscriptError::Missing { id: id.to_owned(), place: place.display().to_string() };
    lines(&text.ok_or_else(missing)?, &place)
}

fn place(state: &Path, id: &str) -> Result<PathBuf, TranscriptError> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if id.is_empty() || id.len() > LONGEST || !id.chars().all(fits) {
        return Err(TranscriptError::Id(id.chars().take(LONGEST).flat_map(char::escape_default).collect()));
    }
    Ok(state.join(FOLDER).join(format!("{id}{ENDS}")))
}

/// Writes a line of ASCII alone: one that is torn never ends within a letter.
fn in_a_line(line: &Line) -> String {
    let text = serde_json::to_string(line).unwrap_or_default();
    let mut ascii = String::with_capacity(text.len() + 1);
    for letter in text.chars() {
        if letter.is_ascii() {
            ascii.push(letter);
        } else {
            let units = letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>();
            ascii.push_str(&units);
        }
    }
    ascii.push('\n');
    ascii
}

fn lines(text: &str, place: &Path) -> Result<Vec<Line>, TranscriptError> {
    let mut lines = Vec::new();
    let last = text.lines().count();
    for (at, line) in text.lines().enumerate() {
        match serde_json::from_str(line) {
            Ok(line) => lines.push(line),
            Err(_) if at + 1 == last && !text.ends_with('\n') => {}
            Err(_) => {
                return Err(TranscriptError::Damaged { line: at + 1, place: place.display().to_string() });
            }
        }
    }
    Ok(lines)
}

fn kept(lines: Vec<Line>) -> Kept {
    let mut kept = Kept::default();
    for line in lines {
        match line {
            Line::Began(began) => kept.began = *began,
            Line::Message { message } => {
                kept.turns += usize::from(matches!(message, Message::Model(_)));
                kept.messages.push(message);
                kept.ended = None;
            }
            Line::Usage(_) => {}
            Line::Shortened { messages } => kept.messages = messages,
            Line::Ended(reason) => kept.ended = Some(reason),
        }
    }
    kept
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build their own worlds")]
mod tests {
    use super::*;
    use crate::models::{Asked, Said};

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned() }
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_written_over() {
        let state = tempfile::tempdir().unwrap();
        let began = Began { task: "t".to_owned(), ..Began::default() };
        let transcript = Transcript::begin(state.path(), began).unwrap();
        let id = transcript.id().unwrap().to_owned();
        let call =
            Asked { id: "a".to_owned(), tool: "x".to_owned(), arguments: "{".to_owned(), marks: Vec::new() };
        let said = Message::Model(Said { text: "ä\n".to_owned(), calls: vec![call], thoughts: Vec::new() });
        [&user("one"), &said].into_iter().for_each(|message| transcript.message(message));
        let place = state.path().join(format!("transcripts/{id}.jsonl"));
        let whole = std::fs::read(&place).unwrap();
        let second = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
        for cut in second..=whole.len() {
            std::fs::write(&place, &whole[..cut]).unwrap();
            let wanted =
                if cut + 1 >= whole.len() { vec![user("one"), said.clone()] } else { vec![user("one")] };
            let (again, kept) = Transcript::resume(state.path(), &id).unwrap();
            assert_eq!(kept.messages, wanted, "{cut}");
            again.message(&user("more"));
            let (_, kept) = Transcript::resume(state.path(), &id).unwrap();
            assert_eq!(kept.messages, [wanted, vec![user("more")]].concat(), "{cut}");
        }
    }

    #[test]
    fn what_is_no_transcript_is_told_apart() {
        let state = tempfile::tempdir().unwrap();
        let transcript = Transcript::begin(state.path(), Began::default()).unwrap();
        let id = transcript.id().unwrap().to_owned();
        let place = state.path().join(format!("transcripts/{id}.jsonl"));
        std::fs::write(&place, "no line\n{\"line\":\"ended\",\"reason\":\"completed\"}\n").unwrap();
        let shown = place.display();
        let none = state.path().join("transcripts/none.jsonl");
        let rows = [
            (id.as_str(), format!("line 1 of {shown} is damaged, and it is not the last one: start the task again")),
            ("none", format!("no work has the id none (there is no {}): `toolpost agent list` shows what there is", none.display())),
            (
                "../up",
                "`../up` is not the id of a transcript: ids have letters, digits and hyphens, as `toolpost agent list` shows them"
                    .to_owned(),
            ),
        ];
        for (id, wanted) in rows {
            let error = Transcript::resume(state.path(), id).err().unwrap();
            assert_eq!(error.to_string(), wanted);
        }
    }
}
