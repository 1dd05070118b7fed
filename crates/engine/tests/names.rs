//! Deleting files and giving them other names, together with changes of what is in them.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc};
use tempfile::TempDir;
use toolpost_engine::{
    CallCtx, Engine, Extent, Failure, Fresh, Kind, Operation, Session, Touch,
    operations::change::{Change, ChangeFiles, Existence, Left, Output, Request, Step, Want, What, Where},
};
use toolpost_workspace::{Options, Workspace};

struct World {
    root: TempDir,
    _state: TempDir,
    engine: Engine,
    session: Arc<Session>,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let (root, state) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match text.strip_prefix("-> ") {
                Some(target) => std::os::unix::fs::symlink(target, path).unwrap(),
                None => fs::write(path, text).unwrap(),
            }
        }
        let (roots, store) = (vec![root.path().to_path_buf()], Some(state.path().to_path_buf()));
        let (workspace, _) = Workspace::open(Options { roots, state: store, ..Options::default() }).unwrap();
        Self { root, _state: state, engine: Engine::new(workspace), session: Session::new() }
    }

    /// Goes the way of the `fresh` layer: judge, change, record.
    async fn change(&self, changes: Vec<Change>) -> Result<Output, Failure> {
        let request = Request { changes };
        let mut cx = CallCtx { fresh: Fresh::NOT_ASKED, ..CallCtx::unlimited(self.session.clone()) };
        cx.expected = self.engine.freshness(&cx, ChangeFiles::touches(&request)).await?;
        let output = ChangeFiles::run(&self.engine, request, &cx).await?;
        ChangeFiles::seen(&output).into_iter().for_each(|seen| self.session.record(seen));
        Ok(output)
    }

    /// Reads a change: `a: old > new`, `a = whole`, `-a`, `a -> b`, `a => b` where nothing may be there.
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

    fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut open = vec![self.root.path().to_path_buf()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.root.path()).unwrap().display().to_string();
                if let Ok(target) = fs::read_link(&path) {
                    files.push((name, format!("-> {}", target.display())));
                } else if path.is_dir() {
                    open.push(path);
                } else {
                    files.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
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
        let changes = said.iter().map(|said| world.say(said)).collect();
        let output = world.change(changes).await.unwrap();
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
        (
            &["a: 1 > 2", "-c"],
            Kind::NotFound,
            "Failed to delete file c: File not found: c (the workspace is {root}). Nothing was changed.",
        ),
        (
            &["-a", "-a"],
            Kind::NotFound,
            "Failed to delete file a: File not found: a (the workspace is {root}). Nothing was changed.",
        ),
        (&["-d"], Kind::WrongKind, "Failed to delete file d: d is a directory, not a file."),
        (&["d -> e"], Kind::WrongKind, "Failed to move file d: d is a directory, not a file."),
        (&["a -> d"], Kind::WrongKind, "d is a directory, not a file."),
        (&["c -> e"], Kind::NotFound, "Failed to move file c: File not found: c (the workspace is {root})."),
        (&["a => b"], Kind::Conflict, "b exists already, and would be lost."),
        (&["l -> b"], Kind::Conflict, "b exists already, and would be lost."),
        (&["-b", "l -> b"], Kind::Conflict, "b exists already, and would be lost. Nothing was changed."),
    ];
    for (said, kind, words) in rows {
        let world = World::new(before);
        let failure = world.change(said.iter().map(|said| world.say(said)).collect()).await.unwrap_err();
        let root = world.root.path().canonicalize().unwrap().display().to_string();
        assert_eq!((failure.kind, failure.what), (kind, words.replace("{root}", &root)), "{said:?}");
        assert_eq!(world.files(), owned(before), "{said:?}");
    }
}

#[tokio::test]
async fn a_moved_file_keeps_its_permissions_whatever_is_changed_in_it() {
    for said in [&["a -> b"][..], &["a: 1 > 2", "a -> b"], &["a: 1 > 2", "a -> c"]] {
        let world = World::new(&[("a", "1\n"), ("c", "3\n")]);
        fs::set_permissions(world.root.path().join("a"), fs::Permissions::from_mode(0o750)).unwrap();
        let output = world.change(said.iter().map(|said| world.say(said)).collect()).await.unwrap();
        let mode = fs::metadata(world.root.path().join(&output.files[0].path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o750, "{said:?}");
    }
}

#[tokio::test]
async fn nothing_that_changed_since_it_was_read_is_taken_away_or_written_over() {
    for said in ["-b", "a -> b"] {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        world.change(vec![world.say("b: 2 > 3")]).await.unwrap();
        fs::write(world.root.path().join("b"), "3\nHUMAN WORK\n").unwrap();
        let failure = world.change(vec![world.say(said)]).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Stale, "{said}");
        assert_eq!(world.files(), owned(&[("a", "1\n"), ("b", "3\nHUMAN WORK\n")]));
    }
}

#[tokio::test]
async fn what_was_seen_of_a_file_goes_with_it() {
    let world = World::new(&[]);
    world.change(vec![world.say("a = 1\n")]).await.unwrap();
    world.change(vec![world.say("a: 1 > 2"), world.say("a -> b")]).await.unwrap();
    let known = |name: &str| world.session.ledger.seen(&world.engine.resolve(name).unwrap());
    assert_eq!(known("a"), None);
    assert_eq!(known("b").unwrap().hash, toolpost_workspace::hash(b"2\n"));
    assert_eq!(known("b").unwrap().coverage, toolpost_workspace::Coverage::Whole);
    assert!(Path::new(&world.root.path().join("b")).exists());
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
