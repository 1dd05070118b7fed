//! Check of JSON answers against a schema.

use serde_json::Value;
use toolpost_engine::{Failure, Hint, Kind};

/// Checks answers, with one retry for an invalid one.
pub struct SchemaCheck {
    schema: Option<String>,
    again: RetryState,
}

/// State of the retry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RetryState {
    NotYet,
    Once,
}

/// Result of a check.
pub enum CheckResult {
    /// The answer is valid. The text is its JSON, or the unchanged answer if there is no schema.
    Fits(String),
    /// The answer is invalid; ask again with this text.
    Again(String),
}

impl SchemaCheck {
    /// Creates the check; without a schema, any answer is valid.
    #[must_use]
    pub fn new(schema: Option<String>) -> Self {
        Self { schema, again: RetryState::NotYet }
    }

    /// Checks an answer.
    ///
    /// # Errors
    /// If a second answer is invalid too.
    pub fn judge(&mut self, text: &str) -> Result<CheckResult, Failure> {
        let Some(schema) = &self.schema else { return Ok(CheckResult::Fits(text.to_owned())) };
        match (read(text, schema), self.again) {
            (Ok(answer), _) => Ok(CheckResult::Fits(answer)),
            (Err(wrong), RetryState::NotYet) => {
                self.again = RetryState::Once;
                Ok(CheckResult::Again(format!("{wrong} Answer with JSON alone, as the schema requires.")))
            }
            (Err(wrong), RetryState::Once) => {
                let what = format!(
                    "The model's answer does not match the schema, even after an error message: {wrong}"
                );
                let advice = "Request less at a time, or pass a simpler schema.";
                Err(Failure::new(Kind::Invalid, what).found(text).hint(Hint::Advice(advice.to_owned())))
            }
        }
    }
}

/// Extracts the JSON of an answer, which may be in a fenced block.
///
/// # Errors
/// If the answer is not JSON, or does not match the schema; the error is a sentence for the model.
fn read(words: &str, schema: &str) -> Result<String, String> {
    let text = unfenced(words.trim());
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("The answer is not JSON: {error}."))?;
    if let Ok(schema) = serde_json::from_str::<Value>(schema) {
        check(&value, &schema, "the answer")?;
    }
    Ok(value.to_string())
}

fn unfenced(words: &str) -> &str {
    let inner = words.strip_prefix("```").and_then(|words| words.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(words, |(_, inner)| inner.trim())
}

fn check(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    if let Some(sorts) = schema.get("type") {
        let sorts: Vec<&str> = match sorts {
            Value::Array(sorts) => sorts.iter().filter_map(Value::as_str).collect(),
            sort => sort.as_str().into_iter().collect(),
        };
        if !sorts.is_empty() && !sorts.iter().any(|sort| is(value, sort)) {
            return Err(format!("{place} should be of the type {}.", sorts.join(" or ")));
        }
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        return Err(format!("{place} should be one of {}.", Value::from(choices.clone())));
    }
    if let Some(object) = value.as_object() {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            if !object.contains_key(key) {
                return Err(format!("{place} has no `{key}`."));
            }
        }
        for (key, value) in object {
            if let Some(schema) = schema.get("properties").and_then(|properties| properties.get(key)) {
                check(value, schema, &format!("`{key}`"))?;
            }
        }
    }
    if let (Some(items), Some(schema)) = (value.as_array(), schema.get("items")) {
        for item in items {
            check(item, schema, &format!("each item of {place}"))?;
        }
    }
    Ok(())
}

fn is(value: &Value, sort: &str) -> bool {
    match sort {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn json_answers_are_checked_against_the_schema() {
        let schema = r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "items": {"type": "integer"}},
            "b": {"enum": ["x", "y"]}}}"#;
        let rows = [
            ("{\"a\": [1, 2.0]}", Ok("{\"a\":[1,2.0]}")),
            ("```json\n{\"a\": []}\n```", Ok("{\"a\":[]}")),
            ("{\"b\": \"x\"}", Err("the answer has no `a`.")),
            ("{\"a\": [\"1\"]}", Err("each item of `a` should be of the type integer.")),
            ("{\"a\": [], \"b\": 1}", Err("`b` should be one of [\"x\",\"y\"].")),
            ("[]", Err("the answer should be of the type object.")),
            ("words", Err("The answer is not JSON: expected value at line 1 column 1.")),
        ];
        each(rows, |(words, wanted)| {
            assert_eq!(read(words, schema), wanted.map(str::to_owned).map_err(str::to_owned), "{words}");
        });
    }
}
