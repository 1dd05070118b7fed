//! What a person at the terminal sees of a loop: each turn, each call and how it went, and the words between.

use crate::out::harmless;
use std::{
    collections::HashMap,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_agent::{Given, Happening, Watch, models::Went};
use toolpost_text::{cut, redact::redact};

/// How many characters of arguments are shown.
const SHOWN: usize = 120;

/// Makes who watches: lines on standard error.
pub(crate) fn watch() -> Watch {
    let open = Mutex::new(HashMap::new());
    Arc::new(move |happening: &Happening| {
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = std::io::stderr().lock();
        for line in of_all(happening, &mut open) {
            let _ = writeln!(out, "{line}");
        }
    })
}

/// Gives the lines for something that happened to anybody: those of an agent that does a part of the work say whose they are.
fn of_all(happening: &Happening, open: &mut HashMap<String, String>) -> Vec<String> {
    let Happening::Within { agent, happening } = happening else {
        return lines(happening, open.entry(String::new()).or_default());
    };
    let own = lines(happening, open.entry(agent.clone()).or_default());
    if matches!(**happening, Happening::Ended(_)) {
        open.remove(agent);
    }
    own.into_iter().map(|line| format!("    [{}] {line}", harmless(agent))).collect()
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
        Happening::Words(_) | Happening::Calling(_) | Happening::Within { .. } => return None,
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
    fn what_agents_do_at_once_is_told_apart() {
        let within = |agent: &str, happening: Happening| Happening::Within {
            agent: agent.to_owned(),
            happening: Box::new(happening),
        };
        let words = |words: &str| Happening::Words(words.to_owned());
        let rows = [
            (within("looker 1", words("one ")), vec![]),
            (within("agent 2", words("two\n")), vec!["    [agent 2]   | two"]),
            (words("three\n"), vec!["  | three"]),
            (
                within("looker 1", Happening::Turn { number: 2 }),
                vec!["    [looker 1]   | one ", "    [looker 1] turn 2"],
            ),
        ];
        let mut open = HashMap::new();
        for (happening, wanted) in rows {
            assert_eq!(of_all(&happening, &mut open), wanted, "{happening:?}");
        }
    }

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
