//! The end of a search reply: the total, and how to get the rest.

use toolpost_engine::operations::grep::{Mode, Output};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// A dialect's wording for the end of a search reply.
pub(crate) struct Wording {
    /// Noun for the counted entries, such as "lines".
    pub(crate) entries: &'static str,
    /// Parameters that narrow the search.
    pub(crate) narrow: &'static str,
    /// Text between the shown range (`lines 1-100 of 250`) and `continue with offset 100`.
    pub(crate) rest: &'static str,
}

/// Writes the total, how to get the rest, and the skipped files.
pub(crate) fn end(output: &Output, page: &mut Page, words: &Wording) {
    window(output, page, words);
    super::walk_notes::notes(&output.walk, output.files_matched, page);
    let effect = "these are the matches found so far, not all of them";
    super::walk_notes::incomplete(&output.walk, effect, &format!("pass a narrower {}", words.narrow), page);
}

fn window(output: &Output, page: &mut Page, words: &Wording) {
    let Wording { entries, narrow, rest } = words;
    if output.files_matched == 0 {
        return page.line(&format!("No matches found in {}", counted(output.files_searched, "file")));
    }
    let files = counted(output.files_matched, "file");
    let what = match output.mode {
        Mode::Content => {
            output.counted.before(format!("{} in {files}", counted(output.lines_matched, "matching line")))
        }
        Mode::Files => output.counted.before(format!("{files} with matches")),
        Mode::Count => format!("total: {} in {files}", output.lines_matched),
    };
    let last = output.offset + output.shown;
    if output.window_cut > 0 {
        page.note(format!(
            "{} {entries} of this page do not fit in memory; pass a narrower {narrow}",
            output.window_cut
        ));
    }
    if output.shown == 0 && output.window_cut > 0 {
        page.line(&what);
    } else if output.shown == 0 {
        page.line(&format!("No {entries} at this offset: there are {} ({what})", output.entries));
    } else if last < output.entries {
        page.note(format!(
            "{what}; {entries} {}-{last} of {}{rest} continue with offset {last}",
            output.offset + 1,
            output.counted.before(output.entries)
        ));
    } else {
        page.note(what);
    }
}
