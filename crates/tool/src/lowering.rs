//! The context in which a tool converts its arguments: path resolution, and the requested form of the reply.

use crate::budget::Budget;
use std::cell::RefCell;
use toolpost_engine::{Engine, Failure, Hint, is_dependency, operations::grep::Rules};
use toolpost_text::{cut::Limit, matching::Step};
use toolpost_workspace::WorkspacePath;

/// The caller's choice of whether a reply contains the operation's output as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    Wanted,
    NotWanted,
}

/// The context in which a tool converts its arguments to a request.
pub struct Lowering<'a> {
    engine: &'a Engine,
    budget: Budget,
    matching: Step,
    structure: Structure,
    reply_bytes: usize,
    most_bytes: usize,
    notes: RefCell<Vec<String>>,
    say: fn(&Hint) -> String,
}

impl<'a> Lowering<'a> {
    /// Creates the context of a dialect from its reply budget, the loosest match that its edits accept, and its
    /// wording of hints.
    pub(crate) fn new(engine: &'a Engine, budget: Budget, matching: Step, say: fn(&Hint) -> String) -> Self {
        Self {
            engine,
            budget,
            matching,
            structure: Structure::NotWanted,
            reply_bytes: budget.bytes,
            most_bytes: budget.bytes,
            notes: RefCell::default(),
            say,
        }
    }

    /// Returns the dialect's wording of hints.
    pub(crate) fn say(&self) -> fn(&Hint) -> String {
        self.say
    }

    /// Requests the operation's output as data, in addition to the text.
    #[must_use]
    pub fn with_structure(self) -> Self {
        Self { structure: Structure::Wanted, ..self }
    }

    /// Sets the size limits of a reply in bytes: the usual one, which replaces the dialect's budget, and the one
    /// for a caller that asks for the whole reply.
    #[must_use]
    pub fn with_reply_bytes(self, reply_bytes: usize, most_bytes: usize) -> Self {
        Self { reply_bytes, most_bytes, ..self }
    }

    /// Returns the dialect's limit of a reply in lines.
    #[must_use]
    pub fn budget_lines(&self) -> usize {
        self.budget.lines
    }

    /// Returns the most approximate match that an edit accepts for the text to replace.
    #[must_use]
    pub fn matching(&self) -> Step {
        self.matching
    }

    /// Returns the size limit in bytes for a caller that asks for the whole reply; the renderer must then call
    /// [`Page::all`](crate::Page::all).
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

    /// Returns the configured ignore rules, for tools whose dialect does not prescribe ignore rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.engine.rules()
    }

    /// Returns the remote code search service, if the operator has configured one.
    #[must_use]
    pub fn service(&self) -> Option<std::sync::Arc<toolpost_engine::CodeService>> {
        self.engine.service()
    }

    /// Returns whether the operation's output is requested as data in addition to the text.
    #[must_use]
    pub fn wants_structure(&self) -> bool {
        self.structure == Structure::Wanted
    }

    /// Adds a note to the reply about how an ambiguous argument was understood.
    pub fn note(&self, note: impl Into<String>) {
        let (mut notes, note) = (self.notes.borrow_mut(), note.into());
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Removes and returns the notes about ambiguous arguments.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// Resolves a path in the workspace.
    ///
    /// # Errors
    /// `Outside` if the path leads out of every root, `Invalid` if the text is not a path or names a
    /// dependency. The failure never reveals whether a file exists.
    pub fn path(&self, raw_path: &str) -> Result<WorkspacePath, Failure> {
        if is_dependency(raw_path) {
            let what = format!(
                "{raw_path} is a dependency, which is read-only: this tool works only on the workspace."
            );
            let advice = format!(
                "Tools that read, list and search files accept dependencies. For a file with this name, \
                 pass ./{raw_path}."
            );
            return Err(Failure::invalid(what).hint(Hint::Advice(advice)));
        }
        self.worded(self.engine.resolve(raw_path))
    }

    /// If a path could not be resolved because it is in no root, adds the advice to add a root to the failure's
    /// message, because a tool may show the message without the failure's hints.
    fn worded(&self, resolved: Result<WorkspacePath, Failure>) -> Result<WorkspacePath, Failure> {
        resolved.map_err(|failure| failure.completed(self.say))
    }

    /// Returns whether something exists at a path of the workspace.
    #[must_use]
    pub fn exists(&self, raw_path: &str) -> bool {
        self.engine.resolve(raw_path).is_ok_and(|path| self.engine.exists(&path))
    }

    /// Resolves the source of a read: a path, or a dependency such as `rust:serde/src/lib.rs`.
    ///
    /// # Errors
    /// As `path`, and as `Engine::dependency`.
    pub fn source(&self, raw_path: &str) -> Result<WorkspacePath, Failure> {
        if !is_dependency(raw_path) {
            return self.worded(self.engine.resolve(raw_path));
        }
        let resolved = self.engine.dependency(raw_path)?;
        resolved.notes.into_iter().for_each(|note| self.note(note));
        Ok(resolved.path)
    }

    /// Resolves the source of a read; by default, the first root.
    ///
    /// # Errors
    /// As `source`.
    pub fn source_or_root(&self, raw_path: Option<&str>) -> Result<WorkspacePath, Failure> {
        self.source(raw_path.filter(|raw_path| !raw_path.trim().is_empty()).unwrap_or("."))
    }

    /// Resolves the path of a file; a path that ends with a slash names a directory.
    ///
    /// # Errors
    /// As `path`, and `Invalid` for a path that ends with a slash.
    pub fn file(&self, raw_path: &str) -> Result<WorkspacePath, Failure> {
        if raw_path.ends_with(['/', '\\']) {
            return Err(Failure::invalid(format!(
                "{raw_path} is the path of a directory; pass the path of a file, without a slash at the end."
            )));
        }
        self.path(raw_path)
    }

    /// Resolves a path without following a link at its end, as deleting and moving require.
    ///
    /// # Errors
    /// As `path`.
    pub fn entry(&self, raw_path: &str) -> Result<WorkspacePath, Failure> {
        self.worded(self.engine.resolve_entry(raw_path))
    }

    /// Resolves the new path, including the name, of a file or directory that is moved or copied.
    ///
    /// # Errors
    /// As `entry`, and `Invalid` if the new path `raw_path` ends with a slash and the old path `of` does not: such
    /// a path means a directory to put the file into. As a file name, it would let the next file overwrite this one.
    pub fn destination(&self, raw_path: &str, of: &str) -> Result<WorkspacePath, Failure> {
        let names_a_directory = |path: &str| path.ends_with(['/', '\\']);
        if names_a_directory(raw_path) && !names_a_directory(of) {
            return Err(Failure::invalid(format!(
                "{raw_path} ends with a slash, which means a directory; pass the whole new path, including the \
                 file name."
            )));
        }
        self.entry(raw_path)
    }

    /// Resolves the path of a directory; by default, the first root.
    ///
    /// # Errors
    /// As `path`.
    pub fn path_or_root(&self, raw_path: Option<&str>) -> Result<WorkspacePath, Failure> {
        self.path(raw_path.filter(|raw_path| !raw_path.trim().is_empty()).unwrap_or("."))
    }
}
