//! Sandbox tests: enforced plans, and checks that confined programs exit as unconfined ones do.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use toolpost_test_rows::each;

use common::host::{Host, is_missing};
use common::{as_nobody, text};
use toolpost_process::{
    Access, Channel, Exit, Guard, GuardState, Job, Means, Plan, Program, Sandbox, SandboxError, SessionKey,
    Size, StartError, StopReason, Survivors, WaitCondition, available,
};

/// The mechanisms that give a command its own view of the file system.
const WORLDS: [Means; 2] = [Means::Bubblewrap, Means::Namespaces];

#[test]
fn enforced_and_missing_restrictions_are_reported() {
    let host = Host::new();
    let job = host.run(&host.launch("true", Sandbox::Off));
    let off = "confined by nothing; not enforced: writes (the operator turned the sandbox off); \
               reads (the operator turned the sandbox off); protected (the operator turned the sandbox off); \
               missing (the operator turned the sandbox off); network (the operator turned the sandbox off); \
               processes (the operator turned the sandbox off); services (the operator turned the sandbox off); \
               kernel (the operator turned the sandbox off)";
    assert_eq!(job.enforcement().to_string(), off);
    assert_eq!(job.enforcement().means, Means::Nothing);
    let landlock = available().landlock;
    for means in WORLDS.into_iter().filter(|means| !is_missing(*means)) {
        let job = host.run(&host.launch("true", Sandbox::On(host.plan(means))));
        let enforcement = job.enforcement();
        assert_eq!(
            (enforcement.means, enforcement.landlock, enforcement.gaps().count()),
            (means, landlock, 0),
            "{enforcement}"
        );
        host.world.assert_gone(&job);
        // A restriction that cannot be enforced is reported.
        std::os::unix::fs::symlink("/nowhere", host.at("work/.mcp.json")).unwrap();
        let job = host.run(&host.launch("true", Sandbox::On(host.plan(means))));
        let gaps: Vec<(Guard, &str)> = job.enforcement().gaps().collect();
        let wanted = [(Guard::Protected, "`.mcp.json` is a symbolic link, or below one")];
        assert_eq!(gaps, wanted);
        fs::remove_file(host.at("work/.mcp.json")).unwrap();
    }
    if !is_missing(Means::Bubblewrap) && !is_missing(Means::Landlock) {
        // A `bwrap` in a root is not used, because a command could have changed it.
        let mut plan = host.plan(Means::Bubblewrap);
        plan.roots.push("/usr/bin".into());
        let job = host.run(&host.launch("true", Sandbox::On(plan)));
        let enforcement = job.enforcement();
        assert_eq!(enforcement.means, Means::Landlock);
        let why = "bubblewrap: /usr/bin/bwrap is in a root, where commands could change it";
        assert!(enforcement.to_string().contains(why), "{enforcement}");
    }
    if !is_missing(Means::Landlock) {
        let job = host.run(&host.launch("true", Sandbox::On(host.plan(Means::Landlock))));
        let enforcement = job.enforcement();
        assert_eq!((enforcement.means, enforcement.landlock), (Means::Landlock, landlock));
        let gaps: Vec<Guard> = enforcement.gaps().map(|(guard, _)| guard).collect();
        assert!(gaps.starts_with(&[Guard::Protected, Guard::Missing]), "{enforcement}");
        let limit = "the sandbox plan allows nothing stronger than landlock";
        assert!(enforcement.to_string().contains(limit), "{enforcement}");
        assert!(
            enforcement.guards.contains(&(Guard::Network, GuardState::Yes("no socket can be created"))),
            "{enforcement}"
        );
    }
}

#[test]
fn a_start_fails_if_no_sandbox_is_available() {
    let host = Host::new();
    let launch = host.launch("echo ran", Sandbox::On(host.plan(Means::Nothing)));
    let error = host.world.jobs.start(&host.world.session, &launch).map(|_| ()).unwrap_err();
    assert!(matches!(error, StartError::Sandbox(SandboxError::NoSandbox { .. })), "{error:?}");
    let wanted = "nothing was started, because no sandbox is available: the sandbox plan allows no kind of sandbox; \
                  only the operator can start programs without a sandbox (`--sandbox off`)";
    assert_eq!(error.to_string(), wanted);
}

