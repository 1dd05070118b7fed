//! The content of a project's skill that the user trusts.

use super::folder::{FILE, Raw, joined};
use toolpost_workspace::{AccessKind, Kind, PathError, Root, Workspace, WorkspacePath, hash};

/// Maximum number of files and directories in a skill's directory, at any depth.
const ENTRIES: usize = 10_000;
/// Maximum size of all files in a skill's directory together, in MiB.
const MEBIBYTES: u64 = 64;

/// Returns the text of `SKILL.md`, and the names and hashes of all other files in the skill's directory, at any depth.
///
/// # Errors
/// If the content cannot cover all files that a step of the skill may use, so that one of them could change without the
/// user's knowledge. The error is the reason, as a clause.
pub(super) fn of(workspace: &Workspace, root: &Root, raw: &Raw) -> Result<String, String> {
    let mut content = raw.text.clone();
    let (mut entries, mut room) = (0, MEBIBYTES * 1024 * 1024);
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let place = inside(workspace, root, raw, &below)?;
        for entry in workspace.list(&place).map_err(|error| error.to_string())? {
            entries += 1;
            if entries > ENTRIES {
                return Err(format!("its directory contains more than {ENTRIES} files and directories"));
            }
            let Some(name) = entry.name.to_str() else {
                return Err(format!("the file name {:?} is not UTF-8", entry.name));
            };
            let own = joined(&below, name);
            match entry.kind {
                Kind::Directory => open.push(own),
                Kind::File if own == FILE => {}
                Kind::File => {
                    let bytes = read(workspace, &inside(workspace, root, raw, &own)?, room)?;
                    room = room.saturating_sub(bytes.len() as u64);
                    content.push_str(&format!("\0{own}\0{}", hash(&bytes)));
                }
                // The target is in the directory, so the content covers it under its name, too.
                Kind::Link => {
                    let target = inside(workspace, root, raw, &own)?;
                    content.push_str(&format!("\0{own}\0-> {}", target.display()));
                }
                Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => {
                    return Err(format!("{own} is {}", entry.kind.name()));
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

/// Reads a file of at most `room` bytes, the rest of the size that all files may have.
fn read(workspace: &Workspace, path: &WorkspacePath, room: u64) -> Result<Vec<u8>, String> {
    workspace.read(path, room).map(|read| read.bytes).map_err(|error| match error.why {
        AccessKind::TooLarge { .. } => {
            format!("the files in its directory have more than {MEBIBYTES} MiB together")
        }
        _ => error.to_string(),
    })
}
