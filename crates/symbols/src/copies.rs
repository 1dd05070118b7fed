//! Detection of build output by path.
//!
//! A package that ships its sources with its build output has each symbol several times. Symbol searches list the
//! copies in the build output after the symbols in the sources.

use std::collections::HashMap;

/// Extensions of source files, which a build compiles to the files with the extensions [`BUILT`].
const SOURCES: [&str; 4] = ["ts", "tsx", "mts", "cts"];

/// Extensions of compiled files.
const BUILT: [&str; 7] = [".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx"];

/// Directories of sources and of build output. Paths that differ only in these belong to the same source.
const FOLDERS: [&str; 12] =
    ["src", "source", "sources", "dist", "build", "built", "out", "lib", "esm", "cjs", "es", "umd"];

/// Directories that hold build output only.
const OUTPUT: [&str; 7] = ["dist", "build", "built", "out", "esm", "cjs", "umd"];

/// Returns, for each path, the index of the source that it is built from; `None` for a source, or if the
/// source is not among the paths.
#[must_use]
pub fn built_from(paths: &[&str]) -> Vec<Option<usize>> {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        groups.entry(source_key(path)).or_default().push(at);
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

/// Returns the path without the directories and the extension that a build changes.
fn source_key(path: &str) -> String {
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

/// Returns 0 for a source, 1 for a possible source, and 2 for build output, judged by the path.
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
    use toolpost_test_rows::each;

    #[test]
    fn build_outputs_are_matched_to_their_sources() {
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
        each(rows, |(paths, wanted)| {
            assert_eq!(built_from(paths), wanted, "{paths:?}");
        });
    }
}
