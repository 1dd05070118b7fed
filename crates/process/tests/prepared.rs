//! Tests that commands which a launcher starts in copies of a prepared file system are confined as the others, also
//! after the host's files have changed.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::launchers::{Host, example, launched_by, launcher_of, parent};
use common::{as_nobody, text, until};
use toolpost_process::{
    Available, Exit, Job, Launch, Means, Plan, Program, Sandbox, StartError, WaitCondition, inner_step_of,
};
use toolpost_test_rows::each;

/// Returns true and prints a message if this machine forbids namespaces.
fn is_missing() -> bool {
    inner_step_of(&example());
    let found = Available::up_to(Means::Namespaces);
    if found.means != Means::Namespaces {
        toolpost_test_rows::skip(&format!("namespaces are not available: {:?}", found.failed));
    }
    found.means != Means::Namespaces
}

#[test]
fn repeated_commands_are_started_by_a_launcher() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    let launched: Vec<bool> = (0..4)
        .map(|_| {
            let job = host.start(&host.launch("sleep 46104"));
            let is_launched = launcher_of(&job).is_some();
            host.world.block_on(job.stop(toolpost_process::StopReason::Stopped));
            host.world.assert_gone(&job);
            is_launched
        })
        .collect();
    assert_eq!(launched, [false, false, true, true]);
    // Another plan has another file system.
    let mut launch = host.launch("sleep 46104");
    let Sandbox::On(plan) = &mut launch.sandbox else { panic!("a sandbox") };
    plan.readable.clear();
    let job = host.start(&launch);
    assert_eq!(launcher_of(&job), None);
    host.world.block_on(job.stop(toolpost_process::StopReason::Stopped));
}

/// A command leaves files for the next one only in `/tmp`, which belongs to the session.
#[test]
fn launched_commands_share_only_the_temporary_directory() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    host.warm_up();
    let mark = "for place in /tmp /var/tmp /run /dev/shm $HOME $HOME/.cargo; do echo x > $place/mark || echo not $place; done";
    let list = "ls /tmp/mark /var/tmp/mark /run/mark /dev/shm/mark $HOME/mark $HOME/.cargo/mark 2>/dev/null; ls -A $HOME";
    assert_eq!(host.run(&format!("{list}; {mark}; ls -A / | tr '\\n' ' ' | grep -c proc")), ".cargo\n1\n");
    assert_eq!(host.run(list), "/tmp/mark\n.cargo\n");
    // Nothing else of the sandbox's own file system can be changed.
    let line = "for place in / /dev /.toolpost /.toolpost/0 /proc /home /usr; do touch $place/x 2>/dev/null && echo $place; done; \
                echo end";
    assert_eq!(host.run(line), "end\n");
    // The processes and terminals of another command are not visible.
    let other = host.start(&host.launch("exec 3<>/dev/ptmx; echo ready; sleep 46101"));
    host.world.wait_for(&other, "ready");
    assert!(launcher_of(&other).is_some());
    let line = "grep -l 'slee[p]' /proc/[0-9]*/cmdline | wc -l; ls /dev/pts";
    assert_eq!(host.run(line), "0\nptmx\n");
    assert_eq!(
        host.run("readlink /proc/$$/exe | grep -c bash; exec 3<>/dev/ptmx; ls /dev/pts"),
        "1\n0\nptmx\n"
    );
    assert_eq!(host.run("grep -c . /proc/1/cmdline 2>/dev/null; echo $?"), "2\n");
    host.world.block_on(other.stop(toolpost_process::StopReason::Stopped));
    host.world.assert_gone(&other);
}

/// A change of the host, a shell command, and its output after the change.
type Row = (fn(&Host), &'static str, &'static str);

/// Replaces a file by another one.
fn replace(host: &Host, path: &str) {
    fs::write(host.at("new"), "new\n").unwrap();
    fs::rename(host.at("new"), host.at(path)).unwrap();
}

/// Replaces a directory by a new one with the file `file`.
fn replace_directory(host: &Host, path: &str, file: &str) {
    fs::rename(host.at(path), host.at("away")).unwrap();
    fs::create_dir(host.at(path)).unwrap();
    fs::write(host.at(path).join(file), "new\n").unwrap();
    fs::remove_dir_all(host.at("away")).unwrap();
}

