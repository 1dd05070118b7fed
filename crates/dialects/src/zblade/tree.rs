//! `list_dir` and `get_workspace_structure`: a directory as a tree.

use crate::common::walk_notes;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        list::{self, HiddenFiles, ListRequest, Node, Output, Prune, Request, Room},
        stat::FileKind,
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ListDir;
pub(super) struct GetWorkspaceStructure;

/// Bytes of a reply that are reserved for the heading and the notes.
const AROUND: usize = 640;

/// Default number of entries.
const LIMIT: usize = 50;

/// Directories of installed, built or cached files, which are left out. Names with a leading dot need no entry,
/// because they are hidden anyway.
const HEAVY: [&str; 17] = [
    "node_modules",
    "__pycache__",
    "target",
    "dist",
    "build",
    "vendor",
    "venv",
    "env",
    "tmp",
    "temp",
    "cache",
    "coverage",
    "logs",
    "Pods",
    "bin",
    "obj",
    "zig-out",
];

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListArgs {
    #[serde(default = "here")]
    #[schemars(extend("x-aliases" = ["dir", "directory", "dir_path", "directory_path"], "examples" = ["src"]))]
    path: String,
    #[schemars(extend("x-raise" = true, "x-unlisted" = true), range(min = 1))]
    depth: Option<usize>,
    #[schemars(extend("x-raise" = true, "x-unlisted" = true), range(min = 1, max = 200))]
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[serde(default = "here")]
    #[schemars(extend("x-aliases" = ["dir", "directory", "dir_path", "directory_path"], "examples" = ["src"]))]
    path: String,
    /// Directory levels.
    #[serde(default = "two")]
    #[schemars(extend("x-raise" = true, "x-aliases" = ["max_depth"]), range(min = 1))]
    depth: usize,
    #[serde(default = "fifty")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 200))]
    limit: usize,
}

fn here() -> String {
    ".".to_owned()
}

const fn two() -> usize {
    2
}

const fn fifty() -> usize {
    LIMIT
}

impl Tool for ListDir {
    const NAME: &'static str = "list_dir";
    type Op = list::List;
    type Args = ListArgs;

    fn lower(args: ListArgs, at: &Lowering) -> Result<Request, Failure> {
        request(&args.path, args.depth.unwrap_or(1), args.limit.unwrap_or(LIMIT), at)
    }

    fn render(output: &Output, page: &mut Page) {
        // This tool publishes no `limit`, so the advice names the other tool.
        tree(output, page, "use a more specific path, or get_workspace_structure with limit 200");
    }
}

impl Tool for GetWorkspaceStructure {
    const NAME: &'static str = "get_workspace_structure";
    type Op = list::List;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        request(&args.path, args.depth, args.limit, at)
    }

    fn render(output: &Output, page: &mut Page) {
        tree(output, page, "use a more specific path or increase limit");
    }
}

fn request(said: &str, depth: usize, limit: usize, at: &Lowering) -> Result<Request, Failure> {
    let listing = ListRequest {
        base: at.source_or_root(Some(said))?,
        depth,
        rules: at.rules(),
        hidden: HiddenFiles::Skip,
        prune: Prune::Dependencies,
        without: HEAVY.map(str::to_owned).to_vec(),
        limit: Some(limit),
    };
    let room = Room { bytes: at.reply_bytes().saturating_sub(AROUND), of_entry: line_bytes };
    Ok(Request { room, ..Request::of(listing) })
}

/// Returns the bytes that an entry takes in the reply: its line, and the line with the number of its omitted
/// children, if any.
fn line_bytes(node: &Node) -> usize {
    let own = 2 * node.depth + name(node).len() + sign(node).len() + 1;
    let rest = if node.more > 0 { more(node.more, node.depth + 1).len() + 1 } else { 0 };
    own + rest
}

fn tree(output: &Output, page: &mut Page, advice: &str) {
    page.line(&format!("Directory: {}", output.base.absolute()));
    if output.nodes.is_empty() && output.more == 0 {
        page.line("(nothing to list)");
    }
    let mut cut: Vec<&Node> = Vec::new();
    for node in &output.nodes {
        close(&mut cut, node.depth, page);
        page.line(&format!("{}{}{}", "  ".repeat(node.depth), name(node), sign(node)));
        if node.more > 0 {
            cut.push(node);
        }
    }
    close(&mut cut, 0, page);
    let left_out = output.more + output.nodes.iter().map(|node| node.more).sum::<u64>();
    if left_out > 0 {
        if output.more > 0 {
            page.line(&more(output.more, 0));
        }
        let shown = output.nodes.len();
        page.line(&format!("\n(showing {}; there are more: {advice})", counted(shown as u64, "entry")));
    }
    walk_notes::notes(&output.walk, output.nodes.len() as u64, page);
    walk_notes::incomplete(&output.walk, "not every directory was read", "use a more specific path", page);
}

/// Writes the number of omitted entries of each truncated directory at this depth or deeper.
fn close(cut: &mut Vec<&Node>, depth: usize, page: &mut Page) {
    while let Some(node) = cut.pop_if(|node| node.depth >= depth) {
        page.line(&more(node.more, node.depth + 1));
    }
}

fn more(count: u64, depth: usize) -> String {
    format!("{}… {count} more", "  ".repeat(depth))
}

fn name(node: &Node) -> &str {
    node.path.rsplit('/').next().unwrap_or(&node.path)
}

fn sign(node: &Node) -> String {
    match (node.kind, &node.target) {
        (FileKind::Directory, _) if node.unreadable => "/ (cannot be read)".to_owned(),
        (FileKind::Directory, _) => "/".to_owned(),
        (FileKind::Link, Some(target)) => format!(" -> {target}"),
        _ => String::new(),
    }
}
