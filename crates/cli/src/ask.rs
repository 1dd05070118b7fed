//! Approval prompts on the command line.

use crate::terminal;
use std::{
    io::{IsTerminal, Write, stdin, stdout},
    sync::{Arc, Mutex, PoisonError},
};
use toolpost::{approvals, settings::values::AskFallback};
use toolpost_runtime::{Asker, Question, Span, Verdict, VerdictFuture};

/// Use of standard input: a person can answer prompts there (`Person`), or it carries other data (`Taken`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Person,
    Taken,
}

/// The number of calls in the session of a prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionCalls {
    /// The session ends with the call, so an approval for the session would not outlast the call.
    One,
    /// More calls of the session may follow.
    Several,
}

/// Creates the asker for the setting `ask`.
pub(crate) fn asker(ask: AskFallback, input: Input, calls: SessionCalls) -> Arc<dyn Asker> {
    let terminal = input == Input::Person && stdin().is_terminal() && stdout().is_terminal();
    match ask {
        AskFallback::Prompt | AskFallback::Deny if terminal => Arc::new(Terminal { calls }),
        other => approvals::without_terminal(other),
    }
}

/// Prompts at the terminal.
struct Terminal {
    calls: SessionCalls,
}

impl Asker for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a> {
        let question = offered(question.clone(), self.calls);
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || prompt(&question)).await;
            match asked {
                Ok(Ok(verdict)) => verdict,
                Ok(Err(error)) => Verdict::Deny(format!("The prompt at the terminal failed: {error}.")),
                Err(_) => Verdict::Deny("The prompt was interrupted.".to_owned()),
            }
        })
    }
}

/// Removes the scope of the session from a question if the session ends with the call.
fn offered(mut question: Question, calls: SessionCalls) -> Question {
    if calls == SessionCalls::One {
        question.spans.retain(|span| *span != Span::Session);
    }
    question
}

/// Held during a prompt, so that a key cannot answer another prompt.
static ASKING: Mutex<()> = Mutex::new(());

/// Prints a prompt, and waits for a key that answers it or for the end of the input.
fn prompt(question: &Question) -> std::io::Result<Verdict> {
    let _turn = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = std::io::stderr().lock();
    write!(out, "{}\n{}> ", question.words(), keys(question))?;
    out.flush()?;
    // Unlocks standard error, so that other threads can print while the user decides, for example after a signal.
    drop(out);
    let verdict = loop {
        let Some(key) = terminal::key()? else { break Verdict::Deny(CLOSED.to_owned()) };
        if let Some(verdict) = understood(key, &question.spans) {
            break verdict;
        }
        // Only the first byte of a character beyond ASCII is reported.
        if key & 0b1100_0000 != 0b1000_0000 {
            eprint!("press {}\n> ", letters(&question.spans));
        }
    };
    let word = match &verdict {
        Verdict::Allow => "allowed once",
        Verdict::AllowFor(Span::Session) => "allowed for this session",
        Verdict::AllowFor(Span::Always) => "always allowed",
        Verdict::Deny(_) | Verdict::Declined(_) | Verdict::Later => "denied",
    };
    eprintln!("{word}");
    Ok(verdict)
}

const NO: &str = "The user at the terminal declined it.";
const CLOSED: &str = "The prompt at the terminal was closed without an answer.";

/// Lists the keys with their meaning.
fn keys(question: &Question) -> String {
    let longer =
        question.spans.iter().map(|span| format!("  {}  {}\n", letter(*span), question.choice(*span)));
    let longer: String = longer.collect();
    format!("  y  Allow once\n{longer}  n  Deny\n")
}

/// Lists the keys that answer a question, as in `y, s or n`.
fn letters(spans: &[Span]) -> String {
    let longer: String = spans.iter().map(|span| format!(", {}", letter(*span))).collect();
    format!("y{longer} or n")
}

fn letter(span: Span) -> char {
    match span {
        Span::Session => 's',
        Span::Always => 'a',
    }
}

/// Interprets a key: `y` and the keys of the offered scopes approve; `n`, `q`, Enter, Escape and Ctrl-D decline; any
/// other key is not an answer.
fn understood(key: u8, spans: &[Span]) -> Option<Verdict> {
    const ESCAPE: u8 = 0x1b;
    const END: u8 = 4;
    match key.to_ascii_lowercase() {
        b'y' => Some(Verdict::Allow),
        b'n' | b'q' | b'\n' | b'\r' | ESCAPE | END => Some(Verdict::Declined(NO.to_owned())),
        found => {
            let span = spans.iter().find(|span| letter(**span) == char::from(found));
            span.map(|span| Verdict::AllowFor(*span))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn only_listed_keys_approve() {
        let no = Some(Verdict::Declined(NO.to_owned()));
        let rows = [
            (b'y', Some(Verdict::Allow)),
            (b'Y', Some(Verdict::Allow)),
            (b's', Some(Verdict::AllowFor(Span::Session))),
            (b'a', None),
            (b'n', no.clone()),
            (b'\n', no.clone()),
            (0x1b, no.clone()),
            (4, no),
            (b'x', None),
            (b' ', None),
            (0xc3, None),
        ];
        each(rows, |(key, wanted)| {
            assert_eq!(understood(key, &[Span::Session]), wanted, "{key}");
        });
        assert_eq!(understood(b'a', &[Span::Session, Span::Always]), Some(Verdict::AllowFor(Span::Always)));
    }

    #[test]
    fn a_call_that_ends_its_session_offers_no_approval_for_the_session() {
        let question = Question { spans: vec![Span::Session, Span::Always], ..Question::default() };
        let rows = [(SessionCalls::One, "y, a or n"), (SessionCalls::Several, "y, s, a or n")];
        for (calls, wanted) in rows {
            let offered = offered(question.clone(), calls);
            assert_eq!(letters(&offered.spans), wanted);
            assert_eq!(keys(&offered).contains("for this session"), calls == SessionCalls::Several);
        }
        assert_eq!(letters(&[]), "y or n");
    }

    #[test]
    fn prompt_keys_state_the_covered_access() {
        let question = Question {
            spans: vec![Span::Session, Span::Always],
            covers: "`cargo test` with any further arguments".to_owned(),
            ..Question::default()
        };
        assert_eq!(
            keys(&question),
            "  y  Allow once\n  s  Allow `cargo test` with any further arguments for this session\n  \
             a  Always allow `cargo test` with any further arguments\n  n  Deny\n"
        );
    }
}
