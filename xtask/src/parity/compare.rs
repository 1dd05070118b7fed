//! Comparison of a dialect with the contract in `spec/dialects.json`, tool by tool and parameter by parameter.

use crate::published_dialect::{self, PublishedDialect, PublishedTool};
use serde_json::{Map, Value};

/// A difference between a dialect and the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path of the difference: `dialect.tool.param`.
    pub key: String,
    /// Description of the difference.
    pub what: String,
}

/// Differences between a dialect and the contract, and the tools of the contract that the dialect lacks.
pub(super) struct DialectComparison {
    pub(super) differences: Vec<Difference>,
    pub(super) not_yet: Vec<String>,
}

/// Compares a dialect with its tools in the contract.
pub(super) fn dialect(contract: &Map<String, Value>, said: &PublishedDialect) -> DialectComparison {
    let mut place = ComparedItem { key: said.dialect.clone(), found: Vec::new() };
    let mut not_yet = Vec::new();
    for (name, wanted) in contract {
        match said.tool(name) {
            Some(tool) => place.within(name, |place| tool_params(wanted, tool, place)),
            None if published_dialect::is_bridged(name) && !said.tools.is_empty() => {}
            None => not_yet.push(name.clone()),
        }
    }
    for tool in said.tools.iter().filter(|tool| !contract.contains_key(&tool.name)) {
        place.within(&tool.name, |place| place.differs("the contract has no such tool"));
    }
    DialectComparison { differences: place.found, not_yet }
}

/// The tool or parameter that is being compared, and the differences found so far.
struct ComparedItem {
    key: String,
    found: Vec<Difference>,
}

impl ComparedItem {
    fn within(&mut self, name: &str, compare: impl FnOnce(&mut Self)) {
        let length = self.key.len();
        self.key.push('.');
        self.key.push_str(name);
        compare(self);
        self.key.truncate(length);
    }

    fn differs(&mut self, what: impl Into<String>) {
        self.found.push(Difference { key: self.key.clone(), what: what.into() });
    }
}

fn tool_params(wanted: &Value, tool: &PublishedTool, place: &mut ComparedItem) {
    if let Some(params) = wanted.get("params").and_then(Value::as_object) {
        params_of(params, &tool.published, &tool.full, place);
    }
    let other_names = wanted.get("aliases").and_then(Value::as_array).into_iter().flatten();
    for alias in other_names.filter_map(Value::as_str) {
        if !tool.aliases.iter().any(|name| name == alias) {
            place.differs(format!("it does not accept the alias `{alias}`"));
        }
    }
}

fn params_of(wanted: &Map<String, Value>, published: &Value, full: &Value, place: &mut ComparedItem) {
    let required: Vec<&str> = published
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, param) in wanted {
        place.within(name, |place| match property(published, name) {
            Some(property) => {
                is_required(param, required.contains(&name.as_str()), place);
                let full = self::property(full, name).unwrap_or(property);
                one(name, param, property, full, place);
            }
            None => place.differs("the parameter is missing"),
        });
    }
    let listed = published.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, _) in listed.filter(|(name, _)| !wanted.contains_key(*name)) {
        place.within(name, |place| place.differs("the contract has no such parameter"));
    }
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

fn is_required(param: &Value, is: bool, place: &mut ComparedItem) {
    let should = param.get("required").and_then(Value::as_bool).unwrap_or(false);
    let word = |required: bool| if required { "required" } else { "optional" };
    if should != is {
        place.differs(format!("it must be {} and is {}", word(should), word(is)));
    }
}

fn one(name: &str, param: &Value, property: &Value, full: &Value, place: &mut ComparedItem) {
    let wanted = param.get("type").and_then(Value::as_str).unwrap_or("").trim_end_matches("|null");
    let is = published_dialect::kind(property);
    if wanted != is {
        place.differs(format!("its type must be {wanted} and is {is}"));
    }
    same_default(param.get("default"), property.get("default"), place);
    same_values(param, property, place);
    for (ours, theirs) in [("minimum", "minimum"), ("maximum", "maximum"), ("max_items", "maxItems")] {
        if let Some(limit) = param.get(ours).filter(|limit| !same(limit, property.get(theirs))) {
            place.differs(format!("its {theirs} must be {limit} and is {}", shown(property.get(theirs))));
        }
    }
    let aliases =
        param.get("aliases").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for alias in aliases.filter(|alias| !answers_to(name, full, alias)) {
        place.differs(format!("it does not accept the alias `{alias}`"));
    }
    if let Some(inner) = param.get("items").and_then(Value::as_object) {
        params_of(inner, &published_dialect::items(property), &published_dialect::items(full), place);
    }
}

fn same_default(wanted: Option<&Value>, is: Option<&Value>, place: &mut ComparedItem) {
    let equal = wanted.map_or(is.is_none(), |wanted| same(wanted, is));
    if !equal {
        place.differs(format!("its default must be {} and is {}", shown(wanted), shown(is)));
    }
}

fn same_values(param: &Value, property: &Value, place: &mut ComparedItem) {
    let wanted = param.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    let is = published_dialect::values(property);
    if wanted != is {
        let list = |values: &[Value]| Value::Array(values.to_vec());
        place.differs(format!("its values must be {} and are {}", list(&wanted), list(&is)));
    }
}

/// Returns whether two values are equal; the notation of numbers does not matter.
fn same(wanted: &Value, is: Option<&Value>) -> bool {
    match (wanted.as_f64(), is.and_then(Value::as_f64)) {
        (Some(wanted), Some(is)) => wanted.total_cmp(&is).is_eq(),
        _ => is == Some(wanted),
    }
}

/// Returns whether a parameter accepts `alias` as its name; decoding ignores case and punctuation.
fn answers_to(name: &str, full: &Value, alias: &str) -> bool {
    let plain = |name: &str| {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let listed =
        full.get("x-aliases").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    std::iter::once(name).chain(listed).any(|known| known == alias || plain(known) == plain(alias))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or("none".to_owned(), Value::to_string)
}
