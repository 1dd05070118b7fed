//! The symbol index alone, in a process that answers one query per line.

use anyhow::{Context, Result, ensure};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

/// The process with its pipes.
pub(super) struct Asked {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Asked {
    /// Starts the process, and waits until its index is complete.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("it has no input")?;
        let output = BufReader::new(child.stdout.take().context("it has no output")?);
        let mut asked = Self { child, input, output };
        asked.ask("build")?;
        Ok(asked)
    }

    /// Sends a query; returns the duration by the process's own clock, and the number of results.
    pub(super) fn ask(&mut self, question: &str) -> Result<(Duration, usize)> {
        writeln!(self.input, "{question}")?;
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "it ended before it answered {question}");
        let (took, found) = line.trim().split_once(' ').context("it answered in other words")?;
        Ok((Duration::from_nanos(took.parse()?), found.parse()?))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
