//! Lenient parser for the front matter of a Markdown file.

use saphyr_parser::{Event, Parser};
use thiserror::Error;

/// The front matter of a file, and the text after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Front<'t> {
    /// The fields, in the order of the file.
    pub fields: Vec<(String, Value)>,
    /// The text after the closing `---`.
    pub body: &'t str,
    /// Notes about corrections that the parser made, one sentence each.
    pub notes: Vec<String>,
}

/// The value of a front matter field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, a number or a word such as `true`, as a string.
    Text(String),
    /// A list of values.
    List(Vec<Self>),
    /// Nested fields, with their names.
    Map(Vec<(String, Self)>),
}

/// A reason why the front matter cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrontMatterError {
    /// The file does not begin with `---`.
    #[error("the file does not begin with `---`, fields such as `name: value`, and `---`")]
    Missing,
    /// The `---` that ends the fields is missing.
    #[error("the fields that begin in line 1 have no closing `---`")]
    Open,
    /// The fields exceed the size limit.
    #[error("the fields between the `---` lines exceed {LONGEST} bytes")]
    TooLong,
    /// The fields are not valid YAML.
    #[error("line {line} is not YAML: {why}")]
    Yaml {
        /// The line of the file with the error, counted from 1.
        line: usize,
        /// The message of the YAML parser.
        why: String,
    },
    /// The text is not a list of fields, or it has an alias, a name that is a list or a map, or too many levels.
    #[error(
        "the text between the dashes must be fields such as `name: value`, without aliases or deep nesting"
    )]
    NoFields,
}

/// Maximum size of all fields together, in bytes.
const LONGEST: usize = 64 * 1024;
/// Maximum nesting of lists and maps, in levels; the fields themselves are the first level.
const DEEPEST: usize = 16;

/// Parses the fields at the top of a text. If that fails, parses them again with quotes around plain values.
///
/// # Errors
/// If a `---` line is missing, the fields are too long, or neither attempt can parse them.
pub fn read(text: &str) -> Result<Front<'_>, FrontMatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (fields, body) = parts(text)?;
    if fields.len() > LONGEST {
        return Err(FrontMatterError::TooLong);
    }
    let wrong = match parse(fields) {
        Ok(fields) => return Ok(Front { fields, body, notes: Vec::new() }),
        Err(wrong) => wrong,
    };
    let Ok(fields) = parse(&quoted(fields)) else { return Err(wrong) };
    let note = format!("{wrong}; the values were read as plain text: put quotes around them");
    Ok(Front { fields, body, notes: vec![note] })
}

impl Front<'_> {
    /// Returns the value of a field; `None` if the file has no such field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Returns the trimmed text of a field; `None` if the field is missing or empty, or is a list or a map.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            Value::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Lists the words of a field: the texts in a list, or the parts of a text between spaces, commas and line
    /// breaks. Empty for other fields.
    #[must_use]
    pub fn words(&self, name: &str) -> Vec<String> {
        match self.field(name) {
            Some(Value::Text(text)) => {
                let words = text.split([' ', ',', '\n']).map(str::trim);
                words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
            }
            Some(Value::List(all)) => {
                let words = all.iter().filter_map(|one| match one {
                    Value::Text(text) => Some(text.trim().to_owned()),
                    Value::List(_) | Value::Map(_) => None,
                });
                words.filter(|word| !word.is_empty()).collect()
            }
            Some(Value::Map(_)) | None => Vec::new(),
        }
    }

    /// Returns whether the value of a field is `true`, `yes` or `on`, in any letter case.
    #[must_use]
    pub fn says_yes(&self, name: &str) -> bool {
        self.text(name).is_some_and(|text| ["true", "yes", "on"].contains(&text.to_lowercase().as_str()))
    }
}

