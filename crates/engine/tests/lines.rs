//! Tests of changing lines by reference: the lines that were seen, at their current position, or none.

use crate::common::permissive;
use std::{fs, ops::RangeInclusive, path::PathBuf, sync::Arc};
use tempfile::TempDir;
use toolpost_engine::{
    CallCtx, Changed, Engine, Failure, Fresh, Hint, Kind, Operation, Session,
    operations::{
        change::{Change, ChangeFiles, Lines, Output, Request, Side, Where},
        read::{self, Read},
    },
};
use toolpost_text::hashline::Reference;
use toolpost_workspace::{Options, Workspace};

const STRICT: Fresh = Fresh { changed: Changed::Refused, ..Fresh::REQUIRED };

struct World {
    root: TempDir,
    _state: TempDir,
    engine: Engine,
    session: Arc<Session>,
}

impl World {
    /// Creates a file `f` and reads it.
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

    fn edit(&self, (first, last): (&str, &str), side: Side, text: &str) -> Change {
        let lines = Lines { first: first.parse().unwrap(), last: last.parse().unwrap(), side };
        Change { path: self.engine.resolve("f").unwrap(), at: Where::Lines(lines), text: text.to_owned() }
    }

    /// Follows the `fresh` layer: judge, change, record.
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
        let edit = self.edit((first, last), Side::Replace, text);
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
async fn a_hash_that_fits_is_enough() {
    for at in ["2", "2:00", "2:6a", "2:00 3", "2 3:00"] {
        let at: Vec<String> = at
            .split(' ')
            .map(|at| if at.ends_with(":00") { to(TEXT, at[..1].parse().unwrap()) } else { at.to_owned() })
            .collect();
        let world = World::new(TEXT.as_bytes()).await;
        let done = world.replace(&at.join(" "), "new", STRICT).await;
        let fits = !at.iter().any(|at| at.ends_with(":6a"));
        assert_eq!(done.as_ref().ok(), fits.then(Vec::new).as_ref(), "{at:?}: {done:?}");
        assert_eq!(world.content() == TEXT, !fits);
    }
}

#[tokio::test]
async fn a_line_that_is_another_one_is_refused_with_what_stands_there() {
    let world = World::new(TEXT.as_bytes()).await;
    let failure = world.replace("2:ff", "new", STRICT).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Stale);
    assert_eq!(
        failure.what,
        "Line 2 of f is not the one that '2:ff' names: it has changed, or the lines have moved. Nothing was changed."
    );
    assert_eq!(failure.found, Some(format!("What stands there now:\n{}", referred(1..=5))));
    let advice = format!(
        "If that is the line that is meant, use '{}' instead; else use the reference in front of the right one.",
        to(TEXT, 2)
    );
    assert_eq!(failure.hints, [Hint::Advice(advice)]);
    assert_eq!(world.content(), TEXT);
}

#[tokio::test]
async fn lines_that_an_edit_has_moved_are_found_by_their_old_references() {
    let world = World::new(TEXT.as_bytes()).await;
    let put = world.edit(("1", "1"), Side::Before, "one\ntwo");
    world.change(vec![put], STRICT).await.unwrap();
    // One line, several, and one that occurs twice and is distinguished by its context.
    let notes = world.replace(&to(TEXT, 3), "GAMMA", STRICT).await.unwrap();
    assert_eq!(notes, ["line 3 had become line 5 since it was shown; the change was made there"]);
    let notes = world.replace(&format!("{} {}", to(TEXT, 4), to(TEXT, 6)), "rest", STRICT).await.unwrap();
    assert_eq!(notes, ["lines 4-6 had become lines 6-8 since they were shown; the change was made there"]);
    assert_eq!(world.content(), "one\ntwo\nalpha\nbeta\nGAMMA\nrest\n}\n");
    // Replaced content is found nowhere; content that was never shown is not guessed.
    for gone in [to(TEXT, 6), "3:ff".to_owned()] {
        assert_eq!(world.replace(&gone, "x", STRICT).await.unwrap_err().kind, Kind::Stale, "{gone}");
    }
    let content = world.content();
    assert_eq!(content, "one\ntwo\nalpha\nbeta\nGAMMA\nrest\n}\n");
}

#[tokio::test]
async fn a_place_that_is_not_certain_is_no_place() {
    let before = "x\n}\ny\n";
    let world = World::new(before.as_bytes()).await;
    fs::write(world.file(), "new\nx\n}\nz\n}\ny\n").unwrap();
    world.read().await;
    let failure = world.replace(&to(before, 2), "end", STRICT).await.unwrap_err();
    assert_eq!((failure.kind, world.content().as_str()), (Kind::Stale, "new\nx\n}\nz\n}\ny\n"));
}

#[tokio::test]
async fn what_somebody_else_changed_is_seen_first() {
    let world = World::new(TEXT.as_bytes()).await;
    let now = format!("new\n{TEXT}");
    fs::write(world.file(), &now).unwrap();
    let failure = world.replace(&to(TEXT, 2), "BETA", STRICT).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Stale);
    assert!(failure.found.unwrap().contains("+new\n"));
    let whereabouts = format!("The line that was named is now '{}'.", to(&now, 3));
    assert_eq!(failure.hints.last(), Some(&Hint::Advice(whereabouts)));
    assert_eq!(world.content(), now);
    // All of the change was shown, so the same call applies at the line's current position.
    let notes = world.replace(&to(TEXT, 2), "BETA", STRICT).await.unwrap();
    assert_eq!(notes, ["line 2 had become line 3 since it was shown; the change was made there"]);
    assert_eq!(world.content(), now.replace("beta", "BETA"));
}

