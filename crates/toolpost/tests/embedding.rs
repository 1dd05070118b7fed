//! Tests of a program that embeds Toolpost, and uses only the crate `toolpost`.

use serde_json::json;
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use toolpost::{
    Approval, Builder, CancellationToken, Detail, Error, Kind, Problem, Reply, Status, Toolpost,
    settings::values::Deny,
};
use toolpost_test_rows::{each, each_async};

/// A fresh root, with a state directory next to it.
struct Project {
    base: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir(base.path().join("root")).unwrap();
        Self { base }
    }

    fn root(&self) -> PathBuf {
        self.base.path().canonicalize().unwrap().join("root")
    }

    fn path(&self, name: &str) -> String {
        self.root().join(name).display().to_string()
    }

    fn builder(&self) -> Builder {
        Toolpost::builder(self.root()).state(Some(self.base.path().join("state"))).cache(None)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root().join(name)).unwrap()
    }
}

#[track_caller]
fn succeeded(reply: &Reply) -> String {
    assert_eq!(reply.problem(), None, "{}", reply.text());
    reply.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_toolpost_runs_the_five_file_tools() {
    let project = Project::new();
    let post = project.builder().structured().open().await.unwrap();
    let names: Vec<String> = post.tools().into_iter().map(|tool| tool.name).collect();
    each(["Read", "Write", "Edit", "Grep", "Glob"], |name| {
        assert!(names.iter().any(|known| known == name), "{name} is missing: {names:?}");
    });
    let tools = post.tools();
    assert!(tools.iter().all(|tool| !tool.description.is_empty() && tool.schema["type"] == "object"));
    let session = post.session();
    let file = project.path("a.txt");
    succeeded(&session.call("Write", json!({ "file_path": file, "content": "one\ntwo\n" })).await);
    let read = session.call("Read", json!({ "file_path": file })).await;
    assert!(succeeded(&read).contains("two"), "{}", read.text());
    assert!(read.structured().is_some());
    succeeded(
        &session.call("Edit", json!({ "file_path": file, "old_string": "two", "new_string": "three" })).await,
    );
    assert_eq!(project.read("a.txt"), "one\nthree\n");
    let found = session.call_text("Grep", r#"{"pattern": "thr", "output_mode": "content"}"#).await;
    assert!(succeeded(&found).contains("three"), "{}", found.text());
    let listed = session.call("Glob", json!({ "pattern": "*.txt" })).await;
    assert!(succeeded(&listed).contains("a.txt"), "{}", listed.text());
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_calls_reply_with_a_problem_and_text() {
    let project = Project::new();
    let post = project.builder().open().await.unwrap();
    let session = post.session();
    let rows = [
        (session.call("Nope", json!({})).await, Problem::UnknownTool),
        (session.call_text("Read", "{").await, Problem::InvalidJson),
        (session.call("Read", json!({})).await, Problem::Failed(Kind::Invalid)),
        (
            session.call("Read", json!({ "file_path": project.path("none") })).await,
            Problem::Failed(Kind::NotFound),
        ),
    ];
    each(rows, |(reply, problem)| {
        assert!(reply.is_error() && !reply.text().is_empty(), "{problem:?}");
        assert_eq!(reply.problem(), Some(problem), "{}", reply.text());
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn embedding_program_approves_and_denies_calls() {
    let project = Project::new();
    let write =
        |content: &str| json!({ "file_path": project.path(".vscode/tasks.json"), "content": content });
    let silent = project.builder().open().await.unwrap();
    let reply = silent.session().call("Write", write("silent")).await;
    assert_eq!(reply.problem(), Some(Problem::Failed(Kind::Denied)), "{}", reply.text());
    let prompts = Arc::new(AtomicUsize::new(0));
    let count = prompts.clone();
    let denying = project.builder().approve(move |question| {
        count.fetch_add(1, Ordering::SeqCst);
        async move { Approval::Deny(format!("not {}", question.tool)) }
    });
    let reply = denying.open().await.unwrap().session().call("Write", write("denied")).await;
    assert_eq!(reply.problem(), Some(Problem::Failed(Kind::Denied)));
    assert!(reply.text().contains("not Write"), "{}", reply.text());
    assert!(!project.root().join(".vscode").exists());
    let count = prompts.clone();
    let allowing = project.builder().approve(move |question| {
        count.fetch_add(1, Ordering::SeqCst);
        let shown = question.touches.concat().contains("tasks.json");
        async move { if shown { Approval::Session } else { Approval::Deny(String::new()) } }
    });
    let session = allowing.open().await.unwrap().session();
    succeeded(&session.call("Write", write("once")).await);
    assert_eq!(project.read(".vscode/tasks.json"), "once");
    assert_eq!(prompts.load(Ordering::SeqCst), 2);
    // The approval holds for the session.
    succeeded(&session.call("Write", write("twice")).await);
    assert_eq!((project.read(".vscode/tasks.json").as_str(), prompts.load(Ordering::SeqCst)), ("twice", 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_calls_stop_their_command() {
    let project = Project::new();
    let post =
        project.builder().dialect("opencode").approve(|_| async { Approval::Once }).open().await.unwrap();
    let (token, began) = (CancellationToken::new(), Instant::now());
    let (cancel, session) = (token.clone(), post.session());
    let call = session
        .call("bash", json!({ "command": "echo begun; sleep 60", "description": "wait" }))
        .on_progress(move |_, _| cancel.cancel())
        .cancelled_by(token);
    let reply = call.await;
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    assert!(reply.problem().is_some(), "{}", reply.text());
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_reports_progress_while_it_runs() {
    let project = Project::new();
    let post =
        project.builder().dialect("opencode").approve(|_| async { Approval::Once }).open().await.unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (hear, go) = (heard.clone(), project.path("go"));
    let line = "echo first; until [ -e go ]; do sleep 0.05; done; echo second";
    let reply = post
        .session()
        .call("bash", json!({ "command": line, "description": "wait" }))
        .on_progress(move |count, what| {
            if what.starts_with("running for ") {
                std::fs::write(&go, "").unwrap();
            }
            hear.lock().unwrap().push((count, what.to_owned()));
        })
        .await;
    assert!(succeeded(&reply).contains("second"), "{}", reply.text());
    let heard = heard.lock().unwrap().clone();
    assert!(heard.iter().any(|(_, what)| what.contains("first")), "{heard:?}");
    // The count is the run time in milliseconds.
    let is_second =
        |(count, what): &(u64, String)| (1_000..2_000).contains(count) && what == "running for 1 s";
    assert!(heard.iter().any(is_second), "{heard:?}");
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_open_instances_share_no_state() {
    let (one, two) = (Project::new(), Project::new());
    let first = one.builder().open().await.unwrap();
    let second = two.builder().dialect("opencode").read_only().deny(Deny::Execute).open().await.unwrap();
    let events = Arc::new(Mutex::new(Vec::new()));
    let hear = events.clone();
    second
        .on_event(Detail::Names, move |event| hear.lock().unwrap().push((event.name.clone(), event.status)));
    let file = one.path("a.txt");
    let session = first.session();
    succeeded(&session.call("Write", json!({ "file_path": file, "content": "one\n" })).await);
    assert!(events.lock().unwrap().is_empty(), "events of another Toolpost: {events:?}");
    // A second session of the same Toolpost has not read the file.
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
    let reply = first.session().call("Edit", edit.clone()).await;
    assert_eq!(reply.problem(), Some(Problem::Failed(Kind::Unread)), "{}", reply.text());
    succeeded(&session.call("Edit", edit).await);
    let reply = second.session().call("grep", json!({ "pattern": "one", "path": one.root() })).await;
    assert_eq!(reply.problem(), Some(Problem::Failed(Kind::Outside)), "{}", reply.text());
    let names = |post: &Toolpost| -> Vec<String> { post.tools().into_iter().map(|tool| tool.name).collect() };
    assert!(names(&first).contains(&"Write".to_owned()));
    assert!(names(&second).contains(&"grep".to_owned()));
    assert!(["bash", "write", "Write"].iter().all(|name| !names(&second).contains(&(*name).to_owned())));
    let recorded = events.lock().unwrap().clone();
    assert_eq!(recorded, [("grep".to_owned(), Status::Started), ("grep".to_owned(), Status::Failed)]);
    // After one `Toolpost` is closed, the other one still works.
    second.close().await;
    succeeded(&session.call("Read", json!({ "file_path": file })).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_builder_options_fail_with_their_error_variant() {
    let project = Project::new();
    type Wanted = fn(&Error) -> bool;
    type Change = fn(Builder) -> Builder;
    let rows: [(Change, Wanted, &str); 6] = [
        (
            |builder| builder.dialect("nope"),
            |error| matches!(error, Error::Tools(_)),
            "unknown dialect `nope`",
        ),
        (
            |builder| builder.tools(["Nope"]),
            |error| matches!(error, Error::Tools(_)) && error.setting().is_none(),
            "Nope",
        ),
        (|builder| builder.root("/no/such"), |error| matches!(error, Error::Workspace(_)), "/no/such"),
        (
            |builder| builder.policy("/no/such.toml"),
            |error| matches!(error, Error::Policy(_)),
            "the policy /no/such.toml does not exist",
        ),
        (
            |builder| builder.with(|settings| settings.encoding.set(Some("nope".to_owned()))),
            |error| matches!(error, Error::Setting(_)) && error.setting() == Some("encoding"),
            "unknown encoding `nope`",
        ),
        (
            |builder| builder.with(|settings| settings.embedding.set(Some("/no/such".to_owned()))),
            |error| matches!(error, Error::Service(_)) && error.setting() == Some("embedding"),
            "embedding",
        ),
    ];
    each_async(rows, async |(change, wanted, words)| {
        let Err(error) = change(project.builder()).open().await else { panic!("opened: {words}") };
        assert!(wanted(&error), "{words}: {error:?}");
        assert!(error.chain().contains(words), "{words}: {}", error.chain());
        // The form in which Rust prints an error that `main` returns.
        assert_eq!(format!("{error:?}"), error.chain());
    })
    .await;
}
        assert_eq!(error.cause().to_string(), error.to_string());
