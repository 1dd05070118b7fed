//! Live view of a running agent on standard error: turns, calls, their results, and the model's text.

use crate::out::{Colours, harmless};
use std::{
    collections::HashMap,
    io::{Write, stderr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use toolpost_agent::{
    AgentEvent, CommandEnd, Effect, FileChange, PermissionDecision, Watch, models::CallStatus,
};
use toolpost_text::plural::counted;
use toolpost_text::{cut, redact::redact};

/// Maximum length of displayed arguments, in characters.
const SHOWN: usize = 120;
/// Maximum number of lines of a displayed failure, and of characters in a displayed line of a failure or a diff.
const WHY: (usize, usize) = (3, 200);
/// Maximum number of diff lines displayed.
const DIFF: usize = 20;

const BOLD: &str = "1";
const FAINT: &str = "2";
const RED: &str = "31";
const YELLOW: &str = "33";
const CYAN: &str = "36";

/// The text that the model has written since its last call. After the run, this is the answer, unless the run failed.
#[derive(Clone, Default)]
pub(crate) struct LastText(Arc<Mutex<String>>);

impl LastText {
    /// Returns whether the live view has shown exactly this answer last.
    pub(crate) fn is(&self, answer: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).trim() == answer.trim()
    }

    fn hear(&self, happening: &AgentEvent) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match happening {
            AgentEvent::Words(words) => text.push_str(words),
            AgentEvent::Turn { .. }
            | AgentEvent::Again { .. }
            | AgentEvent::Call { .. }
            | AgentEvent::Settled { .. }
            | AgentEvent::Permission { .. } => text.clear(),
            AgentEvent::Calling(_)
            | AgentEvent::Unseen { .. }
            | AgentEvent::Shortened { .. }
            | AgentEvent::Ended(_)
            | AgentEvent::Within { .. } => {}
        }
    }
}

/// Returns a callback that prints each event on standard error, and the text that it has printed last.
pub(crate) fn watch() -> (Watch, LastText) {
    let open = Mutex::new(HashMap::new());
    let colours = Colours::of(&stderr());
    let last = LastText::default();
    let hears = last.clone();
    let watch: Watch = Arc::new(move |happening: &AgentEvent| {
        hears.hear(happening);
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = stderr().lock();
        for line in of_all(happening, &mut open, colours) {
            let _ = writeln!(out, "{line}");
        }
    });
    (watch, last)
}

/// Returns the lines for an event; those of a subagent begin with its name.
fn of_all(happening: &AgentEvent, open: &mut HashMap<String, String>, colours: Colours) -> Vec<String> {
    let AgentEvent::Within { agent, happening } = happening else {
        return lines(happening, open.entry(String::new()).or_default(), colours);
    };
    let own = lines(happening, open.entry(agent.clone()).or_default(), colours);
    if matches!(**happening, AgentEvent::Ended(_)) {
        open.remove(agent);
    }
    let name = colours.paint(&format!("[{}]", harmless(agent)), FAINT);
    own.into_iter().map(|line| format!("    {name} {line}")).collect()
}

/// Returns the lines for an event; the model's text is held back until a line is complete or another event follows.
fn lines(happening: &AgentEvent, open: &mut String, colours: Colours) -> Vec<String> {
    let mut lines = Vec::new();
    if let AgentEvent::Words(words) = happening {
        open.push_str(words);
        while let Some((line, rest)) = open.split_once('\n') {
            lines.push(format!("  | {}", harmless(line)));
            *open = rest.to_owned();
        }
        return lines;
    }
    if matches!(happening, AgentEvent::Calling(_)) {
        return lines;
    }
    let words = std::mem::take(open);
    if !words.trim().is_empty() {
        lines.push(format!("  | {}", harmless(&words)));
    }
    lines.extend(event_lines(happening, colours));
    lines
}

