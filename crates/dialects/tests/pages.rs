//! Every tool has a page, and the examples of every page run and return the documented replies.

use crate::common;
use toolpost_test_rows::{each, table::Table};

use common::{World, runtime};
use toolpost_runtime::{Outcome, ToolReply};
use toolpost_tool::{Dialect, Example, Manual, ReplyPart, RunResult};

async fn call(world: &World, call: &str) -> Outcome {
    let (tool, arguments) = call.split_once(' ').unwrap();
    world.call(tool, serde_json::from_str(arguments).unwrap()).await
}

fn fill(world: &World, text: &str) -> String {
    text.replace("{root}", &world.root().canonicalize().unwrap().display().to_string())
}

/// Compares whole replies. `{ms}` in the page matches any whole number, `{job}` the id of any command.
fn agrees(reply: &str, wanted: &str, tool: &str) {
    let mut filled = String::new();
    let mut rest = wanted;
    while let Some((before, name, after)) = next_blank(rest) {
        filled.push_str(before);
        let there = reply.get(filled.len()..).unwrap_or("");
        let found = if name == "{ms}" { number(there) } else { job(there) };
        filled.push_str(found.unwrap_or(name));
        rest = after;
    }
    filled.push_str(rest);
    assert_eq!(reply, filled, "{tool}");
}

fn next_blank(text: &str) -> Option<(&str, &'static str, &str)> {
    let places = ["{ms}", "{job}"].into_iter().filter_map(|name| Some((text.find(name)?, name)));
    let (at, name) = places.min()?;
    Some((&text[..at], name, &text[at + name.len()..]))
}

fn number(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// Returns the command id at the beginning of a text.
fn job(text: &str) -> Option<&str> {
    let name = text.strip_prefix("job-")?;
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
    (end == 10).then(|| &text[..4 + end])
}

/// Returns the command id at the beginning of a reply.
fn named(outcome: Option<&Outcome>) -> Option<String> {
    let Some(Outcome::Done(answer)) = outcome else { return None };
    job(answer.words().strip_prefix("command_id: ")?).map(str::to_owned)
}

#[test]
fn number_placeholders_match_only_numbers() {
    agrees("took 12 ms, 3 of 4", "took {ms} ms, 3 of 4", "");
    agrees("job-abcdefghi2 in 5 ms", "{job} in {ms} ms", "");
    each(
        [
            ("job-abc", "{job}"),
            ("took ms", "took {ms}ms"),
            ("took 1 ms, 3", "took {ms} ms, 4"),
            ("x", "{ms}"),
            ("1 2", "1 {ms} "),
        ],
        |(reply, wanted)| {
            assert!(std::panic::catch_unwind(|| agrees(reply, wanted, "")).is_err(), "{reply} {wanted}");
        },
    );
}

async fn check(dialect: &'static Dialect, manual: &Manual<'_>) -> usize {
    // The tools of an additional dialect call the tools of the first one.
    let beside = toolpost_dialects::EXTRA.iter().any(|beside| beside.name == dialect.name);
    let claude = &toolpost_dialects::claude::DIALECT;
    let world = if beside { World::beside(claude, dialect) } else { World::new(dialect) };
    let mut last: Option<Outcome> = None;
    let mut job = String::new();
    let (mut checked, mut has_reply) = (0, false);
    for step in &manual.steps {
        match step {
            Example::File(name, text) => world.put(name, format!("{text}\n").as_bytes()),
            Example::Call(call) => {
                assert!(
                    !matches!(last, Some(Outcome::Failed(..))),
                    "{}: a call before {call} fails: {last:?}",
                    manual.tool
                );
                let call = call.replace("{job}", &job);
                last = Some(self::call(&world, &call).await);
                job = named(last.as_ref()).unwrap_or(job);
            }
            Example::Reply(wanted) => {
                let Some(Outcome::Done(answer)) = last.take() else {
                    panic!("{}: the call before a reply does not succeed: {last:?}", manual.tool)
                };
                // The first example is the one that the help suggests, so it must not fail.
                let fails = answer.result == RunResult::Failed && answer.words().contains("Exit code: ");
                assert!(has_reply || !fails, "{}: {answer:?}", manual.tool);
                has_reply = true;
                agrees(&answer.words(), &fill(&world, wanted), manual.tool);
                apart(&answer, manual.tool);
                checked += 1;
            }
            Example::Failure(wanted) => {
                let Some(Outcome::Failed(_, answer)) = last.take() else {
                    panic!("{}: the call before a failure does not fail: {last:?}", manual.tool)
                };
                agrees(&answer.words(), &fill(&world, wanted), manual.tool);
                checked += 1;
            }
        }
    }
    assert!(!matches!(last, Some(Outcome::Failed(..))), "{}: the last call fails: {last:?}", manual.tool);
    checked
}

/// Checks that JSON and notes are on different lines if a client concatenates the parts of a reply.
fn apart(answer: &ToolReply, tool: &str) {
    let joined: String =
        answer.parts.iter().map(|part| if let ReplyPart::Text(text) = part { text } else { "\n" }).collect();
    let first = joined.lines().next().unwrap_or("");
    if first.starts_with('{') && first.contains("\":") {
        let read = serde_json::from_str::<serde_json::Value>(first);
        assert!(read.is_ok(), "{tool}: {read:?}: {first}");
    }
    for part in &answer.parts {
        let ReplyPart::Text(text) = part else { continue };
        let opens = text.starts_with("[toolpost: ") && joined.find(text).is_some_and(|at| at > 0);
        assert!(!opens || joined.contains(&format!("\n{text}")), "{tool}: {joined}");
    }
}

pub(crate) fn examples_of_every_tool_page_reply_as_documented() -> Table {
    let dialects =
        toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA).chain(toolpost_dialects::INTERNAL);
    let pages = dialects.flat_map(|dialect| dialect.pages.iter().map(move |page| (dialect, page)));
    let rows = pages
        .flat_map(|(dialect, page)| Manual::of_page(page).into_iter().map(move |manual| (dialect, manual)));
    Table::new(
        "pages::examples_of_every_tool_page_reply_as_documented",
        rows,
        |(dialect, manual)| format!("{} {}", dialect.name, manual.tool),
        |(dialect, manual)| {
            let checked = runtime().block_on(check(dialect, &manual));
            assert!(checked > 0, "the page shows no reply");
        },
    )
}

