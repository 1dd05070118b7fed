//! The `list` operation: lists a directory as a tree.

use super::walk::{WalkReport, walk};
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
use toolpost_search::{ListOutput, list::ReadStatus};
use toolpost_workspace::{SiblingStat, WorkspacePath};

pub use toolpost_search::{HiddenFiles, ListRequest, Prune, Rules};

/// The `list` operation, which lists a directory.
pub struct List;

/// A request for the listing of a directory.
#[derive(Debug, Clone)]
pub struct Request {
    /// The listing.
    pub listing: ListRequest,
    /// File sizes, included or omitted.
    pub sizes: Sizes,
    /// The limit for the total size of the listed entries.
    pub room: Room,
}

/// The limit for the total size of the listed entries of a tree. If the entries need more bytes, fewer are listed:
/// upper levels come first, and the directories of the first level that does not fit share the remaining entries.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The maximum total size of the entries, in bytes.
    pub bytes: usize,
    /// The function that returns the size of an entry in the reply, in bytes.
    pub of_entry: fn(&Node) -> usize,
}

impl Room {
    /// No limit on the size of the entries.
    pub const ANY: Self = Self { bytes: usize::MAX, of_entry: |_| 0 };
}

/// File sizes, included or omitted; each size needs a separate system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Sizes are included.
    Asked,
    /// Sizes are not included.
    NotAsked,
}

impl Request {
    /// Requests a listing without file sizes and without a limit for its size.
    #[must_use]
    pub fn of(listing: ListRequest) -> Self {
        Self { listing, sizes: Sizes::NotAsked, room: Room::ANY }
    }
}

/// The entries of a directory tree, as a flat list from the top.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The listed directory, relative to its root.
    pub path: String,
    /// The listed entries; each directory is followed by its content.
    pub nodes: Vec<Node>,
    /// The number of entries of the directory itself that are not shown.
    pub more: u64,
    /// The number of entries found, shown or not.
    pub total: u64,
    /// The parts of the tree that were not listed.
    pub walk: WalkReport,
    /// The resolved path of the directory.
    #[serde(skip)]
    #[schemars(skip)]
    pub base: WorkspacePath,
}

/// An entry of a directory tree.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Node {
    /// The path, relative to its root.
    pub path: String,
    /// The depth below the listed directory; 0 for its direct entries.
    pub depth: usize,
    /// The type of the entry.
    pub kind: FileKind,
    /// The size of a file in bytes, if sizes were requested.
    pub bytes: Option<u64>,
    /// The target of a link; `None` for other entries.
    pub target: Option<String>,
    /// True for a directory that could not be read.
    pub unreadable: bool,
    /// The number of the directory's entries not shown.
    pub more: u64,
}

impl Operation for List {
    const NAME: &'static str = "list";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Find;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.listing.base)
    }

    async fn run(find: &Find, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let Request { listing: mut request, sizes, room } = request;
        let base = request.base.clone();
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

/// Returns a smaller number of entries for another attempt at listing if the size of the entries (`bytes`) exceeds the
/// limit `room`; `None` if it does not, or if there are fewer than two entries.
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
        kind: FileKind::from(node.kind),
        bytes: bytes(&node),
        target: node.target,
        unreadable: node.inside == ReadStatus::Unreadable,
        more: node.more,
    });
    Output {
        path: base.display(),
        nodes: nodes.collect(),
        more: listed.more,
        total: listed.total,
        walk: WalkReport::of(&listed.skipped, listed.unreadable, listed.complete)
            .of_one_root(find.files(), &base),
        base,
    }
}
