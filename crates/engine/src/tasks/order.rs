//! Dependencies between tasks: finds open dependencies and cycles.

use super::{Board, Task};
use std::collections::HashMap;

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
