//! Toolpost's dialects compared with other MCP file servers: the same work on the same tree, over pipes.

mod asks;

use super::{
    Bench, corpus,
    measure::{Competitor, Row, take_turns},
    pipe::Server,
    report::SERVER,
};
use crate::{disk, output, programs};
use anyhow::{Result, ensure};
use serde_json::Value;
use std::{path::Path, process::Command, time::Instant};

/// A kind of work that the servers do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Read,
    List,
    Sizes,
    Tree,
    Glob,
    Search,
    Edit,
    Command,
}

/// Each kind of work, with its name in the table and a text that every correct reply contains.
const WORKS: [(Work, &str, &str); 8] = [
    (Work::Read, "read a file of 80 KB, whole", "const LIMIT: usize"),
    (Work::List, "list a directory of 50 files", "_49."),
    (Work::Sizes, "list a directory of 50 files with their sizes", "_49."),
    (Work::Tree, "tree of 1000 files", "_777."),
    (Work::Glob, "glob **/*.rs in 1000 files", ".rs"),
    (Work::Search, "search a regex in 1000 files", "_timeout("),
    (Work::Edit, "edit a line of a file of 80 KB", ""),
    (Work::Command, "run `echo hi`", "hi"),
];

/// Directory that holds, for each server, a copy of the large file to edit.
const OWN: &str = "own";
/// The two lines between which an edit toggles.
const LINES: [&str; 2] = ["const LIMIT: usize = 1;", "const LIMIT: usize = 2;"];

/// Label in the table for Toolpost's server running commands without a sandbox.
const UNCONFINED: &str = "toolpost serve --sandbox off";
/// The command `echo hi` without a server: bare, and in bubblewrap if it is installed.
const ALONE: [(&str, &[&str]); 2] = [
    ("plain process", &["bash", "-c", "echo hi"]),
    (
        "bwrap",
        &[
            "bwrap",
            "--unshare-all",
            "--die-with-parent",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "sh",
            "-c",
            "echo hi",
        ],
    ),
];

