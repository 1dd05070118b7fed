//! Failures of language servers.

use std::time::Duration;

/// A failure of a language server; none of these means that there are no results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The server could not be started.
    #[error("`{server}` was not started: {why}")]
    NotStarted {
        /// The server.
        server: String,
        /// The reason.
        why: String,
    },
    /// The server exited while it was needed.
    #[error("`{server}` ended {when}: {how}")]
    Ended {
        /// The server.
        server: String,
        /// The time of the exit, in a few words.
        when: &'static str,
        /// The kind of exit.
        how: String,
    },
    /// The server wrote an invalid message, and was ended.
    #[error("`{server}` was stopped, because its output is not a valid message: {what}")]
    Garbled {
        /// The server.
        server: String,
        /// The invalid text.
        what: String,
    },
    /// The time limit passed.
    #[error(
        "`{server}` did not answer `{method}` within {}; the next call repeats the request",
        seconds(waited)
    )]
    Late {
        /// The server.
        server: String,
        /// The method.
        method: String,
        /// The time limit.
        waited: Duration,
    },
    /// The server answered with an error.
    #[error("`{server}` refused `{method}`: {message} (code {code})")]
    Refused {
        /// The server.
        server: String,
        /// The method.
        method: String,
        /// The error code.
        code: i64,
        /// The error message.
        message: String,
    },
    /// The answer cannot be parsed.
    #[error("the answer of `{server}` to `{method}` is not valid: {what}")]
    Odd {
        /// The server.
        server: String,
        /// The method.
        method: String,
        /// The problem.
        what: String,
    },
    /// The server has failed before, and pauses before the next start.
    #[error("{last}; it has failed {times} times and will be restarted in {}", seconds(wait))]
    Resting {
        /// The last failure.
        last: Box<Fault>,
        /// The number of failures.
        times: u32,
        /// The remaining pause.
        wait: Duration,
    },
    /// The server does not support the method.
    #[error("`{server}` does not support `{method}`")]
    Unable {
        /// The server.
        server: String,
        /// The method.
        method: String,
    },
    /// The answer refers to an earlier content of a file.
    #[error(
        "`{server}` answered `{method}` for an earlier content of {file}, which has changed since; repeat the request"
    )]
    Stale {
        /// The server.
        server: String,
        /// The method.
        method: String,
        /// The file.
        file: String,
    },
    /// The server does not read its input.
    #[error("`{server}` was stopped, because it does not read its input")]
    Deaf {
        /// The server.
        server: String,
    },
}

fn seconds(time: &Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