const ROWS: &[Row] = &[
    (|_| {}, "cat .git/config; echo x > .git/config && echo A; echo x > .idea/x && echo A", "old\n"),
    // A protected name that does not exist.
    (|_| {}, "echo x > .mcp.json && echo A; mkdir .vscode && echo A; echo x > .mcp && echo B", "B\n"),
    (|host| replace(host, "work/.git/config"), "cat .git/config; echo x > .git/config && echo A", "new\n"),
    // The same file is at the same path, but its mount is gone with the name that it had.
    (
        |host| {
            fs::hard_link(host.at("work/.git/config"), host.at("kept")).unwrap();
            fs::remove_file(host.at("work/.git/config")).unwrap();
            fs::rename(host.at("kept"), host.at("work/.git/config")).unwrap();
        },
        "cat .git/config; echo x > .git/config && echo A",
        "old\n",
    ),
    (|host| replace_directory(host, "work/.idea", "a"), "cat .idea/a; echo x > .idea/x && echo A", "new\n"),
    (
        |host| {
            fs::rename(host.at("work/.idea"), host.at("work/sub/.idea")).unwrap();
            fs::create_dir(host.at("work/.idea")).unwrap();
        },
        "echo x > .idea/x && echo A; echo x > sub/.idea/x && echo A; mv sub sob && echo A",
        "",
    ),
    (
        |host| fs::create_dir(host.at("work/.vscode")).unwrap(),
        "echo x > .vscode/x && echo A; mv .vscode v && echo A",
        "",
    ),
    (
        |host| fs::write(host.at("work/.mcp.json"), "new\n").unwrap(),
        "echo x > .mcp.json && echo A; cat .mcp.json",
        "new\n",
    ),
    (
        |host| fs::create_dir_all(host.at("work/sub/.git/hooks")).unwrap(),
        "echo x > sub/.git/hooks/x && echo A; mv sub sob && echo A",
        "",
    ),
    (|host| replace_directory(host, "work/state", "secret"), "cat state/secret; ls state", ""),
    (
        |host| replace_directory(host, "outside", "file"),
        "cat ../outside/file; echo x > ../outside/file && echo A",
        "new\n",
    ),
    (|host| replace_directory(host, "work", "file"), "cat file; ls -A", "new\nfile\n"),
    (
        |host| {
            fs::create_dir_all(host.at("home/.rustup/bin")).unwrap();
            fs::remove_dir_all(host.at("home/.cargo")).unwrap();
        },
        "ls -A ~; touch ~/.rustup/x && echo A",
        ".rustup\n",
    ),
    (
        |host| {
            fs::remove_dir(host.at("work/.idea")).unwrap();
            symlink("sub", host.at("work/.idea")).unwrap();
        },
        "readlink .idea; cat .git/config",
        "sub\nold\n",
    ),
];

/// A change between two commands shows in the next one, and so does every protection, with and without a launcher.
#[test]
fn changes_of_the_host_show_in_the_next_command() {
    if is_missing() {
        return;
    }
    each(ROWS, |(change, line, wanted)| {
        let host = Host::new();
        host.warm_up();
        change(&host);
        // The first of these commands follows the change, and the last ones are started by a new launcher.
        for round in 0..4 {
            assert_eq!(host.run(&format!("({line}) 2>/dev/null")), *wanted, "{round}");
        }
        host.warm_up();
    });
}

#[test]
fn unprivileged_launchers_follow_changes_of_the_host() {
    as_nobody("changes_of_the_host_show_in_the_next_command");
}

#[test]
fn unprivileged_launched_commands_share_only_the_temporary_directory() {
    as_nobody("launched_commands_share_only_the_temporary_directory");
}

#[test]
fn a_new_mount_of_the_host_shows_in_the_next_command() {
    if is_missing() {
        return;
    }
    // In the mount namespace of the other tests, the mount would end their launchers.
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private"]).arg(launchers()).arg("mount");
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("unshare:") {
        toolpost_test_rows::skip(&format!("no mount namespace can be made here: {errors}"));
        return;
    }
    assert!(output.status.success(), "{errors}");
}

/// Returns the path of the example whose checks need a separate process.
fn launchers() -> PathBuf {
    example().with_file_name("launchers")
}

#[test]
fn launched_commands_run_at_the_same_time() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    host.warm_up();
    let line = |number: usize| {
        format!("echo {number} > /var/tmp/own; read -t 60 wait < go{number}; cat /var/tmp/own; exit {number}")
    };
    let jobs: Vec<Job> = (0..6)
        .map(|number| {
            let fifo = rustix::fs::FileType::Fifo;
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mknodat(rustix::fs::CWD, host.at(&format!("work/go{number}")), fifo, mode, 0)
                .unwrap();
            host.start(&host.launch(&line(number)))
        })
        .collect();
    assert!(jobs.iter().all(|job| launcher_of(job).is_some()));
    for (number, job) in jobs.iter().enumerate().rev() {
        fs::write(host.at(&format!("work/go{number}")), "\n").unwrap();
        host.world.assert_gone(job);
        assert_eq!(text(job), format!("{number}\n"));
        assert_eq!(job.ending().unwrap().exit, Exit::Code(i32::try_from(number).unwrap()));
    }
}

/// If someone kills the launcher, its commands end with it, and the next command starts without it.
#[test]
fn commands_end_with_their_launcher() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    for target in ["inner", "outer"] {
        host.warm_up();
        let job = host.start(&host.launch("(setsid sleep 46102 &) ; trap '' TERM; sleep 46102"));
        let inner = launcher_of(&job).unwrap();
        let pid = if target == "inner" { inner } else { parent(inner).unwrap() };
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        host.world.assert_gone(&job);
        until("no sleep", || common::with_words("sleep 46102").is_empty());
        assert_eq!(host.run("echo hi"), "hi\n", "{target}");
    }
}

