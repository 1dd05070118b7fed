//! Walks skill directories on the disk, with limits and without leaving the root.

use toolpost_workspace::{Kind, Root, Workspace, WorkspacePath};

/// Maximum depth of a walk below a directory.
const DEEPEST: usize = 5;
/// Maximum number of directories that a walk visits.
const DIRECTORIES: usize = 2_000;
/// The file that makes a directory a skill.
pub(super) const FILE: &str = "SKILL.md";
/// Maximum size of a skill's `SKILL.md`, in bytes.
const LONGEST: u64 = 512 * 1024;
/// Maximum number of listed resources (other files) of a skill.
const NAMED: usize = 100;
/// Names of files and directories that a walk for skills and for resources skips.
const PASSED: [&str; 2] = [".git", "node_modules"];

/// The file of a skill, and the files next to it.
pub(super) struct Raw {
    pub(super) file: WorkspacePath,
    pub(super) folder: WorkspacePath,
    /// The path of the skill's directory, relative to the root.
    pub(super) here: String,
    pub(super) text: String,
    pub(super) resources: (Vec<String>, usize),
}

/// Finds the skills in a directory of a root; reports skipped skills in `problems`.
pub(super) fn walk(
    workspace: &Workspace,
    root: &Root,
    place: &str,
    may: &dyn Fn(&WorkspacePath) -> bool,
    problems: &mut Vec<String>,
) -> Vec<Raw> {
    let mut found = Vec::new();
    let mut open = vec![(place.to_owned(), 0)];
    let mut seen = 0;
    while let Some((here, depth)) = open.pop() {
        seen += 1;
        if seen > DIRECTORIES {
            problems.push(format!(
                "{}/{place}: only the first {DIRECTORIES} directories were searched, so skills in the \
                 others may be missing",
                root.shown()
            ));
            break;
        }
        let Some(folder) = directory(workspace, root, &here, problems) else { continue };
        let Ok(entries) = workspace.list(&folder) else {
            problems.push(format!("{} cannot be listed", folder.absolute()));
            continue;
        };
        if entries.iter().any(|entry| entry.name == FILE) && depth > 0 {
            match raw(workspace, root, &here, &folder, may) {
                Ok(raw) => found.push(raw),
                Err(why) => problems.push(format!("{}/{FILE}: {why}", folder.absolute())),
            }
            continue;
        }
        if depth == DEEPEST {
            continue;
        }
        for entry in entries.iter().rev().filter(|entry| matches!(entry.kind, Kind::Directory | Kind::Link)) {
            if let Some(name) = entry.name.to_str().filter(|name| !PASSED.contains(name)) {
                open.push((joined(&here, name), depth + 1));
            }
        }
    }
    found
}

/// Resolves a directory of a root. Links are followed inside the root only.
fn directory(
    workspace: &Workspace,
    root: &Root,
    here: &str,
    problems: &mut Vec<String>,
) -> Option<WorkspacePath> {
    match workspace.within(root, here) {
        Ok(path) => workspace.stat(&path).is_ok_and(|stat| stat.kind == Kind::Directory).then_some(path),
        Err(error) => {
            problems.push(format!("{here} was skipped, because {error}"));
            None
        }
    }
}

fn raw(
    workspace: &Workspace,
    root: &Root,
    here: &str,
    folder: &WorkspacePath,
    may: &dyn Fn(&WorkspacePath) -> bool,
) -> Result<Raw, String> {
    let file = workspace.within(root, &joined(here, FILE)).map_err(|error| error.to_string())?;
    if !folder.contains(&file) {
        return Err("the file is a link to a target outside the skill's directory".to_owned());
    }
    if !may(&file) {
        return Err("the rules do not allow reading the file".to_owned());
    }
    let read = workspace.read(&file, LONGEST).map_err(|error| error.to_string())?;
    let text = String::from_utf8(read.bytes).map_err(|_| "the file is not UTF-8".to_owned())?;
    let resources = resources(workspace, root, here, folder);
    Ok(Raw { file, folder: folder.clone(), here: here.to_owned(), text, resources })
}

/// Lists the other files in a skill's directory, and counts those beyond `NAMED`. Links are left out, because they can
/// point outside the directory.
fn resources(workspace: &Workspace, root: &Root, here: &str, folder: &WorkspacePath) -> (Vec<String>, usize) {
    let (mut named, mut more, mut seen) = (Vec::new(), 0, 0);
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        seen += 1;
        let Ok(place) = workspace.within(root, &joined(here, &below)) else { continue };
        if seen > DIRECTORIES || !folder.contains(&place) {
            continue;
        }
        for entry in workspace.list(&place).unwrap_or_default() {
            let Some(name) = entry.name.to_str().filter(|name| !PASSED.contains(name)) else { continue };
            let own = joined(&below, name);
            match entry.kind {
                Kind::Directory if below.matches('/').count() < DEEPEST => open.push(own),
                Kind::File if own != FILE => {
                    if named.len() < NAMED {
                        named.push(own);
                    } else {
                        more += 1;
                    }
                }
                _ => {}
            }
        }
    }
    named.sort();
    (named, more)
}

/// Joins two relative paths, of which either can be empty.
pub(super) fn joined(above: &str, name: &str) -> String {
    match (above.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => above.to_owned(),
        _ => format!("{above}/{name}"),
    }
}
