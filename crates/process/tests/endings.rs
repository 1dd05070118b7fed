//! Tests of the end of a program: its exit status, the meaning of the status, and that none of its processes
//! remains.
#![expect(clippy::disallowed_methods, reason = "tests run programs of their own")]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;
use toolpost_test_rows::each;

use common::{World, text};
use toolpost_process::{Exit, Limits, Program, StartError, StopReason, Verdict, meaning};

#[test]
fn exit_statuses_are_reported_with_their_meaning() {
    let world = World::new();
    let rows: [(&str, &str, Exit, Verdict, &str); 25] = [
        ("true", "", Exit::Code(0), Verdict::Done, ""),
        ("echo out; echo err >&2; exit 7", "out\nerr\n", Exit::Code(7), Verdict::Failed, ""),
        ("printf 'no end'", "no end", Exit::Code(0), Verdict::Done, ""),
        ("yes | head -n 3", "y\ny\ny\n", Exit::Code(0), Verdict::Done, ""),
        ("cat; echo after", "after\n", Exit::Code(0), Verdict::Done, ""),
        ("read x; echo \"$?\"", "1\n", Exit::Code(0), Verdict::Done, ""),
        ("echo a | grep b", "", Exit::Code(1), Verdict::Done, "no matches"),
        ("true; git grep --no-index zzz . 2>&1", "", Exit::Code(1), Verdict::Done, "no matches"),
        ("A=1 diff /dev/null <(echo)", "", Exit::Code(1), Verdict::Failed, ""),
        ("cmp -s /dev/null /proc/version", "", Exit::Code(1), Verdict::Done, "there are differences"),
        ("echo a | grep b 2> /dev/null", "", Exit::Code(1), Verdict::Done, "no matches"),
        ("echo a | grep '>' >/dev/null 2>&1", "", Exit::Code(1), Verdict::Done, "no matches"),
        ("grep b 2>/dev/null < /nowhere", "", Exit::Code(1), Verdict::Failed, ""),
        ("grep b /dev/null 2>/dev/null >/nowhere/out", "", Exit::Code(1), Verdict::Failed, ""),
        ("grep b /dev/null 2>/dev/null >&9", "", Exit::Code(1), Verdict::Failed, ""),
        ("grep b /nowhere 2>/dev/null", "", Exit::Code(2), Verdict::Failed, ""),
        ("false", "", Exit::Code(1), Verdict::Failed, ""),
        (
            "/dev/null 2>/dev/null",
            "",
            Exit::Code(126),
            Verdict::Failed,
            "usually: the program was found, but is not executable",
        ),
        ("nosuch 2>/dev/null", "", Exit::Code(127), Verdict::Failed, "usually: the program was not found"),
        ("kill -9 $$", "", Exit::Signal(9), Verdict::Failed, "killed by SIGKILL (9)"),
        ("kill -TERM $$", "", Exit::Signal(15), Verdict::Failed, "killed by SIGTERM (15)"),
        ("exit 139", "", Exit::Code(139), Verdict::Failed, "usually: killed by SIGSEGV (11)"),
        // 129 is git's status for a usage error, so it is not reported as SIGHUP.
        ("exit 129", "", Exit::Code(129), Verdict::Failed, ""),
        ("exit 192", "", Exit::Code(192), Verdict::Failed, ""),
        ("exec >&- 2>&-; exit 3", "", Exit::Code(3), Verdict::Failed, ""),
    ];
    each(rows, |(line, wanted, exit, verdict, words)| {
        let job = world.run(line);
        let ending = job.ending().map(|ending| (ending.exit, ending.why));
        let means = meaning(job.program(), exit);
        let wanted_text = if line.starts_with("A=1") { text(&job) } else { wanted.to_owned() };
        assert_eq!((text(&job), ending), (wanted_text, Some((exit, None))), "{line}");
        assert_eq!((means.verdict, means.words.as_str()), (verdict, words), "{line}");
        world.assert_gone(&job);
    });
}

/// Runs all short lists of commands that end with `grep` in a shell, with a `grep` that records that it ran.
#[test]
fn exit_codes_are_attributed_to_the_last_command_only_if_it_ran() {
    const FIRST: [&str; 6] = ["true", "false", "cd nowhere", "set -e", "exit 1", "exec false"];
    const COMPOUND: [&str; 4] =
        ["if true; then exit 1; fi", "for x in 1; do exit 1; done", "time -p exit 1", ">out A=1 exit 1"];
    const REDIRECTED: [&str; 5] =
        ["grep <nowhere", "grep > nowhere/out", "grep &>nowhere/out", "grep >|nowhere/out", "false >|diff"];
    const JOINS: [&str; 7] = [" && ", " || ", " | ", " |& ", " ; ", " & ", "\n"];
    let folder = tempfile::tempdir().unwrap();
    let (grep, ran) = (folder.path().join("grep"), folder.path().join("ran"));
    std::fs::write(&grep, "#!/bin/sh\necho >ran\nexit 1\n").unwrap();
    std::fs::set_permissions(&grep, std::fs::Permissions::from_mode(0o755)).unwrap();
    let before = |firsts: &[&str], rest: &[String]| -> Vec<String> {
        let joined = firsts.iter().flat_map(|first| JOINS.map(|join| format!("{first}{join}")));
        joined.flat_map(|first| rest.iter().map(move |rest| format!("{first}{rest}"))).collect()
    };
    let alone = vec!["grep".to_owned()];
    let two = before(&FIRST, &alone);
    let three = before(&["true", "false"], &two);
    let redirected = Vec::from(REDIRECTED.map(str::to_owned));
    let lines = [before(&COMPOUND, &alone), alone, two, three, redirected].concat();
    let mut attributed = 0;
    each(lines, |line| {
        let _ = std::fs::remove_file(&ran);
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        let mut bash = std::process::Command::new("bash");
        bash.arg("-c").arg(&line).env("PATH", path).current_dir(folder.path());
        let status = bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        let Some(code @ 1..) = status.code() else { return };
        if meaning(&Program::line(&line), Exit::Code(code)).verdict == Verdict::Done {
            assert!(ran.exists(), "{line:?} failed before `grep`");
            attributed += 1;
        }
    });
    assert!(attributed > 100, "only {attributed} exit codes are attributed to `grep`");
}