fn event_lines(happening: &AgentEvent, colours: Colours) -> Vec<String> {
    let (line, colour) = match happening {
        // The total usage, which `Ended` has, is printed after the run.
        AgentEvent::Words(_) | AgentEvent::Calling(_) | AgentEvent::Within { .. } | AgentEvent::Ended(_) => {
            return Vec::new();
        }
        AgentEvent::Turn { number } => (format!("turn {number}"), BOLD),
        AgentEvent::Again { fault, pause, next } => {
            (format!("  ! {fault}; attempt {next} in {:.1} s", pause.as_secs_f64()), YELLOW)
        }
        AgentEvent::Unseen { fault } => (
            format!(
                "  ! this model does not accept images, so later requests contain only the images' \
                      names: {fault}"
            ),
            YELLOW,
        ),
        AgentEvent::Call { tool, arguments } => {
            let arguments = redact(arguments).replace('\n', " ");
            let (shown, more) = cut::line(&arguments, SHOWN);
            let line = harmless(&format!("{tool} {shown}{}", if more == 0 { "" } else { "…" }));
            return vec![format!("  {} {}", colours.paint(">", CYAN), line.replace('\n', " "))];
        }
        AgentEvent::Settled { tool, went: CallStatus::Failed, took, why, .. } => {
            return failed(tool, *took, why, colours);
        }
        AgentEvent::Settled { tool, went: CallStatus::Done, bytes, took, effect, .. } => {
            return done(tool, *bytes, *took, effect, colours);
        }
        AgentEvent::Shortened { from, to } => {
            (format!("  ~ conversation compacted from about {from} to {to} tokens"), FAINT)
        }
        AgentEvent::Permission { what, given, why } => {
            let given = if *given == PermissionDecision::Yes { "allowed" } else { "refused" };
            (format!("  ? {}: {given}, {why}", redact(what)), YELLOW)
        }
    };
    vec![colours.paint(&harmless(&line).replace('\n', " "), colour)]
}

/// Formats a failed call with the first lines of its error.
fn failed(tool: &str, took: Duration, why: &str, colours: Colours) -> Vec<String> {
    let head = format!("  < {} failed ({})", harmless(tool), time(took));
    let all: Vec<&str> = why.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = all.iter().take(WHY.0).map(|line| {
        let (shown, more) = cut::line(line.trim_end(), WHY.1);
        format!("      {}{}", harmless(shown), if more == 0 { "" } else { "…" })
    });
    let mut lines: Vec<String> = std::iter::once(colours.paint(&head, RED)).chain(shown).collect();
    if all.len() > WHY.0 {
        let more = all.len() - WHY.0;
        let plural = if more == 1 { "" } else { "s" };
        lines.push(colours.paint(&format!("      … {more} more line{plural}"), FAINT));
    }
    lines
}

/// Formats a successful call: how its command ended, or the files it changed.
fn done(tool: &str, bytes: usize, took: Duration, effect: &Effect, colours: Colours) -> Vec<String> {
    let tool = harmless(tool);
    if let Some(end) = &effect.command {
        let (ended, colour) = match end {
            CommandEnd::Exited(0) => ("exit code 0".to_owned(), None),
            CommandEnd::Exited(code) => (format!("exit code {code}"), Some(RED)),
            CommandEnd::Signalled(signal) => (format!("killed by signal {signal}"), Some(RED)),
            CommandEnd::Stopped(why) => (format!("stopped: {}", harmless(why).replace('\n', " ")), Some(RED)),
            CommandEnd::Running => ("still running".to_owned(), Some(YELLOW)),
        };
        let ended = colour.map_or(ended.clone(), |colour| colours.paint(&ended, colour));
        return vec![format!("  < {tool}: {ended}, {} ({})", size(bytes), time(took))];
    }
    let [first, ..] = effect.changes.as_slice() else {
        return vec![format!("  < {tool}: {} ({})", size(bytes), time(took))];
    };
    let what = match effect.changes.len() {
        1 => harmless(&first.path),
        more => format!("{more} files"),
    };
    let (added, removed) = effect
        .changes
        .iter()
        .fold((0, 0), |(added, removed), change| (added + change.added, removed + change.removed));
    let mut lines = vec![format!("  < {tool}: {what} +{added} -{removed} ({})", time(took))];
    lines.extend(diffs(&effect.changes, colours));
    lines
}

