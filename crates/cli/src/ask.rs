//! Who is asked where a rule says `ask` and the client cannot be asked.

use crate::args::Ask;
use std::{
    io::{IsTerminal, Write, stdin, stdout},
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_runtime::{Asker, Asking, Question, Span, Verdict};

/// Whether standard input can be asked, or belongs to something else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Person,
    Taken,
}

/// Makes the asker that the setting names.
pub(crate) fn asker(ask: Ask, input: Input) -> Arc<dyn Asker> {
    let terminal = input == Input::Person && stdin().is_terminal() && stdout().is_terminal();
    match ask {
        Ask::Allow => Arc::new(Verdict::Allow),
        Ask::Prompt if terminal => Arc::new(Terminal),
        Ask::Prompt => Arc::new(Verdict::Deny("Nobody can be asked here: there is no terminal.".to_owned())),
        Ask::Deny if terminal => Arc::new(Terminal),
        Ask::Deny => {
            Arc::new(Verdict::Deny("Nobody can be asked here, and the setting `ask` says deny.".to_owned()))
        }
    }
}

/// Asks the person at the terminal.
struct Terminal;

impl Asker for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        let (words, spans) = (question.words(), question.spans.clone());
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || prompt(&words, &spans)).await;
            match asked {
                Ok(Ok(verdict)) => verdict,
                Ok(Err(error)) => Verdict::Deny(format!("The terminal could not be asked: {error}.")),
                Err(_) => Verdict::Deny("The question was interrupted.".to_owned()),
            }
        })
    }
}

/// Held while a question waits for its answer, so that no answer meets another question.
static ASKING: Mutex<()> = Mutex::new(());

fn prompt(words: &str, spans: &[Span]) -> std::io::Result<Verdict> {
    let _turn = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let offered: String = spans.iter().map(|span| format!("/{}", span.word())).collect();
    let mut out = std::io::stderr().lock();
    write!(out, "{words} [y/N{offered}] ")?;
    out.flush()?;
    // Others print while the user thinks: a signal, for example, says that it was heard.
    drop(out);
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(understood(line.trim(), spans))
}

/// Understands what was typed: a yes for this once, the word for how long it holds, or anything else for a no.
fn understood(line: &str, spans: &[Span]) -> Verdict {
    match spans.iter().find(|span| span.word() == line) {
        Some(span) => Verdict::AllowFor(*span),
        None if matches!(line, "y" | "Y" | "yes") => Verdict::Allow,
        None => Verdict::Deny("The person at the terminal said no.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_word_is_a_yes() {
        let no = Verdict::Deny("The person at the terminal said no.".to_owned());
        let rows = [
            ("y", Verdict::Allow),
            ("yes", Verdict::Allow),
            ("session", Verdict::AllowFor(Span::Session)),
            ("always", no.clone()),
            ("s", no.clone()),
            ("", no),
        ];
        for (line, wanted) in rows {
            assert_eq!(understood(line, &[Span::Session]), wanted, "{line}");
        }
        assert_eq!(understood("always", &[Span::Session, Span::Always]), Verdict::AllowFor(Span::Always));
    }
}
