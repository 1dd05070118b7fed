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

/// Reads a pattern that names a directory by a slash at its end: the files below it are meant.
pub(crate) fn of_files(pattern: String) -> String {
    if pattern.ends_with('/') { pattern + "**" } else { pattern }
}

/// Explains why a pattern that a model might have meant otherwise found nothing.
pub(crate) fn whole_name(output: &Output, page: &mut Page) {
    let pattern = output.pattern.as_str();
    if output.total > 0 {
        return;
    }
    if pattern.starts_with('!') {
        page.note("! is matched as a letter of the name here, and excludes nothing: give a pattern of the files that you want");
    } else if !pattern.contains(['*', '?', '[', '{', '/']) {
        page.note(format!(
            "a pattern without a wildcard is the whole name of a file; for a part of a name write *{pattern}*, for the files below \
             a directory {pattern}/**"
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
