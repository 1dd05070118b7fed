//! `toolpost search`: keyword search over functions and types.

use crate::{
    args::Search as Args,
    out::{self, Colours},
    user_session::UserSession,
    value::{list, number, text},
};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::process::ExitCode;
use toolpost::{
    Settings,
    settings::{Flags, values::OnOff},
};
use toolpost_engine::{Operation as _, operations::block_search::BlockSearch};
use toolpost_shared_index::{SemanticQuery, Server};
use toolpost_text::plural::counted;

/// Dialect whose search tool is called; the tool is found by its operation.
const DIALECT: &str = "probe";

/// Maximum size of a reply, in bytes.
const ROOM: usize = 16 * 1024 * 1024;

/// Exit status when nothing matches, as with `grep`.
const NOTHING: u8 = 1;

/// Exit status of a search that failed.
const FAILED: u8 = 2;

/// Searches, and prints the results.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let mut settings = Settings::of_user(flags.clone())?;
    if !args.across.is_empty() {
        return across(&settings, &args);
    }
    // This command searches by keywords even if the tool would ask a model.
    settings.search_agent.value = OnOff::Off;
    let ask = async |person: &UserSession| person.call(BlockSearch::NAME, arguments(&args)).await;
    let output = match UserSession::asks(&mut settings, DIALECT, ROOM, ask)? {
        Ok(output) => output,
        Err(words) => {
            eprintln!("{}", out::harmless(&words));
            return Ok(ExitCode::from(FAILED));
        }
    };
    if args.json {
        out::line(&serde_json::to_string_pretty(&output)?)?;
    } else {
        print(&output)?;
    }
    Ok(status(&output))
}

/// Searches repositories in the shared index.
fn across(settings: &Settings, args: &Args) -> Result<ExitCode> {
    let address = settings.index.value.as_ref();
    let address =
        address.context("no index is set: pass --index postgres://USER:PASSWORD@HOST:PORT/DATABASE")?;
    let meant = SemanticQuery {
        question: args.query.clone(),
        repositories: args.across.clone(),
        branch: args.branch.clone(),
        path: args.path.clone(),
        tests: args.tests,
        limit: usize::from(args.limit),
    };
    let found = match meant.run(&Server::at(address)?) {
        Ok(found) => serde_json::to_value(found)?,
        Err(fault) => {
            eprintln!("{}", out::harmless(&fault.to_string()));
            return Ok(ExitCode::from(FAILED));
        }
    };
    if args.json {
        out::line(&serde_json::to_string_pretty(&found)?)?;
    } else {
        print_blocks(&found)?;
        said_across(&found).iter().try_for_each(|line| out::line(&out::harmless(line)))?;
    }
    Ok(status(&found))
}

/// Returns the exit status for a result: 1 if it has no blocks.
fn status(found: &Value) -> ExitCode {
    if list(&found["blocks"]).is_empty() { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS }
}

/// Returns notes about the repositories that were searched, and those that were not.
fn said_across(found: &Value) -> Vec<String> {
    let count = |name: &str| number(&found[name]);
    let by = found["model"]
        .as_str()
        .map_or("keywords".to_owned(), |model| format!("keywords and meaning ({model})"));
    let shown = list(&found["blocks"]).len();
    let (blocks, files, repositories) = (count("compared"), count("searched"), count("repositories"));
    let mut lines = vec![format!(
        "The best {shown} of {} in {} of {}, ranked by {by}.",
        counted(blocks, "block"),
        counted(files, "file"),
        counted(repositories, "repository")
    )];
    let left: Vec<&str> = list(&found["left_out"]).iter().map(text).collect();
    if !left.is_empty() {
        lines.push(format!("Not searched: {}.", left.join("; ")));
    }
    lines
}

fn arguments(args: &Args) -> Value {
    let mut arguments = json!({
        "query": args.query,
        "limit": args.limit,
        "exact": args.exact,
        "allowTests": args.tests,
        "maxTokens": null,
    });
    for (name, value) in [("path", &args.path), ("session", &args.next)] {
        if let Some(value) = value {
            arguments[name] = json!(value);
        }
    }
    arguments
}