#[test]
fn a_launcher_ends_with_its_session() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    host.warm_up();
    let job = host.start(&host.launch("sleep 46103"));
    let inner = launcher_of(&job).unwrap();
    let outer = parent(inner).unwrap();
    host.world.block_on(host.world.jobs.end_session(&host.session));
    host.world.assert_gone(&job);
    for pid in [inner, outer] {
        until("the launcher has ended", || !Path::new(&format!("/proc/{pid}")).exists());
    }
    // A later command of the session starts without it.
    assert_eq!(host.run("echo hi"), "hi\n");
}

/// Errors of a start are those of a command without a launcher.
#[test]
fn launched_starts_fail_like_others() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    let fails = |launch: &Launch| {
        let error = host.world.jobs.start(&host.session, launch).map(|_| ()).unwrap_err();
        (error.to_string(), matches!(error, StartError::RefusedInside { .. }))
    };
    let mut hidden = host.launch("true");
    hidden.directory = host.at("home");
    fs::create_dir(host.at("home/project")).unwrap();
    hidden.directory.push("project");
    let mut program = host.launch("true");
    let none: [&str; 0] = [];
    fs::copy("/bin/true", host.at("home/true")).unwrap();
    program.program = Program::direct(host.at("home/true"), none);
    let script = host.at("work/script");
    fs::write(&script, "echo read by sh\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut without_interpreter = host.launch("true");
    without_interpreter.program = Program::direct(&script, none);
    let before = (fails(&hidden), fails(&program));
    let read = |launch: &Launch| {
        let job = host.start(launch);
        host.world.wait(&job, WaitCondition::Gone);
        text(&job)
    };
    assert_eq!(read(&without_interpreter), "read by sh\n");
    host.warm_up();
    assert_eq!((fails(&hidden), fails(&program)), before);
    host.warm_up();
    assert_eq!(fails(&program), before.1);
    assert_eq!(read(&without_interpreter), "read by sh\n");
}

/// A process has one helper, so another process replaces it.
#[test]
fn a_helper_in_a_root_is_no_launcher() {
    if is_missing() {
        return;
    }
    let output = Command::new(launchers()).arg("helper").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A launcher that does not answer is not asked again, and is ended.
#[test]
fn a_suspended_launcher_delays_one_command() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    host.warm_up();
    let job = host.start(&host.launch("sleep 46107"));
    let inner = launcher_of(&job).unwrap();
    host.world.block_on(job.stop(toolpost_process::StopReason::Stopped));
    host.world.assert_gone(&job);
    let pid = rustix::process::Pid::from_raw(inner.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    assert_eq!(host.run("echo x >> count; echo hi"), "hi\n");
    until("the launcher has ended", || !Path::new(&format!("/proc/{inner}")).exists());
    host.warm_up();
    // The command did not run twice.
    assert_eq!(fs::read_to_string(host.at("work/count")).unwrap(), "x\n");
}

/// The home directory is empty also below a system directory, which is visible.
#[test]
fn a_home_directory_below_a_system_directory_is_empty() {
    if is_missing() {
        return;
    }
    let Ok(opt) = tempfile::tempdir_in("/opt") else {
        toolpost_test_rows::skip("this user may not create directories in /opt");
        return;
    };
    let home = opt.path().join("svc");
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::create_dir_all(home.join(".cargo/bin")).unwrap();
    fs::write(home.join(".ssh/id"), "secret\n").unwrap();
    let host = Host::new();
    for round in 0..4 {
        let line = "(cat ~/.ssh/id; ls -A ~; echo x > ~/mark && cat ~/mark; touch ~/.cargo/bin/x && echo A) 2>/dev/null";
        let mut launch = host.launch(line);
        launch.environment = launch.environment.with("HOME", &home);
        let job = host.start(&launch);
        host.world.assert_gone(&job);
        assert_eq!(text(&job), ".cargo\nx\n", "{round}");
    }
    assert!(!home.join("mark").exists());
}

/// A worktree and its repository, which is mounted twice, are valid in each copy.
#[test]
fn commands_with_a_worktree_and_its_repository_are_launched() {
    if is_missing() {
        return;
    }
    let host = Host::new();
    for folder in ["work/.git/worktrees/tree", "tree"] {
        fs::create_dir_all(host.at(folder)).unwrap();
    }
    let says = |path: &str, text: String| fs::write(host.at(path), text).unwrap();
    says("tree/.git", format!("gitdir: {}\n", host.at("work/.git/worktrees/tree").display()));
    says("work/.git/worktrees/tree/gitdir", format!("{}\n", host.at("tree/.git").display()));
    let with = |line: &str| {
        let mut launch = host.launch(line);
        launch.sandbox = Sandbox::On(Plan::new([host.at("tree"), host.at("work")]));
        launch
    };
    assert_eq!(launched_by(&host, &with("sleep 46108")), [false, false, true, true]);
    let job = host.start(&with(
        "(echo x > .git/config && echo A; echo x > .git/hooks/x && echo A) 2>/dev/null; echo end",
    ));
    host.world.assert_gone(&job);
    assert_eq!(text(&job), "end\n");
}
