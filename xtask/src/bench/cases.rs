//! Benchmark cases: start, read, edit, grep, glob, memory.

use super::{
    Bench, corpus,
    measure::{Competitor, Row, take_turns},
    pipe::Server,
    report::{PROCESS, SERVER},
};
use crate::{output, programs};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Name of the npm server in the tables.
const NODE: &str = "npm server-filesystem";

/// Measures servers: start, read, edit.
pub(super) fn server(bench: &Bench) -> Result<Vec<Row>> {
    let root = corpus::tree(&bench.folder, 1_000)?;
    Ok(vec![start(bench, &root)?, read(bench, &root)?, edit(bench, &root, "on")?, edit(bench, &root, "off")?])
}

/// Measures grep and glob over a tree.
pub(super) fn searches(bench: &Bench, files: usize) -> Result<Vec<Row>> {
    let root = corpus::tree(&bench.folder, files)?;
    let mut rows = Vec::new();
    let patterns =
        [("a literal", corpus::LITERAL), ("a regex", r"fn \w+_timeout\("), ("a rare word", corpus::RARE)];
    for (kind, pattern) in patterns {
        for (mode, flag) in [("content", "--line-number"), ("files_with_matches", "--files-with-matches")] {
            rows.push(grep(
                bench,
                &root,
                &format!("grep {kind}, {mode}, {files} files"),
                pattern,
                (mode, flag),
            )?);
        }
    }
    rows.push(glob(bench, &root, &format!("glob **/*.rs, {files} files"))?);
    Ok(rows)
}

/// Measures the memory of idle servers.
pub(super) fn memory(bench: &Bench) -> Result<Vec<(String, u64)>> {
    let root = corpus::tree(&bench.folder, 1_000)?;
    let mut rows = vec![(SERVER.to_owned(), Server::start(&mut bench.serve(&root))?.resident()?)];
    if let Some(mut node) = bench.node(&root) {
        rows.push((NODE.to_owned(), Server::start(&mut node)?.resident()?));
    }
    Ok(rows)
}

fn start(bench: &Bench, root: &Path) -> Result<Row> {
    let mut contestants: Vec<Competitor<'_>> =
        vec![(SERVER, Box::new(|| Ok(Server::start(&mut bench.serve(root))?.started)))];
    if bench.rivals.node_server.is_some() {
        let go = move || {
            let mut node = bench.node(root).context("the npm server is gone")?;
            Ok(Server::start(&mut node)?.started)
        };
        contestants.push((NODE, Box::new(go)));
    }
    turns(bench, "start, until `initialize` is answered", contestants)
}

fn read(bench: &Bench, root: &Path) -> Result<Row> {
    let file = root.join(corpus::LARGE_FILE);
    let (all, last) = (("TOOLPOST_REPLY_BYTES", "262144"), "const LIMIT: usize");
    let arguments = json!({"file_path": file, "limit": 5_000});
    let mut ours = Server::start(bench.serve(root).env(all.0, all.1))?;
    let (text, _) = ours.call("Read", &arguments)?;
    ensure!(text.contains(last), "the large file was not read to its end");
    let same = arguments.clone();
    let fresh = move || {
        let mut command = bench.call(root, "Read", &same);
        command.env(all.0, all.1);
        process(command, last)
    };
    let mut contestants: Vec<Competitor<'_>> =
        vec![(SERVER, Box::new(move || Ok(ours.call("Read", &arguments)?.1))), (PROCESS, Box::new(fresh))];
    if let Some(mut node) = bench.node(root) {
        let mut node = Server::start(&mut node)?;
        let arguments = json!({"path": root.join(corpus::LARGE_FILE)});
        contestants.push((NODE, Box::new(move || Ok(node.call("read_text_file", &arguments)?.1))));
    }
    turns(bench, "read of a file of 80 KB", contestants)
}

/// Measures an edit that toggles a number near the end of the large file.
fn edit(bench: &Bench, root: &Path, durable: &str) -> Result<Row> {
    let file = root.join(corpus::LARGE_FILE);
    let lines = ["const LIMIT: usize = 1;", "const LIMIT: usize = 2;"];
    let mut ours = Server::start(bench.serve(root).env("TOOLPOST_DURABLE", durable))?;
    let (path, mut at) = (file.clone(), 0);
    ours.call("Read", &json!({"file_path": path}))?;
    let edit = move || {
        let (old, new) = (lines[at % 2], lines[(at + 1) % 2]);
        at += 1;
        Ok(ours.call("Edit", &json!({"file_path": path, "old_string": old, "new_string": new}))?.1)
    };
    let mut contestants: Vec<Competitor<'_>> = vec![(SERVER, Box::new(edit))];
    if let Some(mut node) = bench.node(root) {
        let mut node = Server::start(&mut node)?;
        // The other server edits a copy, so that neither server reads the writes of the other.
        let copy = root.join("src").join("large_copy.rs");
        let text = crate::disk::read(&file)?;
        crate::disk::write(&copy, text.as_bytes())?;
        let mut at = usize::from(text.contains(lines[1]));
        let edit = move || {
            let change = json!({"oldText": lines[at % 2], "newText": lines[(at + 1) % 2]});
            at += 1;
            Ok(node.call("edit_file", &json!({"path": copy, "edits": [change]}))?.1)
        };
        contestants.push((NODE, Box::new(edit)));
    }
    let row = turns(bench, &format!("edit of a file of 80 KB, durable = {durable}"), contestants)?;
    reset(root, lines)?;
    Ok(row)
}

