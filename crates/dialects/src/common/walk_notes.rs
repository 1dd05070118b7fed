//! Notes about files that a walk skipped.

use toolpost_engine::operations::glob::Walked;
use toolpost_tool::Page;

/// Notes skipped and unreadable files.
pub(crate) fn notes(walked: &Walked, page: &mut Page) {
    if !walked.skipped.is_empty() {
        page.note_once(format!("skipped {}", walked.skipped.join(", ")));
    }
    if let Some(unfinished) = &walked.unfinished {
        page.note(unfinished.clone());
    }
    if walked.unreadable_total > 0 {
        let named = walked.unreadable.join(", ");
        let others = walked.unreadable_total.saturating_sub(walked.unreadable.len() as u64);
        let others = if others == 0 { String::new() } else { format!(" and {others} more") };
        page.note(format!("could not be read: {named}{others}"));
    }
}
