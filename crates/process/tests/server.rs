//! Tests that when a server exits, in any way, everything that it started is killed.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests start a server")]

mod common;

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{NOBODY, public_directory, until, with_cookie, with_words};
use toolpost_process::{Available, Means, inner_step_of};
use toolpost_test_rows::public::PublicCopies;

/// The commands that run when the server exits: each reports that it is ready, and tries to survive in a
/// different way.
const LINES: [&str; 6] = [
    "echo ready; exec sleep 46001",
    "trap '' TERM INT HUP; echo ready; while :; do sleep 46.002; done",
    "(setsid sleep 46003 >/dev/null 2>&1 &); echo ready; sleep 46003",
    "nohup sleep 46004 >/dev/null 2>&1 & echo ready",
    "(setsid sh -c 'trap \"\" TERM; (setsid env -i sleep 46005 &) ; sleep 46005' >/dev/null 2>&1 &); echo ready",
    "echo ready; while :; do setsid sleep 46.006; done",
];

/// A server whose commands are all ready, and the run ids of its jobs.
struct Server {
    child: Child,
    runs: Vec<String>,
}

impl Server {
    /// Starts a program as the server.
    fn start(program: &Path, user: &str, confined: Option<(Means, &Path)>) -> Self {
        let mut command = Command::new(program);
        if let Some((means, directory)) = confined {
            command.arg(format!("--{}", means.name())).arg(directory);
        }
        command.args(LINES.map(common::own)).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
        if user == "nobody" {
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let runs: Vec<String> = lines.take(LINES.len()).map(Result::unwrap).collect();
        assert_eq!(runs.len(), LINES.len());
        until("the daemons run", || (1..=6).all(|number| !with_words(&slept(number)).is_empty()));
        Self { child, runs }
    }

    fn assert_nothing_left(&self) {
        for run in &self.runs {
            until(run, || with_cookie(run).is_empty());
        }
        // Processes without the run id in their environment are recognised by their command lines.
        until("no sleep", || (1..=6).all(|number| with_words(&slept(number)).is_empty()));
        // Supervisors are forks of the server and have its command line.
        until("no supervisor", || common::mentioning("sleep 46001").is_empty());
    }
}

fn slept(number: u32) -> String {
    if matches!(number, 2 | 6) { format!("sleep 46.00{number}") } else { format!("sleep 4600{number}") }
}

#[test]
fn no_process_survives_its_server() {
    let is_root = rustix::process::geteuid().is_root();
    let users: &[&str] = if is_root { &["own user", "nobody"] } else { &["own user"] };
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(directory.path(), everybody).unwrap();
    let public = public_directory();
    let programs = PublicCopies::new(public.path(), &["server"]);
    let server = programs.example("server");
    inner_step_of(&server);
    let mut ways = vec![None];
    for means in [Means::Bubblewrap, Means::Namespaces] {
        let found = Available::up_to(means);
        if found.means == means {
            ways.push(Some((means, directory.path())));
        } else {
            let why = found.failed;
            toolpost_test_rows::skip(&format!("{} is not available: {why:?}", means.name()));
        }
    }
    let mut done = Vec::new();
    for (user, confined) in users.iter().flat_map(|user| ways.iter().map(move |way| (user, *way))) {
        for way in ["killed", "input closed", "terminated"] {
            let mut server = Server::start(&server, user, confined);
            match way {
                "killed" => server.child.kill().unwrap(),
                "input closed" => drop(server.child.stdin.take()),
                _ => {
                    let pid = rustix::process::Pid::from_child(&server.child);
                    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
                }
            }
            server.child.wait().unwrap();
            server.assert_nothing_left();
            done.push((*user, way));
        }
    }
    assert_eq!(done.len(), users.len() * ways.len() * 3);
}

/// Limits of the system, and the shell lines that set them in a new user namespace.
const LIMITS: [(&str, &str); 3] = [
    ("namespaces", "echo 3 > /proc/sys/user/max_user_namespaces"),
    ("open files", "ulimit -n 26"),
    ("processes", "ulimit -u 16"),
];

/// Short commands wait for each other if the system has no room for all of them at the same time.
#[test]
fn starts_wait_while_a_system_limit_is_reached() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(directory.path(), everybody).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let public = public_directory();
    let programs = PublicCopies::new(public.path(), &["server"]);
    for (limit, set) in LIMITS {
        let mut command = Command::new("unshare");
        let line = format!("{set} && exec \"$0\" \"$@\"");
        command.args(["--user", "--map-root-user", "bash", "-c", &line]).arg(programs.example("server"));
        command.arg("--namespaces").arg(directory.path()).args(["echo ready; exec sleep 0.3"; 12]);
        // The kernel does not limit the number of root's processes.
        if is_root && limit == "processes" {
            command.uid(NOBODY).gid(NOBODY);
        }
        let ended = command.current_dir("/").stdin(Stdio::null()).output().unwrap();
        let (stdout, error) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr).into_owned());
        let cannot = ["unshare:", "bash: line", "no sandbox is available"];
        if !ended.status.success() && cannot.iter().any(|cannot| error.contains(cannot)) {
            toolpost_test_rows::skip(&format!("a limit of {limit} cannot be set here: {error}"));
            continue;
        }
        assert_eq!((stdout.lines().count(), error.as_str()), (12, ""), "{limit}");
    }
}
