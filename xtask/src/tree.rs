//! Text files of the repository, as the checks read them.

use crate::{Repository, disk, programs};
use anyhow::Result;
use std::path::Path;

/// A text file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Path from the repository's root, with slashes.
    pub path: String,
    /// Content of the file.
    pub text: String,
}

impl Source {
    /// Returns whether the file is Rust code.
    #[must_use]
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Returns whether the file is a test, a benchmark or a fuzz target.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.path.split('/').any(|name| matches!(name, "tests" | "benches" | "fuzz"))
    }

    /// Returns whether the file is unmodified external data: fixtures, or the contract.
    #[must_use]
    pub fn is_data(&self) -> bool {
        let mut folders = self.path.split('/');
        folders.any(|name| matches!(name, "fixtures" | "scenarios" | "data" | "corpus" | "spec" | "traps"))
    }
}

/// The text files of a repository.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    files: Vec<Source>,
    others: Vec<String>,
}

impl Tree {
    /// Creates a tree from pairs of path and content.
    #[must_use]
    pub fn of_rows(rows: &[(&str, &str)]) -> Self {
        let files =
            rows.iter().map(|(path, text)| Source { path: (*path).to_owned(), text: (*text).to_owned() });
        Self { files: files.collect(), others: Vec::new() }
    }

    /// Reads the tracked and untracked files that git does not ignore; without git, all except `target`, `.git` and
    /// `node_modules`.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn of_house(house: &Repository) -> Result<Self> {
        let names = match tracked(house) {
            Some(names) => names,
            None => walked(house)?,
        };
        let mut tree = Self::default();
        for path in names {
            match disk::read(&house.path(&path)) {
                Ok(text) => tree.files.push(Source { path, text }),
                Err(_) if disk::exists(&house.path(&path)) => tree.others.push(path),
                Err(_) => {}
            }
        }
        Ok(tree)
    }

    /// Returns the text files of the repository.
    pub fn files(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// Returns the Rust files, without unmodified external data.
    pub fn rust(&self) -> impl Iterator<Item = &Source> {
        self.files.iter().filter(|file| file.is_rust() && !file.is_data())
    }

    /// Returns whether a path exists in the repository, as a file (text or not) or as a directory with files.
    /// The empty path is the root.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        let paths = self.files.iter().map(|file| &file.path).chain(&self.others);
        let below = |file: &String| {
            file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.is_empty() || paths.into_iter().any(below)
    }

    /// Finds a file by its path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&Source> {
        self.files.iter().find(|file| file.path == path)
    }
}

fn tracked(house: &Repository) -> Option<Vec<String>> {
    if !disk::exists(&house.path(".git")) {
        return None;
    }
    let mut git = programs::program("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(house.root());
    let names = programs::output(&mut git).ok()?;
    let mut names: Vec<String> =
        names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Some(names)
}

fn walked(house: &Repository) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![house.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for path in disk::list(&folder)? {
            let name = path.file_name().unwrap_or_default();
            match disk::is_folder(&path) {
                true if name == "target" || name == ".git" || name == "node_modules" => {}
                true => folders.push(path),
                false => names.extend(relative(house, &path)),
            }
        }
    }
    names.sort();
    Ok(names)
}

fn relative(house: &Repository, path: &Path) -> Option<String> {
    Some(path.strip_prefix(house.root()).ok()?.to_str()?.replace('\\', "/"))
}
