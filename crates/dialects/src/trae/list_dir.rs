//! `list_dir`: a directory tree.

use crate::common::walk_notes;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        list::{HiddenFiles, List, ListRequest, Node, Output, Request, Room},
        stat::FileKind,
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ListDir;

/// Bytes of a reply that are reserved for the notes.
const AROUND: usize = 640;
/// Maximum number of entries in a reply.
const LIMIT: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "directory", "directory_path", "target_directory"], "examples" = ["src"]))]
    dir_path: String,
    /// Levels to list.
    #[serde(default = "three")]
    #[schemars(range(max = 5), extend("x-aliases" = ["depth"], "x-format" = "uint", "examples" = [3]))]
    max_depth: i64,
}

const fn three() -> i64 {
    3
}

impl Tool for ListDir {
    const NAME: &'static str = "list_dir";
    type Op = List;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let depth = usize::try_from(args.max_depth).ok().filter(|depth| *depth > 0);
        let Some(depth) = depth else {
            let what =
                format!("max_depth must be 1 to 5, got {}; 1 lists the directory alone.", args.max_depth);
            return Err(Failure::invalid(what));
        };
        let base = at.source(&args.dir_path)?;
        let bytes = at.reply_bytes().saturating_sub(AROUND);
        let room = Room { bytes, of_entry: |node| entry(node, "").len() + 1 };
        let (hidden, limit) = (HiddenFiles::Show, Some(LIMIT));
        let listing = ListRequest { depth, hidden, limit, ..ListRequest::of(base) };
        Ok(Request { room, ..Request::of(listing) })
    }

    fn render(output: &Output, page: &mut Page) {
        let mut body = String::new();
        for node in &output.nodes {
            body.push_str(&entry(node, &output.path));
            body.push('\n');
        }
        if output.nodes.is_empty() {
            body = format!("{} has no entries to list.\n", output.path);
        }
        page.take(body);
        if output.more > 0 {
            let entries = if output.more == 1 { "entry" } else { "entries" };
            page.note(format!(
                "{} more {entries} directly in {}; `ls` in run_command lists them all",
                output.more, output.path
            ));
        }
        if output.nodes.iter().any(|node| node.more > 0) {
            page.note("to see all entries of a directory marked with `…`, list that directory");
        }
        walk_notes::notes(&output.walk, output.nodes.len() as u64, page);
        let effect = "these are the entries found so far, not all of them";
        walk_notes::incomplete(&output.walk, effect, "list a subdirectory", page);
    }
}

/// Writes the path of an entry, relative to the listed directory. Directory paths end with a slash.
fn entry(node: &Node, listed: &str) -> String {
    let path = node.path.strip_prefix(listed).and_then(|rest| rest.strip_prefix('/')).unwrap_or(&node.path);
    match (node.kind, &node.target) {
        (FileKind::Directory, _) if node.unreadable => format!("{path}/ (cannot be read)"),
        (FileKind::Directory, _) if node.more > 0 => format!("{path}/ (… {} more)", node.more),
        (FileKind::Directory, _) => format!("{path}/"),
        (FileKind::Link, Some(target)) => format!("{path} -> {target}"),
        _ => path.to_owned(),
    }
}
