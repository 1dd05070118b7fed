//! Single and multiple replacements from the test suites of other projects.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use toolpost_text::encoding::{Splice, Text};
use toolpost_text::guard;
use toolpost_text::matching::{MatchCount, MatchOptions, Matches, Miss, Step, find};

/// An outcome that a row of a fixture allows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Bytes(Vec<u8>),
    /// New content that contains each of these lines, with any indentation.
    Lines(Vec<String>),
    Refused,
}

struct Row {
    id: String,
    before: Vec<u8>,
    charset: Option<&'static encoding_rs::Encoding>,
    edits: Vec<(String, String, MatchCount)>,
    allowed: Vec<Outcome>,
}

#[test]
fn edit_fixtures_of_other_suites_have_an_allowed_outcome() {
    let refused: BTreeMap<String, String> = load("refused.json")
        .into_iter()
        .map(|row| (text(&row, "id").to_owned(), text(&row, "reason").to_owned()))
        .collect();
    let rows: Vec<Row> =
        [opencode(), crush(), gemini(), goose(), continue_dev(), aider(), issues(), encodings()]
            .into_iter()
            .flatten()
            .collect();
    let mut wrong = Vec::new();
    for row in &rows {
        check(row, refused.get(&row.id), &mut wrong);
    }
    for id in refused.keys().filter(|id| !rows.iter().any(|row| row.id == **id)) {
        wrong.push(format!("{id}: listed as refused, but there is no such row"));
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(rows.len(), 185, "a fixture was added or lost");
}

/// Rows for which the step [`Step::Spaced`] finds a hit inside a line. It writes the new text unchanged there, which
/// these rows do not allow.
const VERBATIM: [&str; 2] = ["crush/text_around_refused", "gemini/regex_blank_line_before"];

/// Runs a row with the steps up to [`Step::Unescaped`], with all steps, and with fewer steps, as some dialects do.
/// Adds a message to `wrong` for each outcome that the row does not allow.
fn check(row: &Row, reason: Option<&String>, wrong: &mut Vec<String>) {
    let full = run(row, Step::Unescaped);
    let allowed = row.allowed.iter().any(|outcome| agrees(outcome, full.as_deref()));
    match (allowed, reason) {
        (true, None) => {}
        (true, Some(_)) => wrong.push(format!("{}: listed as refused, but passes", row.id)),
        (false, Some(_)) if full.is_err() => {}
        (false, _) => wrong.push(format!("{}: {:?}, allowed {:?}", row.id, show(&full), row.allowed)),
    }
    let last = run(row, Step::Spaced);
    let fits = last.is_err() || row.allowed.iter().any(|outcome| agrees(outcome, last.as_deref()));
    if fits == VERBATIM.contains(&row.id.as_str()) || (full.is_ok() && last != full) {
        wrong.push(format!("{}: {:?} with the step that ignores white space", row.id, show(&last)));
    }
    for upto in [Step::Exact, Step::Folded, Step::Reindented] {
        let earlier = run(row, upto);
        if earlier.is_ok() && earlier != full {
            wrong.push(format!(
                "{}: the steps up to {upto:?} result in {:?}, but more steps in {:?}",
                row.id,
                show(&earlier),
                show(&full)
            ));
        }
    }
}

fn run(row: &Row, upto: Step) -> Result<Vec<u8>, String> {
    let mut bytes = row.before.clone();
    for (old, new, want) in &row.edits {
        guard::check(new, old).map_err(|placeholder| placeholder.to_string())?;
        let opened = Text::open(bytes, row.charset).map_err(|error| error.to_string())?;
        let how = MatchOptions { want: *want, ..MatchOptions::one(upto) };
        let Matches { hits, .. } = find(opened.view(), old, new, &how).map_err(|miss| miss.to_string())?;
        let splices: Vec<Splice> =
            hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
        bytes = opened.splice(&splices).map_err(|error| error.to_string())?;
    }
    Ok(bytes)
}

fn agrees(outcome: &Outcome, found: Result<&[u8], &String>) -> bool {
    match (outcome, found) {
        (Outcome::Bytes(wanted), Ok(found)) => wanted == found,
        (Outcome::Lines(lines), Ok(found)) => {
            let found = String::from_utf8_lossy(found);
            let found: Vec<&str> = found.lines().map(str::trim).collect();
            lines.iter().all(|line| found.contains(&line.as_str()))
        }
        (Outcome::Refused, found) => found.is_err(),
        (Outcome::Bytes(_) | Outcome::Lines(_), Err(_)) => false,
    }
}

fn show(found: &Result<Vec<u8>, String>) -> Result<String, &String> {
    found.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn opencode() -> Vec<Row> {
    let rows = load("opencode-edit/replace_cases.json").into_iter().map(|row| {
        let refuse = flag(&row, "fail") || flag(&row, "unsafe");
        let allowed = match row.get("expect").and_then(Value::as_str) {
            _ if refuse => Outcome::Refused,
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
    let rows = load("crush-edit/find_and_replace.json").into_iter().map(|row| {
        let allowed = if flag(&row, "ok") { bytes(&row, "expected") } else { Outcome::Refused };
        single("crush", &row, ["content", "old_string", "new_string", "replace_all"], vec![allowed])
    });
    let shifted = load("crush-edit/reindent.json").into_iter().enumerate().map(|(index, mut row)| {
        row["id"] = format!("reindent-{}", index + 1).into();
        single("crush", &row, ["actual", "old", "new", ""], vec![bytes(&row, "expected")])
    });
    rows.chain(shifted).collect()
}

fn gemini() -> Vec<Row> {
    let rows = load("gemini-edit/cases.json").into_iter().map(|row| {
        let mut allowed = vec![bytes(&row, "expected")];
        if row["expected"] == row["content"] {
            allowed = vec![Outcome::Refused];
        }
        if matches!(row["strategy"].as_str(), Some("regex" | "fuzzy")) {
            allowed.push(Outcome::Refused);
        }
        single("gemini", &row, ["content", "old_string", "new_string", "allow_multiple"], allowed)
    });
    rows.collect()
}

fn goose() -> Vec<Row> {
    let edits = load("goose-edit/cases.json").into_iter().filter(|row| !flag(row, "read"));
    let rows = edits.map(|row| {
        let allowed = if flag(&row, "ok") { bytes(&row, "expected") } else { Outcome::Refused };
        single("goose", &row, ["content", "before", "after", ""], vec![allowed])
    });
    rows.collect()
}

fn continue_dev() -> Vec<Row> {
    let rows = load("continue-edit/find_and_replace.json").into_iter().map(|mut row| {
        let name = text(&row, "test").rsplit(" > ").next().unwrap().to_owned();
        let kind = text(&row, "kind").to_owned();
        row["id"] = format!("{kind}: {name}").into();
        let mut allowed = vec![if flag(&row, "ok") { bytes(&row, "expected") } else { Outcome::Refused }];
        if row["accept"].as_array().is_some_and(|accept| accept.contains(&"refuse_unchanged".into())) {
            allowed.push(Outcome::Refused);
        }
        if kind == "single" {
            return single("continue", &row, ["content", "old", "new", "replace_all"], allowed);
        }
        let edits = row["edits"].as_array().unwrap().iter();
        let edits = edits.map(|edit| edit_of(edit, ["old_string", "new_string", "replace_all"])).collect();
        let before = text(&row, "content").into();
        Row { id: format!("continue/{}", text(&row, "id")), before, charset: None, edits, allowed }
    });
    rows.collect()
}

fn aider() -> Vec<Row> {
    let rows = load("aider-editblock/replace_chunk.json").into_iter().map(|row| {
        let allowed =
            if flag(&row, "ambiguous_picks_first") { Outcome::Refused } else { bytes(&row, "expected") };
        single("aider", &row, ["content", "search", "replace", ""], vec![allowed])
    });
    rows.collect()
}

fn issues() -> Vec<Row> {
    let edits = load("issue-derived/bytes_cases.json").into_iter().filter(|row| row["tool"] == "edit");
    edits.map(|row| stored("issues", &row)).collect()
}

fn encodings() -> Vec<Row> {
    load("opencode-fs/encoding_cases.json").iter().map(|row| stored("encoding", row)).collect()
}

/// Reads a row whose bytes are in base64 and whose outcomes are listed.
fn stored(suite: &str, row: &Value) -> Row {
    let decode = |key: &str| row[key].as_str().map(|text| STANDARD.decode(text).unwrap());
    let accept = |outcome: &str| row["accept"].as_array().is_none_or(|all| all.contains(&outcome.into()));
    let mut allowed = Vec::new();
    if accept("edit") {
        allowed.extend(decode("after").map(Outcome::Bytes));
    }
    if row["accept"].is_array() && accept("refuse_unchanged") {
        allowed.push(Outcome::Refused);
    }
    let label = row["file_encoding"].as_str();
    let charset = label.map(|label| encoding_rs::Encoding::for_label(label.as_bytes()).unwrap());
    let id = format!("{suite}/{}", text(row, "id"));
    Row {
        id,
        before: decode("before").unwrap(),
        charset,
        edits: vec![edit_of(row, ["old", "new", "replace_all"])],
        allowed,
    }
}

fn single(suite: &str, row: &Value, [content, old, new, every]: [&str; 4], allowed: Vec<Outcome>) -> Row {
    let id = format!("{suite}/{}", text(row, "id"));
    Row {
        id,
        before: text(row, content).into(),
        charset: None,
        edits: vec![edit_of(row, [old, new, every])],
        allowed,
    }
}

fn edit_of(row: &Value, [old, new, every]: [&str; 3]) -> (String, String, MatchCount) {
    let want = if flag(row, every) { MatchCount::Every } else { MatchCount::One };
    (text(row, old).to_owned(), text(row, new).to_owned(), want)
}

fn bytes(row: &Value, key: &str) -> Outcome {
    Outcome::Bytes(text(row, key).into())
}

fn flag(row: &Value, key: &str) -> bool {
    row.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("no {key} in {row}"))
}

fn load(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}

#[test]
fn white_space_corrections_are_reported() {
    for row in load("crush-edit/find_and_replace.json").iter().filter(|row| flag(row, "ok")) {
        let how = MatchOptions::one(Step::Reindented);
        let Ok(found) = find(text(row, "content"), text(row, "old_string"), text(row, "new_string"), &how)
        else {
            continue;
        };
        let corrected = !found.differences.is_empty();
        assert_eq!(
            (corrected, found.step != Step::Exact),
            (flag(row, "whitespace_corrected"), corrected),
            "{row}"
        );
    }
}

#[test]
fn failed_matches_show_the_closest_lines() {
    for row in load("crush-edit/mismatch_hints.json") {
        let miss =
            find(text(&row, "content"), text(&row, "old"), "something else", &MatchOptions::one(Step::Exact))
                .unwrap_err();
        let message = miss.to_string();
        let wanted = row["contains"].as_array().unwrap();
        for fragment in wanted {
            assert!(message.contains(fragment.as_str().unwrap()), "{fragment} in {message}");
        }
        let shown = matches!(miss, Miss::Absent { closest: Some(_), .. });
        assert_eq!(shown, !wanted.is_empty(), "{row}: {message}");
    }
}

#[test]
fn ambiguous_match_lists_the_line_of_each_hit() {
    let row = load("goose-edit/cases.json").into_iter().find(|row| row["id"] == "multiple").unwrap();
    let miss = find(
        text(&row, "content"),
        text(&row, "before"),
        text(&row, "after"),
        &MatchOptions::one(Step::Unescaped),
    );
    let Err(Miss::Ambiguous { count, places, .. }) = miss else { panic!("{miss:?}") };
    let lines: Vec<usize> = places.iter().map(|place| place.line).collect();
    assert_eq!((count, serde_json::json!(lines)), (2, row["lines_reported"].clone()));
}
