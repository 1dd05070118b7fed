//! Blocks of a file: location, lines, and the rest that is not shown.

use toolpost_engine::operations::search::Block;
use toolpost_tool::Page;

/// Formats the location and the kind of a block.
pub(crate) fn place(found: &Block) -> String {
    let name = if found.name.is_empty() { String::new() } else { format!(" {} {}", found.kind, found.name) };
    format!("{}:{}-{}{name}", found.path, found.first_line, found.last_line)
}

/// Writes the lines of a block unchanged.
pub(crate) fn body(found: &Block, page: &mut Page) {
    let mut body = String::with_capacity(found.lines.bytes() + found.lines.len());
    for line in found.lines.iter() {
        body.push_str(line.text);
        if let Some(more) = line.cut() {
            body.push_str(&format!(" … ({more} more characters)"));
        }
        body.push('\n');
    }
    page.text(&body);
    rest(found, page);
}

/// Notes the rest of a block that is not shown.
pub(crate) fn rest(found: &Block, page: &mut Page) {
    let last = found.lines.last().map_or(found.first_line - 1, |line| line.number);
    if last < found.last_line {
        page.line(&format!("… up to line {} ({} more)", found.last_line, found.last_line - last));
    }
}
