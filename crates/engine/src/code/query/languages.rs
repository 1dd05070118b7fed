//! Parsing of a pattern in the languages of the searched files.

use super::Request;
use crate::failure::{Failure, Hint};
use std::{collections::BTreeMap, path::Path};
use toolpost_syntax::{Language, Pattern, PatternSyntaxError};
use toolpost_text::names::distance;

/// The pattern of a structural search, parsed in each language that can parse it.
pub(super) struct Patterns {
    /// The parsed patterns, by the names of the languages.
    read: BTreeMap<&'static str, Pattern>,
    /// The languages that cannot parse the pattern.
    foreign: Vec<&'static str>,
    /// The requested language; without one, the language of the searched file if it is a markup or data format.
    /// `None` if the pattern was parsed in all programming languages.
    named: Option<Language>,
}

/// The pattern for one file, or the reason why the file cannot be searched for it.
pub(super) enum InFile<'a> {
    /// The pattern is code in the language.
    Code(Language, &'a Pattern),
    /// The language cannot parse the pattern.
    Foreign(Language),
    /// The language of the file is unknown, or is not searched.
    Other,
}

/// Parses the pattern of a request in the requested language and its supersets. Without a requested language,
/// parses it in all programming languages; if the searched file is in a markup or data format, only in that format.
pub(super) fn read(request: &Request) -> Result<Patterns, Failure> {
    let requested = request.language.as_deref().map(str::trim).filter(|requested| !requested.is_empty());
    let base = Language::of_path(Path::new(&request.base.display())).filter(|own| !own.is_code());
    let Some(requested) = requested.or(base.map(Language::name)) else { return in_all(&request.pattern) };
    let named = Language::of_name(requested).ok_or_else(|| unknown(requested))?;
    let pattern = Pattern::read(named, &request.pattern).map_err(|error| refused(&error))?;
    let mut read = BTreeMap::from([(named.name(), pattern)]);
    for other in Language::all().filter(|other| other.widens(named)) {
        if let Ok(pattern) = Pattern::read(other, &request.pattern) {
            read.insert(other.name(), pattern);
        }
    }
    Ok(Patterns { read, foreign: Vec::new(), named: Some(named) })
}

/// Parses a pattern in every programming language.
fn in_all(pattern: &str) -> Result<Patterns, Failure> {
    let mut patterns = Patterns { read: BTreeMap::new(), foreign: Vec::new(), named: None };
    for language in Language::all().filter(|language| language.is_code()) {
        match Pattern::read(language, pattern) {
            Ok(pattern) => drop(patterns.read.insert(language.name(), pattern)),
            Err(
                error @ (PatternSyntaxError::Empty
                | PatternSyntaxError::TooLarge
                | PatternSyntaxError::Nested
                | PatternSyntaxError::OnlyMany(_)),
            ) => {
                return Err(refused(&error));
            }
            Err(PatternSyntaxError::Several(..) | PatternSyntaxError::Syntax { .. }) => {
                patterns.foreign.push(language.name());
            }
        }
    }
    if patterns.read.is_empty() {
        let languages = names(Language::is_code);
        let what = format!("The pattern is not code in any supported programming language: {languages}.");
        return Err(Failure::invalid(what).hint(whole()));
    }
    Ok(patterns)
}

impl Patterns {
    /// Returns the pattern, parsed in the language of a file.
    pub(super) fn of(&self, path: &Path) -> InFile<'_> {
        let language = match self.named {
            Some(named) => Language::meant(path, Some(named.name())),
            None => Language::of_path(path),
        };
        match language.map(|language| (language, self.read.get(language.name()))) {
            Some((language, Some(pattern))) => InFile::Code(language, pattern),
            Some((language, None)) if self.foreign.contains(&language.name()) => InFile::Foreign(language),
            Some(_) | None => InFile::Other,
        }
    }
}

/// Returns the failure for an unknown language, with similar names.
fn unknown(requested: &str) -> Failure {
    let failure = Failure::invalid(format!(
        "There is no parser for the language {requested:?}. Supported languages: {}.",
        names(|_| true)
    ));
    let requested = requested.to_lowercase();
    let near = Language::all()
        .map(Language::name)
        .filter(|name| distance(&requested, name) <= 2)
        .collect::<Vec<_>>();
    if near.is_empty() {
        return failure;
    }
    failure.hint(Hint::DidYouMean(near.into_iter().map(str::to_owned).collect()))
}

/// Lists the names of those languages that `is_wanted` selects.
fn names(is_wanted: fn(Language) -> bool) -> String {
    Language::all().filter(|language| is_wanted(*language)).map(Language::name).collect::<Vec<_>>().join(", ")
}

fn refused(error: &PatternSyntaxError) -> Failure {
    Failure::invalid(crate::failure::convert::opened(&error.to_string())).hint(whole())
}

fn whole() -> Hint {
    Hint::Advice(
        "Write complete code, as in a file, with $NAME for one name, expression or statement and $$$NAME for any \
         number of them, such as `f($A, $$$REST)`."
            .to_owned(),
    )
}
