//! The command `kill JOB`: stops commands of the session without running the program `kill`, which could not reach
//! the processes of other commands from its sandbox.

use super::{CommandExit, CommandOutcome, CommandReport, Commands, State, report, sandbox_text::SANDBOX};
use crate::{
    access::command::{Command, Line},
    call::CallCtx,
    failure::{Failure, Kind},
};
use std::time::Instant;
use toolpost_process::{Job, StopReason};

/// A target of a `kill` command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A job, by its id.
    Job(String),
    /// A process, by its PID on the host, as replies show it.
    Process(u32),
}

/// Signals that ask a process to end, or end it. A command with another signal, such as 0, runs the program `kill`.
const ENDING: [&str; 10] = ["1", "2", "3", "9", "15", "HUP", "INT", "QUIT", "KILL", "TERM"];

/// Returns the targets of a command that consists only of `kill`, at most one signal that ends processes, and
/// targets; `None` for other commands.
pub(super) fn targets(command: &Command) -> Option<Vec<Target>> {
    let all: Vec<&str> = match &command.line {
        Line::Shell(text) => text.split_whitespace().collect(),
        Line::Words(words) => words.iter().map(String::as_str).collect(),
    };
    let [program, rest @ ..] = all.as_slice() else { return None };
    let ends = |name: &str| ENDING.contains(&name.strip_prefix("SIG").unwrap_or(name));
    let rest = match rest {
        ["-s", name, rest @ ..] if ends(name) => rest,
        [signal, rest @ ..] if signal.strip_prefix('-').is_some_and(ends) => rest,
        rest => rest,
    };
    let targets: Option<Vec<Target>> = rest.iter().map(|word| target(word)).collect();
    targets.filter(|targets| *program == "kill" && !targets.is_empty())
}

/// Checks whether a command only stops jobs that it names by their ids. Such a command runs no program.
pub(super) fn names_only_jobs(command: &Command) -> bool {
    let is_job = |target: &Target| matches!(target, Target::Job(_));
    targets(command).is_some_and(|targets| targets.iter().all(is_job))
}

fn target(word: &str) -> Option<Target> {
    if let Some(name) = word.strip_prefix("job-") {
        let is_id = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric());
        return is_id.then(|| Target::Job(word.to_owned()));
    }
    word.parse().ok().map(Target::Process)
}

/// Explains that `kill` inside a longer command stops no job; `None` if the command does not pass the id of a job of the
/// session to `kill`.
pub(super) fn misplaced(commands: &Commands, cx: &CallCtx, command: &Command) -> Option<String> {
    let id = inner_job(command)?;
    commands.find(cx, Some(&id)).ok()?;
    Some(format!(
        "In a longer command, `kill` does not stop a job of this session: run `kill {id}` alone, as the whole command."
    ))
}

/// Finds the first job that a longer command passes to `kill`; `None` if there is none, or if the command is only
/// such a `kill`.
fn inner_job(command: &Command) -> Option<String> {
    let Line::Shell(text) = &command.line else { return None };
    if targets(command).is_some() {
        return None;
    }
    let mut is_kill = false;
    for word in text.split(|letter: char| letter.is_whitespace() || ";&|(){}'\"`".contains(letter)) {
        if is_kill && let Some(Target::Job(id)) = target(word) {
            return Some(id);
        }
        is_kill = word == "kill" || (is_kill && (word.starts_with('-') || ENDING.contains(&word)));
    }
    None
}

