//! Call hierarchies of a server.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::answers::{self, shown};
use crate::question::spot;
use crate::{Client, Fault, Place, Position, Span};

/// The capability of servers that support call hierarchies.
const PROMISE: &str = "callHierarchyProvider";
const PREPARE: &str = "textDocument/prepareCallHierarchy";

/// A caller or callee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callable {
    /// The name.
    pub name: String,
    /// The kind, as a word.
    pub kind: &'static str,
    /// Further details of the server, such as the type.
    pub detail: Option<String>,
    /// The range of the name.
    pub place: Place,
    /// The range of the whole symbol.
    pub span: Span,
    /// The server's item, which it gets back unchanged.
    item: Value,
}

/// The direction of the requested calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Calls of the symbol.
    Incoming,
    /// Calls made in the symbol.
    Outgoing,
}

/// The calls between the queried symbol and another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The caller or callee.
    pub other: Callable,
    /// The positions of the calls.
    pub sites: Vec<Place>,
}

impl Client<'_> {
    /// Returns the callable symbols at a position of a file; empty if there is none.
    ///
    /// # Errors
    /// As for a question.
    pub async fn callables(
        &self,
        path: &Path,
        at: Position,
        within: Duration,
    ) -> Result<Vec<Callable>, Fault> {
        self.promised(PROMISE, PREPARE)?;
        let answer = self.put(PREPARE, &spot(path, at), within).await?;
        list(&answer, callable).map_err(|what| self.odd(PREPARE, what))
    }

    /// Returns the calls of a symbol, or those in it.
    ///
    /// # Errors
    /// As for a question; also if the server has ended since it sent the symbol.
    pub async fn calls(
        &self,
        calls: Calls,
        callable: &Callable,
        within: Duration,
    ) -> Result<Vec<Call>, Fault> {
        let method = match calls {
            Calls::Incoming => "callHierarchy/incomingCalls",
            Calls::Outgoing => "callHierarchy/outgoingCalls",
        };
        self.promised(PROMISE, method)?;
        let answer = self.put(method, &json!({ "item": callable.item }), within).await?;
        list(&answer, |value| calls.read(value, callable)).map_err(|what| self.odd(method, what))
    }

    /// Returns the calls of, or in, all symbols at a position, which can be several.
    ///
    /// # Errors
    /// As for a question.
    pub async fn calls_at(
        &self,
        calls: Calls,
        path: &Path,
        at: Position,
        within: Duration,
    ) -> Result<Vec<(Callable, Vec<Call>)>, Fault> {
        let end = Instant::now() + within;
        let mut found = Vec::new();
        for callable in self.callables(path, at, within).await? {
            let left = end.saturating_duration_since(Instant::now());
            let calls = self.calls(calls, &callable, left).await?;
            found.push((callable, calls));
        }
        Ok(found)
    }
}

impl Calls {
    fn read(self, value: &Value, asked: &Callable) -> Result<Call, String> {
        let odd = || format!("no call: {}", shown(value));
        let name = match self {
            Self::Incoming => "from",
            Self::Outgoing => "to",
        };
        let other = callable(value.get(name).ok_or_else(odd)?)?;
        // The positions of the calls are in the caller's file.
        let caller = match self {
            Self::Incoming => &other.place,
            Self::Outgoing => &asked.place,
        };
        let ranges = value.get("fromRanges").and_then(Value::as_array).ok_or_else(odd)?;
        let site = |range| Some(Place { span: answers::span(range)?, ..caller.clone() });
        let mut sites = ranges.iter().map(site).collect::<Option<Vec<_>>>().ok_or_else(odd)?;
        sites.sort();
        sites.dedup();
        Ok(Call { other, sites })
    }
}

/// Reads a list that may be null or a single value.
fn list<T>(answer: &Value, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    match answer {
        Value::Null => Ok(Vec::new()),
        Value::Array(all) => all.iter().map(read).collect(),
        one => Ok(vec![read(one)?]),
    }
}

fn callable(value: &Value) -> Result<Callable, String> {
    let odd = || format!("nothing that can be called: {}", shown(value));
    let name = value.get("name").and_then(Value::as_str).ok_or_else(odd)?;
    let address = value.get("uri").and_then(Value::as_str).ok_or_else(odd)?;
    let span = value.get("range").and_then(answers::span).ok_or_else(odd)?;
    let own = value.get("selectionRange").and_then(answers::span).unwrap_or(span);
    let detail = value.get("detail").and_then(Value::as_str).filter(|text| !text.is_empty());
    Ok(Callable {
        name: name.to_owned(),
        kind: answers::kind(value),
        detail: detail.map(str::to_owned),
        place: answers::place_at(address, own),
        span,
        item: value.clone(),
    })
}
