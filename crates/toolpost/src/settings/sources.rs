//! Sources of settings, in order of precedence.

use super::{
    form::{Form, Shape},
    parse::ParseResult,
    table::{Row, TABLE},
};
use crate::error::{Error, Explain};
use std::{collections::HashMap, ffi::OsString, fmt, path::PathBuf};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use toolpost_text::names::suggest;
use toolpost_workspace::operator;

/// Source that the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The program that embeds Toolpost.
    Program,
    /// A flag of the command line.
    Flag,
    /// The transcript of the run that is resumed.
    Transcript,
    /// An environment variable.
    Environment(String),
    /// The configuration file.
    File(PathBuf),
    /// The default.
    Default,
}

impl Origin {
    /// Returns the precedence of an origin; the higher one wins.
    #[must_use]
    pub fn precedence(&self) -> u8 {
        match self {
            Self::Program => 5,
            Self::Flag => 4,
            Self::Transcript => 3,
            Self::Environment(_) => 2,
            Self::File(_) => 1,
            Self::Default => 0,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => out.write_str("program"),
            Self::Flag => out.write_str("flag"),
            Self::Transcript => out.write_str("transcript"),
            Self::Environment(name) => write!(out, "environment, {name}"),
            Self::File(path) => write!(out, "file, {}", path.display()),
            Self::Default => out.write_str("default"),
        }
    }
}

/// Value of a setting, with its origin.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    /// The active value of the setting.
    pub value: T,
    /// The source that set the value.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// Sets the value on behalf of the embedding program; it overrides every other source.
    pub fn set(&mut self, value: T) {
        *self = Self { value, origin: Origin::Program };
    }

    /// Sets the value that the resumed transcript records, unless a flag or the embedding program has set the setting.
    pub fn resume(&mut self, value: T) {
        if self.origin.precedence() < Origin::Flag.precedence() {
            *self = Self { value, origin: Origin::Transcript };
        }
    }
}

/// Values of the flags on a command line, by the key of the setting.
#[derive(Debug, Clone, Default)]
pub struct Flags(HashMap<&'static str, Vec<OsString>>);

impl Flags {
    /// Records the values that a command line passes to the flag of a setting.
    pub fn set(&mut self, row: &Row, texts: Vec<OsString>) {
        self.0.insert(row.key, texts);
    }
}

/// Values of the configuration file, by key.
#[derive(Default)]
struct File {
    path: PathBuf,
    values: HashMap<String, FileValue>,
}

/// Value in the configuration file.
enum FileValue {
    Text(String),
    Number(String),
    List(Vec<String>),
    Other,
}

/// All sources of settings.
#[derive(Default)]
pub struct Sources {
    flags: Flags,
    variables: HashMap<String, OsString>,
    file: File,
}

impl Sources {
    /// Reads the sources of a user's process: flags, the environment and the configuration file.
    ///
    /// # Errors
    /// [`Error::Setting`] if the file cannot be read, is not TOML, or has an unknown key.
    pub fn of_user(flags: Flags) -> Result<Self, Error> {
        let variables = std::env::vars_os().filter_map(|(name, text)| Some((name.into_string().ok()?, text)));
        let path = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("config.toml"));
        let mut sources = Self::new(flags, variables.collect());
        if let Some(path) = path {
            let text = operator::read(&path)
                .explain_with(Error::Setting, || format!("{} cannot be read", path.display()))?;
            sources = sources.with_file(path, &text.unwrap_or_default())?;
        }
        Ok(sources)
    }

    /// Creates sources from flags and environment variables, without a configuration file.
    #[must_use]
    pub fn new(flags: Flags, variables: HashMap<String, OsString>) -> Self {
        Self { flags, variables, file: File::default() }
    }

    /// Adds the content of a configuration file.
    ///
    /// # Errors
    /// [`Error::Setting`] if it is not TOML, or has an unknown key.
    pub fn with_file(mut self, path: PathBuf, text: &str) -> Result<Self, Error> {
        self.file = File::read(path, text)?;
        Ok(self)
    }

    /// Returns the value from the first source that has one, or else the default. A value in the file must be
    /// valid even if another source overrides it.
    pub(super) fn choose<T: 'static>(
        &self,
        row: &Row,
        form: &Form<T>,
        default: impl FnOnce() -> T,
    ) -> Result<Setting<T>, Error> {
        self.first(row, form, default).map_err(|error| error.about(row.key))
    }

    fn first<T: 'static>(
        &self,
        row: &Row,
        form: &Form<T>,
        default: impl FnOnce() -> T,
    ) -> Result<Setting<T>, Error> {
        let file = self.file.value(row, form)?;
        if let Some(texts) = self.flags.0.get(row.key) {
            let value = flag_texts(form, texts.clone()).and_then(|texts| form.read(texts));
            let value = value.explain_with(Error::Setting, || format!("--{}", row.flag_name()))?;
            return Ok(Setting { value, origin: Origin::Flag });
        }
        let variable = row.variable;
        if let Some(text) = self.variables.get(variable).filter(|text| !text.is_empty()) {
            let value = form.shape.divide(text.clone()).and_then(|texts| form.read(texts));
            let value = value.explain_with(Error::Setting, || match text.to_str() {
                Some(text) => format!("{variable} is `{text}`"),
                None => variable.to_owned(),
            })?;
            return Ok(Setting { value, origin: Origin::Environment(variable.to_owned()) });
        }
        Ok(match file {
            Some(value) => Setting { value, origin: Origin::File(self.file.path.clone()) },
            None => Setting { value: default(), origin: Origin::Default },
        })
    }
}

