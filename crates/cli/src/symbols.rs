//! `toolpost symbols`: definitions, callers and callees; `rename` has its own file.

use crate::{
    args::{FindArgs, Outline, Symbols as Args, Uses},
    out::{self, Colours},
    symbol_names::{DIALECT, FAILED, ROOM, SymbolChoice, is_complete, is_id, listed, named, searched},
    symbol_rename,
    user_session::{OperationResult, UserSession},
    value::{list, number, text},
};
use anyhow::Result;
use serde_json::{Value, json};
use std::{io::stdout, process::ExitCode};
use toolpost::{settings::Flags, settings::Settings};
use toolpost_engine::{
    Operation as _,
    operations::{
        outline,
        relations::Relations,
        symbols::{SymbolKind, Symbols},
    },
};
use toolpost_text::plural::counted;

/// Maximum number of symbols of one name whose uses are listed.
const SEVERAL: usize = 10;

/// Maximum number of symbols that the message about ignored symbols lists.
const IGNORED: usize = 5;

/// Colour of a line number, as in `toolpost grep`.
const NUMBER: &str = "32";
/// Colour of a path with a line number, and of an id, as in `toolpost grep`.
const LOCATION: &str = "35";

/// A read-only `symbols` command.
enum Query {
    Outline(Outline),
    Find(FindArgs),
    Callers(Uses),
    Callees(Uses),
}

/// Runs the query and prints its result.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let query = match args {
        Args::Outline(outline) => Query::Outline(outline),
        Args::Find(find) => Query::Find(find),
        Args::Callers(uses) => Query::Callers(uses),
        Args::Callees(uses) => Query::Callees(uses),
        Args::Rename(rename) => return symbol_rename::run(flags, &rename),
    };
    answer_query(flags, query)
}

