//! Help page of a tool for the terminal: parameters, an example command line, and suggestions for unknown
//! names.

use anyhow::Result;
use serde_json::{Map, Value, json};
use toolpost::{
    Settings, parts,
    settings::{
        Origin,
        values::{Choice, CodeMode},
    },
};
use toolpost_runtime::{Catalogue, Published};
use toolpost_text::names::suggest;
use toolpost_tool::{Dialect, Example, Manual};

/// Returns the page of a tool in the active dialects, or else in every dialect that has one of that name.
pub(crate) fn explained(settings: &Settings, name: &str) -> Result<Option<String>> {
    let spoken = parts::dialects(settings)?;
    let catalogue = Catalogue::of(&spoken);
    if let Some(tool) = catalogue.find(name) {
        return Ok(Some(page(settings, tool)));
    }
    let pages: Vec<String> = elsewhere(&spoken, name)
        .iter()
        .filter_map(|own| own.find(name).map(|tool| page(settings, tool)))
        .collect();
    Ok((!pages.is_empty()).then(|| pages.join("\n\n")))
}

/// Formats the page of a tool.
pub(crate) fn page(settings: &Settings, tool: &Published) -> String {
    let mut text = format!("{} (dialect {})\n\n  {}\n", tool.name, tool.dialect.name, tool.description());
    if properties(tool.schema()).is_empty() {
        text.push_str("\nNo parameters.\n");
    } else {
        text.push_str("\nParameters:\n");
    }
    parameters(&mut text, "", tool.schema());
    text.push_str(&format!("\nExample:\n  {}", command_line(settings, tool, &example(tool))));
    text
}

/// Writes the parameters in a schema, and after each array of objects the properties of its items. `before` is the prefix of
/// the names: empty, or `PARAMETER[].` for the items of an array.
fn parameters(text: &mut String, before: &str, schema: &Value) {
    let required = required(schema);
    let parameters = properties(schema);
    // Required parameters come first: a first call needs only these.
    let (first, then): (Vec<_>, Vec<_>) =
        parameters.iter().partition(|(name, _)| required.contains(&name.as_str()));
    for (name, schema) in first.into_iter().chain(then) {
        let (items, sort) = (items(schema), kind(schema));
        let mut facts = vec![match items {
            Some(items) if sort == "array" => format!("array of {}", kind(items)),
            _ => sort,
        }];
        if required.contains(&name.as_str()) {
            facts.push("required".to_owned());
        }
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            facts.push(format!("default {}", plain(default)));
        }
        text.push_str(&format!("  {before}{name}  ({})\n", facts.join(", ")));
        if let Some(meaning) = schema.get("description").and_then(Value::as_str) {
            text.push_str(&format!("      {}\n", meaning.replace('\n', " ")));
        }
        if let Some(items) = items {
            parameters_of_items(text, &format!("{before}{name}[]."), items);
        }
    }
}

/// Writes the properties of the items of an array: of objects, or of each kind of object that an item can be.
fn parameters_of_items(text: &mut String, before: &str, items: &Value) {
    if properties(items).is_empty() {
        choices(items).for_each(|choice| parameters(text, before, choice));
    } else {
        parameters(text, before, items);
    }
}

/// Returns the schema of the items of an array that a schema allows.
fn items(schema: &Value) -> Option<&Value> {
    schema.get("items").or_else(|| choices(schema).find_map(|choice| choice.get("items")))
}

/// Returns the alternative schemas: a value must satisfy one of them.
fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().filter_map(move |key| schema.get(key)?.as_array()).flatten()
}

/// Formats a default value; whole numbers have no decimal point, also if fractions are allowed.
fn plain(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => number.to_string(),
        _ => value.to_string(),
    }
}

/// Returns the command line that prints the page of a tool.
pub(crate) fn help_line(settings: &Settings, tool: &Published) -> String {
    format!("toolpost {}help {}", flag(settings, tool), tool.name)
}

