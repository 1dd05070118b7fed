//! Files that were not written for the project: lock files, generated data, generated code and copies of other packages,
//! recognised by their paths.

/// The origin of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// People write the file for the project, as far as its path shows.
    Written,
    /// Code that a program generates, or a copy of another package.
    Copied,
    /// Data that a program generates and that people do not read, such as a lock file.
    Generated,
}

/// Names of lock files that no extension identifies, in lower case.
const LOCKS: [&str; 9] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "packages.lock.json",
    "bun.lockb",
    "go.sum",
    "go.work.sum",
    "package.resolved",
    "cartfile.resolved",
];
/// Ends of the names of generated data, in lower case.
const DATA: [&str; 10] = [
    ".lock",
    ".lockfile",
    ".lock.json",
    ".min.js",
    ".min.mjs",
    ".min.css",
    ".js.map",
    ".mjs.map",
    ".css.map",
    ".snap",
];
/// Ends of the names of generated code, in lower case.
const CODE: [&str; 7] = [".pb.go", "_pb2.py", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".g.dart", ".designer.cs"];
/// Directories with copies of other packages, or with generated code.
const DIRECTORIES: [&str; 7] =
    ["vendor", "_vendor", "_vendored", "third_party", "node_modules", "bower_components", "__generated__"];

/// Returns the origin of a file by its path below a root.
pub(crate) fn origin(path: &str) -> Origin {
    let lower = path.to_lowercase();
    let (directory, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    if LOCKS.contains(&name) || DATA.iter().any(|end| name.ends_with(end)) {
        return Origin::Generated;
    }
    let is_copy = directory.split('/').any(|part| DIRECTORIES.contains(&part));
    if is_copy || CODE.iter().any(|end| name.ends_with(end)) { Origin::Copied } else { Origin::Written }
}

#[cfg(test)]
mod tests {
    use super::{Origin, origin};

    #[test]
    fn lock_files_and_copies_are_recognised_by_their_paths() {
        let generated = [
            "Cargo.lock",
            "a/package-lock.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "uv.lock",
            "poetry.lock",
            "Pipfile.lock",
            "go.sum",
            "composer.lock",
            "Gemfile.lock",
            "gradle.lockfile",
            "packages.lock.json",
            "flake.lock",
            "vendor/x/yarn.lock",
            "dist/app.min.js",
            "app.js.map",
            "tests/__snapshots__/a.test.ts.snap",
        ];
        let copied =
            ["vendor/a/b.go", "third_party/z.c", "api/v1.pb.go", "web/node_modules/x/y.js", "a_pb2.py"];
        let written =
            ["src/lock.rs", "package.json", "Cargo.toml", "vendors.py", "locks/a.rs", "map.js", "go.mod", ""];
        for (rows, wanted) in
            [(&generated[..], Origin::Generated), (&copied, Origin::Copied), (&written, Origin::Written)]
        {
            for path in rows {
                assert_eq!(origin(path), wanted, "{path}");
            }
        }
    }
}
