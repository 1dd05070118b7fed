//! Transcripts of runs: a JSON line for each message, so that another process can resume the run.

use crate::{
    models::{Message, Usage},
    outcome::Reason,
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

/// Transcript directory in the state directory.
const FOLDER: &str = "transcripts";
/// File extension of a transcript.
const ENDS: &str = ".jsonl";
/// Maximum size of a transcript that can be read, in bytes.
const MOST: u64 = 256 * 1024 * 1024;
/// Maximum length of an id, in characters.
const LONGEST: usize = 64;

/// Header of a transcript: the task, and the settings for resuming it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Id of the run.
    pub id: String,
    /// Text of the task.
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
    /// The URL of the model service, if it is not the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The command of an external agent, and its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acp: Option<Vec<String>>,
    /// Permissions of an external agent, as in the setting `acp_may`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acp_may: Option<String>,
    /// Names or patterns of the served tools; `None` if all were served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Denied capabilities, as in the setting `deny`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// True if the setting `read_only` was on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Name of the session that has the task list; empty in older transcripts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
}

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line {
    Began(Box<RunHeader>),
    Message {
        message: Message,
    },
    Usage(Usage),
    /// These messages replace all earlier ones.
    Shortened {
        messages: Vec<Message>,
    },
    Ended(Reason),
}

/// Content of a transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredRun {
    /// Header of the transcript.
    pub began: RunHeader,
    /// The conversation; the last compaction has replaced the messages before it.
    pub messages: Vec<Message>,
    /// Reason why the run ended, if it has.
    pub ended: Option<Reason>,
    /// Number of model answers.
    pub turns: usize,
}

/// A transcript in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptEntry {
    /// Last modification time.
    pub time: SystemTime,
    /// Content of the transcript.
    pub run: StoredRun,
}

/// Error of a transcript.
#[derive(Debug, Error)]
pub enum TranscriptError {
    /// The id is invalid.
    #[error(
        "`{0}` is not the id of a transcript: ids have letters, digits and hyphens, as `toolpost agent \
         list` shows them"
    )]
    Id(String),
    /// The id is unknown.
    #[error("no run has the id {id} (there is no {place}): `toolpost agent list` lists the runs")]
    Missing {
        /// The unknown id.
        id: String,
        /// Path where the transcript would be.
        place: String,
    },
    /// A line is damaged in a way that an interrupted write cannot cause: such a write only cuts the last line.
    #[error("line {line} of {place} is damaged, so the run cannot be resumed: start the task again")]
    Damaged {
        /// Number of the damaged line, counted from 1.
        line: usize,
        /// Path of the transcript.
        place: String,
    },
    /// An I/O error.
    #[error("{place} cannot be read or written: {why}")]
    Io {
        /// Path of the file or directory.
        place: String,
        /// The system's error.
        why: io::Error,
    },
}

/// Writer of a transcript.
pub struct Transcript {
    id: String,
    out: Option<Mutex<Box<dyn Write + Send>>>,
}

impl Transcript {
    /// Returns a transcript that records nothing.
    #[must_use]
    pub fn none() -> Self {
        Self { id: String::new(), out: None }
    }

    /// Starts a transcript in a state directory.
    ///
    /// # Errors
    /// If the transcript cannot be written there.
    pub fn begin(state: &Path, began: RunHeader) -> Result<Self, TranscriptError> {
        let id = if began.id.is_empty() { unique() } else { began.id };
        let line = Line::Began(Box::new(RunHeader { id: id.clone(), ..began }));
        Self::written(state, id, &[line])
    }

    /// Reopens a transcript; an incomplete last line of a killed process is dropped.
    ///
    /// # Errors
    /// If the id is invalid or unknown, or the file is damaged or cannot be read or written.
    pub fn resume(state: &Path, id: &str) -> Result<(Self, StoredRun), TranscriptError> {
        let lines = read(state, id)?;
        let transcript = Self::written(state, id.to_owned(), &lines)?;
        Ok((transcript, stored_run(lines)))
    }

    /// Reads a transcript without changing it.
    ///
    /// # Errors
    /// If the id is invalid or unknown, or the file is damaged or cannot be read.
    pub fn read(state: &Path, id: &str) -> Result<StoredRun, TranscriptError> {
        Ok(stored_run(read(state, id)?))
    }

