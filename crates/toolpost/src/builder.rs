//! Builder of [`Toolpost`].

use crate::{
    Approval, Error, Toolpost, approvals,
    error::{Cause, Explain},
    parts,
    settings::{
        Origin, Settings,
        values::{Deny, OnOff},
    },
    toolpost::Lifetime,
};
use std::{future::Future, path::PathBuf, sync::Arc};
use toolpost_runtime::{Asker, Question, StructuredOutput};
use toolpost_tool::Dialect;

/// Options of [`Toolpost`]. The defaults are the safe ones: the tools of one dialect, the built-in policy
/// with the user's and the project's rules, a sandbox for commands, and no approvals.
pub struct Builder {
    settings: Settings,
    asker: Arc<dyn Asker>,
    structured: StructuredOutput,
    lifetime: Lifetime,
    own_dialects: Vec<&'static Dialect>,
}

impl Toolpost {
    /// Starts with the defaults and one root, the directory that tools may read and change. Flags,
    /// environment variables and the user's configuration file are not read.
    #[must_use]
    pub fn builder(root: impl Into<PathBuf>) -> Builder {
        let mut settings = Settings::defaults();
        settings.roots.set(vec![root.into()]);
        Builder::new(settings)
    }

    /// Starts with existing settings, such as those of a user ([`Settings::of_user`]).
    #[must_use]
    pub fn with_settings(settings: Settings) -> Builder {
        Builder::new(settings)
    }
}

impl Builder {
    fn new(settings: Settings) -> Self {
        Self {
            settings,
            asker: approvals::denied(),
            structured: StructuredOutput::Off,
            lifetime: Lifetime::ManyCalls,
            own_dialects: Vec::new(),
        }
    }