/// In a sandbox, namespaces are unavailable: a server there uses Landlock, and reports it.
#[test]
fn landlock_is_used_if_namespaces_are_forbidden() {
    if is_missing(Means::Namespaces) || is_missing(Means::Landlock) {
        return;
    }
    let host = Host::new();
    let line =
        "$CONFINED $PWD 'echo in; echo x > w; echo x > /tmp/x; echo x > /dev/tcp/127.0.0.1/80; rm w' 2>&1";
    let job = host.run(&host.launch(line, Sandbox::On(host.plan(Means::Namespaces))));
    let output = text(&job);
    each(
        [
            "means: Landlock,",
            "the sandbox's namespaces could not be created: Operation not permitted",
            "in\n",
            "/tmp/x: Permission denied",
            "socket: Address family not supported by protocol",
            "confined by landlock",
        ],
        |wanted| {
            assert!(output.contains(wanted), "{wanted}: {output}");
        },
    );
}

#[test]
fn roots_that_cannot_be_confined_are_refused() {
    for means in WORLDS.into_iter().filter(|means| !is_missing(*means)) {
        let host = Host::new();
        let machine = "this path cannot be a root of a sandbox: pass the directory of a project";
        let rows = [
            ("/", machine),
            ("/proc/self", machine),
            ("/dev", machine),
            ("/etc/passwd", machine),
            ("/no/such", "No such file or directory (os error 2)"),
        ];
        each(rows, |(root, why)| {
            let mut plan = host.plan(means);
            plan.roots = vec![root.into()];
            let launch = host.launch("true", Sandbox::On(plan));
            let error = host.world.jobs.start(&host.world.session, &launch).map(|_| ()).unwrap_err();
            let wanted = format!(
                "nothing was started, because no sandbox could be built: the root {root} cannot be used \
                 ({why}); try again, and if it fails again, ask the operator"
            );
            assert_eq!(error.to_string(), wanted);
        });
        // A directory and a program that the sandbox hides.
        let mut launch = host.launch("true", Sandbox::On(host.plan(means)));
        launch.directory = host.at("outside");
        let error = host.world.jobs.start(&host.world.session, &launch).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("is not visible in the sandbox (No such file or directory"), "{error}");
        launch.directory = host.at("work");
        fs::copy("/bin/true", host.at("outside/true")).unwrap();
        let none: [&str; 0] = [];
        launch.program = Program::direct(host.at("outside/true"), none);
        let error = host.world.jobs.start(&host.world.session, &launch).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("was not started in its sandbox: No such file or directory"), "{error}");
        assert_eq!(
            host.state().iter().filter(|path| path.starts_with("work/.")).count(),
            7,
            "{:?}",
            host.state()
        );
    }
}

/// A function that changes the plan.
type Change = fn(&Host, &mut Plan);

const NOTHING: Change = |_, _| {};

/// A shell command, the change of the plan for it, and its output.
const PLANS: &[(&str, Change, &str)] = &[
    ("pwd; ls -A | tr '\\n' ' '", NOTHING, "WORK\n.git .idea pkg sub "),
    ("echo kept > /tmp/t; echo $TMPDIR", NOTHING, "/tmp\n"),
    ("cat /tmp/t; ls /var/tmp | wc -l; ls /tmp/t", NOTHING, "kept\n1\n/tmp/t\n"),
    ("test -e /tmp/t || echo x > /tmp/y", |_, plan| plan.temporary = None, ""),
    ("cat /tmp/y", |_, plan| plan.temporary = None, "x\n"),
    (
        "echo x > f; ls f",
        |_, plan| plan.access = Access::Read,
        "bash: line 1: f: Read-only file system\nls: cannot access 'f': No such file or directory\n",
    ),
    (
        "cat ../outside/file; echo x > ../outside/file",
        |host, plan| plan.readable.push(host.at("outside")),
        "SECRET\nbash: line 1: ../outside/file: Read-only file system\n",
    ),
    (
        "cat ../outside/file; echo SECRET > ../outside/file",
        |host, plan| plan.roots.push(host.at("outside")),
        "SECRET\n",
    ),
    // A home directory within a root is visible except for its secrets.
    (
        "cat ~/.ssh/id; ls ..",
        |host, plan| plan.roots.push(host.at("")),
        "cat: SSH/id: Permission denied\nhome\noutside\ntemporary\nwork\n",
    ),
    (
        "git config --file .git/config x.y 2>&1 | cut -c1-5; echo c > .git/index; rm .git/index; echo $?",
        NOTHING,
        "0\n",
    ),
    (
        "echo a > /dev/null; head -c 3 /dev/zero | wc -c; test -c /dev/tty && ls /dev/fd/ | head -n 1",
        NOTHING,
        "3\n0\n",
    ),
    ("ulimit -c; test $(ulimit -u) -le 4096 && grep Seccomp: /proc/self/status", NOTHING, "0\nSeccomp:\t2\n"),
    (
        "echo hi > /dev/tcp/127.0.0.1/1",
        NOTHING,
        "bash: connect: Connection refused\nbash: line 1: /dev/tcp/127.0.0.1/1: Connection refused\n",
    ),
    (
        "echo hi > /dev/tcp/192.0.2.1/80",
        NOTHING,
        "bash: connect: Network is unreachable\nbash: line 1: /dev/tcp/192.0.2.1/80: Network is unreachable\n",
    ),
];

