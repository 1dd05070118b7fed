//! A host whose commands a launcher starts, for the tests and the example about launchers.

use std::fs;
use std::path::PathBuf;

use super::{World, own, text, until};
use toolpost_process::{Environment, Job, Launch, Plan, Program, Sandbox, SessionKey};

/// A job table, and the directories of the host that its commands see in part.
pub struct Host {
    pub world: World,
    base: tempfile::TempDir,
    pub session: SessionKey,
}

impl Host {
    pub fn new() -> Self {
        let base = tempfile::Builder::new().prefix("prepared").tempdir_in("/var/tmp").unwrap();
        for folder in
            ["work/.git/hooks", "work/.idea", "work/state", "work/sub", "home/.cargo/bin", "outside"]
        {
            fs::create_dir_all(base.path().join(folder)).unwrap();
        }
        for file in ["work/.git/config", "work/state/secret", "outside/file"] {
            fs::write(base.path().join(file), "old\n").unwrap();
        }
        Self { world: World::new(), base, session: SessionKey("a session".to_owned()) }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.base.path().join(path)
    }

    pub fn launch(&self, line: &str) -> Launch {
        let mut plan = Plan::new([self.at("work")]);
        plan.protected = [".mcp.json", ".vscode", ".idea"].map(Into::into).into();
        plan.readable = vec![self.at("outside")];
        plan.hidden = vec![self.at("work/state")];
        let mut launch = Launch::new(Program::line(own(line)), self.at("work"));
        launch.environment = Environment::of_this_process().with("HOME", self.at("home"));
        launch.sandbox = Sandbox::On(plan);
        launch
    }

    pub fn start(&self, launch: &Launch) -> Job {
        self.world.jobs.start(&self.session, launch).unwrap()
    }

    /// Runs a shell command until none of its processes is left, and returns its output.
    pub fn run(&self, line: &str) -> String {
        let job = self.start(&self.launch(line));
        self.world.assert_gone(&job);
        text(&job)
    }

    /// Starts commands until a launcher starts them.
    pub fn warm_up(&self) {
        let is_warm = (0..5).any(|_| {
            let job = self.start(&self.launch("sleep 46104"));
            let is_launched = launcher_of(&job).is_some();
            self.world.block_on(job.stop(toolpost_process::StopReason::Stopped));
            is_launched
        });
        assert!(is_warm, "no launcher starts the commands");
    }
}

/// Returns the PID of the launcher that has started a running command.
pub fn launcher_of(job: &Job) -> Option<u32> {
    until("the command has a PID", || job.pid().is_some());
    let supervisor = parent(job.pid()?)?;
    let launcher = parent(supervisor)?;
    let words = fs::read(format!("/proc/{launcher}/cmdline")).ok()?;
    String::from_utf8_lossy(&words).contains("toolpost-launcher").then_some(launcher)
}

pub fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

pub fn example() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples/confined")
}

/// Starts four commands, and returns whether a launcher started each.
pub fn launched_by(host: &Host, launch: &Launch) -> Vec<bool> {
    let start = |_| {
        let job = host.start(launch);
        let is_launched = launcher_of(&job).is_some();
        host.world.block_on(job.stop(toolpost_process::StopReason::Stopped));
        host.world.assert_gone(&job);
        is_launched
    };
    (0..4).map(start).collect()
}
