//! Tests of load: many programs and much output, and that all resources are released.
#![expect(clippy::unwrap_used, reason = "a test fails on an unexpected error")]

mod common;

use common::{World, children, descriptors, text, until};
use toolpost_process::{Exit, OutputRange, OutputSide, WaitCondition};

/// The number of programs that run at the same time.
const MANY: usize = 200;

/// The size of the output, in megabytes.
const MEGABYTES: u64 = if cfg!(debug_assertions) { 200 } else { 2000 };

/// Returns the resident memory of this process, in KiB.
fn resident() -> u64 {
    let flags = rustix::fs::OFlags::RDONLY;
    let file = rustix::fs::open("/proc/self/statm", flags, rustix::fs::Mode::empty()).unwrap();
    let mut space = [0; 256];
    let length = rustix::io::read(file, &mut space).unwrap();
    let text = std::str::from_utf8(&space[..length]).unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4
}

/// A single test, because it counts the descriptors and children of the whole process.
#[test]
fn descriptors_children_and_memory_are_released() {
    let world = World::new();
    world.assert_gone(&world.run("true"));
    let before = (descriptors(), children());
    many_at_once(&world);
    until("all resources are released", || (descriptors(), children()) == before);
    let resident_before = resident();
    much_output(&world);
    assert!(resident() < resident_before + 64 * 1024, "{} KiB, before {resident_before} KiB", resident());
}

fn many_at_once(world: &World) {
    // All commands wait for one file, so that they run at the same time.
    let line = "while [ ! -e go ]; do sleep 0.2; done";
    let jobs: Vec<_> = (0..MANY)
        .map(|number| world.start(&world.launch(&format!("{line}; echo {number}; exit {}", number % 7))))
        .collect();
    assert!(jobs.iter().all(|job| job.ending().is_none()));
    assert_eq!(children(), MANY);
    world.touch("go");
    for (number, job) in jobs.iter().enumerate() {
        world.wait(job, WaitCondition::Gone);
        let code = i32::try_from(number % 7).unwrap();
        assert_eq!(
            (text(job), job.ending().map(|ending| ending.exit)),
            (format!("{number}\n"), Some(Exit::Code(code)))
        );
    }
    assert_eq!(common::with_cookie(jobs[0].run_id().split('-').next().unwrap()), Vec::<String>::new());
}

fn much_output(world: &World) {
    // All lines differ, so that repetitions are not folded: numbers of eight digits.
    let lines = MEGABYTES * 1_000_000 / 9;
    let last = 10_000_000 + lines - 1;
    let job = world.run(&format!("seq 10000000 {last}"));
    world.wait(&job, WaitCondition::Gone);
    let report = job.report();
    assert_eq!((report.bytes, report.characters), (lines * 9, lines * 9));
    let kept = 64 * 1024 * 1024;
    let lost = format!(
        "{} bytes in the middle of the output are gone: at most 64 MiB of a command's output are kept",
        lines * 9 - kept
    );
    assert_eq!(report.lost, Some(lost));
    let show = |from, skip| {
        let shown = job.show(OutputRange { from, skip, count: 18 }).unwrap();
        shown.pieces.into_iter().map(|piece| (piece.from, piece.text)).collect::<Vec<_>>()
    };
    assert_eq!(show(OutputSide::Top, 9), [(9, "10000001\n10000002\n".to_owned())]);
    assert_eq!(show(OutputSide::Bottom, 0), [((lines - 2) * 9, format!("{}\n{last}\n", last - 1))]);
    // The requested part was dropped, so the output that follows it is returned.
    let after = lines * 9 - 63 * 1024 * 1024;
    assert_eq!(show(OutputSide::Top, 5_000_000)[0].0, after);
}
