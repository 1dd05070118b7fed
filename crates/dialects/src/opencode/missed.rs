//! Why a text was not replaced, in the words of this dialect's reference.

use toolpost_engine::Failure;

/// What the engine says, and what is said here.
const WORDS: [(&str, &str); 4] = [
    ("The text to replace was not found in ", "oldString not found in file content: "),
    ("The text to replace was found ", "oldString found "),
    ("The text to replace is empty", "oldString is empty"),
    ("The old and the new text are the same; ", "oldString and newString must be different: "),
];

/// Names the arguments where the engine names what they stand for.
pub(super) fn reword(failure: Failure) -> Failure {
    let what = WORDS.iter().fold(failure.what, |what, (engine, here)| what.replacen(engine, here, 1));
    Failure { what, ..failure }
}
