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
    Approval, Builder, CancellationToken, Detail, Error, Event, Failure, Kind, Problem, Reply, Status,
    Toolpost, WorkspacePath,
    operations::{Hint, change, grep, make_directory, read, stat},
    settings::values::Deny,
};
use toolpost_test_rows::{each, each_async};

/// A fresh root, with a state directory next to it.
pub(crate) struct Project {
    base: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir(base.path().join("root")).unwrap();
        Self { base }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().canonicalize().unwrap().join("root")
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.root().join(name).display().to_string()
    }

    pub(crate) fn builder(&self) -> Builder {
        Toolpost::builder(self.root()).state(Some(self.base.path().join("state"))).cache(None)
    }

    pub(crate) fn read(&self, name: &str) -> String {
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

/// The limits of threads hold for the process, and a call that waits takes none of them.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_in_one_instance_do_not_block_another() {
    // More calls than the engine has worker threads.
    const CALLS: usize = 40;
    let (one, two) = (Project::new(), Project::new());
    let (asked, mut waiting) = tokio::sync::watch::channel(0);
    let (open, gate) = tokio::sync::watch::channel(false);
    let busy = one.builder().approve(move |_| {
        asked.send_modify(|count| *count += 1);
        let mut gate = gate.clone();
        async move {
            gate.wait_for(|is_open| *is_open).await.unwrap();
            Approval::Once
        }
    });
    let busy = busy.open().await.unwrap();
    let session = busy.session();
    let write = |number: usize| {
        let file = one.path(&format!(".vscode/{number}.json"));
        session.call("Write", json!({ "file_path": file, "content": "{}" })).into_future()
    };
    let calls: Vec<_> = (0..CALLS).map(|number| tokio::spawn(write(number))).collect();
    waiting.wait_for(|count| *count == CALLS).await.unwrap();
    std::fs::write(two.root().join("a.txt"), "there\n").unwrap();
    let other = two.builder().open().await.unwrap();
    let read = other.session().call("Read", json!({ "file_path": two.path("a.txt") })).await;
    assert!(succeeded(&read).contains("there"), "{}", read.text());
    assert!(!one.root().join(".vscode").exists());
    open.send(true).unwrap();
    for call in calls {
        succeeded(&call.await.unwrap());
    }
    assert_eq!(std::fs::read_dir(one.root().join(".vscode")).unwrap().count(), CALLS);
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
        assert_eq!(error.cause().to_string(), error.to_string());
    })
    .await;
}

/// A request to write a whole file.
fn whole(path: WorkspacePath, text: &str) -> change::Request {
    let at = change::ChangeTarget::Whole(change::Existence::Any);
    change::Request { changes: vec![change::Change { path, at, text: text.to_owned() }] }
}

fn replace(path: WorkspacePath, old: &str, new: &str) -> change::Request {
    change::Request::replace(path, old.to_owned(), new.to_owned(), change::Step::Exact)
}