/// Restores the original number in the large file, and removes the copy.
fn reset(root: &Path, lines: [&str; 2]) -> Result<()> {
    let file = root.join(corpus::LARGE_FILE);
    let text = crate::disk::read(&file)?.replace(lines[1], lines[0]);
    crate::disk::write(&file, text.as_bytes())?;
    crate::disk::remove_file(&root.join("src").join("large_copy.rs"))?;
    Ok(())
}

fn grep(bench: &Bench, root: &Path, what: &str, pattern: &str, (mode, flag): (&str, &str)) -> Result<Row> {
    let arguments = json!({"pattern": pattern, "output_mode": mode, "head_limit": 0});
    let wanted = if mode == "content" { "matching line" } else { "file" };
    let mut ours = Server::start(&mut bench.serve(root))?;
    let found = count(&ours.call("Grep", &arguments)?.0, wanted);
    let fresh = arguments.clone();
    let mut contestants: Vec<Competitor<'_>> = vec![
        (SERVER, Box::new(move || Ok(ours.call("Grep", &arguments)?.1))),
        (PROCESS, Box::new(move || process(bench.call(root, "Grep", &fresh), ""))),
    ];
    if let Some(rg) = bench.rivals.rg {
        let command = move || search(bench, rg, root, pattern, flag);
        same(what, found, lines(command())?)?;
        contestants.push(("rg", Box::new(move || process(command(), ""))));
    }
    turns(bench, what, contestants)
}

/// Creates the `rg` command that searches for a pattern.
pub(super) fn search(bench: &Bench, rg: &str, root: &Path, pattern: &str, flag: &str) -> Command {
    let mut command = programs::program(rg);
    command.args([
        "--no-config",
        "--hidden",
        "--glob",
        "!.git",
        "--no-heading",
        "--color",
        "never",
        flag,
        "--threads",
    ]);
    command.args([&bench.threads.to_string(), "--regexp", pattern, "."]).current_dir(root);
    command
}

fn glob(bench: &Bench, root: &Path, what: &str) -> Result<Row> {
    let arguments = json!({"pattern": "**/*.rs"});
    let mut ours = Server::start(&mut bench.serve(root))?;
    let found = count(&ours.call("Glob", &arguments)?.0, "file");
    let fresh = arguments.clone();
    let mut contestants: Vec<Competitor<'_>> = vec![
        (SERVER, Box::new(move || Ok(ours.call("Glob", &arguments)?.1))),
        (PROCESS, Box::new(move || process(bench.call(root, "Glob", &fresh), ""))),
    ];
    if let Some(fd) = bench.rivals.fd {
        let threads = bench.threads.to_string();
        let command = move || {
            let mut command = programs::program(fd);
            let flags =
                ["--unrestricted", "--exclude", ".git", "--type", "file", "--color", "never", "--threads"];
            command.args(flags).args([&threads, "--glob", "*.rs"]).current_dir(root);
            command
        };
        same(what, found, lines(command())?)?;
        contestants.push(("fd", Box::new(move || process(command(), ""))));
    }
    turns(bench, what, contestants)
}

fn turns(bench: &Bench, what: &str, contestants: Vec<Competitor<'_>>) -> Result<Row> {
    output::complain(&format!("measures: {what}"));
    take_turns(what, bench.rounds, contestants)
}

/// Returns an error if the programs have different results, because then they cannot be compared.
pub(super) fn same(what: &str, ours: Option<u64>, theirs: u64) -> Result<()> {
    ensure!(
        ours == Some(theirs),
        "{what}: Toolpost counts {ours:?} and the other program {theirs}; the work is not the same"
    );
    Ok(())
}

/// Reads the number before a word in the last bracketed line of a reply that contains the word, such as `[250
/// matching lines in 40 files]`.
pub(super) fn count(reply: &str, word: &str) -> Option<u64> {
    let line = reply.lines().rev().find(|line| line.starts_with('[') && line.contains(word))?;
    let before = &line[..line.find(word)?];
    before.split_whitespace().next_back()?.trim_start_matches('[').parse().ok()
}

fn lines(mut command: Command) -> Result<u64> {
    Ok(programs::output(&mut command)?.lines().count() as u64)
}

/// Runs a program, checks that its output contains `wanted`, and returns the duration.
fn process(mut command: Command, wanted: &str) -> Result<Duration> {
    let begin = Instant::now();
    let done = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    let took = begin.elapsed();
    ensure!(done.status.success(), "{} ended with {}", programs::shown(&command), done.status);
    let printed = String::from_utf8_lossy(&done.stdout);
    ensure!(printed.contains(wanted), "{} did not print `{wanted}`", programs::shown(&command));
    Ok(took)
}

impl Bench {
    /// Creates the command that starts Toolpost's server for a tree, without the user's configuration.
    pub(super) fn serve(&self, root: &Path) -> Command {
        let mut command = self.ours(root);
        command.arg("serve").arg("--root").arg(root);
        command
    }

    fn call(&self, root: &Path, tool: &str, arguments: &Value) -> Command {
        let mut command = self.ours(root);
        command.arg("call").arg("--root").arg(root).arg(tool).arg(arguments.to_string());
        command
    }

    pub(super) fn ours(&self, root: &Path) -> Command {
        let mut command = programs::program(&self.toolpost);
        command.current_dir(root).env("XDG_CONFIG_HOME", self.folder.join("config"));
        command.env("TOOLPOST_STATE", self.folder.join("state")).env_remove("CLAUDE_PROJECT_DIR");
        command
    }

    /// Creates the command that starts the npm server for a tree; `None` if the server is not installed.
    pub(super) fn node(&self, root: &Path) -> Option<Command> {
        let mut command = programs::program("node");
        command.arg(self.rivals.node_server.as_ref()?).arg(root).current_dir(root);
        Some(command)
    }
}
