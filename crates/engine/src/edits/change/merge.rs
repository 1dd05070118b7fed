//! Merges partial code into a file; markers in it represent unchanged code.

use super::draft::{Before, Draft};
use crate::{
    access::Extent,
    call::CallCtx,
    edits::freshness::{self, Sight},
    failure::{Failure, Hint, Kind},
    files::Files,
};
use std::path::Path;
use toolpost_syntax::Language;
use toolpost_text::{
    encoding::Text,
    lines,
    merge::{self, Refusal, SnippetExtent, Why},
};
use toolpost_workspace::WorkspacePath;

/// Computes the content with the snippet merged in.
pub(super) fn apply(
    files: &Files,
    cx: &CallCtx,
    draft: &mut Draft,
    language: Option<&str>,
    snippet: &str,
) -> Result<(), Failure> {
    let path = draft.path.display();
    let Some(text) = draft.text(files)? else {
        let failure = crate::files::lookup::not_found(files, &draft.path, &[]);
        return Err(failure.hint(Hint::Advice(
            "Partial code goes into a file that exists; write a new file as a whole.".to_owned(),
        )));
    };
    let count = lines::count(text.view());
    if count >= merge::LIMIT {
        let limit = merge::LIMIT;
        let what =
            format!("{path} has {count} lines; partial code is merged into files of less than {limit}.");
        return Err(Failure::new(Kind::TooLarge, what).hint(Hint::Advice(
            "Replace only the lines that change, by the text that stands there now.".to_owned(),
        )));
    }
    let count = lines::count(snippet);
    if count >= 2 * merge::LIMIT {
        let what =
            format!("The partial code for {path} has {count} lines, which is more than a file may have.");
        return Err(Failure::new(Kind::TooLarge, what));
    }
    let language = Language::meant(Path::new(&path), language);
    let merged = toolpost_syntax::merge::merge(text.view(), snippet, language)
        .map_err(|refusal| refused(&draft.path, &refusal, &text))?;
    if let (SnippetExtent::Whole, Some(Before::File { bytes, .. })) = (merged.taken, &draft.before) {
        freshness::judge_content(files, cx, &draft.path, Extent::Whole, bytes, Sight::Shown)?;
    }
    let new: Vec<&str> = merged.splices.iter().map(|splice| splice.new.as_str()).collect();
    draft.splice(&text, &merged.splices, &new)?;
    draft.notes.extend(merged.notes);
    Ok(())
}

/// Describes which part of a snippet has no position, and a remedy.
fn refused(path: &WorkspacePath, refusal: &Refusal, text: &Text) -> Failure {
    let name = path.display();
    let (kind, advice) = match &refusal.why {
        Why::Absent | Why::Order { .. } => (
            Kind::NoMatch,
            "Repeat a line or the head of the function that is in the file before and after what changes, in the \
             file's order, and put a marker for everything else.",
        ),
        Why::Ambiguous { .. } | Why::Unbounded { .. } | Why::Readings { .. } => (
            Kind::Ambiguous,
            "Show more of what is around it, such as the whole function or the lines before and after, so that one \
             place is meant.",
        ),
        Why::Twice { .. } => (
            Kind::Ambiguous,
            "To move it, show its new and its former surroundings in one part without a marker between them.",
        ),
        Why::Unchanged { .. } => (
            Kind::Invalid,
            "Show the whole function or block as it should be, or put a marker for everything that stays.",
        ),
        Why::Doubles { .. } => (
            Kind::Ambiguous,
            "Write out the part in which it stands, with the entry that changes once and in its place.",
        ),
        Why::Homeless => (
            Kind::Ambiguous,
            "Show the head of the class or block that it belongs to, with markers for the rest.",
        ),
        Why::Loses { .. } => (
            Kind::Invalid,
            "Put a marker such as `... existing code ...` in a comment where they stand, or write them out; to remove \
             them, replace their text by nothing.",
        ),
        Why::Partial { .. } => (
            Kind::Invalid,
            "Put a marker such as `... existing code ...` in a comment wherever something stays.",
        ),
        Why::Nothing => (Kind::Invalid, "Write out what shall really stand there."),
        Why::Empty => (Kind::Invalid, "Give the code that changes, with what is around it."),
        Why::Breaks { .. } | Why::Malformed { .. } => {
            (Kind::Invalid, "Give the whole function or class that changes, without leaving out brackets.")
        }
        Why::Unread { .. } => {
            (Kind::TooLarge, "Replace only the lines that change, by the text that stands there now.")
        }
    };
    let what = format!("{name} was not changed. {}.", text.shown(&refusal.to_string()));
    let failure = Failure::new(kind, what).hint(Hint::Advice(advice.to_owned()));
    match refusal.why {
        Why::Partial { .. } => failure.hint(Hint::WriteWhole(path.clone())),
        Why::Unread { .. } => failure,
        _ => failure.hint(Hint::ReplaceText(path.clone())),
    }
}
