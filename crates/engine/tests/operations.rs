//! Tests of operations without a dialect: changes of several files, seen and unseen content, and file trees.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, owned, permissive};
use std::{fs, os::unix::fs::PermissionsExt};
use tempfile::TempDir;
use toolpost_engine::{
    CallCtx, Engine, Extent, Failure, Fresh, Host, Kind, Operation, Session, Touch,
    operations::{
        change::{
            Change, ChangeFiles, ChangeTarget, EditPosition, Exact, Existence, Hunk, Lines, MatchCount,
            Output, Reference, Request, Step,
        },
        glob::{self, Glob, Prune, Rules},
        grep::{self, Grep, GrepRequest, Mode},
        list::{self, HiddenFiles, List},
        read_many::{self, FileSelector, ReadMany},
        stat::{self, FileKind, Stat},
    },
};
use toolpost_text::{
    lines::LineRange,
    patch::{Format, HunkPosition, Line, LineChange, LineEnding},
};
use toolpost_workspace::{Options, Workspace, hash};

impl World {
    fn text(&self, path: &str, old: &str, new: &str) -> Change {
        let at = ChangeTarget::Text {
            old: old.to_owned(),
            want: MatchCount::One,
            near: None,
            matching: Step::Exact,
        };
        Change { path: self.engine.resolve(path).unwrap(), at, text: new.to_owned() }
    }

    fn whole(&self, path: &str, existence: Existence, text: &str) -> Change {
        Change {
            path: self.engine.resolve(path).unwrap(),
            at: ChangeTarget::Whole(existence),
            text: text.to_owned(),
        }
    }
}

fn exact(before: &str, from: usize, to: usize) -> ChangeTarget {
    ChangeTarget::Exact(Exact { from, to, of: hash(before.as_bytes()) })
}

#[tokio::test]
async fn changes_of_several_files_apply_in_one_call() {
    let world = World::new(&[("a", "one\n"), ("b", "two\n")]);
    let changes = vec![
        world.text("a", "one", "1"),
        world.whole("deep/c", Existence::New, "three\n"),
        world.text("b", "two", "2"),
        world.text("a", "1", "first"),
    ];
    let output = world.change(changes, Fresh::NOT_ASKED).await.unwrap();
    let names: Vec<&str> = output.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["a", "deep/c", "b"]);
    assert_eq!(world.files(), owned(&[("a", "first\n"), ("b", "2\n"), ("deep/c", "three\n")]));
}

#[tokio::test]
async fn changes_of_different_kinds_apply_in_order_in_one_file() {
    let find =
        |old: &str, want| ChangeTarget::Text { old: old.to_owned(), want, near: None, matching: Step::Exact };
    let at_line = |old: &str, line| ChangeTarget::Text {
        old: old.to_owned(),
        want: MatchCount::One,
        near: Some(LineRange { first: line, last: line }),
        matching: Step::Exact,
    };
    let next = |old: &str| ChangeTarget::Next { old: old.to_owned(), matching: Step::Exact };
    let line = |number: usize, side| {
        let line = Reference { line: number, hash: None };
        ChangeTarget::Lines(Lines { first: line, last: line, side })
    };
    let hunk = Hunk {
        scope: Vec::new(),
        lines: [(LineChange::Remove, "c"), (LineChange::Add, "C")]
            .map(|(sign, text)| Line { sign, text: text.to_owned(), ending: LineEnding::Unsaid })
            .into(),
        end: HunkPosition::Anywhere,
        numbers: None,
        format: Format::Unified,
        at: 1,
    };
    let rows = [
        (
            "a a b a c b\n",
            [(find("a", MatchCount::Every), "aaaa"), (next("b"), "B")],
            "aaaa aaaa b aaaa c B\n",
        ),
        (
            "a\nx\nb\nx\n",
            [(line(1, EditPosition::Before), "n\nn"), (at_line("x", 4), "X")],
            "n\nn\na\nx\nb\nX\n",
        ),
        (
            "a\nx\nb\nx\n",
            [(line(1, EditPosition::Replace), "n\nn\nn"), (at_line("x", 2), "X")],
            "n\nn\nn\nX\nb\nx\n",
        ),
        ("a\nb\nc\nb\n", [(ChangeTarget::Hunks(vec![hunk]), ""), (next("b"), "B")], "a\nb\nC\nB\n"),
        ("a\nb\na\nb\n", [(line(2, EditPosition::After), "new"), (next("b"), "B")], "a\nb\nnew\na\nB\n"),
        ("a b\n", [(exact("a b\n", 0, 1), "first"), (exact("a b\n", 2, 3), "B")], "first B\n"),
        ("a b\n", [(exact("a b\n", 2, 3), "second"), (exact("a b\n", 0, 1), "A")], "A second\n"),
        ("a a b\n", [(find("a", MatchCount::Every), "1\r\n"), (exact("a a b\n", 4, 5), "B")], "1\n 1\n B\n"),
        ("a\n", [(exact("a\n", 1, 1), "x"), (exact("a\n", 1, 1), "y")], "axy\n"),
        ("a\n", [(exact("a\n", 0, 1), ""), (exact("a\n", 0, 0), "x")], "x\n"),
    ];
    each_async(rows, async |(before, changes, after)| {
        let world = World::new(&[("f", before)]);
        let path = world.engine.resolve("f").unwrap();
        let changes =
            changes.map(|(at, text)| Change { path: path.clone(), at, text: text.to_owned() }).into();
        world.change(changes, Fresh::NOT_ASKED).await.unwrap();
        assert_eq!(world.files(), owned(&[("f", after)]));
    })
    .await;
}

