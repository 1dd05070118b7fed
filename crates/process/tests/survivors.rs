//! Tests of leftover processes: they are reported, belong to the job, and are stopped with it.

mod common;

use std::time::Duration;
use toolpost_test_rows::each;

use common::{World, own, text, until, with_words};
use toolpost_process::{Exit, Limits, OutputHolderCheck, StopReason, Survivors, WaitCondition};

/// A command line, the process that it leaves behind, and the access of that process to the output.
const ROWS: [(&str, &str, OutputHolderCheck); 7] = [
    ("sleep 42001 & echo done", "sleep 42001", OutputHolderCheck::Yes),
    ("nohup sleep 42002 >/dev/null 2>&1 & echo done", "sleep 42002", OutputHolderCheck::No),
    ("setsid sleep 42003 & echo done", "sleep 42003", OutputHolderCheck::Yes),
    ("(setsid sleep 42004 >/dev/null 2>&1 &); echo done", "sleep 42004", OutputHolderCheck::No),
    ("(setsid sh -c '(setsid env -i sleep 42005 &) ' &); echo done", "sleep 42005", OutputHolderCheck::Yes),
    ("(trap '' TERM HUP INT; exec sleep 42006) & echo done", "sleep 42006", OutputHolderCheck::Yes),
    (
        "exec 2>&1; { trap '' TERM; while :; do sleep 42007; done; } & echo done",
        "sleep 42007",
        OutputHolderCheck::Yes,
    ),
];

fn quick(world: &World, line: &str) -> toolpost_process::Launch {
    let mut launch = world.launch(line);
    launch.limits = Limits { grace: Duration::from_millis(200), ..Limits::default() };
    launch
}

#[test]
fn leftover_processes_are_listed_and_stopped_with_the_job() {
    let world = World::new();
    each(ROWS, |(line, left, holds)| {
        let job = world.start(&quick(&world, line));
        world.wait(&job, WaitCondition::Ended);
        assert_eq!(
            job.ending().map(|ending| (ending.exit, ending.why)),
            Some((Exit::Code(0), None)),
            "{line}"
        );
        assert_eq!(text(&job), "done\n", "{line}");
        // A daemon may not have finished its forks yet.
        let found = || job.leftovers().into_iter().find(|leftover| leftover.command == own(left));
        until(left, || found().is_some());
        assert_eq!(found().map(|leftover| leftover.holds_output), Some(holds), "{line}");
        let report = world.block_on(job.stop(StopReason::Stopped));
        assert_eq!(report.leftovers, [], "{line}");
        world.assert_gone(&job);
        assert_eq!(with_words(left), Vec::<String>::new(), "{line}");
        // The program had exited before the job was stopped.
        assert_eq!(job.ending().map(|ending| ending.why), Some(None), "{line}");
    });
}

#[test]
fn leftover_processes_end_if_the_launch_requests_it() {
    let world = World::new();
    each(ROWS, |(line, left, _)| {
        let mut launch = quick(&world, &line.replace("sleep 42", "sleep 43"));
        launch.survivors = Survivors::End;
        let job = world.start(&launch);
        world.assert_gone(&job);
        let left = left.replace("sleep 42", "sleep 43");
        assert_eq!(with_words(&left), Vec::<String>::new(), "{line}");
        assert_eq!(text(&job), "done\n", "{line}");
    });
}

#[test]
fn output_of_leftover_processes_is_recorded() {
    let world = World::new();
    let line = "(while [ ! -e go ]; do sleep 0.01; done; echo later; printf open) & echo now";
    let job = world.start(&world.launch(line));
    world.wait(&job, WaitCondition::Ended);
    assert_eq!(text(&job), "now\n");
    world.touch("go");
    world.assert_gone(&job);
    assert_eq!(text(&job), "now\nlater\nopen");
}

#[test]
fn a_child_that_keeps_writing_does_not_delay_the_end() {
    let world = World::new();
    let job = world.start(&quick(&world, "(while :; do echo tick; sleep 0.01; done) & echo FG"));
    world.wait(&job, WaitCondition::Ended);
    world.wait_for(&job, "FG");
    world.wait(&job, WaitCondition::Output(job.report().bytes));
    world.block_on(job.stop(StopReason::Stopped));
    world.assert_gone(&job);
}

#[test]
fn killing_the_supervisor_ends_the_job() {
    let world = World::new();
    let job = world.start(&world.launch("setsid sleep 42010 & echo $PPID; sleep 42011"));
    world.wait_for(&job, "\n");
    until("the daemon", || with_words("sleep 42010").len() == 1 && with_words("sleep 42011").len() == 1);
    let supervisor: u32 = text(&job).trim().parse().expect("the PID of the supervisor");
    world.run(&format!("kill -9 {supervisor}"));
    world.assert_gone(&job);
    assert_eq!(job.ending().map(|ending| (ending.exit, ending.why)), Some((Exit::Unknown, None)));
    until("no sleep", || with_words("sleep 4201").is_empty());
}