/// Creates the measurement of a command that runs without a server.
fn alone((name, words): (&'static str, &'static [&'static str])) -> Competitor<'static> {
    let run = move || {
        let start = Instant::now();
        let said = programs::output(programs::program(words[0]).args(&words[1..]))?;
        let took = start.elapsed();
        ensure!(said.trim() == "hi", "{name}: it printed {said:?}");
        Ok(took)
    };
    (name, Box::new(run))
}

/// Parameters of a call.
struct Job<'a> {
    work: Work,
    root: &'a Path,
    /// The file to read or edit.
    file: &'a Path,
    old: &'static str,
    new: &'static str,
}

/// A tool and its arguments.
type ToolCall = (&'static str, Value);
/// A function that returns the tool call for a job; `None` if the server has no tool for the job.
type ToolCallFunction = fn(&Job<'_>) -> Option<ToolCall>;

/// Toolpost's dialects, each with the function that returns its tool calls.
const OURS: [(&str, ToolCallFunction); 5] = [
    ("claude", asks::claude),
    ("trae", asks::trae),
    ("zblade", asks::zblade),
    ("opencode", asks::opencode),
    ("probe", asks::probe),
];

/// Measures each kind of work: each dialect that can do it, together with every other server that can.
pub(super) fn rows(bench: &Bench) -> Result<Vec<Row>> {
    let root = corpus::tree(&bench.folder, 1_000)?;
    let mut rows = Vec::new();
    for (work, what, holds) in WORKS {
        for (dialect, asks) in OURS {
            let row = (work, holds);
            let Some(ours) = contestant(SERVER, bench.dialect(&root, dialect), asks, row, &root)? else {
                continue;
            };
            let mut contestants = vec![ours];
            for (name, command, asks) in bench.others(&root) {
                contestants.extend(contestant(name, command, asks, row, &root)?);
            }
            if work == Work::Command {
                let mut bare = bench.dialect(&root, dialect);
                bare.args(["--sandbox", "off"]);
                contestants.extend(contestant(UNCONFINED, bare, asks, row, &root)?);
                contestants
                    .extend(ALONE.into_iter().filter(|(_, words)| programs::is_there(words[0])).map(alone));
            }
            let what = format!("{what} ({dialect})");
            output::complain(&format!("measures: {what}"));
            rows.push(take_turns(&what, bench.rounds, contestants)?);
        }
    }
    disk::remove_folder(&root.join(OWN))?;
    Ok(rows)
}

/// Starts a server and prepares the measurement; `None` if the server has no tool for the work.
fn contestant<'a>(
    name: &'static str,
    mut command: Command,
    asks: ToolCallFunction,
    (work, holds): (Work, &'static str),
    root: &Path,
) -> Result<Option<Competitor<'a>>> {
    // Each server edits its own copy, so that none reads the writes of another.
    let own = root.join(OWN).join(format!("{}.rs", name.replace(' ', "_")));
    let large = root.join(corpus::LARGE_FILE);
    let file = if work == Work::Edit { &own } else { &large };
    let job = |old: usize| Job { work, root, file, old: LINES[old], new: LINES[1 - old] };
    let (Some(there), Some(back)) = (asks(&job(0)), asks(&job(1))) else { return Ok(None) };
    let mut server = Server::start(&mut command)?;
    if work == Work::Edit {
        disk::write(&own, disk::read(&large)?.as_bytes())?;
        // Some servers require that a file was read before it is edited.
        if let Some((tool, arguments)) = asks(&Job { work: Work::Read, ..job(0) }) {
            server.call(tool, &arguments)?;
        }
    }
    let whole = disk::read(&large)?.len();
    let (calls, mut turn) = ([there, back], 0);
    let go = move || {
        let (tool, arguments) = &calls[turn % 2];
        turn += 1;
        let (mut text, mut took) = server.call(tool, arguments)?;
        let mut last = *tool;
        while let Some((next, arguments)) = asks::on(last, &text) {
            let (more, longer) = server.call(next, &arguments)?;
            (text, took, last) = (more, took + longer, next);
        }
        ensure!(text.contains(holds), "{name}: {tool} did not find `{holds}`: {text:.400}");
        ensure!(work != Work::Read || text.len() >= whole, "{name}: {tool} did not show all of the file");
        if work == Work::Edit {
            let now = disk::read(&own)?;
            ensure!(now.contains(LINES[turn % 2]), "{name}: {tool} did not change the file: {text:.400}");
        }
        Ok(took)
    };
    Ok(Some((name, Box::new(go))))
}

impl Bench {
    /// Creates the command that starts Toolpost's server with a dialect, and with a reply limit above the size of
    /// the large file.
    fn dialect(&self, root: &Path, dialect: &str) -> Command {
        let mut command = self.serve(root);
        command.args(["--dialect", dialect]).env("TOOLPOST_REPLY_BYTES", "262144");
        command
    }

    /// Creates the commands of the other installed servers.
    fn others(&self, root: &Path) -> Vec<(&'static str, Command, ToolCallFunction)> {
        let mut others: Vec<(&'static str, Command, ToolCallFunction)> = Vec::new();
        if let Some(command) = self.node(root) {
            others.push(("npm server-filesystem", command, asks::node_server));
        }
        if let Some(commander) = &self.rivals.commander {
            let mut command = programs::program("node");
            // Desktop Commander keeps its settings and its log in the home directory.
            command.arg(commander).current_dir(root).env("HOME", self.folder.join("home"));
            others.push(("Desktop Commander", command, asks::commander));
        }
        if let Some(server) = &self.rivals.rust_server {
            let mut command = programs::program(server);
            command.arg("--allow-write").arg(root).current_dir(root);
            others.push(("rust-mcp-filesystem", command, asks::rust_server));
        }
        others
    }
}