#[tokio::test]
async fn byte_range_that_an_earlier_change_replaced_is_refused() {
    let before = "a b c\n";
    let find = |old: &str| ChangeTarget::Text {
        old: old.to_owned(),
        want: MatchCount::One,
        near: None,
        matching: Step::Exact,
    };
    let rows = [
        (exact(before, 0, 3), "a B"),
        (find("b c"), "B C"),
        (ChangeTarget::Whole(Existence::Existing), "a b cc\n"),
        (find("b"), "B"),
    ];
    each_async(rows, async |(at, text)| {
        let world = World::new(&[("f", before)]);
        let path = world.engine.resolve("f").unwrap();
        let earlier = Change { path: path.clone(), at, text: text.to_owned() };
        let later = Change { path, at: exact(before, 2, 3), text: "x".to_owned() };
        let failure = world.change(vec![earlier, later], Fresh::NOT_ASKED).await.unwrap_err();
        let what = "#2 An earlier change of this call replaces text at bytes 2-3 of f, which this change also replaces; \
                    nothing was written.";
        assert_eq!(world.said(&failure), (Kind::Invalid, what.to_owned()));
        assert_eq!(world.files(), owned(&[("f", before)]));
    })
    .await;
}

#[tokio::test]
async fn one_failed_change_leaves_all_files_unchanged() {
    let before = [("a", "one\n"), ("b", "two\n"), ("ro", "fixed\n")];
    type Wrong = fn(&World) -> Change;
    let rows: [(Wrong, Kind, &str); 3] = [
        (
            |world| world.text("b", "nothing like it", "x"),
            Kind::NoMatch,
            "#2 Absent: The text to replace was not found in b.",
        ),
        (
            |world| world.text("missing", "a", "b"),
            Kind::NotFound,
            "#2 File not found: missing (the workspace is ROOT).",
        ),
        (
            |world| world.text("ro", "fixed", "loose"),
            Kind::Denied,
            "ro is read-only; make it writable first if it should change. Nothing was changed.",
        ),
    ];
    for (wrong, kind, words) in rows {
        let world = World::new(&before);
        fs::set_permissions(world.at("ro"), fs::Permissions::from_mode(0o444)).unwrap();
        let changes = vec![world.text("a", "one", "1"), wrong(&world)];
        let failure = world.change(changes, Fresh::NOT_ASKED).await.unwrap_err();
        assert_eq!(world.said(&failure), (kind, words.to_owned()));
        assert_eq!(world.files(), owned(&before));
    }
}

