//! `listFiles`: a directory tree with file sizes.

use crate::common::{integers, walk_notes};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        list::{self, HiddenFiles, ListRequest, Node, Output, Request, Room, Rules, Sizes},
        stat::FileKind,
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ListFiles;

/// Bytes of a reply that are reserved for the heading and the notes.
const AROUND: usize = 640;
/// Maximum depth of a tree.
const DEEPEST: u64 = 100;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["path", "dir", "folder"], "examples" = ["src"]))]
    directory: Option<String>,
    /// Levels to list. Default: 1.
    #[serde(rename = "maxDepth")]
    #[schemars(range(min = 1), extend("x-aliases" = ["depth"]))]
    max_depth: Option<f64>,
}

impl Tool for ListFiles {
    const NAME: &'static str = "listFiles";
    type Op = list::List;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let depth = args.max_depth.map_or(Ok(1), |depth| integers::number("maxDepth", depth))?;
        let listing = ListRequest {
            depth: usize::try_from(depth.clamp(1, DEEPEST)).unwrap_or(1),
            rules: Rules::None,
            hidden: HiddenFiles::Show,
            ..ListRequest::of(at.source_or_root(args.directory.as_deref())?)
        };
        let bytes = at.reply_bytes().saturating_sub(AROUND);
        let room = Room { bytes, of_entry: |node| entry(node).len() + 1 };
        Ok(Request { listing, sizes: Sizes::Asked, room })
    }

    fn render(output: &Output, page: &mut Page) {
        let entries = if output.nodes.is_empty() { " (empty)" } else { "" };
        page.line(&format!("{}/{entries}", output.path.trim_end_matches('/')));
        output.nodes.iter().for_each(|node| page.line(&entry(node)));
        let inside: u64 = output.nodes.iter().map(|node| node.more).sum();
        if output.more + inside > 0 {
            let entries = if output.more + inside == 1 { "entry is" } else { "entries are" };
            let next = if output.nodes.iter().any(|node| node.kind == FileKind::Directory) {
                "list a subdirectory, or find files by a pattern with searchFiles"
            } else {
                "find files by a pattern with searchFiles"
            };
            page.note(format!("{} more {entries} not shown; {next}", output.more + inside));
        }
        walk_notes::notes(&output.walk, output.nodes.len() as u64, page);
        let effect = "these are the entries found so far, not all of them";
        walk_notes::incomplete(&output.walk, effect, "list a subdirectory", page);
    }
}

fn entry(node: &Node) -> String {
    let name = node.path.rsplit('/').next().unwrap_or(&node.path);
    let indent = indent(node.depth);
    match node.kind {
        FileKind::Directory if node.unreadable => format!("{indent}{name}/  (could not be read)"),
        FileKind::Directory if node.more > 0 => format!("{indent}{name}/  (… {} more)", node.more),
        FileKind::Directory => format!("{indent}{name}/"),
        FileKind::Link => {
            let target = node.target.as_deref().unwrap_or("?");
            format!("{indent}{name} -> {target}")
        }
        FileKind::File => match node.bytes {
            Some(bytes) => format!("{indent}{name}  {}", size(bytes)),
            None => format!("{indent}{name}"),
        },
        FileKind::Other => format!("{indent}{name}  (not a regular file)"),
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth + 1)
}

/// Formats a size for display.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes.saturating_mul(10) / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::size;
    use toolpost_test_rows::each;

    #[test]
    fn file_sizes_have_readable_units() {
        let rows = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KB"),
            (1536, "1.5 KB"),
            (1024 * 1024, "1.0 MB"),
            (5_500_000_000, "5.1 GB"),
            (u64::MAX, "1677721.5 TB"),
        ];
        each(rows, |(bytes, wanted)| {
            assert_eq!(size(bytes), wanted);
        });
    }
}