/// Returns the flags that activate the dialect of a tool in another command; empty if it is active without flags.
fn flag(settings: &Settings, tool: &Published) -> String {
    let dialects = &settings.dialects;
    if !dialects.value.iter().any(|name| name.eq_ignore_ascii_case(tool.dialect.name)) {
        return format!("--dialect {} ", tool.dialect.name);
    }
    match dialects.origin {
        Origin::Flag => dialects.value.iter().map(|name| format!("--dialect {name} ")).collect(),
        Origin::Program | Origin::Transcript | Origin::Environment(_) | Origin::File(_) | Origin::Default => {
            String::new()
        }
    }
}

/// Returns a command line that calls a tool.
pub(crate) fn command_line(settings: &Settings, tool: &Published, arguments: &str) -> String {
    let flag = flag(settings, tool);
    format!("toolpost call {flag}{} '{}'", tool.name, arguments.replace('\'', "'\\''"))
}

/// Returns example arguments: those of the first example on the tool's page, or placeholders from its schema.
pub(crate) fn example(tool: &Published) -> String {
    shown(tool).unwrap_or_else(|| {
        let parameters = properties(tool.schema());
        let filled =
            required(tool.schema()).into_iter().map(|name| (name.to_owned(), filler(&parameters[name])));
        Value::Object(filled.collect()).to_string()
    })
}

/// Wraps plain text as JSON arguments, if the only required parameter of the tool is a string; otherwise returns `None`.
pub(crate) fn meant(tool: &Published, given: &str) -> Option<String> {
    let required = required(tool.schema());
    let [only] = required.as_slice() else { return None };
    let is_text = kind(properties(tool.schema()).get(*only)?) == "string";
    let is_plain = !given.is_empty() && !given.contains(['{', '[', '\n']);
    (is_text && is_plain).then(|| json!({ *only: given }).to_string())
}

/// Explains why no served tool has a name, or suggests another name or dialect; `None` if nothing is similar.
pub(crate) fn unknown(settings: &Settings, served: &Catalogue, name: &str) -> Result<Option<String>> {
    let shown: String = name.chars().take(80).flat_map(char::escape_default).collect();
    let spoken = parts::dialects(settings)?;
    if let Some(tool) = Catalogue::of(&spoken).find(name) {
        return Ok(Some(format!("{} is not available: {}.", tool.name, left_out(settings, tool))));
    }
    let names: Vec<&str> = spoken.iter().map(|dialect| dialect.name).collect();
    let none = match names.as_slice() {
        [one] => format!("The dialect {one} has no tool `{shown}`."),
        several => format!("None of the dialects {} has a tool `{shown}`.", several.join(", ")),
    };
    let known: Vec<&str> = served.listed().map(|tool| tool.name.as_str()).collect();
    if let Some(near) = suggest(name, &known, 1).first() {
        return Ok(Some(format!("{none} Did you mean `{near}`?")));
    }
    let others = elsewhere(&spoken, name);
    let tools: Vec<&Published> = others.iter().filter_map(|catalogue| catalogue.find(name)).collect();
    if let Some(first) = tools.first() {
        let have: Vec<&str> = tools.iter().map(|tool| tool.dialect.name).collect();
        let noun = if have.len() == 1 { "dialect" } else { "dialects" };
        let verb = if have.len() == 1 { "has" } else { "have" };
        let call = command_line(settings, first, &example(first));
        return Ok(Some(format!("{none} The {noun} {} {verb} it:\n  {call}", have.join(", "))));
    }
    let rest: Vec<(&str, &str)> = toolpost_dialects::ALL
        .iter()
        .flat_map(|dialect| dialect.tools.iter().map(|tool| (tool.name, dialect.name)))
        .collect();
    let near = suggest(name, &rest.iter().map(|(tool, _)| *tool).collect::<Vec<_>>(), 1);
    let near = near.first().and_then(|near| rest.iter().find(|(tool, _)| tool == near));
    Ok(near.map(|(tool, dialect)| format!("{none} Did you mean `{tool}` of the dialect {dialect}?")))
}

