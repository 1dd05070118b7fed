//! Tests of edits whose old text is indented differently from the file: the result is the intended one, or a
//! refusal.

use std::path::Path;
use toolpost_test_rows::each;

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestError};
use toolpost_syntax::{Language, added_error};
use toolpost_text::matching::{MatchOptions, Step, find};

/// The form of a block in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blocks {
    Colon,
    Braces,
    End,
}

struct LanguageSyntax {
    file: &'static str,
    blocks: Blocks,
    head: &'static str,
    branch: &'static str,
    call: &'static str,
}

const TONGUES: &[LanguageSyntax] = &[
    LanguageSyntax {
        file: "a.py",
        blocks: Blocks::Colon,
        head: "def f#(a):",
        branch: "if a > #:",
        call: "call_#(a)",
    },
    LanguageSyntax {
        file: "a.js",
        blocks: Blocks::Braces,
        head: "function f#(a) {",
        branch: "if (a > #) {",
        call: "call_#(a);",
    },
    LanguageSyntax {
        file: "a.rs",
        blocks: Blocks::Braces,
        head: "fn f#(a: u8) {",
        branch: "if a > # {",
        call: "call_#(a);",
    },
    LanguageSyntax {
        file: "a.c",
        blocks: Blocks::Braces,
        head: "int f#(int a) {",
        branch: "if (a > #) {",
        call: "call_#(a);",
    },
    LanguageSyntax {
        file: "a.ts",
        blocks: Blocks::Braces,
        head: "function f#(a: number) {",
        branch: "while (a > #) {",
        call: "call_#(a);",
    },
    LanguageSyntax {
        file: "a.rb",
        blocks: Blocks::End,
        head: "def f#(a)",
        branch: "if a > #",
        call: "call_#(a)",
    },
];

/// A line with its nesting level.
type Leveled = (usize, String);

/// Generates a block with nested branches from numbers.
fn block(
    tongue: &LanguageSyntax,
    level: usize,
    picks: &mut impl Iterator<Item = u8>,
    out: &mut Vec<Leveled>,
    count: &mut usize,
) {
    let calls = 1 + picks.next().unwrap_or(0) % 3;
    for _ in 0..calls {
        *count += 1;
        out.push((level, tongue.call.replace('#', &count.to_string())));
        if picks.next().unwrap_or(0).is_multiple_of(3) && level < 4 {
            *count += 1;
            out.push((level, tongue.branch.replace('#', &count.to_string())));
            block(tongue, level + 1, picks, out, count);
            close(tongue, level, out);
        }
    }
}

fn close(tongue: &LanguageSyntax, level: usize, out: &mut Vec<Leveled>) {
    match tongue.blocks {
        Blocks::Colon => {}
        Blocks::Braces => out.push((level, "}".to_owned())),
        Blocks::End => out.push((level, "end".to_owned())),
    }
}

fn written(lines: &[Leveled], unit: &str, cut: usize) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|(level, text)| format!("{}{text}", unit.repeat(level.saturating_sub(cut))))
        .collect();
    lines.join("\n")
}

