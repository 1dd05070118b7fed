//! Tests of changes that delete or rename files and also change their content.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, owned};
use std::{fs, os::unix::fs::PermissionsExt};
use toolpost_engine::{
    Extent, Failure, Fresh, Kind, Operation, Touch,
    operations::change::{
        Change, ChangeFiles, ChangeTarget, EditKind, Existence, MatchCount, Output, RemainingContent,
        Request, Step,
    },
};

impl World {
    async fn make(&self, script: &[&str]) -> Result<Output, Failure> {
        let changes = script.iter().map(|script| self.say(script)).collect();
        self.change(changes, Fresh::NOT_ASKED).await
    }

    /// Parses a change: `a: old > new` replaces text, `a = text` writes the file, `a == text` writes the file without
    /// following a link at the path, `-a` deletes it, `a -> b` renames it, and `a => b` renames it if `b` does not exist.
    fn say(&self, script: &str) -> Change {
        let file = |name: &str| self.engine.resolve(name).unwrap();
        let entry = |name: &str| self.engine.resolve_entry(name).unwrap();
        let nothing = String::new();
        if let Some(name) = script.strip_prefix('-') {
            return Change {
                path: entry(name),
                at: ChangeTarget::Gone(RemainingContent::Anything),
                text: nothing,
            };
        }
        for (sign, existence) in [(" -> ", Existence::Any), (" => ", Existence::New)] {
            if let Some((from, to)) = script.split_once(sign) {
                let at = ChangeTarget::Elsewhere { to: entry(to), existence };
                return Change { path: entry(from), at, text: nothing };
            }
        }
        if let Some((name, text)) = script.split_once(" == ") {
            return Change {
                path: entry(name),
                at: ChangeTarget::Whole(Existence::Any),
                text: text.to_owned(),
            };
        }
        if let Some((name, text)) = script.split_once(" = ") {
            return Change {
                path: file(name),
                at: ChangeTarget::Whole(Existence::Any),
                text: text.to_owned(),
            };
        }
        let (name, edit) = script.split_once(": ").unwrap();
        let (old, new) = edit.split_once(" > ").unwrap();
        let at = ChangeTarget::Text {
            old: old.to_owned(),
            want: MatchCount::One,
            near: None,
            matching: Step::Exact,
        };
        Change { path: file(name), at, text: new.to_owned() }
    }
}

type Files = &'static [(&'static str, &'static str)];

#[tokio::test]
async fn deletes_moves_and_edits_combine_in_one_call() {
    let deleted = |lines_before| EditKind::Deleted { lines_before };
    let moved = |from: &str| EditKind::Moved { from: from.to_owned() };
    let over = |lines_before| EditKind::Overwritten { lines_before };
    type Row<'a> = (Files, &'a [&'a str], Files, Vec<(&'a str, EditKind)>);
    let rows: [Row<'_>; 15] = [
        (&[("a", "1\n2\n"), ("b", "")], &["-a"], &[("b", "")], vec![("a", deleted(2))]),
        (&[("a", "1\n")], &["a -> d/b"], &[("d/b", "1\n")], vec![("d/b", moved("a"))]),
        (&[("a", "1\n")], &["a: 1 > 2", "a -> b"], &[("b", "2\n")], vec![("b", moved("a"))]),
        (&[("a", "1\n")], &["a -> b", "b: 1 > 2"], &[("b", "2\n")], vec![("b", moved("a"))]),
        (&[("a", "1\n"), ("b", "2\n")], &["a -> b"], &[("b", "1\n")], vec![("b", moved("a"))]),
        (&[("a", "1\n")], &["a -> b", "b -> c"], &[("c", "1\n")], vec![("c", moved("a"))]),
        (&[("a", "1\n")], &["a -> b", "b -> a"], &[("a", "1\n")], vec![("a", EditKind::Unchanged)]),
        (
            &[("a", "1\n"), ("b", "2\n")],
            &["a -> c", "b -> a", "c -> b"],
            &[("a", "2\n"), ("b", "1\n")],
            vec![("a", moved("b")), ("b", moved("a"))],
        ),
        (&[("a", "1\n")], &["-a", "a = 2\n"], &[("a", "2\n")], vec![("a", over(1))]),
        (&[("a", "1\n")], &["b = 2\n", "-b"], &[("a", "1\n")], vec![]),
        (&[("a", "1\n")], &["a -> b", "-b"], &[], vec![("a", deleted(1))]),
        (
            &[("a", "1\n")],
            &["a -> b", "a = 2\n"],
            &[("a", "2\n"), ("b", "1\n")],
            vec![("a", over(1)), ("b", moved("a"))],
        ),
        (&[("a", "1\n"), ("l", "-> a")], &["-l"], &[("a", "1\n")], vec![("l", deleted(0))]),
        (
            &[("a", "1\n"), ("l", "-> a")],
            &["l -> m"],
            &[("a", "1\n"), ("m", "-> a")],
            vec![("m", moved("l"))],
        ),
        (
            &[("a", "1\n"), ("l", "-> a")],
            &["l: 1 > 2", "l => m"],
            &[("a", "2\n"), ("m", "-> a")],
            vec![("a", EditKind::Replaced { count: 1 }), ("m", moved("l"))],
        ),
    ];
    each_async(rows, async |(before, script, after, wanted)| {
        let world = World::new(before);
        let output = world.make(script).await.unwrap();
        assert_eq!(world.files(), owned(after), "{script:?}");
        let files = output.files.into_iter().map(|file| (file.path, file.what));
        let wanted: Vec<(String, EditKind)> =
            wanted.into_iter().map(|(path, what)| (path.to_owned(), what)).collect();
        assert_eq!(files.collect::<Vec<_>>(), wanted, "{script:?}");
    })
    .await;
}

