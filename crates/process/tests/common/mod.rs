//! A job table for a test, and functions that inspect the machine.
#![allow(dead_code, unreachable_pub, reason = "each test file uses only some of these functions")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

pub mod host;
pub mod launchers;

use std::fs;
use std::future::Future;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use toolpost_test_rows::public::PublicCopies;

use toolpost_process::{
    Job, Jobs, Launch, OutputRange, OutputSide, Program, SessionKey, Settings, WaitCondition,
};

/// A time limit that no passing test reaches, on any machine.
pub const LONG: Duration = Duration::from_secs(120);

/// A job table with its own directory.
pub struct World {
    pub jobs: Jobs,
    pub session: SessionKey,
    pub directory: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

impl World {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut settings = Settings { spool: directory.path().to_owned(), ..Settings::default() };
        change(&mut settings);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let session = SessionKey("a session".to_owned());
        Self { jobs: Jobs::new(settings).unwrap(), session, directory, runtime }
    }

    pub fn launch(&self, line: &str) -> Launch {
        Launch::new(Program::line(own(line)), self.directory.path())
    }

    pub fn start(&self, launch: &Launch) -> Job {
        self.jobs.start(&self.session, launch).unwrap()
    }

    /// Starts a command line and waits for its end.
    pub fn run(&self, line: &str) -> Job {
        let job = self.start(&self.launch(line));
        self.wait(&job, WaitCondition::Ended);
        job
    }

    pub fn wait(&self, job: &Job, until: WaitCondition) {
        let woke = self.block_on(job.wait(until, LONG));
        assert_eq!(woke, toolpost_process::WaitResult::Come, "{:?} {:?}", job.program(), job.report());
    }

    /// Waits until the output contains a text.
    pub fn wait_for(&self, job: &Job, wanted: &str) {
        let start = Instant::now();
        while !text(job).contains(wanted) {
            assert!(start.elapsed() < LONG, "{wanted:?} did not appear: {:?}", text(job));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Creates an empty file that a program waits for.
    pub fn touch(&self, name: &str) {
        fs::write(self.directory.path().join(name), "").unwrap();
    }

    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Waits until all processes of a job have exited, and checks `/proc` independently.
    pub fn assert_gone(&self, job: &Job) {
        self.wait(job, WaitCondition::Gone);
        assert_eq!(with_cookie(job.run_id()), Vec::<String>::new(), "{:?}", job.program());
        assert_eq!(job.leftovers(), []);
    }
}

/// Returns all output of a job.
pub fn text(job: &Job) -> String {
    let all = OutputRange { from: OutputSide::Top, skip: 0, count: u64::MAX };
    job.show(all).unwrap().pieces.into_iter().map(|piece| piece.text).collect()
}

/// User and group id of the user without privileges.
pub const NOBODY: u32 = 65_534;

/// Creates a directory that every user may enter. It is not below `/tmp`, which a sandbox replaces, and, if this process
/// is root, not below `/var/tmp`, whose entries in a sandbox a test counts.
pub fn public_directory() -> tempfile::TempDir {
    let above = if rustix::process::geteuid().is_root() { "/opt" } else { "/var/tmp" };
    let directory = tempfile::Builder::new().prefix("public").tempdir_in(above).unwrap();
    fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
    directory
}

/// Runs a test of this binary again as a user without privileges, if this process is root.
pub fn as_nobody(test: &str) {
    if !rustix::process::geteuid().is_root() {
        toolpost_test_rows::covered(test);
        return;
    }
    run_as_nobody(&["--exact", test, "--nocapture"], "1 passed; 0 failed");
}

/// Runs this test binary again as a user without privileges, and checks its result.
pub fn run_as_nobody(arguments: &[&str], result: &str) {
    let directory = public_directory();
    let copies = PublicCopies::new(directory.path(), &["confined", "probe"]);
    let mut command = Command::new(copies.test_binary());
    command.args(arguments).env("HOME", "/nonexistent").current_dir("/");
    let output = command.uid(NOBODY).gid(NOBODY).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stdout.contains(result), "{stdout}\n{errors}");
}

/// Waits for a condition.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "did not happen: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Finds the running processes whose run id starts with `run`.
pub fn with_cookie(run: &str) -> Vec<String> {
    let wanted = format!("TOOLPOST_RUN_ID={run}");
    let has_it = |pid: &str| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(wanted.as_bytes()))
    };
    processes().into_iter().filter(|pid| has_it(pid)).map(|pid| pid_and_command(&pid)).collect()
}

/// Makes the sleep durations of a shell command unique to this process, so that `sleep 4…` is not confused
/// with that of another test run.
pub fn own(line: &str) -> String {
    line.replace("sleep 4", &format!("sleep 9{}4", std::process::id()))
}

/// Finds the processes whose command line starts with a text.
pub fn with_words(words: &str) -> Vec<String> {
    let words = own(words);
    let begins =
        |process: &String| process.split_once(' ').is_some_and(|(_, command)| command.starts_with(&words));
    processes().iter().map(|pid| pid_and_command(pid)).filter(begins).collect()
}

/// Finds the processes whose command line contains a text.
pub fn mentioning(words: &str) -> Vec<String> {
    let words = own(words);
    processes().iter().map(|pid| pid_and_command(pid)).filter(|process| process.contains(&words)).collect()
}

/// Counts the children of this process, including exited ones that were not reaped.
pub fn children() -> usize {
    let own = std::process::id().to_string();
    let is_child = |pid: &String| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(&own)
    };
    processes().iter().filter(|pid| is_child(pid)).count()
}

/// Counts the file descriptors of this process.
pub fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

fn processes() -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).collect()
}

fn pid_and_command(pid: &str) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    format!("{pid} {}", String::from_utf8_lossy(&words).replace('\0', " "))
}
