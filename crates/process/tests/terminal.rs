//! Tests of programs with a terminal.

mod common;

use std::time::Duration;

use common::{World, text};
use toolpost_process::{Channel, Exit, Job, Size, StopReason, WaitCondition};

fn start(world: &World, line: &str, size: Size) -> Job {
    let mut launch = world.launch(line);
    launch.channel = Channel::Terminal(size);
    launch.limits.grace = Duration::from_millis(200);
    world.start(&launch)
}

#[test]
fn a_program_gets_a_terminal_of_the_requested_size() {
    let world = World::new();
    let size = Size { columns: 101, rows: 33 };
    let line = "test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM && true </dev/tty && readlink /proc/self/fd/0 | cut -c1-9";
    let job = start(&world, line, size);
    world.assert_gone(&job);
    assert_eq!(text(&job), "33 101\nxterm-256color\n/dev/pts/\n");
    assert_eq!(job.ending().map(|ending| ending.exit), Some(Exit::Code(0)));
}

#[test]
fn terminals_accept_input_and_resizing() {
    let world = World::new();
    let job = start(
        &world,
        "stty -echo; echo ready; read a; echo \"<$a>\"; read b; stty size; cat",
        Size::default(),
    );
    world.wait_for(&job, "ready");
    job.write("typed ü\n".as_bytes()).expect("a terminal");
    world.wait_for(&job, "<typed ü>");
    job.resize(Size { columns: 44, rows: 5 }).expect("a terminal");
    job.write(b"\n").expect("a terminal");
    world.wait_for(&job, "5 44");
    // The end of the input, as a user types it.
    job.write(b"\x04").expect("a terminal");
    world.wait(&job, WaitCondition::Ended);
    world.assert_gone(&job);
    assert_eq!(text(&job), "ready\n<typed ü>\n5 44\n");
    let error = job.write(b"x").map_err(|error| error.to_string());
    assert_eq!(
        error,
        Err("the program has no terminal, or has exited: to write to a program, start it with a \
             terminal"
            .to_owned())
    );
}

#[test]
fn stopping_a_terminal_job_ends_all_its_processes() {
    let world = World::new();
    let job =
        start(&world, "trap '' HUP TERM; (setsid sleep 45001 &); echo ready; sleep 45001", Size::default());
    world.wait_for(&job, "ready");
    let report = world.block_on(job.stop(StopReason::Stopped));
    assert_eq!(report.leftovers, []);
    world.assert_gone(&job);
    assert_eq!(common::with_words("sleep 45001"), Vec::<String>::new());
}

#[test]
fn unread_terminal_input_fails_with_would_block() {
    let world = World::new();
    let job = start(&world, "stty raw -echo; echo ready; exec sleep 45002", Size::default());
    world.wait_for(&job, "ready");
    let error = job.write(&[b'x'; 1_000_000]).map_err(|error| error.kind());
    assert_eq!(error, Err(std::io::ErrorKind::WouldBlock));
    world.block_on(job.stop(StopReason::Stopped));
    world.assert_gone(&job);
}
