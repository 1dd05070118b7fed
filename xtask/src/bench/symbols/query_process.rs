//! A process with only the symbol index, which answers one query per line.

use anyhow::{Context, Result, ensure};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

/// The process with its pipes.
pub(super) struct QueryProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl QueryProcess {
    /// Starts the process, and waits until its index is complete.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("the process has no input")?;
        let output = BufReader::new(child.stdout.take().context("the process has no output")?);
        let mut asked = Self { child, input, output };
        asked.ask("build")?;
        Ok(asked)
    }

    /// Sends a query to the process; returns the duration that the process measured, and the number of
    /// results.
    pub(super) fn ask(&mut self, question: &str) -> Result<(Duration, usize)> {
        writeln!(self.input, "{question}")?;
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the process ended before it answered {question}");
        let (took, found) =
            line.trim().split_once(' ').context("the process did not answer with a duration and a number")?;
        Ok((Duration::from_nanos(took.parse()?), found.parse()?))
    }
}

impl Drop for QueryProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
