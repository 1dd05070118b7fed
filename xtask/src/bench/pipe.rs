//! Minimal MCP client over pipes, so that only the server is measured.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// A running server with its pipes.
pub(super) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    /// Time from the start to the response to `initialize`.
    pub(super) started: Duration,
}

impl Server {
    /// Starts a server, and waits for its response to `initialize`.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let begin = Instant::now();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("a server does not start")?;
        let input = child.stdin.take().context("the server has no input")?;
        let output = BufReader::new(child.stdout.take().context("the server has no output")?);
        let mut server = Self { child, input, output, last: 0, started: Duration::ZERO };
        let client = json!({"name": "toolpost-bench", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.ask("initialize", &params)?;
        server.started = begin.elapsed();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Calls a tool; returns the text of the reply, and the duration.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Duration)> {
        let begin = Instant::now();
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let took = begin.elapsed();
        let parts = answer["content"].as_array().into_iter().flatten();
        let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
        if answer["isError"] == true {
            bail!("{tool} failed: {text}");
        }
        Ok((text, took))
    }

    /// Returns the resident memory, in kilobytes.
    pub(super) fn resident(&mut self) -> Result<u64> {
        self.ask("tools/list", &json!({}))?;
        std::thread::sleep(Duration::from_secs(1));
        let status = crate::disk::read(std::path::Path::new(&format!("/proc/{}/status", self.child.id())))?;
        let line =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS in /proc")?;
        line.trim().trim_end_matches("kB").trim().parse().context("VmRSS is not a number")
    }

    /// Returns the processor time used so far, in ticks.
    pub(super) fn ticks(&self) -> Result<f64> {
        let path = format!("/proc/{}/stat", self.child.id());
        super::ranked::ticks(&crate::disk::read(std::path::Path::new(&path))?, 13)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended before it answered {method}");
            }
            let message: Value =
                serde_json::from_str(&line).context("the server sent a line that is not JSON")?;
            if message.get("method").is_some() {
                self.refuse(&message)?;
            } else if message["id"] == id {
                let error = message.get("error").map(Value::to_string);
                return error
                    .map_or_else(|| Ok(message["result"].clone()), |error| bail!("{method}: {error}"));
            }
        }
    }

    /// Refuses a request of the server; a notification needs no response.
    fn refuse(&mut self, message: &Value) -> Result<()> {
        let Some(id) = message.get("id") else { return Ok(()) };
        let error = json!({"code": -32601, "message": "this client only calls tools"});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        self.input.flush().context("the server does not read")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
