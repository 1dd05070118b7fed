//! What a person at the terminal sees of a loop: each turn, each call and how it went, and the words between.

use crate::out::harmless;
use std::{
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_agent::{Given, Happening, Watch, models::Went};
use toolpost_text::{cut, redact::redact};

/// How many characters of arguments are shown.
const SHOWN: usize = 120;

/// Makes who watches: lines on standard error.
pub(crate) fn watch() -> Watch {
    let open = Mutex::new(String::new());
    Arc::new(move |happening: &Happening| {
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = std::io::stderr().lock();
        for line in lines(happening, &mut open) {
            let _ = writeln!(out, "{line}");
        }
    })
}

/// Gives the lines for something that happened; words are kept until their line is whole.
fn lines(happening: &Happening, open: &mut String) -> Vec<String> {
    let mut lines = Vec::new();
    if let Happening::Words(words) = happening {
        open.push_str(words);
        while let Some((line, rest)) = open.split_once('\n') {
            lines.push(format!("  | {}", harmless(line)));
            *open = rest.to_owned();
        }
        return lines;
    }
    if matches!(happening, Happening::Calling(_)) {
        return lines;
    }
    let words = std::mem::take(open);
    if !words.trim().is_empty() {
        lines.push(format!("  | {}", harmless(&words)));
    }
    lines.extend(line(happening));
    lines
}

fn line(happening: &Happening) -> Option<String> {
    let line = match happening {
        Happening::Words(_) | Happening::Calling(_) => return None,
        Happening::Turn { number } => format!("turn {number}"),
        Happening::Again { fault, pause, next } => {
            format!("  ! {fault}; try {next} in {:.1} s", pause.as_secs_f64())
        }
        Happening::Unseen { fault } => {
            format!("  ! pictures are not shown to this model from here on, only named: {fault}")
        }
        Happening::Call { tool, arguments } => {
            let arguments = redact(arguments).replace('\n', " ");
            let (shown, more) = cut::line(&arguments, SHOWN);
            format!("  > {tool} {shown}{}", if more == 0 { "" } else { "…" })
        }
        Happening::Settled { tool, went, bytes, took } => {
            let went = if *went == Went::Done { "done" } else { "FAILED" };
            format!("  < {tool} {went}, {bytes} bytes, {} ms", took.as_millis())
        }
        Happening::Shortened { from, to } => {
            format!("  ~ the conversation was made shorter: about {from} tokens, now {to}")
        }
        Happening::Permission { what, given, why } => {
            let given = if *given == Given::Yes { "allowed" } else { "refused" };
            format!("  ? {}: {given}, {why}", redact(what))
        }
        Happening::Ended(used) => format!("used: {used}"),
    };
    Some(harmless(&line).replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn words_come_in_whole_lines_before_what_follows() {
        let call = Happening::Call {
            tool: "look".to_owned(),
            arguments: format!("{{\"path\":\"{}\u{1b}[31m\"}}", "a".repeat(120)),
        };
        let settled = Happening::Settled {
            tool: "look".to_owned(),
            went: Went::Failed,
            bytes: 12,
            took: Duration::from_millis(7),
        };
        let rows: [(Happening, &[&str]); 6] = [
            (Happening::Turn { number: 1 }, &["turn 1"]),
            (Happening::Words("one\ntw".to_owned()), &["  | one"]),
            (Happening::Words("o\u{1b}[2J".to_owned()), &[]),
            (Happening::Calling("look".to_owned()), &[]),
            (call, &["  | two\\u{1b}[2J", &format!("  > look {{\"path\":\"{}…", "a".repeat(111))]),
            (settled, &["  < look FAILED, 12 bytes, 7 ms"]),
        ];
        let mut open = String::new();
        for (happening, wanted) in rows {
            assert_eq!(lines(&happening, &mut open), wanted, "{happening:?}");
        }
    }
}
