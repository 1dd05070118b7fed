//! The content of a project's skill that the user trusts.

use super::folder::{FILE, Raw, joined};
use toolpost_workspace::{AccessKind, Kind, PathError, Root, Workspace, WorkspacePath, hash};

/// Maximum number of files and directories in the directories of all skills together, at any depth.
const ENTRIES: usize = 10_000;
/// Maximum size of all files in the directories of all skills together, in MiB.
const MEBIBYTES: u64 = 64;

/// The numbers of entries and bytes that the skills may still have. All skills of a search share them, because every call
/// for a skill reads all of them.
pub(super) struct Budget {
    entries: usize,
    bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { entries: ENTRIES, bytes: MEBIBYTES * 1024 * 1024 }
    }
}

/// The reason why a content is not complete.
enum Incomplete<E> {
    /// The content cannot cover all files. The text is the reason, as a clause.
    Unverifiable(String),
    /// The caller stopped the search.
    Stopped(E),
}

impl<E> From<String> for Incomplete<E> {
    fn from(why: String) -> Self {
        Self::Unverifiable(why)
    }
}

/// Returns the text of `SKILL.md`, and the names and hashes of all other files in the skill's directory, at any depth. The
/// inner error is the reason, as a clause, if the content cannot cover all files that a step of the skill may use, so that
/// one of them could change without the user's knowledge.
///
/// # Errors
/// The error of `check`, which runs for each entry.
pub(super) fn of<E>(
    workspace: &Workspace,
    root: &Root,
    raw: &Raw,
    budget: &mut Budget,
    check: impl Fn() -> Result<(), E>,
) -> Result<Result<String, String>, E> {
    match complete(workspace, root, raw, budget, check) {
        Ok(content) => Ok(Ok(content)),
        Err(Incomplete::Unverifiable(why)) => Ok(Err(why)),
        Err(Incomplete::Stopped(error)) => Err(error),
    }
}

fn complete<E>(
    workspace: &Workspace,
    root: &Root,
    raw: &Raw,
    budget: &mut Budget,
    check: impl Fn() -> Result<(), E>,
) -> Result<String, Incomplete<E>> {
    let mut content = raw.text.clone();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let place = inside(workspace, root, raw, &below)?;
        for entry in workspace.list(&place).map_err(|error| error.to_string())? {
            check().map_err(Incomplete::Stopped)?;
            if budget.entries == 0 {
                let why = "the directories of the project's skills together contain more than";
                return Err(format!("{why} {ENTRIES} files and directories").into());
            }
            budget.entries -= 1;
            let Some(name) = entry.name.to_str() else {
                return Err(format!("the file name {:?} is not UTF-8", entry.name).into());
            };
            let own = joined(&below, name);
            match entry.kind {
                Kind::Directory => open.push(own),
                Kind::File if own == FILE => {}
                Kind::File => {
                    let bytes = read(workspace, &inside(workspace, root, raw, &own)?, budget.bytes)?;
                    budget.bytes = budget.bytes.saturating_sub(bytes.len() as u64);
                    content.push_str(&format!("\0{own}\0{}", hash(&bytes)));
                }
                // The target is in the directory, so the content covers it under its name, too.
                Kind::Link => {
                    let target = inside(workspace, root, raw, &own)?;
                    content.push_str(&format!("\0{own}\0-> {}", target.display()));
                }
                Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => {
                    return Err(format!("{own} is {}", entry.kind.name()).into());
                }
            }
        }
    }
    Ok(content)
}

/// Resolves a path in the skill's directory. Links must not lead out of it.
fn inside(workspace: &Workspace, root: &Root, raw: &Raw, own: &str) -> Result<WorkspacePath, String> {
    match workspace.within(root, &joined(&raw.here, own)) {
        Ok(path) if raw.folder.contains(&path) => Ok(path),
        Ok(_) | Err(PathError::Outside { .. }) => {
            Err(format!("{own} is a link to a target outside the skill's directory"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a file of at most `room` bytes, the rest of the size that the files of all skills may have.
fn read(workspace: &Workspace, path: &WorkspacePath, room: u64) -> Result<Vec<u8>, String> {
    workspace.read(path, room).map(|read| read.bytes).map_err(|error| match error.why {
        AccessKind::TooLarge { .. } => {
            format!("the files of the project's skills have more than {MEBIBYTES} MiB together")
        }
        _ => error.to_string(),
    })
}
