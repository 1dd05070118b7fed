//! Resolution of module names to files, per language family.

mod c;
mod ecma;
mod go;
mod java;
mod python;
mod rust;

use crate::resolve::{Location, Resolver, Value};
use crate::rules::{self, Family};
use crate::target::ResolutionMethod;
use crate::word::Word;

impl Resolver<'_> {
    /// Returns the modules of the workspace that a name in an import may mean.
    pub(crate) fn module(&self, spot: Location, name: &str) -> Vec<Value> {
        match rules::of(&self.graph.file(spot.file).record.language).family {
            Family::Python => self.python_module(spot, name),
            Family::Ecma => self.script_module(spot, name),
            Family::Rust => self.rust_module(spot, name),
            Family::Go => self.go_module(name),
            Family::Java => self.java_module(name),
            Family::C => self.namespace(name),
            Family::None => Vec::new(),
        }
    }

    /// Finds the module of a plain name that the file does not define, such as the name of a crate; only in Rust.
    pub(crate) fn bare_module(&self, spot: Location, name: Word) -> Vec<Value> {
        match rules::of(&self.graph.file(spot.file).record.language).family {
            Family::Rust => self.rust_module(spot, self.graph.text(name)),
            _ => Vec::new(),
        }
    }

    /// Returns the meanings that a name has without an import, by the rules of the language: for example,
    /// from another file of the same package.
    pub(crate) fn added(&self, spot: Location, name: Word) -> Vec<(Value, ResolutionMethod)> {
        match rules::of(&self.graph.file(spot.file).record.language).family {
            Family::Go => self.go_package(spot, name),
            Family::Java => self.java_package(spot, name),
            Family::C => self.linked(spot, name),
            Family::Rust => self.rust_added(spot, name),
            Family::Python | Family::Ecma | Family::None => Vec::new(),
        }
    }
}

/// Joins a relative path to a directory, resolving `.` and `..`; `None` if it leaves the root.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
