//! MCP annotations of tools that write are true: an additive tool never replaces anything, and a repeated
//! call of an idempotent tool changes nothing.

use crate::common;

use common::World;
use serde_json::Value;
use toolpost_engine::{Access, Effect};
use toolpost_runtime::Outcome;
use toolpost_tool::{Dialect, Example, Manual, ToolDef};

/// Runs the examples of a page up to each successful call of a tool. Returns the workspace after the call and
/// the arguments of the call.
async fn done(dialect: &'static Dialect, tool: &ToolDef) -> Vec<(World, Value)> {
    let manual = Manual::of_tool(dialect.pages, tool.name).unwrap();
    let calls = |steps: &[Example<'_>]| steps.iter().filter(|step| matches!(step, Example::Call(_))).count();
    let mut found = Vec::new();
    for last in 1..=calls(&manual.steps) {
        let world = World::new(dialect);
        let (mut number, mut outcome) = (0, None);
        for step in &manual.steps {
            match step {
                Example::File(name, text) => world.put(name, format!("{text}\n").as_bytes()),
                Example::Call(call) if number < last => {
                    let (name, arguments) = call.split_once(' ').unwrap();
                    let arguments: Value = serde_json::from_str(arguments).unwrap();
                    let done = world.allowed(name, arguments.clone()).await;
                    outcome = Some((tool.answers_to(name), done, arguments));
                    number += 1;
                }
                _ => {}
            }
            if number == last {
                break;
            }
        }
        if let Some((true, Outcome::Done(_), arguments)) = outcome {
            found.push((world, arguments));
        }
    }
    found
}

#[tokio::test]
async fn mcp_annotations_of_write_tools_are_true() {
    let mut checked = 0;
    for dialect in toolpost_dialects::ALL {
        let writers = dialect.tools.iter().filter(|tool| tool.access.contains(&Access::Writes));
        for tool in writers.filter(|tool| tool.effect != Effect::Changes) {
            let calls = done(dialect, tool).await;
            assert!(!calls.is_empty(), "{} {}: no example succeeds", dialect.name, tool.name);
            for (world, arguments) in calls {
                let first = world.files();
                world.allowed(tool.name, arguments.clone()).await;
                assert_eq!(world.files(), first, "{} {} {arguments} again", dialect.name, tool.name);
                if tool.effect == Effect::Adds {
                    // An additive tool does not replace other content at the same paths.
                    let other: Vec<String> = first.keys().cloned().collect();
                    other.iter().for_each(|name| world.put(name, b"of somebody else"));
                    world.allowed(tool.name, arguments.clone()).await;
                    let files = world.files();
                    let kept = other.iter().all(|name| files[name] == b"of somebody else");
                    assert!(kept, "{} {} {arguments} replaces", dialect.name, tool.name);
                }
                checked += 1;
            }
        }
    }
    assert!(checked >= 10, "{checked}");
}
