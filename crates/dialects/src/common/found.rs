//! How files that were found by their names are listed.

use toolpost_engine::operations::glob::Output;
use toolpost_tool::Page;

/// Lists the files, and says how many there are beside them.
pub(crate) fn render(output: &Output, page: &mut Page) {
    if output.total == 0 {
        page.line("No files found");
    }
    output.matches.iter().for_each(|found| page.line(&found.path));
    let (shown, total) = (output.matches.len(), output.total);
    if u64::try_from(shown).is_ok_and(|shown| shown < total) {
        page.note(format!("the {shown} newest of {total} files; narrow pattern or path to see the others"));
    }
    super::walked::notes(&output.walk, page);
}

/// Says so where nothing was found by a pattern that can only be the whole name.
pub(crate) fn whole_name(output: &Output, page: &mut Page) {
    let pattern = output.pattern.as_str();
    if output.total == 0 && !pattern.contains(['*', '?', '[', '{', '/']) {
        page.note(format!(
            "a pattern without a wildcard is a whole name; for a part of one write *{pattern}*"
        ));
    }
}

/// Says so where the time was up before everything was seen.
pub(crate) fn complete(output: &Output, page: &mut Page) {
    if output.walk.complete != toolpost_engine::operations::glob::Complete::Yes {
        page.note(
            "timed_out: true; these are the files found so far, not all of them; narrow pattern or path",
        );
    }
}
