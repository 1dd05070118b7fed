//! Files that are built from others, by their paths: a package that ships its sources has each symbol several times.

use std::collections::HashMap;

/// Extensions of files that are written by hand and compiled to others.
const SOURCES: [&str; 4] = ["ts", "tsx", "mts", "cts"];

/// Endings of the files that a compiler makes of them; the longest come first.
const BUILT: [&str; 7] = [".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx"];

/// Directories of sources and of build output: a path means the same file without them.
const FOLDERS: [&str; 12] =
    ["src", "source", "sources", "dist", "build", "built", "out", "lib", "esm", "cjs", "es", "umd"];

/// Directories that hold build output only.
const OUTPUT: [&str; 7] = ["dist", "build", "built", "out", "esm", "cjs", "umd"];

/// Finds for each path the one among the others that it is built from; none for a source, or if no source is among them.
#[must_use]
pub fn built_from(paths: &[&str]) -> Vec<Option<usize>> {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        groups.entry(meant(path)).or_default().push(at);
    }
    let mut sources = vec![None; paths.len()];
    for group in groups.into_values() {
        let Some(best) = group.iter().copied().min_by_key(|at| (rank(paths[*at]), *at)) else { continue };
        for at in group {
            if rank(paths[at]) > rank(paths[best]) {
                sources[at] = Some(best);
            }
        }
    }
    sources
}

/// The path without the directories and the ending that a build changes.
fn meant(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folders = folder.split('/').filter(|folder| !FOLDERS.contains(folder));
    folders.chain([stem(name)]).collect::<Vec<_>>().join("/")
}

fn stem(name: &str) -> &str {
    if let Some(stem) = BUILT.iter().find_map(|ending| name.strip_suffix(ending)) {
        return stem;
    }
    match name.rsplit_once('.') {
        Some((stem, extension)) if SOURCES.contains(&extension) => stem,
        _ => name,
    }
}

/// The distance of a file from hand-written code: 0 for a source, 1 for a possible source, 2 for build output.
fn rank(path: &str) -> u8 {
    let is_built = BUILT.iter().any(|ending| path.ends_with(ending));
    let is_source = !is_built && path.rsplit_once('.').is_some_and(|(_, last)| SOURCES.contains(&last));
    let in_output = path.split('/').any(|folder| OUTPUT.contains(&folder));
    match (is_source, in_output) {
        (true, false) => 0,
        (true, true) | (false, true) => 2,
        (false, false) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::built_from;

    #[test]
    fn copies_are_found_behind_their_sources() {
        let rows: [(&[&str], &[Option<usize>]); 6] = [
            (
                &["v4/errors.js", "v4/errors.cjs", "v4/errors.d.ts", "v4/errors.d.cts", "src/v4/errors.ts"],
                &[Some(4), Some(4), Some(4), Some(4), None],
            ),
            (&["dist/a.js", "src/a.js"], &[Some(1), None]),
            (&["src/a.ts", "test/a.ts"], &[None, None]),
            (&["a.py", "lib/a.py"], &[None, None]),
            (&["packages/x/dist/a.mjs", "packages/y/src/a.ts"], &[None, None]),
            (&["dist/a.js", "dist/esm/a.js"], &[None, None]),
        ];
        for (paths, wanted) in rows {
            assert_eq!(built_from(paths), wanted, "{paths:?}");
        }
    }
}