/// Names the setting that excludes a tool of an active dialect.
fn left_out(settings: &Settings, tool: &Published) -> String {
    let denied = settings.deny.value.iter().find(|deny| tool.access().contains(&deny.access()));
    if let Some(deny) = denied {
        return format!(
            "the tool has the capability `{}`, which the setting `deny` forbids ({})",
            deny.word(),
            settings.deny.origin
        );
    }
    if settings.denied().iter().any(|access| tool.access().contains(access)) {
        return format!(
            "the tool can change files, which the setting `read_only` forbids ({})",
            settings.read_only.origin
        );
    }
    if settings.code_mode.value == CodeMode::Only {
        let code = toolpost_dialects::code::DIALECT.tools.iter().map(|tool| format!("`{}`", tool.name));
        let code = code.collect::<Vec<_>>().join(" and ");
        return format!(
            "the setting `code_mode` limits direct calls to {code}; scripts call the other tools ({})",
            settings.code_mode.origin
        );
    }
    format!("the setting `tools` excludes it ({})", settings.tools.origin)
}

/// Returns the inactive dialects that have a tool, each as a separate catalogue. Aliases count only if
/// no tool has this name.
fn elsewhere(spoken: &[&'static Dialect], name: &str) -> Vec<Catalogue> {
    let other = |dialect: &&&'static Dialect| !spoken.iter().any(|spoken| spoken.name == dialect.name);
    let others: Vec<&'static Dialect> = toolpost_dialects::ALL.iter().filter(other).copied().collect();
    let having = |has: &dyn Fn(&Dialect) -> bool| -> Vec<Catalogue> {
        others.iter().filter(|dialect| has(dialect)).map(|dialect| Catalogue::of(&[*dialect])).collect()
    };
    let exact = having(&|dialect| dialect.tools.iter().any(|tool| tool.name == name));
    if exact.is_empty() { having(&|dialect| dialect.tool(name).is_some()) } else { exact }
}

/// Returns the arguments of the first successful call in a tool's page that uses the published names.
fn shown(tool: &Published) -> Option<String> {
    let own = tool.name.strip_prefix(tool.dialect.name).and_then(|rest| rest.strip_prefix('_'));
    let manual = Manual::of_tool(tool.dialect.pages, &tool.name)
        .or_else(|| Manual::of_tool(tool.dialect.pages, own?))?;
    let parameters = properties(tool.schema());
    let required = required(tool.schema());
    manual.steps.windows(2).find_map(|pair| {
        let [Example::Call(call), Example::Reply(_)] = pair else { return None };
        let (name, arguments) = call.trim().split_once(char::is_whitespace)?;
        let arguments: Map<String, Value> = serde_json::from_str(arguments).ok()?;
        let published = arguments.keys().all(|key| parameters.contains_key(key));
        let complete = required.iter().all(|key| arguments.contains_key(*key));
        (name == manual.tool && published && complete).then(|| Value::Object(arguments).to_string())
    })
}

fn required(schema: &Value) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn properties(schema: &Value) -> Map<String, Value> {
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn kind(schema: &Value) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let choices = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let choices: Vec<String> = choices.filter(|value| !value.is_null()).map(word).collect();
    if !choices.is_empty() {
        return choices.join(" or ");
    }
    let sorts: Vec<String> = match schema.get("type") {
        Some(Value::String(sort)) => vec![sort.clone()],
        Some(Value::Array(sorts)) => sorts.iter().map(word).filter(|sort| sort != "null").collect(),
        _ => ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema.get(key)?.as_array())
            .flatten()
            .map(kind)
            .filter(|sort| sort != "null")
            .collect(),
    };
    if sorts.is_empty() { "any".to_owned() } else { sorts.join(" or ") }
}

fn filler(schema: &Value) -> Value {
    let listed =
        |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first()).cloned();
    listed("examples").or_else(|| listed("enum")).unwrap_or_else(|| match kind(schema).as_str() {
        "integer" | "number" => json!(1),
        "boolean" => json!(true),
        "array" => json!([]),
        "object" => json!({}),
        _ => json!("text"),
    })
}
