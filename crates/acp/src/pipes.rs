//! Standard streams of an external agent: JSON lines, other output, and error output.

use futures_util::{Sink, Stream, sink, stream};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::unix::pipe,
};
use toolpost_text::{cut, redact::redact};

/// Maximum size of a message, in bytes.
pub(super) const LONGEST: usize = 32 * 1024 * 1024;
/// Maximum number of recorded lines; older ones are dropped.
const KEPT: usize = 8;
/// Maximum length of a recorded line, in characters.
const CHARACTERS: usize = 300;

/// The last lines of an agent's output that are not protocol messages.
#[derive(Debug, Default)]
pub(super) struct Tail {
    lines: Mutex<VecDeque<String>>,
    fault: OnceLock<String>,
}

impl Tail {
    fn add(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let text = redact(text);
        let (shown, more) = cut::line(&text, CHARACTERS);
        let line: String =
            shown.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let mut kept = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(format!("{line}{}", if more == 0 { "" } else { "…" }));
    }

    /// Returns an error if the agent wrote a message that is too long, after which its output is not read any
    /// more; otherwise `None`.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Returns the recorded lines as the end of a sentence; empty if there are none.
    pub(super) fn words(&self) -> String {
        let kept = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_empty() {
            return String::new();
        }
        format!(". Its last output other than protocol messages: {}", Vec::from(kept.clone()).join(" ⏎ "))
    }
}

/// Returns the stream of messages, one per line. Other lines are recorded for error messages.
pub(super) fn messages(
    output: pipe::Receiver,
    tail: Arc<Tail>,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    stream::unfold((BufReader::new(output), tail), async |(mut reader, tail)| {
        match message(&mut reader, &tail).await {
            Ok(Some(line)) => Some((Ok(line), (reader, tail))),
            Ok(None) => None,
            Err(error) => Some((Err(error), (reader, tail))),
        }
    })
}

async fn message(reader: &mut BufReader<pipe::Receiver>, tail: &Tail) -> io::Result<Option<String>> {
    loop {
        let mut line = Vec::new();
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
        if (&mut *reader).take(most).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") && line.len() >= LONGEST {
            let why =
                tail.fault.get_or_init(|| format!("the agent wrote a message of more than {LONGEST} bytes"));
            return Err(io::Error::other(why.clone()));
        }
        if line.trim_ascii_start().starts_with(b"{") {
            return Ok(Some(String::from_utf8_lossy(line.trim_ascii()).into_owned()));
        }
        tail.add(&line);
    }
}

/// Returns the sink of messages to the agent.
pub(super) fn written(input: pipe::Sender) -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold(input, async |mut input, mut line: String| {
        line.push('\n');
        input.write_all(line.as_bytes()).await?;
        Ok(input)
    })
}

/// Records the last lines of the error output, until it ends.
pub(super) async fn listen(errors: pipe::Receiver, tail: Arc<Tail>) {
    let mut reader = BufReader::new(errors);
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
    let mut line = Vec::new();
    while let Ok(1..) = (&mut reader).take(most).read_until(b'\n', &mut line).await {
        tail.add(&line);
        line.clear();
    }
}
