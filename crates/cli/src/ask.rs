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

/// Creates the asker for the setting `ask`.
pub(crate) fn asker(ask: AskFallback, input: Input) -> Arc<dyn Asker> {
    let terminal = input == Input::Person && stdin().is_terminal() && stdout().is_terminal();
    match ask {
        AskFallback::Prompt | AskFallback::Deny if terminal => Arc::new(Terminal),
        other => approvals::without_terminal(other),
    }
}

/// Prompts at the terminal.
struct Terminal;

impl Asker for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a> {
        let question = question.clone();
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

fn letter(span: Span) -> char {
    match span {
        Span::Session => 's',
        Span::Always => 'a',
    }
}

/// Interprets a key: `y` and the keys of the offered scopes approve; `n`, `q`, Enter, Escape and Ctrl-D decline; any
/// other key is ignored.
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
