//! Why a text was not found, and what helps.

use serde::Serialize;

use super::Step;

/// Why there is nothing to replace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub enum Miss {
    /// Old and new text are the same.
    #[error("old and new text are the same, so nothing would change; send the text that you want instead")]
    Same,
    /// The old text is empty, but the file is not.
    #[error(
        "the old text is empty, but the file is not; name the text to replace, or overwrite the whole file"
    )]
    EmptyOld,
    /// The old text stands in more than one place.
    #[error("{}", self.say())]
    Ambiguous {
        /// In how many.
        count: usize,
        /// At which step.
        step: Step,
        /// The first few of them.
        places: Vec<Place>,
    },
    /// The old text does not stand in the file.
    #[error("{}", self.say())]
    Absent {
        /// What comes closest.
        closest: Option<Closest>,
        /// The only line at which the new text stands already.
        already_there: Option<usize>,
    },
}

/// A hit among several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its first line, counted from 1.
    pub line: usize,
    /// That line, cut if it is long.
    pub text: String,
}

/// The lines that are the most like the old text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Closest {
    /// The first line, counted from 1.
    pub first_line: usize,
    /// The last line.
    pub last_line: usize,
    /// The lines, with tabs as `→` and spaces in front and at the end as `·`.
    pub shown: String,
    /// The lines that differ, word by word: `[-only in the old text-]` and `{+only in the file+}`.
    pub diff: String,
    /// Old text and lines differ in white space only.
    pub whitespace_only: bool,
}

impl Miss {
    fn say(&self) -> String {
        String::new()
    }
}
