//! What an earlier process left half done, put right when a workspace is opened.

use crate::workspace::Workspace;

/// What was found and done when a workspace was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Files, as shown, that were brought back to what they held before an unfinished commit.
    pub undone: Vec<String>,
    /// Files, as shown, whose commit was complete; only its leftovers were removed.
    pub finished: Vec<String>,
    /// Files, as shown, that were left as they are because somebody changed them since, each with what is known.
    pub left: Vec<String>,
    /// How many leftover temporary files were removed.
    pub swept: usize,
}

impl Recovery {
    /// Says in lines for a person what was done; empty if there was nothing to do.
    pub fn lines(&self) -> Vec<String> {
        let undone = self.undone.iter().map(|file| format!("{file}: an unfinished change was undone"));
        let finished =
            self.finished.iter().map(|file| format!("{file}: a finished change was cleaned up after"));
        let left = self.left.iter().map(|file| format!("{file}: left as it is"));
        let mut lines: Vec<String> = undone.chain(finished).chain(left).collect();
        if self.swept > 0 {
            lines.push(format!("{} temporary files of a killed process were removed", self.swept));
        }
        lines
    }

    pub(crate) fn run(_workspace: &Workspace) -> Self {
        Self::default()
    }
}
