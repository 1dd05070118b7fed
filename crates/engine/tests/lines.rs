//! Tests of changing lines by reference: an edit changes the lines that were seen, at their current
//! position, or is refused.

use crate::common::permissive;
use std::{fs, ops::RangeInclusive, path::PathBuf, sync::Arc};
use tempfile::TempDir;
use toolpost_engine::{
    CallCtx, Engine, Failure, Fresh, Hint, Kind, Operation, Session, StaleEditPolicy,
    operations::{
        change::{Change, ChangeFiles, ChangeTarget, EditPosition, Lines, Output, Request},
        read::{self, Read},
    },
};
use toolpost_test_rows::each_async;
use toolpost_text::hashline::Reference;
use toolpost_workspace::{Options, Workspace};

const STRICT: Fresh = Fresh { changed: StaleEditPolicy::Refused, ..Fresh::REQUIRED };

struct World {
    root: TempDir,
    _state: TempDir,
    engine: Engine,
    session: Arc<Session>,
}

impl World {
    /// Creates an environment with a file `f`, and reads the file.
    async fn new(content: &[u8]) -> Self {
        let (root, state) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let (roots, store) = (vec![root.path().to_path_buf()], Some(state.path().to_path_buf()));
        let (workspace, _) = Workspace::open(Options { roots, state: store, ..Options::default() }).unwrap();
        let world = Self { root, _state: state, engine: Engine::new(workspace), session: Session::new() };
        fs::write(world.file(), content).unwrap();
        world.read().await;
        world
    }

    fn file(&self) -> PathBuf {
        self.root.path().join("f")
    }

    fn content(&self) -> String {
        String::from_utf8(fs::read(self.file()).unwrap()).unwrap()
    }

    async fn read(&self) {
        let path = self.engine.resolve("f").unwrap();
        let cx = permissive(self.session.clone());
        let request = read::Request::of(path, "f".to_owned(), 100_000);
        if let Ok(output) = self.engine.run::<Read>(request, &cx).await {
            Read::seen(&output).into_iter().for_each(|seen| self.session.record(seen));
        }
    }

    fn edit(&self, (first, last): (&str, &str), side: EditPosition, text: &str) -> Change {
        let lines = Lines { first: first.parse().unwrap(), last: last.parse().unwrap(), side };
        Change {
            path: self.engine.resolve("f").unwrap(),
            at: ChangeTarget::Lines(lines),
            text: text.to_owned(),
        }
    }

    /// Makes changes like the `fresh` layer of the runtime: checks freshness, changes, records the seen
    /// content.
    async fn change(&self, changes: Vec<Change>, fresh: Fresh) -> Result<Output, Failure> {
        let request = Request { changes };
        let mut cx = CallCtx { fresh, ..permissive(self.session.clone()) };
        cx.expected = self.engine.freshness(&cx, ChangeFiles::touches(&request)).await?;
        let done = self.engine.run::<ChangeFiles>(request, &cx).await;
        match &done {
            Ok(output) => ChangeFiles::seen(output).into_iter().for_each(|seen| self.session.record(seen)),
            Err(failure) => failure.shows.iter().for_each(|seen| self.session.record((**seen).clone())),
        }
        done
    }

    async fn replace(&self, at: &str, text: &str, fresh: Fresh) -> Result<Vec<String>, Failure> {
        let (first, last) = at.split_once(' ').unwrap_or((at, at));
        let edit = self.edit((first, last), EditPosition::Replace, text);
        self.change(vec![edit], fresh).await.map(|mut output| output.files.remove(0).notes)
    }
}

/// Returns the reference to a line of a text.
fn to(text: &str, line: usize) -> String {
    Reference::of(line, text.lines().nth(line - 1).unwrap()).to_string()
}

/// Formats lines of the text after their references.
fn referred(lines: RangeInclusive<usize>) -> String {
    lines.map(|line| format!("{} | {}\n", to(TEXT, line), TEXT.lines().nth(line - 1).unwrap())).collect()
}

const TEXT: &str = "alpha\nbeta\ngamma\ndelta\n}\nepsilon\n}\n";

#[tokio::test]
async fn line_edit_refuses_a_wrong_line_hash() {
    each_async(["2", "2:00", "2:6a", "2:00 3", "2 3:00"], async |at| {
        let at: Vec<String> = at
            .split(' ')
            .map(|at| if at.ends_with(":00") { to(TEXT, at[..1].parse().unwrap()) } else { at.to_owned() })
            .collect();
        let world = World::new(TEXT.as_bytes()).await;
        let done = world.replace(&at.join(" "), "new", STRICT).await;
        let fits = !at.iter().any(|at| at.ends_with(":6a"));
        assert_eq!(done.as_ref().ok(), fits.then(Vec::new).as_ref(), "{at:?}: {done:?}");
        assert_eq!(world.content() == TEXT, !fits);
    })
    .await;
}