#[test]
fn each_session_has_private_temporary_files() {
    let host = Host::new();
    let jobs = |session: &str, line: &str, means: Means| {
        let mut plan = host.plan(means);
        plan.temporary = None;
        let session = SessionKey(session.to_owned());
        let job = host.world.jobs.start(&session, &host.launch(line, Sandbox::On(plan))).unwrap();
        host.world.assert_gone(&job);
        text(&job)
    };
    let kept = || {
        let entries = fs::read_dir(host.world.directory.path()).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("-tmp-"))
            .count()
    };
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if is_missing(means) {
            continue;
        }
        assert_eq!(jobs("one", "echo x > $TMPDIR/t; cat $TMPDIR/t", means), "x\n");
        assert_eq!(jobs("one", "cat $TMPDIR/t", means), "x\n");
        assert_eq!(jobs("two", "test -e $TMPDIR/t || echo none", means), "none\n");
        assert_eq!(kept(), 2);
        for session in ["one", "two"] {
            let session = SessionKey(session.to_owned());
            host.world.block_on(host.world.jobs.end_session(&session));
        }
        assert_eq!(kept(), 0);
    }
}

#[test]
fn sandbox_plans_are_enforced() {
    for means in WORLDS.into_iter().filter(|means| !is_missing(*means)) {
        let host = Host::new();
        let before = host.state();
        each(PLANS, |(line, change, wanted)| {
            let mut plan = host.plan(means);
            change(&host, &mut plan);
            let job = host.run(&host.launch(line, Sandbox::On(plan)));
            host.world.assert_gone(&job);
            let output = text(&job).replace("/usr/bin/bash", "bash").replace("/bin/bash", "bash");
            let wanted = wanted
                .replace("WORK", &host.at("work").display().to_string())
                .replace("SSH", &host.at("home/.ssh").display().to_string());
            assert_eq!(output, wanted, "{line}");
            assert_eq!(host.state(), before, "{line}");
        });
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "rows")]
fn sandboxed_programs_exit_like_unconfined_ones() {
    let host = Host::new();
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if is_missing(means) {
            continue;
        }
        let on = || Sandbox::On(host.plan(means));
        let before = host.state();
        each(
            [
                ("exit 7", Exit::Code(7)),
                ("kill -9 $$", Exit::Signal(9)),
                ("kill -TERM $$", Exit::Signal(15)),
                ("kill -KILL 0", Exit::Signal(9)),
                ("(setsid sleep 4301 >/dev/null 2>&1 &); exit 3", Exit::Code(3)),
            ],
            |(line, exit)| {
                let mut launch = host.launch(line, on());
                launch.survivors = Survivors::End;
                let job = host.run(&launch);
                assert_eq!(
                    job.ending().map(|ending| (ending.exit, ending.why)),
                    Some((exit, None)),
                    "{line}"
                );
                host.world.assert_gone(&job);
            },
        );
        each(
            [
                ("echo ready; sleep 4302", Exit::Signal(15)),
                ("trap '' TERM; echo ready; while :; do sleep 43.03; done", Exit::Signal(9)),
                ("trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done", Exit::Code(5)),
                (
                    "kill -STOP $PPID 2>&1; trap '' TERM; echo ready; while :; do sleep 43.04; done",
                    Exit::Signal(9),
                ),
            ],
            |(line, exit)| {
                let mut launch = host.launch(line, on());
                launch.limits.grace = std::time::Duration::from_millis(300);
                let job = host.world.start(&launch);
                host.world.wait_for(&job, "ready");
                let report = host.world.block_on(job.stop(StopReason::Stopped));
                assert_eq!(report.leftovers, [], "{line}");
                let ending = job.ending().map(|ending| (ending.exit, ending.why));
                assert_eq!(ending, Some((exit, Some(StopReason::Stopped))), "{means:?} {line}");
                host.world.assert_gone(&job);
            },
        );
        let job = host.run(&host.launch("(setsid sleep 4305 >/dev/null 2>&1 &)", on()));
        common::until("the sleep runs", || !common::with_words("sleep 4305").is_empty());
        let left = job.leftovers();
        let words: Vec<&str> = left.iter().map(|left| left.command.as_str()).collect();
        assert_eq!(words, [common::own("sleep 4305")], "{means:?}");
        // Leftovers have the PIDs of the host.
        let comm = fs::read_to_string(format!("/proc/{}/comm", left[0].pid)).unwrap();
        assert_eq!(comm, "sleep\n");
        assert!(job.pid().is_some());
        host.world.block_on(job.stop(StopReason::Stopped));
        host.world.assert_gone(&job);
        let mut launch =
            host.launch("test -t 0 && stty size && true </dev/tty && echo $TERM; $PROBE type", on());
        launch.channel = Channel::Terminal(Size { columns: 91, rows: 17 });
        let job = host.run(&launch);
        host.world.assert_gone(&job);
        let output = text(&job);
        let wanted = "17 91\nxterm-256color\nError: Os { code: 1, kind: PermissionDenied, message: \"Operation not permitted\" }\n";
        assert_eq!(output, wanted, "{means:?}");
        assert_eq!(host.state(), before);
    }
}

