//! Sandbox tests: escape attempts, and checks that confined programs exit as unconfined ones do.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

mod common;

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use toolpost_test_rows::each;

use common::{World, text};
use toolpost_process::{
    Access, Available, Channel, Environment, Exit, Guard, GuardState, Job, Launch, Means, Plan, Program,
    Sandbox, SandboxError, SessionKey, Size, StartError, StopReason, Survivors, WaitCondition, available,
    inner_step_of,
};

/// The targets of the escape attempts, and the files of the host.
struct Host {
    world: World,
    base: tempfile::TempDir,
    daemon: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    name: String,
    _sockets: [UnixListener; 2],
    shared: PathBuf,
}

impl Host {
    fn new() -> Self {
        // The base directory is in `/var/tmp`, because projects are outside `/tmp`, and often outside the
        // home directory.
        inner_step_of(&example("confined"));
        let base = tempfile::Builder::new().prefix("sandbox").tempdir_in("/var/tmp").unwrap();
        let at = |path: &str| base.path().join(path);
        let folders =
            ["work/.git/hooks", "work/.git/info", "work/.idea", "home/.ssh", "outside", "temporary"];
        let below = ["sub/.git/hooks", ".git/modules/m/objects", ".git/modules/m/refs", "pkg/.vscode"];
        for folder in folders.map(str::to_owned).into_iter().chain(below.map(|below| format!("work/{below}")))
        {
            fs::create_dir_all(at(&folder)).unwrap();
        }
        for file in ["work/sub/.git/config", "work/.git/modules/m/HEAD", "work/.git/modules/m/config"] {
            fs::write(at(file), "").unwrap();
        }
        for file in ["work/.git/config", "work/.git/HEAD", "home/.ssh/id", "outside/file"] {
            fs::write(at(file), "SECRET\n").unwrap();
        }
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let seconds = format!("9{}4", std::process::id());
        let mut daemon = Command::new("sleep");
        daemon.arg(seconds).env("HIDDEN", "SECRET").stdin(Stdio::null());
        let name = base.path().file_name().unwrap().to_string_lossy().into_owned();
        let shared = Path::new("/dev/shm").join(&name);
        fs::write(&shared, "SECRET\n").unwrap();
        let abstract_name = SocketAddr::from_abstract_name(&name).unwrap();
        let sockets = [
            UnixListener::bind_addr(&abstract_name).unwrap(),
            UnixListener::bind(at("outside/d.sock")).unwrap(),
        ];
        Self {
            world: World::new(),
            daemon: daemon.spawn().unwrap(),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            name,
            _sockets: sockets,
            shared,
            base,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.path().join(path)
    }

    fn plan(&self, means: Means) -> Plan {
        let mut plan = Plan::new([self.at("work")]);
        plan.protected = [".mcp.json", ".vscode", ".idea", ".envrc", ".gitmodules"].map(Into::into).into();
        plan.readable = vec![example("probe"), example("confined")];
        plan.temporary = Some(self.at("temporary"));
        plan.means = means;
        plan
    }

    fn launch(&self, line: &str, sandbox: Sandbox) -> Launch {
        let mut launch = Launch::new(Program::line(common::own(line)), self.at("work"));
        let own = std::env::vars_os();
        let environment = Environment::from(own.chain([("API_TOKEN".into(), "SECRET".into())]));
        let ports =
            [("TCP", self.tcp.local_addr().unwrap().port()), ("UDP", self.udp.local_addr().unwrap().port())];
        launch.environment = environment
            .with("HOME", self.at("home"))
            .with("OUT", self.at("outside"))
            .with("DAEMON", self.daemon.id().to_string())
            .with("NAME", &self.name)
            .with("PROBE", example("probe"))
            .with("CONFINED", example("confined"));
        for (name, port) in ports {
            launch.environment = launch.environment.with(name, port.to_string());
        }
        launch.sandbox = sandbox;
        launch
    }

    fn run(&self, launch: &Launch) -> Job {
        let job = self.world.start(launch);
        self.world.wait(&job, WaitCondition::Ended);
        job
    }

    /// Lists the paths in the root, in the repository, and in the host's directories.
    fn state(&self) -> Vec<String> {
        let mut state: Vec<String> =
            ["work", "work/.git", "work/.git/info", "work/.git/hooks", "home", "outside"]
                .iter()
                .flat_map(|folder| fs::read_dir(self.at(folder)).unwrap().map(|entry| entry.unwrap().path()))
                .map(|path| path.strip_prefix(self.base.path()).unwrap().display().to_string())
                .collect();
        state.sort();
        state
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
        let _ = fs::remove_file(&self.shared);
    }
}

fn example(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples").join(name)
}

/// The expected result of an escape attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Open,
    Shut,
    /// The result depends on the machine, or on the user.
    Unknown,
}

