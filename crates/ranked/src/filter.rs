//! Filters of a keyword query, such as `lang:rust`, for files and blocks.

use globset::{GlobBuilder, GlobMatcher};
use toolpost_syntax::Language;

use crate::blocks::{KINDS, bit};
use crate::grammar::Field;
use crate::table::File;

/// A compiled filter of a query, such as `lang:rust,go`: at least one of its conditions must hold.
pub(crate) struct Filter(Vec<Condition>);

/// The reason why a filter of a query is not valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadFilter {
    /// The problem, with the value found.
    pub what: String,
    /// Valid values that resemble the one given.
    pub suggestions: Vec<String>,
}

enum Condition {
    /// The path contains this text, in lower case.
    Holds(String),
    /// The whole path matches this glob. `Name` and `Extension` compare only the file name and its extension.
    Path(GlobMatcher),
    Name(GlobMatcher),
    Extension(GlobMatcher),
    /// The path of the file's directory contains these consecutive directory names, in lower case.
    Below(String),
    Directory(GlobMatcher),
    Language(&'static str),
    Kind(&'static str),
}

impl Filter {
    /// Compiles a filter from the field before the colon and the values after it.
    pub(crate) fn new(field: Field, values: &[String]) -> Result<Self, BadFilter> {
        values.iter().map(|value| condition(field, value.trim())).collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether a condition of the filter depends on the block, and not only on the file.
    pub(crate) fn is_of_blocks(&self) -> bool {
        self.0.iter().any(|condition| matches!(condition, Condition::Kind(_)))
    }

    /// Returns whether the filter accepts a block. `kind` is the block's kind, and the [`bit`]s of the kinds of symbols
    /// in it; without `kind`, only the conditions for the file can hold.
    pub(crate) fn holds(&self, file: &File, kind: Option<(&str, u32)>) -> bool {
        self.0.iter().any(|condition| condition.holds(file, kind))
    }
}

impl Condition {
    fn holds(&self, file: &File, kind: Option<(&str, u32)>) -> bool {
        // In a dependency, the paths of a filter are relative to the dependency's directory.
        let inside = file.path.root().label().map(|_| file.path.relative().to_string_lossy());
        let path = inside.as_deref().unwrap_or(&file.shown);
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self {
            Self::Holds(part) => path.to_lowercase().contains(part),
            Self::Path(glob) => glob.is_match(path),
            Self::Name(glob) => glob.is_match(name),
            Self::Extension(glob) => {
                name.rsplit_once('.').is_some_and(|(_, extension)| glob.is_match(extension))
            }
            Self::Below(names) => format!("/{}/", directory.to_lowercase()).contains(names),
            Self::Directory(glob) => {
                let ends = directory.match_indices('/').map(|(at, _)| at).chain([directory.len()]);
                ends.map(|end| &directory[..end]).any(|above| glob.is_match(above))
            }
            Self::Language(language) => {
                let wider = || Language::of_name(&file.language).zip(Language::of_name(language));
                *file.language == **language || wider().is_some_and(|(own, asked)| own.widens(asked))
            }
            Self::Kind(wanted) => kind.is_some_and(|(kind, held)| kind == *wanted || held & bit(wanted) != 0),
        }
    }
}

fn condition(field: Field, value: &str) -> Result<Condition, BadFilter> {
    let wild = value.contains(['*', '?', '[', '{']);
    let value = value.trim_start_matches("./");
    let bad = |what: String| BadFilter { what, suggestions: Vec::new() };
    if value.is_empty() {
        return Err(bad(format!("the filter `{}:` has an empty value", field.name())));
    }
    match field {
        Field::File if wild && value.contains('/') => shape(field, value).map(Condition::Path),
        Field::File if wild => shape(field, value).map(Condition::Name),
        Field::File => Ok(Condition::Holds(value.to_lowercase())),
        Field::Filename => shape(field, value).map(Condition::Name),
        Field::Extension => {
            shape(field, value.trim_start_matches("*.").trim_start_matches('.')).map(Condition::Extension)
        }
        Field::Directory if wild => shape(field, value.trim_end_matches('/')).map(Condition::Directory),
        Field::Directory => Ok(Condition::Below(format!("/{}/", value.trim_matches('/').to_lowercase()))),
        Field::Language => {
            language(value).map(Condition::Language).ok_or_else(|| unknown("language", value, languages()))
        }
        Field::Type => {
            let word = value.to_lowercase().replace([' ', '-'], "_");
            let named = |(name, others): &&(&str, &[&str])| *name == word || others.contains(&word.as_str());
            let kind = KINDS.iter().find(named).map(|(name, _)| Condition::Kind(name));
            let known = || kind.or_else(|| language(value).map(Condition::Language));
            known().ok_or_else(|| {
                unknown("type", value, KINDS.iter().map(|(name, _)| *name).chain(languages()).collect())
            })
        }
    }
}

fn shape(field: Field, value: &str) -> Result<GlobMatcher, BadFilter> {
    let glob =
        GlobBuilder::new(value).literal_separator(true).case_insensitive(true).backslash_escape(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| BadFilter {
        what: format!("{}:{value} is not a valid pattern: {}", field.name(), error.kind()),
        suggestions: Vec::new(),
    })
}

fn language(value: &str) -> Option<&'static str> {
    Language::of_name(value).map(Language::name)
}

fn languages() -> Vec<&'static str> {
    Language::all().map(Language::name).collect()
}

fn unknown(sort: &str, value: &str, known: Vec<&'static str>) -> BadFilter {
    let suggestions =
        toolpost_text::names::suggest(value, &known, 3).into_iter().map(str::to_owned).collect();
    BadFilter { what: format!("{value} is not a known {sort}; use one of {}", known.join(", ")), suggestions }
}
