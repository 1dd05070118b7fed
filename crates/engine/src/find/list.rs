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

/// Which directory, and how deep.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory.
    pub base: WorkspacePath,
    /// How many levels; 1 is the directory alone.
    pub depth: usize,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// What happens to hidden names.
    pub hidden: Hidden,
    /// What happens to dependency directories.
    pub prune: Prune,
    /// Names of further directories that are left out.
    pub without: Vec<String>,
    /// How many entries are listed; all are counted.
    pub limit: usize,
    /// Whether the sizes of the files are wanted.
    pub sizes: Sizes,
}

/// Whether the sizes of files are wanted; each has to be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// They are.
    Asked,
    /// They are not.
    NotAsked,
}

impl Request {
    /// Asks for a directory alone: by the ignore rules of git, without hidden names and dependency directories.
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
        }
    }
}

/// A tree, written down from the top.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The directory, relative to its root.
    pub path: String,
    /// The entries; each directory is followed by what lies in it.
    pub nodes: Vec<Node>,
    /// How many entries of the directory itself are not shown.
    pub more: u64,
    /// How many entries were seen, shown or not.
    pub total: u64,
    /// What was not looked at.
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
    /// How many directories lie between; 0 is directly in the directory.
    pub depth: usize,
    /// What it is.
    pub kind: FileKind,
    /// The size of a file in bytes, where sizes were asked for.
    pub bytes: Option<u64>,
    /// What a link says.
    pub target: Option<String>,
    /// Whether a directory could not be read.
    pub unreadable: bool,
    /// How many entries of a directory are not shown.
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
        let (base, sizes) = (request.base.clone(), request.sizes);
        let request = ListRequest {
            base: request.base,
            depth: request.depth,
            rules: request.rules,
            hidden: request.hidden,
            prune: request.prune,
            without: request.without,
            limit: Some(request.limit),
        };
        walk(find, cx, &base, "steps through directories", move |find, control| {
            let listed = toolpost_search::list(find.files().workspace(), &request, control)?;
            Ok(output(find, request.base, sizes, listed))
        })
        .await
    }
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
        walk: Walked::of(&listed.skipped, listed.unreadable, listed.complete).of_one_root(find, &base),
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
