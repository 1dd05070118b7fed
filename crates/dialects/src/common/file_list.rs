//! Lists of files found by name.

use toolpost_engine::operations::glob::Output;
use toolpost_text::budget::ByteBudget;
use toolpost_tool::Page;

/// Lists the files and notes how many are left out.
pub(crate) fn render(output: &Output, page: &mut Page) {
    if output.total == 0 {
        page.line("No files found");
    }
    let (shown, total) = (paths(output, page), output.total);
    if u64::try_from(shown).is_ok_and(|shown| shown < total) {
        page.note(format!(
            "the {shown} newest of {total} files; pass a narrower pattern or path to see the others"
        ));
    }
    super::walk_notes::notes(&output.walk, output.total, page);
}

/// Note about a list of files that is not complete.
pub(crate) const FOUND_SO_FAR: &str = "these are the files found so far, not all of them";

/// Bytes of a reply that are reserved for the notes after the list.
const AROUND: usize = 640;

/// Lists as many paths as the page has room for, but at least one if there are matches; returns their number.
pub(crate) fn paths(output: &Output, page: &mut Page) -> usize {
    let mut budget = ByteBudget::reserving(page.room().bytes, AROUND);
    let fits = budget.count(output.matches.iter().map(|found| found.path.len() + 1));
    let shown = fits.max(1).min(output.matches.len());
    output.matches.iter().take(shown).for_each(|found| page.line(&found.path));
    shown
}

/// Expands a pattern that ends with a slash to the files below that directory.
pub(crate) fn of_files(pattern: String) -> String {
    if pattern.ends_with('/') { pattern + "**" } else { pattern }
}

/// Adds a note if nothing matched and the pattern may be wrong: it begins with `!`, or is a name without a wildcard.
pub(crate) fn whole_name(output: &Output, page: &mut Page) {
    let pattern = output.pattern.as_str();
    if output.total > 0 {
        return;
    }
    if pattern.starts_with('!') {
        page.note(
            "`!` is matched literally and excludes nothing: give a pattern that matches the wanted files",
        );
    } else if !pattern.contains(['*', '?', '[', '{', '/']) {
        page.note(format!(
            "a pattern without a wildcard must be a whole file name; use *{pattern}* for a part of a name, {pattern}/** for the files below a directory"
        ));
    }
}

/// Adds a note if not all files were searched, because the search timed out or was cancelled.
pub(crate) fn complete(output: &Output, page: &mut Page) {
    super::walk_notes::incomplete(&output.walk, FOUND_SO_FAR, "pass a narrower pattern or path", page);
}
