//! A number outside the bounds of its schema is rejected, or changed with a note, in every tool.

use crate::common;
use toolpost_test_rows::each_async;

use common::World;
use serde_json::{Value, json};
use toolpost_runtime::Outcome;
use toolpost_tool::{Dialect, Example, Manual, ToolDef};

/// Position of a number in the arguments: its name, or the name of a list and its name in each item.
struct NumberArgument {
    list: Option<String>,
    name: String,
    schema: Value,
}

fn numbers(schema: &Value) -> Vec<NumberArgument> {
    let is_number = |schema: &Value| {
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("");
        kind == "integer" || kind == "number"
    };
    let mut places = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if is_number(property) {
            places.push(NumberArgument { list: None, name: name.clone(), schema: property.clone() });
        }
        for (inner, property) in property["items"]["properties"].as_object().into_iter().flatten() {
            if is_number(property) {
                places.push(NumberArgument {
                    list: Some(name.clone()),
                    name: inner.clone(),
                    schema: property.clone(),
                });
            }
        }
    }
    places
}

fn with(arguments: &Value, place: &NumberArgument, value: &Value) -> Value {
    let mut arguments = arguments.clone();
    match &place.list {
        None => arguments[&place.name] = value.clone(),
        Some(list) => {
            if arguments[list].as_array().is_none_or(Vec::is_empty) {
                arguments[list] = json!([{}]);
            }
            arguments[list][0][&place.name] = value.clone();
        }
    }
    arguments
}

/// Runs the steps of a tool's documentation page up to a call that succeeds. Returns the workspace before
/// that call, and the arguments of the call.
async fn example(dialect: &'static Dialect, tool: &ToolDef) -> (World, Value) {
    let manual = Manual::of_tool(dialect.pages, tool.name).unwrap();
    let beside = toolpost_dialects::EXTRA.iter().any(|beside| beside.name == dialect.name);
    let world = if beside {
        World::beside(&toolpost_dialects::claude::DIALECT, dialect)
    } else {
        World::new(dialect)
    };
    for (at, step) in manual.steps.iter().enumerate() {
        match step {
            Example::File(name, text) => world.put(name, format!("{text}\n").as_bytes()),
            Example::Call(call) => {
                let (name, arguments) = call.split_once(' ').unwrap();
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                let fails = matches!(manual.steps.get(at + 1), Some(Example::Failure(_)));
                if tool.answers_to(name) && !(fails && has_done(&manual, tool)) {
                    return (world, arguments);
                }
                world.call(name, arguments).await;
            }
            Example::Reply(_) | Example::Failure(_) => {}
        }
    }
    panic!("{} {} has no example of a call", dialect.name, tool.name);
}

/// Returns whether a tool has an example that succeeds.
fn has_done(manual: &Manual<'_>, tool: &ToolDef) -> bool {
    manual.steps.windows(2).any(|steps| {
        let [Example::Call(call), Example::Reply(_)] = steps else { return false };
        call.split(' ').next().is_some_and(|name| tool.answers_to(name))
    })
}

fn step(schema: &Value, key: &str, by: f64) -> Option<Value> {
    let bound = schema.get(key)?.as_f64()? + by;
    #[expect(clippy::cast_possible_truncation, reason = "bounds are whole numbers")]
    Some(if bound.fract() == 0.0 { json!(bound as i64) } else { json!(bound) })
}

async fn check(dialect: &'static Dialect, tool: &ToolDef) -> usize {
    let schema = (tool.schema)();
    let mut checked = 0;
    for place in numbers(&schema) {
        let NumberArgument { name, schema, .. } = &place;
        let mut refused = vec![json!("many"), json!([]), json!({ "a": 1 }), json!(true), json!("")];
        refused.extend(schema["type"].as_str().filter(|kind| *kind == "integer").map(|_| json!(1.5)));
        let raises = schema.get("x-raise").is_some();
        // docs/parity-exceptions.json says that this dialect raises numbers below a minimum, with these exceptions.
        let is_end = tool.name == "read_file_range" && name == "end_line";
        let is_free = dialect.name != "zblade" || is_end || name == "cancel_after_ms";
        assert!(
            raises || is_free || schema.get("minimum").is_none(),
            "zblade {}: {name} is refused below its minimum",
            tool.name
        );
        refused.extend(step(schema, "minimum", -1.0).filter(|_| !raises));
        let mut changed = Vec::from_iter(step(schema, "maximum", 1.0).map(|most| (most, "lowered")));
        changed.extend(step(schema, "minimum", -1.0).filter(|_| raises).map(|least| (least, "raised")));
        let (world, arguments) = example(dialect, tool).await;
        each_async(refused, async |value| {
            let outcome = world.call(tool.name, with(&arguments, &place, &value)).await;
            let Outcome::Failed(_, answer) = &outcome else {
                panic!(
                    "{} {}: {name} is {value}, but the call succeeds: {outcome:?}",
                    dialect.name, tool.name
                )
            };
            let words = answer.words();
            assert!(
                words.contains(name.as_str()),
                "{} {}: {name} is {value}: {words}",
                dialect.name,
                tool.name
            );
            checked += 1;
        })
        .await;
        for (value, how) in changed {
            let (world, arguments) = example(dialect, tool).await;
            // If the example has no item in this list, the new item would have only this number, and lack its required
            // properties.
            if place.list.as_ref().is_some_and(|list| arguments.get(list).is_none()) {
                continue;
            }
            let outcome = world.call(tool.name, with(&arguments, &place, &value)).await;
            if !has_done(&Manual::of_tool(dialect.pages, tool.name).unwrap(), tool) {
                continue;
            }
            let Outcome::Done(answer) = &outcome else {
                panic!("{} {}: {name} is {value}: {outcome:?}", dialect.name, tool.name)
            };
            let wanted = format!("{name} was {value} and was {how} to");
            let words = answer.words();
            assert!(words.contains(&wanted), "{} {}: {name} is {value}: {words}", dialect.name, tool.name);
            checked += 1;
        }
    }
    checked
}

#[tokio::test]
async fn out_of_bounds_numbers_are_refused_or_noted() {
    let mut checked = 0;
    for dialect in toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA) {
        for tool in dialect.tools {
            checked += check(dialect, tool).await;
        }
    }
    assert!(checked > 300, "{checked}");
}
