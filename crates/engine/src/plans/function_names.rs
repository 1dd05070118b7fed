//! Names of the functions with which scripts call tools.

use crate::call::nested::CallableTool;
use std::collections::BTreeSet;

/// Words that cannot name a function in a script.
const RESERVED: [&str; 49] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Returns the name of the function of each tool, in their order. A tool whose name is an identifier keeps it. The
/// other names become identifiers, with a number if another tool has the same one.
pub(super) fn of(tools: &[CallableTool]) -> Vec<String> {
    let names = tools.iter().map(|tool| tool.name.as_str());
    let own = names.clone().filter(|name| identifier(name) == *name);
    let mut taken: BTreeSet<String> = own.map(str::to_owned).collect();
    let functions = names.map(|name| {
        let plain = identifier(name);
        let mut function = plain.clone();
        let mut number = 1_u32;
        while function != name && !taken.insert(function.clone()) {
            number += 1;
            function = format!("{plain}_{number}");
        }
        function
    });
    functions.collect()
}

/// Converts a name to an identifier: other characters than ASCII letters, ASCII digits, `$` and `_` become `_`, and a
/// digit at the beginning or a reserved word gets a `_` in front.
fn identifier(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || letter == '$' { letter } else { '_' };
    let plain: String = name.chars().map(letter).collect();
    let begins = plain.starts_with(|letter: char| !letter.is_ascii_digit());
    if begins && !RESERVED.contains(&plain.as_str()) { plain } else { format!("_{plain}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn tools_have_different_functions_with_valid_names() {
        let rows = [
            (vec!["Read", "$_a1"], vec!["Read", "$_a1"]),
            (vec!["mcp__a-b__c", "7z", "delete", "é"], vec!["mcp__a_b__c", "_7z", "_delete", "_"]),
            (vec!["a-b", "a_b", "a.b", "a_b_2"], vec!["a_b_3", "a_b", "a_b_4", "a_b_2"]),
            (vec!["a_b", "a-b"], vec!["a_b", "a_b_2"]),
        ];
        each(rows, |(names, wanted)| {
            let tool = |name: &str| CallableTool {
                name: name.to_owned(),
                description: String::new(),
                schema: String::new(),
                access: Vec::new(),
            };
            let tools: Vec<CallableTool> = names.iter().map(|name| tool(name)).collect();
            assert_eq!(of(&tools), wanted, "{names:?}");
        });
    }
}