#[tokio::test]
async fn freshness_compares_content_not_modification_time() {
    let world = World::new(&[("f", "one\ntwo\nthree\n")]);
    let path = world.at("f");
    let unread = world.change(vec![world.text("f", "one", "1")], Fresh::REQUIRED).await.unwrap_err();
    assert_eq!(unread.kind, Kind::Unread);
    world.read("f", 1, 1).await;
    world.change(vec![world.text("f", "one", "1")], Fresh::REQUIRED).await.unwrap();
    let part =
        world.change(vec![world.whole("f", Existence::Any, "new\n")], Fresh::REQUIRED).await.unwrap_err();
    assert_eq!(part.kind, Kind::Unread);
    world.read("f", 1, 2).await;
    world.read("f", 3, 5).await;
    let touched = fs::File::options().write(true).open(&path).unwrap();
    touched.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    fs::write(&path, "1\ntwo\nthree\nfour\n").unwrap();
    let stale =
        world.change(vec![world.whole("f", Existence::Any, "new\n")], Fresh::REQUIRED).await.unwrap_err();
    assert_eq!(stale.kind, Kind::Stale);
    assert_eq!(stale.found.unwrap(), "What changed:\n@@ -2,2 +2,3 @@\n two\n three\n+four\n");
    let edited = world.change(vec![world.text("f", "two", "2")], Fresh::REQUIRED).await.unwrap();
    assert_eq!(
        edited.files[0].notes,
        [
            "the file changed since it was last seen (1 line differs: line 4); the change was made to its current version"
        ]
    );
    world.read("f", 1, 9).await;
    fs::write(&path, fs::read(&path).unwrap()).unwrap();
    world.change(vec![world.whole("f", Existence::Any, "new\n")], Fresh::REQUIRED).await.unwrap();
    assert_eq!(world.files(), owned(&[("f", "new\n")]));
}

#[tokio::test]
async fn optional_reading_permits_unread_but_not_stale_writes() {
    let world = World::new(&[("f", "one\n")]);
    world.change(vec![world.whole("f", Existence::Existing, "two\n")], Fresh::NOT_ASKED).await.unwrap();
    fs::write(world.at("f"), "three\n").unwrap();
    let stale = world
        .change(vec![world.whole("f", Existence::Existing, "four\n")], Fresh::NOT_ASKED)
        .await
        .unwrap_err();
    assert_eq!((stale.kind, stale.shows.is_some()), (Kind::Stale, true));
    let exists =
        world.change(vec![world.whole("f", Existence::New, "four\n")], Fresh::NOT_ASKED).await.unwrap_err();
    // The call must create a new file, so the permission to read the existing file was not checked, and the
    // failure does not show it.
    assert_eq!((exists.kind, exists.found, exists.shows), (Kind::Stale, None, None));
    assert_eq!(world.files(), owned(&[("f", "three\n")]));
}

#[tokio::test]
async fn deleted_file_is_not_recreated_by_an_edit() {
    let world = World::new(&[("f", "one\n")]);
    world.read("f", 1, 9).await;
    fs::remove_file(world.at("f")).unwrap();
    let failure = world.change(vec![world.text("f", "one", "1")], Fresh::REQUIRED).await.unwrap_err();
    assert_eq!(failure.kind, Kind::NotFound);
    assert_eq!(world.files(), owned(&[]));
}

#[test]
fn touches_state_the_extent_of_each_write() {
    let world = World::new(&[]);
    let request = Request { changes: vec![world.text("a", "x", "y"), world.whole("b", Existence::Any, "z")] };
    let (a, b) = (world.engine.resolve("a").unwrap(), world.engine.resolve("b").unwrap());
    let wanted = [
        Touch::Read(a.clone()),
        Touch::Write(a, Extent::Part),
        Touch::Read(b.clone()),
        Touch::Write(b, Extent::Whole),
    ];
    assert_eq!(ChangeFiles::touches(&request), wanted);
}

#[tokio::test]
async fn tree_listing_stops_at_its_depth_and_shows_link_targets() {
    let world = World::new(&[("a/b/c", ""), ("a/d", ""), ("z", ""), (".hidden", "")]);
    std::os::unix::fs::symlink("z", world.at("link")).unwrap();
    let request = list::Request::of(list::ListRequest {
        depth: 2,
        rules: Rules::None,
        hidden: HiddenFiles::Show,
        prune: Prune::Nothing,
        ..list::ListRequest::of(world.engine.resolve(".").unwrap())
    });
    let output = world.engine.run::<List>(request, &world.cx(Fresh::NOT_ASKED)).await.unwrap();
    let shown: Vec<(String, usize, FileKind)> =
        output.nodes.iter().map(|node| (node.path.clone(), node.depth, node.kind)).collect();
    let wanted = [
        (".hidden", 0, FileKind::File),
        ("a", 0, FileKind::Directory),
        ("a/b", 1, FileKind::Directory),
        ("a/d", 1, FileKind::File),
        ("link", 0, FileKind::Link),
        ("z", 0, FileKind::File),
    ];
    assert_eq!(shown, wanted.map(|(path, depth, kind)| (path.to_owned(), depth, kind)));
    assert_eq!(output.nodes[4].target.as_deref(), Some("z"));
}

