//! Wording of the hints that name no tool.

use toolpost_engine::Hint;

/// Words a hint that names no tool. Returns an empty string for other hints: each dialect words those with its tools.
pub(crate) fn without_tool(hint: &Hint) -> String {
    match hint {
        Hint::DidYouMean(names) => format!("Did you mean `{}`?", names.join("`, or `")),
        Hint::TryAgain => "Make the same call again.".to_owned(),
        Hint::AddRoot => "To allow this one, start Toolpost with another --root DIR.".to_owned(),
        Hint::Operator(rule) => format!(
            "Only the operator can allow this, with a rule in the policy file, which Toolpost reads when it starts: {rule}."
        ),
        Hint::Advice(words) => words.clone(),
        _ => String::new(),
    }
}