fn print(output: &Value) -> Result<()> {
    print_blocks(output)?;
    for line in totals_and_notes(output) {
        out::line(&out::harmless(&line))?;
    }
    Ok(())
}

fn print_blocks(output: &Value) -> Result<()> {
    let colours = Colours::of(&std::io::stdout());
    for block in list(&output["blocks"]) {
        let lines = format!(
            "{}:{}-{}",
            text(&block["path"]),
            number(&block["first_line"]),
            number(&block["last_line"])
        );
        let place = match block["repository"].as_str() {
            Some(repository) => format!("{repository}: {lines}"),
            None => lines,
        };
        let name = format!("{} {}", text(&block["kind"]), text(&block["name"]));
        let place = colours.paint(&out::harmless(&place), "1;35");
        out::line(&format!("{place}  {}", colours.paint(out::harmless(&name).trim_end(), "36")))?;
        if let Some(why) = why(block) {
            out::line(&format!("        {}", out::harmless(&why)))?;
        }
        for stretch in list(&block["lines"]) {
            for (at, line) in (number(&stretch["first"])..).zip(text(&stretch["text"]).split('\n')) {
                let count = colours.paint(&format!("{at:>6}"), "32");
                out::line(&format!("{count}  {}", out::harmless(line)))?;
            }
        }
        if block["cut"].as_bool() == Some(true) {
            out::line("     …")?;
        }
        out::line("")?;
    }
    Ok(())
}

/// Describes a result of the shared index: its commit, and why it matched. `None` for a result of the workspace.
fn why(block: &Value) -> Option<String> {
    let commit = block["commit"].as_str()?;
    let mut why = vec![format!("score {:.2}", block["score"].as_f64().unwrap_or_default())];
    if let Some(near) = block["likeness"].as_f64() {
        why.push(format!("similarity {near:.2}"));
    }
    let words: Vec<&str> = list(&block["words"]).iter().map(text).collect();
    if !words.is_empty() {
        why.push(format!("matching words {}", words.join(", ")));
    }
    let also: Vec<&str> = list(&block["also"]).iter().map(text).collect();
    if !also.is_empty() {
        why.push(format!("also in {}", also.join(", ")));
    }
    Some(format!("{}: {}", commit.get(..12).unwrap_or(commit), why.join("; ")))
}

/// Returns the totals, and notes about skipped files.
fn totals_and_notes(output: &Value) -> Vec<String> {
    let (total, shown) = (number(&output["total"]), list(&output["blocks"]).len() as u64);
    let (files, searched) = (number(&output["files"]), number(&output["searched"]));
    let mut lines = vec![format!(
        "{} in {files} of {}; {shown} shown.",
        counted(total, "result"),
        counted(searched, "file")
    )];
    if let Some(next) = output["next"].as_str() {
        lines.push(format!("Next results: --next '{next}'"));
    }
    let tests = number(&output["tests"]);
    if tests > 0 {
        lines.push(format!("{} in tests; --tests includes them.", counted(tests, "more result")));
    }
    let walk = &output["walk"];
    let skipped = skipped(walk);
    let unreadable: Vec<&str> = list(&walk["unreadable"]).iter().map(text).collect();
    if !skipped.is_empty() {
        lines.push(format!("Not searched: {}.", skipped.join(", ")));
    }
    if !unreadable.is_empty() {
        lines.push(format!("Unreadable files and directories: {}.", unreadable.join(", ")));
    }
    lines.extend(list(&output["notes"]).iter().map(|note| text(note).to_owned()));
    lines
}

/// Lists the skipped files and the unsearched roots.
pub(crate) fn skipped(walk: &Value) -> Vec<String> {
    let mut skipped: Vec<String> = list(&walk["skipped"]).iter().map(|one| text(one).to_owned()).collect();
    let roots: Vec<&str> = list(&walk["other_roots"]).iter().map(text).collect();
    if !roots.is_empty() {
        skipped.push(format!("other roots of the workspace ({})", roots.join(", ")));
    }
    skipped
}
