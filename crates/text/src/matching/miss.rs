//! Reasons for which a text was not found, with hints.

use serde::Serialize;

use super::Step;

/// A reason for which there is nothing to replace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub enum Miss {
    /// Old and new text are the same.
    #[error("old and new text are the same, so nothing would change; send the text that you want instead")]
    Same,
    /// The old text is empty, but the file is not.
    #[error(
        "the old text is empty, but the file is not; pass the text to replace, or overwrite the whole file"
    )]
    EmptyOld,
    /// The old text occurs more than once.
    #[error("{}", self.say())]
    Ambiguous {
        /// In how many.
        count: usize,
        /// At which step.
        step: Step,
        /// The first few of them.
        places: Vec<Place>,
    },
    /// The old text is not in the file.
    #[error("{}", self.say())]
    Absent {
        /// The most similar lines.
        closest: Option<Closest>,
        /// The only line at which the new text already is.
        already_there: Option<usize>,
    },
    /// The new text at all the places would not fit in memory.
    #[error(
        "the old text occurs {count} times, and replacing all would make the file too large; replace fewer at a time"
    )]
    TooMuch {
        /// In how many.
        count: usize,
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
        match self {
            Self::Ambiguous { count, places, step } => ambiguous(*count, places, *step),
            Self::Absent { closest, already_there } => absent(closest.as_ref(), *already_there),
            Self::Same | Self::EmptyOld | Self::TooMuch { .. } => String::new(),
        }
    }
}

fn ambiguous(count: usize, places: &[Place], step: Step) -> String {
    let next = match step {
        Step::Exact | Step::Folded => ", or replace all of them",
        Step::Reindented | Step::Unescaped | Step::Spaced => " and copy it as it stands in the file",
    };
    let mut out = format!(
        "the old text stands in {count} places, but one is meant; add lines around it until only one fits{next}"
    );
    for place in places {
        out.push_str(&format!("\n  line {}: {}", place.line, place.text));
    }
    if places.len() < count {
        out.push_str(&format!("\n  and {} more", count - places.len()));
    }
    out
}

fn absent(closest: Option<&Closest>, already_there: Option<usize>) -> String {
    let mut out = "the old text does not stand in the file".to_owned();
    if let Some(line) = already_there {
        out.push_str(&format!(", but the new text does, at line {line}; was the change made before?"));
    }
    let Some(closest) = closest else {
        if already_there.is_none() {
            out.push_str(", and nothing like it; read the file again and copy the text from there");
        }
        return out;
    };
    let Closest { first_line, last_line, shown, diff, whitespace_only } = closest;
    let how = if *whitespace_only { " (only whitespace differs)" } else { "" };
    out.push_str(&format!(
        "\nClosest match: lines {first_line}-{last_line}{how}, tabs as \u{2192}, spaces as \u{B7}:\n{shown}"
    ));
    if !diff.is_empty() {
        out.push_str(&format!("\nDifferences, [-old text-] and {{+file+}}:\n{diff}"));
    }
    out
}
