//! Who is asked where a rule says `ask` and the client cannot be asked.

use crate::args::Ask;
use std::{
    io::{IsTerminal, Write, stdin, stdout},
    sync::Arc,
};
use toolpost_runtime::{Asker, Asking, Question, Verdict};

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
        let words = question.words();
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || prompt(&words)).await;
            match asked {
                Ok(Ok(true)) => Verdict::Allow,
                Ok(Ok(false)) => Verdict::Deny("The person at the terminal said no.".to_owned()),
                Ok(Err(error)) => Verdict::Deny(format!("The terminal could not be asked: {error}.")),
                Err(_) => Verdict::Deny("The question was interrupted.".to_owned()),
            }
        })
    }
}

fn prompt(words: &str) -> std::io::Result<bool> {
    let mut out = std::io::stderr().lock();
    write!(out, "{words} [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
