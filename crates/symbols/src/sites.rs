//! All calls of a workspace with their targets.

use std::ops::Range;

use crate::record::Usage;
use crate::resolve::Resolver;
use crate::{FileId, Graph, Resolution, Span};

/// A call site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The path of the file that contains the call.
    pub path: String,
    /// The byte range of the called name in the file.
    pub at: Range<usize>,
    /// The name of the called function.
    pub name: String,
    /// The functions that the call refers to, or the reason why there are none.
    pub found: Resolution,
}

impl Graph {
    /// Resolves all calls of all files, in the order of the paths.
    #[must_use]
    pub fn sites(&self) -> Vec<Site> {
        let mut files: Vec<FileId> = self.files().collect();
        files.sort_by(|one, other| self.file(*one).path.cmp(&self.file(*other).path));
        let resolver = Resolver::new(self);
        let mut out = Vec::new();
        for id in files {
            let file = self.file(id);
            for used in file.record.uses.iter().filter(|used| used.usage == Usage::Call) {
                let name = self.text(used.name).to_owned();
                let start = used.at as usize;
                out.push(Site {
                    path: file.path.to_string(),
                    at: start..start + name.len(),
                    found: resolver.found(id, used),
                    name,
                });
            }
        }
        out
    }
}

/// Converts a span to a byte range.
#[must_use]
pub fn bytes(span: Span) -> Range<usize> {
    span.0 as usize..span.1 as usize
}