#[test]
fn every_tool_has_a_page_and_a_short_description() {
    for dialect in
        toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA).chain(toolpost_dialects::INTERNAL)
    {
        for tool in dialect.tools {
            let manual = Manual::of_tool(dialect.pages, tool.name);
            let manual = manual.unwrap_or_else(|| panic!("{} {} has no page", dialect.name, tool.name));
            assert!((20..=300).contains(&manual.description.len()), "{}: {}", tool.name, manual.description);
        }
        assert!(dialect.instructions.len() < 2_000);
    }
}

/// Returns the text of a page before its first tool, in one line.
fn preamble(page: &str) -> String {
    let text = page.split("\n## ").next().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The preamble of a page states limits of all its tools; no example covers them, so this test compares them.
#[tokio::test]
async fn limits_in_the_preamble_of_a_page_are_those_of_replies() {
    let dialect = &toolpost_dialects::zblade::DIALECT;
    let world = World::new(dialect);
    world.put("long.txt", "line\n".repeat(5_000));
    let reply = call(&world, r#"read_file {"path": "long.txt"}"#).await;
    let Outcome::Done(answer) = &reply else { panic!("{reply:?}") };
    let text = answer.words();
    let (_, shown) = text.split_once(" - showing first ").unwrap_or_else(|| panic!("{text}"));
    let (head, shown) = shown.split_once(" and last ").unwrap();
    let (tail, _) = shown.split_once(" lines]").unwrap();
    let batch = dialect.tools.iter().find(|tool| tool.name == "batch").unwrap();
    let calls = (batch.schema)()["properties"]["calls"]["maxItems"].clone();
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../syntax/languages")).unwrap();
    let folders = folders.map(|folder| folder.unwrap()).filter(|folder| folder.path().is_dir());
    // A directory whose name begins with `_` holds files that several languages share.
    let languages = folders.filter(|folder| !folder.file_name().to_string_lossy().starts_with('_')).count();
    let sentences = [
        format!("at most {} KB and {} lines", dialect.budget.bytes / 1024, dialect.budget.lines),
        format!("keeps the first {head} and the last {tail} lines"),
        format!("runs up to {calls} calls"),
        format!("{languages} languages are parsed"),
    ];
    let preambles: String = dialect.pages.iter().map(|page| preamble(page)).collect();
    each(&sentences, |sentence| assert!(preambles.contains(sentence.as_str()), "{preambles}"));
    let others = sentences.iter().fold(preambles, |others, sentence| others.replace(sentence.as_str(), ""));
    let rest = others.replace("count from 1", "");
    assert!(!rest.contains(|letter: char| letter.is_ascii_digit()), "a number that is not compared: {rest}");
}
