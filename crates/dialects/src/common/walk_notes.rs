//! Notes about the parts of the workspace that a walk did not search.

use toolpost_engine::operations::glob::{Complete, WalkReport};
use toolpost_tool::Page;

/// Adds notes about unsearched roots and about skipped and unreadable files, for a tool with a path
/// parameter. A reply without results always names the skipped files, because they may contain results. A
/// reply with results names them once in a session.
pub(crate) fn notes(walked: &WalkReport, results: u64, page: &mut Page) {
    let remedy = if walked.other_roots.len() == 1 { "pass it as the path" } else { "pass one as the path" };
    write(walked, results, Some(remedy), page);
}

/// Like [`notes`], for a tool that cannot search another root.
pub(crate) fn notes_without_path(walked: &WalkReport, results: u64, page: &mut Page) {
    write(walked, results, Some("this tool searches the first root alone"), page);
}

/// Adds a note if the walk timed out or was cancelled: the reason and the `effect`. `advice` is the next step after a
/// timeout.
pub(crate) fn incomplete(walked: &WalkReport, effect: &str, advice: &str, page: &mut Page) {
    match walked.complete {
        // The notes above report an index that is not complete.
        Complete::Yes | Complete::NotReady => {}
        Complete::TimedOut => page.note(format!("timed_out: true; {effect}; {advice}")),
        Complete::Cancelled => page.note(format!("cancelled: true; {effect}")),
    }
}

fn write(walked: &WalkReport, results: u64, remedy: Option<&str>, page: &mut Page) {
    if let Some(roots) = walked.unsearched_roots(remedy) {
        page.note(format!("skipped {roots}"));
    }
    if !walked.skipped.is_empty() {
        let skipped = format!("skipped {}", walked.skipped.join(", "));
        if results == 0 {
            page.note(skipped);
        } else {
            page.note_once(skipped);
        }
    }
    if let Some(unfinished) = &walked.unfinished {
        page.note(unfinished.clone());
    }
    if walked.unreadable_total > 0 {
        let named = walked.unreadable.join(", ");
        let others = walked.unreadable_total.saturating_sub(walked.unreadable.len() as u64);
        let others = if others == 0 { String::new() } else { format!(" and {others} more") };
        page.note(format!("files and directories that could not be read: {named}{others}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;
    use toolpost_tool::ReplyPart;

    #[test]
    fn only_a_walk_that_timed_out_is_reported_as_timed_out() {
        let rows = [
            (Complete::Yes, "a.rs"),
            (Complete::NotReady, "a.rs"),
            (Complete::TimedOut, "a.rs\n[toolpost: timed_out: true; files are missing; pass a path]"),
            (Complete::Cancelled, "a.rs\n[toolpost: cancelled: true; files are missing]"),
        ];
        each(rows, |(complete, wanted)| {
            let mut page = Page::new();
            page.line("a.rs");
            let walked = WalkReport { complete, ..WalkReport::default() };
            incomplete(&walked, "files are missing", "pass a path", &mut page);
            assert_eq!(page.finish(), [ReplyPart::Text(wanted.to_owned())]);
        });
    }
}
