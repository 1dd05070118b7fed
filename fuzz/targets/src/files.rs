//! Fuzz targets for files of the indexes.

use crate::damage::{apply, parts};

/// File names, each of a different language.
const FILES: [&str; 8] = ["a.rs", "a.py", "a.ts", "a.go", "a.java", "a.c", "a.sh", "a.md"];

/// Checks that damaged segments of all three indexes are read or rejected, without a panic.
pub(crate) fn segments(data: &[u8]) {
    let (text, damages) = parts(data);
    let damage = |bytes: &mut Vec<u8>| apply(damages, bytes);
    let first = usize::from(text.bytes().next().unwrap_or_default());
    let file = FILES[first % FILES.len()];
    toolpost_symbols::fuzzing::segment(file, &text, &damage);
    toolpost_ranked::fuzzing::segment(file, &text, &damage);
    toolpost_trigrams::fuzzing::segment(&text, &damage);
}

/// Checks that any bytes are read or rejected as a SCIP index, without a panic.
pub(crate) fn scip(data: &[u8]) {
    toolpost_symbols::fuzzing::scip(data);
}
