//! Notes of a reply on guarded files, and on files whose change the user should check.

use std::path::{Path, PathBuf};

/// Describes the files that the sandbox did not let a command create or change; `None` if there are none.
pub(super) fn refused(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let names = names(paths, directory)?;
    let it = if paths.len() == 1 { "it" } else { "them" };
    Some(format!(
        "Toolpost's sandbox did not let this command create or change {names}: other programs run what such files say without asking. \
         Write {it} with a tool for files, which asks the user, or leave {it} out. A rule that lets these paths be written lets \
         commands write them, too."
    ))
}

/// Describes the changed files that the user should check; `None` if there are none.
pub(super) fn changed(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let names = names(paths, directory)?;
    Some(format!(
        "Changed since this command started: {names}. Agents follow what such a file says, or programs go on with it: tell the \
         user, who should look at it."
    ))
}

/// Lists paths relative to a command's working directory.
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
    fn paths_are_named_from_the_directory_of_the_command() {
        let paths = ["/w/.envrc", "/w/.git/modules/", "/v/.vscode"].map(PathBuf::from);
        let said = refused(&paths, Path::new("/w")).unwrap();
        assert!(said.contains("create or change `.envrc`, `.git/modules`, `/v/.vscode`: "), "{said}");
        let said = changed(&paths[..1], Path::new("/w")).unwrap();
        assert!(said.starts_with("Changed since this command started: `.envrc`."), "{said}");
        assert_eq!((refused(&[], Path::new("/")), changed(&[], Path::new("/"))), (None, None));
    }
}
