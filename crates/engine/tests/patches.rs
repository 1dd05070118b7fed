//! Tests with patches of other systems' suites, and cases that those lack: whole trees are compared.

use crate::common;

use common::World;
use serde_json::Value;
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path};
use toolpost_engine::{
    Failure, Fresh, Kind, Trouble,
    operations::change::{Change, Meant, Output, from_patch},
};

/// Every file with its bytes; the name of an empty directory ends with a slash.
type Files = BTreeMap<String, Vec<u8>>;

fn world(files: &Files) -> World {
    let world = World::new(&[]);
    files.iter().for_each(|(name, bytes)| world.put(name, bytes));
    world
}

impl World {
    fn lower(&self, patch: &str, known: Option<&str>) -> Result<Vec<Change>, Failure> {
        let resolve = |said: &str, meant: Meant| match meant {
            Meant::File => self.engine.resolve(said),
            Meant::Name => self.engine.resolve_entry(said),
        };
        from_patch(patch, known, &resolve)
    }

    async fn patch(&self, patch: &str) -> Result<Output, Failure> {
        self.change(self.lower(patch, None)?, Fresh::NOT_ASKED).await
    }

    fn files_and_bytes(&self) -> Files {
        tree(&self.at(""))
    }
}

fn tree(root: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        let entries: Vec<_> = fs::read_dir(&directory).into_iter().flatten().collect();
        if entries.is_empty() && directory != root {
            files.insert(format!("{}/", directory.strip_prefix(root).unwrap().display()), Vec::new());
        }
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn files(rows: &[(&str, &str)]) -> Files {
    rows.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

/// A patch, the tree that it applies to, and the result that its suite expects.
struct Row {
    id: String,
    before: Files,
    patch: String,
    /// The tree afterwards, if the suite has it.
    after: Option<Files>,
    /// The failure message; `None` if it must succeed.
    failure: Option<String>,
}

#[tokio::test]
async fn later_sections_see_what_earlier_ones_have_done() {
    let world = world(&files(&[("a", "1\n2\n3\n"), ("b", "x\n")]));
    fs::set_permissions(world.at("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+one\n*** Update File: a\n*** Move to: d/c\n@@\n one\n-2\n+two\n\
                 *** Update File: d/c\n@@\n-3\n+three\n*** Delete File: b\n*** Add File: b\n+new\n*** End Patch";
    world.patch(patch).await.unwrap();
    assert_eq!(world.files_and_bytes(), files(&[("b", "new\n"), ("d/c", "one\ntwo\nthree\n")]));
    assert_eq!(fs::metadata(world.at("d/c")).unwrap().permissions().mode() & 0o777, 0o755);
}

/// Wraps sections in the format's first and last line.
fn wrap(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}\n*** End Patch")
}

/// A patch, the kind of its failure, its message, and the content that it shows.
type Wrong<'a> = (String, Kind, &'a str, &'a str);

async fn check(before: &Files, rows: &[Wrong<'_>]) {
    for (patch, kind, words, found) in rows {
        let world = world(before);
        let failure = world.patch(patch).await.unwrap_err();
        assert_eq!(world.said(&failure), (*kind, (*words).to_owned()));
        assert_eq!(failure.found.unwrap_or_default(), *found, "{patch}");
        assert_eq!(world.files_and_bytes(), *before, "{patch}");
    }
}

/// Puts a change of a file after others that could be made.
fn update(name: &str, hunks: &str) -> String {
    wrap(&format!("*** Add File: new\n+x\n*** Delete File: b.txt\n*** Update File: {name}\n{hunks}"))
}

#[tokio::test]
async fn a_hunk_that_does_not_fit_leaves_all_as_it_was_and_says_what_helps() {
    let before = files(&[("a.txt", "alpha\nbeta\ngamma\n"), ("b.txt", "one\ntwo\n")]);
    check(
        &before,
        &[
        (
            update("a.txt", "@@\n-alpha\n+Alpha\n@@\n betta\n-gamma\n+Gamma"),
            Kind::NoMatch,
            "#3 Absent: Failed to find expected lines in a.txt:\nbetta\ngamma\n(hunk 2 of 2, at line 9 of the patch).",
            "Closest match, lines 2-3 (it differs; → is a tab, · a space):\nbeta\ngamma\n\nThe difference, [-old text-] {+file+}:\n2: [-betta-]{+beta+}",
        ),
        (
            update("a.txt", "@@ class Beta\n-beta\n+Beta"),
            Kind::NoMatch,
            "#3 Absent: Failed to find context 'class Beta' in a.txt (the hunk at line 6 of the patch).",
            "No close match was found. The whole file:\nalpha\nbeta\ngamma",
        ),
        (
            update("a.txt", "@@\n alpha\n-Beta\n+beta"),
            Kind::NoMatch,
            "#3 Absent: Failed to find expected lines in a.txt:\nalpha\nBeta\n(the hunk at line 6 of the patch). Its new lines are already there, at lines 1-2: the change may have been made before.",
            "Closest match, lines 1-2 (it differs; → is a tab, · a space):\nalpha\nbeta\n\nThe difference, [-old text-] {+file+}:\n2: [-Beta-]{+beta+}",
        ),
        (
            update("a.txt", "@@ -7 +7,2 @@\n+x"),
            Kind::NoMatch,
            "#3 Failed to place the hunk at line 6 of the patch, in a.txt: it has added lines only, and its header (old lines: 1, from line 7) does not tell where among the 3 lines of the file they belong.",
            "",
        ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_file_that_cannot_be_changed_leaves_all_as_it_was() {
    let before =
        files(&[("a.txt", "alpha\nbeta\ngamma\n"), ("b.txt", "one\ntwo\n"), ("d/", ""), ("bin", "\0\0")]);
    check(
        &before,
        &[
        (
            update("c.txt", "@@\n-a\n+b"),
            Kind::NotFound,
            "#3 Unreadable: File not found: c.txt (the workspace is ROOT).",
            "",
        ),
        (
            update("b.txt", "@@\n-one\n+1"),
            Kind::NotFound,
            "#3 Unreadable: File not found: b.txt (the workspace is ROOT).",
            "",
        ),
        (
            update("d", "@@\n-a\n+b"),
            Kind::WrongKind,
            "#3 Unreadable: d is a directory, not a file.",
            "(it is empty)",
        ),
        (
            update("bin", "@@\n-a\n+b"),
            Kind::WrongKind,
            "#3 Unreadable: bin cannot be changed as text: this is a binary file: byte 0 is NUL, and there is no byte order mark.",
            "",
        ),
        (
            update("a.txt", "@@\n-alpha\n+// ... rest of the code unchanged ..."),
            Kind::Invalid,
            "#3 a.txt was not changed: line 1 of the new text is a placeholder for code that is not there: \"// ... rest of the code unchanged ...\"; write the code out, or replace only the lines that change.",
            "",
        ),
        (
            wrap("*** Delete File: d/"),
            Kind::Invalid,
            "d/ names a directory; name the file in it, without a slash at its end.",
            "",
        ),
        (
            wrap("*** Add File: ../x\n+a"),
            Kind::Outside,
            "../x is outside the workspace: only ROOT may be used. To allow it, start with another root.",
            "",
        ),
        (
            "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n".to_owned(),
            Kind::NoMatch,
            "#2 NotDeleted: b.txt holds lines that the diff does not remove.",
            "These are left:\ntwo",
        ),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_the_disk_refuses_takes_all_back() {
    let before = files(&[("a", "1\n"), ("ro/f", "2\n")]);
    let world = world(&before);
    fs::set_permissions(world.at("ro/f"), fs::Permissions::from_mode(0o444)).unwrap();
    let patch = wrap("*** Update File: a\n@@\n-1\n+one\n*** Update File: ro/f\n@@\n-2\n+two");
    let failure = world.patch(&patch).await.unwrap_err();
    assert_eq!(
        failure.what,
        "ro/f: is read-only: make it writable first if it should change. Nothing was changed."
    );
    assert_eq!(world.files_and_bytes(), before);
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_seen_is_changed_where_the_place_is_certain() {
    let rows: [(&str, Option<&str>); 5] = [
        ("*** Update File: f\n@@\n-a\n+b", None),
        ("*** Update File: f\n@@\n-x\n+y", Some("x\nx\na\n")),
        ("*** Delete File: f", Some("x\nx\na\n")),
        ("*** Add File: f\n+new", Some("x\nx\na\n")),
        ("*** Update File: g\n*** Move to: f", Some("x\nx\na\n")),
    ];
    for (sections, left) in rows {
        let world = world(&files(&[("g", "g\n")]));
        world.patch(&wrap("*** Add File: f\n+x\n+a")).await.unwrap();
        fs::write(world.at("f"), "x\nx\na\n").unwrap();
        let outcome = world.patch(&wrap(sections)).await;
        assert_eq!(outcome.err().map(|failure| failure.kind), left.map(|_| Kind::Stale), "{sections}");
        assert_eq!(world.files_and_bytes()["f"], left.unwrap_or("x\nx\nb\n").as_bytes(), "{sections}");
    }
}

#[tokio::test]
async fn a_link_is_followed_to_change_a_file_and_is_meant_itself_to_lose_its_name() {
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], Option<&'a str>);
    let rows: [Row<'_>; 4] = [
        ("*** Update File: l\n@@\n-1\n+2", &[("a", "2\n"), ("l", "2\n")], Some("a")),
        ("*** Delete File: l", &[("a", "1\n")], None),
        ("*** Update File: l\n*** Move to: m\n@@\n-1\n+2", &[("a", "2\n"), ("m", "2\n")], None),
        ("*** Add File: l\n+2", &[("a", "2\n"), ("l", "2\n")], Some("a")),
    ];
    for (sections, after, target) in rows {
        let world = world(&files(&[("a", "1\n")]));
        std::os::unix::fs::symlink("a", world.at("l")).unwrap();
        world.patch(&wrap(sections)).await.unwrap();
        assert_eq!(world.files_and_bytes(), files(after), "{sections}");
        let led = fs::read_link(world.at("l")).ok();
        assert_eq!(led.as_deref(), target.map(Path::new), "{sections}");
    }
    let world = world(&files(&[("a", "1\n")]));
    std::os::unix::fs::symlink("a", world.at("l")).unwrap();
    // The replacement of a deleted symlink does not count as content of the link's target.
    world.patch(&wrap("*** Delete File: l\n*** Add File: l\n+2")).await.unwrap_err();
    assert_eq!(world.files_and_bytes(), files(&[("a", "1\n"), ("l", "1\n")]));
}

#[tokio::test]
async fn a_diff_makes_no_file_where_one_is() {
    let before = files(&[("a", "1\n"), ("b", "2\n")]);
    let rows = [
        ("--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+new\n", "b exists already, and a new file was asked for."),
        ("diff --git a/a b/b\nrename from a\nrename to b\n", "b exists already, and would be lost."),
    ];
    for (diff, words) in rows {
        let world = world(&before);
        assert_eq!(world.patch(diff).await.unwrap_err().what, words);
        assert_eq!(world.files_and_bytes(), before);
    }
}

#[tokio::test]
async fn paths_start_from_the_directory_that_the_shell_enters() {
    let world = world(&files(&[("d/f", "1\n"), ("f", "1\n")]));
    let patch = wrap("*** Update File: f\n@@\n-1\n+2");
    world.patch(&format!("cd d && apply_patch <<'EOF'\n{patch}\nEOF\n")).await.unwrap();
    assert_eq!(world.files_and_bytes(), files(&[("d/f", "2\n"), ("f", "1\n")]));
    let changes = world.lower("@@ -1 +1 @@\n-1\n+3\n", Some("f")).unwrap();
    assert_eq!(changes[0].path, world.engine.resolve("f").unwrap());
}

#[tokio::test]
async fn every_row_has_the_outcome_that_its_suite_expects() {
    let listed: BTreeMap<String, Files> = load("otherwise.json")
        .iter()
        .map(|row| (row["id"].as_str().unwrap().to_owned(), named(&row["after"])))
        .collect();
    let rows: Vec<Row> = scenarios()
        .into_iter()
        .chain(cases("codex-apply-patch/cases.json", "stderr_contains"))
        .chain(cases("opencode-edit/apply_patch_cases.json", "error_contains"))
        .collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let world = world(&row.before);
        let outcome = world.patch(&row.patch).await;
        let left = world.files_and_bytes();
        let said = outcome.as_ref().map_or_else(as_suite, |_| String::new());
        let agrees = row.failure.is_some() == outcome.is_err()
            && row.failure.as_ref().is_none_or(|words| said.contains(words))
            && row.after.as_ref().is_none_or(|after| *after == left);
        let expected = listed.get(&row.id);
        let otherwise = expected.is_some_and(|after| *after == left);
        if agrees == expected.is_some()
            || (expected.is_some() && !otherwise)
            || (outcome.is_err() && left != row.before)
        {
            let left: BTreeMap<_, _> =
                left.iter().map(|(name, bytes)| (name, String::from_utf8_lossy(bytes))).collect();
            wrong.push(format!("{}: {said:?}, left {left:?}", row.id));
        }
    }
    let unknown = listed.keys().filter(|id| !rows.iter().any(|row| row.id == **id));
    wrong.extend(unknown.map(|id| format!("{id}: listed, but there is no such row")));
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(rows.len(), 69, "a fixture was added or lost");
}

/// Formats a failure as the suite does: the failed action comes first.
fn as_suite(failure: &Failure) -> String {
    let failed = match failure.facts.trouble {
        Some(Trouble::Unreadable) => "Failed to read file to update",
        Some(Trouble::NotDeleted) => "Failed to delete file",
        _ => return failure.what.clone(),
    };
    format!("{failed} {}: {}", failure.facts.path, failure.what)
}

fn scenarios() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/codex-apply-patch/scenarios");
    let mut folders: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let rows = folders.into_iter().map(|folder| {
        let meta: Value = serde_json::from_slice(&fs::read(folder.join("meta.json")).unwrap()).unwrap();
        let words = meta.get("stderr_contains").and_then(Value::as_str).unwrap_or_default().to_owned();
        Row {
            id: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            before: tree(&folder.join("input")),
            patch: fs::read_to_string(folder.join("patch.txt")).unwrap(),
            after: Some(tree(&folder.join("expected"))),
            failure: (meta["expect_success"] == false).then_some(words),
        }
    });
    rows.collect()
}

fn cases(file: &str, words: &str) -> Vec<Row> {
    let rows = load(file).into_iter().map(|row| {
        let failed = row["ok"] == false;
        let before = named(&row["files"]);
        // The message of the system that the suite tests differs from that of the other.
        let said = row[words].as_str().filter(|_| words == "stderr_contains").unwrap_or_default();
        Row {
            id: row["id"].as_str().unwrap().to_owned(),
            after: if failed {
                Some(before.clone())
            } else {
                row["after"].as_object().map(|_| named(&row["after"]))
            },
            before,
            patch: row["patch"].as_str().unwrap().to_owned(),
            failure: failed.then(|| said.to_owned()),
        }
    });
    rows.collect()
}

/// Parses files by name; a null value means that the file does not exist.
fn named(files: &Value) -> Files {
    let files = files.as_object().unwrap().iter();
    files.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.into()))).collect()
}

fn load(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
