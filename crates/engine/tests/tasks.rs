//! Tests of a session's task list: changes, refusals, and access after a restart.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, permissive};
use std::fs;
use toolpost_engine::{
    CallCtx, Completion, Engine, Failure, Kind, Session,
    operations::{
        complete::{self, Complete},
        tasks::{Edit, Item, NewTask, Output, Priority, Request, Status, TaskEffect, Tasks},
    },
};
use toolpost_workspace::{Options, Workspace};

/// Creates a second engine for the same root, like another process would.
fn engine(world: &World, state: bool) -> Engine {
    let state = state.then(|| world.base.path().join("state"));
    let (workspace, _) =
        Workspace::open(Options { roots: vec![world.at("")], state, ..Options::default() }).unwrap();
    Engine::new(workspace)
}

fn cx(name: Option<&str>) -> CallCtx {
    permissive(Session::named(name.map(str::to_owned)))
}

async fn ask(engine: &Engine, cx: &CallCtx, request: Request) -> Result<String, Failure> {
    engine.run::<Tasks>(request, cx).await.map(|output| shown(&output))
}

fn shown(output: &Output) -> String {
    let line = |listed: &toolpost_engine::operations::tasks::TaskEntry| {
        let task = &listed.task;
        let waits = if listed.waits_for.is_empty() {
            String::new()
        } else {
            format!(" < {}", listed.waits_for.join(" "))
        };
        format!("{} {} {}{waits}", task.id, task.title, task.status.name())
    };
    output.tasks.iter().map(line).collect::<Vec<_>>().join("; ")
}

fn create(title: &str, id: Option<&str>, before: &[&str]) -> Request {
    let blocked_by = Some(before.iter().map(ToString::to_string).collect());
    let edit = Edit { blocked_by, ..Edit::default() };
    Request::Create(NewTask { id: id.map(str::to_owned), title: title.to_owned(), edit })
}

fn status(id: &str, status: Status) -> Request {
    Request::Update(id.to_owned(), Edit { status: Some(status), ..Edit::default() })
}

fn after(id: &str, before: &[&str]) -> Request {
    let blocked_by = Some(before.iter().map(ToString::to_string).collect());
    Request::Update(id.to_owned(), Edit { blocked_by, ..Edit::default() })
}

fn items(items: &[(&str, &str, Status)]) -> Request {
    let item = |(id, title, status): &(&str, &str, Status)| Item {
        id: (*id).to_owned(),
        title: (*title).to_owned(),
        status: *status,
        priority: Priority::High,
    };
    Request::Replace(items.iter().map(item).collect())
}