#[tokio::test]
async fn stat_reports_kind_size_mode_and_time() {
    let world = World::new(&[("f", "12345")]);
    let file = world.at("f");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
    let modified = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    fs::File::open(&file).unwrap().set_modified(modified).unwrap();
    let request = stat::Request { path: world.engine.resolve("f").unwrap() };
    let output = world.engine.run::<Stat>(request, &world.cx(Fresh::NOT_ASKED)).await.unwrap();
    let wanted = stat::Output {
        path: "f".to_owned(),
        kind: FileKind::File,
        bytes: 5,
        modified: 1_000_000,
        mode: "440".to_owned(),
        read_only: true,
    };
    assert_eq!(output, wanted);
    let missing = stat::Request { path: world.engine.resolve("g").unwrap() };
    let failure = world.engine.run::<Stat>(missing, &world.cx(Fresh::NOT_ASKED)).await.unwrap_err();
    assert_eq!((failure.kind, failure.what.as_str()), (Kind::NotFound, "Not found: g."));
}

#[tokio::test]
async fn file_created_after_the_freshness_check_is_not_overwritten() {
    let world = World::new(&[]);
    let request = Request { changes: vec![world.whole("new", Existence::Any, "mine\n")] };
    let mut cx = world.cx(Fresh::REQUIRED);
    cx.expected = world.engine.freshness(&cx, ChangeFiles::touches(&request)).await.unwrap();
    fs::write(world.at("new"), "theirs\n").unwrap();
    let failure = world.engine.run::<ChangeFiles>(request, &cx).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Unread);
    assert_eq!(world.files(), owned(&[("new", "theirs\n")]));
}

#[tokio::test]
async fn edit_of_a_stale_file_does_not_mark_the_rest_as_read() {
    let world = World::new(&[("f", "one\ntwo\n")]);
    world.read("f", 1, 9).await;
    fs::write(world.at("f"), "one\ntwo\nHUMAN WORK\n").unwrap();
    world.change(vec![world.text("f", "one", "1")], Fresh::REQUIRED).await.unwrap();
    let whole = vec![world.whole("f", Existence::Any, "new\n")];
    assert_eq!(world.change(whole, Fresh::REQUIRED).await.unwrap_err().kind, Kind::Unread);
    assert_eq!(world.files(), owned(&[("f", "1\ntwo\nHUMAN WORK\n")]));
}

#[tokio::test]
async fn truncated_lines_do_not_count_as_read() {
    let wide: String = "\u{feff}".chars().chain("line\n".repeat(30_000).chars()).collect();
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let world = World::new(&[]);
    fs::write(world.at("wide"), wide).unwrap();
    world.read("wide", 1, 100_000).await;
    let whole = vec![world.whole("wide", Existence::Any, "new\n")];
    assert_eq!(world.change(whole, Fresh::REQUIRED).await.unwrap_err().kind, Kind::Unread);
}

#[tokio::test]
async fn partial_reads_add_up_to_a_full_read_in_every_encoding() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let rows: [(&str, Vec<u8>, u64); 4] = [
        ("UTF-8", b"one\ntwo\nthree\n".to_vec(), 3),
        ("UTF-16", utf16("\u{feff}one\ntwo\nthree\n"), 3),
        ("UTF-16, no break at the end", utf16("\u{feff}one\r\ntwo\r\nthree"), 3),
        ("characters with the byte of a break", utf16("\u{feff}\u{10a}\u{a0a}\nthree\n"), 2),
    ];
    each_async(rows, async |(name, bytes, lines)| {
        let world = World::new(&[]);
        fs::write(world.at("f"), bytes).unwrap();
        let write = || world.change(vec![world.whole("f", Existence::Any, "new\n")], Fresh::REQUIRED);
        world.read("f", 1, lines - 1).await;
        assert_eq!(write().await.unwrap_err().kind, Kind::Unread, "{name}");
        world.read("f", lines, 1).await;
        assert!(write().await.is_ok(), "{name}");
    })
    .await;
}

