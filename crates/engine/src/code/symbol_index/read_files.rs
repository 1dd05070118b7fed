//! The number of files that an answer covers, so that it claims nothing about the others.

use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::plural::counted;

/// Numbers of the files that were read for an answer, and of the others.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema, PartialEq, Eq)]
pub struct ReadFiles {
    /// Number of files that were read.
    pub read: usize,
    /// Number of files that are not read yet; a later answer covers them.
    pub later: usize,
    /// Number of files that are not read, for example because they are too large or withheld.
    pub left_out: usize,
}

impl ReadFiles {
    /// Describes the files to which an answer is limited, such as `in the 3 files read so far`; `None` if all files were
    /// read.
    #[must_use]
    pub fn limit(self) -> Option<String> {
        let read = counted(self.read as u64, "file");
        match (self.later, self.left_out) {
            (0, 0) => None,
            (0, _) => {
                Some(format!("in the {read} that {} read", if self.read == 1 { "was" } else { "were" }))
            }
            _ => Some(format!("in the {read} read so far")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReadFiles;
    use toolpost_test_rows::each;

    #[test]
    fn answers_are_limited_unless_all_files_were_read() {
        let rows = [
            ((3, 0, 0), None),
            ((1, 0, 2), Some("in the 1 file that was read")),
            ((3, 0, 2), Some("in the 3 files that were read")),
            ((0, 4, 0), Some("in the 0 files read so far")),
            ((1, 4, 2), Some("in the 1 file read so far")),
        ];
        each(rows, |((read, later, left_out), wanted)| {
            assert_eq!(ReadFiles { read, later, left_out }.limit().as_deref(), wanted);
        });
    }
}
