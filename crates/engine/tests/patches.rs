//! Tests of patches: the cases of the test suites of Codex and opencode, and further cases.
//!
//! Each test compares the whole file tree.

use crate::common;
use toolpost_test_rows::{each_async, table::Table};

use common::{World, block_on};
use serde_json::Value;
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path};
use toolpost_engine::{
    ChangeProblem, Failure, Fresh, Kind,
    operations::change::{Change, Output, PathResolution, from_patch},
};

/// Every file with its content; the name of an empty directory ends with a slash.
type Files = BTreeMap<String, Vec<u8>>;

fn world(files: &Files) -> World {
    let world = World::new(&[]);
    files.iter().for_each(|(name, bytes)| world.put(name, bytes));
    world
}

impl World {
    fn lower(&self, patch: &str, known: Option<&str>) -> Result<Vec<Change>, Failure> {
        let resolve = |said: &str, meant: PathResolution| match meant {
            PathResolution::File => self.engine.resolve(said),
            PathResolution::Name => self.engine.resolve_entry(said),
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

/// A case of a suite: a patch, the tree that it applies to, and the expected result.
struct Row {
    id: String,
    before: Files,
    patch: String,
    /// The expected tree after the patch; `None` if the suite does not give one.
    after: Option<Files>,
    /// A part of the expected failure message; `None` if the patch must succeed.
    failure: Option<String>,
}

#[tokio::test]
async fn later_patch_sections_see_earlier_changes() {
    let world = world(&files(&[("a", "1\n2\n3\n"), ("b", "x\n")]));
    fs::set_permissions(world.at("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+one\n*** Update File: a\n*** Move to: d/c\n@@\n one\n-2\n+two\n\
                 *** Update File: d/c\n@@\n-3\n+three\n*** Delete File: b\n*** Add File: b\n+new\n*** End Patch";
    world.patch(patch).await.unwrap();
    assert_eq!(world.files_and_bytes(), files(&[("b", "new\n"), ("d/c", "one\ntwo\nthree\n")]));
    assert_eq!(fs::metadata(world.at("d/c")).unwrap().permissions().mode() & 0o777, 0o755);
}

/// Adds the first and the last line of a patch to its sections.
fn wrap(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}\n*** End Patch")
}

/// A patch that fails, the kind of failure, the message, and the content that the failure shows.
type FailingPatch<'a> = (String, Kind, &'a str, &'a str);

async fn check(before: &Files, rows: &[FailingPatch<'_>]) {
    for (patch, kind, words, found) in rows {
        let world = world(before);
        let failure = world.patch(patch).await.unwrap_err();
        assert_eq!(world.said(&failure), (*kind, (*words).to_owned()));
        assert_eq!(failure.found.unwrap_or_default(), *found, "{patch}");
        assert_eq!(world.files_and_bytes(), *before, "{patch}");
    }
}

/// Returns a patch in which the update of a file follows two changes that would succeed.
fn update(name: &str, hunks: &str) -> String {
    wrap(&format!("*** Add File: new\n+x\n*** Delete File: b.txt\n*** Update File: {name}\n{hunks}"))
}

#[tokio::test]
async fn unmatched_hunk_changes_nothing_and_shows_the_closest_lines() {
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
            "#3 Absent: Failed to find expected lines in a.txt:\nalpha\nBeta\n(the hunk at line 6 of the patch). The new lines of the hunk are already in the file, at lines 1-2: the change may have been made before.",
            "Closest match, lines 1-2 (only letter case differs; → is a tab, · a space):\nalpha\nbeta\n\nThe difference, [-old text-] {+file+}:\n2: [-Beta-]{+beta+}",
        ),
        // A new line that occurs elsewhere does not show that the change was made.
        (
            update("a.txt", "@@ alpha\n-Beta\n+gamma"),
            Kind::NoMatch,
            "#3 Absent: Failed to find expected lines in a.txt:\nBeta\n(the hunk at line 6 of the patch).",
            "Closest match, line 2 (only letter case differs; → is a tab, · a space):\nbeta\n\nThe difference, [-old text-] {+file+}:\n2: [-Beta-]{+beta+}",
        ),
        (
            update("a.txt", "@@ -7 +7,2 @@\n+x"),
            Kind::NoMatch,
            "#3 Failed to place the hunk at line 6 of the patch, in a.txt: it only adds lines, and its header (old \
             lines: 1, from line 7) does not show where in the 3 lines of the file they belong.",
            "",
        ),
        ],
    )
    .await;
}

#[tokio::test]
async fn unpatchable_file_leaves_all_files_unchanged() {
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
            "The directory is empty.",
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
            "d/ is the path of a directory; pass the path of a file, without a slash at the end.",
            "",
        ),
        (
            wrap("*** Add File: ../x\n+a"),
            Kind::Outside,
            "../x is outside the workspace: only paths in ROOT may be used.",
            "",
        ),
        (
            "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n".to_owned(),
            Kind::NoMatch,
            "#2 NotDeleted: The diff deletes b.txt, but does not remove all its lines.",
            "Remaining lines:\ntwo",
        ),
        ],
    )
    .await;
}

