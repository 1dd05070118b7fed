//! Test files, recognised by their paths.

/// The names of directories that contain tests, and the suffixes of the names of test files.
const DIRECTORIES: [&str; 10] =
    ["test", "tests", "__tests__", "testing", "testdata", "test-data", "spec", "specs", "e2e", "__mocks__"];

const ENDS: [&str; 8] = ["_test", ".test", ".spec", "_spec", "-test", "_tests", ".tests", "-spec"];

/// Returns whether a path below a root is that of a test file, or of a directory with tests.
#[must_use]
pub fn is_test(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let of_tests = directory.split('/').any(|name| DIRECTORIES.contains(&name.to_lowercase().as_str()));
    let lower = name.to_lowercase();
    let stem = lower.rsplit_once('.').map_or(lower.as_str(), |(stem, _)| stem);
    let camel = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    of_tests
        || DIRECTORIES.contains(&lower.as_str())
        || ENDS.iter().any(|end| stem.ends_with(end))
        || stem.starts_with("test_")
        || ["tests", "conftest"].contains(&stem)
        || ["Test", "Tests", "Spec"].iter().any(|end| camel.len() > end.len() && camel.ends_with(end))
}
