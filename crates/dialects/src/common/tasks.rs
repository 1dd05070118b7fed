//! Task lists, for every dialect that has them.

use toolpost_engine::{
    Failure, Hint,
    operations::tasks::{Output, Priority, Status, Tally, TaskEntry},
};
use toolpost_tool::Page;

/// Parses the status of a task.
pub(crate) fn status(said: &str) -> Result<Status, Failure> {
    let names = Status::ALL.map(Status::name);
    Status::read(said).ok_or_else(|| unknown("status", said, &names))
}

/// Parses the priority of a task.
pub(crate) fn priority(said: &str) -> Result<Priority, Failure> {
    let names = Priority::ALL.map(Priority::name);
    Priority::read(said).ok_or_else(|| unknown("priority", said, &names))
}

fn unknown(what: &str, said: &str, names: &[&str]) -> Failure {
    Failure::invalid(format!("Invalid {what}: {said:?}."))
        .hint(Hint::Advice(format!("Use one of: {}.", names.join(", "))))
}

/// Writes the number of completed tasks, then the tasks.
pub(crate) fn list(output: &Output, page: &mut Page) {
    page.line(&counted(output.tally));
    output.tasks.iter().for_each(|listed| page.line(&line(listed)));
}

/// Formats the number of completed tasks.
pub(crate) fn counted(tally: Tally) -> String {
    if tally.all() == 0 {
        return "No tasks.".to_owned();
    }
    let others =
        [(tally.in_progress, "in progress"), (tally.pending, "pending"), (tally.cancelled, "cancelled")];
    let others = others.iter().filter(|(count, _)| *count > 0);
    let others: String = others.map(|(count, name)| format!(", {count} {name}")).collect();
    format!("Tasks: {} of {} completed{others}", tally.completed, tally.all())
}

fn line(listed: &TaskEntry) -> String {
    let task = &listed.task;
    let sign = match task.status {
        Status::Pending => ' ',
        Status::InProgress => '>',
        Status::Completed => 'x',
        Status::Cancelled => '-',
    };
    let priority = task.priority.map_or(String::new(), |priority| format!(" [{}]", priority.name()));
    let waits = match listed.waits_for.as_slice() {
        [] => String::new(),
        open => format!(", blocked by {}", open.join(", ")),
    };
    let description =
        task.description.as_deref().map_or(String::new(), |text| format!("\n      {}", indented(text)));
    let (id, title) = (indented(&task.id), indented(&task.title));
    format!("[{sign}] {id}: {title}{priority}{waits}{description}")
}

/// Indents all lines after the first, so that none looks like another task.
fn indented(text: &str) -> String {
    let lines: Vec<&str> =
        text.trim_end().split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']).collect();
    lines.join("\n      ")
}
