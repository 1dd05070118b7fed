//! Subagent definitions: Markdown files whose front matter has a name, a description, tools and a model.

use thiserror::Error;
use toolpost_engine::{Failure, Hint, Kind};

/// Maximum length of a name, in characters.
const LONGEST: usize = 64;

/// A subagent that the user has defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// Name of the subagent.
    pub name: String,
    /// Purpose, for the model that delegates.
    pub description: String,
    /// Names of the allowed tools; `None` for all.
    pub tools: Option<Vec<String>>,
    /// Name of the model; `None` for the model of the session.
    pub model: Option<String>,
    /// System prompt.
    pub words: String,
    /// Path of the definition file.
    pub file: String,
}

/// Error of an invalid definition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file} does not describe an agent: {problem}")]
pub struct SubagentError {
    /// Path of the definition file.
    pub file: String,
    /// Description of the error in the file.
    pub problem: String,
}

impl Subagent {
    /// Parses a definition.
    ///
    /// # Errors
    /// If front matter between lines of `---`, a valid name, or a description is missing.
    pub fn read(file: &str, text: &str) -> Result<Self, SubagentError> {
        let bad = |problem: &str| SubagentError { file: file.to_owned(), problem: problem.to_owned() };
        let (top, words) = parts(text)
            .ok_or_else(|| bad("the file does not begin with a header between two lines of `---`"))?;
        let entries = entries(top);
        let entry = |key: &str| {
            let found = entries.iter().find(|(known, _)| known == key)?;
            Some(found.1.clone()).filter(|values| values.iter().any(|value| !value.is_empty()))
        };
        let one = |key: &str| entry(key).map(|values| values.join(", "));
        let name = one("name").ok_or_else(|| bad("the header has no `name`"))?;
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if name.len() > LONGEST || !name.chars().all(fits) {
            return Err(bad("the `name` must consist of at most 64 letters, digits, `-` and `_`"));
        }
        let description = one("description").ok_or_else(|| bad("the header has no `description`"))?;
        let tools = entry("tools").filter(|tools| tools.iter().all(|tool| tool != "*"));
        let model = one("model").filter(|model| model != "inherit");
        Ok(Self { name, description, tools, model, words: words.trim().to_owned(), file: file.to_owned() })
    }

    /// Finds a subagent by its name; `None` without a name. Fails if no subagent has the name.
    pub fn find<'a>(all: &'a [Self], name: Option<&str>) -> Result<Option<&'a Self>, Failure> {
        let Some(name) = name else { return Ok(None) };
        if let Some(subagent) = all.iter().find(|subagent| subagent.name == name) {
            return Ok(Some(subagent));
        }
        let name: String = name.chars().take(80).flat_map(char::escape_default).collect();
        let failure = Failure::new(Kind::NotFound, format!("No agent is called {name}."));
        let names: Vec<String> = all.iter().map(|subagent| subagent.name.clone()).collect();
        let advice = "Or omit the name of the agent: the task then goes to the default agent.";
        Err(if names.is_empty() {
            failure.hint(Hint::Advice(advice.to_owned()))
        } else {
            failure.hint(Hint::DidYouMean(names)).hint(Hint::Advice(advice.to_owned()))
        })
    }
}

/// Splits the front matter from the text; `None` if there is no complete front matter.
fn parts(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// Parses `key: value` entries. A list is in brackets, separated by commas, or has lines with a dash; a text
/// can continue in indented lines.
fn entries(top: &str) -> Vec<(String, Vec<String>)> {
    let mut entries: Vec<(String, Vec<String>)> = Vec::new();
    for line in top.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let inner = line.starts_with([' ', '\t', '-']);
        match (line.split_once(':'), entries.last_mut()) {
            (_, Some((_, values))) if inner => match line.trim().strip_prefix('-') {
                Some(item) => values.push(plain(item)),
                None => *values = vec![[values.concat(), line.trim().to_owned()].join(" ").trim().to_owned()],
            },
            (Some((key, value)), _) => {
                entries.push((key.trim().to_lowercase(), values(key.trim(), value.trim())));
            }
            (None, _) => {}
        }
    }
    entries
}

fn values(key: &str, value: &str) -> Vec<String> {
    let list = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    if list.is_none() && key != "tools" {
        // After the indicator of a YAML block scalar, such as `|`, the text begins on the next line.
        let text = if matches!(value, "|" | ">" | "|-" | ">-") { "" } else { value };
        return if text.is_empty() { Vec::new() } else { vec![plain(text)] };
    }
    list.unwrap_or(value).split(',').map(plain).filter(|value| !value.is_empty()).collect()
}

fn plain(value: &str) -> String {
    let value = value.trim();
    let quoted = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn subagent_files_are_parsed() {
        let agent = |tools: Option<&[&str]>, model: Option<&str>, description: &str| Subagent {
            name: "looker".to_owned(),
            description: description.to_owned(),
            tools: tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect()),
            model: model.map(str::to_owned),
            words: "You look.".to_owned(),
            file: "f".to_owned(),
        };
        let bad = |problem: &str| SubagentError { file: "f".to_owned(), problem: problem.to_owned() };
        let rows = [
            (
                "---\nname: looker\ndescription: Looks: at all.\n---\n\nYou look.\n",
                Ok(agent(None, None, "Looks: at all.")),
            ),
            (
                "---\r\nname: 'looker'\r\ndescription: \"x\"\r\ntools: Read, Grep\r\nmodel: small\r\n---\r\nYou look.",
                Ok(agent(Some(&["Read", "Grep"]), Some("small"), "x")),
            ),
            (
                "---\nname: looker\ndescription: >\n  Looks\n  twice\ntools:\n  - Read\n  - \"Grep\"\nmodel: inherit\n---\nYou look.",
                Ok(agent(Some(&["Read", "Grep"]), None, "Looks twice")),
            ),
            (
                "---\nname: looker\ndescription: x\ntools: [search]\n---\nYou look.",
                Ok(agent(Some(&["search"]), None, "x")),
            ),
            ("---\nname: looker\ndescription: x\ntools: \"*\"\n---\nYou look.", Ok(agent(None, None, "x"))),
            ("You look.", Err(bad("the file does not begin with a header between two lines of `---`"))),
            ("---\ndescription: x\n---\n", Err(bad("the header has no `name`"))),
            ("---\nname: looker\n---\n", Err(bad("the header has no `description`"))),
            (
                "---\nname: ../up\ndescription: x\n---\n",
                Err(bad("the `name` must consist of at most 64 letters, digits, `-` and `_`")),
            ),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(Subagent::read("f", text), wanted, "{text}");
        });
    }
}
