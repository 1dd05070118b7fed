//! Tests that the model answers here as it does at its origin: the same tokens, and the same similarity.

use serde_json::Value;
use toolpost_index::embed::{Side, Static, likeness};

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

#[test]
fn tokens_and_likeness_are_those_of_the_training() {
    let model = Static::embedded().unwrap();
    let rows = std::fs::read_to_string("tests/fixtures/embed_rows.json").unwrap();
    let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let side = |side: Side, text: &str, tokens: &str| {
            let text = row[text].as_str().unwrap();
            let found: Vec<u64> = model.tokens(side, text).into_iter().map(u64::from).collect();
            assert_eq!(found, numbers(&row[tokens]), "{text}");
            model.vector(side, text)
        };
        let question = side(Side::Question, "question", "question_tokens");
        let code = side(Side::Code, "code", "code_tokens");
        let found = likeness(&question.parts, question.scale, &code.parts, code.scale);
        let wanted = row["likeness"].as_f64().unwrap();
        assert!((f64::from(found) - wanted).abs() < 0.02, "{found} is not {wanted}: {}", row["question"]);
    }
}
