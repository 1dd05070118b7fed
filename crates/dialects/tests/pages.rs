//! Every tool has a page, and the examples of every page run and return the documented replies.

use crate::common;

use common::World;
use toolpost_runtime::{Answer, Outcome};
use toolpost_tool::{Dialect, Example, Manual, Part};

async fn call(world: &World, call: &str) -> Outcome {
    let (tool, arguments) = call.split_once(' ').unwrap();
    world.call(tool, serde_json::from_str(arguments).unwrap()).await
}

fn fill(world: &World, text: &str) -> String {
    text.replace("{root}", &world.root().canonicalize().unwrap().display().to_string())
}

/// Compares whole replies. `{ms}` in the page stands for any whole number, `{job}` for the name of any job.
fn agrees(said: &str, wanted: &str, tool: &str) {
    let mut filled = String::new();
    let mut rest = wanted;
    while let Some((before, name, after)) = next_blank(rest) {
        filled.push_str(before);
        let there = said.get(filled.len()..).unwrap_or("");
        let found = if name == "{ms}" { number(there) } else { job(there) };
        filled.push_str(found.unwrap_or(name));
        rest = after;
    }
    filled.push_str(rest);
    assert_eq!(said, filled, "{tool}");
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

/// Takes the name of a job from the beginning of a text.
fn job(text: &str) -> Option<&str> {
    let name = text.strip_prefix("job-")?;
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
    (end == 10).then(|| &text[..4 + end])
}

/// Finds the name of the job that a reply begins with.
fn named(outcome: Option<&Outcome>) -> Option<String> {
    let Some(Outcome::Done(answer)) = outcome else { return None };
    job(answer.words().strip_prefix("command_id: ")?).map(str::to_owned)
}

#[test]
fn a_number_that_varies_stands_for_a_number_alone() {
    agrees("took 12 ms, 3 of 4", "took {ms} ms, 3 of 4", "");
    agrees("job-abcdefghi2 in 5 ms", "{job} in {ms} ms", "");
    for (said, wanted) in [
        ("job-abc", "{job}"),
        ("took ms", "took {ms}ms"),
        ("took 1 ms, 3", "took {ms} ms, 4"),
        ("x", "{ms}"),
        ("1 2", "1 {ms} "),
    ] {
        assert!(std::panic::catch_unwind(|| agrees(said, wanted, "")).is_err(), "{said} {wanted}");
    }
}

async fn check(dialect: &'static Dialect, manual: &Manual<'_>) -> usize {
    // An additional dialect has the tools of the first one to call.
    let beside = toolpost_dialects::EXTRA.iter().any(|beside| beside.name == dialect.name);
    let claude = &toolpost_dialects::claude::DIALECT;
    let world = if beside { World::beside(claude, dialect) } else { World::new(dialect) };
    let mut last: Option<Outcome> = None;
    let mut job = String::new();
    let mut checked = 0;
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
                    panic!("{}: not done: {last:?}", manual.tool)
                };
                agrees(&answer.words(), &fill(&world, wanted), manual.tool);
                apart(&answer, manual.tool);
                checked += 1;
            }
            Example::Failure(wanted) => {
                let Some(Outcome::Failed(_, answer)) = last.take() else {
                    panic!("{}: not failed: {last:?}", manual.tool)
                };
                agrees(&answer.words(), &fill(&world, wanted), manual.tool);
                checked += 1;
            }
        }
    }
    assert!(!matches!(last, Some(Outcome::Failed(..))), "{}: the last call fails: {last:?}", manual.tool);
    checked
}

/// Checks that a client that joins the parts of a reply keeps JSON and remarks on different lines.
fn apart(answer: &Answer, tool: &str) {
    let joined: String =
        answer.parts.iter().map(|part| if let Part::Text(text) = part { text } else { "\n" }).collect();
    let first = joined.lines().next().unwrap_or("");
    if first.starts_with('{') && first.contains("\":") {
        let read = serde_json::from_str::<serde_json::Value>(first);
        assert!(read.is_ok(), "{tool}: {read:?}: {first}");
    }
    for part in &answer.parts {
        let Part::Text(text) = part else { continue };
        let opens = text.starts_with("[toolpost: ") && joined.find(text).is_some_and(|at| at > 0);
        assert!(!opens || joined.contains(&format!("\n{text}")), "{tool}: {joined}");
    }
}

/// Checks all pages, so that one run names each tool whose page differs.
#[tokio::test]
async fn every_page_holds() {
    let mut failed = Vec::new();
    for dialect in toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA) {
        for page in dialect.pages {
            for manual in Manual::of_page(page) {
                let name = format!("{} {}", dialect.name, manual.tool);
                let tasks = tokio::task::LocalSet::new();
                let task = async move { check(dialect, &manual).await };
                let checked = tasks.run_until(async { tokio::task::spawn_local(task).await });
                match checked.await {
                    Ok(checked) => assert!(checked > 0, "{name}: the page shows no reply"),
                    Err(_) => failed.push(name),
                }
            }
        }
    }
    assert_eq!(failed, Vec::<String>::new(), "each is reported above");
}

#[test]
fn every_tool_has_a_page_and_a_short_description() {
    for dialect in toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA) {
        for tool in dialect.tools {
            let manual = Manual::of_tool(dialect.pages, tool.name);
            let manual = manual.unwrap_or_else(|| panic!("{} {} has no page", dialect.name, tool.name));
            assert!((20..=300).contains(&manual.description.len()), "{}: {}", tool.name, manual.description);
        }
        assert!(dialect.instructions.len() < 2_000);
    }
}
