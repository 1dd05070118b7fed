//! Patches of other systems' suites, and what they do not show: whole trees are compared.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

use serde_json::Value;
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc};
use tempfile::TempDir;
use toolpost_engine::{
    CallCtx, Engine, Failure, Fresh, Operation, Session,
    operations::change::{Change, ChangeFiles, Meant, Output, Request, from_patch},
};
use toolpost_workspace::{Options, Workspace};

/// Every file with its bytes; a directory without one ends with a slash.
type Files = BTreeMap<String, Vec<u8>>;

struct World {
    root: TempDir,
    _state: TempDir,
    engine: Engine,
    session: Arc<Session>,
}

impl World {
    fn new(files: &Files) -> Self {
        let (root, state) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        for (name, bytes) in files {
            let path = root.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(&path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let (roots, store) = (vec![root.path().to_path_buf()], Some(state.path().to_path_buf()));
        let (workspace, _) = Workspace::open(Options { roots, state: store, ..Options::default() }).unwrap();
        Self { root, _state: state, engine: Engine::new(workspace), session: Session::new() }
    }

    fn read(&self, patch: &str, known: Option<&str>) -> Result<Vec<Change>, Failure> {
        let resolve = |said: &str, meant: Meant| match meant {
            Meant::File => self.engine.resolve(said),
            Meant::Name => self.engine.resolve_entry(said),
        };
        from_patch(patch, known, &resolve)
    }

    /// Goes the way of the `fresh` layer: judge, change, record.
    async fn patch(&self, patch: &str) -> Result<Output, Failure> {
        let request = Request { changes: self.read(patch, None)? };
        let mut cx = CallCtx { fresh: Fresh::NOT_ASKED, ..CallCtx::unlimited(self.session.clone()) };
        cx.expected = self.engine.freshness(&cx, ChangeFiles::touches(&request)).await?;
        let output = ChangeFiles::run(&self.engine, request, &cx).await?;
        ChangeFiles::seen(&output).into_iter().for_each(|seen| self.session.record(seen));
        Ok(output)
    }

    fn files(&self) -> Files {
        tree(self.root.path())
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

/// A patch, the tree that it meets, and what its suite expects.
struct Row {
    id: String,
    before: Files,
    patch: String,
    /// The tree afterwards, where it is said.
    after: Option<Files>,
    /// What the failure says; none where it shall succeed.
    failure: Option<String>,
}

#[tokio::test]
async fn later_sections_see_what_earlier_ones_have_done() {
    let world = World::new(&files(&[("a", "1\n2\n3\n"), ("b", "x\n")]));
    fs::set_permissions(world.root.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+one\n*** Update File: a\n*** Move to: d/c\n@@\n one\n-2\n+two\n\
                 *** Update File: d/c\n@@\n-3\n+three\n*** Delete File: b\n*** Add File: b\n+new\n*** End Patch";
    world.patch(patch).await.unwrap();
    assert_eq!(world.files(), files(&[("b", "new\n"), ("d/c", "one\ntwo\nthree\n")]));
    assert_eq!(fs::metadata(world.root.path().join("d/c")).unwrap().permissions().mode() & 0o777, 0o755);
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
        let world = World::new(&row.before);
        let outcome = world.patch(&row.patch).await;
        let left = world.files();
        let said = outcome.as_ref().map_or_else(|failure| failure.what.clone(), |_| String::new());
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
        // The words of the one that its suite tests are not those of the other.
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

/// Reads files by name; one that is null is not there.
fn named(files: &Value) -> Files {
    let files = files.as_object().unwrap().iter();
    files.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.into()))).collect()
}

fn load(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
