//! Tests that the model gives the same tokens and similarities as the program that trained it.

use serde_json::Value;
use toolpost_ranked::embed::{Static, TextRole, likeness};

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

#[test]
fn tokens_and_likeness_match_the_training_code() {
    let model = Static::embedded().unwrap();
    let rows = std::fs::read_to_string("tests/fixtures/embed_rows.json").unwrap();
    let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let side = |side: TextRole, text: &str, tokens: &str| {
            let text = row[text].as_str().unwrap();
            let found: Vec<u64> = model.tokens(side, text).into_iter().map(u64::from).collect();
            assert_eq!(found, numbers(&row[tokens]), "{text}");
            model.vector(side, text)
        };
        let question = side(TextRole::Question, "question", "question_tokens");
        let code = side(TextRole::Code, "code", "code_tokens");
        let found = likeness(&question.parts, question.scale, &code.parts, code.scale);
        let wanted = row["likeness"].as_f64().unwrap();
        assert!((f64::from(found) - wanted).abs() < 0.02, "{found} is not {wanted}: {}", row["question"]);
    }
}