#[tokio::test]
async fn partial_code_is_merged_into_files_that_were_read() {
    const CODE: &str = "fn a() {\n    1\n}\n\nfn b() {\n    1\n}\n";
    let world = World::new(&[("f.rs", CODE), ("g.txt", "one\n")]);
    let merge = |path: &str, text: &str| Change {
        path: world.engine.resolve(path).unwrap(),
        at: ChangeTarget::Merge { language: None },
        text: text.to_owned(),
    };
    let kind = |result: Result<Output, Failure>| result.map(|_| ()).map_err(|failure| failure.kind);
    let part = "fn b() {\n    2\n}\n";
    let unseen = world.change(vec![merge("f.rs", part)], Fresh::REQUIRED).await;
    assert_eq!(kind(unseen), Err(Kind::Unread));
    world.read("f.rs", 1, 3).await;
    let output = world.change(vec![merge("f.rs", part)], Fresh::REQUIRED).await.unwrap();
    assert_eq!(output.files[0].notes, [""; 0]);

    // A partial change requires that some of the file was seen; overwriting requires that all of it was seen.
    let all = "fn a() {\n    3\n}\n\nfn b() {\n    3\n}\n";
    let whole = world.change(vec![merge("f.rs", all)], Fresh::REQUIRED).await;
    assert_eq!(kind(whole), Err(Kind::Unread));

    // Another process changes the file: the partial code is merged into the current content.
    fs::write(world.at("f.rs"), format!("{CODE}\nfn c() {{}}\n")).unwrap();
    let output = world.change(vec![merge("f.rs", part)], Fresh::REQUIRED).await.unwrap();
    assert_eq!(output.files[0].notes.len(), 1, "{:?}", output.files[0].notes);

    // If one change has no location in its file, no change is made. A placeholder such as `... existing code ...`
    // is never written to a file.
    let before = world.files();
    let both = vec![merge("f.rs", "fn a() {\n    4\n}\n"), merge("g.txt", "... existing code ...\ntwo\n")];
    assert_eq!(kind(world.change(both, Fresh::NOT_ASKED).await), Err(Kind::NoMatch));
    let marker = "fn d() {\n    // ... existing code ...\n}\n// ... existing code ...\n";
    let refused = world.change(vec![merge("f.rs", marker)], Fresh::NOT_ASKED).await;
    assert_eq!(kind(refused), Err(Kind::Invalid));
    let missing = world.change(vec![merge("h.rs", part)], Fresh::NOT_ASKED).await;
    assert_eq!(kind(missing), Err(Kind::NotFound));
    assert_eq!(world.files(), before);
    assert_eq!(before[0].1, "fn a() {\n    1\n}\n\nfn b() {\n    2\n}\n\nfn c() {}\n");
}

/// Makes several replacements in sequence, of which the last one fails. None is written, and the failure shows
/// the file.
#[tokio::test]
async fn failed_change_shows_the_file_after_earlier_changes() {
    let text = "let name = 1;\nlet other = 2;\n";
    let closest = "Closest match, line 1 (it differs; \u{2192} is a tab, \u{B7} a space):\nlet name = 1;\n\n\
                   The difference, [-old text-] {+file+}:\n1: let [-names-]{+name+} = 1;";
    let gone = "The text to replace is in f, but the earlier changes of this call remove or change it.";
    let twice = "In the file as the earlier changes of this call would leave it (they were not written):\n\
                 It begins on these lines:\n     \
                 1\tlet other = 2;\n     2\tlet other = 2;";
    let rows = [
        (["let name = 1;", "let title = 1;"], "let names = 1;", None, Some(closest)),
        (["name", "title"], "let name = 1;", Some(gone), None),
        (["let name = 1;", "let other = 2;"], "let other = 2;", None, Some(twice)),
    ];
    for ([old, new], second, what, found) in rows {
        let world = World::new(&[("f", text)]);
        let changes = vec![world.text("f", old, new), world.text("f", second, "x")];
        let failure = world.change(changes, Fresh::NOT_ASKED).await.unwrap_err();
        assert_eq!(failure.found.as_deref(), found, "{second}");
        assert!(what.is_none_or(|what| failure.what.ends_with(what)), "{}", failure.what);
        assert_eq!(world.files(), owned(&[("f", text)]));
    }
}