#[test]
fn changes_of_reported_paths_are_listed() {
    let host = Host::new();
    fs::write(host.at("work/AGENTS.md"), "one\n").unwrap();
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if is_missing(means) {
            continue;
        }
        let rows: [(&str, &[&str]); 9] = [
            ("cat AGENTS.md; touch other; rm other", &[]),
            ("echo one > AGENTS.md", &["AGENTS.md"]),
            ("cp AGENTS.md CLAUDE.md; rm AGENTS.md", &["CLAUDE.md"]),
            ("mv CLAUDE.md AGENTS.md", &["AGENTS.md"]),
            (
                "mkdir .git/rebase-merge; echo exec x > .git/rebase-merge/git-rebase-todo",
                &[".git/rebase-merge/git-rebase-todo"],
            ),
            ("echo one > sub/AGENTS.md; echo one > pkg/other", &["sub/AGENTS.md"]),
            ("rm pkg/other; mkdir -p new/below; cp AGENTS.md new/below/CLAUDE.md", &["new/below/CLAUDE.md"]),
            ("rm -r new; mkdir sub/.rules; echo one > sub/.rules/a.md", &["sub/.rules/a.md"]),
            (
                "rm -r sub/.rules sub/AGENTS.md; mkdir sub/.git/sequencer; echo exec x > sub/.git/sequencer/todo",
                &["sub/.git/sequencer/todo"],
            ),
        ];
        each(rows, |(line, wanted)| {
            let mut plan = host.plan(means);
            plan.reported = ["AGENTS.md", "CLAUDE.md", ".rules/a.md"].map(Into::into).into();
            let job = host.run(&host.launch(line, Sandbox::On(plan)));
            host.world.assert_gone(&job);
            let changed = job.changed();
            let wanted: Vec<PathBuf> = wanted.iter().map(|name| host.at("work").join(name)).collect();
            assert_eq!(changed, wanted, "{means:?} {line}: {}", text(&job));
        });
        fs::remove_dir_all(host.at("work/.git/rebase-merge")).unwrap();
        fs::remove_dir_all(host.at("work/sub/.git/sequencer")).unwrap();
    }
}