#[tokio::test]
async fn a_dialect_that_goes_on_changes_the_line_where_it_is() {
    let world = World::new(TEXT.as_bytes()).await;
    let now = format!("new\n{TEXT}");
    fs::write(world.file(), &now).unwrap();
    let notes =
        world.replace(&format!("{} {}", to(TEXT, 2), to(TEXT, 3)), "x", Fresh::REQUIRED).await.unwrap();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[1].starts_with("lines 2-3 had become lines 3-4"), "{notes:?}");
    assert_eq!(world.content(), now.replace("beta\ngamma", "x"));
}

/// First and last line, side, new text; the message, true if the end is shown, the advice.
type Refused = (&'static str, &'static str, Side, &'static str, &'static str, bool, &'static str);

const REFUSED: &[Refused] = &[
    (
        "5",
        "2",
        Side::Replace,
        "x",
        "f: the range ends at line 2, before it begins at 5.",
        false,
        "Name the lines the other way round: 2 to 5.",
    ),
    (
        "5:00",
        "4:00",
        Side::Replace,
        "x",
        "f: the range ends at line 4, before it begins at 5.",
        false,
        "To put text between these lines without replacing any, insert it before line 5.",
    ),
    ("8", "8", Side::Replace, "x", "There is no line 8 in f: it has 7 lines.", true, AT_END),
    ("8:00", "8:00", Side::After, "x", "There is no line 8 in f: it has 7 lines.", true, AT_END),
    ("2", "2", Side::After, "", "There is no text to put after line 2 of f.", false, EMPTY),
    ("2", "2", Side::Before, "", "There is no text to put before line 2 of f.", false, EMPTY),
];

const AT_END: &str = "To put text at the end, insert it after '7:22'.";
const EMPTY: &str = "An empty line is a line break alone.";

#[tokio::test]
async fn lines_that_cannot_be_are_said() {
    for &(first, last, side, new, what, shows_end, advice) in REFUSED {
        let world = World::new(TEXT.as_bytes()).await;
        let failure = world.change(vec![world.edit((first, last), side, new)], STRICT).await.unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (Kind::Invalid, what));
        let end = shows_end.then(|| format!("It ends with:\n{}", referred(4..=7)));
        assert_eq!(failure.found, end, "{what}");
        assert_eq!(failure.hints, [Hint::Advice(advice.to_owned())], "{what}");
        assert_eq!(world.content(), TEXT);
    }
    let world = World::new(b"").await;
    let failure = world.replace("2", "x", STRICT).await.unwrap_err();
    assert_eq!(failure.what, "There is no line 2 in f: it has 0 lines.");
    assert_eq!(failure.hints, [Hint::Advice("To fill the empty file, name line 1.".to_owned())]);
    assert_eq!(world.replace("1", "x\n", STRICT).await.map(|_| world.content()), Ok("x\n".to_owned()));
}

#[tokio::test]
async fn what_is_no_text_or_would_be_none_stays() {
    let notebook = br#"{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;
    let rows: [(&[u8], &str, Kind); 4] = [
        (b"\x00\x01\n", "x", Kind::WrongKind),
        (b"caf\xE9\n", "\u{e9}", Kind::Invalid),
        (b"a\n", "// ... rest of the code unchanged ...", Kind::Invalid),
        (b"a\n", "[toolpost: 9 more characters of this line]", Kind::Invalid),
    ];
    for (content, new, kind) in rows {
        let world = World::new(content).await;
        let failure = world.replace("1", new, Fresh::NOT_ASKED).await.unwrap_err();
        assert_eq!((failure.kind, fs::read(world.file()).unwrap().as_slice()), (kind, content), "{new}");
    }
    let world = World::new(b"caf\xE9\nx\n").await;
    world.replace("2", "y", STRICT).await.unwrap();
    assert_eq!(fs::read(world.file()).unwrap(), b"caf\xE9\ny\n");
    let path = world.root.path().join("n.ipynb");
    fs::write(&path, notebook).unwrap();
    let mut edit = world.edit(("1", "1"), Side::Replace, "{");
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
    let mut edit = world.edit(("1", "1"), Side::Replace, "x");
    edit.path = world.engine.resolve("none").unwrap();
    assert_eq!(world.change(vec![edit], Fresh::NOT_ASKED).await.unwrap_err().kind, Kind::NotFound);
}

#[tokio::test]
async fn corrections_are_told() {
    let world = World::new(b"fn main() {\n    first();\n}\n").await;
    let notes = world.replace("2", "2:00 | second();", STRICT).await.unwrap();
    assert_eq!(
        notes,
        ["auto-corrected: took the line numbers off the new text, restored the indentation \"    \""]
    );
    assert_eq!(world.content(), "fn main() {\n    second();\n}\n");
}

#[tokio::test]
async fn several_changes_of_lines_all_happen_or_none() {
    let world = World::new(TEXT.as_bytes()).await;
    let changes = |second: &str| {
        vec![world.edit(("1", "1"), Side::After, "new"), world.edit((second, second), Side::Replace, "BETA")]
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
async fn what_was_not_seen_is_not_changed() {
    let world = World::new(TEXT.as_bytes()).await;
    let blind = World { session: Session::new(), ..world };
    assert_eq!(blind.replace("2", "x", STRICT).await.unwrap_err().kind, Kind::Unread);
    assert_eq!(blind.content(), TEXT);
}