#[tokio::test]
async fn wrong_line_hash_is_refused_with_the_current_lines() {
    let world = World::new(TEXT.as_bytes()).await;
    let failure = world.replace("2:ff", "new", STRICT).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Stale);
    assert_eq!(
        failure.what,
        "Line 2 of f does not match '2:ff': the line has changed, lines have moved, or the reference is \
         wrong. Nothing was changed."
    );
    assert_eq!(failure.found, Some(format!("Current lines:\n{}", referred(1..=5))));
    let advice = format!(
        "If that is the right line, use '{}'; otherwise use the reference in front of the right line.",
        to(TEXT, 2)
    );
    assert_eq!(failure.hints, [Hint::Advice(advice)]);
    assert_eq!(world.content(), TEXT);
}

#[tokio::test]
async fn moved_lines_are_found_by_their_old_references() {
    let world = World::new(TEXT.as_bytes()).await;
    let put = world.edit(("1", "1"), EditPosition::Before, "one\ntwo");
    world.change(vec![put], STRICT).await.unwrap();
    // One line, several lines, and a line that occurs twice and is distinguished by its context.
    let notes = world.replace(&to(TEXT, 3), "GAMMA", STRICT).await.unwrap();
    assert_eq!(notes, ["line 3 has moved to line 5 since it was shown; the change was made there"]);
    let notes = world.replace(&format!("{} {}", to(TEXT, 4), to(TEXT, 6)), "rest", STRICT).await.unwrap();
    assert_eq!(notes, ["lines 4-6 have moved to lines 6-8 since they were shown; the change was made there"]);
    assert_eq!(world.content(), "one\ntwo\nalpha\nbeta\nGAMMA\nrest\n}\n");
    // A reference to replaced content, or to content that was never shown, is refused.
    for gone in [to(TEXT, 6), "3:ff".to_owned()] {
        assert_eq!(world.replace(&gone, "x", STRICT).await.unwrap_err().kind, Kind::Stale, "{gone}");
    }
    let content = world.content();
    assert_eq!(content, "one\ntwo\nalpha\nbeta\nGAMMA\nrest\n}\n");
}

#[tokio::test]
async fn ambiguous_moved_line_is_refused_as_stale() {
    let before = "x\n}\ny\n";
    let world = World::new(before.as_bytes()).await;
    fs::write(world.file(), "new\nx\n}\nz\n}\ny\n").unwrap();
    world.read().await;
    let failure = world.replace(&to(before, 2), "end", STRICT).await.unwrap_err();
    assert_eq!((failure.kind, world.content().as_str()), (Kind::Stale, "new\nx\n}\nz\n}\ny\n"));
}

#[tokio::test]
async fn external_change_is_shown_before_an_edit_applies() {
    let world = World::new(TEXT.as_bytes()).await;
    let now = format!("new\n{TEXT}");
    fs::write(world.file(), &now).unwrap();
    let failure = world.replace(&to(TEXT, 2), "BETA", STRICT).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Stale);
    assert!(failure.found.unwrap().contains("+new\n"));
    let whereabouts = format!("The given line is now '{}'.", to(&now, 3));
    assert_eq!(failure.hints.last(), Some(&Hint::Advice(whereabouts)));
    assert_eq!(world.content(), now);
    // The refusal showed the whole change, so the same call now applies at the line's current position.
    let notes = world.replace(&to(TEXT, 2), "BETA", STRICT).await.unwrap();
    assert_eq!(notes, ["line 2 has moved to line 3 since it was shown; the change was made there"]);
    assert_eq!(world.content(), now.replace("beta", "BETA"));
}

#[tokio::test]
async fn lenient_stale_policy_edits_a_moved_line() {
    let world = World::new(TEXT.as_bytes()).await;
    let now = format!("new\n{TEXT}");
    fs::write(world.file(), &now).unwrap();
    let notes =
        world.replace(&format!("{} {}", to(TEXT, 2), to(TEXT, 3)), "x", Fresh::REQUIRED).await.unwrap();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[1].starts_with("lines 2-3 have moved to lines 3-4"), "{notes:?}");
    assert_eq!(world.content(), now.replace("beta\ngamma", "x"));
}

