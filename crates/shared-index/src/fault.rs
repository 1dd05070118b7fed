//! Errors of the shared index.

use tokio_postgres::error::SqlState;

/// An error of the shared index, with the next step in its message.
#[derive(Debug, thiserror::Error)]
pub enum SharedIndexError {
    /// The URL of the index is not valid.
    #[error(
        "`{0}` is not the URL of an index, which has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE; write `@`, \
         `/`, `?` and `%` in the user, the password and the parameters as `%40`, `%2F`, `%3F` and `%25`"
    )]
    Address(String),
    /// The URL of the index has invalid or unsupported security parameters.
    #[error("the connection to {place} cannot be secured: {why}")]
    Mode {
        /// The server's location, without user name and password.
        place: String,
        /// The problem with the parameters, as a clause; with advice, if there is any.
        why: String,
    },
    /// The server does not support encryption, or its certificate is not trusted.
    #[error(
        "no secured connection to the index at {place}: {why}; nothing was sent in plain text; check the server's \
         settings (ssl = on) and its certificate, and sslmode and sslrootcert in the URL"
    )]
    Unsecured {
        /// The server's location, without user name and password.
        place: String,
        /// The cause, as a clause.
        why: String,
    },
    /// The server cannot be reached.
    #[error("the index at {place} cannot be reached: {why}; is the server running, and is the URL right?")]
    Unreachable {
        /// The server's location, without user name and password.
        place: String,
        /// The message of the operating system, or of the client library.
        why: String,
    },
    /// The server rejects the user or the password, or the user lacks a privilege.
    #[error("the index at {place} refuses the user: {why}; correct the user and the password in the URL")]
    Refused {
        /// The server's location, without user name and password.
        place: String,
        /// The message of the server.
        why: String,
    },
    /// A query took longer than its time limit; the text is the server's location.
    #[error("the index at {0} took too long for one query; check the server's load, or narrow the query")]
    Slow(String),
    /// The database has no tables of an index; the text is the server's location.
    #[error("the database at {0} has no index; `toolpost index push` creates one")]
    NotMade(String),
    /// A newer version of Toolpost created the index.
    #[error(
        "the tables of the index at {place} have version {found}, and this program supports version \
         {known}; use the version of Toolpost that created the index"
    )]
    Version {
        /// The server's location, without user name and password.
        place: String,
        /// The version that the tables in the database have.
        found: i32,
        /// The version that this program supports.
        known: i32,
    },
    /// An older version of Toolpost created the index.
    #[error(
        "the tables of the index at {place} have version {found}, and this program needs version {known}; \
         `toolpost index push` upgrades the index, which older versions of Toolpost then cannot use"
    )]
    Older {
        /// The server's location, without user name and password.
        place: String,
        /// The version that the tables in the database have.
        found: i32,
        /// The version that this program supports.
        known: i32,
    },
    /// The embedding model cannot be used.
    #[error("no embeddings can be computed: {0}")]
    Model(String),
    /// A PostgreSQL extension that the index needs is not installed on the server.
    #[error(
        "the server at {place} has no extension {name}; install the package that contains it, and try again"
    )]
    Extension {
        /// The server's location, without user name and password.
        place: String,
        /// The name of the extension.
        name: String,
    },
    /// The character encoding of the database is not UTF-8.
    #[error(
        "the database at {place} has the encoding {found}; create one with the encoding UTF8 for the index"
    )]
    Encoding {
        /// The server's location, without user name and password.
        place: String,
        /// The name of the database's encoding.
        found: String,
    },
    /// The server rejected an SQL statement.
    #[error("the index at {place} failed: {what}")]
    Failed {
        /// The server's location, without user name and password.
        place: String,
        /// The message of the server.
        what: String,
        /// Set if a retry of the transaction may succeed.
        again: bool,
    },
    /// No repository in the index has the requested name.
    #[error("the index has no repository {asked}; its repositories are: {known}")]
    NoRepository {
        /// The requested name.
        asked: String,
        /// The names of the repositories in the index.
        known: String,
    },
    /// The repository has no branch with the requested name in the index.
    #[error("{repository} has no branch {branch} in the index; its branches are: {known}")]
    NoBranch {
        /// The name of the repository.
        repository: String,
        /// The name of the requested branch.
        branch: String,
        /// The names of the repository's branches in the index.
        known: String,
    },
    /// A git command failed.
    #[error("git could not {what}: {why}")]
    Git {
        /// The purpose of the command, as a verb phrase.
        what: String,
        /// The message of git, or the problem.
        why: String,
    },
    /// The regular expression to search for is not valid.
    #[error(transparent)]
    Pattern(#[from] toolpost_search::SearchError),
    /// A repository name with wildcards, or a file glob, is not a valid pattern; the text is the pattern.
    #[error("`{0}` is not a valid pattern; `*` matches any characters")]
    Names(String),
    /// The query contains no words to search for.
    #[error("`{0}` has no words to search for; describe in a few words what the code does")]
    Question(String),
    /// Contents that a push relied on were removed from the index in the meantime; the text is the server's location.
    #[error("the index at {0} was changed by another program during the push; push again")]
    Changed(String),
}

impl SharedIndexError {
    /// Converts an error of the database server or of the connection to it.
    pub(crate) fn of(place: &str, error: &tokio_postgres::Error) -> Self {
        let place = place.to_owned();
        let Some(db_error) = error.as_db_error() else {
            return Self::Unreachable { place, why: whole(error) };
        };
        let what = match db_error.detail() {
            Some(detail) => format!("{} ({detail})", db_error.message()),
            None => db_error.message().to_owned(),
        };
        let code = db_error.code();
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

    /// Returns whether the same transaction may succeed if it is repeated immediately.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Failed { again: true, .. } | Self::Changed(_))
    }
}

/// Formats an error with all its causes.
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
