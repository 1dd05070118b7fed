//! Replacements from other tools' test suites and bug reports, in every dialect that supports them.
//!
//! The tests compare the bytes of the file.

use crate::common;
use toolpost_test_rows::{each, each_async, table::Table};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::{World, rows, runtime, words};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_runtime::Outcome as Answer;
use toolpost_text::{
    encoding::{Splice, Text},
    matching::{self, MatchCount, MatchOptions, Step},
};
use toolpost_tool::Dialect;

/// Name of the file that every row edits.
const FILE: &str = "f.txt";

/// An outcome that a row allows.
#[derive(Debug, PartialEq)]
enum Outcome {
    Bytes(Vec<u8>),
    /// New content that contains each of these lines, with any indentation.
    Lines(Vec<String>),
    /// A failure whose message contains all of these texts; the file is unchanged.
    Refused(Vec<String>),
}

/// A replacement.
struct Edit {
    old: String,
    new: String,
    every: bool,
}

struct Row {
    id: String,
    before: Vec<u8>,
    encoding: Option<String>,
    edits: Vec<Edit>,
    allowed: Vec<Outcome>,
}

/// Reason why a dialect may refuse a row's edit and leave the file unchanged.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RefusalReason {
    /// A list in this file names the row, with the reason.
    Listed,
    /// The text matches only at a matching step that is less strict than the dialect permits.
    Beyond,
}

