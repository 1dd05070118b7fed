//! Skill directories on the disk: a bounded walk that does not leave them.

use toolpost_workspace::{Kind, Root, Workspace, WorkspacePath, hash};

/// Maximum depth of a skill in a skills directory, and maximum number of visited directories.
const DEEPEST: usize = 5;
const DIRECTORIES: usize = 2_000;
/// The file that makes a directory a skill, and its maximum size in bytes.
pub(super) const FILE: &str = "SKILL.md";
const LONGEST: u64 = 512 * 1024;
/// Maximum number of listed resources of a skill, and the maximum size of a resource whose content is
/// compared.
const NAMED: usize = 100;
const COMPARED: u64 = 1024 * 1024;
/// Directories that contain no skills.
const PASSED: [&str; 2] = [".git", "node_modules"];

/// The file of a skill, and the files next to it.
pub(super) struct Raw {
    pub(super) file: WorkspacePath,
    pub(super) folder: WorkspacePath,
    pub(super) text: String,
    pub(super) resources: (Vec<String>, usize),
    /// The text and the resources, in the form that is compared.
    pub(super) content: String,
}

/// Finds the skills in a directory of a root; adds the skipped ones to `problems`.
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
            problems
                .push(format!("{}/{place}: only {DIRECTORIES} directories were looked into", root.shown()));
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

/// Finds a directory of a root. A link can lead to it, but not out of the root.
fn directory(
    workspace: &Workspace,
    root: &Root,
    here: &str,
    problems: &mut Vec<String>,
) -> Option<WorkspacePath> {
    match workspace.within(root, here) {
        Ok(path) => workspace.stat(&path).is_ok_and(|stat| stat.kind == Kind::Directory).then_some(path),
        Err(error) => {
            problems.push(format!("{here} is passed over: {error}"));
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
        return Err("it is a link that leads out of the skill's folder".to_owned());
    }
    if !may(&file) {
        return Err("the rules do not let it be read".to_owned());
    }
    let read = workspace.read(&file, LONGEST).map_err(|error| error.to_string())?;
    let text = String::from_utf8(read.bytes).map_err(|_| "it is no UTF-8".to_owned())?;
    let mut content = text.clone();
    let resources = resources(workspace, root, here, folder, &mut content);
    Ok(Raw { file, folder: folder.clone(), text, resources, content })
}

/// Lists the files next to a skill; links are left out, since they can lead anywhere.
fn resources(
    workspace: &Workspace,
    root: &Root,
    here: &str,
    folder: &WorkspacePath,
    content: &mut String,
) -> (Vec<String>, usize) {
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
                    let path = workspace.within(root, &joined(here, &own)).ok();
                    let read = path.and_then(|path| workspace.read(&path, COMPARED).ok());
                    let digest = read.map_or_else(String::new, |read| hash(&read.bytes).to_string());
                    content.push_str(&format!("\0{own}\0{digest}"));
                    if named.len() < NAMED { named.push(own) } else { more += 1 }
                }
                _ => {}
            }
        }
    }
    named.sort();
    (named, more)
}

fn joined(above: &str, name: &str) -> String {
    match (above.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => above.to_owned(),
        _ => format!("{above}/{name}"),
    }
}
