//! Reasons why an edit's old text cannot be replaced, with hints.

use serde::Serialize;

use super::Step;

/// A reason why an edit cannot replace its old text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub enum Miss {
    /// Old and new text are the same.
    #[error("old and new text are the same, so nothing would change; send the intended new text")]
    Same,
    /// The old text is empty, but the file is not.
    #[error(
        "the old text is empty, but the file is not; pass the text to replace, or overwrite the whole file"
    )]
    EmptyOld,
    /// The old text occurs more than once, and the edit does not determine which occurrence it means.
    #[error("{}", self.say())]
    Ambiguous {
        /// Number of matches in the file.
        count: usize,
        /// The step of the search that found the matches.
        step: Step,
        /// The first few matches.
        places: Vec<MatchLocation>,
    },
    /// The old text is not in the file, or only at indentations to which the new text cannot be adapted.
    #[error("{}", self.say())]
    Absent {
        /// The lines of the file that are most similar to the old text.
        closest: Option<ClosestLines>,
        /// Number of the line at which the file already contains the new text, if it does so exactly once.
        already_there: Option<usize>,
    },
    /// The matches, with the new text for each, would need more than 256 MiB.
    #[error(
        "the old text occurs {count} times, and one edit cannot hold so many matches with their new text; replace fewer at a time"
    )]
    TooMuch {
        /// Number of matches in the file.
        count: usize,
    },
    /// The caller stopped the search.
    #[error("the search was stopped")]
    Stopped,
}

/// The location of one of several matches of the old text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatchLocation {
    /// The first line of the match, counted from 1.
    pub line: usize,
    /// The text of that line, shortened if it is long.
    pub text: String,
}

/// The lines of a file that are most similar to the old text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosestLines {
    /// The first line, counted from 1.
    pub first_line: usize,
    /// The last line, counted from 1.
    pub last_line: usize,
    /// The lines, with tabs as `→` and spaces in front and at the end as `·`; or the similar part of one line, raw.
    pub shown: String,
    /// The lines that differ, word by word: `[-only in the old text-]` and `{+only in the file+}`.
    pub diff: String,
    /// The kind of difference between the old text and these lines.
    pub differs: LineDifference,
}

/// The kind of difference between an old text and the lines of a file that are most similar to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineDifference {
    /// Only white space differs.
    Whitespace,
    /// Only letter case differs.
    Case,
    /// Only letter case and white space differ.
    CaseAndWhitespace,
    /// Other characters differ.
    Text,
}

impl LineDifference {
    /// Names the difference for a reply, such as "only whitespace differs".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Whitespace => "only whitespace differs",
            Self::Case => "only letter case differs",
            Self::CaseAndWhitespace => "only letter case and whitespace differ",
            Self::Text => "it differs",
        }
    }
}

impl Miss {
    fn say(&self) -> String {
        match self {
            Self::Ambiguous { count, places, step } => ambiguous(*count, places, *step),
            Self::Absent { closest, already_there } => absent(closest.as_ref(), *already_there),
            Self::Same | Self::EmptyOld | Self::TooMuch { .. } | Self::Stopped => String::new(),
        }
    }
}

fn ambiguous(count: usize, places: &[MatchLocation], step: Step) -> String {
    let next = match step {
        Step::Exact | Step::Folded => ", or replace all of them",
        Step::Reindented | Step::Unescaped | Step::Spaced => " and copy it exactly from the file",
    };
    let mut out =
        format!("the old text occurs {count} times; add lines around it until only one matches{next}");
    for place in places {
        out.push_str(&format!("\n  line {}: {}", place.line, place.text));
    }
    if places.len() < count {
        out.push_str(&format!("\n  and {} more", count - places.len()));
    }
    out
}

fn absent(closest: Option<&ClosestLines>, already_there: Option<usize>) -> String {
    let mut out = "the old text is not in the file".to_owned();
    if let Some(line) = already_there {
        out.push_str(&format!(
            ", but the new text already is, at line {line}; the change may have been made already"
        ));
    }
    let Some(closest) = closest else {
        if already_there.is_none() {
            out.push_str(", nor is anything similar; read the file again and copy the text from it");
        }
        return out;
    };
    let ClosestLines { first_line, last_line, shown, diff, differs } = closest;
    let how = match differs {
        LineDifference::Text => String::new(),
        only => format!(" ({})", only.words()),
    };
    out.push_str(&format!(
        "\nClosest match: lines {first_line}-{last_line}{how}, tabs as \u{2192}, spaces as \u{B7}:\n{shown}"
    ));
    if !diff.is_empty() {
        out.push_str(&format!("\nDifferences, [-old text-] and {{+file+}}:\n{diff}"));
    }
    out
}
