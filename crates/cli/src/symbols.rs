//! `toolpost symbols`: definitions, callers and callees.

use crate::{
    args::Symbols as Args,
    out,
    user_session::{Answer, UserSession},
    value::{list, number, text},
};
use anyhow::Result;
use serde_json::{Value, json};
use std::process::ExitCode;
use toolpost::{settings::Flags, settings::Settings};
use toolpost_engine::{
    Operation as _,
    operations::{outline::Outline, relations::Relations, symbols::Symbols},
};

/// Dialect whose symbol tools are called; the tools are found by their operations.
const DIALECT: &str = "zblade";

/// Maximum size of a reply, in bytes.
const ROOM: usize = 16 * 1024 * 1024;

/// Exit status of a failed query.
const FAILED: u8 = 1;

/// Maximum number of symbols listed for an ambiguous name.
const NAMED: u64 = 20;

/// Runs the query and prints its result.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let mut settings = Settings::of_user(flags.clone())?;
    let answer = UserSession::asks(&mut settings, DIALECT, ROOM, async |person| answer(person, &args).await)?;
    let output = match answer {
        Ok(output) => only(output, &args),
        Err(words) => {
            eprintln!("{}", out::harmless(&words));
            return Ok(ExitCode::from(FAILED));
        }
    };
    let nothing = matches!(args, Args::Find(_)) && list(&output["symbols"]).is_empty();
    if json_wanted(&args) {
        out::line(&serde_json::to_string_pretty(&output)?)?;
    } else {
        let lines = match args {
            Args::Outline(_) => outline(&output),
            Args::Find(_) => found(&output),
            Args::Callers(_) => uses(&output["incoming"], &output["searched"], Way::In),
            Args::Callees(_) => uses(&output["outgoing"], &output["searched"], Way::Out),
        };
        for line in lines.iter().map(|line| out::harmless(line)) {
            if nothing { eprintln!("{line}") } else { out::line(&line)? }
        }
    }
    Ok(if nothing { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Keeps only the requested direction of a result that has both.
fn only(mut output: Value, args: &Args) -> Value {
    let other = match args {
        Args::Callers(_) => "outgoing",
        Args::Callees(_) => "incoming",
        Args::Outline(_) | Args::Find(_) => return output,
    };
    if let Some(answer) = output.as_object_mut() {
        answer.remove(other);
    }
    output
}

fn json_wanted(args: &Args) -> bool {
    match args {
        Args::Outline(outline) => outline.json,
        Args::Find(find) => find.json,
        Args::Callers(uses) | Args::Callees(uses) => uses.json,
    }
}

/// Returns the output of the operation, or its error text.
async fn answer(person: &UserSession, args: &Args) -> Result<Answer> {
    match args {
        Args::Outline(outline) => person.call(Outline::NAME, json!({"path": outline.file})).await,
        Args::Find(find) => {
            let mut arguments = json!({"query": find.query, "limit": find.limit});
            for (name, value) in [("kind", &find.kind), ("path", &find.path)] {
                if let Some(value) = value {
                    arguments[name] = json!(value);
                }
            }
            person.call(Symbols::NAME, arguments).await
        }
        Args::Callers(uses) | Args::Callees(uses) => {
            let mut arguments = match meant(person, &uses.symbol).await? {
                Ok(arguments) => arguments,
                Err(words) => return Ok(Err(words)),
            };
            arguments["limit"] = json!(uses.limit);
            arguments["offset"] = json!(uses.offset);
            person.call(Relations::NAME, arguments).await
        }
    }
}

/// Resolves an id, a file with a name, or a unique name to a symbol.
async fn meant(person: &UserSession, said: &str) -> Result<Answer> {
    if let Some((path, name)) = said.split_once('#') {
        let is_id = path.contains(':') && name.contains('(');
        let named = || json!({"path": path, "name": name});
        return Ok(Ok(if is_id { json!({"symbol_id": said}) } else { named() }));
    }
    let output = match person.call(Symbols::NAME, json!({"query": said, "limit": 100})).await? {
        Ok(output) => output,
        Err(words) => return Ok(Err(words)),
    };
    let exact = list(&output["symbols"]).iter().filter(|hit| hit["fit"] == "exact");
    let (ids, copies): (Vec<&Value>, Vec<&Value>) = exact.partition(|hit| hit["built_from"].is_null());
    let built = match copies.len() {
        0 => String::new(),
        count => {
            format!(" (without {})", counted(count as u64, "copy in built files", "copies in built files"))
        }
    };
    Ok(match ids.as_slice() {
        [hit] => {
            let id = text(&hit["symbol"]["id"]);
            if !built.is_empty() {
                eprintln!("{}", out::harmless(&format!("{id}{built}")));
            }
            Ok(json!({"symbol_id": id}))
        }
        [] => {
            let complete = is_complete(&output["searched"]);
            let none = if complete { "No symbol is" } else { "No symbol was found so far that is" };
            let mut words = format!("{none} called {said}. Searched: {}.", searched(&output["searched"]));
            let others = list(&output["symbols"]).iter().map(|hit| text(&hit["symbol"]["qualified"]));
            let near: Vec<&str> = others.chain(list(&output["near"]).iter().map(text)).take(5).collect();
            if !near.is_empty() {
                words.push_str(&format!(" Names like it: {}.", near.join(", ")));
            }
            Err(words)
        }
        several => {
            let line = |hit: &&Value| {
                let symbol = &hit["symbol"];
                let (path, line) = (text(&symbol["path"]), number(&symbol["line"]));
                format!("\n  {}  {path}:{line}", text(&symbol["id"]))
            };
            let listed: String = several.iter().take(NAMED as usize).map(line).collect();
            Err(format!(
                "{said} is ambiguous: {} symbols{built} have that name; use an id:{listed}",
                several.len()
            ))
        }
    })
}

fn outline(output: &Value) -> Vec<String> {
    let symbols = list(&output["symbols"]);
    let mut depths: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for symbol in symbols {
        let parent = symbol["parent"].as_u64().and_then(|parent| depths.get(usize::try_from(parent).ok()?));
        let depth = parent.map_or(0, |above| above + 1);
        depths.push(depth);
        let (line, indent) = (number(&symbol["line"]), "  ".repeat(depth));
        lines.push(format!("{line:>6}  {indent}{}  {}", text(&symbol["kind"]), text(&symbol["signature"])));
    }
    let (total, errors) = (number(&output["total"]), number(&output["errors"]));
    if symbols.is_empty() {
        lines.push(format!("{} defines nothing.", text(&output["path"])));
    }
    if total > symbols.len() as u64 {
        lines.push(format!("{} of {total} symbols are shown.", symbols.len()));
    }
    if errors > 0 {
        lines.push(format!("{errors} places could not be parsed; their symbols may be missing."));
    }
    lines
}

fn found(output: &Value) -> Vec<String> {
    let hits = list(&output["symbols"]);
    let line = |hit: &Value| {
        let symbol = &hit["symbol"];
        let (path, line) = (text(&symbol["path"]), number(&symbol["line"]));
        let (kind, qualified) = (text(&symbol["kind"]), text(&symbol["qualified"]));
        let copies = match list(&hit["copies"]).len() {
            0 => String::new(),
            1 => "  (and 1 built copy)".to_owned(),
            copies => format!("  (and {copies} built copies)"),
        };
        format!("{path}:{line}  {kind} {qualified}  {}{copies}", text(&symbol["signature"]))
    };
    let mut lines: Vec<String> = hits.iter().map(line).collect();
    let total = number(&output["total"]);
    if total > hits.len() as u64 {
        lines.push(format!("{} of {total} are shown; pass a larger --limit for more.", hits.len()));
    }
    if hits.is_empty() {
        let near: Vec<&str> = list(&output["near"]).iter().map(text).collect();
        let near =
            if near.is_empty() { String::new() } else { format!(" Names like it: {}.", near.join(", ")) };
        let none =
            if is_complete(&output["searched"]) { "No symbol has this name." } else { "No results so far." };
        lines.push(format!("{none}{near} Searched: {}.", searched(&output["searched"])));
    }
    lines
}

/// Direction of a query: callers of the symbol, or its callees.
#[derive(Clone, Copy)]
enum Way {
    In,
    Out,
}

fn uses(side: &Value, of: &Value, way: Way) -> Vec<String> {
    let uses = list(&side["uses"]);
    let line = |one: &Value| {
        let line = one["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let other = &one["symbol"];
        let name = other["qualified"].as_str().unwrap_or("(no symbol)");
        let other = match way {
            Way::In => name.to_owned(),
            Way::Out => format!("{name} ({}:{})", text(&other["path"]), number(&other["line"])),
        };
        let (path, code) = (text(&one["path"]), text(&one["text"]));
        format!("{path}{line}  {other}  {}, {}  {code}", text(&one["sure"]), text(&one["how"]))
    };
    let mut lines: Vec<String> = uses.iter().map(line).collect();
    let places = list(&side["unresolved_places"]);
    lines.extend(places.iter().map(|one| {
        let line = one["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let within = one["within"].as_str().unwrap_or("(no symbol)");
        format!(
            "{}{line}  {within}  unresolved, {}  {}",
            text(&one["path"]),
            text(&one["usage"]),
            text(&one["text"])
        )
    }));
    let count = |name: &str| number(&side[name]);
    let known = count("proved") + count("inferred") + count("possible");
    if known == 0 {
        let so_far = if is_complete(of) { "" } else { " so far" };
        lines.push(match way {
            Way::In => format!("No callers are known{so_far}."),
            Way::Out => format!("No callees are known{so_far}."),
        });
    }
    if let Some(next) = side["next_offset"].as_u64() {
        let (offset, shown) = (count("offset"), uses.len() + places.len());
        let total = known + count("unresolved");
        lines.push(format!(
            "{} to {} of {total}, most certain first; --offset {next} shows the next.",
            offset + 1,
            offset + shown as u64
        ));
    }
    lines.push(format!("{} Searched: {}.", summary(side, way), searched(of)));
    lines
}

/// Summarizes the counts, and reports whether the list is complete.
fn summary(side: &Value, way: Way) -> String {
    let count = |name: &str| number(&side[name]);
    let places = |count: u64| format!("{count} {}", if count == 1 { "place" } else { "places" });
    let mut words = format!(
        "{} proved, {} inferred, {} possible; {} unresolved.",
        count("proved"),
        count("inferred"),
        count("possible"),
        places(count("unresolved"))
    );
    match (way, side["complete"].as_bool()) {
        (Way::In, Some(true)) => words.push_str(" Complete: no other place calls this name."),
        (Way::Out, Some(true)) => {}
        _ => words.push_str(" Not complete: unresolved or unread code may contain more."),
    }
    let rest = [
        ("outside", "lead out of the project"),
        ("through_variables", "call a parameter or variable"),
        ("other_places", "have the name in another relation (imports, reads, types)"),
        ("withheld", "lead to files that a rule hides"),
    ];
    for (name, what) in rest.iter().filter(|(name, _)| count(name) > 0) {
        words.push_str(&format!(" {} {what}.", places(count(name))));
    }
    words
}

/// Formats a count with its noun.
fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Returns whether all files were read.
fn is_complete(of: &Value) -> bool {
    number(&of["waiting"]) == 0
}

/// Describes which files were searched.
fn searched(of: &Value) -> String {
    let languages = of["languages"].as_object().into_iter().flatten();
    let counts: Vec<String> = languages.map(|(name, count)| format!("{name} {count}")).collect();
    let counts =
        if counts.is_empty() { "no file".to_owned() } else { format!("files of {}", counts.join(", ")) };
    let counts = match number(&of["waiting"]) {
        0 => counts,
        waiting => format!("{counts}; incomplete: {waiting} files are not read yet, so try again later"),
    };
    let left: Vec<&str> = list(&of["left_out"]).iter().map(text).collect();
    if left.is_empty() { counts } else { format!("{counts}; not searched: {}", left.join(", ")) }
}
