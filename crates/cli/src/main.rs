//! The `toolpost` program: parses the command line, and runs the command.

// `out::line` survives a closed pipe, and `println!` does not.
#![deny(clippy::print_stdout)]

/// Prints a line to standard error as the macro of the standard library does, but survives a closed pipe.
macro_rules! eprintln {
    ($($text:tt)*) => {
        crate::out::error_line(format_args!($($text)*))
    };
}

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
mod symbol_names;
mod symbol_rename;
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

/// Exit status of an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    toolpost::sandbox::init();
    let args = match Args::read() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    log::start();
    if let Err(error) = toolpost_workspace::ignore_file_size_signal() {
        tracing::warn!(
            %error,
            "cannot handle SIGXFSZ: a file that exceeds the size limit (`ulimit -f`) will kill Toolpost, instead of failing \
             the call"
        );
    }
    let done = match args.command {
        Command::Serve(serve) => serve::run(&args.shared.0, serve),
        Command::Call(call) => call::run(&args.shared.0, call),
        Command::Agent(agent) => agent::run(&args.shared.0, agent),
        Command::Tools(tools) => tools::run(&args.shared.0, tools),
        Command::Grep(grep) => grep::run(&args.shared.0, grep),
        Command::Search(search) => search::run(&args.shared.0, search),
        Command::Symbols(symbols) => symbols::run(&args.shared.0, symbols),
        Command::Index(index) => index::run(&args.shared.0, index),
        Command::History(history) => history::run(&args.shared.0, history),
        Command::Diff(diff) => diff::run(&args.shared.0, diff),
        Command::Undo(undo) => undo::run(&args.shared.0, undo),
        Command::Policy(policy) => policy::run(&args.shared.0, policy),
        Command::Skills(skills) => skills::run(&args.shared.0, skills),
        Command::Doctor(doctor) => doctor::run(&args.shared.0, doctor),
        Command::Help(help) => manual::help(&args.shared.0, &help),
        Command::Completions(completions) => manual::completions(&completions),
        Command::Man(man) => manual::man(&man),
    };
    done.unwrap_or_else(|error| {
        eprintln!("toolpost: {error:#}");
        ExitCode::from(USAGE)
    })
}
