//! Errors of the shared index.

use tokio_postgres::error::SqlState;

/// An error of the shared index, with the next step.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The URL is not valid.
    #[error("`{0}` is no address of an index; it has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Address(String),
    /// The URL has unsupported security parameters.
    #[error("the connection to {place} cannot be secured: {why}")]
    Mode {
        /// The server's location.
        place: String,
        /// The problem.
        why: String,
    },
    /// The server does not encrypt, or its certificate is not trusted.
    #[error(
        "no secured connection to the index at {place}: {why}; nothing was sent in plain text; look at the server's settings (ssl = on) and \
         its certificate, and at sslmode and sslrootcert in the address"
    )]
    Unsecured {
        /// The server's location.
        place: String,
        /// The cause.
        why: String,
    },
    /// The server is unreachable.
    #[error(
        "the index at {place} cannot be reached: {why}; is the server running, and is the address right?"
    )]
    Unreachable {
        /// The server's location.
        place: String,
        /// The system's message.
        why: String,
    },
    /// The server rejects the user.
    #[error("the index at {place} refuses the user: {why}; correct the user and the password in the address")]
    Refused {
        /// The server's location.
        place: String,
        /// The server's message.
        why: String,
    },
    /// The server took too long.
    #[error("the index at {0} took too long for one question; look at what the server does, or ask for less")]
    Slow(String),
    /// The database has no index.
    #[error("the database at {0} holds no index; `toolpost index push` makes one")]
    NotMade(String),
    /// Another version made the index.
    #[error(
        "the index at {place} has version {found} of its tables, and this program knows version {known}; \
         use the program that made it, or the newer one of both"
    )]
    Version {
        /// The server's location.
        place: String,
        /// The version of the tables.
        found: i32,
        /// The supported version.
        known: i32,
    },
    /// An older version made the index.
    #[error(
        "the index at {place} has version {found} of its tables, which is older than {known}, the one of this program; \
         `toolpost index push` brings it up, and older programs then have to be replaced"
    )]
    Older {
        /// The server's location.
        place: String,
        /// The version of the tables.
        found: i32,
        /// The supported version.
        known: i32,
    },
    /// The embedding model cannot be used.
    #[error("no vectors can be made: {0}")]
    Model(String),
    /// A required extension is not installed on the server.
    #[error(
        "the server at {place} has no extension {name}; install the package that holds it, and try again"
    )]
    Extension {
        /// The server's location.
        place: String,
        /// The extension.
        name: String,
    },
    /// The server's encoding cannot store the texts.
    #[error(
        "the database at {place} has the encoding {found}; make one with the encoding UTF8 for the index"
    )]
    Encoding {
        /// The server's location.
        place: String,
        /// The encoding.
        found: String,
    },
    /// The server rejected a statement.
    #[error("the index at {place} failed: {what}")]
    Failed {
        /// The server's location.
        place: String,
        /// The server's message.
        what: String,
        /// Set if a retry may succeed.
        again: bool,
    },
    /// No repository has that name.
    #[error("no repository in the index is called {asked}; there are {known}")]
    NoRepository {
        /// The requested name.
        asked: String,
        /// The known names.
        known: String,
    },
    /// The repository has no such branch.
    #[error("{repository} has no branch {branch} in the index; there are {known}")]
    NoBranch {
        /// The repository.
        repository: String,
        /// The requested branch.
        branch: String,
        /// The known branches.
        known: String,
    },
    /// A git command failed.
    #[error("git could not {what}: {why}")]
    Git {
        /// The command's purpose.
        what: String,
        /// The message.
        why: String,
    },
    /// The pattern cannot be used.
    #[error(transparent)]
    Pattern(#[from] toolpost_search::SearchError),
    /// A name with wildcards cannot be used.
    #[error("`{0}` is no name of repositories; `*` stands for any letters")]
    Names(String),
    /// The query has no words.
    #[error("`{0}` has no words to look for; say in a few words what the code does")]
    Question(String),
    /// Required rows have been removed.
    #[error("the index at {0} changed while it was written to; push again")]
    Changed(String),
}

impl Fault {
    /// Converts an error of the server or the connection.
    pub(crate) fn of(place: &str, error: &tokio_postgres::Error) -> Self {
        let place = place.to_owned();
        let Some(said) = error.as_db_error() else {
            return Self::Unreachable { place, why: whole(error) };
        };
        let what = match said.detail() {
            Some(detail) => format!("{} ({detail})", said.message()),
            None => said.message().to_owned(),
        };
        let code = said.code();
        if [
            SqlState::INVALID_PASSWORD,
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
            SqlState::INSUFFICIENT_PRIVILEGE,
        ]
        .contains(code)
        {
            return Self::Refused { place, why: what };
        }
        if [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(code) {
            return Self::NotMade(place);
        }
        let ends = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
        ];
        if ends.contains(code) {
            return Self::Unreachable { place, why: what };
        }
        if *code == SqlState::QUERY_CANCELED {
            return Self::Slow(place);
        }
        let again = [
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::UNIQUE_VIOLATION,
        ]
        .contains(code);
        Self::Failed { place, what, again }
    }

    /// Returns whether an immediate retry may succeed.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Failed { again: true, .. } | Self::Changed(_))
    }
}

/// Writes an error with its causes.
fn whole(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = inner.source();
    }
    words
}
