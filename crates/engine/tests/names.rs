//! Tests of deleting and renaming files, together with changes of their content.

use crate::common;

use common::{World, owned};
use std::{fs, os::unix::fs::PermissionsExt};
use toolpost_engine::{
    Extent, Failure, Fresh, Kind, Operation, Touch,
    operations::change::{Change, ChangeFiles, Existence, Left, Output, Request, Step, Want, What, Where},
};

impl World {
    async fn make(&self, said: &[&str]) -> Result<Output, Failure> {
        let changes = said.iter().map(|said| self.say(said)).collect();
        self.change(changes, Fresh::NOT_ASKED).await
    }

    /// Parses a change: `a: old > new`, `a = whole`, `-a`, `a -> b`, `a => b` if `b` must not exist.
    fn say(&self, said: &str) -> Change {
        let file = |name: &str| self.engine.resolve(name).unwrap();
        let entry = |name: &str| self.engine.resolve_entry(name).unwrap();
        let nothing = String::new();
        if let Some(name) = said.strip_prefix('-') {
            return Change { path: entry(name), at: Where::Gone(Left::Anything), text: nothing };
        }
        for (sign, existence) in [(" -> ", Existence::Any), (" => ", Existence::New)] {
            if let Some((from, to)) = said.split_once(sign) {
                let at = Where::Elsewhere { to: entry(to), existence };
                return Change { path: entry(from), at, text: nothing };
            }
        }
        if let Some((name, text)) = said.split_once(" = ") {
            return Change { path: file(name), at: Where::Whole(Existence::Any), text: text.to_owned() };
        }
        let (name, edit) = said.split_once(": ").unwrap();
        let (old, new) = edit.split_once(" > ").unwrap();
        let at = Where::Text { old: old.to_owned(), want: Want::One, near: None, matching: Step::Exact };
        Change { path: file(name), at, text: new.to_owned() }
    }
}

type Files = &'static [(&'static str, &'static str)];

#[tokio::test]
async fn names_come_and_go_together_with_contents() {
    let deleted = |lines_before| What::Deleted { lines_before };
    let moved = |from: &str| What::Moved { from: from.to_owned() };
    let over = |lines_before| What::Overwritten { lines_before };
    type Row<'a> = (Files, &'a [&'a str], Files, Vec<(&'a str, What)>);
    let rows: [Row<'_>; 15] = [
        (&[("a", "1\n2\n"), ("b", "")], &["-a"], &[("b", "")], vec![("a", deleted(2))]),
        (&[("a", "1\n")], &["a -> d/b"], &[("d/b", "1\n")], vec![("d/b", moved("a"))]),
        (&[("a", "1\n")], &["a: 1 > 2", "a -> b"], &[("b", "2\n")], vec![("b", moved("a"))]),
        (&[("a", "1\n")], &["a -> b", "b: 1 > 2"], &[("b", "2\n")], vec![("b", moved("a"))]),
        (&[("a", "1\n"), ("b", "2\n")], &["a -> b"], &[("b", "1\n")], vec![("b", moved("a"))]),
        (&[("a", "1\n")], &["a -> b", "b -> c"], &[("c", "1\n")], vec![("c", moved("a"))]),
        (&[("a", "1\n")], &["a -> b", "b -> a"], &[("a", "1\n")], vec![("a", What::Unchanged)]),
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
            vec![("a", What::Replaced { count: 1 }), ("m", moved("l"))],
        ),
    ];
    for (before, said, after, told) in rows {
        let world = World::new(before);
        let output = world.make(said).await.unwrap();
        assert_eq!(world.files(), owned(after), "{said:?}");
        let files = output.files.into_iter().map(|file| (file.path, file.what));
        let told: Vec<(String, What)> =
            told.into_iter().map(|(path, what)| (path.to_owned(), what)).collect();
        assert_eq!(files.collect::<Vec<_>>(), told, "{said:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_named_so_leaves_all_as_it_was() {
    let before: Files = &[("a", "1\n"), ("b", "2\n"), ("d/f", "3\n"), ("l", "-> a")];
    let rows: [(&[&str], Kind, &str); 9] = [
        (&["a: 1 > 2", "-c"], Kind::NotFound, "#2 NotDeleted: File not found: c (the workspace is ROOT)."),
        (&["-a", "-a"], Kind::NotFound, "#2 NotDeleted: File not found: a (the workspace is ROOT)."),
        (&["-d"], Kind::WrongKind, "NotDeleted: d is a directory, not a file."),
        (&["d -> e"], Kind::WrongKind, "NotMoved: d is a directory, not a file."),
        (&["a -> d"], Kind::WrongKind, "d is a directory, not a file."),
        (&["c -> e"], Kind::NotFound, "NotMoved: File not found: c (the workspace is ROOT)."),
        (&["a => b"], Kind::Conflict, "b exists already, and would be lost."),
        (&["l -> b"], Kind::Conflict, "b exists already, and would be lost."),
        (&["-b", "l -> b"], Kind::Conflict, "#2 b exists already, and would be lost."),
    ];
    for (said, kind, words) in rows {
        let world = World::new(before);
        let failure = world.make(said).await.unwrap_err();
        assert_eq!(world.said(&failure), (kind, words.to_owned()), "{said:?}");
        assert_eq!(world.files(), owned(before), "{said:?}");
    }
}

#[tokio::test]
async fn a_moved_file_keeps_its_permissions_whatever_is_changed_in_it() {
    for said in [&["a -> b"][..], &["a: 1 > 2", "a -> b"], &["a: 1 > 2", "a -> c"]] {
        let world = World::new(&[("a", "1\n"), ("c", "3\n")]);
        fs::set_permissions(world.at("a"), fs::Permissions::from_mode(0o750)).unwrap();
        let output = world.make(said).await.unwrap();
        let mode = fs::metadata(world.at(&output.files[0].path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o750, "{said:?}");
    }
}

#[tokio::test]
async fn nothing_that_changed_since_it_was_read_is_taken_away_or_written_over() {
    for said in ["-b", "a -> b"] {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        world.make(&["b: 2 > 3"]).await.unwrap();
        fs::write(world.at("b"), "3\nHUMAN WORK\n").unwrap();
        let failure = world.make(&[said]).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Stale, "{said}");
        assert_eq!(world.files(), owned(&[("a", "1\n"), ("b", "3\nHUMAN WORK\n")]));
    }
}

#[tokio::test]
async fn what_was_seen_of_a_file_goes_with_it() {
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
fn touches_name_both_ends_of_a_move() {
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
