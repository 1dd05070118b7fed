//! What `lower` may know: where the roots are, and how the dialect wants its answer.

use crate::Dialect;
use std::cell::RefCell;
use toolpost_engine::{Engine, Failure, Hint, is_dependency, operations::grep::Rules};
use toolpost_text::cut::Limit;
use toolpost_workspace::WorkspacePath;

/// Whether the structured part of a reply is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    Wanted,
    NotWanted,
}

/// What `lower` may know.
pub struct Lowering<'a> {
    engine: &'a Engine,
    /// The dialect that speaks.
    pub dialect: &'a Dialect,
    structure: Structure,
    reply_bytes: usize,
    most_bytes: usize,
    notes: RefCell<Vec<String>>,
}

impl<'a> Lowering<'a> {
    /// Makes the knowledge of a dialect over an engine.
    #[must_use]
    pub fn new(engine: &'a Engine, dialect: &'a Dialect) -> Self {
        Self {
            engine,
            dialect,
            structure: Structure::NotWanted,
            reply_bytes: dialect.budget.bytes,
            most_bytes: dialect.budget.bytes,
            notes: RefCell::default(),
        }
    }

    /// Asks for the structured part, too.
    #[must_use]
    pub fn with_structure(self) -> Self {
        Self { structure: Structure::Wanted, ..self }
    }

    /// Sets how many bytes a reply may have, where that is not the dialect's budget; and how many it may have where the caller
    /// says that it wants all.
    #[must_use]
    pub fn with_reply_bytes(self, reply_bytes: usize, most_bytes: usize) -> Self {
        Self { reply_bytes, most_bytes, ..self }
    }

    /// Tells how many bytes a reply may have where the caller says that it wants all; then its page has to say so.
    #[must_use]
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Gives how much a reply may hold.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit { bytes: self.reply_bytes, lines: self.dialect.budget.lines }
    }

    /// Tells how many bytes a reply may have.
    #[must_use]
    pub fn reply_bytes(&self) -> usize {
        self.reply_bytes
    }

    /// Tells whose ignore rules count where the dialect leaves that to the project.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.engine.rules()
    }

    /// Gives the service on another machine that is asked for code and documents, too, where the operator has named one.
    #[must_use]
    pub fn service(&self) -> Option<std::sync::Arc<toolpost_engine::CodeService>> {
        self.engine.service()
    }

    /// Tells whether the operation's output is wanted as data beside the words.
    #[must_use]
    pub fn wants_structure(&self) -> bool {
        self.structure == Structure::Wanted
    }

    /// Adds a note to the reply: what was chosen where something else could have been meant.
    pub fn note(&self, note: impl Into<String>) {
        let (mut notes, note) = (self.notes.borrow_mut(), note.into());
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Gives what was chosen where something else could have been meant, in a sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// Finds the place in the workspace that was said.
    ///
    /// # Errors
    /// `Outside` when it leads out of every root, `Invalid` when it is no path; never whether something is there.
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

    /// Finds the place that was said, to read what is there: a path, or a dependency as `rust:serde/src/lib.rs`.
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

    /// Finds the place that was said, to read what is there, or the first root.
    ///
    /// # Errors
    /// As `source`.
    pub fn source_or_root(&self, said: Option<&str>) -> Result<WorkspacePath, Failure> {
        self.source(said.filter(|said| !said.trim().is_empty()).unwrap_or("."))
    }

    /// Finds the file that was said; a path that ends with a slash names a directory.
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

    /// Finds the name that was said: a link is the link itself, as deleting and moving want it.
    ///
    /// # Errors
    /// As `path`.
    pub fn entry(&self, said: &str) -> Result<WorkspacePath, Failure> {
        self.engine.resolve_entry(said)
    }

    /// Finds the place that something shall get, under its whole new name.
    ///
    /// # Errors
    /// As `entry`, and `Invalid` where a slash at the end means a directory to put a file into: whether one is there is not known
    /// here, and taken as a name it would put the next file over the first.
    pub fn destination(&self, said: &str, of: &str) -> Result<WorkspacePath, Failure> {
        let names_a_directory = |path: &str| path.ends_with(['/', '\\']);
        if names_a_directory(said) && !names_a_directory(of) {
            return Err(Failure::invalid(format!(
                "{said} names a directory; write the whole new path, with the name of the file at its end."
            )));
        }
        self.entry(said)
    }

    /// Finds the directory that was said, or the first root.
    ///
    /// # Errors
    /// As `path`.
    pub fn path_or_root(&self, said: Option<&str>) -> Result<WorkspacePath, Failure> {
        self.path(said.filter(|said| !said.trim().is_empty()).unwrap_or("."))
    }
}
