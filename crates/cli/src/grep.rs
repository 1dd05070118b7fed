//! `toolpost grep`: lines that match a regular expression.

use crate::{
    args::Grep as Args,
    out::{self, Colours},
    search,
    user_session::UserSession,
    value::{list, text},
};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::{io::IsTerminal as _, process::ExitCode};
use toolpost::{settings::Flags, settings::Settings};
use toolpost_engine::{Operation as _, operations};
use toolpost_shared_index::{RegexSearch, Server};

/// Dialect whose grep tool is called; the tool is found by its operation.
const DIALECT: &str = "claude";

/// Maximum size of a reply, in bytes.
const ROOM: usize = 64 * 1024 * 1024;

/// Exit status when nothing matches.
const NOTHING: u8 = 1;

/// Exit status of a search that failed.
const FAILED: u8 = 2;

/// Searches, and prints the matches.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let mut settings = Settings::of_user(flags.clone())?;
    let found = if args.across.is_empty() { here(&mut settings, &args)? } else { across(&settings, &args)? };
    let Some(found) = found else { return Ok(ExitCode::from(FAILED)) };
    if args.json {
        print_json(&found)?;
    } else {
        print(&found, args.across.is_empty())?;
    }
    Ok(if list(&found["files"]).is_empty() { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
}

/// Searches the workspace. If the call fails, prints its message and returns `None`.
fn here(settings: &mut Settings, args: &Args) -> Result<Option<Value>> {
    let ask = async |person: &UserSession| person.call(operations::grep::Grep::NAME, arguments(args)).await;
    let answer = UserSession::asks(settings, DIALECT, ROOM, ask)?;
    Ok(answer.map_err(|words| eprintln!("{}", out::harmless(&words))).ok())
}

fn arguments(args: &Args) -> Value {
    let mut arguments = json!({
        "pattern": args.pattern,
        "output_mode": "content",
        "-n": true,
        "-i": args.ignore_case,
        "-C": args.context,
        "head_limit": args.limit,
    });
    if let Some(path) = &args.path {
        arguments["path"] = json!(path);
    }
    if !args.globs.is_empty() {
        arguments["glob"] = json!(args.globs.join(" "));
    }
    arguments
}

/// Searches repositories in the shared index. If the search fails, prints the error and returns `None`.
fn across(settings: &Settings, args: &Args) -> Result<Option<Value>> {
    let address = settings.index.value.as_ref();
    let address =
        address.context("no index is set: pass --index postgres://USER:PASSWORD@HOST:PORT/DATABASE")?;
    let mut globs = args.globs.clone();
    globs.extend(args.path.iter().map(|path| format!("/{}/", path.trim_matches('/'))));
    let case = if args.ignore_case {
        operations::grep::Case::Insensitive
    } else {
        operations::grep::Case::Sensitive
    };
    let across = RegexSearch {
        pattern: args.pattern.clone(),
        case,
        repositories: args.across.clone(),
        branch: args.branch.clone(),
        globs,
        around: usize::from(args.context),
        limit: args.limit as usize,
    };
    match across.run(&Server::at(address)?) {
        Ok(found) => Ok(Some(serde_json::to_value(found)?)),
        Err(fault) => {
            eprintln!("{}", out::harmless(&fault.to_string()));
            Ok(None)
        }
    }
}

/// Prints a JSON line for each match, then one with the totals and notes.
fn print_json(found: &Value) -> Result<()> {
    for file in list(&found["files"]) {
        for line in list(&file["lines"]) {
            let mut told = json!({ "type": "line", "path": file["path"], "number": line["number"], "text": line["text"] });
            told["is_match"] = json!(is_match(line));
            for name in ["repository", "commit"] {
                if let Some(value) = file.get(name) {
                    told[name] = value.clone();
                }
            }
            out::line(&serde_json::to_string(&told)?)?;
        }
    }
    let mut summary = found.clone();
    if let Some(all) = summary.as_object_mut() {
        all.remove("files");
        all.insert("type".to_owned(), json!("summary"));
    }
    out::line(&serde_json::to_string(&summary)?)?;
    Ok(())
}

fn print(found: &Value, here: bool) -> Result<()> {
    let person = std::io::stdout().is_terminal();
    let colours = Colours::of(&std::io::stdout());
    for (number, file) in list(&found["files"]).iter().enumerate() {
        let place = match file["repository"].as_str() {
            Some(repository) => format!("{repository}: {}", text(&file["path"])),
            None => text(&file["path"]).to_owned(),
        };
        let place = colours.paint(&out::harmless(&place), "35");
        if person {
            if number > 0 {
                out::line("")?;
            }
            out::line(&place)?;
        }
        for line in list(&file["lines"]) {
            let count = colours.paint(&line["number"].as_u64().unwrap_or_default().to_string(), "32");
            let words = out::harmless(text(&line["text"]));
            let mark = if is_match(line) { ':' } else { '-' };
            let before = if person { String::new() } else { format!("{place}{mark}") };
            out::line(&format!("{before}{count}{mark}{words}"))?;
        }
    }
    for note in notes(found, here) {
        eprintln!("{}", out::harmless(&note));
    }
    Ok(())
}

/// Returns notes about omitted matches and skipped files.
fn notes(found: &Value, here: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let more = found["more"].as_bool() == Some(true)
        || here
            && found["entries"].as_u64().unwrap_or_default() > found["shown"].as_u64().unwrap_or_default();
    if more {
        notes.push("More lines match; pass a larger --limit.".to_owned());
    }
    let left = if here {
        search::skipped(&found["walk"])
    } else {
        list(&found["left_out"]).iter().map(|one| text(one).to_owned()).collect()
    };
    if !left.is_empty() {
        notes.push(format!("Not searched: {}.", left.join(", ")));
    }
    let unreadable: Vec<&str> = list(&found["walk"]["unreadable"]).iter().map(text).collect();
    if !unreadable.is_empty() {
        notes.push(format!("Unreadable files and directories: {}.", unreadable.join(", ")));
    }
    notes
}

/// Returns whether a line matches; false for a context line.
fn is_match(line: &Value) -> bool {
    line["is_match"].as_bool().unwrap_or_else(|| line["role"] == "match")
}
