//! Blocks of code in replies: location, lines, and the number of lines left out.

use toolpost_engine::operations::search::Block;
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Formats the location of a block, and its kind and name if it has a name.
pub(crate) fn place(found: &Block) -> String {
    let name = if found.name.is_empty() { String::new() } else { format!(" {} {}", found.kind, found.name) };
    format!("{}:{}-{}{name}", found.path, found.first_line, found.last_line)
}

/// Writes the lines of a block without numbers, then how many lines are not shown, if any. A shortened line ends with
/// the number of characters left out.
pub(crate) fn body(found: &Block, page: &mut Page) {
    let mut body = String::with_capacity(found.lines.bytes() + found.lines.len());
    for line in found.lines.iter() {
        body.push_str(line.text);
        if let Some(more) = line.cut() {
            body.push_str(&format!(" … ({})", counted(more, "more character")));
        }
        body.push('\n');
    }
    page.text(&body);
    rest(found, page);
}

/// Writes how many lines of a block are not shown, if any.
pub(crate) fn rest(found: &Block, page: &mut Page) {
    let last = found.lines.last().map_or(found.first_line - 1, |line| line.number);
    if last < found.last_line {
        page.line(&format!(
            "… (the block ends at line {}; lines not shown: {})",
            found.last_line,
            found.last_line - last
        ));
    }
}
