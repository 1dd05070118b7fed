//! Tests of random merges of partial code.
//!
//! Each merge must give the intended result, another result that the snippet allows, or a refusal.

use std::collections::HashMap;
use std::path::Path;

use toolpost_syntax::{Language, merge};
use toolpost_test_rows::seed;
use toolpost_text::merge::apply;

/// A generator of pseudo-random numbers; equal seeds give equal numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(limit.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}

/// The code pieces for files of one language.
struct Style {
    file: &'static str,
    before: &'static str,
    open: &'static str,
    close: &'static str,
    after: &'static str,
    unit: &'static str,
    /// A statement; `#` is replaced by its number.
    line: &'static str,
    /// A multi-line statement.
    block: &'static [&'static str],
    marker: &'static str,
}

const STYLES: &[Style] = &[
    Style {
        file: "a.rs",
        before: "use std::fmt;\n\nfn other() {\n    call_1();\n    last_other();\n}\n\n",
        open: "fn run(x: u8) {",
        close: "}",
        after: "\nfn end() {\n    finish();\n}\n",
        unit: "    ",
        line: "call_#();",
        block: &["if x > # {", "    inner_#();", "}"],
        marker: "// ... existing code ...",
    },
    Style {
        file: "a.go",
        before: "package main\n\nimport \"fmt\"\n\nfunc other() {\n\tcall_1()\n\tfmt.Println()\n}\n\n",
        open: "func run(x int) {",
        close: "}",
        after: "\nfunc end() {\n\tfinish()\n}\n",
        unit: "\t",
        line: "call_#()",
        block: &["if x > # {", "\tinner_#()", "}"],
        marker: "// ... existing code ...",
    },
    Style {
        file: "a.js",
        before: "import a from \"a\";\n\nfunction other() {\n  call_1();\n  a();\n}\n\n",
        open: "function run(x) {",
        close: "}",
        after: "\nfunction end() {\n  finish();\n}\n",
        unit: "  ",
        line: "call_#();",
        block: &["for (const y of x_#) {", "  inner_#(y);", "}"],
        marker: "// ... existing code ...",
    },
    Style {
        file: "a.ts",
        before: "import { a } from \"a\";\n\nexport class Runner {\n  other(): void {\n    call_1();\n  }\n}\n\n",
        open: "export function run(x: number): void {",
        close: "}",
        after: "",
        unit: "  ",
        line: "const v# = call_#(x);",
        block: &["while (x > #) {", "  inner_#();", "}"],
        marker: "// ... existing code ...",
    },
    Style {
        file: "a.py",
        before: "import os\n\n\ndef other():\n    call_1()\n    return os\n\n\n",
        open: "def run(x):",
        close: "",
        after: "\n\ndef end():\n    finish()\n",
        unit: "    ",
        line: "call_#(x)",
        block: &["if x > #:", "    inner_#()"],
        marker: "# ... existing code ...",
    },
    Style {
        file: "a.c",
        before: "#include <stdio.h>\n\nvoid other(void) {\n    call_1();\n}\n\n",
        open: "void run(int x) {",
        close: "}",
        after: "\nvoid end(void) {\n    finish();\n}\n",
        unit: "    ",
        line: "call_#();",
        block: &["if (x > #) {", "    inner_#();", "}"],
        marker: "// ... existing code ...",
    },
    Style {
        file: "a.rb",
        before: "require 'set'\n\ndef other\n  call_1\nend\n\n",
        open: "def run(x)",
        close: "end",
        after: "\ndef finish\n  call_2\nend\n",
        unit: "  ",
        line: "call_#(x)",
        block: &["if x > #", "  inner_#", "end"],
        marker: "# ... existing code ...",
    },
];

/// A kind of change to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Act {
    Insert,
    Delete,
    Replace,
    Move,
    Swap,
}

/// A body as the numbers of its statements; numbers above 1000 are new statements.
type Body = Vec<usize>;

struct Case {
    style: &'static Style,
    act: Act,
    old: Body,
    meant: Body,
    /// The statements that the snippet shows, and the presence of a marker before and after them.
    window: Body,
    before: bool,
    after: bool,
}

fn case(random: &mut Random) -> Option<Case> {
    let style = &STYLES[random.below(STYLES.len())];
    let count = 3 + random.below(8);
    let repeats = random.below(3) == 0;
    let mut old: Body = Vec::new();
    for at in 0..count {
        let again = repeats && at > 0 && random.below(3) == 0;
        old.push(if again { old[random.below(at)] } else { at + 1 });
    }
    let act = [Act::Insert, Act::Insert, Act::Delete, Act::Replace, Act::Replace, Act::Move, Act::Swap]
        [random.below(7)];
    let mut meant = old.clone();
    let fresh = |random: &mut Random| -> Body { (0..1 + random.below(2)).map(|at| 1000 + at).collect() };
    let at = random.below(count);
    let end = (at + 1 + random.below(2)).min(count);
    // The statements of the result that the snippet must show.
    let mut changed = match act {
        Act::Insert => {
            let new = fresh(random);
            let at = random.below(count + 1);
            meant.splice(at..at, new.iter().copied());
            at..at + new.len()
        }
        Act::Delete => {
            meant.drain(at..end);
            at..at
        }
        Act::Replace => {
            let new = fresh(random);
            meant.splice(at..end, new.iter().copied());
            at..at + new.len()
        }
        Act::Move => {
            let moved = meant.remove(at);
            let to = random.below(count);
            meant.insert(to, moved);
            to..to + 1
        }
        Act::Swap => {
            let other = (at + 1) % count;
            meant.swap(at, other);
            at.min(other)..at.max(other) + 1
        }
    };
    if meant == old || meant.is_empty() {
        return None;
    }
    // A snippet for a move shows only the new location, or also the old one.
    if act == Act::Move && random.below(2) == 0 {
        changed = changed.start.min(at)..changed.end.max((at + 1).min(meant.len()));
    }
    let whole = random.below(5) == 0;
    let (start, stop) = if whole {
        (0, meant.len())
    } else {
        let (above, below) = (1 + random.below(2), 1 + random.below(2));
        (changed.start.saturating_sub(above), (changed.end + below).min(meant.len()))
    };
    let window = meant[start..stop].to_vec();
    Some(Case { style, act, old, window, before: start > 0, after: stop < meant.len(), meant })
}

