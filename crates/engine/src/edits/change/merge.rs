//! Merges partial code into a file; markers in the partial code represent unchanged code.

use super::draft::{Draft, OriginalEntry};
use crate::{
    access::Extent,
    call::CallCtx,
    edits::freshness::{self, Disclosure},
    failure::{Failure, Hint, Kind},
    files::Files,
};
use std::path::Path;
use toolpost_syntax::Language;
use toolpost_text::{
    encoding::Text,
    lines,
    merge::{self, Refusal, RefusalReason, SnippetExtent},
};
use toolpost_workspace::WorkspacePath;

/// Computes the content of the file with the partial code (`snippet`) merged in.
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
            "Partial code needs an existing file. To create the file, write its complete content.".to_owned(),
        )));
    };
    let count = lines::count(text.view());
    if count >= merge::LIMIT {
        let limit = merge::LIMIT;
        let what = format!(
            "{path} has {count} lines; partial code is merged only into files with fewer than {limit}."
        );
        return Err(Failure::new(Kind::TooLarge, what).hint(Hint::Advice(
            "Replace only the lines that change, and quote their current text.".to_owned(),
        )));
    }
    let count = lines::count(snippet);
    if count >= 2 * merge::LIMIT {
        let most = 2 * merge::LIMIT - 1;
        let what = format!("The partial code for {path} has {count} lines; at most {most} can be merged.");
        return Err(Failure::new(Kind::TooLarge, what)
            .hint(Hint::Advice("Make the change in several calls, each with less code.".to_owned())));
    }
    let language = Language::meant(Path::new(&path), language);
    let merged = toolpost_syntax::merge::merge(text.view(), snippet, language)
        .map_err(|refusal| refused(&draft.path, &refusal, &text))?;
    if let (SnippetExtent::Whole, Some(OriginalEntry::File { bytes, .. })) = (merged.taken, &draft.before) {
        freshness::judge_content(files, cx, &draft.path, Extent::Whole, bytes, Disclosure::Shown)?;
    }
    let new: Vec<&str> = merged.splices.iter().map(|splice| splice.new.as_str()).collect();
    draft.splice(cx, &text, &merged.splices, &new)?;
    draft.notes.extend(merged.notes);
    Ok(())
}

/// Describes why partial code cannot be merged, and a remedy.
fn refused(path: &WorkspacePath, refusal: &Refusal, text: &Text) -> Failure {
    let name = path.display();
    let (kind, advice) = match &refusal.why {
        RefusalReason::Absent | RefusalReason::Order { .. } => (
            Kind::NoMatch,
            "Before and after the change, repeat a line or a function head of the file, in the file's order, and put \
             a marker for everything else.",
        ),
        RefusalReason::Ambiguous { .. }
        | RefusalReason::Unbounded { .. }
        | RefusalReason::Readings { .. } => (
            Kind::Ambiguous,
            "Include more of the surrounding code, such as the whole function or the lines before and after, so that \
             only one place matches.",
        ),
        RefusalReason::Twice { .. } => (
            Kind::Ambiguous,
            "To move that line, include the code around its old and its new location in one part, without a marker between them.",
        ),
        RefusalReason::Unchanged { .. } => (
            Kind::Invalid,
            "Write the whole new function or block, or put a marker for everything that stays.",
        ),
        RefusalReason::Doubles { .. } => (
            Kind::Ambiguous,
            "Write out the whole block, with the changed entry once and at its position in the file.",
        ),
        RefusalReason::Homeless => (
            Kind::Ambiguous,
            "Include the head of the class or block to which the code belongs, with markers for the rest.",
        ),
        RefusalReason::Loses { .. } => (
            Kind::Invalid,
            "Put a marker such as `... existing code ...` in a comment in place of these lines, or write the lines out; \
             to remove them, replace their text with nothing.",
        ),
        RefusalReason::Partial { .. } => (
            Kind::Invalid,
            "Put a marker such as `... existing code ...` in a comment wherever existing code stays.",
        ),
        RefusalReason::Nothing => (Kind::Invalid, "Write out the intended code."),
        RefusalReason::Empty => (Kind::Invalid, "Pass the changed code, with the code around it."),
        RefusalReason::Breaks { .. } | RefusalReason::Malformed { .. } => {
            (Kind::Invalid, "Pass the whole function or class that changes, with all brackets.")
        }
        RefusalReason::Unread { .. } => {
            (Kind::TooLarge, "Replace only the lines that change, and quote their current text.")
        }
    };
    let what = format!("{name} was not changed. {}.", text.shown(&refusal.to_string()));
    let failure = Failure::new(kind, what).hint(Hint::Advice(advice.to_owned()));
    match refusal.why {
        RefusalReason::Partial { .. } => failure.hint(Hint::WriteWhole(path.clone())),
        RefusalReason::Unread { .. } => failure,
        _ => failure.hint(Hint::ReplaceText(path.clone())),
    }
}