fn kind<T>(result: Result<T, Failure>) -> Option<Kind> {
    result.err().map(|failure| failure.kind)
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_take_requests_and_return_outputs() {
    let project = Project::new();
    let post = project.builder().open().await.unwrap();
    let session = post.session();
    let path = post.path("docs/a.txt").unwrap();
    let written = session.run::<change::ChangeFiles>(whole(path.clone(), "one\ntwo\n")).await.unwrap();
    assert_eq!((written.files.len(), project.read("docs/a.txt").as_str()), (1, "one\ntwo\n"));
    let output = session.run::<stat::Stat>(stat::Request { path: path.clone() }).await.unwrap();
    assert_eq!((output.path.as_str(), output.bytes, output.kind), ("docs/a.txt", 8, stat::FileKind::File));
    let missing = stat::Request { path: post.path("docs/b.txt").unwrap() };
    let failure = session.run::<stat::Stat>(missing).await.unwrap_err();
    assert_eq!((failure.kind, failure.hints), (Kind::NotFound, vec![Hint::FindByName("b.txt".to_owned())]));
    let request = grep::Request::of(grep::GrepRequest::of(post.path(".").unwrap(), "t.o"), 1_000);
    let found = session.run::<grep::Grep>(request).await.unwrap();
    let lines: Vec<u64> = found.files.iter().flat_map(|file| &file.lines).map(|line| line.number).collect();
    assert_eq!(lines, [2]);
    post.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_need_the_permissions_of_a_tool() {
    let (project, other) = (Project::new(), Project::new());
    let post = project.builder().open().await.unwrap();
    assert_eq!(kind(post.path("/etc/passwd")), Some(Kind::Outside));
    assert_eq!(kind(post.path("../state")), Some(Kind::Outside));
    let session = post.session();
    let path = |name: &str| post.path(name).unwrap();
    // A rule denies the write of a file in `.git`, and nobody approves that of an editor's tasks.
    for name in [".git/config", ".vscode/tasks.json"] {
        let denied = session.run::<change::ChangeFiles>(whole(path(name), "x")).await;
        assert_eq!(kind(denied), Some(Kind::Denied), "{name}");
        assert!(!project.root().join(name).exists(), "{name}");
    }
    // The path belongs to another Toolpost.
    let foreign = other.builder().open().await.unwrap();
    let path_there = foreign.path("a.txt").unwrap();
    std::fs::write(other.root().join("a.txt"), "there").unwrap();
    assert_eq!(
        kind(session.run::<stat::Stat>(stat::Request { path: path_there.clone() }).await),
        Some(Kind::Outside)
    );
    assert_eq!(
        kind(session.run::<change::ChangeFiles>(whole(path_there, "here")).await),
        Some(Kind::Outside)
    );
    assert_eq!(other.read("a.txt"), "there");
    // The settings deny writing, also a write that the policy would allow.
    let reader = project.builder().read_only().open().await.unwrap();
    let request = make_directory::Request { path: reader.path("new").unwrap() };
    let failure = reader.session().run::<make_directory::MakeDirectory>(request).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.what.as_str()),
        (Kind::Denied, "The operation make_directory can write files, which the settings deny.")
    );
    assert!(!project.root().join("new").exists());
    let request = stat::Request { path: reader.path(".").unwrap() };
    assert_eq!(kind(reader.session().run::<stat::Stat>(request).await), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_change_only_content_that_the_session_has_read() {
    let project = Project::new();
    std::fs::write(project.root().join("a.txt"), "one\n").unwrap();
    let post = project.builder().open().await.unwrap();
    let session = post.session();
    let path = post.path("a.txt").unwrap();
    let edit = |new: &str| replace(path.clone(), "one", new);
    let unread = session.run::<change::ChangeFiles>(edit("two")).await;
    assert_eq!((kind(unread), project.read("a.txt").as_str()), (Some(Kind::Unread), "one\n"));
    // The refusal shows no content, because the edit names only a part; reading records it.
    let request = read::Request::of(path.clone(), "a.txt".to_owned(), 1_000);
    session.run::<read::Read>(request).await.unwrap();
    // Another program changes the file.
    std::fs::write(project.root().join("a.txt"), "one and more\n").unwrap();
    let stale = session.run::<change::ChangeFiles>(whole(path.clone(), "all")).await;
    assert_eq!((kind(stale), project.read("a.txt").as_str()), (Some(Kind::Stale), "one and more\n"));
    let request = read::Request::of(path.clone(), "a.txt".to_owned(), 1_000);
    session.run::<read::Read>(request).await.unwrap();
    session.run::<change::ChangeFiles>(edit("two")).await.unwrap();
    assert_eq!(project.read("a.txt"), "two and more\n");
    // A tool of the same session knows what the operation has read.
    let edit = json!({ "file_path": project.path("a.txt"), "old_string": "two", "new_string": "three" });
    succeeded(&session.call("Edit", edit).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_ask_for_approval_and_can_be_cancelled() {
    let project = Project::new();
    let (questions, token) = (Arc::new(Mutex::new(Vec::new())), CancellationToken::new());
    let (asked, cancel) = (questions.clone(), token.clone());
    let builder = project.builder().approve(move |question| {
        asked.lock().unwrap().push(question.tool);
        cancel.cancel();
        async { Approval::Once }
    });
    let post = builder.open().await.unwrap();
    let path = post.path(".vscode/tasks.json").unwrap();
    let session = post.session();
    let call = session.run::<change::ChangeFiles>(whole(path.clone(), "{}")).cancelled_by(token);
    // The user approves, and the program cancels the call before the operation runs.
    assert_eq!(kind(call.await), Some(Kind::Cancelled));
    assert!(!project.root().join(".vscode").exists());
    session.run::<change::ChangeFiles>(whole(path, "{}")).await.unwrap();
    assert_eq!(project.read(".vscode/tasks.json"), "{}");
    assert_eq!(*questions.lock().unwrap(), ["change (operation)", "change (operation)"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_report_operations_with_their_accesses() {
    let project = Project::new();
    std::fs::write(project.root().join("a.txt"), "one\n").unwrap();
    let post = project.builder().open().await.unwrap();
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let hear = events.clone();
    post.on_event(Detail::All, move |event| hear.lock().unwrap().push(event.clone()));
    let request = stat::Request { path: post.path("a.txt").unwrap() };
    post.session().run::<stat::Stat>(request).await.unwrap();
    let events = events.lock().unwrap().clone();
    let [started, ended] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((started.name.as_str(), started.status), ("stat", Status::Started));
    assert_eq!(*started.params.clone().unwrap(), json!({ "accesses": ["read a.txt"] }));
    assert_eq!((ended.status, ended.outcome.as_deref()), (Status::Completed, Some("done")));
    let output: serde_json::Value = serde_json::from_str(ended.result.as_deref().unwrap()).unwrap();
    assert_eq!(output["bytes"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_calls_tools_reports_its_progress() {
    use toolpost::operations::batch;
    let project = Project::new();
    std::fs::write(project.root().join("a.txt"), "one\n").unwrap();
    let post = project.builder().open().await.unwrap();
    let call = batch::BatchCall {
        tool: "Read".to_owned(),
        arguments: json!({ "file_path": project.path("a.txt") }).to_string(),
    };
    let request = batch::Request {
        calls: vec![call],
        max_parallel: 1,
        on_failure: batch::OnFailure::Stop,
        order: batch::Order::Asked,
        time: None,
        reply_bytes: 1_000,
        first_share: 1_000,
        reply_size: str::len,
        is_cut: |_| false,
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = heard.clone();
    let call = post.session().run::<batch::Batch>(request);
    let call = call.on_progress(move |count, what| hear.lock().unwrap().push((count, what.to_owned())));
    let output = call.await.unwrap();
    assert!(output.results[0].words.contains("one"), "{:?}", output.results);
    assert_eq!(*heard.lock().unwrap(), [(1, "running 1 calls".to_owned())]);
}