#[tokio::test]
async fn line_numbers_are_stripped_from_old_and_new_text() {
    let world = World::new(&[("f", "a {\n  one();\n  two();\n}\n")]);
    let numbered = |old: &str, new: &str| {
        let at = ChangeTarget::Text {
            old: old.to_owned(),
            want: MatchCount::One,
            near: None,
            matching: Step::Unescaped,
        };
        Change { at, ..world.text("f", "", new) }
    };
    let change = numbered("     2\t  one();\n     3\t  two();", "     2\t  one(1);\n     3\t  two(2);");
    let changed = world.change(vec![change], Fresh::NOT_ASKED).await.unwrap();
    assert_eq!(
        changed.files[0].notes,
        ["removed the line numbers before the lines of the old and the new text"]
    );
    assert_eq!(world.files(), owned(&[("f", "a {\n  one(1);\n  two(2);\n}\n")]));
    let refused = numbered("  one(1);", "     2\t  one();\n     3\t  two();");
    let failure = world.change(vec![refused], Fresh::NOT_ASKED).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Invalid);
}

#[tokio::test]
async fn search_in_one_root_lists_the_other_roots() {
    let (one, two, state) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::create_dir(one.path().join("d")).unwrap();
    fs::write(two.path().join("f"), "needle\n").unwrap();
    let roots = vec![one.path().to_path_buf(), two.path().to_path_buf()];
    let (workspace, _) =
        Workspace::open(Options { roots, state: Some(state.path().into()), ..Options::default() }).unwrap();
    let engine = Engine::new(workspace);
    let cx = permissive(Session::new());
    let [first, second] = engine.roots().try_into().unwrap();
    let named = |root: &str| vec![root.to_owned()];
    let rows = [(".", named(&second), 0), ("d", vec![], 0), (second.as_str(), named(&first), 1)];
    for (base, others, matched) in rows {
        let base = engine.resolve(base).unwrap();
        let grep = grep::Request::of(GrepRequest::of(base.clone(), "needle"), 9_000);
        let grep = engine.run::<Grep>(grep, &cx).await.unwrap();
        assert_eq!((grep.walk.other_roots, grep.lines_matched), (others.clone(), matched));
        let glob = glob::Request::of(base.clone(), "*");
        assert_eq!(engine.run::<Glob>(glob, &cx).await.unwrap().walk.other_roots, others);
        let list = engine.run::<List>(list::Request::of(list::ListRequest::of(base)), &cx).await.unwrap();
        assert_eq!(list.walk.other_roots, others);
    }
    let change = Change {
        path: engine.resolve("f").unwrap(),
        at: ChangeTarget::Text { old: "a".into(), want: MatchCount::One, near: None, matching: Step::Exact },
        text: "b".into(),
    };
    let failure = engine.run::<ChangeFiles>(Request { changes: vec![change] }, &cx).await.unwrap_err();
    let what =
        format!("File not found: f (relative paths start in {first}; the workspace also has {second}).");
    assert!(failure.what.contains(&what), "{}", failure.what);
}

/// The ignore rules of an installed package are those of its authors, who ignored the built files that it consists of.
#[tokio::test]
async fn searches_in_an_external_root_apply_no_ignore_rules() {
    let files = [("kit/.gitignore", "lib/\n"), ("kit/lib/a.js", "needle\n")];
    let world = World::new(&files);
    let (workspace, cx) = (world.engine.workspace(), permissive(world.session.clone()));
    let kit =
        workspace.open_external(&world.at("kit"), &workspace.allowed_parents(), "js:kit@1.0.0").unwrap();
    let grep = grep::Request::of(GrepRequest::of(kit.clone(), "needle"), 9_000);
    let found = world.engine.run::<Grep>(grep, &cx).await.unwrap();
    assert_eq!(found.files[0].path, "js:kit@1.0.0/lib/a.js");
    let glob = glob::Request { rules: Rules::Git, ..glob::Request::of(kit.clone(), "*.js") };
    let found = world.engine.run::<Glob>(glob, &cx).await.unwrap();
    assert_eq!(found.matches[0].path, "js:kit@1.0.0/lib/a.js");
    let request = read_many::Request {
        base: world.engine.resolve(".").unwrap(),
        selectors: vec![FileSelector::Named { path: kit, raw_path: "js:kit".to_owned() }],
        refused: Vec::new(),
        without: Vec::new(),
        max_files: 9,
        max_bytes_each: 900,
        max_bytes: 9_000,
        rules: Rules::Git,
        numbers: grep::Numbers::Hidden,
    };
    let found = world.engine.run::<ReadMany>(request, &cx).await.unwrap();
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["js:kit@1.0.0/.gitignore", "js:kit@1.0.0/lib/a.js"]);
}

