//! Tests of the job table: sessions, waiting, stopping, and removal of old jobs.

mod common;

use std::time::Duration;
use toolpost_test_rows::each;

use common::{LONG, World, text, until};
use toolpost_process::{
    Exit, Launch, OutputRange, OutputSide, Program, SessionKey, Stage, StopReason, WaitCondition, WaitResult,
};

#[test]
fn jobs_belong_to_their_session() {
    let world = World::new();
    let other = SessionKey("another".to_owned());
    let first = world.run("true");
    let second = world.run("true");
    let theirs = world.jobs.start(&other, &world.launch("true")).expect("a start");
    let ids = |session: &SessionKey| -> Vec<String> {
        world.jobs.list(session).iter().map(|job| job.id().to_owned()).collect()
    };
    assert_eq!(ids(&world.session), [second.id(), first.id()]);
    assert_eq!(ids(&other), [theirs.id()]);
    assert_eq!(
        world.jobs.latest(&world.session).map(|job| job.id().to_owned()),
        Some(second.id().to_owned())
    );
    assert_eq!(world.jobs.find(&world.session, first.id()).map(|job| job.pid()), Ok(first.pid()));
    let error = |session: &SessionKey, id: &str| {
        world.jobs.find(session, id).map(|job| job.id().to_owned()).map_err(|error| error.to_string())
    };
    let (one, two) = (first.id(), second.id());
    assert_eq!(
        error(&world.session, theirs.id()),
        Err(format!(
            "there is no job `{}` in this session; the session's jobs are {two}, {one}",
            theirs.id()
        ))
    );
    let nobody = SessionKey("nobody".to_owned());
    let none = "there is no job `nope` in this session; \
                the session has started no job, or its jobs finished too long ago to be listed";
    assert_eq!(error(&nobody, "nope"), Err(none.to_owned()));
    world.assert_gone(&theirs);
}

#[test]
fn waits_end_on_timeout_or_when_the_job_ends() {
    let world = World::new();
    let job = world.start(&world.launch("echo one; while [ ! -e go ]; do sleep 0.01; done; exit 3"));
    world.wait(&job, WaitCondition::Output(0));
    world.wait_for(&job, "one");
    let place = job.report().bytes;
    let short = Duration::from_millis(20);
    for wanted in [WaitCondition::Ended, WaitCondition::Output(place), WaitCondition::Gone] {
        assert_eq!(world.block_on(job.wait(wanted, short)), WaitResult::TimeUp, "{wanted:?}");
    }
    assert_eq!(job.stage(), Stage::Running);
    let woke = world.block_on(async {
        let (woke, ()) = tokio::join!(job.wait(WaitCondition::Output(place), LONG), async {
            world.touch("go");
        });
        woke
    });
    assert_eq!(woke, WaitResult::Come);
    assert_eq!(job.ending().map(|ending| ending.exit), Some(Exit::Code(3)));
    world.assert_gone(&job);
}

#[test]
fn output_is_followed_line_by_line() {
    let world = World::new();
    let wait = "while [ ! -e $1 ]; do sleep 0.01; done";
    let line = format!(
        "wait() {{ {wait}; }}; echo one; printf 'p 1%%\\rp 2%%'; wait a; printf '\\rdone\\nlast'; wait b"
    );
    let job = world.start(&world.launch(&line));
    let follow = |cursor: u64| {
        let followed = job.follow(cursor, 100).expect("the output");
        (followed.text, followed.pending, followed.skipped, followed.cursor)
    };
    world.wait_for(&job, "p 2%");
    assert_eq!(follow(0), ("one\n".to_owned(), "p 2%".to_owned(), 0, 4));
    assert_eq!(follow(4), (String::new(), "p 2%".to_owned(), 0, 4));
    world.touch("a");
    world.wait_for(&job, "last");
    assert_eq!(follow(4), ("done\n".to_owned(), "last".to_owned(), 0, 9));
    world.touch("b");
    world.assert_gone(&job);
    assert_eq!(follow(9), ("last".to_owned(), String::new(), 0, 13));
}

#[test]
fn stopped_jobs_record_the_reason() {
    let world = World::new();
    let rows = [
        ("exec sleep 44001", Exit::Signal(15), StopReason::Stopped),
        ("exec sleep 44002", Exit::Signal(15), StopReason::Cancelled),
        ("trap '' TERM; echo ready; while :; do sleep 0.02; done", Exit::Signal(9), StopReason::Stopped),
        (
            "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.02; done",
            Exit::Code(0),
            StopReason::Stopped,
        ),
    ];
    each(rows, |(line, exit, why)| {
        let mut launch = world.launch(line);
        launch.limits.grace = Duration::from_millis(300);
        let job = world.start(&launch);
        if line.contains("ready") {
            world.wait_for(&job, "ready");
        }
        let report = world.block_on(job.stop(why));
        let Stage::Ended(ending) = report.stage else { panic!("{line}: {report:?}") };
        assert_eq!((ending.exit, ending.why, report.leftovers), (exit, Some(why), Vec::new()), "{line}");
        world.assert_gone(&job);
    });
}

#[test]
fn dropping_a_wait_leaves_the_job_running() {
    let world = World::new();
    let job = world.start(&world.launch("echo here; exec sleep 44005"));
    world.block_on(async {
        let waited =
            tokio::time::timeout(Duration::from_millis(20), job.wait(WaitCondition::Ended, LONG)).await;
        assert!(waited.is_err());
    });
    assert_eq!(job.stage(), Stage::Running);
    world.block_on(job.stop(StopReason::Cancelled));
    world.assert_gone(&job);
}

