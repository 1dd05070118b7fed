//! `todowrite`: the list of what is to be done takes the place of the one before.

use crate::common::tasks;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::tasks::{Done, Item, Output, Request, Tasks},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct TodoWrite;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// All tasks, as they are now; those that are not among them are gone.
    #[schemars(extend("x-aliases" = ["tasks", "items"], "examples" = [[{ "id": "api-1", "content": "Add the route", "status": "pending", "priority": "high" }]]))]
    todos: Vec<Todo>,
}

#[derive(Deserialize, JsonSchema)]
struct Todo {
    /// By what the task is known from list to list.
    #[schemars(extend("examples" = ["api-1"]))]
    id: String,
    /// What is to be done.
    #[schemars(extend("x-aliases" = ["title", "text", "task"], "examples" = ["Add the route"]))]
    content: String,
    /// How far it is: pending, in_progress, completed or cancelled.
    #[schemars(extend("x-aliases" = ["state"], "examples" = ["pending"]))]
    status: String,
    /// How much it matters: low, medium, high or critical.
    #[schemars(extend("examples" = ["high"]))]
    priority: String,
}

impl Tool for TodoWrite {
    const NAME: &'static str = "todowrite";
    const ALIASES: &'static [&'static str] = &["todo_write", "TodoWrite"];
    type Op = Tasks;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let item = |todo: Todo| {
            Ok(Item {
                status: tasks::status(&todo.status)?,
                priority: tasks::priority(&todo.priority)?,
                id: todo.id.trim().to_owned(),
                title: todo.content,
            })
        };
        args.todos.into_iter().map(item).collect::<Result<_, _>>().map(Request::Replace)
    }

    fn render(output: &Output, page: &mut Page) {
        if let Done::Replaced { added, removed, changed } = &output.done {
            let some =
                |what: &str, all: &[String]| (!all.is_empty()).then(|| format!("{what} {}", all.join("; ")));
            let said = [some("added:", added), some("gone:", removed), some("changed:", changed)];
            let said: Vec<String> = said.into_iter().flatten().collect();
            let said = if said.is_empty() { "nothing changed".to_owned() } else { said.join(". ") };
            page.line(&format!("The list was replaced; {said}."));
            page.line("");
        }
        tasks::list(output, page);
    }
}
