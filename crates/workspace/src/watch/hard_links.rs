//! Changes to files with several hard links, which inotify does not report completely.
//!
//! The metadata of these files is compared at each query, because a write through one name causes no event
//! for the other names.

use std::collections::HashMap;

use rustix::fs::lstat;

use super::changes::{Changes, without_inner};
use crate::path::WorkspacePath;
use crate::walk::{FileStat, file_stat};

/// Metadata of files with several hard links, as last seen.
#[derive(Debug, Default)]
pub(super) struct HardLinks(HashMap<WorkspacePath, FileStat>);

impl HardLinks {
    /// Records the metadata of a file, if it has several hard links.
    pub(super) fn seen(&mut self, path: &WorkspacePath, stat: FileStat) {
        if stat.links > 1 {
            self.0.insert(path.clone(), stat);
        } else if !self.0.is_empty() {
            self.0.remove(path);
        }
    }

    /// Adds to `changed` the files whose current metadata differs from the recorded metadata.
    pub(super) fn add_to(&mut self, changed: Changes) -> Changes {
        let mut paths = Vec::new();
        self.0.retain(|path, was| {
            // The metadata is only compared, so it does no harm if the path now leads out of the root.
            let now = lstat(path.raw()).ok().map(|stat| file_stat(&stat));
            if now != Some(*was) {
                paths.push(path.clone());
            }
            now.inspect(|now| *was = *now).is_some()
        });
        match changed {
            Changes::Unknown(_) => changed,
            Changes::Nothing if paths.is_empty() => changed,
            Changes::Nothing => Changes::Paths(without_inner(paths.into_iter().collect())),
            Changes::Paths(told) => Changes::Paths(without_inner(told.into_iter().chain(paths).collect())),
        }
    }
}
