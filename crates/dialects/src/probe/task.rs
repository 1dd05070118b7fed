//! `task`: creates, updates, completes or lists tasks.

use crate::common::tasks;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Hint,
    operations::tasks::{Edit, NewTask, Output, Request, TaskEffect, Tasks},
};
use toolpost_tool::{Lowering, Page, Tool, example};

pub(super) struct Task;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    action: Action,
    /// Needed to update and complete. Default on create: a new id.
    #[schemars(extend("x-aliases" = ["id", "task_id"], "examples" = ["task-1"]))]
    task_id: Option<String>,
    /// Needed to create.
    #[schemars(extend("x-aliases" = ["content", "name"], "examples" = ["Add the route"]))]
    title: Option<String>,
    #[schemars(extend("examples" = ["With a test."]))]
    description: Option<String>,
    /// pending, in_progress, completed or cancelled.
    #[schemars(extend("examples" = ["in_progress"]))]
    status: Option<String>,
    /// Ids of tasks to complete first. Replaces the earlier list.
    #[schemars(extend("x-aliases" = ["dependencies", "blocked_by", "depends_on", "dependsOn"], "examples" = [["task-1"]]))]
    blocked_by: Option<Vec<String>>,
    /// low, medium, high or critical.
    #[schemars(extend("x-unlisted" = true, "examples" = ["high"]))]
    priority: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Create,
    Update,
    Complete,
    List,
}

impl Tool for Task {
    const NAME: &'static str = "task";
    type Op = Tasks;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let edit = Edit {
            title: None,
            description: args.description,
            status: args.status.as_deref().map(tasks::status).transpose()?,
            priority: args.priority.as_deref().map(tasks::priority).transpose()?,
            blocked_by: args.blocked_by,
        };
        Ok(match args.action {
            Action::List => Request::List,
            Action::Create => {
                let title = args.title.ok_or_else(|| missing("title", "create", "Add the route"))?;
                Request::Create(NewTask { id: args.task_id, title, edit })
            }
            Action::Update => {
                let id = args.task_id.ok_or_else(|| missing("taskId", "update", "task-1"))?;
                Request::Update(id.trim().to_owned(), Edit { title: args.title, ..edit })
            }
            Action::Complete => {
                let id = args.task_id.ok_or_else(|| missing("taskId", "complete", "task-1"))?;
                Request::Complete(id.trim().to_owned())
            }
        })
    }

    fn render(output: &Output, page: &mut Page) {
        match &output.done {
            TaskEffect::Created { id } => page.line(&format!("Created {id}.")),
            TaskEffect::Updated { id, changed } if changed.is_empty() => {
                page.line(&format!("{id} is unchanged: it already has these values."));
            }
            TaskEffect::Updated { id, changed } => {
                page.line(&format!("Updated {id}: {}.", changed.join(", ")));
            }
            TaskEffect::Completed { id, free } if free.is_empty() => page.line(&format!("Completed {id}.")),
            TaskEffect::Completed { id, free } => {
                page.line(&format!("Completed {id}; no longer blocked: {}.", free.join(", ")));
            }
            TaskEffect::Listed | TaskEffect::Replaced { .. } => {}
        }
        if output.done != TaskEffect::Listed {
            page.line("");
        }
        tasks::list(output, page);
    }
}

fn missing(name: &str, action: &str, such: &str) -> Failure {
    let call = example(&[("action", action), (name, such)]);
    Failure::invalid(format!("{name} is missing; action {action} needs it."))
        .hint(Hint::Advice(format!("For example {call}.")))
}