#[tokio::test]
#[expect(clippy::too_many_lines, clippy::type_complexity, reason = "the test is a table of rows")]
async fn task_requests_update_the_list_or_are_refused() {
    let world = World::new(&[]);
    let cx = cx(None);
    let conflict = |what: &str| Err((Kind::Conflict, what.to_owned()));
    let ring = |ring: &str| conflict(&format!("These tasks would wait for one another: {ring}."));
    let three = "task-1 A pending; task-2 B pending < task-1 (A); task-3 C pending < task-2 (B)";
    let (longest, longer) = ("é".repeat(100), "é".repeat(101));
    let (listed, refused) =
        (format!("{longest} L pending"), format!("\"{longest}\" cannot be the id of a task."));
    let rows: Vec<(Request, Result<&str, (Kind, String)>)> = vec![
        (create("A", None, &[]), Ok("task-1 A pending")),
        (create("B", None, &["task-1", "task-1"]), Ok("task-1 A pending; task-2 B pending < task-1 (A)")),
        (create("C", None, &["task-2"]), Ok(three)),
        (after("task-1", &["task-3"]), ring("task-1 → task-3 → task-2 → task-1")),
        (after("task-1", &["task-1"]), conflict("task-1 cannot wait for itself.")),
        (after("task-1", &["none"]), Err((Kind::NotFound, "There is no task \"none\".".to_owned()))),
        (create("D", None, &["none"]), Err((Kind::NotFound, "There is no task \"none\".".to_owned()))),
        (create(" ", None, &[]), Err((Kind::Invalid, "task-4 has no title.".to_owned()))),
        (create("D", Some("task-1"), &[]), conflict("The task task-1 already exists: A.")),
        (
            create("D", Some("two words"), &[]),
            Err((Kind::Invalid, "\"two words\" cannot be the id of a task.".to_owned())),
        ),
        (
            Request::Complete("none".to_owned()),
            Err((Kind::NotFound, "There is no task \"none\".".to_owned())),
        ),
        (
            Request::Update("task-1".to_owned(), Edit::default()),
            Err((Kind::Invalid, "The update of task-1 contains no changes.".to_owned())),
        ),
        (
            Request::Complete("task-3".to_owned()),
            conflict("task-3 (C) cannot be completed: it waits for tasks that are still open."),
        ),
        (
            status("task-2", Status::InProgress),
            conflict("task-2 (B) cannot be started: it waits for tasks that are still open."),
        ),
        (Request::List, Ok(three)),
        (
            Request::Complete("task-1".to_owned()),
            Ok("task-1 A completed; task-2 B pending; task-3 C pending < task-2 (B)"),
        ),
        (status("task-2", Status::Cancelled), Ok("task-1 A completed; task-2 B cancelled; task-3 C pending")),
        // Fields that the replacement omits keep their values; a removed task no longer blocks others.
        (
            items(&[
                ("task-3", "C", Status::Pending),
                ("task-2", "B", Status::Pending),
                ("own", "O", Status::Completed),
            ]),
            Ok("task-3 C pending < task-2 (B); task-2 B pending; own O completed"),
        ),
        (
            items(&[("task-3", "C", Status::Completed), ("task-2", "B", Status::Pending)]),
            conflict("task-3 (C) cannot be completed: it waits for tasks that are still open."),
        ),
        (
            items(&[("x", "X", Status::Pending), ("x", "Y", Status::Pending)]),
            Err((Kind::Invalid, "Two tasks have the id x; give each task a different id.".to_owned())),
        ),
        (items(&[("task-3", "C", Status::Completed)]), Ok("task-3 C completed")),
        // The id of a removed task is not generated again.
        (create("E", None, &[]), Ok("task-3 C completed; task-4 E pending")),
        // The limit of an id counts characters, not bytes.
        (items(&[(longest.as_str(), "L", Status::Pending)]), Ok(listed.as_str())),
        (items(&[(longer.as_str(), "L", Status::Pending)]), Err((Kind::Invalid, refused))),
        (items(&[]), Ok("")),
        (create("F", None, &[]), Ok("task-5 F pending")),
    ];
    each_async(rows, async |(request, wanted)| {
        let request_text = format!("{request:?}");
        let found = ask(&world.engine, &cx, request).await.map_err(|failure| (failure.kind, failure.what));
        assert_eq!(found, wanted.map(str::to_owned), "{request_text}");
    })
    .await;
}

#[tokio::test]
async fn task_list_is_limited_in_number_and_bytes() {
    let world = World::new(&[]);
    let many: Vec<(String, String)> = (0..501).map(|at| (format!("t{at}"), "x".to_owned())).collect();
    let wide = vec![("wide".to_owned(), "x".repeat(300_000))];
    for (rows, what) in [
        (many, "The list would have 501 tasks; the maximum is 500."),
        (wide, "The tasks would have 300000 bytes together; the maximum is 262144."),
    ] {
        let item = |(id, title): (String, String)| Item {
            id,
            title,
            status: Status::Pending,
            priority: Priority::Low,
        };
        let request = Request::Replace(rows.into_iter().map(item).collect());
        let failure = ask(&world.engine, &cx(None), request).await.unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (Kind::TooLarge, what));
    }
}

