//! The languages that a pattern is parsed in.

use super::Request;
use crate::failure::{Failure, Hint};
use std::{collections::BTreeMap, path::Path};
use toolpost_syntax::{Language, Pattern, PatternSyntaxError};
use toolpost_text::names::distance;

/// A pattern, in each language that can parse it.
pub(super) struct Patterns {
    /// The parsed patterns, by the names of the languages.
    read: BTreeMap<&'static str, Pattern>,
    /// The requested languages that cannot parse it.
    foreign: Vec<&'static str>,
    /// The language that the request named.
    named: Option<Language>,
}

/// The pattern in the language of a file.
pub(super) enum InFile<'a> {
    /// The pattern is code in the language.
    Code(Language, &'a Pattern),
    /// The language cannot parse the pattern.
    Foreign(Language),
    /// The file's language is not searched.
    Other,
}

/// Parses the pattern of a request.
pub(super) fn read(request: &Request) -> Result<Patterns, Failure> {
    let said = request.language.as_deref().map(str::trim).filter(|said| !said.is_empty());
    let base = Language::of_path(Path::new(&request.base.display())).filter(|own| !own.is_code());
    let Some(said) = said.or(base.map(Language::name)) else { return in_all(&request.pattern) };
    let named = Language::of_name(said).ok_or_else(|| unknown(said))?;
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
        let what =
            format!("The pattern is no code of any language of programs that is known here: {}.", names());
        return Err(Failure::invalid(what).hint(whole()));
    }
    Ok(patterns)
}

impl Patterns {
    /// Returns the pattern for a file.
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

/// The refusal of an unknown language.
fn unknown(said: &str) -> Failure {
    let failure =
        Failure::invalid(format!("There is no parser for the language {said:?}. Known are: {}.", names()));
    let said = said.to_lowercase();
    let near =
        Language::all().map(Language::name).filter(|name| distance(&said, name) <= 2).collect::<Vec<_>>();
    if near.is_empty() {
        return failure;
    }
    failure.hint(Hint::DidYouMean(near.into_iter().map(str::to_owned).collect()))
}

fn names() -> String {
    Language::all().map(Language::name).collect::<Vec<_>>().join(", ")
}

fn refused(error: &PatternSyntaxError) -> Failure {
    Failure::invalid(crate::failure::convert::opened(&error.to_string())).hint(whole())
}

fn whole() -> Hint {
    Hint::Advice(
        "Write code that can stand in a file, whole, with $NAME for one name, expression or statement and $$$NAME for any \
         number of them, such as `f($A, $$$REST)`."
            .to_owned(),
    )
}