#[test]
fn ending_a_session_ends_all_its_jobs() {
    let world = World::new();
    let other = SessionKey("another".to_owned());
    let mine = world.start(&world.launch("sleep 44010 & sleep 44010"));
    let theirs = world.jobs.start(&other, &world.launch("sleep 44011")).expect("a start");
    world.block_on(world.jobs.end_session(&world.session));
    world.assert_gone(&mine);
    assert_eq!(mine.ending().map(|ending| ending.why), Some(Some(StopReason::SessionEnded)));
    assert_eq!((world.jobs.list(&world.session).len(), world.jobs.list(&other).len()), (0, 1));
    assert_eq!(theirs.stage(), Stage::Running);
    world.block_on(world.jobs.end_session(&other));
    world.assert_gone(&theirs);
}

#[test]
fn dropping_the_job_table_ends_running_jobs() {
    let world = World::new();
    let job = world.start(&world.launch("trap '' TERM; (setsid sleep 44020 &); sleep 44020"));
    until("the daemon", || common::with_words("sleep 44020").len() >= 2);
    let run = job.run_id().to_owned();
    drop(world);
    until("nothing left", || common::with_cookie(&run).is_empty());
}

#[test]
fn finished_jobs_are_listed_up_to_a_count_and_age() {
    let world = World::with(|settings| settings.remembered = 2);
    let running = world.start(&world.launch("sleep 44030"));
    let ids: Vec<String> = (0..4)
        .map(|_| {
            let job = world.run("true");
            world.wait(&job, WaitCondition::Gone);
            job.id().to_owned()
        })
        .collect();
    let known: Vec<String> = world.jobs.list(&world.session).iter().map(|job| job.id().to_owned()).collect();
    assert_eq!(known, [ids[3].as_str(), ids[2].as_str(), running.id()]);
    world.block_on(world.jobs.end_session(&world.session));
    let old = World::with(|settings| settings.age = Duration::ZERO);
    let job = old.run("true");
    old.wait(&job, WaitCondition::Gone);
    until("it is forgotten", || old.jobs.list(&old.session).is_empty());
}

#[test]
fn program_environment_is_filtered_and_completed() {
    let world = World::new();
    let own = [
        ("HOME", "/h"),
        ("PATH", "/usr/bin:/bin"),
        ("MY_API_KEY", "CANARY"),
        ("BASH_ENV", "EVIL"),
        ("LANG", "de_DE"),
    ];
    let own = own.map(|(name, value)| (name.into(), value.into()));
    let environment = toolpost_process::Environment::from(own).with("GIT_PAGER", "less").with("MINE", "1");
    let launch =
        Launch { environment, ..Launch::new(Program::direct("env", ["-0"]), world.directory.path()) };
    let job = world.start(&launch);
    world.assert_gone(&job);
    // The NUL bytes between variables are control characters, which the output omits.
    let wanted = format!(
        "DEBIAN_FRONTEND=noninteractiveGH_PAGER=catGIT_ASKPASS=/bin/falseGIT_EDITOR=trueGIT_PAGER=lessGIT_TERMINAL_PROMPT=0\
         HOME=/hLANG=C.UTF-8LC_ALL=C.UTF-8LC_CTYPE=C.UTF-8MINE=1NO_COLOR=1PAGER=catPATH=/usr/bin:/bin\
         SSH_ASKPASS_REQUIRE=neverTERM=dumbTOOLPOST_RUN_ID={}",
        job.run_id()
    );
    assert_eq!(text(&job), wanted);
}

#[test]
fn programs_start_with_a_clean_process_state() {
    let world = World::new();
    let rows = [
        ("ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 "),
        ("readlink /proc/self/fd/0", "/dev/null\n"),
        ("ps -o sid= -p $$ | tr -d ' ' | grep -qx $$ && echo own session", "own session\n"),
        ("(exec </dev/tty) 2>/dev/null || echo no terminal", "no terminal\n"),
        (
            "cat /proc/self/status | while read n v; do case $n in SigBlk:|SigIgn:) echo $n $((0x$v & 0x7fffffff));; esac; done",
            "SigBlk: 0\nSigIgn: 0\n",
        ),
        ("cat /proc/self/oom_score_adj", "500\n"),
        (
            // The supervisor's memory is unreadable, except to root.
            "[ $(id -u) = 0 ] && echo no || cat /proc/$PPID/maps 2>/dev/null || echo no",
            "no\n",
        ),
    ];
    each(rows, |(line, wanted)| {
        let job = world.run(line);
        assert_eq!(text(&job), wanted, "{line}");
        world.assert_gone(&job);
    });
}

#[test]
fn long_command_lines_and_outputs_are_complete() {
    let world = World::new();
    let long = "a".repeat(200_000);
    let job = world.run(&format!("x='{long}'; echo ${{#x}} $# \"$0\" ünd; exit 4"));
    assert_eq!(
        (text(&job), job.ending().map(|ending| ending.exit)),
        ("200000 0 bash ünd\n".to_owned(), Some(Exit::Code(4)))
    );
    let job = world.run("for i in $(seq 1 40000); do printf '\\342\\202\\254'; done");
    world.assert_gone(&job);
    assert_eq!(text(&job), "€".repeat(40_000));
    let want = |from, skip, count| job.show(OutputRange { from, skip, count }).expect("a slice").pieces;
    let lengths = |pieces: Vec<toolpost_process::OutputPiece>| -> Vec<(u64, u64)> {
        pieces.iter().map(|piece| (piece.from, piece.to())).collect()
    };
    assert_eq!(lengths(want(OutputSide::Top, 10, 1000)), [(10, 1010)]);
    assert_eq!(lengths(want(OutputSide::Bottom, 10, 1000)), [(38_990, 39_990)]);
    assert_eq!(lengths(want(OutputSide::Split, 0, 1000)), [(0, 500), (39_500, 40_000)]);
    assert_eq!(job.report().characters, 40_000);
}
