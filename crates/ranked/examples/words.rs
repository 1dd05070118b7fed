//! Builds the keyword index of a workspace, reports time and memory, and runs a query for each line of stdin:
//! `words ROOT [CACHE]`.
//!
//! A line that begins with `=` is searched for as literal text.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a development tool that is not shipped"
)]

use std::io::BufRead;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use toolpost_ranked::grammar::parse;
use toolpost_ranked::{Index, PartialIndex, Patience, SearchCriterion, SearchRequest, Tests};
use toolpost_workspace::{Options, Workspace, memory};

/// The interval between two progress reports.
const STEP: Duration = Duration::from_secs(10);

fn main() {
    memory::keep_little();
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let root = arguments.next().unwrap();
    let (workspace, _) = Workspace::open(Options { roots: vec![root], ..Options::default() }).unwrap();
    let index = Index::new(workspace.clone()).kept_in(arguments.next());
    let began = Instant::now();
    loop {
        let lent = index.lend_within(&Patience::until(Instant::now() + STEP), &|| false).unwrap();
        let waiting = lent.waiting().len();
        println!("{:.1} s: {waiting} pending files; {}", began.elapsed().as_secs_f64(), memory_of());
        if waiting == 0 {
            break;
        }
    }
    std::thread::sleep(STEP);
    println!("{:.1} s: idle; {}", began.elapsed().as_secs_f64(), memory_of());
    let base = workspace.resolve(".").unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let parsed = parse(line.trim_start_matches('='));
        let what = match (line.strip_prefix('='), &parsed) {
            (Some(text), _) => SearchCriterion::Exactly(text),
            (None, Ok(query)) => SearchCriterion::Query(&query.node),
            (None, Err(fault)) => {
                println!("{line}: {fault:?}");
                continue;
            }
        };
        let began = Instant::now();
        let lent = index.lend(&|| false).unwrap();
        let ask = SearchRequest { what, base: &base, tests: Tests::Searched, may: &|_| true, after: None };
        let found = lent.search(&ask);
        let took = began.elapsed().as_secs_f64() * 1_000.0;
        match found {
            Ok(found) => println!("{line}: {} blocks, {took:.1} ms; {}", found.total, memory_of()),
            Err(why) => println!("{line}: {why:?}, {took:.1} ms; {}", memory_of()),
        }
    }
}

/// Formats the current and the peak memory use of this process.
fn memory_of() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1_024
    };
    format!("anonymous {} MB, file-backed {} MB, peak {} MB", of("RssAnon"), of("RssFile"), of("VmHWM"))
}