/// Splits the last value of a flag that takes a command line. The values of other flags stay unchanged, because such a
/// flag is repeated for several values.
fn flag_texts<T>(form: &Form<T>, texts: Vec<OsString>) -> ParseResult<Vec<OsString>> {
    if form.shape != Shape::Words {
        return Ok(texts);
    }
    texts.into_iter().next_back().map_or(Ok(Vec::new()), |text| form.shape.divide(text))
}

impl File {
    fn read(path: PathBuf, text: &str) -> Result<Self, Error> {
        let invalid = || format!("invalid configuration file {}", path.display());
        let document = DeTable::parse(text).explain_with(Error::Setting, invalid)?;
        let mut values = HashMap::new();
        for (key, value) in document.get_ref() {
            match value.get_ref() {
                DeValue::Table(table) if is_table(key.get_ref()) => {
                    for (inner, value) in table {
                        let name = format!("{}.{}", key.get_ref(), inner.get_ref());
                        known(text, &name, inner).explain_with(Error::Setting, invalid)?;
                        values.insert(name, FileValue::of(value.get_ref()));
                    }
                }
                value => {
                    known(text, key.get_ref(), key).explain_with(Error::Setting, invalid)?;
                    values.insert(key.get_ref().to_string(), FileValue::of(value));
                }
            }
        }
        Ok(Self { path, values })
    }

    fn value<T: 'static>(&self, row: &Row, form: &Form<T>) -> Result<Option<T>, Error> {
        let Some(value) = self.values.get(row.key) else { return Ok(None) };
        let texts = match (value, form.shape) {
            (FileValue::Text(text), Shape::Text) | (FileValue::Number(text), Shape::Number) => {
                Ok(vec![text.clone()])
            }
            (FileValue::List(texts), shape) if shape.is_list() => Ok(texts.clone()),
            (_, Shape::Text) => Err("the value must be a string in quotes".into()),
            (_, Shape::Number) => Err("the value must be a number".into()),
            (_, _) => Err("the value must be a list of strings, such as [\"a\", \"b\"]".into()),
        };
        let value = texts.and_then(|texts| form.read(texts.into_iter().map(OsString::from).collect()));
        let place = || format!("invalid configuration file {}: `{}`", self.path.display(), row.key);
        value.map(Some).explain_with(Error::Setting, place)
    }
}

/// Returns whether a key is the name of a table with settings.
fn is_table(key: &str) -> bool {
    TABLE.iter().any(|row| row.key.split_once('.').is_some_and(|(table, _)| table == key))
}

/// Returns an error for a key that no setting has.
fn known<K>(text: &str, name: &str, key: &Spanned<K>) -> ParseResult<()> {
    if TABLE.iter().any(|row| row.key == name) {
        return Ok(());
    }
    let line = text[..key.span().start].matches('\n').count() + 1;
    let keys: Vec<&str> = TABLE.iter().map(|row| row.key).collect();
    let near = suggest(name, &keys, 1).first().map(|near| format!(". Did you mean `{near}`?"));
    Err(format!("line {line}: unknown key `{}`{}", name.escape_debug(), near.unwrap_or_default()).into())
}

impl FileValue {
    fn of(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
                .map_or(Self::Other, |number| Self::Number(number.to_string())),
            DeValue::Float(number) => Self::Number(number.as_str().to_owned()),
            DeValue::Array(items) => {
                let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<Vec<String>>>().map_or(Self::Other, Self::List)
            }
            _ => Self::Other,
        }
    }
}