use Way::{Open, Shut, Unknown};

/// The escape attempts, with the expected results: without a sandbox, with Landlock alone, with `bwrap`, and
/// in Toolpost's own namespaces.
///
/// A command prints `A` if the attempt succeeds.
const WAYS: &[(&str, &str, [Way; 4])] = &[
    ("01 write in the workspace", "echo x > w && rm w && echo A", [Open, Open, Open, Open]),
    (
        "02 write home",
        "echo x > $HOME/x; test -e $OUT/../home/x && rm $HOME/x && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("03 read a secret", "grep -q SECRET $HOME/.ssh/id && echo A", [Open, Shut, Shut, Shut]),
    (
        "04 environment of a process",
        "grep -q SECRET /proc/$DAEMON/environ && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("05 inherited secret", "test -n \"$API_TOKEN\" && echo A", [Shut, Shut, Shut, Shut]),
    ("06 TCP to the host", "echo x > /dev/tcp/127.0.0.1/$TCP && echo A", [Open, Shut, Shut, Shut]),
    ("07 UDP to the host", "echo x > /dev/udp/127.0.0.1/$UDP && echo A", [Open, Shut, Shut, Shut]),
    ("08 abstract socket", "$PROBE abstract $NAME", [Open, Shut, Shut, Shut]),
    ("09 socket with a path", "$PROBE path $OUT/d.sock", [Open, Shut, Shut, Shut]),
    ("10 signal", "kill -CONT $DAEMON && echo A", [Open, Shut, Shut, Shut]),
    ("11 ptrace", "$PROBE ptrace $DAEMON", [Unknown, Shut, Shut, Shut]),
    ("11 memory of a process", "$PROBE look $DAEMON", [Open, Shut, Shut, Shut]),
    ("12 hooks", "echo x > .git/hooks/h && rm .git/hooks/h && echo A", [Open, Shut, Shut, Shut]),
    (
        "13 config",
        "cp .git/config c; echo x >> .git/config && echo A; cat c > .git/config; rm c",
        [Open, Shut, Shut, Shut],
    ),
    (
        "13 another common directory",
        "echo /x > .git/commondir && rm .git/commondir && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "13 attributes",
        "echo x > .git/info/attributes && rm .git/info/attributes && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("14 move the repository", "mv .git .g && mv .g .git && echo A", [Open, Shut, Shut, Shut]),
    (
        "14 move to a missing name",
        "mkdir x; mv -T x .vscode && rmdir .vscode && echo A; rmdir x",
        [Open, Shut, Shut, Shut],
    ),
    ("14 move a protected directory", "mv .idea .i && mv .i .idea && echo A", [Open, Shut, Shut, Shut]),
    // A command may create a repository; Toolpost runs none of its hooks.
    (
        "15 new repository",
        "mkdir -p new/.git/hooks && echo x > new/.git/hooks/h && echo A; rm -r new",
        [Open, Open, Open, Open],
    ),
    (
        "15 hooks of a repository below",
        "echo x > sub/.git/hooks/h && rm sub/.git/hooks/h && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "15 config of a repository below",
        "cp sub/.git/config c; echo x >> sub/.git/config && echo A; cat c > sub/.git/config; rm c",
        [Open, Shut, Shut, Shut],
    ),
    ("15 move a repository below", "mv sub s && mv s sub && echo A", [Open, Shut, Shut, Shut]),
    (
        "15 hooks of a submodule",
        "mkdir .git/modules/m/hooks && rmdir .git/modules/m/hooks && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "15 folder that can run code, in a subdirectory",
        "echo x > pkg/.vscode/x && rm pkg/.vscode/x && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("16 file that can run code", "echo x > .mcp.json && rm .mcp.json && echo A", [Open, Shut, Shut, Shut]),
    (
        "16 folder that can run code",
        "mkdir -p .vscode && echo x > .vscode/tasks.json && rm -r .vscode && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "16 write in a protected directory",
        "echo x > .idea/x && rm .idea/x && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "17 through a link",
        "ln -s $HOME/.ssh l; echo x > l/x && rm l/x && echo A; rm l",
        [Open, Shut, Shut, Shut],
    ),
    ("18 hard link", "ln $OUT/file h && echo A; rm -f h", [Open, Shut, Shut, Shut]),
    ("19 shared memory", "grep -q SECRET /dev/shm/$NAME && echo A", [Open, Shut, Shut, Shut]),
    ("20 user namespace", "$PROBE unshare", [Unknown, Shut, Shut, Shut]),
    ("21 io_uring", "$PROBE io_uring", [Unknown, Shut, Shut, Shut]),
    ("23 vsock", "$PROBE socket 40 1", [Unknown, Shut, Shut, Shut]),
    ("24 netlink", "$PROBE socket 16 3", [Open, Shut, Shut, Shut]),
    ("24 raw", "$PROBE socket 2 3", [Unknown, Shut, Shut, Shut]),
    ("25 set-user-id", "grep -q 'NoNewPrivs:.0' /proc/self/status && echo A", [Open, Shut, Shut, Shut]),
    (
        "25 rights",
        "grep 'Cap[PE]' /proc/self/status | grep -qv 0000000000000000 && echo A",
        [Unknown, Shut, Shut, Shut],
    ),
    ("27 other processes", "grep -q sleep /proc/$DAEMON/cmdline && echo A", [Open, Open, Shut, Shut]),
    // Under `bwrap`, the parent is Toolpost's inner step, whose command line contains nothing secret.
    ("27 the parent process", "grep -q . /proc/$PPID/cmdline && echo A", [Open, Open, Open, Shut]),
    ("28 keyring", "$PROBE keyring", [Unknown, Shut, Shut, Shut]),
    ("29 another project", "grep -q SECRET $OUT/file && echo A", [Open, Shut, Shut, Shut]),
    (
        "30 the system's secrets",
        "test -r /etc/shadow && cat /etc/shadow && echo A",
        [Unknown, Shut, Shut, Shut],
    ),
    ("30 the system", "echo x > /etc/$NAME && rm /etc/$NAME && echo A", [Unknown, Shut, Shut, Shut]),
    (
        "30 settings of the kernel",
        "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo A",
        [Unknown, Shut, Shut, Shut],
    ),
    ("30 mounts", "$PROBE mount $PWD", [Unknown, Shut, Shut, Shut]),
    ("31 mode of a file outside", "chmod 644 $OUT/file && echo A", [Open, Shut, Shut, Shut]),
    (
        "31 mode through a directory",
        "cd $OUT/..; chmod 644 outside/file && echo A; cd - >/dev/null",
        [Open, Shut, Shut, Shut],
    ),
    ("31 mode through a link", "ln -s $OUT/file l; chmod 644 l && echo A; rm l", [Open, Shut, Shut, Shut]),
    ("31 mode of an open file", "$PROBE fchmod /usr/bin/env", [Unknown, Shut, Shut, Shut]),
    ("31 times", "touch -c -r $OUT/file $OUT/file && echo A", [Open, Shut, Unknown, Unknown]),
    ("31 owner", "chown $(id -u) $OUT/file && echo A", [Open, Shut, Shut, Shut]),
    ("31 extended attribute", "$PROBE setxattr $OUT/file", [Unknown, Shut, Shut, Shut]),
    (
        "31 mode and times in the workspace",
        "echo x > w && chmod 700 w && touch -d @1 w && $PROBE fchmod w && chmod 755 . && rm w && echo A",
        [Open, Open, Open, Open],
    ),
    ("32 limits of a process", "$PROBE limits $DAEMON", [Open, Shut, Shut, Shut]),
    // In namespaces the shared memory is private to the command.
    ("32 System V shared memory", "$PROBE 'shared memory'", [Open, Shut, Open, Open]),
    ("30 the directory above", "ls .. | grep -q outside && echo A", [Open, Shut, Shut, Shut]),
];

fn try_ways(host: &Host, means: Means) {
    let sandbox = |means| if means == Means::Nothing { Sandbox::Off } else { Sandbox::On(host.plan(means)) };
    let before = host.state();
    let mut wrong = Vec::new();
    each(WAYS, |(name, line, expected)| {
        let job = host.run(&host.launch(&format!("{line}\ntrue"), sandbox(means)));
        let outcome = if text(&job).lines().any(|line| line == "A") { Open } else { Shut };
        host.world.assert_gone(&job);
        let expected = expected[means as usize];
        if expected != Unknown && outcome != expected {
            wrong.push(format!("{name}: {outcome:?}, expected {expected:?}\n{}", text(&job)));
        }
        assert_eq!(host.state(), before, "{name} {means:?}: {}", text(&job));
    });
    assert_eq!(wrong, Vec::<String>::new(), "{means:?}");
}

/// Returns true and prints a message if a mechanism is unavailable; checks that the reason was recorded.
fn is_missing(means: Means) -> bool {
    inner_step_of(&example("confined"));
    let found = Available::up_to(means);
    if found.means == means {
        return false;
    }
    let why = found.failed.iter().find(|(failed, _)| *failed == means);
    let (_, why) = why.expect("a mechanism that is not available was tried, with a reason");
    assert_ne!(why, "");
    toolpost_test_rows::skip(&format!("{} is not available: {why}", means.name()));
    true
}

/// The mechanisms that give a command its own view of the file system.
const WORLDS: [Means; 2] = [Means::Bubblewrap, Means::Namespaces];

#[test]
fn sandboxed_commands_cannot_escape() {
    let host = Host::new();
    each([Means::Nothing, Means::Landlock, Means::Bubblewrap, Means::Namespaces], |means| {
        if means == Means::Nothing || !is_missing(means) {
            try_ways(&host, means);
        }
    });
}

/// If this process is root, runs one of these tests again as another user.
fn as_nobody(test: &str) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(&own);
    command.args(["--exact", test, "--nocapture"]).env("HOME", "/nonexistent").current_dir("/");
    match command.uid(65_534).gid(65_534).output() {
        Ok(output) => {
            let stdout = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}\n{errors}");
        }
        Err(error) => toolpost_test_rows::skip_in_checkout(&format!(
            "another user may not execute {} ({error})",
            own.display()
        )),
    }
}

#[test]
fn unprivileged_sandboxed_commands_cannot_escape() {
    as_nobody("sandboxed_commands_cannot_escape");
}

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

/// Ways to create a guarded name, all of which are refused: each command prints its exit code.
const CREATIONS: &[(&str, &str)] = &[
    ("to write", "echo x > .envrc"),
    ("to append", "echo x >> ./sub/../.envrc"),
    ("in another case", "echo x > .ENVRC"),
    ("by the whole path", "echo x > $PWD/.envrc"),
    ("from another directory", "cd sub && echo x > ../.envrc"),
    ("through the working directory of the process", "echo x > /proc/self/cwd/.envrc"),
    ("through the root of the process", "echo x > /proc/self/root/$PWD/.envrc"),
    ("through a descriptor", "exec 7<. && echo x > /proc/self/fd/7/.envrc"),
    ("through a link to it", "ln -s .envrc free && echo x > free"),
    ("through two links", "ln -s two one; ln -s .envrc two; echo x > one"),
    ("through a link to its directory", "ln -s . here; echo x > here/.envrc"),
    ("as a link", "ln -s sub .envrc"),
    ("as a second name", "echo x > free; ln free .envrc"),
    ("by moving", "echo x > free; mv free .envrc"),
    ("by moving a directory", "mkdir free; echo x > free/tasks.json; mv -T free .vscode"),
    ("a directory", "mkdir .vscode"),
    ("a directory with a slash", "mkdir .vscode/"),
    ("a pipe", "mkfifo .envrc"),
    ("by copying", "echo x > free; cp free .mcp.json"),
    ("in place of another name", "echo x > free; $PROBE exchange free .envrc"),
    ("from a file without a name", "$PROBE nameless . .envrc"),
    ("by the newest call", "$PROBE openat2 .envrc"),
    ("with unreadable memory", "$PROBE undumpable .envrc"),
    ("a file in a missing directory", "mkdir -p .tool && echo x > .tool/mcp.json"),
    ("a new submodule", "mkdir .git/modules/new"),
    ("a new submodule by moving", "mkdir free; mv -T free .git/modules/new"),
    ("worktrees", "mkdir .git/worktrees"),
    ("a submodule of a submodule", "mkdir -p .git/modules/m/modules/x"),
    ("a worktree of a submodule", "mkdir .git/modules/m/worktrees"),
    ("a submodule of a nested repository", "mkdir sub/.git/modules"),
    ("a worktree of a nested repository", "mkdir -p sub/.git/worktrees/w"),
    ("a name that a pattern matches", "echo x > a.project"),
    ("a name that a pattern matches, in another case", "echo x > a.PROJECT"),
    ("a name that a pattern matches, by moving", "echo x > free; mv free a.project"),
    ("a directory that a pattern matches", "mkdir a.project"),
    ("a directory that contains it", "mkdir free; echo x > free/mcp.json; mv -T free .tool"),
    ("a link to a directory that contains it", "mkdir free; echo x > free/mcp.json; ln -s free .tool"),
];

/// Names that may be created, because they are not guarded.
const OTHERS: &[&str] = &[
    "echo x > .envrc2; rm .envrc2",
    "echo x > a.projects; rm a.projects",
    "echo x > sub/a.project; rm sub/a.project",
    "echo x > sub/.envrc; rm sub/.envrc",
    "mkdir .tool; echo x > .tool/other; rm -r .tool",
    "echo x > /tmp/.envrc; rm /tmp/.envrc",
    "echo x > free; mv free other; rm other",
    "mkdir -p .git/modules/m; echo x > .git/modules/m/index; rm .git/modules/m/index",
    "echo x > /dev/null; echo x > /dev/stdout; echo x > /dev/fd/1",
];

#[test]
fn guarded_names_cannot_be_created() {
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if is_missing(means) {
            continue;
        }
        let host = Host::new();
        let before = host.state();
        let plan = || {
            let mut plan = host.plan(means);
            let more = [".tool/mcp.json", "*.project"].map(PathBuf::from);
            plan.protected = plan.protected.iter().cloned().chain(more).collect::<Vec<_>>().into();
            plan.temporary = if means == Means::Landlock { Some("/tmp".into()) } else { plan.temporary };
            plan
        };
        each(CREATIONS, |(name, line)| {
            let line = format!("( {line} ); echo code $?; rm -rf free one two here; rmdir .tool; true");
            let job = host.run(&host.launch(&line, Sandbox::On(plan())));
            host.world.assert_gone(&job);
            let output = text(&job);
            assert!(!output.contains("code 0\n"), "{means:?} {name}: {output}");
            // If the memory of the process is unreadable, the call is refused, but the name is unknown.
            let is_known = !job.refused().is_empty() || name.contains("unreadable memory");
            assert!(is_known, "{means:?} {name}: {output}");
            assert_eq!(host.state(), before, "{means:?} {name}: {output}");
        });
        each(OTHERS, |line| {
            let job = host.run(&host.launch(&format!("set -e; {line}"), Sandbox::On(plan())));
            host.world.assert_gone(&job);
            let ended = (job.ending().map(|ending| ending.exit), job.refused());
            assert_eq!(ended, (Some(Exit::Code(0)), Vec::new()), "{means:?} {line}: {}", text(&job));
            assert_eq!(host.state(), before, "{line}");
        });
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

#[test]
fn unprivileged_commands_cannot_create_guarded_names() {
    as_nobody("guarded_names_cannot_be_created");
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
