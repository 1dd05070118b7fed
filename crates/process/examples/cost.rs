//! Measures the overhead of the sandbox: runs `true` in turn without a sandbox, in the sandbox, and in
//! `bwrap`.
//!
//! Usage: `cost [ROUNDS]`.
#![expect(clippy::print_stdout, reason = "an example prints its results")]
#![expect(clippy::disallowed_methods, reason = "it creates the working directory of the commands")]

use std::path::Path;
use std::time::{Duration, Instant};

use toolpost_process::{
    Jobs, Launch, Plan, Program, Sandbox, SessionKey, Settings, StartError, WaitCondition, available,
    inner_step,
};

/// The protected names in a typical workspace.
const PROTECTED: [&str; 12] = [
    ".vscode",
    ".idea",
    ".cursor",
    ".claude",
    ".codex",
    ".gemini",
    ".mcp.json",
    ".envrc",
    ".gitmodules",
    ".toolpost",
    ".husky",
    ".devcontainer",
];

/// The number of rounds that do not count: a launcher starts the third confined command.
const WARM_UP: usize = 3;

/// The arguments of `bwrap` for about the same view: the system read-only, a workspace, everything else
/// private.
const BWRAP: &str = "--unshare-all --die-with-parent --new-session --ro-bind /usr /usr --ro-bind /etc /etc \
                     --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev \
                     --tmpfs /tmp --tmpfs /run";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    inner_step();
    let rounds: usize = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(200);
    let directory = tempfile::tempdir_in("/var/tmp")?;
    let root = directory.path();
    std::fs::create_dir_all(root.join(".git/hooks"))?;
    std::fs::write(root.join(".git/config"), "")?;
    let mut plan = Plan::new([root]);
    plan.protected = PROTECTED.map(Into::into).into();
    let mut names = vec!["plain", "confined"];
    let none: [&str; 0] = [];
    let plain = Launch::new(Program::direct("/bin/true", none), root);
    let mut confined = plain.clone();
    confined.sandbox = Sandbox::On(plan);
    let mut launches = vec![plain, confined];
    if Path::new("/usr/bin/bwrap").exists() {
        names.push("bwrap");
        let path = root.display().to_string();
        let bind = format!("{BWRAP} --bind {path} {path} --chdir {path} /bin/true");
        launches.push(Launch::new(Program::direct("/usr/bin/bwrap", bind.split_whitespace()), root));
    } else {
        println!("skipped bwrap: it is not installed");
    }
    println!("confined by {}", available().means.name());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let jobs = Jobs::new(Settings::default())?;
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); launches.len()];
    for round in 0..=WARM_UP + rounds {
        for turn in 0..launches.len() {
            let who = (turn + round) % launches.len();
            let time = once(&jobs, &runtime, &launches[who])?;
            if round > WARM_UP {
                times[who].push(time);
            }
        }
    }
    let plain = times[0].clone();
    for (name, times) in names.iter().zip(&times) {
        let more: Vec<f64> = times.iter().zip(&plain).map(|(time, plain)| time - plain).collect();
        let ratio: Vec<f64> = times.iter().zip(&plain).map(|(time, plain)| time / plain).collect();
        let [time, more, ratio] = [times.clone(), more, ratio].map(median);
        println!("{name:9} {time:7.2} ms   {more:7.2} ms more   {ratio:6.2} times");
    }
    Ok(())
}

/// Runs a launch until none of its processes is left; returns the time in milliseconds.
fn once(jobs: &Jobs, runtime: &tokio::runtime::Runtime, launch: &Launch) -> Result<f64, StartError> {
    let start = Instant::now();
    let job = jobs.start(&SessionKey("cost".to_owned()), launch)?;
    runtime.block_on(job.wait(WaitCondition::Gone, Duration::from_secs(60)));
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
