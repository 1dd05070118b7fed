//! `toolpost symbols rename`: the preview of a rename, and the rename.

use crate::{
    args::Rename as Args,
    out,
    symbol_names::{self as symbols, SymbolChoice},
    user_session::{OperationResult, UserSession},
    value::{list, number, text},
};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::process::ExitCode;
use toolpost::settings::{Flags, Settings};
use toolpost_engine::{
    Access, Operation as _,
    operations::{change::ChangeFiles, rename_symbol::RenameSymbol},
};
use toolpost_text::plural::counted;

/// Prints the plan of the rename. Makes the rename if `--apply` is set, unless there are conflicts, or possible uses
/// without `--leave-possible`.
pub(crate) fn run(flags: &Flags, args: &Args) -> Result<ExitCode> {
    let mut settings = Settings::of_user(flags.clone())?;
    if args.apply && settings.denied().contains(&Access::Writes) {
        bail!("cannot rename: writing is disabled by `read_only` or `deny = [\"write\"]`");
    }
    let answer = UserSession::asks(&mut settings, symbols::DIALECT, symbols::ROOM, async |person| {
        rename(person, args).await
    })?;
    let plan = match answer {
        Ok(plan) => plan,
        Err(words) => return Ok(failed(&words)),
    };
    if args.json {
        out::line(&serde_json::to_string_pretty(&plan)?)?;
    } else {
        for line in lines(&plan, args) {
            out::line(&out::harmless(&line))?;
        }
    }
    let mut reasons: Vec<String> =
        list(&plan["conflicts"]).iter().map(|reason| text(reason).to_owned()).collect();
    if args.apply && reasons.is_empty() {
        reasons.extend(unchecked(&plan, args));
    }
    if reasons.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Ok(failed(&format!("Refused, and nothing was changed: {}", reasons.join(" "))))
}

/// Returns the reason not to make a rename that leaves possible uses with the old name; `None` if there are none, or
/// `--leave-possible` is set.
fn unchecked(plan: &Value, args: &Args) -> Option<String> {
    let count = list(&plan["possible"]).len() as u64;
    let keep = if count == 1 {
        "would keep the old name, and break if it refers to"
    } else {
        "would keep the old name, and break if they refer to"
    };
    (count > 0 && !args.leave_possible).then(|| {
        format!(
            "{} {keep} the symbol. Check the possible uses above; then pass --leave-possible to rename only the proved locations, \
             and change the others by hand.",
            counted(count, "possible use")
        )
    })
}

fn failed(words: &str) -> ExitCode {
    eprintln!("{}", out::harmless(words));
    ExitCode::from(symbols::FAILED)
}

/// Plans the rename, and makes it if requested. Adds the field `applied` to the plan.
async fn rename(person: &UserSession, args: &Args) -> Result<OperationResult> {
    let mut plan = match plan(person, args).await? {
        Ok(plan) => plan,
        Err(words) => return Ok(Err(words)),
    };
    let apply = args.apply && list(&plan["conflicts"]).is_empty() && unchecked(&plan, args).is_none();
    if apply && let Err(words) = person.call(ChangeFiles::NAME, json!({"files": plan["files"]})).await? {
        return Ok(Err(words));
    }
    plan["applied"] = json!(apply);
    Ok(Ok(plan))
}

/// Plans the rename of the symbol; returns an error text if no symbol has the name, or if the name is ambiguous.
async fn plan(person: &UserSession, args: &Args) -> Result<OperationResult> {
    let candidates = match candidates(person, args).await? {
        Ok(candidates) => candidates,
        Err(words) => return Ok(Err(words)),
    };
    let [first, others @ ..] = candidates.as_slice() else {
        let place = args.place.as_deref().unwrap_or_default();
        return Ok(Err(format!("No symbol called {} is in {place}.", args.symbol)));
    };
    let arguments = json!({"symbol_id": first.id, "new_name": args.new_name});
    let plan = match person.call(RenameSymbol::NAME, arguments).await? {
        Ok(plan) => plan,
        Err(words) => return Ok(Err(words)),
    };
    // Overloads, declarations and overriding methods are renamed together, so each of them identifies the same rename.
    let together: Vec<&str> = list(&plan["symbols"]).iter().map(text).collect();
    if others.iter().all(|other| together.contains(&other.id.as_str())) {
        return Ok(Ok(plan));
    }
    let listed = symbols::listed(&candidates);
    let (symbol_name, count) = (&args.symbol, candidates.len());
    Ok(Err(format!(
        "{symbol_name} is ambiguous: {count} symbols have that name; pass one of these ids, or --in \
         FILE:LINE:{listed}"
    )))
}