#[tokio::test]
async fn invalid_delete_or_move_changes_nothing() {
    let before: Files = &[("a", "1\n"), ("b", "2\n"), ("d/f", "3\n"), ("k", "-> b"), ("l", "-> a")];
    let rows: [(&[&str], Kind, &str); 13] = [
        (&["a: 1 > 2", "-c"], Kind::NotFound, "#2 NotDeleted: File not found: c (the workspace is ROOT)."),
        (&["-a", "-a"], Kind::NotFound, "#2 NotDeleted: File not found: a (the workspace is ROOT)."),
        (&["-d"], Kind::WrongKind, "NotDeleted: d is a directory, not a file."),
        (&["d -> e"], Kind::WrongKind, "NotMoved: d is a directory, not a file."),
        (&["a -> d"], Kind::WrongKind, "d is a directory, not a file."),
        (&["c -> e"], Kind::NotFound, "NotMoved: File not found: c (the workspace is ROOT)."),
        (&["a => b"], Kind::Conflict, "b already exists, and would be lost."),
        (&["l -> b"], Kind::Conflict, "b already exists, and would be lost."),
        (
            &["-b", "l -> b"],
            Kind::Conflict,
            "#2 b exists before this call, and a symbolic link takes its place; one call cannot do both.",
        ),
        (
            &["l -> t", "k -> l", "t -> k"],
            Kind::Conflict,
            "#2 l exists before this call, and a symbolic link takes its place; one call cannot do both.",
        ),
        (
            &["l -> m", "l == new"],
            Kind::Conflict,
            "l is a symbolic link before this call, and a file after it; one call cannot do both. Nothing was changed.",
        ),
        (
            &["-l", "l == new"],
            Kind::Conflict,
            "l is a symbolic link before this call, and a file after it; one call cannot do both. Nothing was changed.",
        ),
        (
            &["l -> m", "a -> l"],
            Kind::Conflict,
            "l is a symbolic link before this call, and a file after it; one call cannot do both. Nothing was changed.",
        ),
    ];
    each_async(rows, async |(script, kind, words)| {
        let world = World::new(before);
        let failure = world.make(script).await.unwrap_err();
        assert_eq!(world.said(&failure), (kind, words.to_owned()), "{script:?}");
        assert_eq!(world.files(), owned(before), "{script:?}");
    })
    .await;
}

#[tokio::test]
async fn moved_file_keeps_its_permissions_after_edits() {
    for script in [&["a -> b"][..], &["a: 1 > 2", "a -> b"], &["a: 1 > 2", "a -> c"]] {
        let world = World::new(&[("a", "1\n"), ("c", "3\n")]);
        fs::set_permissions(world.at("a"), fs::Permissions::from_mode(0o750)).unwrap();
        let output = world.make(script).await.unwrap();
        let mode = fs::metadata(world.at(&output.files[0].path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o750, "{script:?}");
    }
}

#[tokio::test]
async fn stale_file_is_not_deleted_or_overwritten_by_a_move() {
    for script in ["-b", "a -> b"] {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        world.make(&["b: 2 > 3"]).await.unwrap();
        fs::write(world.at("b"), "3\nHUMAN WORK\n").unwrap();
        let failure = world.make(&[script]).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Stale, "{script}");
        assert_eq!(world.files(), owned(&[("a", "1\n"), ("b", "3\nHUMAN WORK\n")]));
    }
}

#[tokio::test]
async fn read_coverage_follows_a_moved_file() {
    let world = World::new(&[]);
    world.make(&["a = 1\n"]).await.unwrap();
    world.make(&["a: 1 > 2", "a -> b"]).await.unwrap();
    let known = |name: &str| world.session.ledger.seen(&world.engine.resolve(name).unwrap());
    assert_eq!(known("a"), None);
    assert_eq!(known("b").unwrap().hash, toolpost_workspace::hash(b"2\n"));
    assert_eq!(known("b").unwrap().coverage, toolpost_workspace::Coverage::Whole);
    assert!(world.at("b").exists());
}

#[test]
fn touches_of_a_move_include_source_and_target() {
    let world = World::new(&[]);
    let (a, b) = (world.engine.resolve("a").unwrap(), world.engine.resolve("b").unwrap());
    let both = |changes| ChangeFiles::touches(&Request { changes });
    let ends = [
        Touch::Read(a.clone()),
        Touch::Write(a.clone(), Extent::Name),
        Touch::Read(b.clone()),
        Touch::Write(b, Extent::Whole),
    ];
    assert_eq!(both(vec![world.say("a -> b")]), ends);
    assert_eq!(both(vec![world.say("-a")]), [Touch::Read(a.clone()), Touch::Write(a, Extent::Gone)]);
}
