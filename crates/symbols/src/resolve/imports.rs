//! Imports between files.

use std::collections::BTreeSet;

use super::{Location, Resolver, Value};
use crate::ids::FileId;
use crate::rules::Family;

/// The files that a file imports.
#[derive(Debug, Default)]
pub(crate) struct ImportedFiles {
    /// The files, without the file itself.
    pub(crate) files: BTreeSet<FileId>,
    /// The number of imports from the workspace that lead to no file.
    pub(crate) unresolved: usize,
}

impl Resolver<'_> {
    /// Returns the files that a Python, JavaScript or TypeScript file imports; none for other languages.
    pub(crate) fn imported_files(&self, file: FileId) -> ImportedFiles {
        let mut out = ImportedFiles::default();
        if !matches!(self.rules(file).family, Family::Ecma | Family::Python) {
            return out;
        }
        for import in &self.file(file).record.imports {
            let spot = Location { file, place: import.at };
            let name = self.graph.text(import.module);
            let mut values = self.module(spot, name);
            if values.is_empty() && !name.is_empty() && self.not_here(spot, import) == Value::Absent {
                out.unresolved += 1;
            }
            values.extend(self.import(spot, import));
            let files = values.iter().flat_map(Value::each).filter_map(|value| match value {
                Value::File(to) if *to != file => Some(*to),
                _ => None,
            });
            out.files.extend(files);
        }
        out
    }
}