fn statement(style: &Style, number: usize, out: &mut String) {
    let put = |line: &str, out: &mut String| {
        out.push_str(style.unit);
        out.push_str(&line.replace('#', &number.to_string()));
        out.push('\n');
    };
    if number % 4 == 3 {
        style.block.iter().for_each(|line| put(line, out));
    } else {
        put(style.line, out);
    }
}

fn function(style: &Style, body: &Body, before: bool, after: bool) -> String {
    let mut out = format!("{}\n", style.open);
    let marker = format!("{}{}\n", style.unit, style.marker);
    if before {
        out.push_str(&marker);
    }
    body.iter().for_each(|number| statement(style, *number, &mut out));
    if after {
        out.push_str(&marker);
    }
    if !style.close.is_empty() {
        out.push_str(&format!("{}\n", style.close));
    }
    out
}

fn file(style: &Style, body: &Body) -> String {
    format!("{}{}{}", style.before, function(style, body, false, false), style.after)
}

/// The outcome of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum MergeResult {
    Right,
    /// A result other than the intended one that the snippet also allows.
    Arguable,
    Refused,
    Wrong,
}

/// Lists all bodies that the snippet allows: the snippet replaces some consecutive statements, and other
/// statements that it shows and that the body has once are moved.
fn readings(case: &Case) -> Vec<Body> {
    let (old, window) = (&case.old, &case.window);
    let count = |body: &[usize], number: usize| body.iter().filter(|other| **other == number).count();
    let mut out = Vec::new();
    for from in 0..=old.len() {
        for to in from..=old.len() {
            if (!case.before && from > 0) || (!case.after && to < old.len()) {
                continue;
            }
            let kept = |part: &[usize]| -> Body {
                let moved = |number: &usize| count(old, *number) == 1 && window.contains(number);
                part.iter().copied().filter(|number| !moved(number)).collect()
            };
            // Statements are removed only if others are added.
            let gone = old[from..to].iter().filter(|number| !window.contains(number)).count();
            let come = window.iter().filter(|number| !old.contains(number)).count();
            if gone > 2 * come {
                continue;
            }
            let mut body = kept(&old[..from]);
            body.extend(window);
            body.extend(kept(&old[to..]));
            out.push(body);
        }
    }
    out
}

fn judge(case: &Case) -> (MergeResult, String) {
    let old = file(case.style, &case.old);
    let snippet = function(case.style, &case.window, case.before, case.after);
    let language = Language::of_path(Path::new(case.style.file)).expect("a grammar");
    let merged = match merge::merge(&old, &snippet, Some(language)) {
        Ok(merged) => merged,
        Err(refusal) => return (MergeResult::Refused, refusal.to_string()),
    };
    let result = apply(&old, &merged.splices);
    let shown =
        format!("{:?} {}\n{old}\n-- snippet\n{snippet}\n-- result\n{result}", case.act, case.style.file);
    let full = |text: &str| {
        text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    if full(&result) == full(&file(case.style, &case.meant)) {
        return (MergeResult::Right, shown);
    }
    let allowed = readings(case).iter().any(|body| full(&file(case.style, body)) == full(&result));
    (if allowed { MergeResult::Arguable } else { MergeResult::Wrong }, shown)
}

#[test]
fn random_merges_are_right_or_refused() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
    };
    let mut random = Random(number("TOOLPOST_TEST_SEED", seed(20_261_125)) | 1);
    let mut came: HashMap<(Act, MergeResult), usize> = HashMap::new();
    let mut wrong = Vec::new();
    let mut count = 0_usize;
    while count < usize::try_from(number("TOOLPOST_TEST_MERGES", 3000)).unwrap_or(3000) {
        let Some(case) = case(&mut random) else { continue };
        count += 1;
        let (what, shown) = judge(&case);
        *came.entry((case.act, what)).or_default() += 1;
        if what == MergeResult::Wrong {
            wrong.push(shown);
        } else if std::env::var("TOOLPOST_TEST_SHOW").is_ok_and(|show| show == format!("{what:?}")) {
            println!(
                "{:?} {:?} -> {:?}\n{}{shown}\n",
                case.act,
                case.old,
                case.meant,
                function(case.style, &case.window, case.before, case.after)
            );
        }
    }
    let all = |kind: MergeResult| {
        came.iter().filter(|((_, what), _)| *what == kind).map(|(_, count)| count).sum::<usize>()
    };
    let (right, arguable, refused) =
        (all(MergeResult::Right), all(MergeResult::Arguable), all(MergeResult::Refused));
    let summary = format!(
        "{count} merges: {right} right, {arguable} arguable, {refused} refused, {} wrong\n{came:?}",
        wrong.len()
    );
    println!("{summary}");
    assert!(
        wrong.len() * 500 <= count,
        "{summary}\n{}",
        wrong.iter().take(4).cloned().collect::<Vec<_>>().join("\n====\n")
    );
    assert!(arguable * 50 <= count, "{summary}");
    assert!((right + arguable) * 10 >= count * 7, "{summary}");
}
