//! Reads a directory tree level by level.

use toolpost_workspace::walk::{
    Directory, DirectoryEntry, Kind, Options, SkippedEntries, Unreadable, WalkEnd, show,
};
use toolpost_workspace::{SystemError, Workspace};

use super::{ListOutput, ListRequest, Node, ReadStatus};
use crate::{Control, SearchError, request_path};

/// A directory of the listing that was read or will be read.
struct Branch {
    directory: Directory,
    inside: ReadStatus,
    entries: Vec<Leaf>,
    more: u64,
}

struct Leaf {
    found: DirectoryEntry,
    branch: Option<usize>,
}

struct Tree {
    branches: Vec<Branch>,
    options: Options,
    total: u64,
    left: usize,
    without: Vec<String>,
    skipped: SkippedEntries,
    unreadable: Unreadable,
    /// The error if the requested directory itself cannot be read.
    start_refused: Option<SystemError>,
    ended: WalkEnd,
}

/// The maximum number of entries that one listing returns, over all its directories.
const MOST: usize = 200_000;

pub(super) fn grow(
    workspace: &Workspace,
    request: &ListRequest,
    control: &Control,
) -> Result<ListOutput, SearchError> {
    if request.depth == 0 {
        return Err(SearchError::Request(
            "depth must be greater than zero: 1 lists only the directory itself",
        ));
    }
    if request.limit == Some(0) {
        return Err(SearchError::Request(
            "limit must be greater than zero; leave the limit out for all entries",
        ));
    }
    request_path::directory(workspace, &request.base, "list")?;
    let options = control.options(request.rules, request.hidden, request.prune);
    let mut tree = Tree {
        branches: vec![Branch::new(Directory::new(&request.base, &options))],
        options,
        total: 0,
        left: request.limit.unwrap_or(MOST).min(MOST),
        without: request.without.clone(),
        skipped: SkippedEntries::default(),
        unreadable: Unreadable::default(),
        start_refused: None,
        ended: WalkEnd::Complete,
    };
    let mut level = vec![0];
    for _ in 0..request.depth {
        level = tree.level(&level, control);
        if level.is_empty() {
            break;
        }
    }
    match tree.start_refused {
        Some(fault) => Err(SearchError::unreadable(&request.base, fault)),
        None => Ok(tree.output(control)),
    }
}

impl Branch {
    fn new(directory: Directory) -> Self {
        Self { directory, inside: ReadStatus::Unread, entries: Vec::new(), more: 0 }
    }
}

impl Tree {
    /// Reads all directories of a level and keeps the entries that fit within the limit. Returns the directories of the
    /// next level.
    fn level(&mut self, level: &[usize], control: &Control) -> Vec<usize> {
        for index in level {
            if control.stops() {
                self.ended = WalkEnd::Stopped;
                break;
            }
            self.read(*index);
        }
        self.share(level);
        let mut next = Vec::new();
        for index in level {
            let Some(branch) = self.branches.get_mut(*index) else { continue };
            let mut entries = std::mem::take(&mut branch.entries);
            for leaf in &mut entries {
                if let Some(directory) = leaf.found.subdirectory.take() {
                    leaf.branch = Some(self.branches.len());
                    next.push(self.branches.len());
                    self.branches.push(Branch::new(directory));
                }
            }
            if let Some(branch) = self.branches.get_mut(*index) {
                branch.entries = entries;
            }
        }
        if self.ended == WalkEnd::Stopped { Vec::new() } else { next }
    }

    fn read(&mut self, index: usize) {
        let Some(branch) = self.branches.get_mut(index) else { return };
        match branch.directory.read(&self.options, &mut self.skipped, &mut self.unreadable) {
            Ok(Some(mut found)) => {
                let is_out = |found: &DirectoryEntry| {
                    found.kind == Kind::Directory && self.without.iter().any(|name| found.name == **name)
                };
                for out in found.extract_if(.., |found| is_out(found)) {
                    self.skipped.leave_out(|| branch.directory.path_of(&out).display());
                }
                self.total += found.len() as u64;
                branch.inside = ReadStatus::Read;
                branch.entries = found.into_iter().map(|found| Leaf { found, branch: None }).collect();
            }
            Ok(None) => branch.inside = ReadStatus::LeftOut,
            Err(fault) => {
                branch.inside = ReadStatus::Unreadable;
                if index == 0 {
                    self.start_refused = Some(fault);
                }
                self.unreadable.note(format!("{}: {fault}", branch.directory.path().display()));
            }
        }
    }

    /// Truncates the entries of a level's directories to the remaining limit: small directories stay complete, and
    /// large ones share the rest of the limit.
    fn share(&mut self, level: &[usize]) {
        let mut sizes: Vec<(usize, usize)> = level
            .iter()
            .filter_map(|index| Some((self.branches.get(*index)?.entries.len(), *index)))
            .collect();
        sizes.sort_unstable();
        let mut waiting = sizes.len();
        let mut spare = self.left;
        for (size, index) in sizes {
            // The remainder of the division goes to the directories with more entries, which come later.
            let keep = size.min(spare / waiting.max(1));
            waiting -= 1;
            spare -= keep;
            if let Some(branch) = self.branches.get_mut(index) {
                branch.more = (size - keep) as u64;
                branch.entries.truncate(keep);
            }
        }
        self.left = spare;
    }

    fn output(mut self, control: &Control) -> ListOutput {
        let mut nodes = Vec::new();
        let mut more = 0;
        if let Some(root) = self.branches.first_mut() {
            more = root.more;
            let mut open = vec![(root.directory.clone(), std::mem::take(&mut root.entries).into_iter())];
            while let Some((directory, entries)) = open.last_mut() {
                let Some(leaf) = entries.next() else {
                    open.pop();
                    continue;
                };
                let directory = directory.clone();
                let branch = leaf.branch.and_then(|index| self.branches.get_mut(index));
                nodes.push(node(&directory, &leaf.found, open.len() - 1, branch.as_deref()));
                if let Some(branch) = branch {
                    open.push((branch.directory.clone(), std::mem::take(&mut branch.entries).into_iter()));
                }
            }
        }
        ListOutput {
            nodes,
            more,
            total: self.total,
            skipped: self.skipped,
            unreadable: self.unreadable,
            complete: control.verdict(self.ended),
        }
    }
}

fn node(directory: &Directory, found: &DirectoryEntry, depth: usize, branch: Option<&Branch>) -> Node {
    Node {
        path: directory.path_of(found),
        depth,
        kind: found.kind,
        target: found.target.as_deref().map(show),
        inside: branch.map_or(ReadStatus::None, |branch| branch.inside),
        more: branch.map_or(0, |branch| branch.more),
    }
}