#[test]
fn existing_names_that_a_pattern_matches_are_unchanged() {
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if is_missing(means) {
            continue;
        }
        let host = Host::new();
        let paths = ["a.project", "pkg/b.PROJECT", "sub/.tool/mcp.json"];
        fs::create_dir_all(host.at("work/sub/.tool")).unwrap();
        paths.iter().for_each(|path| fs::write(host.at("work").join(path), "mine\n").unwrap());
        let mut plan = host.plan(means);
        plan.protected = ["*.project", ".tool/mcp.json"].map(Into::into).into();
        let rows = paths.map(|path| {
            format!(
                "echo x > {path}; echo x > free; mv -f free {path}; mv {path} away; rm -f {path}; rm -f free"
            )
        });
        each(rows, |line| {
            let job = host.run(&host.launch(&line, Sandbox::On(plan.clone())));
            host.world.assert_gone(&job);
            for path in paths {
                let now = fs::read_to_string(host.at("work").join(path)).unwrap();
                assert_eq!(now, "mine\n", "{means:?} {line}: {}", text(&job));
            }
        });
    }
}

/// Returns the names in the root as a command lists them, between two marks in its output.
fn seen_inside(host: &Host, job: &Job, mark: &str) -> Vec<String> {
    host.world.wait_for(job, &format!("end of {mark}\n"));
    let output = text(job);
    let (_, output) = output.split_once(&format!("begin of {mark}\n")).unwrap();
    let (output, _) = output.split_once(&format!("end of {mark}\n")).unwrap();
    output.lines().map(str::to_owned).collect()
}

