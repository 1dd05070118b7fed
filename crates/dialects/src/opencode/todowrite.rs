//! `todowrite`: replaces the task list.

use crate::common::tasks;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashSet;
use toolpost_engine::{
    Failure,
    operations::tasks::{Item, Output, Request, TaskEffect, Tasks},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct TodoWrite;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// All tasks; missing ones are removed.
    #[schemars(extend("x-aliases" = ["tasks", "items"], "examples" = [[{ "id": "api-1", "content": "Add the route", "status": "pending", "priority": "high" }]]))]
    todos: Vec<Todo>,
}

#[derive(Deserialize, JsonSchema)]
struct Todo {
    /// Stable id. Reuse it when you update the task.
    #[schemars(extend("x-required" = true, "examples" = ["api-1"]))]
    id: Option<String>,
    #[schemars(extend("x-aliases" = ["title", "text", "task"], "examples" = ["Add the route"]))]
    content: String,
    #[schemars(extend(
        "x-aliases" = ["state"],
        "x-enum" = ["pending", "in_progress", "completed", "cancelled"],
        "examples" = ["pending"]
    ))]
    status: String,
    #[schemars(extend("x-enum" = ["low", "medium", "high", "critical"], "examples" = ["high"]))]
    priority: String,
}

impl Tool for TodoWrite {
    const NAME: &'static str = "todowrite";
    const ALIASES: &'static [&'static str] = &["todo_write", "TodoWrite"];
    type Op = Tasks;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let ids = ids(&args.todos);
        let item = |(todo, id): (Todo, String)| {
            let (status, priority) = (tasks::status(&todo.status)?, tasks::priority(&todo.priority)?);
            let folded =
                [("status", &todo.status, status.name()), ("priority", &todo.priority, priority.name())];
            for (name, said, taken) in folded {
                if !said.trim().eq_ignore_ascii_case(taken) {
                    at.note(format!("{name} {said:?} of {id} was read as {taken}"));
                }
            }
            Ok(Item { status, priority, id, title: todo.content })
        };
        args.todos.into_iter().zip(ids).map(item).collect::<Result<_, _>>().map(Request::Replace)
    }

    fn render(output: &Output, page: &mut Page) {
        if let TaskEffect::Replaced { added, removed, changed } = &output.done {
            let some =
                |what: &str, all: &[String]| (!all.is_empty()).then(|| format!("{what} {}", all.join("; ")));
            let said = [some("added:", added), some("removed:", removed), some("changed:", changed)];
            let said: Vec<String> = said.into_iter().flatten().collect();
            let said = if said.is_empty() { "nothing changed".to_owned() } else { said.join(". ") };
            page.line(&format!("Task list replaced; {said}."));
            page.line("");
        }
        tasks::list(output, page);
    }
}

/// Returns the ids of the tasks. A task without an id gets the first unused number.
fn ids(todos: &[Todo]) -> Vec<String> {
    let given =
        |todo: &Todo| todo.id.as_deref().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned);
    let taken: HashSet<String> = todos.iter().filter_map(given).collect();
    let mut free = (1..).map(|number: usize| number.to_string()).filter(|id| !taken.contains(id));
    todos.iter().map(|todo| given(todo).or_else(|| free.next()).unwrap_or_default()).collect()
}
