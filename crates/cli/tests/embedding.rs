//! Selection of the embedding model for semantic search, with the built program.

use crate::common;

use common::{RunResult, World};

/// Runs a semantic search with settings for the embedding model.
fn ask(world: &World, settings: &[(&str, &str)]) -> RunResult {
    let arguments = r#"{"query": "total price of the cart", "target_directories": ["."]}"#;
    let mut program = world.program(&["call", "--dialect", "trae", "search_codebase", arguments]);
    program.envs(settings.iter().copied());
    RunResult::of(&program.output().unwrap())
}

#[test]
fn embedding_model_directory_replaces_the_built_in_model() {
    let world = World::with(&[
        ("shop/cart.py", b"def total_price(cart):\n    return sum(cart.price)\n"),
        ("shop/retry.py", b"def retry_http_server():\n    return error\n"),
    ]);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../ranked/tests/fixtures/model2vec/plain");
    let ended = ask(&world, &[("TOOLPOST_EMBEDDING", model)]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let first = ended.out.find("shop/cart.py:1-2").unwrap_or_else(|| panic!("{}", ended.out));
    assert!(ended.out.find("shop/retry.py").is_none_or(|second| first < second), "{}", ended.out);
    assert!(ended.out.contains("the model plain"), "{}", ended.out);
    let embedded = ask(&world, &[]);
    assert!(!embedded.out.contains("the model plain"), "{}", embedded.out);
}

#[test]
fn invalid_embedding_settings_fail_at_start() {
    let world = World::with(&[("a.py", b"def read():\n    pass\n")]);
    let nowhere = world.base().join("nowhere").display().to_string();
    type Settings<'s> = &'s [(&'s str, &'s str)];
    let rows: [(Settings<'_>, &[&str]); 3] = [
        (&[("TOOLPOST_EMBEDDING", &nowhere)], &["model.safetensors does not exist", "as model2vec saves it"]),
        (&[("TOOLPOST_EMBEDDING", "models/mine")], &["invalid `embedding`", "https://"]),
        (
            &[("TOOLPOST_EMBEDDING", &nowhere), ("TOOLPOST_EMBEDDING_MODEL", "m")],
            &["`embedding` is a directory, so `embedding_model`"],
        ),
    ];
    for (settings, wanted) in rows {
        let ended = ask(&world, settings);
        assert_ne!(ended.code, Some(0), "{settings:?}");
        assert!(wanted.iter().all(|wanted| ended.err.contains(wanted)), "{settings:?}: {}", ended.err);
    }
}