    /// Adds a directory that tools may read and change.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        let roots = [self.settings.roots.value.clone(), vec![root.into()]].concat();
        self.settings.roots.set(roots);
        self
    }

    /// Sets the dialect, which gives the tools their names and wording: `claude` (the default), `opencode`,
    /// `probe`, `trae` or `zblade`.
    #[must_use]
    pub fn dialect(self, name: impl Into<String>) -> Self {
        self.dialects([name])
    }

    /// Sets several dialects. Tools with the same name in two of them get the dialect as a prefix.
    #[must_use]
    pub fn dialects<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.settings.dialects.set(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a dialect that this program defines. It replaces the default dialect; [`dialect`](Self::dialect)
    /// adds others. Opening fails with [`Error::Tools`] if [`Dialect::check`] finds a mistake in it.
    #[must_use]
    pub fn own_dialect(mut self, dialect: &'static Dialect) -> Self {
        self.own_dialects.push(dialect);
        self
    }

    /// Selects the tools: names, patterns with `*`, or `!NAME` to leave one out.
    #[must_use]
    pub fn tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.settings.tools.set(Some(names.into_iter().map(Into::into).collect()));
        self
    }

    /// Removes every tool with this capability. No rule and no approval overrides this.
    #[must_use]
    pub fn deny(mut self, capability: Deny) -> Self {
        let denied = [self.settings.deny.value.clone(), vec![capability]].concat();
        self.settings.deny.set(denied);
        self
    }

    /// Removes every tool that writes, the tools of upstream servers and, without a sandbox, the tools that run
    /// commands.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.settings.read_only.set(OnOff::On);
        self
    }

    /// Sets a policy file, which replaces those of the user and of the project. Permanent approvals are added to it.
    #[must_use]
    pub fn policy(mut self, file: impl Into<PathBuf>) -> Self {
        self.settings.policy.set(Some(file.into()));
        self
    }

    /// Runs commands without a sandbox, with all rights of this process.
    #[must_use]
    pub fn without_sandbox(mut self) -> Self {
        self.settings.sandbox.set(OnOff::Off);
        self
    }

    /// Sets the directory of history, locks and trust; the default is the user's state directory, which all of
    /// Toolpost's processes share. With `None`, there is no history and no undo.
    #[must_use]
    pub fn state(mut self, directory: Option<PathBuf>) -> Self {
        self.settings.state.set(directory);
        self
    }

    /// Sets the directory of the indexes; the default is the user's cache directory. With `None`, indexes are
    /// kept in memory.
    #[must_use]
    pub fn cache(mut self, directory: Option<PathBuf>) -> Self {
        self.settings.cache.set(directory);
        self
    }

    /// Changes settings for which this builder has no method.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Adds the output of each call as data to its reply ([`Reply::structured`](crate::Reply::structured)).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolpost::Toolpost;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), toolpost::Error> {
    /// let post = Toolpost::builder(".").read_only().state(None).structured().open().await?;
    /// let arguments = json!({ "pattern": "^name = ", "path": "Cargo.toml", "output_mode": "content" });
    /// let reply = post.session().call("Grep", arguments).await;
    /// let output = reply.structured().expect("the call succeeds");
    /// assert_eq!(output["files"][0]["path"], "Cargo.toml");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn structured(mut self) -> Self {
        self.structured = StructuredOutput::On;
        self
    }

    /// Sets the expected number of calls; the default is [`Lifetime::ManyCalls`].
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Sets the function that answers when the policy asks for approval. Without one, every access that needs
    /// approval is denied.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolpost::{Approval, Kind, Problem, Toolpost};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let root = tempfile::tempdir()?;
    /// let post = Toolpost::builder(root.path())
    ///     .state(None)
    ///     .approve(|question| async move {
    ///         println!("{}", question.words()); // shown to the user unchanged
    ///         Approval::Deny("The user is away.".to_owned())
    ///     })
    ///     .open()
    ///     .await?;
    /// // An editor runs what this file says, so the built-in rules ask before it is written.
    /// let file = root.path().join(".vscode/tasks.json");
    /// let reply = post.session().call("Write", json!({ "file_path": file, "content": "{}" })).await;
    /// assert_eq!(reply.problem(), Some(Problem::Failed(Kind::Denied)));
    /// assert!(reply.text().contains("The user is away."));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn approve<F, A>(self, answer: F) -> Self
    where
        F: Fn(Question) -> A + Send + Sync + 'static,
        A: Future<Output = Approval> + Send + 'static,
    {
        self.asker(approvals::callback(answer))
    }

    /// Sets the source of approvals, for a program that implements [`Asker`] itself.
    #[must_use]
    pub fn asker(mut self, asker: Arc<dyn Asker>) -> Self {
        self.asker = asker;
        self
    }

    /// Opens the workspace and everything that the settings name, and connects the upstream servers.
    ///
    /// # Errors
    /// The variant of [`Error`] names the part that cannot be used.
    pub async fn open(self) -> Result<Toolpost, Error> {
        let opened = tokio::task::spawn_blocking(|| self.open_blocking()).await;
        let post = opened.explain(Error::Workspace, "opening was interrupted")??;
        post.connect().await;
        Ok(post)
    }

    /// Opens, in this thread, the workspace and everything that the settings name, without connecting the upstream
    /// servers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_blocking(mut self) -> Result<Toolpost, Error> {
        if self.settings.roots.value.is_empty() {
            return Err(Error::Workspace(Cause::text(
                "no root is set: pass at least one directory as a root",
            )));
        }
        if !self.own_dialects.is_empty() && self.settings.dialects.origin == Origin::Default {
            self.settings.dialects.value.clear();
        }
        self.own_dialects.iter().try_for_each(|dialect| checked(dialect))?;
        let dialects = [self.own_dialects, parts::dialects(&self.settings)?].concat();
        Toolpost::assemble(&self.settings, dialects, self.asker, self.structured, self.lifetime)
    }
}

/// Refuses a dialect with mistakes.
fn checked(dialect: &Dialect) -> Result<(), Error> {
    let mistakes = dialect.check();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Error::Tools(Cause::text(format!(
        "the dialect `{}` is invalid: {}",
        dialect.name,
        mistakes.join("; ")
    ))))
}
