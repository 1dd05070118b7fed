//! Tests of services, which are programs used through pipes: they answer, their resources are measured, and
//! they do not outlive their caller.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use toolpost_process::{Exit, Launch, Means, Plan, Program, Sandbox, Service, ServicePipes, available};

/// A time limit that no passing test reaches, on any machine.
const LONG: Duration = Duration::from_secs(60);

fn start(line: &str) -> (Service, ServicePipes) {
    Service::start(&Launch::new(Program::line(line), "/")).unwrap()
}

fn wait(served: &Service) -> Exit {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG, served.wait()).await.unwrap() })
}

fn is_there(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn wait_until_gone(pid: &str) {
    let start = Instant::now();
    while is_there(pid) {
        assert!(start.elapsed() < LONG, "process {pid} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_service_answers_through_its_pipes() {
    let (served, mut wires) = start("echo beside >&2; while read line; do echo \"<$line>\"; done; exit 3");
    let mut lines = BufReader::new(wires.output).lines();
    for word in ["one", "two"] {
        writeln!(wires.input, "{word}").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), format!("<{word}>"));
    }
    assert!(served.memory().unwrap() > 100_000);
    assert_eq!(served.exit(), None);
    drop(wires.input);
    assert_eq!(wait(&served), Exit::Code(3));
    assert_eq!((served.exit(), served.memory()), (Some(Exit::Code(3)), None));
    let mut errors = String::new();
    wires.errors.read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "beside\n");
}

#[test]
fn processes_started_by_a_service_end_with_it() {
    for ended in ["killed", "dropped", "exited"] {
        let end = if ended == "exited" { "read line" } else { "sleep 1000" };
        let (served, mut wires) = start(&format!("setsid sleep 1000 & echo $!; echo $$; {end}"));
        let mut lines = BufReader::new(wires.output).lines().map(Result::unwrap);
        let pids = [lines.next().unwrap(), lines.next().unwrap()];
        match ended {
            "killed" => {
                served.kill();
                assert_eq!(wait(&served), Exit::Signal(9));
            }
            "dropped" => drop(served),
            _ => {
                writeln!(wires.input).unwrap();
                assert_eq!(wait(&served), Exit::Code(0));
            }
        }
        pids.iter().for_each(|pid| wait_until_gone(pid));
    }
}

#[test]
fn a_missing_service_program_is_reported() {
    let launch = Launch::new(Program::direct("no-such-server", ["--stdio"]), "/");
    let error = Service::start(&launch).unwrap_err().to_string();
    assert!(error.contains("program `no-such-server` in the PATH"), "{error}");
}

#[test]
fn a_sandboxed_service_reads_only_its_root_and_installation() {
    if available().means != Means::Namespaces {
        return toolpost_test_rows::skip("namespaces are not available here");
    }
    let base =
        tempfile::tempdir_in(std::env::var_os("HOME").map_or_else(|| "/var/tmp".into(), PathBuf::from))
            .unwrap();
    let at = |name: &str| base.path().join(name);
    for folder in ["ws", "venv/bin", "other"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    for file in ["ws/file", "venv/pyvenv.cfg", "other/file"] {
        std::fs::write(at(file), file).unwrap();
    }
    let script = format!(
        "#!/bin/sh\nfor file in ws/file venv/pyvenv.cfg other/file; do cat {0}/$file 2>/dev/null && echo; done\n\
         echo x 2>/dev/null > {0}/ws/new || echo kept\n",
        base.path().display()
    );
    let program = at("venv/bin/server");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let plan = Plan { access: toolpost_process::Access::Read, ..Plan::new([at("ws")]) };
    let launch = Launch {
        sandbox: Sandbox::On(plan),
        ..Launch::new(Program::direct(&program, ["--stdio"]), at("ws"))
    };
    let (served, mut wires) = Service::start(&launch).unwrap();
    let mut output = String::new();
    wires.output.read_to_string(&mut output).unwrap();
    assert_eq!(output, "ws/file\nvenv/pyvenv.cfg\nkept\n");
    assert_eq!(wait(&served), Exit::Code(0));
    assert_eq!(served.enforcement().means, Means::Namespaces);
}