/// Input: first line, last line, position, new text. Expected: message, whether the end of the file is shown,
/// advice.
type RefusedEdit = (&'static str, &'static str, EditPosition, &'static str, &'static str, bool, &'static str);

const REFUSED: &[RefusedEdit] = &[
    (
        "5",
        "2",
        EditPosition::Replace,
        "x",
        "f: the range ends at line 2, before it begins at 5.",
        false,
        "Swap the line numbers: 2 to 5.",
    ),
    (
        "5:00",
        "4:00",
        EditPosition::Replace,
        "x",
        "f: the range ends at line 4, before it begins at 5.",
        false,
        "To insert text between these lines, insert it before line 5.",
    ),
    ("8", "8", EditPosition::Replace, "x", "There is no line 8 in f: it has 7 lines.", true, AT_END),
    ("8:00", "8:00", EditPosition::After, "x", "There is no line 8 in f: it has 7 lines.", true, AT_END),
    ("2", "2", EditPosition::After, "", "The text to insert after line 2 of f is empty.", false, EMPTY),
    ("2", "2", EditPosition::Before, "", "The text to insert before line 2 of f is empty.", false, EMPTY),
];

const AT_END: &str = "To put text at the end, insert it after '7:22'.";
const EMPTY: &str = "For an empty line, pass a line break.";

#[tokio::test]
async fn invalid_line_references_are_refused_with_advice() {
    each_async(REFUSED, async |&(first, last, side, new, what, shows_end, advice)| {
        let world = World::new(TEXT.as_bytes()).await;
        let failure = world.change(vec![world.edit((first, last), side, new)], STRICT).await.unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (Kind::Invalid, what));
        let end = shows_end.then(|| format!("It ends with:\n{}", referred(4..=7)));
        assert_eq!(failure.found, end, "{what}");
        assert_eq!(failure.hints, [Hint::Advice(advice.to_owned())], "{what}");
        assert_eq!(world.content(), TEXT);
    })
    .await;
    let world = World::new(b"").await;
    let failure = world.replace("2", "x", STRICT).await.unwrap_err();
    assert_eq!(failure.what, "There is no line 2 in f: it has 0 lines.");
    assert_eq!(failure.hints, [Hint::Advice("The file is empty: use line 1.".to_owned())]);
    assert_eq!(world.replace("1", "x\n", STRICT).await.map(|_| world.content()), Ok("x\n".to_owned()));
}

#[tokio::test]
async fn line_edits_of_binary_files_or_to_invalid_text_are_refused() {
    let notebook = br#"{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;
    let rows: [(&[u8], &str, Kind); 4] = [
        (b"\x00\x01\n", "x", Kind::WrongKind),
        (b"caf\xE9\n", "\u{e9}", Kind::Invalid),
        (b"a\n", "// ... rest of the code unchanged ...", Kind::Invalid),
        (b"a\n", "[toolpost: 9 more characters of this line]", Kind::Invalid),
    ];
    each_async(rows, async |(content, new, kind)| {
        let world = World::new(content).await;
        let failure = world.replace("1", new, Fresh::NOT_ASKED).await.unwrap_err();
        assert_eq!((failure.kind, fs::read(world.file()).unwrap().as_slice()), (kind, content), "{new}");
    })
    .await;
    let world = World::new(b"caf\xE9\nx\n").await;
    world.replace("2", "y", STRICT).await.unwrap();
    assert_eq!(fs::read(world.file()).unwrap(), b"caf\xE9\ny\n");
    let path = world.root.path().join("n.ipynb");
    fs::write(&path, notebook).unwrap();
    let mut edit = world.edit(("1", "1"), EditPosition::Replace, "{");
    edit.path = world.engine.resolve("n.ipynb").unwrap();
    assert!(
        world
            .change(vec![edit], Fresh::NOT_ASKED)
            .await
            .unwrap_err()
            .what
            .contains("would break the notebook")
    );
    assert_eq!(fs::read(path).unwrap(), notebook);
    let mut edit = world.edit(("1", "1"), EditPosition::Replace, "x");
    edit.path = world.engine.resolve("none").unwrap();
    assert_eq!(world.change(vec![edit], Fresh::NOT_ASKED).await.unwrap_err().kind, Kind::NotFound);
}

#[tokio::test]
async fn auto_corrections_are_reported() {
    let world = World::new(b"fn main() {\n    first();\n}\n").await;
    let notes = world.replace("2", "2:00 | second();", STRICT).await.unwrap();
    assert_eq!(
        notes,
        ["auto-corrected: removed the line numbers from the new text, restored the indentation \"    \""]
    );
    assert_eq!(world.content(), "fn main() {\n    second();\n}\n");
}

#[tokio::test]
async fn line_edits_of_one_call_apply_all_or_none() {
    let world = World::new(TEXT.as_bytes()).await;
    let changes = |second: &str| {
        vec![
            world.edit(("1", "1"), EditPosition::After, "new"),
            world.edit((second, second), EditPosition::Replace, "BETA"),
        ]
    };
    let failure = world.change(changes("9"), STRICT).await.unwrap_err();
    assert_eq!(failure.what, "There is no line 9 in f: it has 8 lines.");
    assert_eq!(failure.facts.change, Some(2));
    assert_eq!(world.content(), TEXT);
    // The reference refers to the content that was shown, before the first change.
    world.change(changes(&to(TEXT, 2)), STRICT).await.unwrap();
    assert_eq!(world.content(), "alpha\nnew\nBETA\ngamma\ndelta\n}\nepsilon\n}\n");
}

#[tokio::test]
async fn line_edit_of_an_unread_file_is_refused() {
    let world = World::new(TEXT.as_bytes()).await;
    let blind = World { session: Session::new(), ..world };
    assert_eq!(blind.replace("2", "x", STRICT).await.unwrap_err().kind, Kind::Unread);
    assert_eq!(blind.content(), TEXT);
}
