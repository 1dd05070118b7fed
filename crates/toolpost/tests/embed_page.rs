//! The sections of docs/embed.md that are parts of programs, as functions that the tests run.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the page shows programs for a terminal")]

use crate::embedding::Project;
use serde_json::json;
use std::sync::atomic::Ordering;
use toolpost::{Kind, Problem};
use toolpost_test_rows::each;

mod typed_operations {
    use toolpost::{
        Failure, Kind, Session, Toolpost,
        operations::{change, read, stat},
    };

    pub(super) async fn rename_in_notes(post: &Toolpost, session: &Session) -> Result<u64, Failure> {
        let path = post.path("notes.txt")?;
        let about = session.run::<stat::Stat>(stat::Request { path: path.clone() }).await?;
        println!("{} has {} bytes", about.path, about.bytes);

        let old = "Ada".to_owned();
        let edit = change::Request::replace(path.clone(), old, "Grace".to_owned(), change::Step::Exact);
        match session.run::<change::ChangeFiles>(edit.clone()).await {
            Ok(output) => println!("{} was changed", output.files[0].path),
            Err(failure) if failure.kind == Kind::Unread => {
                let request = read::Request::of(path, "notes.txt".to_owned(), 16 * 1024);
                session.run::<read::Read>(request).await?;
                session.run::<change::ChangeFiles>(edit).await?;
            }
            Err(failure) => return Err(failure),
        }
        Ok(about.bytes)
    }
}

mod choose_the_tools {
    use std::path::Path;
    use toolpost::settings::{Flags, Settings};
    use toolpost::{
        Toolpost,
        settings::values::{Deny, OnOff},
    };

    pub(super) async fn open(root: &Path, library: &Path) -> Result<Toolpost, toolpost::Error> {
        let post = Toolpost::builder(root)
            .root(library)
            .dialect("opencode")
            .tools(["grep", "glob", "lsp"])
            .deny(Deny::Fetch)
            .read_only()
            .with(|settings| settings.first_match.set(OnOff::On))
            .open()
            .await?;
        Ok(post)
    }

    #[expect(dead_code, reason = "it opens what the user of this machine has configured")]
    pub(super) async fn open_as_the_user() -> Result<Toolpost, toolpost::Error> {
        let post = Toolpost::with_settings(Settings::of_user(Flags::default())?).open().await?;
        Ok(post)
    }
}

mod answer_approvals {
    use std::path::Path;
    use toolpost::{Approval, Toolpost};

    pub(super) async fn open(root: &Path) -> Result<Toolpost, toolpost::Error> {
        let post = Toolpost::builder(root)
            .approve(|question| async move {
                eprintln!("{}", question.words());
                Approval::Deny("This program has no user.".to_owned())
            })
            .open()
            .await?;
        Ok(post)
    }
}

mod follow_and_cancel {
    use serde_json::json;
    use toolpost::CancellationToken;
    use toolpost::{Reply, Session};

    pub(super) async fn search(session: &Session) -> (Reply, CancellationToken) {
        let token = CancellationToken::new();
        let reply = session
            .call("Grep", json!({ "pattern": "fn main" }))
            .on_progress(|_, what| eprintln!("{what}"))
            .cancelled_by(token.clone())
            .await;
        (reply, token)
    }
}

mod follow_all_calls {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };
    use toolpost::{Detail, Status, Toolpost};

    pub(super) fn count_failures(post: &Toolpost) -> Arc<AtomicUsize> {
        let failures = Arc::new(AtomicUsize::new(0));
        let count = failures.clone();
        post.on_event(Detail::Names, move |event| {
            if event.status == Status::Failed {
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        failures
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_operations_edit_what_they_have_read() {
    let project = Project::new();
    let post = project.builder().open().await.unwrap();
    let session = post.session();
    let missing = typed_operations::rename_in_notes(&post, &session).await;
    assert_eq!(missing.unwrap_err().kind, Kind::NotFound);
    std::fs::write(project.root().join("notes.txt"), "by Ada\n").unwrap();
    assert_eq!(typed_operations::rename_in_notes(&post, &session).await.unwrap(), 7);
    assert_eq!(project.read("notes.txt"), "by Grace\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chosen_tools_are_published() {
    let (project, library) = (Project::new(), Project::new());
    let post = choose_the_tools::open(&project.root(), &library.root()).await.unwrap();
    let mut names: Vec<String> = post.tools().into_iter().map(|tool| tool.name).collect();
    names.sort();
    assert_eq!(names, ["glob", "grep", "lsp"]);
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_function_answers_prompts_and_the_listener_counts_failures() {
    let project = Project::new();
    std::fs::write(project.root().join("main.rs"), "fn main() {}\n").unwrap();
    let post = answer_approvals::open(&project.root()).await.unwrap();
    let failures = follow_all_calls::count_failures(&post);
    let session = post.session();
    let (reply, token) = follow_and_cancel::search(&session).await;
    assert!(reply.text().contains("main.rs") && !token.is_cancelled(), "{}", reply.text());
    assert_eq!(failures.load(Ordering::Relaxed), 0);
    let write = json!({ "file_path": project.path(".vscode/tasks.json"), "content": "{}" });
    let reply = session.call("Write", write).await;
    assert_eq!(reply.problem(), Some(Problem::Failed(Kind::Denied)));
    assert!(reply.text().contains("This program has no user."), "{}", reply.text());
    assert_eq!(failures.load(Ordering::Relaxed), 1);
    post.close().await;
}

/// Removes the indentation, which differs between the page and a function.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// The page quotes the examples, this file and the tests of the dialect, which compile.
#[test]
fn embedding_page_quotes_code_that_compiles() {
    let code = trimmed(concat!(
        include_str!("../examples/embed.rs"),
        include_str!("../examples/own_dialect.rs"),
        include_str!("own_dialect.rs"),
        include_str!("embed_page.rs"),
    ));
    let page = include_str!("../../../docs/embed.md");
    let blocks = page.split("```rust\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
    let parts: Vec<String> = blocks.flat_map(|block| block.split("\n\n")).map(trimmed).collect();
    assert!(parts.len() > 25, "{parts:?}");
    each(parts, |part| assert!(code.contains(&part), "in no example or test: {part}"));
}
