//! Parsers of setting values, with their errors.

use anyhow::{Result, bail};
use std::{path::PathBuf, time::Duration};

/// Smallest reply limit; a shorter reply would have no room for the note about the cut.
const LEAST_REPLY: usize = 2_048;

/// Maximum length of a session name, in characters.
const LONGEST_NAME: usize = 64;

#[expect(clippy::unnecessary_wraps, reason = "it stands where a parser is asked for")]
pub(super) fn names(text: &str) -> Result<Vec<String>> {
    Ok(text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect())
}

#[expect(clippy::unnecessary_wraps, reason = "it stands where a parser is asked for")]
pub(super) fn path(text: &str) -> Result<PathBuf> {
    Ok(PathBuf::from(text))
}

/// Checks a session name, which becomes part of a file name.
pub(super) fn session(name: &str) -> Result<String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.len() > LONGEST_NAME
        || !name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        || !name.chars().all(fits)
    {
        bail!(
            "invalid session name `{}`: use 1 to {LONGEST_NAME} letters, digits and . _ -, and begin with a letter or digit",
            name.escape_debug()
        );
    }
    Ok(name.to_owned())
}

pub(super) fn seconds(text: &str) -> Result<Duration> {
    within_a_day(text.parse()?)
}

pub(super) fn reply_bytes(bytes: usize) -> Result<usize> {
    if bytes < LEAST_REPLY {
        bail!("the reply limit must be at least {LEAST_REPLY} bytes");
    }
    Ok(bytes)
}

pub(super) fn within_a_day(seconds: f64) -> Result<Duration> {
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        bail!("a deadline must be more than 0 and at most 86400 seconds");
    }
    Ok(Duration::try_from_secs_f64(seconds)?)
}

pub fn one_of<T: clap::ValueEnum>(text: &str) -> Result<T> {
    T::from_str(text, true).or_else(|_| {
        let names: Vec<String> = T::value_variants()
            .iter()
            .filter_map(clap::ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        bail!("it must be one of {}", names.join(", "))
    })
}