/// The indentation of the old and new text of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    File,
    /// Another unit, and this many levels less than in the file.
    Foreign(&'static str, usize),
    /// Some lines are indented like the file, others in another unit.
    Mixed(&'static str),
    /// Only the first line has lost its indentation.
    FirstCut,
}

fn text(lines: &[Leveled], unit: &'static str, scheme: Scheme, picks: &[u8]) -> String {
    match scheme {
        Scheme::File => written(lines, unit, 0),
        Scheme::Foreign(other, cut) => {
            let least = lines.iter().map(|(level, _)| *level).min().unwrap_or(0);
            written(lines, other, cut.min(least))
        }
        Scheme::Mixed(other) => lines
            .iter()
            .enumerate()
            .map(|(at, line)| {
                let unit = if picks[at % picks.len()].is_multiple_of(2) { unit } else { other };
                written(std::slice::from_ref(line), unit, 0)
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Scheme::FirstCut => written(lines, unit, 0).trim_start().to_owned(),
    }
}

const UNITS: &[&str] = &["  ", "    ", "\t", "   ", "        "];

fn scheme(pick: u8) -> Scheme {
    let unit = UNITS[usize::from(pick / 8) % UNITS.len()];
    match pick % 8 {
        0 | 1 => Scheme::File,
        2 | 3 => Scheme::Foreign(unit, 0),
        4 => Scheme::Foreign(unit, 1),
        5 => Scheme::Foreign(unit, 9),
        6 => Scheme::Mixed(unit),
        _ => Scheme::FirstCut,
    }
}

/// The outcome of one edit.
#[derive(Debug, PartialEq, Eq)]
enum EditResult {
    Refused,
    Right,
    /// The result differs from the intended one; with a description.
    Wrong(String),
}

/// Returns a text without the indentation of its lines.
fn bare(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Returns the nesting level of each line, by its indentation.
fn nests(text: &str) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    let depths = text.lines().map(|line| {
        let width: usize = line.bytes().take_while(u8::is_ascii_whitespace).count();
        while open.last().is_some_and(|last| *last > width) {
            open.pop();
        }
        if open.last() != Some(&width) {
            open.push(width);
        }
        open.len()
    });
    depths.collect()
}

fn edit(picks: &[u8], [tongue, unit, from, to, olds, news]: [u8; 6]) -> EditResult {
    let tongue = &TONGUES[usize::from(tongue) % TONGUES.len()];
    let unit = UNITS[usize::from(unit) % 3];
    let mut picked = picks.iter().copied();
    let mut lines = Vec::new();
    let mut count = 0;
    for at in 0..2 {
        lines.push((0, tongue.head.replace('#', &at.to_string())));
        block(tongue, 1, &mut picked, &mut lines, &mut count);
        close(tongue, 0, &mut lines);
    }
    // The old text consists of consecutive lines. In the new text, calls have other names, and there are
    // further lines.
    let from = usize::from(from) % lines.len();
    let to = (from + 1 + usize::from(to) % 6).min(lines.len());
    let mut wanted = Vec::new();
    for (at, (level, text)) in lines[from..to].iter().enumerate() {
        let pick = picks[(at * 7 + from) % picks.len()];
        wanted
            .push((*level, if pick.is_multiple_of(3) { text.replace("call", "tell") } else { text.clone() }));
        let opens = lines.get(from + at + 1).is_some_and(|next| next.0 > *level);
        if pick.is_multiple_of(5) && text.starts_with("call") && !opens {
            count += 1;
            wanted.push((*level, tongue.branch.replace('#', &count.to_string())));
            wanted.push((level + 1, tongue.call.replace('#', "new")));
            close(tongue, *level, &mut wanted);
        }
    }
    if wanted == lines[from..to] {
        return EditResult::Refused;
    }
    let file = written(&lines, unit, 0) + "\n";
    let meant: Vec<Leveled> = lines[..from].iter().chain(&wanted).chain(&lines[to..]).cloned().collect();
    let meant = written(&meant, unit, 0) + "\n";
    let old = text(&lines[from..to], unit, scheme(olds), picks);
    let new = text(&wanted, unit, scheme(news), &picks[1..]);
    let Ok(found) = find(&file, &old, &new, &MatchOptions::one(Step::Spaced)) else {
        return EditResult::Refused;
    };
    // After an exact match, the indentation of the new text is used unchanged.
    if found.step <= Step::Folded {
        return EditResult::Refused;
    }
    let hit = &found.hits[0];
    let result = format!("{}{}{}", &file[..hit.range.start], hit.new, &file[hit.range.end..]);
    let language = Language::of_path(Path::new(tongue.file)).expect("a grammar");
    if result == meant {
        assert_eq!(added_error(language, &file, &result), None, "{result}");
        return EditResult::Right;
    }
    // Except in Python, indentation has no meaning: other columns are ugly, but not wrong.
    let nested = tongue.blocks != Blocks::Colon || nests(&result) == nests(&meant);
    if bare(&result) == bare(&meant) && nested {
        return EditResult::Right;
    }
    if added_error(language, &file, &result).is_some() {
        return EditResult::Refused; // the engine refuses such an edit too
    }
    EditResult::Wrong(format!(
        "== {}\n{file}\n-- old\n{old}\n-- new\n{new}\n-- result\n{result}",
        tongue.file
    ))
}

#[test]
fn a_differently_indented_edit_is_right_or_refused() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 6000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/loose.txt"))),
        ..ProptestConfig::default()
    });
    let right = std::cell::Cell::new(0);
    let wrong = std::cell::RefCell::new(Vec::new());
    let input = (prop::collection::vec(any::<u8>(), 30..60), any::<[u8; 6]>());
    let outcome = runner.run(&input, |(picks, seed)| {
        match edit(&picks, seed) {
            EditResult::Refused => {}
            EditResult::Right => right.set(right.get() + 1),
            EditResult::Wrong(how) => wrong.borrow_mut().push(how),
        }
        Ok(())
    });
    let wrong = wrong.into_inner();
    assert!(wrong.is_empty(), "{} of 6000:\n{}", wrong.len(), wrong.join("\n"));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(how, input)) => panic!("{how}\n{input:?}"),
        Err(error) => panic!("{error}"),
    }
    assert!(right.get() > 300, "only {} edits were made, which is too few for a test", right.get());
}