#[test]
fn the_sandbox_adds_no_files_to_the_roots() {
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if is_missing(means) {
            continue;
        }
        let host = Host::new();
        let before = host.state();
        let names = || {
            let entries = fs::read_dir(host.at("work")).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        let at_first = names();
        let list = |mark: &str| format!("echo begin of {mark}; LC_ALL=C ls -A; echo end of {mark}; ");
        let line = format!(
            "{}read wait < go; {}cat .envrc .mcp.json .vscode/settings.json; sleep 4307",
            list("one"),
            list("two")
        );
        rustix::fs::mknodat(
            rustix::fs::CWD,
            host.at("work/pkg/go"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let line = line.replace("< go", "< pkg/go");
        let long = host.world.start(&host.launch(&line, Sandbox::On(host.plan(means))));
        assert_eq!(seen_inside(&host, &long, "one"), at_first, "{means:?}");
        assert_eq!((names(), host.state()), (at_first.clone(), before.clone()), "{means:?}");
        let short = host.run(&host.launch("LC_ALL=C ls -A", Sandbox::On(host.plan(means))));
        assert_eq!(text(&short).lines().collect::<Vec<_>>(), at_first, "{means:?}");
        host.world.assert_gone(&short);
        assert_eq!(host.state(), before);
        // A process outside the sandbox creates guarded names, and the command sees them.
        fs::create_dir(host.at("work/.vscode")).unwrap();
        for file in [".envrc", ".mcp.json", ".vscode/settings.json"] {
            fs::write(host.at("work").join(file), "mine\n").unwrap();
        }
        fs::write(host.at("work/pkg/go"), "\n").unwrap();
        let with: Vec<String> = {
            let mut with = at_first.clone();
            with.extend([".envrc", ".mcp.json", ".vscode"].map(str::to_owned));
            with.sort();
            with
        };
        assert_eq!(seen_inside(&host, &long, "two"), with, "{means:?}");
        host.world.wait_for(&long, "mine\nmine\nmine\n");
        host.world.block_on(long.stop(StopReason::Stopped));
        host.world.assert_gone(&long);
        assert_eq!(names(), with);
    }
}

#[test]
fn unprivileged_sandbox_adds_no_files_to_the_roots() {
    as_nobody("the_sandbox_adds_no_files_to_the_roots");
}

#[test]
fn unprivileged_sandbox_plans_are_enforced() {
    as_nobody("sandbox_plans_are_enforced");
}

#[test]
fn unprivileged_sandboxed_programs_exit_like_unconfined_ones() {
    as_nobody("sandboxed_programs_exit_like_unconfined_ones");
}

#[test]
fn proxied_commands_reach_only_the_proxy() {
    for means in WORLDS.into_iter().filter(|means| !is_missing(*means)) {
        let host = Host::new();
        let mut plan = host.plan(means);
        plan.network = toolpost_process::Network::Proxied;
        let line = "echo $https_proxy; exec 3<>/dev/tcp/127.0.0.1/3128; echo asked >&3; read -r said <&3; echo $said; \
                echo x > /dev/tcp/127.0.0.1/$TCP";
        let job = host.world.start(&host.launch(line, Sandbox::On(plan)));
        let take = || match means {
            Means::Namespaces => host.world.jobs.take_listener(&host.world.session),
            _ => job.take_listener(),
        };
        let listener = take().unwrap();
        assert!(take().is_none());
        listener.set_nonblocking(false).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let mut stream = std::io::BufReader::new(stream);
        let mut request = String::new();
        std::io::BufRead::read_line(&mut stream, &mut request).unwrap();
        std::io::Write::write_all(stream.get_mut(), b"answered\n").unwrap();
        host.world.wait(&job, WaitCondition::Ended);
        host.world.assert_gone(&job);
        assert_eq!(request, "asked\n");
        let output = text(&job);
        assert!(output.starts_with("http://127.0.0.1:3128\nanswered\n"), "{output}");
        assert!(output.contains("Connection refused"), "{output}");
        let network = job.enforcement().guards.iter().find(|(guard, _)| *guard == Guard::Network).unwrap();
        let wanted = match means {
            Means::Namespaces => {
                "the network of the command's session, which contains only this session's commands \
                 and a proxy"
            }
            _ => "a separate network, with nothing in it but a proxy",
        };
        assert_eq!(network.1, GuardState::Yes(wanted));
    }
}

/// A server that sends a word to each connection, on a port that the system assigns.
const SERVER: &str = r#"exec perl -MIO::Socket::INET -e '
    my $listener = IO::Socket::INET->new(Listen => 8, LocalAddr => "127.0.0.1") or die; $| = 1;
    print "port ", $listener->sockport, "\n";
    while (my $client = $listener->accept) { print $client "answered\n"; close $client }'"#;

/// Returns the port that a server reports.
fn port_of(job: &Job) -> u16 {
    let start = std::time::Instant::now();
    loop {
        let output = text(job);
        if let Some((port, _)) = output.strip_prefix("port ").and_then(|rest| rest.split_once('\n')) {
            return port.parse().unwrap();
        }
        assert!(start.elapsed() < common::LONG, "{output:?} {:?}", job.report());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Connects to a server from another command of a session, and returns the word that the server sends.
fn response_in_session(host: &Host, session: &str, port: u16, means: Means) -> String {
    let ask = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && cat <&3");
    let launch = host.launch(&ask, Sandbox::On(host.plan(means)));
    let job = host.world.jobs.start(&SessionKey(session.to_owned()), &launch).unwrap();
    host.world.wait(&job, WaitCondition::Ended);
    text(&job)
}

/// Counts the descriptors of this process that refer to a namespace, such as `net:[4026531840]`.
fn descriptors_of(namespace: &str) -> usize {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().flatten();
    descriptors.filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| to == Path::new(namespace))).count()
}

#[test]
fn commands_of_a_session_share_one_loopback() {
    if is_missing(Means::Namespaces) {
        return;
    }
    let host = Host::new();
    let launch = |line: &str| host.launch(line, Sandbox::On(host.plan(Means::Namespaces)));
    let server = host.world.start(&launch(SERVER));
    let port = port_of(&server);
    assert_eq!((server.listening(), server.shares_network()), (vec![port], true));
    assert_eq!(response_in_session(&host, "a session", port, Means::Namespaces), "answered\n");
    assert!(
        response_in_session(&host, "another session", port, Means::Namespaces).contains("Connection refused")
    );
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "the host reaches it");
    // A server that its command leaves behind is reachable, too, and its port is listed.
    let left = host.world.start(&launch(&format!("{} &", SERVER.strip_prefix("exec ").unwrap())));
    let port = port_of(&left);
    host.world.wait(&left, WaitCondition::Ended);
    assert_eq!(left.listening(), vec![port]);
    assert_eq!(response_in_session(&host, "a session", port, Means::Namespaces), "answered\n");
    host.world.block_on(host.world.jobs.end_session(&host.world.session));
    host.world.assert_gone(&server);
    host.world.assert_gone(&left);
}

#[test]
fn the_loopback_is_shared_without_root() {
    as_nobody("commands_of_a_session_share_one_loopback");
}

#[test]
fn bubblewrap_gives_each_command_its_own_loopback() {
    if is_missing(Means::Bubblewrap) {
        return;
    }
    let host = Host::new();
    let server = host.world.start(&host.launch(SERVER, Sandbox::On(host.plan(Means::Bubblewrap))));
    let port = port_of(&server);
    assert_eq!((server.listening(), server.shares_network()), (vec![port], false));
    let network = server.enforcement().guards.iter().find(|(guard, _)| *guard == Guard::Network).unwrap();
    assert!(matches!(network.1, GuardState::Yes(how) if how.ends_with("with nothing in it")), "{network:?}");
    for means in WORLDS.into_iter().filter(|means| !is_missing(*means)) {
        assert!(
            response_in_session(&host, "a session", port, means).contains("Connection refused"),
            "{means:?}"
        );
    }
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "the host reaches it");
    host.world.block_on(host.world.jobs.end_session(&host.world.session));
    host.world.assert_gone(&server);
}

