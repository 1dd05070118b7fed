//! Files with several names, compared at each question: a write through another name is told of that name only.

use std::collections::HashMap;

use rustix::fs::lstat;

use super::changes::{Changed, without_inner};
use crate::path::WorkspacePath;
use crate::walk::{FileStat, file_stat};

/// What files with several names were when they were last looked at.
#[derive(Debug, Default)]
pub(super) struct Linked(HashMap<WorkspacePath, FileStat>);

impl Linked {
    /// Takes note of what a file was.
    pub(super) fn seen(&mut self, path: &WorkspacePath, stat: FileStat) {
        if stat.links > 1 {
            self.0.insert(path.clone(), stat);
        } else if !self.0.is_empty() {
            self.0.remove(path);
        }
    }

    /// Adds those that are no longer what they were.
    pub(super) fn add_to(&mut self, changed: Changed) -> Changed {
        let mut paths = Vec::new();
        self.0.retain(|path, was| {
            // Compared and never shown, so a path that leads elsewhere by now does no harm.
            let now = lstat(path.raw()).ok().map(|stat| file_stat(&stat));
            if now != Some(*was) {
                paths.push(path.clone());
            }
            now.inspect(|now| *was = *now).is_some()
        });
        match changed {
            Changed::Unknown(_) => changed,
            Changed::Nothing if paths.is_empty() => changed,
            Changed::Nothing => Changed::Paths(without_inner(paths.into_iter().collect())),
            Changed::Paths(told) => Changed::Paths(without_inner(told.into_iter().chain(paths).collect())),
        }
    }
}