/// Lists the symbols that the name and the location can mean.
async fn candidates(person: &UserSession, args: &Args) -> Result<Result<Vec<SymbolChoice>, String>> {
    let Some(place) = &args.place else { return symbols::named(person, &args.symbol, None).await };
    let (path, line) = match place.rsplit_once(':') {
        Some((path, line)) if !path.is_empty() && line.parse::<u64>().is_ok() => (path, line.parse().ok()),
        _ => (place.as_str(), None),
    };
    let found = symbols::named(person, &args.symbol, Some(path)).await?;
    Ok(found.map(|found| match line {
        None => found,
        Some(line) => innermost(found, line),
    }))
}

/// Keeps the symbols whose name is on the line, or else the smallest symbol around the line.
fn innermost(found: Vec<SymbolChoice>, line: u64) -> Vec<SymbolChoice> {
    let (on_line, mut around): (Vec<SymbolChoice>, Vec<SymbolChoice>) = found
        .into_iter()
        .filter(|one| (one.line..=one.last_line).contains(&line))
        .partition(|one| one.line == line);
    if !on_line.is_empty() {
        return on_line;
    }
    around.sort_by_key(|one| one.last_line - one.line);
    around.truncate(1);
    around
}

fn lines(plan: &Value, args: &Args) -> Vec<String> {
    let mut lines = Vec::new();
    let mut edits = 0;
    for file in list(&plan["files"]) {
        let path = text(&file["path"]);
        let ordered = list(&file["edits"]).iter().rev();
        lines.extend(
            ordered.map(|edit| format!("{path}:{}  proved  {}", number(&edit["line"]), text(&edit["code"]))),
        );
        edits += list(&file["edits"]).len() as u64;
    }
    let kept = |label: &'static str, which: &str| {
        let line = move |one: &Value| {
            let (path, line) = (text(&one["path"]), number(&one["line"]));
            format!("{path}:{line}  {label}, {}  {}", text(&one["why"]), text(&one["code"]))
        };
        list(&plan[which]).iter().map(line).collect::<Vec<_>>()
    };
    let (possible, left) = (kept("possible", "possible"), kept("unchanged", "text"));
    let (possible_count, left_count) = (possible.len() as u64, left.len() as u64);
    lines.extend(possible);
    lines.extend(left);
    let files = list(&plan["files"]).len() as u64;
    let places = |count: u64| counted(count, "location");
    lines.push(format!(
        "{} to {}: {} in {} proved, {possible_count} possible, {left_count} in comments and strings; {} \
         {} the name for something else. Searched: {}.",
        text(&plan["symbol"]["id"]),
        text(&plan["new_name"]),
        places(edits),
        counted(files, "file"),
        places(number(&plan["others"])),
        if number(&plan["others"]) == 1 { "uses" } else { "use" },
        symbols::searched(&plan["searched"])
    ));
    if possible_count > 0 {
        lines.push(
            "Check the possible uses: they keep the old name, and break if they refer to the symbol."
                .to_owned(),
        );
    }
    if plan["applied"] == true {
        lines.push("Renamed the proved locations. `toolpost undo` reverts the rename.".to_owned());
    } else if list(&plan["conflicts"]).is_empty() && !args.apply {
        let flags = if possible_count > 0 { "--apply --leave-possible" } else { "--apply" };
        lines.push(format!(
            "Nothing was changed: this is a preview. {flags} renames the proved locations, all or none."
        ));
    }
    lines
}