    /// Lists all readable transcripts of a state directory, newest first.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn list(state: &Path) -> Result<Vec<TranscriptEntry>, TranscriptError> {
        let folder = state.join(FOLDER);
        let failed = |why| TranscriptError::Io { place: folder.display().to_string(), why };
        let files = operator::names(&folder, ENDS).map_err(failed)?;
        let listed = files.into_iter().filter_map(|(name, time)| {
            let id = name.strip_suffix(ENDS)?;
            let mut stored_run = Self::read(state, id).ok()?;
            id.clone_into(&mut stored_run.began.id);
            Some(TranscriptEntry { time, run: stored_run })
        });
        let mut listed: Vec<TranscriptEntry> = listed.collect();
        listed.sort_by(|one, other| (other.time, &other.run.began.id).cmp(&(one.time, &one.run.began.id)));
        Ok(listed)
    }

    /// Writes a complete transcript, and opens it for appending.
    fn written(state: &Path, id: String, lines: &[Line]) -> Result<Self, TranscriptError> {
        let place = place(state, &id)?;
        let failed = |why| TranscriptError::Io { place: place.display().to_string(), why };
        let text: Vec<String> = lines.iter().map(in_a_line).collect();
        operator::replace(&place, &text.concat()).map_err(failed)?;
        let out: Box<dyn Write + Send> = Box::new(operator::append(&place).map_err(failed)?);
        Ok(Self { id, out: Some(Mutex::new(out)) })
    }

    /// Returns the id; `None` if nothing is recorded.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.out.as_ref().map(|_| self.id.as_str())
    }

    /// Records a message.
    pub fn message(&self, message: &Message) {
        self.line(&Line::Message { message: message.clone() });
    }

    /// Records the token usage of an answer.
    pub fn usage(&self, usage: Usage) {
        self.line(&Line::Usage(usage));
    }

    /// Records that `messages` replace all earlier messages.
    pub fn shortened(&self, messages: &[Message]) {
        self.line(&Line::Shortened { messages: messages.to_vec() });
    }

    /// Records the reason why the run ended.
    pub fn ended(&self, reason: &Reason) {
        self.line(&Line::Ended(reason.clone()));
    }

    /// Appends a line in a single write: a killed process leaves the line complete, or cut at the end of the
    /// file.
    fn line(&self, line: &Line) {
        let Some(out) = &self.out else { return };
        let written =
            out.lock().unwrap_or_else(PoisonError::into_inner).write_all(in_a_line(line).as_bytes());
        if let Err(error) = written {
            tracing::warn!(%error, "cannot write the transcript");
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

/// Formats a line in ASCII only, so that a torn line never ends within a character.
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

fn stored_run(lines: Vec<Line>) -> StoredRun {
    let mut stored_run = StoredRun::default();
    for line in lines {
        match line {
            Line::Began(began) => stored_run.began = *began,
            Line::Message { message } => {
                stored_run.turns += usize::from(matches!(message, Message::Model(_)));
                stored_run.messages.push(message);
                stored_run.ended = None;
            }
            Line::Usage(_) => {}
            Line::Shortened { messages } => stored_run.messages = messages,
            Line::Ended(reason) => stored_run.ended = Some(reason),
        }
    }
    stored_run
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write files")]
mod tests {
    use super::*;
    use crate::models::{CallRequest, ModelMessage};

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned() }
    }

    #[test]
    fn an_incomplete_last_line_is_dropped_on_resume() {
        let state = tempfile::tempdir().unwrap();
        let began = RunHeader { task: "t".to_owned(), ..RunHeader::default() };
        let transcript = Transcript::begin(state.path(), began).unwrap();
        let id = transcript.id().unwrap().to_owned();
        let call = CallRequest {
            id: "a".to_owned(),
            tool: "x".to_owned(),
            arguments: "{".to_owned(),
            marks: Vec::new(),
        };
        let said =
            Message::Model(ModelMessage { text: "ä\n".to_owned(), calls: vec![call], thoughts: Vec::new() });
        [&user("one"), &said].into_iter().for_each(|message| transcript.message(message));
        let place = state.path().join(format!("transcripts/{id}.jsonl"));
        let whole = std::fs::read(&place).unwrap();
        let second = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
        for cut in second..=whole.len() {
            std::fs::write(&place, &whole[..cut]).unwrap();
            let wanted =
                if cut + 1 >= whole.len() { vec![user("one"), said.clone()] } else { vec![user("one")] };
            let (again, stored_run) = Transcript::resume(state.path(), &id).unwrap();
            assert_eq!(stored_run.messages, wanted, "{cut}");
            again.message(&user("more"));
            let (_, stored_run) = Transcript::resume(state.path(), &id).unwrap();
            assert_eq!(stored_run.messages, [wanted, vec![user("more")]].concat(), "{cut}");
        }
    }

    #[test]
    fn invalid_transcripts_fail_with_a_reason() {
        let state = tempfile::tempdir().unwrap();
        let transcript = Transcript::begin(state.path(), RunHeader::default()).unwrap();
        let id = transcript.id().unwrap().to_owned();
        let place = state.path().join(format!("transcripts/{id}.jsonl"));
        std::fs::write(&place, "no line\n{\"line\":\"ended\",\"reason\":\"completed\"}\n").unwrap();
        let shown = place.display();
        let none = state.path().join("transcripts/none.jsonl");
        let rows = [
            (
                id.as_str(),
                format!("line 1 of {shown} is damaged, so the run cannot be resumed: start the task again"),
            ),
            (
                "none",
                format!(
                    "no run has the id none (there is no {}): `toolpost agent list` lists the runs",
                    none.display()
                ),
            ),
            (
                "../up",
                "`../up` is not the id of a transcript: ids have letters, digits and hyphens, as `toolpost \
                 agent list` shows them"
                    .to_owned(),
            ),
        ];
        for (id, wanted) in rows {
            let error = Transcript::resume(state.path(), id).err().unwrap();
            assert_eq!(error.to_string(), wanted);
        }
    }
}
