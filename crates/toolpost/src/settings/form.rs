//! Forms of settings: how a value is read from text, and shown.

use super::{
    parse::{self, ParseResult},
    values::{Choice, EditorChoice},
};
use std::{ffi::OsString, fmt::Display, path::PathBuf, str::FromStr};

/// Shape of a value: a single string, a number or a list, and how the items of a list are separated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A single string.
    Text,
    /// A single number.
    Number,
    /// A list, in one string separated by commas.
    Commas,
    /// A list, in one string separated by colons, like `PATH`.
    Colons,
    /// The arguments of a command, in one string split as a shell splits it.
    Words,
}

impl Shape {
    /// Returns whether a value is a list.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Commas | Self::Colons | Self::Words)
    }

    /// Splits a string into the items of a list. A value that is not a list stays a single string.
    pub(super) fn divide(self, text: OsString) -> ParseResult<Vec<OsString>> {
        Ok(match self {
            Self::Text | Self::Number => vec![text],
            Self::Commas => {
                let text = utf8(text)?;
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                names.map(OsString::from).collect()
            }
            Self::Colons => std::env::split_paths(&text).map(PathBuf::into_os_string).collect(),
            Self::Words => parse::words(&utf8(text)?)?.into_iter().map(OsString::from).collect(),
        })
    }
}

/// Form of a setting: the accepted values, and how they are read and shown.
pub(super) struct Form<T> {
    pub(super) shape: Shape,
    /// Accepted keywords; empty if any value of the type is accepted.
    pub(super) choices: Vec<&'static str>,
    read: ValueReader<T>,
    show: ValueFormatter<T>,
}

type ValueReader<T> = Box<dyn Fn(Vec<OsString>) -> ParseResult<T>>;
/// Formats a value; `None` for a value that is not set.
type ValueFormatter<T> = Box<dyn Fn(&T) -> Option<String>>;

impl<T: 'static> Form<T> {
    fn new(
        shape: Shape,
        read: impl Fn(Vec<OsString>) -> ParseResult<T> + 'static,
        show: impl Fn(&T) -> Option<String> + 'static,
    ) -> Self {
        Self { shape, choices: Vec::new(), read: Box::new(read), show: Box::new(show) }
    }

    /// Parses a value of the setting from the strings of one source.
    pub(super) fn read(&self, texts: Vec<OsString>) -> ParseResult<T> {
        (self.read)(texts)
    }

    /// Formats a value of the setting; `None` if it is not set.
    pub(super) fn show(&self, value: &T) -> Option<String> {
        (self.show)(value)
    }
}

/// Returns the form of an optional value.
pub(super) fn optional<T: 'static>(form: Form<T>) -> Form<Option<T>> {
    let (read, show) = (form.read, form.show);
    Form {
        shape: form.shape,
        choices: form.choices,
        read: Box::new(move |texts| read(texts).map(Some)),
        show: Box::new(move |value| value.as_ref().and_then(&show)),
    }
}

/// Returns the form of a value that is parsed from a single string.
pub(super) fn text<T: 'static>(
    read: impl Fn(&str) -> ParseResult<T> + 'static,
    show: impl Fn(&T) -> String + 'static,
) -> Form<T> {
    Form::new(Shape::Text, move |texts| read(&utf8(one(texts)?)?), move |value| Some(show(value)))
}

/// Returns the form of a setting that accepts any string.
pub(super) fn words() -> Form<String> {
    text(|text| Ok(text.to_owned()), String::clone)
}

/// Returns the form of a setting that holds a URL or, like `words`, any string. It is shown without the parts of a URL
/// that may hold a secret.
pub(super) fn url() -> Form<String> {
    text(|text| Ok(text.to_owned()), |text| toolpost_text::redact::url(text).into_owned())
}

pub(super) fn path() -> Form<PathBuf> {
    let show = |path: &PathBuf| Some(path.display().to_string());
    Form::new(Shape::Text, |texts| Ok(PathBuf::from(one(texts)?)), show)
}

pub(super) fn paths() -> Form<Vec<PathBuf>> {
    let read = |texts: Vec<OsString>| Ok(texts.into_iter().map(PathBuf::from).collect());
    let show = |paths: &PathBuf| paths.display().to_string();
    Form::new(Shape::Colons, read, move |paths: &Vec<PathBuf>| joined(paths.iter().map(show)))
}

/// Returns the form of a keyword from a fixed set.
pub(super) fn choice<T: Choice>() -> Form<T> {
    let choices = T::ALL.iter().map(|(_, word)| *word).collect();
    Form { choices, ..text(T::parse, |value| value.word().to_owned()) }
}

/// Returns the form of a list of keywords from a fixed set.
pub(super) fn choices<T: Choice>() -> Form<Vec<T>> {
    let read = |texts: Vec<OsString>| texts.into_iter().map(|text| T::parse(&utf8(text)?)).collect();
    let show = |values: &Vec<T>| joined(values.iter().map(|value| value.word().to_owned()));
    Form { choices: choice::<T>().choices, ..Form::new(Shape::Commas, read, show) }
}

pub(super) fn names() -> Form<Vec<String>> {
    let read = |texts: Vec<OsString>| texts.into_iter().map(utf8).collect();
    Form::new(Shape::Commas, read, |names: &Vec<String>| joined(names.iter().cloned()))
}

/// Returns the form of a number that `check` accepts.
pub(super) fn number<N, T: 'static>(
    check: impl Fn(N) -> ParseResult<T> + 'static,
    show: impl Fn(&T) -> String + 'static,
) -> Form<T>
where
    N: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    Form { shape: Shape::Number, ..text(move |text| check(text.parse()?), show) }
}

/// Returns the form of a setting that accepts any whole number.
pub(super) fn count() -> Form<u64> {
    number(Ok, plain)
}

/// Formats a number.
pub(super) fn plain<T: Display>(number: &T) -> String {
    number.to_string()
}

pub(super) fn editor() -> Form<EditorChoice> {
    text(EditorChoice::parse, EditorChoice::shown)
}

/// Returns the form of the command of an external agent; `none` and an empty command mean no agent.
pub(super) fn command() -> Form<Option<Vec<String>>> {
    let read = |texts: Vec<OsString>| {
        let words: Vec<String> = texts.into_iter().map(utf8).collect::<ParseResult<_>>()?;
        Ok(Some(words).filter(|words| !words.is_empty() && words != &[parse::NO_AGENT]))
    };
    let show = |command: &Option<Vec<String>>| {
        command.as_ref().map(|words| toolpost_text::redact::redact(&words.join(" ")).into_owned())
    };
    Form::new(Shape::Words, read, show)
}

fn joined(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn one(mut texts: Vec<OsString>) -> ParseResult<OsString> {
    texts.pop().ok_or_else(|| "the value must not be empty".into())
}

fn utf8(text: OsString) -> ParseResult<String> {
    text.into_string().map_err(|_| "the value must be UTF-8".into())
}
