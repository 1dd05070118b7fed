//! Runs a shell command in a sandbox with one writable directory, and prints the enforced restrictions:
//! `confined DIRECTORY LINE`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use std::time::Duration;

use toolpost_process::{
    Jobs, Launch, OutputRange, OutputSide, Plan, Program, Sandbox, SessionKey, Settings, WaitCondition,
    available, inner_step,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    inner_step();
    tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(run())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(directory), Some(line)) = (words.next(), words.next()) else {
        return Err("usage: confined DIRECTORY LINE".into());
    };
    eprintln!("{:?}", available());
    let jobs = Jobs::new(Settings::default())?;
    let mut launch = Launch::new(Program::line(line), &directory);
    let mut plan = Plan::new([directory]);
    plan.protected = [".vscode", ".mcp.json", ".envrc", ".gitmodules"].map(Into::into).into();
    launch.sandbox = Sandbox::On(plan);
    let job = jobs.start(&SessionKey("example".to_owned()), &launch)?;
    job.wait(WaitCondition::Ended, Duration::from_secs(60)).await;
    let shown = job.show(OutputRange { from: OutputSide::Top, skip: 0, count: u64::MAX })?;
    for piece in shown.pieces {
        print!("{}", piece.text);
    }
    eprintln!("{:?}\n{}", job.report(), job.enforcement());
    jobs.shut_down().await;
    Ok(())
}