#[tokio::test]
async fn read_only_file_reverts_the_whole_patch() {
    let before = files(&[("a", "1\n"), ("ro/f", "2\n")]);
    let world = world(&before);
    fs::set_permissions(world.at("ro/f"), fs::Permissions::from_mode(0o444)).unwrap();
    let patch = wrap("*** Update File: a\n@@\n-1\n+one\n*** Update File: ro/f\n@@\n-2\n+two");
    let failure = world.patch(&patch).await.unwrap_err();
    assert_eq!(
        failure.what,
        "ro/f is read-only; make it writable first if it should change. Nothing was changed."
    );
    assert_eq!(world.files_and_bytes(), before);
}

#[tokio::test]
async fn stale_file_is_patched_only_at_an_unambiguous_match() {
    let changed = "f has changed since it was last seen in this session";
    let rows: [(&str, Option<Kind>); 6] = [
        ("*** Update File: f\n@@\n-a\n+b", None),
        ("*** Update File: f\n@@\n-x\n+y", Some(Kind::Ambiguous)),
        ("*** Update File: f\n@@\n-gone\n+y", Some(Kind::NoMatch)),
        ("*** Delete File: f", Some(Kind::Stale)),
        ("*** Add File: f\n+new", Some(Kind::Stale)),
        ("*** Update File: g\n*** Move to: f", Some(Kind::Stale)),
    ];
    each_async(rows, async |(sections, wanted)| {
        let world = world(&files(&[("g", "g\n")]));
        world.patch(&wrap("*** Add File: f\n+x\n+a")).await.unwrap();
        fs::write(world.at("f"), "x\nx\na\n").unwrap();
        let outcome = world.patch(&wrap(sections)).await;
        let left = if wanted.is_some() { "x\nx\na\n" } else { "x\nx\nb\n" };
        assert_eq!(world.files_and_bytes()["f"], left.as_bytes(), "{sections}");
        let Err(failure) = outcome else { return assert_eq!(wanted, None, "{sections}") };
        assert_eq!(Some(failure.kind), wanted, "{sections}");
        // The failure begins with the change of the file, and shows it before anything else.
        assert!(failure.what.starts_with(changed), "{sections}: {}", failure.what);
        let found = failure.found.unwrap_or_default();
        assert!(found.starts_with("What changed:\n@@ -1,2 +1,3 @@\n x\n+x\n a\n"), "{sections}: {found}");
    })
    .await;
}

#[tokio::test]
async fn updates_follow_links_but_deletes_and_moves_do_not() {
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], Option<&'a str>);
    let rows: [Row<'_>; 4] = [
        ("*** Update File: l\n@@\n-1\n+2", &[("a", "2\n"), ("l", "2\n")], Some("a")),
        ("*** Delete File: l", &[("a", "1\n")], None),
        ("*** Update File: l\n*** Move to: m\n@@\n-1\n+2", &[("a", "2\n"), ("m", "2\n")], None),
        ("*** Add File: l\n+2", &[("a", "2\n"), ("l", "2\n")], Some("a")),
    ];
    each_async(rows, async |(sections, after, target)| {
        let world = world(&files(&[("a", "1\n")]));
        std::os::unix::fs::symlink("a", world.at("l")).unwrap();
        world.patch(&wrap(sections)).await.unwrap();
        assert_eq!(world.files_and_bytes(), files(after), "{sections}");
        let led = fs::read_link(world.at("l")).ok();
        assert_eq!(led.as_deref(), target.map(Path::new), "{sections}");
    })
    .await;
    let world = world(&files(&[("a", "1\n")]));
    std::os::unix::fs::symlink("a", world.at("l")).unwrap();
    // A patch that replaces a symlink with a file is refused; neither the link nor its target changes.
    world.patch(&wrap("*** Delete File: l\n*** Add File: l\n+2")).await.unwrap_err();
    assert_eq!(world.files_and_bytes(), files(&[("a", "1\n"), ("l", "1\n")]));
}

