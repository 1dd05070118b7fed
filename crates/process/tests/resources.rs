//! Limits of memory, processes and disk space: a job that reaches one is stopped, with everything that it
//! started.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{World, text};
use toolpost_process::{
    Available, Exit, Job, Limits, Means, Plan, Resources, Sandbox, StopReason, WaitCondition, inner_step_of,
};

const MEBIBYTE: u64 = 1 << 20;

/// Returns the sandbox mechanisms that are available here, and `Nothing`.
fn means() -> Vec<Means> {
    inner_step_of(&example());
    let all = [Means::Nothing, Means::Landlock, Means::Bubblewrap, Means::Namespaces];
    let is_here = |means: &Means| *means == Means::Nothing || Available::up_to(*means).means == *means;
    all.into_iter().filter(is_here).collect()
}

/// Returns the path of the example whose `main` calls the inner step, in the build directory of the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("examples/confined")
}

/// Runs a command under resource limits, with a time limit in case they fail.
fn run(world: &World, means: Means, resources: Resources, line: &str) -> Job {
    let mut launch = world.launch(line);
    let time = Some(Duration::from_secs(60));
    launch.limits = Limits { time, resources, ..Limits::default() };
    if means != Means::Nothing {
        let root: PathBuf = world.directory.path().to_owned();
        launch.sandbox = Sandbox::On(Plan { means, ..Plan::new([root]) });
    }
    let job = world.start(&launch);
    world.wait(&job, WaitCondition::Gone);
    world.assert_gone(&job);
    job
}

/// Commands that use 200 MB: in one process, in orphaned children with their own sessions, and as files in
/// memory.
const HOG: &str = "head -c 200000000 /dev/zero | tail -c 200000000 | sleep 4201";
const HOGS: &str = "for i in 1 2 3 4; do (setsid sh -c 'head -c 50000000 /dev/zero | tail | sleep 4202' &); done; sleep 4202";
const FILES: &str = "head -c 200000000 /dev/zero > /dev/shm/file; sleep 4203";

#[test]
fn memory_limit_covers_all_processes_of_a_command() {
    let world = World::new();
    let limit = 96 * MEBIBYTE;
    let resources = Resources { memory: Some(limit), ..Resources::unlimited() };
    for means in means() {
        for line in [HOG, HOGS, FILES] {
            let is_own = means == Means::Namespaces || means == Means::Bubblewrap;
            if line == FILES && !is_own {
                continue;
            }
            let job = run(&world, means, resources, line);
            let ending = job.ending().unwrap();
            let Some(StopReason::TooMuchMemory { limit: reported, used }) = ending.why else {
                panic!("{means:?} {line}: {ending:?} {:?}", text(&job));
            };
            assert_eq!((reported, ending.exit), (limit, Exit::Signal(9)), "{means:?} {line}");
            assert!(used > limit && used < 400 * MEBIBYTE, "{means:?} {line}: {used}");
        }
        // A job below the limit is not stopped, and cached pages of files do not count, because they can be
        // dropped.
        let small = "head -c 20000000 /dev/zero | tail -c 20000000 | wc -c";
        let job = run(&world, means, resources, small);
        assert_eq!((text(&job).as_str(), job.ending().unwrap().why), ("20000000\n", None), "{means:?}");
    }
}

#[test]
fn process_limit_covers_detached_descendants() {
    let world = World::new();
    let resources = Resources { processes: Some(40), ..Resources::unlimited() };
    // A finite number of processes, so that the machine is not harmed if the limit fails.
    let many = "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6; do (setsid sleep 4204 &); done; done; sleep 4204";
    // Each process starts two others, up to 31 processes in total: like a fork bomb, but finite.
    let generations =
        "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; exec sleep 4204; }; f 4";
    for means in means() {
        for (line, limit) in [(many, 40), (generations, 20)] {
            let resources = Resources { processes: Some(limit), ..resources };
            let ending = run(&world, means, resources, line).ending().unwrap();
            assert_eq!(ending.why, Some(StopReason::TooManyProcesses { limit }), "{means:?} {line}");
        }
        let few = run(&world, means, resources, "for i in 1 2 3 4 5; do sleep 0.3 & done; wait; echo done");
        assert_eq!((text(&few).as_str(), few.ending().unwrap().why), ("done\n", None), "{means:?}");
    }
    assert_eq!(common::with_words("sleep 4204"), Vec::<String>::new());
}

/// The free space that `reported_space` returns, in bytes.
static FREE: AtomicU64 = AtomicU64::new(0);

fn reported_space(_path: &Path) -> Option<u64> {
    Some(FREE.load(Ordering::Relaxed))
}

#[test]
fn a_command_is_stopped_before_the_disk_is_full() {
    let world = World::with(|settings| settings.free_space = reported_space);
    let reserve = 40 * MEBIBYTE;
    let resources = Resources { disk_reserve: Some(reserve), ..Resources::unlimited() };
    for means in means() {
        FREE.store(100 * MEBIBYTE, Ordering::Relaxed);
        let mut launch = world.launch("trap '' TERM; echo started; while :; do sleep 4205; done");
        launch.limits = Limits { time: Some(Duration::from_secs(60)), resources, ..Limits::default() };
        if means != Means::Nothing {
            let root: PathBuf = world.directory.path().to_owned();
            launch.sandbox = Sandbox::On(Plan { means, ..Plan::new([root]) });
        }
        let job = world.start(&launch);
        world.wait_for(&job, "started");
        let free = reserve - 1;
        FREE.store(free, Ordering::Relaxed);
        world.wait(&job, WaitCondition::Gone);
        world.assert_gone(&job);
        let ending = job.ending().unwrap();
        let wanted = (Some(StopReason::TooLittleDisk { reserve, free }), Exit::Signal(9));
        assert_eq!((ending.why, ending.exit), wanted, "{means:?}");
        // If twice the reserve is not free at the start, half of the free space is the reserve.
        let job = run(&world, means, resources, "sleep 0.3; echo done");
        assert_eq!((text(&job).as_str(), job.ending().unwrap().why), ("done\n", None), "{means:?}");
    }
}

#[test]
fn the_size_of_a_file_is_limited() {
    let world = World::new();
    let resources = Resources { file_size: Some(MEBIBYTE), ..Resources::unlimited() };
    for means in means() {
        let job = run(&world, means, resources, "exec head -c 2000000 /dev/zero > big");
        assert_eq!(job.ending().unwrap().exit, Exit::Signal(25), "{means:?} {:?}", text(&job));
        let size = std::fs::metadata(world.directory.path().join("big")).unwrap().len();
        assert_eq!(size, MEBIBYTE, "{means:?}");
    }
}