#[test]
fn new_text_already_indented_like_the_file_is_unchanged() {
    // The file, the old text, the new text, and the result; `None` if no interpretation is certain.
    let rows: &[(&str, &str, &str, Option<&str>)] = &[
        (
            "class A:\n    \"\"\"Doc.\"\"\"\n",
            "class A:\n  \"\"\"Doc.\"\"\"",
            "class A:\n    \"\"\"Docs.\"\"\"",
            Some("class A:\n    \"\"\"Docs.\"\"\"\n"),
        ),
        (
            "class A:\n    def g(self):\n        return 3\n",
            "def g(self):\n  return 3",
            "def g(self):\n        return 4",
            Some("class A:\n    def g(self):\n        return 4\n"),
        ),
        (
            "def f(x):\n    for y in x:\n        if x:\n            return 1\n",
            "        if x:\n          return 1",
            "        if x:\n            y = 1\n            return y",
            Some("def f(x):\n    for y in x:\n        if x:\n            y = 1\n            return y\n"),
        ),
        (
            "function f() {\n  const x = 1;\n}\n",
            "function f() {\n    const x = 1;",
            "function f() {\n  const y = 1;",
            Some("function f() {\n  const y = 1;\n}\n"),
        ),
        // The old and the new text have the same indentation, which the file does not have.
        (
            "class A:\n    def g(self):\n        return 3\n",
            "class A:\n  def g(self):\n    return 3",
            "class A:\n  def g(self):\n    if self:\n      return 3",
            Some("class A:\n    def g(self):\n        if self:\n            return 3\n"),
        ),
        // One line is indented like the file, one like the old text.
        (
            "def f(x):\n    a = compute(x)\n    return a\n",
            "def f(x):\n  a = compute(x)\n  return a",
            "def f(x):\n  a = compute(x)\n    return b",
            None,
        ),
    ];
    each(rows, |(file, old, new, wanted)| {
        let found = find(file, old, new, &MatchOptions::one(Step::Spaced)).ok().map(|found| {
            let hit = &found.hits[0];
            format!("{}{}{}", &file[..hit.range.start], hit.new, &file[hit.range.end..])
        });
        assert_eq!(found.as_deref(), *wanted, "{old}");
    });
}
