//! Why a language server gave no answer.

use std::time::Duration;

/// Why a language server gave no answer; none of these means that there is nothing to be found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("`{server}` was not started: {why}")]
    NotStarted {
        /// Which.
        server: String,
        /// What stood in the way.
        why: String,
    },
    /// It ended while it was needed.
    #[error("`{server}` ended {when}: {how}")]
    Ended {
        /// Which.
        server: String,
        /// When, in a few words.
        when: &'static str,
        /// How it ended.
        how: String,
    },
    /// It wrote what is no message of the protocol, and was ended.
    #[error("`{server}` was ended, since what it wrote is no message of the protocol: {what}")]
    Garbled {
        /// Which.
        server: String,
        /// What was found.
        what: String,
    },
    /// It took longer than there was time for.
    #[error(
        "`{server}` did not answer `{method}` within {}; it is asked again by the next call",
        seconds(waited)
    )]
    Late {
        /// Which.
        server: String,
        /// What was asked.
        method: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// It answered with an error.
    #[error("`{server}` refused `{method}`: {message} (code {code})")]
    Refused {
        /// Which.
        server: String,
        /// What was asked.
        method: String,
        /// The number of the error.
        code: i64,
        /// What it said.
        message: String,
    },
    /// It answered something that cannot be understood.
    #[error("the answer of `{server}` to `{method}` cannot be understood: {what}")]
    Odd {
        /// Which.
        server: String,
        /// What was asked.
        method: String,
        /// What is odd.
        what: String,
    },
    /// It failed before, and is not started again yet.
    #[error("{last}; it has failed {times} times and is started again in {}", seconds(wait))]
    Resting {
        /// What happened last.
        last: Box<Fault>,
        /// How often that was.
        times: u32,
        /// How long it rests from now.
        wait: Duration,
    },
    /// It has said that it does not answer such questions.
    #[error("`{server}` does not answer `{method}`")]
    Unable {
        /// Which.
        server: String,
        /// What was asked.
        method: String,
    },
    /// What it answered is of what a file held before.
    #[error(
        "`{server}` answered `{method}` by an earlier content of {file}, which was changed meanwhile; ask again"
    )]
    Stale {
        /// Which.
        server: String,
        /// What was asked.
        method: String,
        /// The file.
        file: String,
    },
    /// It does not take what is sent to it.
    #[error("`{server}` was ended, since it does not read what it is sent")]
    Deaf {
        /// Which.
        server: String,
    },
}

fn seconds(time: &Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
