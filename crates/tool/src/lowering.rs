//! The context of `lower`: path resolution, and the requested form of the reply.

use crate::budget::Budget;
use std::cell::RefCell;
use toolpost_engine::{Engine, Failure, Hint, is_dependency, operations::grep::Rules};
use toolpost_text::{cut::Limit, matching::Step};
use toolpost_workspace::WorkspacePath;

/// Request for the structured part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    Wanted,
    NotWanted,
}

/// The context of `lower`.
pub struct Lowering<'a> {
    engine: &'a Engine,
    budget: Budget,
    matching: Step,
    structure: Structure,
    reply_bytes: usize,
    most_bytes: usize,
    notes: RefCell<Vec<String>>,
}

impl<'a> Lowering<'a> {
    /// Creates the context of a dialect with this reply budget and this tolerance for texts to replace.
    pub(crate) fn new(engine: &'a Engine, budget: Budget, matching: Step) -> Self {
        Self {
            engine,
            budget,
            matching,
            structure: Structure::NotWanted,
            reply_bytes: budget.bytes,
            most_bytes: budget.bytes,
            notes: RefCell::default(),
        }
    }

    /// Requests the structured part, too.
    #[must_use]
    pub fn with_structure(self) -> Self {
        Self { structure: Structure::Wanted, ..self }
    }

    /// Sets the size limit of a reply in bytes, if it is not the dialect's budget, and the limit for a
    /// caller that asks for the whole reply.
    #[must_use]
    pub fn with_reply_bytes(self, reply_bytes: usize, most_bytes: usize) -> Self {
        Self { reply_bytes, most_bytes, ..self }
    }

    /// Returns the dialect's limit of a reply in lines.
    #[must_use]
    pub fn budget_lines(&self) -> usize {
        self.budget.lines
    }

    /// Returns the loosest permitted match of a text to replace.
    #[must_use]
    pub fn matching(&self) -> Step {
        self.matching
    }

    /// Returns the size limit in bytes for a caller that asks for the whole reply; its page must then be
    /// marked as such.
    #[must_use]
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Returns the size limit of a reply.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit { bytes: self.reply_bytes, lines: self.budget.lines }
    }

    /// Returns the size limit of a reply, in bytes.
    #[must_use]
    pub fn reply_bytes(&self) -> usize {
        self.reply_bytes
    }

    /// Returns the ignore rules for tools whose dialect leaves the choice to the project.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.engine.rules()
    }

    /// Returns the remote service that is also asked for code and documents, if the operator has configured
    /// one.
    #[must_use]
    pub fn service(&self) -> Option<std::sync::Arc<toolpost_engine::CodeService>> {
        self.engine.service()
    }

    /// Returns whether the operation's output is requested as data in addition to the text.
    #[must_use]
    pub fn wants_structure(&self) -> bool {
        self.structure == Structure::Wanted
    }

    /// Adds a note to the reply: a choice that was made between several possible meanings.
    pub fn note(&self, note: impl Into<String>) {
        let (mut notes, note) = (self.notes.borrow_mut(), note.into());
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Returns the notes about choices between several possible meanings, in a sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// Resolves a path in the workspace.
    ///
    /// # Errors
    /// `Outside` if it leads out of every root, `Invalid` if it is not a path; never reveals whether a file
    /// exists.
    pub fn path(&self, said: &str) -> Result<WorkspacePath, Failure> {
        if is_dependency(said) {
            let what =
                format!("{said} names a dependency, which is only read: this works on the workspace alone.");
            let advice = format!(
                "Tools that read, list and search files take such names. For a file of that name write ./{said}."
            );
            return Err(Failure::invalid(what).hint(Hint::Advice(advice)));
        }
        self.engine.resolve(said)
    }

    /// Resolves the source of a read: a path, or a dependency such as `rust:serde/src/lib.rs`.
    ///
    /// # Errors
    /// As `path`, and as `Engine::dependency`.
    pub fn source(&self, said: &str) -> Result<WorkspacePath, Failure> {
        if !is_dependency(said) {
            return self.engine.resolve(said);
        }
        let resolved = self.engine.dependency(said)?;
        resolved.notes.into_iter().for_each(|note| self.note(note));
        Ok(resolved.path)
    }

    /// Resolves the source of a read; by default, the first root.
    ///
    /// # Errors
    /// As `source`.
    pub fn source_or_root(&self, said: Option<&str>) -> Result<WorkspacePath, Failure> {
        self.source(said.filter(|said| !said.trim().is_empty()).unwrap_or("."))
    }

    /// Resolves the path of a file; a path that ends with a slash names a directory.
    ///
    /// # Errors
    /// As `path`, and `Invalid` for a path that ends with a slash.
    pub fn file(&self, said: &str) -> Result<WorkspacePath, Failure> {
        if said.ends_with(['/', '\\']) {
            return Err(Failure::invalid(format!(
                "{said} names a directory; name the file in it, without a slash at its end."
            )));
        }
        self.path(said)
    }

    /// Resolves a path without following a link at its end, as deleting and moving require.
    ///
    /// # Errors
    /// As `path`.
    pub fn entry(&self, said: &str) -> Result<WorkspacePath, Failure> {
        self.engine.resolve_entry(said)
    }

    /// Resolves the whole new path of a file or directory.
    ///
    /// # Errors
    /// As `entry`, and `Invalid` if a slash at the end means a directory to put a file into. It is not known
    /// here whether that directory exists; as a file name, it would let the next file overwrite the first.
    pub fn destination(&self, said: &str, of: &str) -> Result<WorkspacePath, Failure> {
        let names_a_directory = |path: &str| path.ends_with(['/', '\\']);
        if names_a_directory(said) && !names_a_directory(of) {
            return Err(Failure::invalid(format!(
                "{said} names a directory; write the whole new path, with the name of the file at its end."
            )));
        }
        self.entry(said)
    }

    /// Resolves the path of a directory; by default, the first root.
    ///
    /// # Errors
    /// As `path`.
    pub fn path_or_root(&self, said: Option<&str>) -> Result<WorkspacePath, Failure> {
        self.path(said.filter(|said| !said.trim().is_empty()).unwrap_or("."))
    }
}
