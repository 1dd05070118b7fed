//! Fuzz targets for all code that reads untrusted bytes, and a driver that mutates a stored corpus.
//!
//! A target is a function over bytes that panics if an invariant does not hold. cargo-fuzz and `cargo xtask
//! fuzz` call the same functions.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "fuzz targets panic on a finding, and create their own files"
)]

mod algorithms;
mod arguments;
mod damage;
mod documents;
mod drive;
mod files;
mod locks;
mod mutate;
mod texts;

pub use drive::{Finding, Outcome, drive, judge, shrunk};
pub use mutate::Mutator;

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name, also of its directory in `fuzz/corpus`.
    pub name: &'static str,
    /// Kind of the checked code.
    pub kind: Kind,
    /// Checks the invariants for an input, and panics if one does not hold.
    pub run: fn(&[u8]),
    /// Pieces that mutations insert, because random bytes rarely form them.
    pub words: &'static [&'static str],
}

/// Kind of the code that a target checks. CI gives readers more time, because the algorithms have property tests, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A reader of hostile bytes.
    Reader,
    /// An algorithm on text.
    Algorithm,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "arguments", kind: Kind::Reader, run: arguments::run, words: arguments::WORDS },
    algorithms::CUT,
    algorithms::DIFF,
    Target { name: "framing", kind: Kind::Reader, run: texts::framing, words: texts::FRAMES },
    algorithms::GUARD,
    algorithms::HASHLINE,
    Target { name: "html", kind: Kind::Reader, run: texts::html, words: texts::TAGS },
    Target { name: "image", kind: Kind::Reader, run: documents::image, words: &[] },
    Target { name: "locks", kind: Kind::Reader, run: locks::run, words: locks::WORDS },
    algorithms::MATCHING,
    algorithms::MERGE,
    Target { name: "notebook", kind: Kind::Reader, run: documents::notebook, words: documents::KEYS },
    algorithms::PATCH,
    Target { name: "pdf", kind: Kind::Reader, run: documents::pdf, words: documents::OBJECTS },
    Target { name: "proxy", kind: Kind::Reader, run: texts::proxy, words: texts::HEADS },
    Target { name: "scip", kind: Kind::Reader, run: files::scip, words: &[] },
    Target { name: "segments", kind: Kind::Reader, run: files::segments, words: &[] },
    Target { name: "shell", kind: Kind::Reader, run: texts::shell, words: texts::SIGNS },
    algorithms::TEXT_OPEN_SPLICE,
    algorithms::WINDOW,
    Target { name: "wire", kind: Kind::Reader, run: texts::wire, words: texts::MESSAGES },
    Target { name: "xml", kind: Kind::Reader, run: documents::xml, words: documents::ELEMENTS },
    Target {
        name: "zip",
        kind: Kind::Reader,
        run: documents::zip,
        words: &["PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "ustar"],
    },
];

/// Finds a target by its name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
