//! Test workspaces, and the built program to run in them.

use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Output, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};
use tempfile::TempDir;

/// Maximum wait for a reply of the program.
const PATIENCE: Duration = Duration::from_secs(60);

/// A test workspace: an empty root, with an empty home directory next to it.
pub struct World {
    base: TempDir,
}

impl World {
    pub fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        for folder in ["ws", "home", "out"] {
            std::fs::create_dir(base.path().join(folder)).unwrap();
        }
        Self { base }
    }

    /// Creates a workspace with these files in its root.
    pub fn with(files: &[(&str, &[u8])]) -> Self {
        let world = Self::new();
        files.iter().for_each(|(path, bytes)| world.write(path, bytes));
        world
    }

    pub fn base(&self) -> PathBuf {
        std::fs::canonicalize(self.base.path()).unwrap()
    }

    pub fn root(&self) -> PathBuf {
        self.base().join("ws")
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    pub fn write(&self, relative: &str, bytes: &[u8]) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, relative: &str) -> Vec<u8> {
        std::fs::read(self.path(relative)).unwrap()
    }

    /// Returns every file below the root with its content.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.root(), &self.root(), &mut found);
        found
    }

    /// Returns the command that runs the program in this root, with only `PATH` from the environment.
    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolpost"));
        command.args(arguments).current_dir(self.root()).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("HOME", self.base().join("home")).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> RunResult {
        RunResult::of(&self.program(arguments).output().unwrap())
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> RunResult {
        let mut command = self.program(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        RunResult::of(&child.wait_with_output().unwrap())
    }

    /// Makes the calls in one session, and returns a reply for each.
    pub fn script(&self, calls: &[Value]) -> Vec<Value> {
        self.script_with(&[], calls)
    }

    pub fn script_with(&self, arguments: &[&str], calls: &[Value]) -> Vec<Value> {
        let lines: Vec<String> = calls.iter().map(Value::to_string).collect();
        let ended = self.run_with_input(&[arguments, &["call", "--script", "-"]].concat(), &lines.join("\n"));
        let replies: Vec<Value> = ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(replies.len(), calls.len(), "a reply for each call; standard error: {}", ended.err);
        replies
    }

    /// Starts a server, and opens a session with the handshake of the older protocol.
    pub fn serve(&self, arguments: &[&str]) -> Server {
        Server::start(self.program(&[&["serve"], arguments].concat()), &json!({}))
    }

    /// Like `serve`, for a client that can prompt its user.
    pub fn serve_asking(&self, arguments: &[&str]) -> Server {
        Server::start(
            self.program(&[&["serve"], arguments].concat()),
            &json!({ "elicitation": { "form": {} } }),
        )
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, found);
        } else if path.is_file() {
            found.insert(
                path.strip_prefix(root).unwrap().display().to_string(),
                std::fs::read(&path).unwrap(),
            );
        }
    }
}

/// Exit status and output of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct RunResult {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl RunResult {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Returns a call as a line of a script.
#[expect(clippy::needless_pass_by_value, reason = "callers pass JSON literals")]
pub fn call(tool: &str, arguments: Value) -> Value {
    json!({ "tool": tool, "arguments": arguments })
}

/// Returns whether a reply of a script is a success.
pub fn is_ok(reply: &Value) -> bool {
    reply["ok"].as_bool().unwrap()
}

/// Returns the text of a reply of a script.
pub fn words(reply: &Value) -> String {
    let parts = reply["content"].as_array().unwrap().iter();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A server process with an open session.
pub struct Server {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
    last: u64,
}

impl Server {
    pub fn start(mut command: Command, capabilities: &Value) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                let message =
                    serde_json::from_str(&line.unwrap()).expect("nothing but JSON is on standard output");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take().unwrap();
        let mut server = Self { child, input, lines, last: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let id = server.ask(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client }),
        );
        assert_eq!(server.next()["id"], id);
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    /// Answers a request of the server.
    pub fn answer(&mut self, request: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Sends a request and returns its id without waiting.
    #[expect(clippy::needless_pass_by_value, reason = "callers pass JSON literals")]
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a call and returns its id without waiting.
    pub fn ask_call(&mut self, call: &Value) -> u64 {
        self.ask("tools/call", json!({ "name": call["tool"], "arguments": call["arguments"] }))
    }

    /// Returns the next message of the server.
    pub fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// Makes a call and waits for its result.
    pub fn call(&mut self, call: &Value) -> Value {
        let id = self.ask_call(call);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