/// Under every size limit, a reply states as many results as it contains, and the pages together have all results.
#[tokio::test]
async fn search_pages_state_what_they_contain_and_lead_to_all_results() {
    let long = format!("needle {}\n", "x".repeat(300));
    let world = World::new(&[("a", "needle\nneedle\n"), ("b", &long), ("c", "needle\n")]);
    let cx = permissive(world.session.clone());
    let modes = [(Mode::Content, 4), (Mode::Files, 3), (Mode::Count, 3)];
    let rows = modes.into_iter().flat_map(|row| [0, 500, 530, 560, 900, 9_000].map(|bytes| (row, bytes)));
    each_async(rows, async |((mode, entries), max_bytes)| {
        let (mut offset, mut found) = (0, Vec::new());
        while offset < entries {
            let base = world.engine.resolve(".").unwrap();
            let search = GrepRequest { mode, offset, ..GrepRequest::of(base, "needle") };
            let request = grep::Request::of(search, max_bytes);
            let output = world.engine.run::<Grep>(request, &cx).await.unwrap();
            let of_file = |file: &grep::File| match mode {
                Mode::Content => file.lines.iter().map(|line| (file.path.clone(), line.number)).collect(),
                Mode::Files | Mode::Count => vec![(file.path.clone(), 0)],
            };
            let page: Vec<(String, u64)> = output.files.iter().flat_map(of_file).collect();
            assert_eq!(
                (output.shown, output.entries),
                (page.len() as u64, entries as u64),
                "offset {offset}"
            );
            assert!(!page.is_empty() && output.files.len() <= page.len(), "offset {offset}");
            offset += page.len();
            found.extend(page);
        }
        found.sort();
        found.dedup();
        assert_eq!(found.len(), entries);
    })
    .await;
}

#[tokio::test]
async fn a_context_without_grants_permits_nothing() {
    let world = World::new(&[("a.txt", "needle")]);
    let cx = CallCtx::denied(world.session.clone());
    let path = world.engine.resolve("a.txt").unwrap();
    assert!(
        !cx.may_read(&path)
            && !cx.permissions.may_write(&path)
            && !cx.permissions.may_delegate("investigator")
    );
    assert!(
        cx.permissions.reach(&Host::new("example.com")).is_err() && cx.permissions.may_consult().is_err()
    );
    assert_eq!(cx.fresh, Fresh::REQUIRED);
    let request = || {
        let base = world.engine.resolve(".").unwrap();
        grep::Request::of(GrepRequest::of(base, "needle"), 9_000)
    };
    assert_eq!(world.engine.run::<Grep>(request(), &cx).await.unwrap().files.len(), 0);
    let granted = permissive(world.session.clone());
    assert_eq!(world.engine.run::<Grep>(request(), &granted).await.unwrap().files.len(), 1);
}

/// A call that replaces one text very often ends in the middle of that replacement when it is cancelled, and changes
/// nothing.
#[tokio::test]
async fn cancelled_replacement_of_many_matches_changes_nothing() {
    let text = "needle and hay\n".repeat(2_000_000);
    let world = World::new(&[("f", &text)]);
    world.read("f", 1, 1).await;
    let cx = world.cx(Fresh::REQUIRED);
    let at = ChangeTarget::Text {
        old: "needle".into(),
        want: MatchCount::Every,
        near: None,
        matching: Step::Exact,
    };
    let change = Change { at, ..world.text("f", "", "thread") };
    let cancel = cx.cancel.clone();
    let later = tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        cancel.cancel();
    });
    let done = world.run::<ChangeFiles>(Request { changes: vec![change] }, cx).await;
    later.await.unwrap();
    assert_eq!(done.map(|_| ()).map_err(|failure| failure.kind), Err(Kind::Cancelled));
    assert_eq!(world.files(), owned(&[("f", &text)]));
}
