//! Applies the hunks of a patch to a file.

use super::draft::Draft;
use crate::{
    call::CallCtx,
    edits::{AmbiguityTreatment, Edits},
    failure::{ChangeProblem, Failure, Hint, Kind, convert},
    files::lookup,
    seen_content::SeenRange,
};
use toolpost_text::plural::counted;
use toolpost_text::{
    encoding::Text,
    matching::{MatchLocation, Miss},
    patch::{self, Hunk, HunkError, HunkProblem as Unfit},
};

/// Maximum number of unmatched lines that a refusal repeats.
const REPEATED: usize = 60;

/// Computes the content of the file with the hunks applied.
pub(super) fn apply(edits: &Edits, cx: &CallCtx, draft: &mut Draft, hunks: &[Hunk]) -> Result<(), Failure> {
    let files = edits.files();
    let unreadable = |failure: Failure| failure.trouble(ChangeProblem::Unreadable, &draft.path);
    let Some(text) = draft.text(files).map_err(unreadable)? else {
        return Err(unreadable(lookup::missing(files, &draft.path, &draft.path.absolute())));
    };
    let applied = match edits.several() {
        AmbiguityTreatment::Refused => patch::apply(text.view(), hunks),
        AmbiguityTreatment::First => patch::apply_first(text.view(), hunks),
    };
    let applied = applied.map_err(|misfit| failure(draft, &misfit, &text))?;
    if draft.seen == SeenRange::Some && applied.doubtful > 0 {
        return Err(draft.stale(files, cx)); // the file has changed, so the intended position is uncertain
    }
    let added: Vec<&str> = hunks.iter().flat_map(Hunk::added).collect();
    draft.splice(cx, &text, &applied.splices, &[&added.join("\n")])?;
    draft.notes.extend(applied.notes);
    Ok(())
}

/// Describes why a hunk does not fit, the closest match and a remedy.
fn failure(draft: &Draft, misfit: &HunkError, text: &Text) -> Failure {
    let path = draft.path.display();
    let hunk = match misfit.of {
        1 => format!("the hunk at line {} of the patch", misfit.at),
        of => format!("hunk {} of {of}, at line {} of the patch", misfit.hunk, misfit.at),
    };
    let (words, before, closest) = match &misfit.trouble {
        Unfit::Scope { scope, before, closest } => {
            (format!("Failed to find context '{}' in {path} ({hunk}).", text.shown(scope)), *before, closest)
        }
        Unfit::Lines { old, before, already, closest } => {
            let mut words =
                format!("Failed to find expected lines in {path}:\n{}\n({hunk}).", repeated(text, old));
            if let Some(lines) = already {
                words.push_str(&format!(
                    " The new lines of the hunk are already in the file, at lines {}-{}: the change may have been made before.",
                    lines.first, lines.last
                ));
            }
            (words, *before, closest)
        }
        Unfit::Ambiguous { count, places, header } => {
            return ambiguous(draft, &hunk, (*count, places), *header, text);
        }
        Unfit::TooMuch => {
            let words = format!(
                "{path} has too many identical lines for so many hunks; {hunk} and all later hunks were not placed."
            );
            return Failure::new(Kind::TooLarge, words)
                .hint(Hint::Advice("Send fewer hunks at a time.".to_owned()));
        }
        Unfit::Place { line, count, lines } => {
            let words = format!(
                "Failed to place {hunk}, in {path}: it only adds lines, and its header (old lines: {count}, from line \
                 {line}) does not show where in the {lines} lines of the file they belong."
            );
            return Failure::new(Kind::NoMatch, words).hint(Hint::Advice(
                "Include the unchanged lines before and after, each with a leading space.".to_owned(),
            ));
        }
    };
    let miss = Miss::Absent { closest: closest.as_deref().cloned(), already_there: None };
    let shown = convert::miss(&draft.path, &miss, text);
    let failure = Failure { what: words, ..shown };
    let failure = match &misfit.trouble {
        Unfit::Lines { old, .. } => convert::with_cause(failure, text, old),
        _ => failure,
    };
    match before {
        None => failure,
        Some(line) => failure.hint(Hint::Advice(format!(
            "The text is at line {line}, before the end of the previous hunk: sort the hunks by their lines in the file."
        ))),
    }
}

/// Describes a hunk whose lines occur `count` times. `places` are the first of these positions; `header` is the line
/// number in the hunk's header, counted from 1; `None` if the header has none, or it does not matter here.
fn ambiguous(
    draft: &Draft,
    hunk: &str,
    (count, places): (usize, &[MatchLocation]),
    header: Option<usize>,
    text: &Text,
) -> Failure {
    let why = match header {
        None => "the patch does not show which of them it means".to_owned(),
        Some(line) => format!("line {line} in the header does not show which of them it means"),
    };
    let what = format!("The lines of {hunk} occur {count} times in {}, and {why}.", draft.path.display());
    let found = format!("They begin on these lines:\n{}", convert::listed(count, places, text));
    let advice = "Add unchanged lines before or after the change until only one place matches, or put an earlier line of \
                  the file that occurs once, such as the head of the function, after `@@`.";
    let mut failure = Failure::new(Kind::Ambiguous, what).found(found).hint(Hint::Advice(advice.to_owned()));
    failure.facts.places = u32::try_from(count).ok();
    failure.trouble(ChangeProblem::Ambiguous, &draft.path)
}

fn repeated(text: &Text, old: &str) -> String {
    let lines: Vec<&str> = old.split('\n').collect();
    let shown = text.shown(&lines[..lines.len().min(REPEATED)].join("\n")).into_owned();
    match lines.len().saturating_sub(REPEATED) {
        0 => shown,
        more => format!("{shown}\n… {}", counted(more as u64, "more line")),
    }
}
