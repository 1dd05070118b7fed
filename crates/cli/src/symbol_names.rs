//! Symbols that a name given on the command line can mean.

use crate::{
    out,
    user_session::UserSession,
    value::{list, number, text},
};
use anyhow::Result;
use serde_json::{Value, json};
use toolpost_engine::{
    Operation as _,
    operations::symbols::{SymbolKind, Symbols},
};
use toolpost_text::plural::counted;

/// Dialect whose symbol tools are called; the tools are found by their operations.
pub(crate) const DIALECT: &str = "zblade";

/// Maximum size of a reply, in bytes.
pub(crate) const ROOM: usize = 16 * 1024 * 1024;

/// Exit status of a failed query.
pub(crate) const FAILED: u8 = 1;

/// Maximum number of symbols listed for an ambiguous name.
const NAMED: usize = 20;

/// A symbol that a name can mean.
pub(crate) struct SymbolChoice {
    pub(crate) id: String,
    pub(crate) qualified: String,
    /// Kind of the symbol, such as a function; `None` if it is unknown, because only the id is given.
    pub(crate) kind: Option<SymbolKind>,
    pub(crate) path: String,
    /// Line with the symbol's name, counted from 1.
    pub(crate) line: u64,
    pub(crate) last_line: u64,
}

impl SymbolChoice {
    /// Formats the symbol as a line of a list.
    fn line(&self) -> String {
        format!("\n  {}  {}:{}", self.id, self.path, self.line)
    }
}

/// Formats the first [`NAMED`] symbols as lines of a list, and counts the others.
pub(crate) fn listed(symbols: &[SymbolChoice]) -> String {
    let mut lines: String = symbols.iter().take(NAMED).map(SymbolChoice::line).collect();
    if symbols.len() > NAMED {
        lines.push_str(&format!("\n  … {} more", symbols.len() - NAMED));
    }
    lines
}

pub(crate) fn is_id(path: &str, name: &str) -> bool {
    path.contains(':') && name.contains('(')
}

/// Lists the symbols called `symbol_name` (a name or `PATH#NAME`), in `path` if it is given. An id is returned without a
/// search. Copies of a symbol in build output are left out. Returns an error text if the search fails or finds no symbol.
pub(crate) async fn named(
    person: &UserSession,
    symbol_name: &str,
    path: Option<&str>,
) -> Result<Result<Vec<SymbolChoice>, String>> {
    let (path, query) = match symbol_name.split_once('#') {
        Some((start, name)) if is_id(start, name) => {
            let (id, qualified, path) = (symbol_name.to_owned(), String::new(), String::new());
            return Ok(Ok(vec![SymbolChoice { id, qualified, kind: None, path, line: 0, last_line: 0 }]));
        }
        Some((start, name)) => (Some(path.unwrap_or(start)), name),
        None => (path, symbol_name),
    };
    let mut arguments = json!({"query": query, "limit": 100});
    if let Some(path) = path {
        arguments["path"] = json!(path);
    }
    let output = match person.call(Symbols::NAME, arguments).await? {
        Ok(output) => output,
        Err(words) => return Ok(Err(words)),
    };
    let exact = list(&output["symbols"]).iter().filter(|hit| hit["fit"] == "exact");
    let (sources, copies): (Vec<&Value>, Vec<&Value>) = exact.partition(|hit| hit["built_from"].is_null());
    if sources.is_empty() {
        return Ok(Err(unknown(query, &output)));
    }
    if !copies.is_empty() {
        let count = counted(copies.len() as u64, "copy");
        let ids: Vec<&str> = sources.iter().map(|hit| text(&hit["symbol"]["id"])).collect();
        eprintln!("{}", out::harmless(&format!("{} ({count} in build output ignored)", ids.join(", "))));
    }
    let symbols = sources.iter().map(|hit| &hit["symbol"]);
    let named = symbols.map(|symbol| SymbolChoice {
        id: text(&symbol["id"]).to_owned(),
        qualified: text(&symbol["qualified"]).to_owned(),
        kind: SymbolKind::of_name(text(&symbol["kind"])),
        path: text(&symbol["path"]).to_owned(),
        line: number(&symbol["line"]),
        last_line: number(&symbol["last_line"]),
    });
    Ok(Ok(named.collect()))
}

/// Formats the reply for a name that matches no symbol.
fn unknown(symbol_name: &str, output: &Value) -> String {
    let complete = is_complete(&output["searched"]);
    let none = if complete { "No symbol is" } else { "No symbol found so far is" };
    let mut words = format!("{none} called {symbol_name}. Searched: {}.", searched(&output["searched"]));
    let others = list(&output["symbols"]).iter().map(|hit| text(&hit["symbol"]["qualified"]));
    let near: Vec<&str> = others.chain(list(&output["near"]).iter().map(text)).take(5).collect();
    if !near.is_empty() {
        words.push_str(&format!(" Similar names: {}.", near.join(", ")));
    }
    words
}

/// Returns whether the index had read all files. `of` is the field `searched` of an operation's output.
pub(crate) fn is_complete(of: &Value) -> bool {
    number(&of["waiting"]) == 0
}

/// Describes which files were searched. `of` is the field `searched` of an operation's output.
pub(crate) fn searched(of: &Value) -> String {
    let languages = of["languages"].as_object().into_iter().flatten();
    let counts: Vec<(&String, u64)> = languages.map(|(name, count)| (name, number(count))).collect();
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let counts = match all {
        0 => "no file".to_owned(),
        1 => format!("{} file", counts.join(", ")),
        _ => format!("{} files", counts.join(", ")),
    };
    let counts = match number(&of["waiting"]) {
        0 => counts,
        waiting => {
            let files = counted(waiting, "more file");
            format!("{counts}; incomplete: {files} must be read first, so try again later")
        }
    };
    let left: Vec<&str> = list(&of["left_out"]).iter().map(text).collect();
    if left.is_empty() { counts } else { format!("{counts}; not searched: {}", left.join(", ")) }
}
