//! Why the shared index could not do something.

use tokio_postgres::error::SqlState;

/// Why the shared index could not do something, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The address is none.
    #[error("`{0}` is no address of an index; it has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Address(String),
    /// The address says in no way that is known how the connection is secured.
    #[error("the connection to {place} cannot be secured: {why}")]
    Mode {
        /// Where the server is.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// The server does not encrypt, or nobody vouches for it.
    #[error(
        "no secured connection to the index at {place}: {why}; nothing was sent in plain text; look at the server's settings (ssl = on) and \
         its certificate, and at sslmode and sslrootcert in the address"
    )]
    Unsecured {
        /// Where it is.
        place: String,
        /// What went wrong.
        why: String,
    },
    /// The server is not there.
    #[error(
        "the index at {place} cannot be reached: {why}; is the server running, and is the address right?"
    )]
    Unreachable {
        /// Where it should be.
        place: String,
        /// What the system said.
        why: String,
    },
    /// The server does not let the user in.
    #[error("the index at {place} refuses the user: {why}; correct the user and the password in the address")]
    Refused {
        /// Where it is.
        place: String,
        /// What the server said.
        why: String,
    },
    /// The server took too long.
    #[error("the index at {0} took too long for one question; look at what the server does, or ask for less")]
    Slow(String),
    /// There is no index in the database.
    #[error("the database at {0} holds no index; `toolpost index push` makes one")]
    NotMade(String),
    /// The index was made by another version.
    #[error(
        "the index at {place} has version {found} of its tables, and this program knows version {known}; \
         use the program that made it, or the newer one of both"
    )]
    Version {
        /// Where it is.
        place: String,
        /// What it has.
        found: i32,
        /// What is known.
        known: i32,
    },
    /// The index was made by an older version.
    #[error(
        "the index at {place} has version {found} of its tables, which is older than {known}, the one of this program; \
         `toolpost index push` brings it up, and older programs then have to be replaced"
    )]
    Older {
        /// Where it is.
        place: String,
        /// What it has.
        found: i32,
        /// What is known.
        known: i32,
    },
    /// The model that makes vectors cannot be used.
    #[error("no vectors can be made: {0}")]
    Model(String),
    /// Something that the index needs is not installed on the server.
    #[error(
        "the server at {place} has no extension {name}; install the package that holds it, and try again"
    )]
    Extension {
        /// Where it is.
        place: String,
        /// Which one.
        name: String,
    },
    /// The server cannot hold the texts.
    #[error(
        "the database at {place} has the encoding {found}; make one with the encoding UTF8 for the index"
    )]
    Encoding {
        /// Where it is.
        place: String,
        /// What it has.
        found: String,
    },
    /// The server refused a statement.
    #[error("the index at {place} failed: {what}")]
    Failed {
        /// Where it is.
        place: String,
        /// What it said.
        what: String,
        /// Whether it may go well when it is tried again.
        again: bool,
    },
    /// Nothing in the index has such a name.
    #[error("no repository in the index is called {asked}; there are {known}")]
    NoRepository {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: String,
    },
    /// Nothing of the repository has such a name.
    #[error("{repository} has no branch {branch} in the index; there are {known}")]
    NoBranch {
        /// Whose branch was asked for.
        repository: String,
        /// What was asked for.
        branch: String,
        /// What there is.
        known: String,
    },
    /// Git did not do what was asked of it.
    #[error("git could not {what}: {why}")]
    Git {
        /// What was asked.
        what: String,
        /// What it said.
        why: String,
    },
    /// The pattern cannot be used.
    #[error(transparent)]
    Pattern(#[from] toolpost_search::SearchError),
    /// A name with wildcards cannot be used.
    #[error("`{0}` is no name of repositories; `*` stands for any letters")]
    Names(String),
    /// The question has no words.
    #[error("`{0}` has no words to look for; say in a few words what the code does")]
    Question(String),
    /// What was counted on is gone.
    #[error("the index at {0} changed while it was written to; push again")]
    Changed(String),
}

impl Fault {
    /// Words what the server, or the way to it, said.
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

    /// Says whether it may go well when it is tried again at once.
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
