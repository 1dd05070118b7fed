//! Replies to edits in every dialect: files that changed, line numbers that were removed, and lone carriage returns.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use std::fs;
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_runtime::Outcome;
use toolpost_tool::Dialect;

/// The tools of a dialect that read a file, and replace a text in it.
#[derive(Debug)]
struct Speaker {
    dialect: &'static Dialect,
    read: fn() -> (&'static str, Value),
    edit: fn(&str, &str) -> (&'static str, Value),
}

const FILE: &str = "f.txt";

const SPEAKERS: [Speaker; 5] = [
    Speaker {
        dialect: &claude::DIALECT,
        read: || ("Read", json!({"file_path": FILE})),
        edit: |old, new| ("Edit", json!({"file_path": FILE, "old_string": old, "new_string": new})),
    },
    Speaker {
        dialect: &opencode::DIALECT,
        read: || ("grep", json!({"pattern": "^", "path": FILE})),
        edit: |old, new| ("edit", json!({"filePath": FILE, "oldString": old, "newString": new})),
    },
    Speaker {
        dialect: &trae::DIALECT,
        read: || ("view_files", json!({"files": [{"file_path": FILE, "start_line": 1, "end_line": 200}]})),
        edit: |old, new| {
            ("update_file", json!({"file_path": FILE, "replace_blocks": [{"old_str": old, "new_str": new}]}))
        },
    },
    Speaker {
        dialect: &zblade::DIALECT,
        read: || ("read_file_range", json!({"path": FILE})),
        edit: |old, new| ("apply_patch", json!({"path": FILE, "old_text": old, "new_text": new})),
    },
    Speaker {
        dialect: &probe::DIALECT,
        read: || ("extract", json!({"file": FILE})),
        edit: |old, new| ("edit", json!({"file_path": FILE, "old_string": old, "new_string": new})),
    },
];

impl Speaker {
    async fn read(&self, world: &World) -> String {
        let (tool, arguments) = (self.read)();
        words(&world.call(tool, arguments).await)
    }

    async fn edit(&self, world: &World, old: &str, new: &str) -> Outcome {
        let (tool, arguments) = (self.edit)(old, new);
        world.call(tool, arguments).await
    }
}

fn content(world: &World) -> String {
    fs::read_to_string(world.root().join(FILE)).unwrap()
}

/// Another program has changed the file since the session read it, so the old text of an edit is missing or ambiguous. The
/// failure begins with that, shows the change, and then describes the closest or the ambiguous matches.
#[tokio::test]
async fn failed_edits_of_changed_files_name_the_change_first() {
    let text: String = (1..=30).map(|line| format!("line number {line}\n")).collect();
    let changes = [
        ("reworded", text.replace("line number 12\n", "line no. 12, reworded\n")),
        ("twice", format!("{text}line number 12\n")),
    ];
    each_async(&SPEAKERS, async |speaker| {
        for (what, now) in &changes {
            let world = World::new(speaker.dialect);
            world.put(FILE, &text);
            speaker.read(&world).await;
            world.put(FILE, now);
            let answer = speaker.edit(&world, "line number 12\n", "line number 99\n").await;
            let reply = words(&answer);
            let name = speaker.dialect.name;
            assert!(matches!(answer, Outcome::Failed(..)), "{name} {what}: {reply}");
            assert!(reply.starts_with("f.txt has changed since it was last seen"), "{name} {what}: {reply}");
            let changed = reply.find("What changed:\n").unwrap_or_else(|| panic!("{name} {what}: {reply}"));
            let others = ["Closest match", "It begins on these lines"];
            let other = others.iter().filter_map(|other| reply.find(other)).min();
            assert!(other.is_none_or(|other| changed < other), "{name} {what}: {reply}");
            assert_eq!(content(&world), *now, "{name} {what}");
        }
        // An edit of an unchanged file does not mention a change.
        let world = World::new(speaker.dialect);
        world.put(FILE, &text);
        speaker.read(&world).await;
        let reply = words(&speaker.edit(&world, "line number 77\n", "x\n").await);
        assert!(!reply.contains("has changed"), "{}: {reply}", speaker.dialect.name);
    })
    .await;
}

/// The part of a file that another program changes.
#[derive(Debug)]
enum ChangedPart {
    Little,
    Much,
}

/// If an edit of a changed file is refused, the next edit succeeds: the content in the refusal counts as seen, and its line
/// references are accepted. This holds for small and large files, for partial reads, and for small and large changes.
#[tokio::test]
async fn refusals_of_stale_line_edits_lead_to_a_successful_edit() {
    let line = |number: usize| format!("let value_{number} = {number};\n");
    let text = |lines: usize| -> String { (1..=lines).map(line).collect() };
    let few = |text: &str| format!("// new\n{text}").replace("value_190 =", "value_190_changed =");
    let all_but_one = |text: &str| -> String {
        let changed =
            |line: &str| if line.contains("_20 ") { line.to_owned() } else { format!("pub {line}") };
        text.split_inclusive('\n').map(changed).collect::<String>().replacen("pub", "// new\npub", 1)
    };
    // The number of lines, the part that is read, and how much another program changes.
    let rows = [
        (200, "f.txt", ChangedPart::Little),
        (200, "f.txt:15-25", ChangedPart::Little),
        (200, "f.txt", ChangedPart::Much),
        (200, "f.txt:15-25", ChangedPart::Much),
        (60_000, "f.txt:15-25", ChangedPart::Little),
        (60_000, "f.txt:15-25", ChangedPart::Much),
    ];
    each_async(rows, async |(lines, part, changed)| {
        let before = text(lines);
        let now = match changed {
            ChangedPart::Little => few(&before),
            ChangedPart::Much => all_but_one(&before),
        };
        for ends in [None, Some("22")] {
            let world = World::new(&probe::DIALECT);
            world.put(FILE, &before);
            let shown = words(&world.call("extract", json!({"file": part})).await);
            let reference = |shown: &str, wanted: &str| {
                let line = shown.lines().find(|line| line.contains(wanted)).unwrap_or_else(|| panic!("{shown}"));
                line.trim_start_matches(['+', ' ']).split(" |").next().unwrap().to_owned()
            };
            let first = reference(&shown, "value_20 =");
            let last = ends.map_or(first.clone(), |_| reference(&shown, "value_22 ="));
            world.put(FILE, &now);
            let edit = |first: &str, last: &str| {
                json!({"file_path": FILE, "start_line": first, "end_line": last, "new_string": "replaced();"})
            };
            let refused = world.call("edit", edit(&first, &last)).await;
            let reply = words(&refused);
            let name = format!("{lines} lines, {part}, {ends:?}");
            assert!(matches!(refused, Outcome::Failed(..)), "{name}: {reply}");
            assert!(reply.starts_with("f.txt has changed since it was last seen"), "{name}: {reply}");
            assert_eq!(content(&world), now, "{name}");
            // The references of the refusal, as the model reads them: in its advice, or before the lines that it shows.
            let advised = reply.lines().find_map(|line| line.strip_prefix("The given line"));
            let (first, last) = match advised.map(|advice| advice.split('\'').collect::<Vec<_>>()) {
                Some(parts) if parts.len() >= 5 => (parts[1].to_owned(), parts[3].to_owned()),
                Some(parts) => (parts[1].to_owned(), parts[1].to_owned()),
                None => {
                    let first = reference(&reply, "value_20 =");
                    (first.clone(), ends.map_or(first, |_| reference(&reply, "value_22 =")))
                }
            };
            let done = world.call("edit", edit(&first, &last)).await;
            assert!(matches!(done, Outcome::Done(_)), "{name}: {reply}\nthen {}", words(&done));
            let after = content(&world);
            let gone = after.lines().filter(|line| line.contains("value_20 =")).count();
            assert_eq!((gone, after.matches("replaced();").count()), (0, 1), "{name}");
        }
    })
    .await;
}

/// A copied line number is removed from the old text only if the reply reports it, and never from a file whose own lines
/// look like that.
#[tokio::test]
async fn removed_line_numbers_are_reported_and_numbers_of_the_file_are_kept() {
    let removed = "[toolpost: removed the line numbers before the lines of the old and the new text]";
    let rows = [
        ("one\ntwo\nthree\n", "     2\ttwo", "     2\t2", "one\n2\nthree\n", true),
        ("one\ntwo\nthree\n", "2| two\n3| three", "2| 2\n3| 3", "one\n2\n3\n", true),
        ("     1\tone\n     2\ttwo\n", "     2\ttwo", "     2\t2", "     1\tone\n     2\t2\n", false),
        ("1| one\n2| two\n", "2| two", "2| 2", "1| one\n2| 2\n", false),
    ];
    each_async(&SPEAKERS, async |speaker| {
        each_async(rows, async |(before, old, new, after, is_removed)| {
            let world = World::new(speaker.dialect);
            world.put(FILE, before);
            speaker.read(&world).await;
            let answer = speaker.edit(&world, old, new).await;
            let (reply, name) = (words(&answer), speaker.dialect.name);
            // These dialects accept only differences of white space, or none.
            let refuses = is_removed && matches!(name, "claude" | "zblade");
            assert_eq!(matches!(answer, Outcome::Done(_)), !refuses, "{name} {old:?}: {reply}");
            assert_eq!(reply.contains(removed), is_removed && !refuses, "{name} {old:?}: {reply}");
            assert_eq!(content(&world), if refuses { before } else { after }, "{name} {old:?}");
        })
        .await;
        let world = World::new(speaker.dialect);
        world.put(FILE, "1\tone\n2\ttwo\n");
        speaker.read(&world).await;
        let answer = speaker.edit(&world, "3\ttwo", "3\tthree").await;
        assert!(matches!(answer, Outcome::Failed(..)), "{}: {}", speaker.dialect.name, words(&answer));
        assert_eq!(content(&world), "1\tone\n2\ttwo\n", "{}", speaker.dialect.name);
    })
    .await;
}

/// Only LF and CRLF end a line. Reads, searches and edits agree on that for a file with lone carriage returns, and an
/// edit that has line breaks instead of them is refused with the reason.
#[tokio::test]
async fn lone_carriage_returns_end_no_line_in_any_tool() {
    let searches = [
        ("claude", "Grep", json!({"pattern": "three|five", "output_mode": "content"})),
        ("opencode", "grep", json!({"pattern": "three|five"})),
        ("trae", "search_by_regex", json!({"query": "three|five"})),
        ("zblade", "grep_search", json!({"pattern": "three|five"})),
        ("probe", "search", json!({"query": "three OR five"})),
    ];
    let (mixed, only) = ("one\rtwo\nthree\rfour\nfive\n", "one\rtwo\rthree\rfour\rfive\r");
    each_async(&SPEAKERS, async |speaker| {
        let name = speaker.dialect.name;
        let (_, tool, arguments) = searches.iter().find(|(dialect, ..)| *dialect == name).unwrap();
        for (text, three, five) in [(mixed, 2, 3), (only, 1, 1)] {
            let world = World::new(speaker.dialect);
            world.put(FILE, text);
            let read = speaker.read(&world).await;
            if name != "opencode" {
                let note = if text == only { "eol: CR only" } else { "lone CR inside lines" };
                assert!(
                    read.contains(note) && read.contains("which is not a line ending here"),
                    "{name}: {read}"
                );
            }
            let numbered = |reply: &str, line: usize, word: &str| {
                let lines = reply.split('\n').filter(|line| line.contains(word));
                let mut starts =
                    lines.map(|line| line.trim_start().trim_start_matches(&format!("{FILE}:")).to_owned());
                starts.any(|rest| {
                    rest.starts_with(&format!("{line}:")) || rest.starts_with(&format!("{line}\t"))
                })
            };
            assert!(numbered(&read, three, "three") && numbered(&read, five, "five"), "{name}: {read:?}");
            if name != "probe" {
                let found = words(&world.call(tool, arguments.clone()).await);
                assert!(
                    numbered(&found, three, "three") && numbered(&found, five, "five"),
                    "{name}: {found:?}"
                );
            }
            let refused = words(&speaker.edit(&world, "three\nfour", "3\n4").await);
            assert!(refused.contains("The file has a lone carriage return (CR)"), "{name}: {refused}");
            assert!(matches!(speaker.edit(&world, "three\rfour", "3\r4").await, Outcome::Done(_)), "{name}");
            assert_eq!(content(&world), text.replace("three\rfour", "3\r4"), "{name}");
        }
    })
    .await;
}