#[test]
fn commands_have_no_rights_over_the_shared_network() {
    if is_missing(Means::Namespaces) {
        return;
    }
    let host = Host::new();
    let line = "grep Cap /proc/self/status; for name in user net mnt pid; do readlink /proc/self/ns/$name; done; \
                ls -l /proc/1/fd /proc/1/ns; nsenter -t 1 -U -n true; unshare -Un true; \
                perl -e 'print syscall(308, 0, 0x40000000), \" \", $! + 0, \"\\n\"'; \
                echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start && echo written";
    let [first, second] = [(); 2].map(|()| {
        let job = host.run(&host.launch(line, Sandbox::On(host.plan(Means::Namespaces))));
        host.world.assert_gone(&job);
        text(&job)
    });
    let namespace = |output: &str, kind: &str| {
        output.lines().find(|line| line.starts_with(kind)).unwrap_or_else(|| panic!("{output}")).to_owned()
    };
    assert_eq!(namespace(&first, "net:["), namespace(&second, "net:["));
    for kind in ["user:[", "mnt:[", "pid:["] {
        assert_ne!(namespace(&first, kind), namespace(&second, kind), "{kind}");
    }
    let outside = fs::read_link("/proc/self/ns/net").unwrap().display().to_string();
    assert_ne!(namespace(&first, "net:["), outside);
    each(["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"], |set| {
        assert!(first.contains(&format!("{set}:\t0000000000000000")), "{first}");
    });
    // The supervisor's descriptors are out of reach, and `setns` and `unshare` are refused.
    assert!(!first.contains("-> "), "{first}");
    assert!(first.contains("\n-1 1\n"), "{first}");
    assert!(!first.contains("written"), "{first}");
}

#[test]
fn a_session_network_ends_with_its_session() {
    if is_missing(Means::Namespaces) {
        return;
    }
    for network in [toolpost_process::Network::Closed, toolpost_process::Network::Proxied] {
        let host = Host::new();
        let mut plan = host.plan(Means::Namespaces);
        plan.network = network;
        let job = host.run(&host.launch("readlink /proc/self/ns/net; sleep 46007 &", Sandbox::On(plan)));
        let output = text(&job);
        let namespace = output.trim();
        assert!(namespace.starts_with("net:["), "{output}");
        assert_eq!(descriptors_of(namespace), 1);
        host.world.block_on(host.world.jobs.end_session(&host.world.session));
        assert_eq!(descriptors_of(namespace), 0);
        host.world.assert_gone(&job);
        assert!(host.world.jobs.take_listener(&host.world.session).is_none());
    }
}

#[test]
fn a_hidden_directory_of_a_root_is_neither_read_nor_changed() {
    for means in [Means::Namespaces, Means::Bubblewrap].into_iter().filter(|means| !is_missing(*means)) {
        let host = Host::new();
        let plan = host.plan(means);
        let state = plan.roots[0].join("own-state");
        fs::create_dir(&state).unwrap();
        fs::write(state.join("seal.key"), "the key").unwrap();
        let line = "cat own-state/seal.key; ls -A own-state; echo x > own-state/new; echo y >> own-state/seal.key; \
                    mv own-state other; ln own-state/seal.key linked; rm -rf own-state; echo fine > beside; cat beside";
        let plan = Plan { hidden: vec![state.clone()], ..plan };
        let root = plan.roots[0].clone();
        let mut launch = host.launch(line, Sandbox::On(plan));
        launch.directory = root;
        let job = host.run(&launch);
        let output = text(&job);
        assert!(!output.contains("the key") && output.ends_with("fine\n"), "{means:?}: {output}");
        let names: Vec<_> = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(
            (names.len(), fs::read_to_string(state.join("seal.key")).unwrap().as_str()),
            (1, "the key")
        );
    }
}