/// Returns the first lines of the changed files' diffs, and the number of lines left out.
fn diffs(changes: &[FileChange], colours: Colours) -> Vec<String> {
    let several = changes.len() > 1;
    let all: Vec<String> = changes
        .iter()
        .flat_map(|change| {
            let name = several.then(|| format!("+++ {}", change.path));
            name.into_iter().chain(change.diff.lines().map(str::to_owned))
        })
        .collect();
    let shown = all.iter().take(DIFF).map(|line| {
        let (shown, more) = cut::line(line, WHY.1);
        format!(
            "      {}",
            colours.paint_diff(&harmless(&format!("{shown}{}", if more == 0 { "" } else { "…" })))
        )
    });
    let mut lines: Vec<String> = shown.collect();
    if all.len() > DIFF {
        lines.push(colours.paint(
            &format!("      … {} of the diff", counted((all.len() - DIFF) as u64, "more line")),
            FAINT,
        ));
    }
    lines
}

fn size(bytes: usize) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

fn time(took: Duration) -> String {
    match took.as_millis() {
        short @ 0..10_000 => format!("{short} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use toolpost_test_rows::each;

    #[test]
    fn events_of_concurrent_agents_are_labelled() {
        let within = |agent: &str, happening: AgentEvent| AgentEvent::Within {
            agent: agent.to_owned(),
            happening: Box::new(happening),
        };
        let words = |words: &str| AgentEvent::Words(words.to_owned());
        let rows = [
            (within("looker 1", words("one ")), vec![]),
            (within("agent 2", words("two\n")), vec!["    [agent 2]   | two"]),
            (words("three\n"), vec!["  | three"]),
            (
                within("looker 1", AgentEvent::Turn { number: 2 }),
                vec!["    [looker 1]   | one ", "    [looker 1] turn 2"],
            ),
        ];
        let mut open = HashMap::new();
        each(rows, |(happening, wanted)| {
            assert_eq!(of_all(&happening, &mut open, Colours::Off), wanted, "{happening:?}");
        });
    }

    #[test]
    fn the_last_text_is_what_the_model_wrote_since_its_last_call() {
        let words = |words: &str| AgentEvent::Words(words.to_owned());
        let call = AgentEvent::Call { tool: "look".to_owned(), arguments: "{}".to_owned() };
        let within =
            AgentEvent::Within { agent: "looker 1".to_owned(), happening: Box::new(words("elsewhere")) };
        let rows: [(&[AgentEvent], &str, bool); 5] = [
            (&[words("All "), words("fixed.\n")], "All fixed.", true),
            (&[words("I look."), call.clone(), words("All fixed.")], "All fixed.", true),
            (&[words("All fixed."), within], "All fixed.", true),
            (&[words("All fixed."), call], "All fixed.", false),
            (&[words("All fix")], "All fixed.", false),
        ];
        each(rows, |(events, answer, wanted)| {
            let last = LastText::default();
            events.iter().for_each(|event| last.hear(event));
            assert_eq!(last.is(answer), wanted, "{events:?}");
        });
    }

    #[test]
    fn model_text_is_printed_in_whole_lines_before_events() {
        let call = AgentEvent::Call {
            tool: "look".to_owned(),
            arguments: format!("{{\"path\":\"{}\u{1b}[31m\"}}", "a".repeat(120)),
        };
        let settled = AgentEvent::Settled {
            tool: "look".to_owned(),
            went: CallStatus::Failed,
            bytes: 12,
            took: Duration::from_millis(7),
            why: "no such file\n\nlook\u{1b}[1m\nthen\nmore\n".to_owned(),
            effect: Effect::default(),
        };
        let rows: [(AgentEvent, &[&str]); 6] = [
            (AgentEvent::Turn { number: 1 }, &["turn 1"]),
            (AgentEvent::Words("one\ntw".to_owned()), &["  | one"]),
            (AgentEvent::Words("o\u{1b}[2J".to_owned()), &[]),
            (AgentEvent::Calling("look".to_owned()), &[]),
            (call, &["  | two\\u{1b}[2J", &format!("  > look {{\"path\":\"{}…", "a".repeat(111))]),
            (
                settled,
                &[
                    "  < look failed (7 ms)",
                    "      no such file",
                    "      look\\u{1b}[1m",
                    "      then",
                    "      … 1 more line",
                ],
            ),
        ];
        let mut open = String::new();
        each(rows, |(happening, wanted)| {
            assert_eq!(lines(&happening, &mut open, Colours::Off), wanted, "{happening:?}");
        });
    }

    #[test]
    fn completed_calls_show_their_effect() {
        let settled = |effect: Effect| AgentEvent::Settled {
            tool: "run".to_owned(),
            went: CallStatus::Done,
            bytes: 40,
            took: Duration::from_millis(12_300),
            why: String::new(),
            effect,
        };
        let ran = |end: CommandEnd| settled(Effect { command: Some(end), changes: Vec::new() });
        let change = |path: &str, diff: &str| FileChange {
            path: path.to_owned(),
            added: 1,
            removed: 2,
            diff: diff.to_owned(),
        };
        let changed = |changes: Vec<FileChange>| settled(Effect { command: None, changes });
        let long = "+x\n".repeat(DIFF + 5);
        let rows: [(AgentEvent, Vec<&str>); 8] = [
            (settled(Effect::default()), vec!["  < run: 40 bytes (12.3 s)"]),
            (ran(CommandEnd::Exited(0)), vec!["  < run: exit code 0, 40 bytes (12.3 s)"]),
            (ran(CommandEnd::Exited(7)), vec!["  < run: exit code 7, 40 bytes (12.3 s)"]),
            (ran(CommandEnd::Signalled(9)), vec!["  < run: killed by signal 9, 40 bytes (12.3 s)"]),
            (ran(CommandEnd::Stopped("time".to_owned())), vec!["  < run: stopped: time, 40 bytes (12.3 s)"]),
            (ran(CommandEnd::Running), vec!["  < run: still running, 40 bytes (12.3 s)"]),
            (
                changed(vec![change("a", "@@ -1 +1 @@\n-a\n+\u{7}\n")]),
                vec!["  < run: a +1 -2 (12.3 s)", "      @@ -1 +1 @@", "      -a", "      +\\u{7}"],
            ),
            (
                changed(vec![change("a", &long), change("b", "")]),
                [
                    vec!["  < run: 2 files +2 -4 (12.3 s)", "      +++ a"],
                    vec!["      +x"; DIFF - 1],
                    vec!["      … 7 more lines of the diff"],
                ]
                .concat(),
            ),
        ];
        each(rows, |(happening, wanted)| {
            assert_eq!(lines(&happening, &mut String::new(), Colours::Off), wanted, "{happening:?}");
        });
    }

    #[test]
    fn colours_change_no_text() {
        let failed = AgentEvent::Settled {
            tool: "look".to_owned(),
            went: CallStatus::Failed,
            bytes: 1,
            took: Duration::ZERO,
            why: "no".to_owned(),
            effect: Effect::default(),
        };
        let painted = lines(&failed, &mut String::new(), Colours::On);
        assert_eq!(painted[0], "\u{1b}[31m  < look failed (0 ms)\u{1b}[0m");
        assert_eq!(painted[1..], lines(&failed, &mut String::new(), Colours::Off)[1..]);
    }
}
