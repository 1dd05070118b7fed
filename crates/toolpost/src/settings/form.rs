//! Forms of settings: how a value is read from text, and shown.

use super::{
    parse::{self, Parsed},
    values::{Choice, EditorChoice},
};
use std::{ffi::OsString, fmt::Display, path::PathBuf, str::FromStr};

/// Number of texts that make a value, and the way in which one text is divided into them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One text.
    Text,
    /// One number.
    Number,
    /// A list, in one text divided by commas.
    Commas,
    /// A list, in one text divided by colons, like `PATH`.
    Colons,
    /// The words of a command, in one text divided as a shell divides it.
    Words,
}

impl Shape {
    /// Returns whether a value is a list.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Commas | Self::Colons | Self::Words)
    }

    /// Divides the text of an environment variable.
    pub(super) fn divide(self, text: OsString) -> Parsed<Vec<OsString>> {
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

/// Form of a setting.
pub(super) struct Form<T> {
    pub(super) shape: Shape,
    /// Words of a closed set of values; empty if the set is open.
    pub(super) choices: Vec<&'static str>,
    read: Read<T>,
    show: Show<T>,
}

type Read<T> = Box<dyn Fn(Vec<OsString>) -> Parsed<T>>;
/// `None` stands for a value that is not set.
type Show<T> = Box<dyn Fn(&T) -> Option<String>>;

impl<T: 'static> Form<T> {
    fn new(
        shape: Shape,
        read: impl Fn(Vec<OsString>) -> Parsed<T> + 'static,
        show: impl Fn(&T) -> Option<String> + 'static,
    ) -> Self {
        Self { shape, choices: Vec::new(), read: Box::new(read), show: Box::new(show) }
    }

    /// Reads a value.
    pub(super) fn read(&self, texts: Vec<OsString>) -> Parsed<T> {
        (self.read)(texts)
    }

    /// Formats a value; `None` if it is not set.
    pub(super) fn show(&self, value: &T) -> Option<String> {
        (self.show)(value)
    }
}

/// A value that need not be set.
pub(super) fn optional<T: 'static>(form: Form<T>) -> Form<Option<T>> {
    let (read, show) = (form.read, form.show);
    Form {
        shape: form.shape,
        choices: form.choices,
        read: Box::new(move |texts| read(texts).map(Some)),
        show: Box::new(move |value| value.as_ref().and_then(&show)),
    }
}

/// A value that one text holds.
pub(super) fn text<T: 'static>(
    read: impl Fn(&str) -> Parsed<T> + 'static,
    show: impl Fn(&T) -> String + 'static,
) -> Form<T> {
    Form::new(Shape::Text, move |texts| read(&utf8(one(texts)?)?), move |value| Some(show(value)))
}

/// Any text.
pub(super) fn words() -> Form<String> {
    text(|text| Ok(text.to_owned()), String::clone)
}

/// A path.
pub(super) fn path() -> Form<PathBuf> {
    let show = |path: &PathBuf| Some(path.display().to_string());
    Form::new(Shape::Text, |texts| Ok(PathBuf::from(one(texts)?)), show)
}

/// Paths.
pub(super) fn paths() -> Form<Vec<PathBuf>> {
    let read = |texts: Vec<OsString>| Ok(texts.into_iter().map(PathBuf::from).collect());
    let show = |paths: &PathBuf| paths.display().to_string();
    Form::new(Shape::Colons, read, move |paths: &Vec<PathBuf>| joined(paths.iter().map(show)))
}

/// One of a closed set of values.
pub(super) fn choice<T: Choice>() -> Form<T> {
    let choices = T::ALL.iter().map(|(_, word)| *word).collect();
    Form { choices, ..text(T::parse, |value| value.word().to_owned()) }
}

/// Several of a closed set of values.
pub(super) fn choices<T: Choice>() -> Form<Vec<T>> {
    let read = |texts: Vec<OsString>| texts.into_iter().map(|text| T::parse(&utf8(text)?)).collect();
    let show = |values: &Vec<T>| joined(values.iter().map(|value| value.word().to_owned()));
    Form { choices: choice::<T>().choices, ..Form::new(Shape::Commas, read, show) }
}

/// Names.
pub(super) fn names() -> Form<Vec<String>> {
    let read = |texts: Vec<OsString>| texts.into_iter().map(utf8).collect();
    Form::new(Shape::Commas, read, |names: &Vec<String>| joined(names.iter().cloned()))
}

/// A number that a check accepts.
pub(super) fn number<N, T: 'static>(
    check: impl Fn(N) -> Parsed<T> + 'static,
    show: impl Fn(&T) -> String + 'static,
) -> Form<T>
where
    N: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    Form { shape: Shape::Number, ..text(move |text| check(text.parse()?), show) }
}

/// Any whole number.
pub(super) fn count() -> Form<u64> {
    number(Ok, plain)
}

/// Formats a number.
pub(super) fn plain<T: Display>(number: &T) -> String {
    number.to_string()
}

/// An editor.
pub(super) fn editor() -> Form<EditorChoice> {
    text(EditorChoice::parse, EditorChoice::shown)
}

/// The command of an external agent; `none` and an empty command are no agent.
pub(super) fn command() -> Form<Option<Vec<String>>> {
    let read = |texts: Vec<OsString>| {
        let words: Vec<String> = texts.into_iter().map(utf8).collect::<Parsed<_>>()?;
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

fn one(mut texts: Vec<OsString>) -> Parsed<OsString> {
    texts.pop().ok_or_else(|| "it must not be empty".into())
}

fn utf8(text: OsString) -> Parsed<String> {
    text.into_string().map_err(|_| "it must be UTF-8".into())
}
