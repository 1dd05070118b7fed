//! The `toolpost` program.

mod agent;
mod agent_runs;
mod args;
mod ask;
mod call;
mod diff;
mod doctor;
mod grep;
mod history;
mod index;
mod log;
mod manual;
mod out;
mod policy;
mod search;
mod serve;
mod shared_index;
mod signals;
mod skills;
mod symbols;
mod terminal;
mod time;
mod tool_page;
mod tools;
mod undo;
mod user_session;
mod value;
mod view;
mod workspace;

use args::{Args, Command};
use std::process::ExitCode;

/// Exit status of a command that was not understood.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    toolpost_engine::inner_step();
    let args = match Args::read() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    log::start();
    if let Err(error) = toolpost_workspace::ignore_file_size_signal() {
        tracing::warn!(%error, "a file size limit will end the process instead of failing the call");
    }
    let done = match args.command {
        Command::Serve(serve) => serve::run(&args.common, serve),
        Command::Call(call) => call::run(&args.common, call),
        Command::Agent(agent) => agent::run(&args.common, agent),
        Command::Tools(tools) => tools::run(&args.common, tools),
        Command::Grep(grep) => grep::run(&args.common, grep),
        Command::Search(search) => search::run(&args.common, search),
        Command::Symbols(symbols) => symbols::run(&args.common, symbols),
        Command::Index(index) => index::run(&args.common, index),
        Command::History(history) => history::run(&args.common, history),
        Command::Diff(diff) => diff::run(&args.common, diff),
        Command::Undo(undo) => undo::run(&args.common, undo),
        Command::Policy(policy) => policy::run(&args.common, policy),
        Command::Skills(skills) => skills::run(&args.common, skills),
        Command::Doctor(doctor) => doctor::run(&args.common, doctor),
        Command::Help(help) => manual::help(&args.common, &help),
        Command::Completions(completions) => manual::completions(&completions),
        Command::Man(man) => manual::man(&man),
    };
    done.unwrap_or_else(|error| {
        eprintln!("toolpost: {error:#}");
        ExitCode::from(USAGE)
    })
}
