//! Tests of a model in a directory: its vectors equal those of model2vec, and an invalid model is reported.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

use std::path::{Path, PathBuf};
use toolpost_test_rows::each;

use serde_json::Value;
use toolpost_ranked::embed::{EmbedError, Embedder, Local, TextRole, Vector};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/model2vec")
}

/// Returns the cosine similarity of two vectors.
fn cosine(one: &[i8], other: &[i8]) -> f64 {
    let product = |one: &[i8], other: &[i8]| -> f64 {
        one.iter().zip(other).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

#[test]
fn local_model_computes_the_same_vectors_as_model2vec() {
    let rows: Vec<Value> =
        serde_json::from_slice(&std::fs::read(fixtures().join("rows.json")).unwrap()).unwrap();
    assert!(rows.len() >= 27, "only {} rows", rows.len());
    let mut names = Vec::new();
    for name in ["plain", "half", "shared"] {
        let model = Local::open(&fixtures().join(name)).unwrap();
        assert_eq!(model.shown(), format!("the model {name}"));
        names.push(model.name().to_owned());
        for row in rows.iter().filter(|row| row["model"] == name) {
            let text = row["text"].as_str().unwrap();
            let wanted: Vec<f32> =
                row["vector"].as_array().unwrap().iter().map(|part| part.as_f64().unwrap() as f32).collect();
            let wanted = Vector::of(&wanted);
            let found = model.embed(TextRole::Code, &[text], &|| false).unwrap().remove(0);
            assert_eq!(found.parts.len(), wanted.parts.len());
            let near = cosine(&found.parts, &wanted.parts);
            let nothing = wanted.scale == 0.0;
            assert!(if nothing { found.scale == 0.0 } else { near > 0.999 }, "{name}: {text:.40}: {near}");
        }
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 3, "two models have the same name");
}

/// Stored embeddings belong to the name of the model, so a model that computes other vectors needs another name.
#[test]
fn model_name_depends_on_the_length_limit() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["model.safetensors", "tokenizer.json"] {
        std::fs::copy(fixtures().join("plain").join(file), folder.path().join(file)).unwrap();
    }
    let name = |config: &str| {
        std::fs::write(folder.path().join("config.json"), config).unwrap();
        Local::open(folder.path()).unwrap().name().to_owned()
    };
    let configs = [r#"{"max_length": 512}"#, r#"{"max_length": 7}"#, r#"{"max_length": null}"#];
    let mut names: Vec<String> = configs.iter().map(|config| name(config)).collect();
    assert_eq!(name("{}"), names[0], "512 is the default");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 3, "two limits have the same name");
}

#[test]
fn local_model_stops_when_cancelled() {
    let model = Local::open(&fixtures().join("plain")).unwrap();
    assert_eq!(model.embed(TextRole::Question, &["read"], &|| true), Err(EmbedError::Stopped));
}

#[test]
fn invalid_model_files_are_reported_with_the_expected_format() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |file: &str| {
        std::fs::copy(fixtures().join("plain").join(file), folder.path().join(file)).unwrap();
    };
    let message = || Local::open(folder.path()).err().unwrap().to_string();
    let rows: [(&dyn Fn(), &str); 6] = [
        (&|| (), "model.safetensors does not exist"),
        (&|| copy("model.safetensors"), "tokenizer.json does not exist"),
        (
            &|| std::fs::write(folder.path().join("tokenizer.json"), "{}").unwrap(),
            "tokenizer.json cannot be read",
        ),
        (
            &|| {
                copy("tokenizer.json");
                std::fs::write(folder.path().join("model.safetensors"), "no").unwrap();
            },
            "model.safetensors cannot be read",
        ),
        (
            &|| {
                let shared = fixtures().join("shared/model.safetensors");
                let bytes = std::fs::read(shared).unwrap();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                assert!(text.contains("\"mapping\""));
                let at = bytes.windows(9).position(|part| part == b"\"mapping\"").unwrap();
                let mut other = bytes;
                other[at..at + 9].copy_from_slice(b"\"nothing\"");
                std::fs::write(folder.path().join("model.safetensors"), other).unwrap();
            },
            "has vectors for 16 tokens, but tokenizer.json has",
        ),
        (
            &|| {
                copy("model.safetensors");
                std::fs::write(folder.path().join("config.json"), "[").unwrap();
            },
            "config.json is not JSON",
        ),
    ];
    each(0..rows.len(), |row| {
        let (make, wanted) = rows[row];
        make();
        let message = message();
        assert!(message.contains(wanted) && message.contains("as model2vec saves it"), "{wanted}: {message}");
    });
}