#[tokio::test]
async fn session_of_the_same_name_restores_its_tasks() {
    let world = World::new(&[]);
    ask(&engine(&world, true), &cx(Some("work")), create("A", None, &[])).await.unwrap();
    let rows: [(bool, Option<&str>, &str); 4] = [
        (true, Some("work"), "task-1 A pending"),
        (true, Some("other"), ""),
        (true, None, ""),
        // Without a state directory, no list is stored on the disk.
        (false, Some("work"), ""),
    ];
    each_async(rows, async |(state, name, wanted)| {
        let found = ask(&engine(&world, state), &cx(name), Request::List).await.unwrap();
        assert_eq!(found, wanted, "{state} {name:?}");
    })
    .await;
    let elsewhere = World::new(&[]);
    let options = Options {
        roots: vec![elsewhere.at("")],
        state: Some(world.base.path().join("state")),
        ..Options::default()
    };
    let other = Engine::new(Workspace::open(options).unwrap().0);
    assert_eq!(ask(&other, &cx(Some("work")), Request::List).await.unwrap(), "", "another workspace");
    let kept = engine(&world, true).task_lists().unwrap();
    let kept: Vec<_> = kept.iter().map(|kept| (kept.session.as_str(), kept.tally.all())).collect();
    assert_eq!(kept, [("work", 1)]);
    // Without a state directory, the session stores the tasks.
    let (alone, cx) = (engine(&world, false), cx(None));
    ask(&alone, &cx, create("B", None, &[])).await.unwrap();
    assert_eq!(ask(&alone, &cx, create("C", None, &[])).await.unwrap(), "task-1 B pending; task-2 C pending");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_lose_no_task() {
    let world = World::new(&[]);
    let writers = (0..8).map(|writer| {
        let engine = engine(&world, true);
        tokio::spawn(async move {
            for number in 0..12 {
                ask(&engine, &cx(Some("s")), create(&format!("{writer}.{number}"), None, &[])).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let output = engine(&world, true).run::<Tasks>(Request::List, &cx(Some("s"))).await.unwrap();
    let mut titles: Vec<&str> = output.tasks.iter().map(|listed| listed.task.title.as_str()).collect();
    let ids: Vec<&str> = output.tasks.iter().map(|listed| listed.task.id.as_str()).collect();
    let wanted: Vec<String> = (1..=96).map(|number| format!("task-{number}")).collect();
    assert_eq!(ids, wanted);
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), 96);
}

#[tokio::test]
async fn damaged_task_file_is_an_error_and_not_an_empty_list() {
    let world = World::new(&[]);
    ask(&world.engine, &cx(Some("work")), create("A", None, &[])).await.unwrap();
    let folder = world.base.path().join("state/tasks");
    let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|ending| ending == "json")).unwrap();
    fs::write(&file, "{\"tasks\": [").unwrap();
    for request in [Request::List, create("B", None, &[])] {
        let failure = ask(&world.engine, &cx(Some("work")), request).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Io);
        let path = file.display().to_string();
        assert_eq!(
            failure.what,
            format!(
                "The task list cannot be used: {path} is damaged (EOF while parsing a list at line 1 column 11); delete \
                 it to start again."
            )
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"tasks\": [");
}

#[tokio::test]
async fn completion_is_refused_while_a_task_is_open() {
    let world = World::new(&[]);
    let cx = cx(Some("work"));
    let say = |result: &str| {
        let request = complete::Request { result: result.to_owned(), command: Some("make run".to_owned()) };
        world.engine.run::<Complete>(request, &cx)
    };
    assert_eq!(say(" ").await.unwrap_err().what, "The result is empty.");
    ask(&world.engine, &cx, create("A", None, &[])).await.unwrap();
    ask(&world.engine, &cx, create("B", None, &[])).await.unwrap();
    ask(&world.engine, &cx, Request::Complete("task-1".to_owned())).await.unwrap();
    let failure = say("All is there.").await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.what.as_str(), failure.found.as_deref()),
        (Kind::Conflict, "The work is not complete: 1 of 2 tasks is open.", Some("  task-2 B (pending)"))
    );
    assert_eq!(Completion::of(&cx.session), None);
    ask(&world.engine, &cx, status("task-2", Status::Cancelled)).await.unwrap();
    let output = say("All is there.").await.unwrap();
    let completion = Completion::of(&cx.session).unwrap();
    assert_eq!(output.completion, completion);
    assert_eq!(
        (completion.result.as_str(), completion.command.as_deref()),
        ("All is there.", Some("make run"))
    );
    let kept = engine(&world, true).task_lists().unwrap();
    assert_eq!(kept[0].result.as_deref(), Some("All is there."));
    // A new task invalidates the reported completion.
    ask(&world.engine, &cx, create("C", None, &[])).await.unwrap();
    assert_eq!(Completion::of(&cx.session), None);
    assert_eq!(world.engine.task_lists().unwrap()[0].result, None);
}

#[tokio::test]
async fn a_refused_task_is_not_listed() {
    let world = World::new(&[]);
    let (engine, cx) = (engine(&world, true), cx(None));
    for (existing, listed) in [(0, "No task was created"), (1, "task-1 first (pending)")] {
        let refused = ask(&engine, &cx, create("second", None, &["task-77"])).await.unwrap_err();
        let found = refused.found.unwrap();
        assert!(found.contains(listed) && !found.contains("second"), "{existing}: {found}");
        let known = ask(&engine, &cx, Request::List).await.unwrap();
        assert_eq!(known.is_empty(), existing == 0, "{known}");
        if existing == 0 {
            ask(&engine, &cx, create("first", None, &[])).await.unwrap();
        }
    }
}

#[tokio::test]
async fn completing_a_task_again_unblocks_no_other_task() {
    let world = World::new(&[]);
    let (engine, cx) = (engine(&world, true), cx(None));
    ask(&engine, &cx, create("first", None, &[])).await.unwrap();
    ask(&engine, &cx, create("second", None, &["task-1"])).await.unwrap();
    for free in [vec!["task-2".to_owned()], Vec::new()] {
        let output = engine.run::<Tasks>(Request::Complete("task-1".to_owned()), &cx).await.unwrap();
        assert_eq!(output.done, TaskEffect::Completed { id: "task-1".to_owned(), free });
    }
}