/// Stops the jobs that a `kill` command names; `None` if the command is not such a `kill` command, or names a process
/// that belongs to no job of the session. Fails if a job id is unknown, or if a job cannot be stopped.
pub(super) async fn run(
    commands: &Commands,
    cx: &CallCtx,
    command: &Command,
    mut notes: Vec<String>,
) -> Result<Option<CommandReport>, Failure> {
    let Some(targets) = targets(command) else { return Ok(None) };
    let began = Instant::now();
    let mut jobs: Vec<Job> = Vec::new();
    for target in &targets {
        let job = match target {
            Target::Job(id) => commands.find(cx, Some(id))?,
            Target::Process(pid) => match commands.job_of_process(cx, *pid) {
                Some(job) => job,
                None => return Ok(None),
            },
        };
        if !jobs.iter().any(|known| known.id() == job.id()) {
            jobs.push(job);
        }
    }
    let Some(last) = jobs.last().cloned() else { return Ok(None) };
    for job in &jobs {
        let named = format!("`{}` ({})", job.program().words(), job.id());
        if CommandReport::is_over(&job.report()) {
            notes.push(format!("{named} had already finished; there was nothing to stop."));
            continue;
        }
        let after = job.stop(StopReason::Stopped).await;
        commands.close_ports(job).await;
        if !CommandReport::is_over(&after) {
            let what =
                format!("{named} could not be stopped: the operating system did not end its processes.");
            return Err(Failure::new(Kind::Io, what));
        }
        notes.push(format!("Stopped {named}, with everything that it had started."));
    }
    let ending = CommandExit {
        code: Some(0),
        signal: None,
        why: None,
        means: String::new(),
        standing: CommandOutcome::Done,
    };
    Ok(Some(CommandReport {
        job: last.id().to_owned(),
        command: command.shown(),
        directory: command.directory.raw().display().to_string(),
        state: State::Ended,
        ending: Some(ending),
        elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        bytes: 0,
        characters: 0,
        text_bytes: 0,
        lines: 0,
        output: Vec::new(),
        lost: None,
        leftovers: Vec::new(),
        confined: report::confined(last.enforcement()),
        notes,
    }))
}

/// Explains why a command did not find a process.
pub(super) fn unseen() -> String {
    format!(
        "{SANDBOX} shows commands only processes that they started. To stop another command of this session, run `kill` with \
         its job id (`job-…`) and nothing else in the command; leave other processes to the user."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::command::Approval;
    use toolpost_test_rows::each;
    use toolpost_workspace::{Options, Workspace};

    #[test]
    fn kill_targets_are_parsed_from_plain_commands_only() {
        let directory = tempfile::tempdir().unwrap();
        let roots = vec![directory.path().to_path_buf()];
        let (workspace, _) = Workspace::open(Options { roots, ..Options::default() }).unwrap();
        let directory = workspace.resolve(".").unwrap();
        let (job, process) = (|id: &str| Target::Job(id.to_owned()), Target::Process);
        let rows = [
            ("kill job-8vq2m4x7ra", Some(vec![job("job-8vq2m4x7ra")])),
            ("kill -9 job-a 12", Some(vec![job("job-a"), process(12)])),
            ("kill -s TERM 12", Some(vec![process(12)])),
            ("kill -SIGKILL job-a", Some(vec![job("job-a")])),
            ("kill -0 12", None),
            ("kill -CONT job-a", None),
            ("kill -s STOP 12", None),
            ("kill", None),
            ("kill -9", None),
            ("kill job-", None),
            ("kill %1", None),
            ("kill -- -12", None),
            ("kill job-a; rm x", None),
            ("kill job-a$(rm x)", None),
            ("kill job-a > x", None),
            ("pkill job-a", None),
        ];
        each(rows, |(text, wanted)| {
            let command = |line| Command { line, directory: directory.clone(), approval: Approval::ByRules };
            let words = text.split(' ').map(str::to_owned).collect();
            assert_eq!(targets(&command(Line::Shell(text.to_owned()))), wanted, "{text}");
            assert_eq!(targets(&command(Line::Words(words))), wanted, "{text}");
        });
        let rows = [
            ("kill job-a; echo x", Some("job-a")),
            ("cd x && kill -9 job-a", Some("job-a")),
            ("(kill -s TERM job-a)", Some("job-a")),
            ("bash -c 'kill job-a'", Some("job-a")),
            ("kill job-a", None),
            ("echo job-a", None),
            ("pkill job-a; ls", None),
        ];
        each(rows, |(text, wanted)| {
            let line = Line::Shell(text.to_owned());
            let command = Command { line, directory: directory.clone(), approval: Approval::ByRules };
            assert_eq!(inner_job(&command).as_deref(), wanted, "{text}");
        });
    }
}
