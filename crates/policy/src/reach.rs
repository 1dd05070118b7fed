//! Paths that sandboxed commands cannot access even if the rules allow the access, so no prompt offers it.

use crate::access::Access;
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The reason why the sandbox prevents or redirects a command's access to a path, even if the user approves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreachableReason {
    /// The path is not visible to commands.
    Hidden,
    /// The path is a directory of which commands see only a part.
    Part,
    /// The path is in a directory that is private and initially empty for commands, and whose changes are
    /// lost.
    Private,
    /// The path can only be read by commands.
    ReadOnly,
    /// Commands can access the path, but see a private directory of the session there. The access is
    /// redirected, not prevented.
    Own,
    /// Commands cannot change the path, because other programs execute such files; file tools can change it.
    Protected,
}

/// The paths outside the roots that a command names. A path can begin with `~`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutsidePaths {
    /// The paths that an allowed command may read, so its sandbox must show them.
    pub readable: Vec<PathBuf>,
    /// All paths that the command names, except those that it only writes; also those that no rule is about, such as
    /// the operand of `test`.
    pub named: Vec<PathBuf>,
}

/// The function that returns why the sandbox prevents or redirects an access to an absolute path, or to one that begins with `~`;
/// `None` if it does neither.
type Test = dyn Fn(Access, &Path) -> Option<UnreachableReason> + Send + Sync;

/// The test for paths that the sandbox withholds from commands.
#[derive(Clone)]
pub(crate) struct CommandReach(Arc<Test>);

impl CommandReach {
    /// Wraps the function that tests paths.
    pub(crate) fn new(
        prevents: impl Fn(Access, &Path) -> Option<UnreachableReason> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(prevents))
    }

    /// Returns the reason why commands cannot make this access to a path, or why the access is redirected; otherwise
    /// `None`.
    pub(crate) fn prevents(&self, access: Access, path: &Path) -> Option<UnreachableReason> {
        (self.0)(access, path)
    }
}

impl fmt::Debug for CommandReach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CommandReach")
    }
}

impl UnreachableReason {
    /// Returns the reason and, for an access that is prevented, the next step.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Hidden => {
                "no approval or rule makes it visible to commands, which run in Toolpost's sandbox. Work without it, or ask the \
                 user to start Toolpost with `--root` for the directory that contains it"
            }
            Self::Part => {
                "commands see only a part of this directory, because they run in Toolpost's sandbox. Name a directory or file in \
                 it, or ask the user to start Toolpost with `--root` for a directory in it"
            }
            Self::Private => {
                "commands have a private, empty home directory, because they run in Toolpost's sandbox. Name a file or a \
                 directory in it to read it; write to the workspace"
            }
            Self::Own => {
                "commands have a private directory there, which other programs do not see, and which Toolpost removes at the \
                 end of the session at the latest"
            }
            Self::ReadOnly => {
                "no approval or rule lets commands write outside the workspace, because they run in Toolpost's sandbox. Write to \
                 the workspace, or leave this command to the user"
            }
            Self::Protected => {
                "commands cannot change it, because other programs execute such files without asking. Write it with a file \
                 tool, which asks the user"
            }
        }
    }
}