/// A tool and its arguments.
type Call = (&'static str, Value);

/// A dialect, and a function that returns its calls for the edits of a row; `None` if the dialect cannot make
/// these edits.
#[derive(Debug)]
struct Speaker {
    dialect: &'static Dialect,
    say: fn(&[Edit]) -> Option<Vec<Call>>,
    /// Several edits are one call, applied all or none.
    together: bool,
    /// The dialect's original tools prescribe the wording of failures.
    own_words: bool,
}

const SPEAKERS: [Speaker; 5] = [
    Speaker { dialect: &claude::DIALECT, say: as_claude, together: false, own_words: false },
    Speaker { dialect: &trae::DIALECT, say: as_trae, together: true, own_words: false },
    Speaker { dialect: &zblade::DIALECT, say: as_zblade, together: true, own_words: true },
    Speaker { dialect: &opencode::DIALECT, say: as_opencode, together: true, own_words: false },
    Speaker { dialect: &probe::DIALECT, say: as_probe, together: false, own_words: false },
];

fn as_claude(edits: &[Edit]) -> Option<Vec<Call>> {
    let edit = |edit: &Edit| {
        (
            "Edit",
            json!({ "file_path": FILE, "old_string": edit.old, "new_string": edit.new, "replace_all": edit.every }),
        )
    };
    Some([("Read", json!({ "file_path": FILE }))].into_iter().chain(edits.iter().map(edit)).collect())
}

/// Converts edits to calls of the dialect `trae`, whose blocks must be in file order and replace one
/// occurrence.
fn as_trae(edits: &[Edit]) -> Option<Vec<Call>> {
    let [Edit { old, new, every: false }] = edits else { return None };
    let blocks = json!([{ "old_str": old, "new_str": new }]);
    Some(vec![("update_file", json!({ "file_path": FILE, "replace_blocks": blocks }))])
}

/// Converts edits to calls of the dialect `zblade`, which cannot replace every occurrence.
fn as_zblade(edits: &[Edit]) -> Option<Vec<Call>> {
    let patch = |edit: &Edit| (!edit.every).then(|| json!({ "old_text": edit.old, "new_text": edit.new }));
    let patches: Vec<Value> = edits.iter().map(patch).collect::<Option<_>>()?;
    Some(vec![("apply_patch", json!({ "path": FILE, "patches": patches }))])
}

/// Converts edits to calls of the dialect `probe`, which needs a text to replace.
fn as_probe(edits: &[Edit]) -> Option<Vec<Call>> {
    let edit = |edit: &Edit| {
        let arguments = json!({ "file_path": FILE, "old_string": edit.old, "new_string": edit.new, "replace_all": edit.every });
        (!edit.old.is_empty()).then_some(("edit", arguments))
    };
    [Some(("extract", json!({ "file": FILE })))].into_iter().chain(edits.iter().map(edit)).collect()
}

fn as_opencode(edits: &[Edit]) -> Option<Vec<Call>> {
    let edit = |edit: &Edit| json!({ "filePath": FILE, "oldString": edit.old, "newString": edit.new, "replaceAll": edit.every });
    Some(match edits {
        [one] => vec![("edit", edit(one))],
        many => vec![("multiedit", json!({ "edits": many.iter().map(edit).collect::<Vec<_>>() }))],
    })
}

/// The tables of the replacements, one for each dialect.
pub(crate) fn replacement_fixtures_have_allowed_outcomes_in_every_dialect() -> [Table; 5] {
    SPEAKERS.map(|speaker| {
        let dialect = speaker.dialect.name;
        let name = format!("edits::replacement_fixtures_have_allowed_outcomes_in_every_dialect::{dialect}");
        let refused = reasons("text/tests/fixtures/refused.json");
        // A workspace for each encoding serves all rows, because creating one takes longer than an edit.
        let (runtime, worlds) = (runtime(), Mutex::new(BTreeMap::new()));
        Table::new(
            &name,
            all(),
            |row| row.id.clone(),
            move |row| {
                let why = match (reach(&row, speaker.dialect.matching), reach(&row, Step::Unescaped)) {
                    (true, _) => None,
                    (false, true) => Some(RefusalReason::Beyond),
                    (false, false) => refused.contains_key(&row.id).then_some(RefusalReason::Listed),
                };
                let mut worlds = worlds.lock().unwrap_or_else(PoisonError::into_inner);
                let found = runtime.block_on(async {
                    let encoding = row.encoding.clone();
                    let new = || World::encoded(speaker.dialect, encoding.as_deref());
                    let world: &mut World = worlds.entry(encoding.clone()).or_insert_with(new);
                    world.begin_anew();
                    check(world, &speaker, &row, why).await
                });
                assert_eq!(found, Ok(()));
            },
        )
    })
}

#[test]
fn every_refused_fixture_has_a_row() {
    let (refused, rows) = (reasons("text/tests/fixtures/refused.json"), all());
    let known: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let stale: Vec<&String> = refused.keys().filter(|id| !known.contains(id.as_str())).collect();
    assert_eq!(stale, Vec::<&String>::new(), "listed as refused, but there is no such row");
    assert_eq!(rows.len(), known.len(), "two rows have one name");
}

/// Case files, each with the number of rows that replace text, and the total number of rows.
const FILES: [(&str, usize, usize); 9] = [
    ("opencode-edit/replace_cases.json", 57, 57),
    ("crush-edit/find_and_replace.json", 15, 15),
    ("crush-edit/reindent.json", 6, 6),
    ("gemini-edit/cases.json", 29, 29),
    ("goose-edit/cases.json", 4, 8), // the other rows read files
    ("continue-edit/find_and_replace.json", 43, 43),
    ("aider-editblock/replace_chunk.json", 7, 7),
    ("issue-derived/bytes_cases.json", 18, 23), // the other rows are patches: opencode.rs
    ("opencode-fs/encoding_cases.json", 6, 6),
];

#[tokio::test]
async fn writes_with_nul_bytes_are_refused() {
    let rows: [(&Dialect, &str, Value); 6] = [
        (&claude::DIALECT, "Write", json!({"file_path": "new.txt", "content": "a\nb\u{0}c"})),
        (&claude::DIALECT, "Write", json!({"file_path": FILE, "content": "a\nb\u{0}c"})),
        (&claude::DIALECT, "Edit", json!({"file_path": FILE, "old_string": "two", "new_string": "t\u{0}o"})),
        (
            &opencode::DIALECT,
            "patch",
            json!({"patch_text": format!("*** Begin Patch\n*** Update File: {FILE}\n@@\n one\n-two\n+t\u{0}o\n*** End Patch")}),
        ),
        (&probe::DIALECT, "create", json!({"file_path": "new.txt", "content": "\n\u{0}"})),
        (&zblade::DIALECT, "write_file", json!({"path": "new.txt", "content": "\n\u{0}"})),
    ];
    each_async(rows, async |(dialect, tool, arguments)| {
        let world = World::new(dialect);
        world.put(FILE, "one\ntwo\n");
        let read = match dialect.name {
            "claude" => ("Read", json!({"file_path": FILE})),
            "opencode" => ("grep", json!({"pattern": "two"})),
            "zblade" => ("read_file", json!({"path": FILE})),
            _ => ("extract", json!({"targets": FILE})),
        };
        world.call(read.0, read.1).await;
        let before = world.files();
        let answer = world.call(tool, arguments.clone()).await;
        let reply = words(&answer);
        assert!(matches!(answer, Answer::Failed(..)), "{tool} {arguments}: {reply}");
        assert!(reply.contains("a NUL byte in line 2"), "{tool} {arguments}: {reply}");
        assert_eq!(world.files(), before, "{tool} {arguments}");
    })
    .await;
}

#[test]
fn every_fixture_row_is_loaded() {
    each(FILES, |(name, _, of)| {
        assert_eq!(data(name).len(), of, "{name}: a row was added or lost");
    });
    assert_eq!(all().len(), FILES.iter().map(|(_, run, _)| run).sum::<usize>());
}

/// Rows with a different result in one dialect: dialect, row, content of the file, and the reason.
const OWN: [(&str, &str, &str, &str); 2] = [
    (
        "probe",
        "crush/text_around_refused",
        "before foo  =  2 after\n",
        "the third matching step of the dialect ignores white space within lines",
    ),
    (
        "probe",
        "gemini/regex_blank_line_before",
        "\n  function newFunc() {\n  // new code\n}",
        "the third matching step of the dialect ignores white space within lines, and inserts the new text unchanged",
    ),
];

/// Makes the edits of a row in one session, and compares the content of the file.
async fn check(
    world: &World,
    speaker: &Speaker,
    row: &Row,
    why: Option<RefusalReason>,
) -> Result<(), String> {
    let Some(calls) = (speaker.say)(&row.edits) else { return Ok(()) };
    world.put(FILE, &row.before);
    let mut failed = None;
    for (tool, arguments) in calls {
        let answer = world.call(tool, arguments).await;
        if !matches!(answer, Answer::Done(_)) {
            failed = failed.or(Some(words(&answer)));
        }
    }
    let mut files = world.files();
    let after = files.remove(FILE).unwrap_or_default();
    if !files.is_empty() {
        return Err(format!("files were left behind: {:?}", files.keys()));
    }
    if failed.is_some() && after != row.before && (row.edits.len() == 1 || speaker.together) {
        return Err(format!("failed with {failed:?}, but the bytes changed"));
    }
    let own = OWN.iter().find(|(dialect, id, ..)| *dialect == speaker.dialect.name && *id == row.id);
    let agrees = match own {
        Some((_, _, wanted, _)) => wanted.as_bytes() == after && failed.is_none(),
        None => row.allowed.iter().any(|outcome| agrees(speaker, outcome, &after, failed.as_deref())),
    };
    match (agrees, failed) {
        (true, _) if why == Some(RefusalReason::Listed) && row.allowed.len() == 1 => {
            Err("listed as refused, but passes".to_owned())
        }
        (true, _) => Ok(()),
        (false, Some(_)) if why.is_some() => Ok(()),
        (false, Some(words)) => Err(format!("refused: {words}")),
        (false, None) => {
            Err(format!("gave {:?}, allowed {:?}", String::from_utf8_lossy(&after), row.allowed))
        }
    }
}

fn agrees(speaker: &Speaker, outcome: &Outcome, after: &[u8], failed: Option<&str>) -> bool {
    match (outcome, failed) {
        (Outcome::Bytes(wanted), None) => wanted == after,
        (Outcome::Lines(lines), None) => {
            let found = String::from_utf8_lossy(after).into_owned();
            let found: Vec<&str> = found.lines().map(str::trim).collect();
            lines.iter().all(|line| found.contains(&line.as_str()))
        }
        (Outcome::Refused(parts), Some(words)) => {
            speaker.own_words || parts.iter().all(|part| words.contains(part))
        }
        (Outcome::Refused(_), None) | (Outcome::Bytes(_) | Outcome::Lines(_), Some(_)) => false,
    }
}

/// Returns whether all edits of a row match in order, at a matching step up to `upto`.
fn reach(row: &Row, upto: Step) -> bool {
    let label = row.encoding.as_deref();
    let encoding = label.map(|label| encoding_rs::Encoding::for_label(label.as_bytes()).unwrap());
    let mut bytes = row.before.clone();
    row.edits.iter().all(|edit| {
        let Ok(text) = Text::open(std::mem::take(&mut bytes), encoding) else { return false };
        let want = if edit.every { MatchCount::Every } else { MatchCount::One };
        let how = MatchOptions { upto, want, near: None, start: None };
        let Ok(found) = matching::find(text.view(), &edit.old, &edit.new, &how) else { return false };
        let splices: Vec<Splice> =
            found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
        text.splice(&splices).map(|after| bytes = after).is_ok()
    })
}

/// Returns the replacements of all suites.
fn all() -> Vec<Row> {
    let suites =
        [opencode_rows(), crush(), gemini(), goose(), continue_dev(), aider(), issues(), encodings()];
    suites.into_iter().flatten().collect()
}

fn opencode_rows() -> Vec<Row> {
    let rows = data("opencode-edit/replace_cases.json").into_iter().map(|row| {
        let allowed = match row.get("expect").and_then(Value::as_str) {
            _ if flag(&row, "fail") || flag(&row, "unsafe") => Outcome::Refused(Vec::new()),
            Some(expected) => Outcome::Bytes(expected.into()),
            None => {
                Outcome::Lines(text(&row, "replace").lines().map(|line| line.trim().to_owned()).collect())
            }
        };
        single("opencode", &row, ["content", "find", "replace", "all"], vec![allowed])
    });
    rows.collect()
}

fn crush() -> Vec<Row> {
    let rows = data("crush-edit/find_and_replace.json").into_iter().map(|row| {
        let allowed = if flag(&row, "ok") { expected(&row) } else { Outcome::Refused(Vec::new()) };
        single("crush", &row, ["content", "old_string", "new_string", "replace_all"], vec![allowed])
    });
    let shifted = data("crush-edit/reindent.json").into_iter().enumerate().map(|(index, mut row)| {
        row["id"] = format!("reindent-{}", index + 1).into();
        let allowed = vec![expected(&row)];
        single("crush", &row, ["actual", "old", "new", ""], allowed)
    });
    rows.chain(shifted).collect()
}

fn gemini() -> Vec<Row> {
    let rows = data("gemini-edit/cases.json").into_iter().map(|row| {
        let same = row["expected"] == row["content"];
        let mut allowed = vec![if same { Outcome::Refused(Vec::new()) } else { expected(&row) }];
        if matches!(row["strategy"].as_str(), Some("regex" | "fuzzy")) {
            allowed.push(Outcome::Refused(Vec::new()));
        }
        single("gemini", &row, ["content", "old_string", "new_string", "allow_multiple"], allowed)
    });
    rows.collect()
}

fn goose() -> Vec<Row> {
    // Other tests cover the rows that read.
    let rows = data("goose-edit/cases.json").into_iter().filter(|row| !flag(row, "read")).map(|row| {
        let parts = row["message_contains"].as_array().into_iter().flatten();
        let parts = parts.map(|part| part.as_str().unwrap().to_owned()).collect();
        let allowed = if flag(&row, "ok") { expected(&row) } else { Outcome::Refused(parts) };
        single("goose", &row, ["content", "before", "after", ""], vec![allowed])
    });
    rows.collect()
}

fn continue_dev() -> Vec<Row> {
    let rows = data("continue-edit/find_and_replace.json").into_iter().map(|row| {
        let kind = text(&row, "kind");
        let edits = match row["edits"].as_array() {
            Some(edits) => edits
                .iter()
                .map(|edit| edit_from(edit, ["old_string", "new_string", "replace_all"]))
                .collect(),
            None => vec![edit_from(&row, ["old", "new", "replace_all"])],
        };
        let mut allowed = vec![if flag(&row, "ok") { expected(&row) } else { Outcome::Refused(Vec::new()) }];
        if row["exact_only"] == json!(false) {
            allowed.push(Outcome::Refused(Vec::new()));
        }
        let test = text(&row, "test").rsplit(" > ").next().unwrap();
        Row {
            id: format!("continue/{kind}: {test}"),
            before: text(&row, "content").into(),
            encoding: None,
            edits,
            allowed,
        }
    });
    rows.collect()
}

fn aider() -> Vec<Row> {
    let rows = data("aider-editblock/replace_chunk.json").into_iter().map(|row| {
        let strict = flag(&row, "ambiguous_picks_first");
        let allowed = if strict { Outcome::Refused(Vec::new()) } else { expected(&row) };
        single("aider", &row, ["content", "search", "replace", ""], vec![allowed])
    });
    rows.collect()
}

fn issues() -> Vec<Row> {
    // The tests of the dialect `opencode` cover the rows with patches.
    let rows = data("issue-derived/bytes_cases.json").into_iter().filter(|row| row["tool"] == "edit");
    rows.map(|row| stored("issues", &row)).collect()
}

fn encodings() -> Vec<Row> {
    data("opencode-fs/encoding_cases.json").iter().map(|row| stored("encoding", row)).collect()
}

/// Parses a row with base64 content and a list of permitted outcomes.
fn stored(suite: &str, row: &Value) -> Row {
    let accepts =
        |outcome: &str| row["accept"].as_array().is_none_or(|accept| accept.contains(&json!(outcome)));
    let mut allowed = Vec::new();
    if let Some(after) = row["after"].as_str().filter(|_| accepts("edit")) {
        allowed.push(Outcome::Bytes(STANDARD.decode(after).unwrap()));
    }
    if row["accept"].is_array() && accepts("refuse_unchanged") {
        allowed.push(Outcome::Refused(Vec::new()));
    }
    Row {
        id: format!("{suite}/{}", text(row, "id")),
        before: STANDARD.decode(text(row, "before")).unwrap(),
        encoding: row["file_encoding"].as_str().map(str::to_owned),
        edits: vec![edit_from(row, ["old", "new", "replace_all"])],
        allowed,
    }
}

fn single(suite: &str, row: &Value, [before, old, new, every]: [&str; 4], allowed: Vec<Outcome>) -> Row {
    let id = format!("{suite}/{}", text(row, "id"));
    let edits = vec![edit_from(row, [old, new, every])];
    Row { id, before: text(row, before).into(), encoding: None, edits, allowed }
}

fn edit_from(row: &Value, [old, new, every]: [&str; 3]) -> Edit {
    Edit { old: text(row, old).to_owned(), new: text(row, new).to_owned(), every: flag(row, every) }
}

fn expected(row: &Value) -> Outcome {
    Outcome::Bytes(text(row, "expected").into())
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{key} in {row}"))
}

fn flag(row: &Value, key: &str) -> bool {
    row[key] == json!(true)
}

fn reasons(path: &str) -> BTreeMap<String, String> {
    rows(path).iter().map(|row| (text(row, "id").to_owned(), text(row, "reason").to_owned())).collect()
}

fn data(name: &str) -> Vec<Value> {
    rows(&format!("text/tests/fixtures/{name}"))
}