fn answer_query(flags: &Flags, query: Query) -> Result<ExitCode> {
    let mut settings = Settings::of_user(flags.clone())?;
    let answers =
        UserSession::asks(&mut settings, DIALECT, ROOM, async |person| answer(person, &query).await)?;
    let outputs: Vec<Value> = match answers {
        Ok(outputs) => outputs.into_iter().map(|output| only(output, &query)).collect(),
        Err(words) => {
            eprintln!("{}", out::harmless(&words));
            return Ok(ExitCode::from(FAILED));
        }
    };
    let none = |output: &Value| list(&output["symbols"]).is_empty();
    let nothing = matches!(query, Query::Find(_)) && outputs.iter().all(none);
    if json_wanted(&query) {
        let printed = match outputs.as_slice() {
            [output] => serde_json::to_string_pretty(output)?,
            several => serde_json::to_string_pretty(several)?,
        };
        out::line(&printed)?;
    } else {
        let colours = Colours::of(&stdout());
        for line in lines(&outputs, &query).iter().map(|line| out::harmless(line)) {
            if nothing { eprintln!("{line}") } else { out::line(&painted(&line, colours))? }
        }
    }
    Ok(if nothing { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Colours the location or the id at the beginning of a line, which ends at two spaces. Sentences have none.
fn painted(line: &str, colours: Colours) -> String {
    let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
    let Some((place, after)) = rest.split_once("  ") else { return line.to_owned() };
    let colour = if place.bytes().all(|byte| byte.is_ascii_digit()) { NUMBER } else { LOCATION };
    format!("{indent}{}  {after}", colours.paint(place, colour))
}

/// Formats the output. If there are several, each follows a line with the id and the location of its symbol.
fn lines(outputs: &[Value], query: &Query) -> Vec<String> {
    let lines_of = |output: &Value| match query {
        Query::Outline(_) => outline(output),
        Query::Find(_) => found(output),
        Query::Callers(_) => uses(&output["incoming"], &output["searched"], CallDirection::In),
        Query::Callees(_) => uses(&output["outgoing"], &output["searched"], CallDirection::Out),
    };
    if let [output] = outputs {
        return lines_of(output);
    }
    let mut lines = Vec::new();
    for output in outputs {
        let symbol = &output["symbol"];
        let (id, path, line) = (text(&symbol["id"]), text(&symbol["path"]), number(&symbol["line"]));
        lines.push(format!("{id}  {path}:{line}"));
        lines.extend(lines_of(output).into_iter().map(|line| format!("  {line}")));
    }
    lines
}

/// Keeps only the requested direction of a result that has both.
fn only(mut output: Value, query: &Query) -> Value {
    let other = match query {
        Query::Callers(_) => "outgoing",
        Query::Callees(_) => "incoming",
        Query::Outline(_) | Query::Find(_) => return output,
    };
    if let Some(answer) = output.as_object_mut() {
        answer.remove(other);
    }
    output
}

fn json_wanted(query: &Query) -> bool {
    match query {
        Query::Outline(outline) => outline.json,
        Query::Find(find) => find.json,
        Query::Callers(uses) | Query::Callees(uses) => uses.json,
    }
}

/// Returns the outputs of the operation, at least one for each symbol that a name means, or an error text.
async fn answer(person: &UserSession, query: &Query) -> Result<Result<Vec<Value>, String>> {
    let one = |answer: OperationResult| answer.map(|output| vec![output]);
    match query {
        Query::Outline(outline) => {
            Ok(one(person.call(outline::Outline::NAME, json!({"path": outline.file})).await?))
        }
        Query::Find(find) => {
            let mut arguments = json!({"query": find.query, "limit": find.limit});
            for (name, value) in [("kind", &find.kind), ("path", &find.path)] {
                if let Some(value) = value {
                    arguments[name] = json!(value);
                }
            }
            Ok(one(person.call(Symbols::NAME, arguments).await?))
        }
        Query::Callers(uses) | Query::Callees(uses) => {
            let all = match meant(person, &uses.symbol).await? {
                Ok(all) => all,
                Err(words) => return Ok(Err(words)),
            };
            let is_for_callees = matches!(query, Query::Callees(_));
            let mut outputs = Vec::new();
            for meaning in all {
                match related(person, uses, &meaning, is_for_callees).await? {
                    Ok(further) => outputs.extend(further),
                    Err(words) => return Ok(Err(words)),
                }
            }
            Ok(Ok(outputs))
        }
    }
}

/// A symbol that a name means.
enum NamedSymbol {
    /// One symbol, as the tool arguments that select it.
    One(Value),
    /// Several definitions of one name in one file: an implementation with the signatures of its overloads, or
    /// several implementations. `by_name` has the tool arguments that select them by name, `ids` has the id of each.
    Several { by_name: Value, ids: Vec<String> },
}

/// Returns the relations of a symbol; several outputs if it has several implementations with different callees.
async fn related(
    person: &UserSession,
    uses: &Uses,
    meaning: &NamedSymbol,
    is_for_callees: bool,
) -> Result<Result<Vec<Value>, String>> {
    let ask = async |mut arguments: Value| {
        arguments["limit"] = json!(uses.limit);
        arguments["offset"] = json!(uses.offset);
        person.call(Relations::NAME, arguments).await
    };
    let (by_name, ids) = match meaning {
        NamedSymbol::One(arguments) => return Ok(ask(arguments.clone()).await?.map(|output| vec![output])),
        NamedSymbol::Several { by_name, ids } => (by_name, ids),
    };
    if !is_for_callees {
        // Any one id is enough: the callers of each definition are those of all definitions.
        return Ok(ask(json!({"symbol_id": ids[0]})).await?.map(|output| vec![output]));
    }
    if let Ok(output) = ask(by_name.clone()).await? {
        return Ok(Ok(vec![output]));
    }
    let mut outputs = Vec::new();
    for id in ids {
        match ask(json!({"symbol_id": id})).await? {
            Ok(output) => outputs.push(output),
            Err(words) => return Ok(Err(words)),
        }
    }
    Ok(Ok(outputs))
}

/// Resolves an id, a file with a name, or a name to each symbol that is meant.
async fn meant(person: &UserSession, symbol_name: &str) -> Result<Result<Vec<NamedSymbol>, String>> {
    if let Some((path, name)) = symbol_name.split_once('#') {
        let named = || json!({"path": path, "name": name});
        let arguments = if is_id(path, name) { json!({"symbol_id": symbol_name}) } else { named() };
        return Ok(Ok(vec![NamedSymbol::One(arguments)]));
    }
    let found = match named(person, symbol_name, None).await? {
        Ok(found) => callable(found),
        Err(words) => return Ok(Err(words)),
    };
    let mut groups: Vec<Vec<&SymbolChoice>> = Vec::new();
    for one in &found {
        let of = |named: &SymbolChoice| (named.path.clone(), named.qualified.clone(), named.kind);
        match groups.iter_mut().find(|group| of(group[0]) == of(one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    if groups.len() > SEVERAL {
        let count = groups.len();
        let listed = listed(&found);
        return Ok(Err(format!(
            "{symbol_name} is ambiguous: {count} symbols have that name; pass one of these ids:{listed}"
        )));
    }
    let meanings = groups.into_iter().map(|group| match group.as_slice() {
        [one] => NamedSymbol::One(json!({"symbol_id": one.id})),
        several => NamedSymbol::Several {
            by_name: json!({"path": several[0].path, "name": several[0].qualified}),
            ids: several.iter().map(|one| one.id.clone()).collect(),
        },
    });
    Ok(Ok(meanings.collect()))
}

/// Keeps those of several symbols with the same name that can be called, and reports the others; keeps all if none can
/// be called. The constructors of a kept class are left out, because their callers are those of the class.
fn callable(found: Vec<SymbolChoice>) -> Vec<SymbolChoice> {
    let (called, others): (Vec<SymbolChoice>, Vec<SymbolChoice>) =
        found.into_iter().partition(|one| one.kind.is_some_and(SymbolKind::is_callable));
    if called.is_empty() {
        return others;
    }
    // An `impl` block is a part of its type, so it is not reported as ignored.
    let others: Vec<&str> =
        others.iter().filter(|one| one.kind != Some(SymbolKind::Impl)).map(|one| one.id.as_str()).collect();
    if !others.is_empty() {
        let more = match others.len().saturating_sub(IGNORED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let ids = others[..others.len().min(IGNORED)].join(", ");
        let why = "only functions, macros and types can be called";
        eprintln!("{}", out::harmless(&format!("ignored {ids}{more}: {why}")));
    }
    let classes: Vec<(String, String)> =
        called.iter().map(|one| (one.path.clone(), one.qualified.clone())).collect();
    let constructs = |one: &SymbolChoice| {
        let mut classes = classes.iter().filter(|(path, _)| *path == one.path);
        classes.any(|(_, class)| {
            let name = class.rsplit('.').next().unwrap_or(class);
            one.qualified.strip_suffix(name).and_then(|rest| rest.strip_suffix('.')) == Some(class)
        })
    };
    called.into_iter().filter(|one| !constructs(one)).collect()
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
        lines.push(format!("{} defines no symbols.", text(&output["path"])));
    }
    if total > symbols.len() as u64 {
        lines.push(format!("{} of {total} symbols are shown.", symbols.len()));
    }
    if errors > 0 {
        lines.push(format!("{} could not be parsed: symbols may be missing.", counted(errors, "part")));
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
            1 => "  (and 1 copy in build output)".to_owned(),
            copies => format!("  (and {copies} copies in build output)"),
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
            if near.is_empty() { String::new() } else { format!(" Similar names: {}.", near.join(", ")) };
        let none =
            if is_complete(&output["searched"]) { "No symbol has this name." } else { "No results so far." };
        lines.push(format!("{none}{near} Searched: {}.", searched(&output["searched"])));
    }
    lines
}

/// Direction of a query: callers of the symbol, or its callees.
#[derive(Clone, Copy)]
enum CallDirection {
    In,
    Out,
}

fn uses(side: &Value, of: &Value, way: CallDirection) -> Vec<String> {
    let uses = list(&side["uses"]);
    let line = |one: &Value| {
        let line = one["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let other = &one["symbol"];
        let name = other["qualified"].as_str().unwrap_or("(no symbol)");
        let other = match way {
            CallDirection::In => name.to_owned(),
            CallDirection::Out => format!("{name} ({}:{})", text(&other["path"]), number(&other["line"])),
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
            CallDirection::In => format!("No callers are known{so_far}."),
            CallDirection::Out => format!("No callees are known{so_far}."),
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
    lines.push(format!("{} Searched: {}.", summary(side, of, way), searched(of)));
    lines
}

/// Lists the reasons why a list of callers or callees may be incomplete. `side` is that list in the tool's output,
/// and `of` reports which files were searched.
fn gaps(side: &Value, of: &Value, way: CallDirection) -> Vec<String> {
    let more = match way {
        CallDirection::In => "may be callers",
        CallDirection::Out => "may lead to more callees",
    };
    let reasons = [
        (number(&side["unresolved"]) > 0, format!("unresolved locations {more}")),
        (number(&side["through_variables"]) > 0, format!("calls of parameters or variables {more}")),
        (number(&side["withheld"]) > 0, "callees in files that a rule hides are not listed".to_owned()),
        (!is_complete(of), "some files are not read yet".to_owned()),
        (
            matches!(way, CallDirection::In) && !list(&of["left_out"]).is_empty(),
            "some files were not searched".to_owned(),
        ),
    ];
    reasons.into_iter().filter(|(applies, _)| *applies).map(|(_, reason)| reason).collect()
}

/// Summarizes the counts in a list of callers or callees, and reports whether the list is complete. `side` is that
/// list in the tool's output, and `of` reports which files were searched.
fn summary(side: &Value, of: &Value, way: CallDirection) -> String {
    let count = |name: &str| number(&side[name]);
    let places = |count: u64| format!("{count} {}", if count == 1 { "location" } else { "locations" });
    let mut words = format!(
        "{} proved, {} inferred, {} possible; {} unresolved.",
        count("proved"),
        count("inferred"),
        count("possible"),
        places(count("unresolved"))
    );
    match (way, side["complete"].as_bool()) {
        (CallDirection::In, Some(true)) => {
            let others = count("same_name") + count("outside");
            let what = if others == 0 { "this name" } else { "this symbol" };
            words.push_str(&format!(" Complete: nothing else calls {what}."));
        }
        (CallDirection::Out, Some(true)) => {}
        _ => words.push_str(&format!(" Not complete: {}.", gaps(side, of, way).join("; "))),
    }
    let (outside, variable) = match way {
        CallDirection::In => (
            ["uses", "use", "this name for code outside the project"],
            "a parameter or variable of this name",
        ),
        CallDirection::Out => (["leads", "lead", "to code outside the project"], "a parameter or variable"),
    };
    let rest = [
        ("outside", outside),
        ("through_variables", ["calls", "call", variable]),
        ("other_places", ["uses", "use", "the name without calling it (imports, reads, types)"]),
        ("same_name", ["calls", "call", "another symbol of this name"]),
        ("withheld", ["leads", "lead", "to files that a rule hides"]),
    ];
    for (name, [one, several, what]) in rest.into_iter().filter(|(name, _)| count(name) > 0) {
        let verb = if count(name) == 1 { one } else { several };
        words.push_str(&format!(" {} {verb} {what}.", places(count(name))));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{Colours, painted};
    use toolpost_test_rows::each;

    #[test]
    fn only_locations_and_ids_have_colours() {
        let rows = [
            (
                "src/a.rs:3  main  proved, call  run();",
                "\u{1b}[35msrc/a.rs:3\u{1b}[0m  main  proved, call  run();",
            ),
            ("  src/a.rs:3  main", "  \u{1b}[35msrc/a.rs:3\u{1b}[0m  main"),
            ("    12  function  fn run()", "    \u{1b}[32m12\u{1b}[0m  function  fn run()"),
            ("No callers are known.", "No callers are known."),
            ("", ""),
        ];
        each(rows, |(line, wanted)| {
            assert_eq!(painted(line, Colours::On), wanted);
            assert_eq!(painted(line, Colours::Off), line);
        });
    }
}
