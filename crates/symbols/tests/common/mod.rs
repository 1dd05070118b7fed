//! Workspaces in temporary directories.
#![allow(dead_code, reason = "each test file uses only a part of this module")]

use std::path::{Path, PathBuf};

use toolpost_symbols::{Index, Resolution};
use toolpost_workspace::{Options, Workspace};

/// A `stop` function that lets every query run to its end.
pub(crate) fn go_on() -> bool {
    false
}

/// Opens a directory.
pub(crate) fn workspace(root: &Path) -> Workspace {
    let options = Options { roots: vec![root.to_owned()], ..Options::default() };
    Workspace::open(options).unwrap().0
}

/// Creates an index of a directory.
pub(crate) fn index(root: &Path, cache: Option<PathBuf>) -> Index {
    Index::new(workspace(root), cache)
}

/// Writes a file and creates the directories above it.
pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Lists the targets of all calls, one in each line: `a.py:f -> b.py:g`.
pub(crate) fn calls(index: &Index) -> Vec<String> {
    let graph = index.graph(&go_on).unwrap();
    let shown = |found: &Resolution| match found {
        Resolution::Targets(targets) => {
            let all = targets.iter().map(|target| {
                let symbol = graph.symbol(target.at);
                format!("{}:{}", graph.file(target.at.file).path, graph.text(symbol.qualified))
            });
            all.collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}").to_lowercase(),
    };
    graph
        .sites()
        .iter()
        .map(|site| format!("{}:{} -> {}", site.path, site.name, shown(&site.found)))
        .collect()
}
