//! Random names that cannot be guessed, for servers and jobs.

use crate::error::StartError;

/// Returns a name of ten letters and digits that cannot be guessed.
///
/// # Errors
/// If the system provides no random bytes.
pub(crate) fn random_name() -> Result<String, StartError> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|error| StartError::Missing {
        what: "the system's random number generator",
        fault: std::io::Error::other(error),
    })?;
    Ok(random.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)])).collect())
}