#[tokio::test]
async fn diff_does_not_create_or_rename_over_an_existing_file() {
    let before = files(&[("a", "1\n"), ("b", "2\n")]);
    let rows = [
        ("--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+new\n", "b already exists, but a new file was requested."),
        ("diff --git a/a b/b\nrename from a\nrename to b\n", "b already exists, and would be lost."),
    ];
    for (diff, words) in rows {
        let world = world(&before);
        assert_eq!(world.patch(diff).await.unwrap_err().what, words);
        assert_eq!(world.files_and_bytes(), before);
    }
}

#[tokio::test]
async fn patch_paths_are_relative_to_the_shell_cd_directory() {
    let world = world(&files(&[("d/f", "1\n"), ("f", "1\n")]));
    let patch = wrap("*** Update File: f\n@@\n-1\n+2");
    world.patch(&format!("cd d && apply_patch <<'EOF'\n{patch}\nEOF\n")).await.unwrap();
    assert_eq!(world.files_and_bytes(), files(&[("d/f", "2\n"), ("f", "1\n")]));
    let changes = world.lower("@@ -1 +1 @@\n-1\n+3\n", Some("f")).unwrap();
    assert_eq!(changes[0].path, world.engine.resolve("f").unwrap());
}

pub(crate) fn patches_of_other_suites_have_the_expected_outcome() -> Table {
    let listed: BTreeMap<String, Files> = load("otherwise.json")
        .iter()
        .map(|row| (row["id"].as_str().unwrap().to_owned(), named(&row["after"])))
        .collect();
    let rows: Vec<Row> = scenarios()
        .into_iter()
        .chain(cases("codex-apply-patch/cases.json", "stderr_contains"))
        .chain(cases("opencode-edit/apply_patch_cases.json", "error_contains"))
        .collect();
    let unknown: Vec<&String> = listed.keys().filter(|id| !rows.iter().any(|row| row.id == **id)).collect();
    assert_eq!(unknown, Vec::<&String>::new(), "listed, but there is no such row");
    assert_eq!(rows.len(), 69, "a fixture was added or lost");
    let label = |row: &Row| row.id.clone();
    Table::new("patches::patches_of_other_suites_have_the_expected_outcome", rows, label, move |row| {
        let world = world(&row.before);
        let outcome = block_on(world.patch(&row.patch));
        let left = world.files_and_bytes();
        let said = outcome.as_ref().map_or_else(as_suite, |_| String::new());
        let agrees = row.failure.is_some() == outcome.is_err()
            && row.failure.as_ref().is_none_or(|words| said.contains(words))
            && row.after.as_ref().is_none_or(|after| *after == left);
        let expected = listed.get(&row.id);
        let otherwise = expected.is_some_and(|after| *after == left);
        let is_unchanged = left == row.before;
        let left: BTreeMap<_, _> =
            left.iter().map(|(name, bytes)| (name, String::from_utf8_lossy(bytes))).collect();
        assert!(agrees != expected.is_some(), "{said:?}, left {left:?}");
        assert!(expected.is_none() || otherwise, "{said:?}, left {left:?}");
        assert!(outcome.is_ok() || is_unchanged, "{said:?}, left {left:?}");
    })
}

/// Formats a failure as the test suite of Codex expects it: the failed action comes first.
fn as_suite(failure: &Failure) -> String {
    let failed = match failure.facts.trouble {
        Some(ChangeProblem::Unreadable) => "Failed to read file to update",
        Some(ChangeProblem::NotDeleted) => "Failed to delete file",
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
        // Only the messages of the Codex suite are compared.
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

/// Parses a JSON object of file contents by name; a null value means that the file does not exist.
fn named(files: &Value) -> Files {
    let files = files.as_object().unwrap().iter();
    files.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.into()))).collect()
}

fn load(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
