//! Notes in replies about files that the sandbox protects from a command, and about changed files that the user should check.

use std::path::{Path, PathBuf};

/// Describes the files that the sandbox did not let a command create or change; `None` if there are none.
pub(super) fn refused(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let shown = names(paths, directory)?;
    let (denied, others): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| is_of_version_control(path));
    let next = match (names(&denied, directory), names(&others, directory)) {
        (None, _) => {
            let it = if paths.len() == 1 { "it" } else { "them" };
            format!("Write {it} with a file tool, which asks the user, or do without {it}.")
        }
        (Some(_), None) => "File tools refuse such paths, too: leave the change to the user.".to_owned(),
        (Some(denied), Some(others)) => format!(
            "Write {others} with a file tool, which asks the user. File tools refuse {denied}, too: leave that change \
             to the user."
        ),
    };
    let it = if paths.len() == 1 { "it" } else { "them" };
    Some(format!(
        "Toolpost's sandbox did not let this command create or change {shown}: other programs execute such files \
         without asking. {next} A rule that allows writing {it} also allows commands to write {it}."
    ))
}

/// Returns whether a path belongs to the data of version control, which the built-in rules keep file tools from
/// writing.
pub(super) fn is_of_version_control(path: &Path) -> bool {
    const NAMES: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".sl"];
    path.iter().any(|part| NAMES.iter().any(|name| part == *name))
}

/// Describes the changed files that the user should check; `None` if there are none.
pub(super) fn changed(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let names = names(paths, directory)?;
    let (files, it) = if paths.len() == 1 { ("this file", "it") } else { ("these files", "them") };
    Some(format!(
        "While this command ran, {files} changed: {names}. Agents follow instructions in such files, or other \
         programs execute them: ask the user to check {it}."
    ))
}

/// Lists paths, in backticks and separated by commas, relative to a command's working directory; `None` if there are
/// no paths.
fn names(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let shown = paths.iter().map(|path| {
        let path = path.strip_prefix(directory).unwrap_or(path);
        format!("`{}`", path.display().to_string().trim_end_matches('/'))
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_show_paths_relative_to_the_command_directory() {
        let paths = ["/w/.envrc", "/w/.git/modules/", "/v/.vscode"].map(PathBuf::from);
        let note = refused(&paths, Path::new("/w")).unwrap();
        assert!(note.contains("create or change `.envrc`, `.git/modules`, `/v/.vscode`: "), "{note}");
        assert!(note.contains("Write `.envrc`, `/v/.vscode` with a file tool"), "{note}");
        assert!(note.contains("File tools refuse `.git/modules`, too"), "{note}");
        let note = changed(&paths[..1], Path::new("/w")).unwrap();
        assert!(note.starts_with("While this command ran, this file changed: `.envrc`."), "{note}");
        assert_eq!((refused(&[], Path::new("/")), changed(&[], Path::new("/"))), (None, None));
    }
}