#[test]
fn direct_arguments_are_not_parsed_by_a_shell() {
    let world = World::new();
    let mut launch = world.launch("");
    launch.program = Program::direct("printf", ["%s|", "a b", "$HOME", "*"]);
    let job = world.start(&launch);
    world.assert_gone(&job);
    assert_eq!(
        (text(&job), job.program().words()),
        ("a b|$HOME|*|".to_owned(), "printf '%s|' 'a b' '$HOME' '*'".to_owned())
    );
}

#[test]
fn failed_starts_report_their_cause() {
    let world = World::new();
    let start = |program: Program, directory: &str| {
        let mut launch = world.launch("");
        launch.program = program;
        launch.directory = directory.into();
        launch.environment = launch.environment.with("PATH", "/usr/bin:/bin");
        world.jobs.start(&world.session, &launch).map(|_| ()).unwrap_err()
    };
    let none: [&str; 0] = [];
    let rows: [(Program, &str, &str); 6] = [
        (
            Program::direct("nosuch", none),
            "/",
            "there is no program `nosuch` in the PATH (/usr/bin:/bin): check its name, or give its path",
        ),
        (
            Program::direct("", none),
            "/",
            "there is no program `` in the PATH (/usr/bin:/bin): check its name, or give its path",
        ),
        (
            Program::direct("/no/such", none),
            "/",
            "`/no/such` was not started: No such file or directory (os error 2); check the path, and the \
             interpreter in the file's first line",
        ),
        (
            Program::direct("/dev/null", none),
            "/",
            "`/dev/null` was not started: Permission denied (os error 13); the file is not executable, a directory on its path \
             may not be entered, or its file system is mounted with `noexec`: make the file executable, correct the \
             permissions, or run it with its interpreter",
        ),
        (
            Program::line("true"),
            "/no/such",
            "the directory /no/such cannot be entered: No such file or directory (os error 2); pass an \
             existing directory",
        ),
        (
            Program::line("a\0b"),
            "/",
            "the command contains a NUL byte, which cannot be passed to a program: remove it",
        ),
    ];
    each(rows, |(program, directory, wanted)| {
        assert_eq!(start(program, directory).to_string(), wanted);
    });
}

#[test]
fn limits_stop_all_processes_of_a_job() {
    let world = World::new();
    let (time, output) = (Some(Duration::from_millis(300)), Some(100_000));
    let grace = Duration::from_millis(300);
    let timed = Limits { time, grace, ..Limits::default() };
    let counted = Limits { output, grace, ..Limits::default() };
    let (out, much) = (StopReason::TimedOut(Duration::from_millis(300)), StopReason::TooMuchOutput(100_000));
    let rows = [
        ("sleep 4101", timed, Exit::Signal(15), out),
        ("bash -c 'sleep 4102 & sleep 4102'; sleep 4102", timed, Exit::Signal(15), out),
        ("trap '' TERM INT HUP; while :; do sleep 41.03; done", timed, Exit::Signal(9), out),
        ("trap 'echo asked; exit 5' TERM; while :; do sleep 0.05; done", timed, Exit::Code(5), out),
        ("(setsid sleep 4105 >/dev/null 2>&1 &); sleep 4105", timed, Exit::Signal(15), out),
        ("(setsid env -i sleep 4106 >/dev/null 2>&1 &); sleep 4106", timed, Exit::Signal(15), out),
        ("kill -STOP $$", timed, Exit::Signal(15), out),
        ("kill -STOP $PPID; sleep 4107", timed, Exit::Signal(15), out),
        ("trap '' TERM; kill -STOP $PPID; while :; do sleep 41.08; done", timed, Exit::Signal(9), out),
        ("yes no end of it | cat -n", counted, Exit::Signal(15), much),
    ];
    each(rows, |(line, limits, exit, why)| {
        let mut launch = world.launch(line);
        launch.limits = limits;
        let job = world.start(&launch);
        world.assert_gone(&job);
        let ending = job.ending().map(|ending| (ending.exit, ending.why));
        assert_eq!(ending, Some((exit, Some(why))), "{line}: {:?}", text(&job));
    });
    assert_eq!(common::with_words("sleep 410"), Vec::<String>::new());
}

#[test]
fn a_full_or_closed_job_table_refuses_starts() {
    let world = World::with(|settings| settings.running = 1);
    let job = world.start(&world.launch("sleep 4110"));
    let error = world.jobs.start(&world.session, &world.launch("true")).map(|_| ());
    assert!(matches!(error, Err(StartError::TooMany { running: 1 })), "{error:?}");
    world.block_on(world.jobs.shut_down());
    world.assert_gone(&job);
    let error = world.jobs.start(&world.session, &world.launch("true")).map(|_| ());
    assert!(matches!(error, Err(StartError::ShuttingDown)), "{error:?}");
}
