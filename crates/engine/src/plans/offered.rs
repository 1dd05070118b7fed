//! The `offered` operation: finds tools that a script can call, the best match first.

use crate::{
    access::{Access, Touch},
    call::{CallCtx, nested::CallableTool},
    failure::Failure,
    operation::Operation,
    plans::{Plans, function_names},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;

/// The `offered` operation, which finds tools by search terms.
pub struct FindTools;

/// A search for tools.
#[derive(Debug, Clone)]
pub struct Request {
    /// Search terms; empty for all tools.
    pub query: String,
    /// Maximum number of tools that are shown.
    pub limit: usize,
}

/// The tools that match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The matching tools, the best match first; without search terms, in the order in which they are served.
    pub tools: Vec<Tool>,
    /// Number of matching tools.
    pub fitting: usize,
    /// The names of all tools in scripts.
    pub names: Vec<String>,
}

/// A matching tool.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq, Clone)]
pub struct Tool {
    /// The tool's name in scripts.
    pub name: String,
    /// The tool's description.
    pub description: String,
    /// The JSON schema of the tool's arguments, as text.
    pub schema: String,
}

/// The weights of a search term in the name, in the description, and in the arguments of a tool.
const COUNTS: [usize; 3] = [10, 3, 1];

impl Operation for FindTools {
    const NAME: &'static str = "offered";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Calls];
    type Capability = Plans;
    type Request = Request;
    type Output = Output;

    /// Listing the tools needs no permission.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(_plans: &Plans, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let gateway = cx.gateway()?;
        let offered = gateway.tools();
        let query_words = words(&request.query);
        let names = function_names::of(&offered);
        let mut fitting: Vec<(usize, Tool)> = offered
            .into_iter()
            .zip(names.clone())
            .map(|(tool, name)| {
                let score = score(&tool, &query_words);
                (score, Tool { name, description: tool.description, schema: tool.schema })
            })
            .filter(|(score, _)| query_words.is_empty() || *score > 0)
            .collect();
        // The sort is stable: tools with the same score stay in the order in which they are served.
        fitting.sort_by_key(|(score, _)| Reverse(*score));
        let count = fitting.len();
        let tools = fitting.into_iter().take(request.limit).map(|(_, tool)| tool).collect();
        Ok(Output { tools, fitting: count, names })
    }
}

/// Returns the score of a tool, under its published name, for the search terms; 0 if the tool contains none of them.
fn score(tool: &CallableTool, query_words: &[String]) -> usize {
    let parts = [words(&tool.name), words(&tool.description), words(&tool.schema)];
    let whole = tool.name.to_lowercase();
    let of_word = |word: &String| {
        let begins = |known: &String| known == word || (word.len() > 3 && known.starts_with(word.as_str()));
        let found = parts.iter().zip(COUNTS).filter(|(part, _)| part.iter().any(begins));
        let named = if whole.contains(word.as_str()) { COUNTS[0] } else { 0 };
        found.map(|(_, count)| count).sum::<usize>() + named
    };
    query_words.iter().map(of_word).sum()
}

/// Splits a text into words in lower case; a name such as `listFiles` is split into several words.
fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() || (small && letter.is_uppercase()) {
            found.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        small = letter.is_lowercase();
    }
    found.extend((!word.is_empty()).then_some(word));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn tool_names_are_split_into_words_in_any_case_style() {
        each(
            [
                ("listFiles", vec!["list", "files"]),
                ("mcp__git-hub__create_issue", vec!["mcp", "git", "hub", "create", "issue"]),
                ("Finds files.", vec!["finds", "files"]),
                ("", vec![]),
            ],
            |(text, wanted)| {
                assert_eq!(words(text), wanted, "{text}");
            },
        );
    }
}
