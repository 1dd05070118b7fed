//! Failures of language servers.

use std::time::Duration;

/// A failure of a language server. None of these failures means that the answer is empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The server could not be started.
    #[error("`{server}` was not started: {why}")]
    NotStarted {
        /// The name of the server.
        server: String,
        /// The reason, such as a missing program.
        why: String,
    },
    /// The server exited while it was needed.
    #[error("`{server}` exited {when}: {how}")]
    Ended {
        /// The name of the server.
        server: String,
        /// When or why the server exited, as a phrase such as "during a request".
        when: &'static str,
        /// The exit code or signal, or the reason why Toolpost stopped the server.
        how: String,
    },
    /// The server wrote an invalid message, and was stopped.
    #[error("`{server}` was stopped, because its output is not a valid message: {what}")]
    Garbled {
        /// The name of the server.
        server: String,
        /// The description of the problem, with the invalid text.
        what: String,
    },
    /// The server did not answer a request within the time limit.
    #[error(
        "`{server}` did not answer `{method}` within {}; the next call repeats the request",
        seconds(waited)
    )]
    Late {
        /// The name of the server.
        server: String,
        /// The name of the requested method in the protocol.
        method: String,
        /// The time limit for the request.
        waited: Duration,
    },
    /// The server answered with an error.
    #[error("`{server}` refused `{method}`: {message} (code {code})")]
    Refused {
        /// The name of the server.
        server: String,
        /// The name of the requested method in the protocol.
        method: String,
        /// The error code.
        code: i64,
        /// The error message.
        message: String,
    },
    /// The answer cannot be parsed.
    #[error("`{server}` gave an invalid answer to `{method}`: {what}")]
    Odd {
        /// The name of the server.
        server: String,
        /// The name of the requested method in the protocol.
        method: String,
        /// The description of the problem with the answer.
        what: String,
    },
    /// The server has failed, and Toolpost does not start it again before a pause is over.
    #[error("{last}; it has failed {} and is not restarted for another {}", often(*times), seconds(wait))]
    Resting {
        /// The last failure.
        last: Box<ServerError>,
        /// The number of failures.
        times: u32,
        /// The remaining time until the server may start again.
        wait: Duration,
    },
    /// The server does not support the method.
    #[error("`{server}` does not support `{method}`")]
    Unable {
        /// The name of the server.
        server: String,
        /// The name of the requested method in the protocol.
        method: String,
    },
    /// The server does not read its input.
    #[error("`{server}` was stopped, because it does not read its input")]
    Deaf {
        /// The name of the server.
        server: String,
    },
}

fn often(times: u32) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}

fn seconds(time: &Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
