//! How the names of modules lead to files, in each family of languages.

mod c;
mod ecma;
mod go;
mod java;
mod manifest;
mod python;
mod rust;

pub use manifest::is_manifest;
pub(crate) use manifest::{LIMIT, Manifest};

use crate::Word;
use crate::resolve::{Resolver, Spot, Value};
use crate::rules::{self, Family};

impl Resolver<'_> {
    /// Finds the modules that are meant by a name as it is written in an import; none if it is outside of the workspace.
    pub(crate) fn module(&self, spot: Spot, name: &str) -> Vec<Value> {
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

    /// Finds the module that a plain name means which nothing in the file defines, such as the name of a crate.
    pub(crate) fn bare_module(&self, spot: Spot, name: Word) -> Vec<Value> {
        match rules::of(&self.graph.file(spot.file).record.language).family {
            Family::Rust => self.rust_module(spot, self.graph.text(name)),
            _ => Vec::new(),
        }
    }

    /// Finds what a language lets a name mean without an import.
    pub(crate) fn added(&self, spot: Spot, name: Word) -> Vec<(Value, crate::How)> {
        match rules::of(&self.graph.file(spot.file).record.language).family {
            Family::Go => self.go_package(spot, name),
            Family::Java => self.java_package(spot, name),
            Family::C => self.linked(spot, name),
            Family::Rust => self.rust_added(spot, name),
            Family::Python | Family::Ecma | Family::None => Vec::new(),
        }
    }
}

/// Puts the names of a path behind those of a directory; `.` and `..` are followed. None if it leads out at the top.
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
