//! Sixteen file reads in one call and in sixteen calls, each time with a cold page cache.

use super::{
    Bench,
    measure::{Competitor, Row, take_turns},
    pipe::Server,
    report::SERVER,
};
use crate::{disk, output, programs};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Number of files.
const FILES: usize = 16;
/// Number of lines per file, of 48 bytes each.
const LINES: usize = 1_000;
/// Reply limit that fits all files.
const REPLY: (&str, &str) = ("TOOLPOST_REPLY_BYTES", "4194304");

/// Measures the reads in one call and in sixteen calls; returns no row if the page cache of the files cannot
/// be dropped.
pub(super) fn rows(bench: &Bench) -> Result<Vec<Row>> {
    let root = bench.folder.join("cold");
    let files = make(&root)?;
    if !is_cold_after(&files)? {
        output::line(
            "SKIPPED: reads from a cold cache, which need dd and fincore, and a target directory on a disk",
        );
        return Ok(Vec::new());
    }
    let reads: Vec<Value> = files.iter().map(|file| json!({ "path": file })).collect();
    let calls: Vec<Value> =
        reads.iter().map(|read| json!({ "tool": "read_file", "arguments": read })).collect();
    let all = json!({ "calls": calls, "max_parallel": FILES });
    let (mut one, mut many) = (serve(bench, &root)?, serve(bench, &root)?);
    let together = move || {
        empty(&files)?;
        let (reply, took) = one.call("batch", &all)?;
        whole(&reply)?;
        Ok(took)
    };
    let files = names(&root);
    let in_turn = move || {
        empty(&files)?;
        let (mut replies, mut took) = (String::new(), Duration::ZERO);
        for read in &reads {
            let (reply, each) = many.call("read_file", read)?;
            replies.push_str(&reply);
            took += each;
        }
        whole(&replies)?;
        Ok(took)
    };
    let contestants: Vec<Competitor<'_>> =
        vec![(SERVER, Box::new(together)), ("16 calls in turn", Box::new(in_turn))];
    let what = "batch of 16 reads of 48 KB, cold cache";
    output::complain(&format!("measures: {what}"));
    Ok(vec![take_turns(what, bench.rounds, contestants)?])
}

fn serve(bench: &Bench, root: &Path) -> Result<Server> {
    Server::start(bench.serve(root).args(["--dialect", "zblade"]).env(REPLY.0, REPLY.1))
}

/// Checks that the replies contain the end of every file.
fn whole(replies: &str) -> Result<()> {
    let missing = (0..FILES).find(|file| !replies.contains(&last(*file)));
    ensure!(missing.is_none(), "file {missing:?} was not read to its end");
    Ok(())
}

fn make(root: &Path) -> Result<Vec<PathBuf>> {
    for (file, name) in names(root).iter().enumerate() {
        let lines =
            (1..LINES).map(|line| format!("{:<47}\n", format!("file {file}, line {line}: something")));
        disk::write(name, format!("{}{:<47}\n", lines.collect::<String>(), last(file)).as_bytes())?;
    }
    programs::output(&mut programs::program("sync"))?;
    Ok(names(root))
}

fn names(root: &Path) -> Vec<PathBuf> {
    (0..FILES).map(|file| root.join(format!("file_{file:02}.txt"))).collect()
}

fn last(file: usize) -> String {
    format!("the end of file {file}.")
}

/// Drops the files from the page cache, by `dd` with `posix_fadvise(POSIX_FADV_DONTNEED)`.
fn empty(files: &[PathBuf]) -> Result<()> {
    for file in files {
        let input = format!("if={}", file.display());
        programs::output(programs::program("dd").args([&input, "iflag=nocache", "count=0", "status=none"]))?;
    }
    Ok(())
}

/// Returns whether the files have left the page cache after it was dropped.
fn is_cold_after(files: &[PathBuf]) -> Result<bool> {
    if !programs::is_there("dd") || !programs::is_there("fincore") {
        return Ok(false);
    }
    empty(files)?;
    let mut command = programs::program("fincore");
    let sizes = programs::output(command.args(["--bytes", "--noheadings", "--output", "RES"]).args(files))?;
    Ok(sizes.split_whitespace().all(|size| size == "0"))
}
