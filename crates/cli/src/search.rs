//! `toolpost search`: blocks of code by their words, best first, for people.

use crate::{
    args::{Common, Search as Args},
    out,
    person::Person,
    settings::Settings,
    value::{list, number, text},
};
use anyhow::Result;
use serde_json::{Value, json};
use std::{io::IsTerminal as _, process::ExitCode};
use toolpost_engine::{Operation as _, operations::search::Search};

/// The dialect whose tool searches; it is known by its operation.
const DIALECT: &str = "probe";

/// How many bytes an answer may have.
const ROOM: usize = 16 * 1024 * 1024;

/// The exit status of a question that was not answered.
const FAILED: u8 = 1;

/// Whether what is printed has colours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colours {
    Shown,
    NotShown,
}

/// Searches, and prints what was found.
pub(crate) fn run(common: &Common, args: Args) -> Result<ExitCode> {
    let mut settings = Settings::find(common)?;
    let ask = async |person: &Person| person.call(Search::NAME, arguments(&args)).await;
    match Person::asks(&mut settings, DIALECT, ROOM, ask)? {
        Ok(output) if args.json => out::line(&serde_json::to_string_pretty(&output)?)?,
        Ok(output) => print(&output)?,
        Err(words) => {
            eprintln!("{}", out::harmless(&words));
            return Ok(ExitCode::from(FAILED));
        }
    }
    Ok(ExitCode::SUCCESS)
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
    let shown = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let colours = if shown { Colours::Shown } else { Colours::NotShown };
    for block in list(&output["blocks"]) {
        let place = format!(
            "{}:{}-{}",
            text(&block["path"]),
            number(&block["first_line"]),
            number(&block["last_line"])
        );
        let name = format!("{} {}", text(&block["kind"]), text(&block["name"]));
        let place = painted(&out::harmless(&place), "1;35", colours);
        out::line(&format!("{place}  {}", painted(out::harmless(&name).trim_end(), "36", colours)))?;
        for stretch in list(&block["lines"]) {
            for (at, line) in (number(&stretch["first"])..).zip(text(&stretch["text"]).split('\n')) {
                let count = painted(&format!("{at:>6}"), "32", colours);
                out::line(&format!("{count}  {}", out::harmless(line)))?;
            }
        }
        out::line("")?;
    }
    for line in said(output) {
        out::line(&out::harmless(&line))?;
    }
    Ok(())
}

/// Says how much was found, and what was not searched.
fn said(output: &Value) -> Vec<String> {
    let (total, shown) = (number(&output["total"]), list(&output["blocks"]).len() as u64);
    let (files, searched) = (number(&output["files"]), number(&output["searched"]));
    let mut lines = vec![format!("{total} results in {files} of {searched} files; {shown} are shown.")];
    if let Some(next) = output["next"].as_str() {
        lines.push(format!("The next ones: --next '{next}'"));
    }
    let tests = number(&output["tests"]);
    if tests > 0 {
        lines.push(format!("{tests} more in tests; --tests shows them, too."));
    }
    let walk = &output["walk"];
    let skipped: Vec<&str> = list(&walk["skipped"]).iter().map(text).collect();
    let unreadable: Vec<&str> = list(&walk["unreadable"]).iter().map(text).collect();
    if !skipped.is_empty() {
        lines.push(format!("Not searched: {}.", skipped.join(", ")));
    }
    if !unreadable.is_empty() {
        lines.push(format!("Could not be read: {}.", unreadable.join(", ")));
    }
    lines.extend(list(&output["notes"]).iter().map(|note| text(note).to_owned()));
    lines
}

fn painted(words: &str, colour: &str, colours: Colours) -> String {
    match colours {
        Colours::Shown => format!("\u{1b}[{colour}m{words}\u{1b}[0m"),
        Colours::NotShown => words.to_owned(),
    }
}
