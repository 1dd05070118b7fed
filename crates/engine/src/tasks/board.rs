//! Operations on a task list; a refused one leaves the list unchanged.

use super::{Board, CHARACTERS, MOST, Priority, Status, Task};
use crate::failure::{Failure, Hint, Kind};
use std::collections::HashSet;
use toolpost_text::counted::counted;

/// A task in a list that replaces the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// The title.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Its priority.
    pub priority: Priority,
}

/// A new task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its id; by default, one is generated.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
    /// Its other fields.
    pub edit: Edit,
}

/// A change of a task; fields without a value stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// The title.
    pub title: Option<String>,
    /// Details that do not fit in the title.
    pub description: Option<String>,
    /// The status.
    pub status: Option<Status>,
    /// The priority.
    pub priority: Option<Priority>,
    /// The ids of the tasks that must be completed before it.
    pub blocked_by: Option<Vec<String>>,
}

/// Maximum length of an id, in characters.
const ID: usize = 100;
/// Maximum number of tasks that a refusal lists.
const NAMED: usize = 20;

impl Board {
    /// Replaces the list. Fields that only other tools set stay with their tasks.
    pub(crate) fn replace(&mut self, items: Vec<Item>) -> Result<(), Failure> {
        let mut ids = HashSet::new();
        for item in &items {
            check_id(&item.id)?;
            if !ids.insert(item.id.as_str()) {
                let what = format!("Two tasks have the id {}; each needs one of its own.", item.id);
                return Err(Failure::invalid(what));
            }
        }
        let next = items.iter().map(|item| {
            let before = self.task(&item.id);
            let waits = before.into_iter().flat_map(|task| &task.blocked_by);
            Task {
                id: item.id.clone(),
                title: item.title.trim().to_owned(),
                description: before.and_then(|task| task.description.clone()),
                status: item.status,
                priority: Some(item.priority),
                blocked_by: waits.filter(|id| ids.contains(id.as_str())).cloned().collect(),
            }
        });
        let next = Self { tasks: next.collect(), ..self.clone() };
        for task in &next.tasks {
            let before = self.task(&task.id).map(|task| task.status);
            if before != Some(task.status) {
                next.may_be(task)?;
            }
        }
        self.take(next)
    }