/// Splits a text at its two `---` lines into the fields and the body.
fn parts(text: &str) -> Result<(&str, &str), FrontMatterError> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err(FrontMatterError::Missing);
    }
    let mut at = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            return Ok((&text[first.len()..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    Err(FrontMatterError::Open)
}

/// Puts quotes around plain values that follow a name at the beginning of a line.
fn quoted(fields: &str) -> String {
    let line = |line: &str| {
        let Some((name, value)) = line.split_once(':') else { return line.to_owned() };
        let value = value.trim();
        let is_name = !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
        let is_plain =
            !value.is_empty() && !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '#']);
        if is_name && is_plain { format!("{name}: '{}'", value.replace('\'', "''")) } else { line.to_owned() }
    };
    fields.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn parse(fields: &str) -> Result<Vec<(String, Value)>, FrontMatterError> {
    let mut open: Vec<Value> = Vec::new();
    let mut keys: Vec<Option<String>> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(fields) {
        let (event, _) = event.map_err(|error| FrontMatterError::Yaml {
            // The first line of the file is `---`, which is not part of the YAML.
            line: error.marker().line() + 1,
            why: error.info().to_owned(),
        })?;
        let done = match event {
            Event::Scalar(text, ..) => Value::Text(text.into_owned()),
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if open.len() >= DEEPEST {
                    return Err(FrontMatterError::NoFields);
                }
                let is_map = matches!(event, Event::MappingStart(..));
                open.push(if is_map { Value::Map(Vec::new()) } else { Value::List(Vec::new()) });
                keys.push(None);
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                keys.pop();
                let Some(value) = open.pop() else { return Err(FrontMatterError::NoFields) };
                value
            }
            // References to other fields are refused: the expanded value could grow without limit.
            Event::Alias(_) => return Err(FrontMatterError::NoFields),
            _ => continue,
        };
        match (open.last_mut(), keys.last_mut()) {
            (Some(Value::List(all)), _) => all.push(done),
            (Some(Value::Map(fields)), Some(key)) => match (key.take(), done) {
                (None, Value::Text(name)) => *key = Some(name),
                (None, Value::List(_) | Value::Map(_)) => return Err(FrontMatterError::NoFields),
                (Some(name), value) => fields.push((name, value)),
            },
            _ if whole.is_none() => whole = Some(done),
            _ => return Err(FrontMatterError::NoFields),
        }
    }
    match whole {
        Some(Value::Map(fields)) => Ok(fields),
        Some(Value::Text(text)) if text.is_empty() => Ok(Vec::new()),
        None => Ok(Vec::new()),
        Some(Value::Text(_) | Value::List(_)) => Err(FrontMatterError::NoFields),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    /// Formats the parsed front matter in one line; `!` marks a correction.
    fn rendered(text: &str) -> String {
        fn own(value: &Value) -> String {
            match value {
                Value::Text(text) => format!("{text:?}"),
                Value::List(all) => {
                    format!("[{}]", all.iter().map(own).collect::<Vec<_>>().join(" "))
                }
                Value::Map(fields) => format!("{{{}}}", fields_of(fields)),
            }
        }
        fn fields_of(fields: &[(String, Value)]) -> String {
            fields.iter().map(|(name, field)| format!("{name}={}", own(field))).collect::<Vec<_>>().join(" ")
        }
        match read(text) {
            Ok(front) => format!(
                "{} | {:?}{}",
                fields_of(&front.fields),
                front.body,
                if front.notes.is_empty() { "" } else { " !" }
            ),
            Err(wrong) => wrong.to_string(),
        }
    }

    #[test]
    fn front_matter_fields_are_parsed_leniently() {
        let rows = [
            ("---\nname: a\n---\nBody\n", "name=\"a\" | \"Body\\n\""),
            ("\u{feff}---\r\nname: a\r\n---\r\nB", "name=\"a\" | \"B\""),
            (
                "---\nd: >\n  one\n  two\nl: [a, b]\nm:\n  k: 1\n---\n",
                "d=\"one two\\n\" l=[\"a\" \"b\"] m={k=\"1\"} | \"\"",
            ),
            ("---\nd: Use it: now\nn: a\n---\nB", "d=\"Use it: now\" n=\"a\" | \"B\" !"),
            ("---\nd: it's: so\n---\n", "d=\"it's: so\" | \"\" !"),
            ("---\n---\nB", " | \"B\""),
            ("B", "the file does not begin with `---`, fields such as `name: value`, and `---`"),
            ("---\nname: a\n", "the fields that begin in line 1 have no closing `---`"),
            (
                "---\n- a\n- b\n---\n",
                "the text between the dashes must be fields such as `name: value`, without aliases or deep nesting",
            ),
            (
                "---\na: &x [1]\nb: *x\n---\n",
                "the text between the dashes must be fields such as `name: value`, without aliases or deep nesting",
            ),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(rendered(text), wanted, "{text}");
        });
        let wrong = read("---\nname: a\nd: [a\n---\n").unwrap_err();
        assert!(matches!(wrong, FrontMatterError::Yaml { .. }), "{wrong}");
    }
}
