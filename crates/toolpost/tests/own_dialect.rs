//! The example `own_dialect`: its tools work like those of the built-in dialects.

use serde_json::json;
use toolpost::{Builder, Error, Kind, Problem, Toolpost};
use toolpost_test_rows::{each, each_async};
use toolpost_tool::Dialect;

#[path = "../examples/own_dialect.rs"]
#[expect(dead_code, reason = "the test opens the dialect, and does not serve it")]
mod example;

use example::DIALECT;

fn builder(base: &tempfile::TempDir) -> Builder {
    let root = base.path().join("root");
    std::fs::create_dir_all(root.join("docs")).unwrap();
    std::fs::write(root.join("docs/a.md"), "text").unwrap();
    let state = Some(base.path().join("state"));
    Toolpost::builder(root).state(state).cache(None).own_dialect(&DIALECT)
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_dialect_tools_work_under_their_names() {
    let base = tempfile::tempdir().unwrap();
    let post = builder(&base).open().await.unwrap();
    let tools = post.tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["about", "files", "add_shelf"]);
    assert!(tools.iter().all(|tool| !tool.description.is_empty()));
    let session = post.session();
    let rows = [
        ("about", json!({ "path": "docs/a.md" }), "docs/a.md: 4 bytes, mode 644"),
        ("about", json!({ "file": "docs/a.md" }), "docs/a.md: 4 bytes, mode 644"),
        ("list_files", json!({ "pattern": "**/*.md" }), "docs/a.md\n[toolpost: 1 of 1 files]"),
        ("files", json!({ "pattern": "**/*.md" }), "docs/a.md\n[toolpost: 1 of 1 files]"),
        ("add_shelf", json!({ "path": "new/shelf" }), "new/shelf: created"),
    ];
    each_async(rows, async |(tool, arguments, wanted)| {
        let reply = session.call(tool, arguments).await;
        assert_eq!((reply.problem(), reply.text().trim_end()), (None, wanted), "{tool}");
    })
    .await;
    post.close().await;
}

/// Each failure has the wording of the dialect, and no flag of the command line.
#[tokio::test(flavor = "multi_thread")]
async fn custom_dialect_words_the_failures_of_its_tools() {
    let base = tempfile::tempdir().unwrap();
    let post = builder(&base).open().await.unwrap();
    let root = base.path().join("root").canonicalize().unwrap();
    let outside = format!(
        "../beside is outside the workspace: only paths in {} may be used. Only the owner of the shelf can add another \
         directory.",
        root.display()
    );
    let rows = [
        (
            "about",
            json!({ "path": "a.md" }),
            Kind::NotFound,
            "The shelf lacks it. Not found: a.md.\nCall files with the pattern **/a.md.",
        ),
        ("about", json!({ "path": "../beside" }), Kind::Outside, outside.as_str()),
        ("add_shelf", json!({ "path": "../beside" }), Kind::Outside, outside.as_str()),
        (
            "files",
            json!({ "pattern": " " }),
            Kind::Invalid,
            "The pattern is blank: pass **/* to list every file.",
        ),
        (
            "files",
            json!({ "pattern": "*", "limit": 0 }),
            Kind::Invalid,
            "limit must be at least 1, got 0; for example {\"limit\":10}.",
        ),
    ];
    let session = post.session();
    each_async(rows, async |(tool, arguments, kind, wanted)| {
        let reply = session.call(tool, arguments).await;
        assert_eq!((reply.problem(), reply.text().as_str()), (Some(Problem::Failed(kind)), wanted), "{tool}");
    })
    .await;
    let lowered = session.call("files", json!({ "pattern": "**/*", "limit": 1_000 })).await;
    assert!(
        lowered.text().contains("limit was 1000 and was lowered to 100, the maximum"),
        "{}",
        lowered.text()
    );
    post.close().await;
}

#[test]
fn opening_refuses_a_dialect_with_mistakes() {
    static BAD: Dialect = Dialect { pages: &["## about\n\nShows a file.\n"], ..DIALECT };
    let base = tempfile::tempdir().unwrap();
    let error = builder(&base).own_dialect(&BAD).open_blocking().err().unwrap();
    assert!(matches!(error, Error::Tools(_)), "{error:?}");
    let wanted = "the dialect `shelf` is invalid: the tool `files` has no description: add `## files` and a paragraph to \
                  `pages`; the tool `add_shelf` has no description: add `## add_shelf` and a paragraph to `pages`";
    assert_eq!(error.chain(), wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn about_shows_the_size() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.md"), "text").unwrap();
    let builder = Toolpost::builder(root.path()).state(None).cache(None);
    let post = builder.own_dialect(&DIALECT).open().await.unwrap();
    assert!(post.tools().iter().all(|tool| !tool.description.is_empty()));
    let reply = post.session().call("about", json!({ "path": "a.md" })).await;
    assert!(reply.text().starts_with("a.md: 4 bytes"), "{}", reply.text());
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_dialects_can_be_added_to_a_custom_dialect() {
    let base = tempfile::tempdir().unwrap();
    let post = builder(&base).dialect("claude").open().await.unwrap();
    let names: Vec<String> = post.tools().into_iter().map(|tool| tool.name).collect();
    each(["about", "files", "add_shelf", "Read", "Grep"], |name| {
        assert!(names.iter().any(|known| known == name), "{name} is missing: {names:?}");
    });
    post.close().await;
}