    /// Adds a task, and returns its id.
    pub(crate) fn create(&mut self, fresh: NewTask) -> Result<String, Failure> {
        let mut next = self.clone();
        let id = match fresh.id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()) {
            Some(id) => {
                check_id(&id)?;
                if let Some(task) = self.task(&id) {
                    let what = format!("There is a task {id} already: {}.", task.title);
                    let advice = "Update that one, or leave the id out, so that one is made.";
                    return Err(Failure::new(Kind::Conflict, what).hint(Hint::Advice(advice.to_owned())));
                }
                id
            }
            None => loop {
                next.made += 1;
                let id = format!("task-{}", next.made);
                if next.task(&id).is_none() {
                    break id;
                }
            },
        };
        // A refusal lists the existing tasks, and this one does not exist yet.
        if let Some(ids) = &fresh.edit.blocked_by {
            self.known(&id, ids.clone())?;
        }
        next.tasks.push(Task {
            id: id.clone(),
            title: fresh.title.trim().to_owned(),
            description: None,
            status: Status::Pending,
            priority: None,
            blocked_by: Vec::new(),
        });
        next.put(&id, fresh.edit)?;
        self.take(next)?;
        Ok(id)
    }

    /// Changes a task, and returns the names of the changed fields.
    pub(crate) fn update(&mut self, id: &str, edit: Edit) -> Result<Vec<&'static str>, Failure> {
        if edit == Edit::default() {
            return Err(Failure::invalid(format!("Nothing is said that is to become of {id}.")).hint(
                Hint::Advice("Give at least one of title, description, status, blockedBy.".to_owned()),
            ));
        }
        let mut next = self.clone();
        let changed = next.put(id, edit)?;
        self.take(next)?;
        Ok(changed)
    }

    /// Completes a task, and returns the tasks that no longer wait for anything.
    pub(crate) fn complete(&mut self, id: &str) -> Result<Vec<String>, Failure> {
        let mut next = self.clone();
        let changed = next.put(id, Edit { status: Some(Status::Completed), ..Edit::default() })?;
        let was_open = !changed.is_empty();
        let waits =
            |task: &&Task| was_open && task.status.is_open() && task.blocked_by.iter().any(|own| own == id);
        let free = next.tasks.iter().filter(waits).filter(|task| next.open_before(task).is_empty());
        let free = free.map(|task| task.id.clone()).collect();
        self.take(next)?;
        Ok(free)
    }

    /// Records that the work is complete; fails if a task is open.
    pub(crate) fn finish(&mut self, completion: super::Completion) -> Result<(), Failure> {
        let open: Vec<&Task> = self.tasks.iter().filter(|task| task.status.is_open()).collect();
        if open.is_empty() {
            self.completion = Some(completion);
            return Ok(());
        }
        let verb = if open.len() == 1 { "is" } else { "are" };
        let (count, all) = (open.len(), counted(self.tasks.len() as u64, "task"));
        let what = format!("The work is not complete: {count} of {all} {verb} open.");
        let advice = "Do what is left; complete what is done, and cancel what is not needed any more. Then say again that \
                      the work is complete.";
        Err(Failure::new(Kind::Conflict, what)
            .found(listed(open.into_iter()))
            .hint(Hint::Advice(advice.to_owned())))
    }

    fn put(&mut self, id: &str, edit: Edit) -> Result<Vec<&'static str>, Failure> {
        let Some(at) = self.tasks.iter().position(|task| task.id == id) else { return Err(self.unknown(id)) };
        let before = self.tasks[at].clone();
        let blocked_by = edit.blocked_by.map(|ids| self.known(id, ids)).transpose()?;
        let task = &mut self.tasks[at];
        if let Some(title) = edit.title {
            title.trim().clone_into(&mut task.title);
        }
        if let Some(description) = edit.description {
            task.description = Some(description).filter(|text| !text.trim().is_empty());
        }
        task.status = edit.status.unwrap_or(task.status);
        task.priority = edit.priority.or(task.priority);
        task.blocked_by = blocked_by.unwrap_or_else(|| before.blocked_by.clone());
        let task = task.clone();
        if let Some(ring) = self.ring() {
            let what = format!("These tasks would wait for one another: {}.", ring.join(" → "));
            let advice = "Name only tasks that can be done first.";
            return Err(Failure::new(Kind::Conflict, what).hint(Hint::Advice(advice.to_owned())));
        }
        if (task.status, &task.blocked_by) != (before.status, &before.blocked_by) {
            self.may_be(&task)?;
        }
        let same = [
            ("title", before.title == task.title),
            ("description", before.description == task.description),
            ("status", before.status == task.status),
            ("priority", before.priority == task.priority),
            ("blockedBy", before.blocked_by == task.blocked_by),
        ];
        Ok(same.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect())
    }

    /// Refuses to start or complete a task while it waits for an open one.
    fn may_be(&self, task: &Task) -> Result<(), Failure> {
        let open = self.open_before(task);
        if open.is_empty() || !matches!(task.status, Status::InProgress | Status::Completed) {
            return Ok(());
        }
        let verb = if task.status == Status::Completed { "completed" } else { "begun" };
        let what = format!("{} cannot be {verb}: it waits for what is still open.", named(task));
        Err(Failure::new(Kind::Conflict, what).found(listed(open.into_iter())).hint(Hint::Advice(
            "Complete or cancel these first, or say that it does not wait for them.".to_owned(),
        )))
    }

    /// Checks the ids that a task waits for, and removes duplicates.
    fn known(&self, of: &str, ids: Vec<String>) -> Result<Vec<String>, Failure> {
        let mut known: Vec<String> = Vec::new();
        for id in ids {
            let id = id.trim().to_owned();
            if id == of {
                return Err(Failure::new(Kind::Conflict, format!("{of} cannot wait for itself.")));
            }
            if self.task(&id).is_none() {
                return Err(self.unknown(&id));
            }
            if !known.contains(&id) {
                known.push(id);
            }
        }
        Ok(known)
    }

    fn unknown(&self, id: &str) -> Failure {
        let failure = Failure::new(Kind::NotFound, format!("There is no task {id:?}."));
        if self.tasks.is_empty() {
            return failure.found("No task was made in this session.");
        }
        let more = self.tasks.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("\n… {more} more") } else { String::new() };
        failure.found(format!("There are:\n{}{more}", listed(self.tasks.iter().take(NAMED))))
    }

    fn take(&mut self, next: Self) -> Result<(), Failure> {
        if let Some(task) = next.tasks.iter().find(|task| task.title.is_empty()) {
            return Err(Failure::invalid(format!("{} does not say what is to be done.", task.id)));
        }
        if next.tasks.len() > MOST {
            let what = format!("{} tasks are too many; a list has at most {MOST}.", next.tasks.len());
            return Err(Failure::new(Kind::TooLarge, what));
        }
        let size = |task: &Task| task.title.len() + task.description.as_ref().map_or(0, String::len);
        let all: usize = next.tasks.iter().map(size).sum();
        if all > CHARACTERS {
            let what = format!("The tasks would have {all} bytes; they may have {CHARACTERS} together.");
            let advice = "Say it shorter, and keep what is long in a file.";
            return Err(Failure::new(Kind::TooLarge, what).hint(Hint::Advice(advice.to_owned())));
        }
        *self = next;
        // A reported completion is void once the tasks change.
        self.completion = None;
        Ok(())
    }
}

fn check_id(id: &str) -> Result<(), Failure> {
    let is_fit = |letter: char| !letter.is_control() && !letter.is_whitespace();
    if id.is_empty() || id.len() > ID || !id.chars().all(is_fit) {
        let what = format!("{:?} cannot be the id of a task.", toolpost_text::cut::line(id, ID).0);
        let advice = format!("An id has 1 to {ID} characters without blanks, such as task-1.");
        return Err(Failure::invalid(what).hint(Hint::Advice(advice)));
    }
    Ok(())
}

fn named(task: &Task) -> String {
    format!("{} ({})", task.id, task.title)
}

fn listed<'a>(tasks: impl Iterator<Item = &'a Task>) -> String {
    let line = |task: &Task| format!("  {} {} ({})", task.id, task.title, task.status.name());
    tasks.map(line).collect::<Vec<_>>().join("\n")
}
