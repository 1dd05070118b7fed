//! `list`: a directory as a tree.

use super::walk::{Walked, walk};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    files::stat::FileKind,
    find::Find,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_search::{ListOutput, ListRequest, list::Inside};
use toolpost_workspace::{SiblingStat, WorkspacePath};

pub use toolpost_search::{Hidden, Prune, Rules};

/// Lists a directory.
pub struct List;

/// A request for the listing of a directory.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory.
    pub base: WorkspacePath,
    /// The number of levels; 1 is the directory alone.
    pub depth: usize,
    /// The ignore rules to apply.
    pub rules: Rules,
    /// The handling of hidden names.
    pub hidden: Hidden,
    /// The handling of dependency directories.
    pub prune: Prune,
    /// Names of further directories to leave out.
    pub without: Vec<String>,
    /// The maximum number of entries listed; all are counted.
    pub limit: usize,
    /// The choice to include file sizes.
    pub sizes: Sizes,
    /// The room for the entries.
    pub room: Room,
}

/// The room for the entries of a tree: if they need more bytes, fewer entries are listed, and every
/// directory still shows a part.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The maximum number of bytes.
    pub bytes: usize,
    /// Returns the number of bytes of the lines that show an entry.
    pub of_entry: fn(&Node) -> usize,
}

impl Room {
    /// No limit in bytes.
    pub const ANY: Self = Self { bytes: usize::MAX, of_entry: |_| 0 };
}

/// The choice to include file sizes; each size needs a separate query of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Sizes are included.
    Asked,
    /// Sizes are not included.
    NotAsked,
}

impl Request {
    /// Requests a directory alone: under the ignore rules of git, without hidden names and dependency
    /// directories.
    #[must_use]
    pub fn of(base: WorkspacePath) -> Self {
        Self {
            base,
            depth: 1,
            rules: Rules::Git,
            hidden: Hidden::Skip,
            prune: Prune::Dependencies,
            without: Vec::new(),
            limit: 1_000,
            sizes: Sizes::NotAsked,
            room: Room::ANY,
        }
    }
}

/// A tree, as a flat list from the top.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The directory, relative to its root.
    pub path: String,
    /// The entries; the content of each directory follows it.
    pub nodes: Vec<Node>,
    /// The number of entries of the directory itself that are not shown.
    pub more: u64,
    /// The number of entries seen, shown or not.
    pub total: u64,
    /// The parts of the tree that were not listed.
    pub walk: Walked,
    /// The directory.
    #[serde(skip)]
    #[schemars(skip)]
    pub base: WorkspacePath,
}

/// An entry of a tree.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Node {
    /// The entry, relative to its root.
    pub path: String,
    /// The number of directories in between; 0 is directly in the directory.
    pub depth: usize,
    /// Its type.
    pub kind: FileKind,
    /// The size of a file in bytes, if sizes were requested.
    pub bytes: Option<u64>,
    /// The target of a link.
    pub target: Option<String>,
    /// True if a directory could not be read.
    pub unreadable: bool,
    /// The number of entries of a directory that are not shown.
    pub more: u64,
}

impl Operation for List {
    const NAME: &'static str = "list";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(find: &Find, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (base, sizes, room) = (request.base.clone(), request.sizes, request.room);
        let mut request = ListRequest {
            base: request.base,
            depth: request.depth,
            rules: request.rules,
            hidden: request.hidden,
            prune: request.prune,
            without: request.without,
            limit: Some(request.limit),
        };
        walk(find, cx, &base, "steps through directories", move |find, control| {
            loop {
                let listed = toolpost_search::list(find.files().workspace(), &request, control)?;
                let output = output(find, request.base.clone(), sizes, listed);
                let bytes: usize = output.nodes.iter().map(room.of_entry).sum();
                match fewer(output.nodes.len(), bytes, room.bytes) {
                    Some(fewer) => request.limit = Some(fewer),
                    None => return Ok(output),
                }
            }
        })
        .await
    }
}

/// Returns a smaller number of entries for another attempt, if these need more bytes than there are.
fn fewer(entries: usize, bytes: usize, room: usize) -> Option<usize> {
    if bytes <= room || entries <= 1 {
        return None;
    }
    Some((entries * room / bytes).min(entries - 1).max(1))
}

fn output(find: &Find, base: WorkspacePath, sizes: Sizes, listed: ListOutput) -> Output {
    let mut siblings = SiblingStat::default();
    let mut bytes = |node: &toolpost_search::list::Node| match (sizes, node.kind) {
        (Sizes::Asked, toolpost_search::Kind::File) => siblings.stat(&node.path).ok().map(|stat| stat.len),
        _ => None,
    };
    let nodes = listed.nodes.into_iter().map(|node| Node {
        path: node.path.display(),
        depth: node.depth,
        kind: kind(node.kind),
        bytes: bytes(&node),
        target: node.target,
        unreadable: node.inside == Inside::Unreadable,
        more: node.more,
    });
    Output {
        path: base.display(),
        nodes: nodes.collect(),
        more: listed.more,
        total: listed.total,
        walk: Walked::of(&listed.skipped, listed.unreadable, listed.complete)
            .of_one_root(find.files(), &base),
        base,
    }
}

fn kind(kind: toolpost_search::Kind) -> FileKind {
    match kind {
        toolpost_search::Kind::File => FileKind::File,
        toolpost_search::Kind::Directory => FileKind::Directory,
        toolpost_search::Kind::Link => FileKind::Link,
        toolpost_search::Kind::Fifo | toolpost_search::Kind::Socket | toolpost_search::Kind::Device => {
            FileKind::Other
        }
    }
}
