//! Changes to a task list; a refused change leaves the list unchanged.

use super::{Board, CHARACTERS, MOST, Priority, Status, Task};
use crate::failure::{Failure, Hint, Kind};
use std::collections::{HashMap, HashSet};
use toolpost_text::plural::counted;

/// A task in a list that replaces the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The id of the task.
    pub id: String,
    /// The title of the task.
    pub title: String,
    /// The status of the task.
    pub status: Status,
    /// The priority of the task.
    pub priority: Priority,
}

/// A new task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// The id of the task; if `None`, an id is generated.
    pub id: Option<String>,
    /// The title of the task.
    pub title: String,
    /// The description, status, priority and dependencies of the task.
    pub edit: Edit,
}

/// A change to a task; fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// The new title of the task.
    pub title: Option<String>,
    /// The new description of the task, for details that do not fit in the title.
    pub description: Option<String>,
    /// The new status of the task.
    pub status: Option<Status>,
    /// The new priority of the task.
    pub priority: Option<Priority>,
    /// The ids of the tasks that must be completed or cancelled before this task.
    pub blocked_by: Option<Vec<String>>,
}

/// Maximum length of a task's id, in characters.
const ID: usize = 100;
/// Maximum number of tasks that the failure for an unknown task lists.
const NAMED: usize = 20;

impl Board {
    /// Replaces the task list. A task whose id is in the old and the new list keeps its description and its
    /// dependencies on tasks of the new list.
    pub(crate) fn replace(&mut self, items: Vec<Item>) -> Result<(), Failure> {
        let mut ids = HashSet::new();
        for item in &items {
            check_id(&item.id)?;
            if !ids.insert(item.id.as_str()) {
                let what = format!("Two tasks have the id {}; give each task a different id.", item.id);
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

    /// Adds a task to the list, and returns its id.
    pub(crate) fn create(&mut self, fresh: NewTask) -> Result<String, Failure> {
        let mut next = self.clone();
        let id = match fresh.id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()) {
            Some(id) => {
                check_id(&id)?;
                if let Some(task) = self.task(&id) {
                    let what = format!("The task {id} already exists: {}.", task.title);
                    let advice = "Update that task, or create this one without an id: it then gets a new id.";
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
        // The dependencies are checked before the task is added, because a failure lists the existing tasks.
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
            return Err(Failure::invalid(format!("The update of {id} contains no changes.")).hint(
                Hint::Advice("Pass at least one of title, description, status, blockedBy.".to_owned()),
            ));
        }
        let mut next = self.clone();
        let changed = next.put(id, edit)?;
        self.take(next)?;
        Ok(changed)
    }

    /// Completes a task, and returns the ids of the open tasks that waited for this task and now wait for no other open
    /// task.
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

    /// Records the reported result of the session's work; fails if a task is open.
    pub(crate) fn finish(&mut self, completion: super::Completion) -> Result<(), Failure> {
        let open: Vec<&Task> = self.tasks.iter().filter(|task| task.status.is_open()).collect();
        if open.is_empty() {
            self.completion = Some(completion);
            return Ok(());
        }
        let verb = if open.len() == 1 { "is" } else { "are" };
        let (count, all) = (open.len(), counted(self.tasks.len() as u64, "task"));
        let what = format!("The work is not complete: {count} of {all} {verb} open.");
        let advice = "Finish the open tasks; complete the finished ones, and cancel those that are not needed. Then \
                      report again that the work is complete.";
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
            let advice = "List in blockedBy only tasks that can be done first.";
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

    /// Refuses to start or complete a task that waits for open tasks.
    fn may_be(&self, task: &Task) -> Result<(), Failure> {
        let open = self.open_before(task);
        if open.is_empty() || !matches!(task.status, Status::InProgress | Status::Completed) {
            return Ok(());
        }
        let verb = if task.status == Status::Completed { "completed" } else { "started" };
        let what = format!("{} cannot be {verb}: it waits for tasks that are still open.", named(task));
        Err(Failure::new(Kind::Conflict, what).found(listed(open.into_iter())).hint(Hint::Advice(
            "Complete or cancel these tasks first, or remove them from blockedBy.".to_owned(),
        )))
    }

    /// Checks the ids of the tasks that the task `of` would wait for, and removes duplicates. Fails if a task
    /// does not exist or is `of` itself.
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
            return failure.found("No task was created in this session.");
        }
        let more = self.tasks.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("\n… {more} more") } else { String::new() };
        failure.found(format!("The tasks are:\n{}{more}", listed(self.tasks.iter().take(NAMED))))
    }

    fn take(&mut self, next: Self) -> Result<(), Failure> {
        if let Some(task) = next.tasks.iter().find(|task| task.title.is_empty()) {
            return Err(Failure::invalid(format!("{} has no title.", task.id)));
        }
        if next.tasks.len() > MOST {
            let what = format!("The list would have {} tasks; the maximum is {MOST}.", next.tasks.len());
            return Err(Failure::new(Kind::TooLarge, what));
        }
        let size = |task: &Task| task.title.len() + task.description.as_ref().map_or(0, String::len);
        let all: usize = next.tasks.iter().map(size).sum();
        if all > CHARACTERS {
            let what = format!("The tasks would have {all} bytes together; the maximum is {CHARACTERS}.");
            let advice = "Shorten the titles and descriptions, and put long texts in a file.";
            return Err(Failure::new(Kind::TooLarge, what).hint(Hint::Advice(advice.to_owned())));
        }
        *self = next;
        // A change to the tasks invalidates a reported completion.
        self.completion = None;
        Ok(())
    }
}

fn check_id(id: &str) -> Result<(), Failure> {
    let is_fit = |letter: char| !letter.is_control() && !letter.is_whitespace();
    if id.is_empty() || id.chars().count() > ID || !id.chars().all(is_fit) {
        let what = format!("{:?} cannot be the id of a task.", toolpost_text::cut::line(id, ID).0);
        let advice = format!("An id has 1 to {ID} characters without spaces, such as task-1.");
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

impl Board {
    pub(crate) fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Lists the open tasks that a task waits for.
    pub(crate) fn open_before(&self, task: &Task) -> Vec<&Task> {
        let before = task.blocked_by.iter().filter_map(|id| self.task(id));
        before.filter(|task| task.status.is_open()).collect()
    }

    /// Finds a cycle of tasks that wait for one another; returns the ids, with the first id repeated at the end.
    /// `None` if there is no cycle.
    pub(crate) fn ring(&self) -> Option<Vec<String>> {
        let by_id: HashMap<&str, &Task> = self.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        let mut over: HashMap<&str, bool> = HashMap::new();
        for task in &self.tasks {
            let mut way: Vec<(&Task, usize)> = vec![(task, 0)];
            while let Some((here, next)) = way.last_mut() {
                let here = *here;
                if over.get(here.id.as_str()) == Some(&true) {
                    way.pop();
                    continue;
                }
                over.insert(&here.id, false);
                let Some(before) = here.blocked_by.get(*next) else {
                    over.insert(&here.id, true);
                    way.pop();
                    continue;
                };
                *next += 1;
                let Some(before) = by_id.get(before.as_str()) else { continue };
                if let Some(at) = way.iter().position(|(known, _)| known.id == before.id) {
                    let ring = way[at..].iter().map(|(task, _)| task.id.clone());
                    return Some(ring.chain([before.id.clone()]).collect());
                }
                way.push((before, 0));
            }
        }
        None
    }
}
