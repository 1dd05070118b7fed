//! Cost and results of ranked search compared with Probe, which reads all files for each query.

use super::{Bench, pipe::Server, rivals, sources};
use crate::{disk, output, programs};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::Path,
    time::{Duration, Instant},
};
use toolpost_engine::operations::search::REPEAT;

/// The npm package of Probe, the competitor, with its version.
const PACKAGE: (&str, &str) = ("@probelabs/probe", "0.6.0-rc325");
const BINARY: &str = "probe-v0.6.0-rc325-x86_64-unknown-linux-musl";
/// Numbers of files in the trees.
const SIZES: [usize; 2] = [1_000, 10_000];
/// Number of repetitions of a query by Toolpost, and by the competitor.
const TIMES: (u32, u32) = (50, 2);
/// Pause between two queries that check whether the index is complete.
const WAIT: Duration = Duration::from_secs(3);
/// Clock ticks per second of processor time in `/proc`.
pub(super) const TICKS: f64 = 100.0;
/// The queries, and whether they are literal texts.
const QUERIES: [(&str, bool); 6] = [
    ("error handling", false),
    ("config", false),
    ("parse AND token AND span", false),
    ("computeLineHash", false),
    ("\"not found\"", false),
    ("from_str_radix", true),
];
/// Files of the tree in which the query grammar is tested.
const FILES: [(&str, &str); 3] = [
    ("src/a.rs", "fn foo() -> u8 {\n    return 1;\n}\n"),
    ("src/b.py", "def both():\n    foo()\n    bar()\n"),
    ("src/c.js", "function bar() {\n  return 2;\n}\n"),
];
/// Queries with the files that match; `None` if the query is refused.
const GRAMMAR: [(&str, Option<&[&str]>); 18] = [
    ("foo AND bar", Some(&["src/b.py"])),
    ("foo OR bar", Some(&["src/a.rs", "src/b.py", "src/c.js"])),
    ("foo NOT bar", Some(&["src/a.rs"])),
    ("foo AND NOT bar", Some(&["src/a.rs"])),
    ("foo -bar", Some(&["src/a.rs"])),
    ("!bar", Some(&["src/a.rs"])),
    ("+foo +bar", Some(&["src/b.py"])),
    ("foo AND -ext:py", Some(&["src/a.rs"])),
    ("foo OR ext:js", Some(&["src/a.rs", "src/b.py", "src/c.js"])),
    ("func*", Some(&["src/c.js"])),
    ("fo*", Some(&["src/a.rs", "src/b.py"])),
    ("(foo OR bar) AND return", Some(&["src/a.rs", "src/c.js"])),
    ("foo AND ext:rs,js", Some(&["src/a.rs"])),
    ("foo AND file:\"src/**/*.py\"", Some(&["src/b.py"])),
    ("foo AND filename:b.py", Some(&["src/b.py"])),
    ("foo AND lang:rust", Some(&["src/a.rs"])),
    ("(foo OR bar", None),
    ("\"\"", None),
];

/// Measures ranked search, and formats the tables.
pub(super) fn table(bench: &Bench) -> Result<String> {
    let probe = rivals::packed(&bench.folder, PACKAGE, BINARY)?;
    let mut text = String::from(
        "| files | query | results | `toolpost serve`, CPU ms a query | Probe, CPU ms a query | ratio |\n|---|---|---|---|---|---|\n",
    );
    for size in SIZES {
        let root = sources::packages(&bench.folder, size)?;
        let cache = bench.folder.join("cache-ranked");
        disk::remove_folder(&cache)?;
        let mut command = bench.serve(&root);
        let mut server = Server::start(command.args(["--dialect", "probe"]).env("TOOLPOST_CACHE", &cache))?;
        whole(&mut server)?;
        for query in QUERIES {
            output::complain(&format!("measures: {} in {size} files", query.0));
            text.push_str(&row(&mut server, &probe, &root, size, query)?);
        }
    }
    Ok(text + &first(bench)? + &grammar(bench, &probe)?)
}

/// Measures the first search in a tree, the time until its index is complete, and the first search of a second
/// server.
fn first(bench: &Bench) -> Result<String> {
    let mut text = String::from(
        "\n| tree | first answer, s | all files, s | CPU s | resident, MB | on the disk, MB | second server's first answer, s | its CPU s | resident, MB |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut trees = Vec::new();
    for size in SIZES {
        trees.push((format!("{size} files of Rust"), sources::packages(&bench.folder, size)?));
    }
    trees.push(("Linux 6.1".to_owned(), sources::linux(&bench.folder)?));
    for (name, root) in trees {
        output::complain(&format!("measures: the first answer over {name}"));
        let cache = bench.folder.join("cache-ranked-first");
        disk::remove_folder(&cache)?;
        let start = || -> Result<Server> {
            let mut command = bench.serve(&root);
            Server::start(command.args(["--dialect", "probe"]).env("TOOLPOST_CACHE", &cache))
        };
        let asked = json!({"query": "error handling"});
        let mut server = start()?;
        let (_, took) = server.call("search", &asked)?;
        let _ = write!(text, "| {name} | {:.1} ", took.as_secs_f64());
        let whole = took + whole(&mut server)?;
        let (cpu, resident) = (server.ticks()? / TICKS, server.resident()? / 1024);
        let disk = disk::size(&cache)? >> 20;
        let _ = write!(text, "| {:.1} | {cpu:.1} | {resident} | {disk} ", whole.as_secs_f64());
        let mut second = start()?;
        let (_, took) = second.call("search", &asked)?;
        let (cpu, resident) = (second.ticks()? / TICKS, second.resident()? / 1024);
        let _ = writeln!(text, "| {:.1} | {cpu:.1} | {resident} |", took.as_secs_f64());
    }
    Ok(text)
}

/// Waits until the index is complete, so that background work does not distort later figures. Returns how long
/// it waited.
fn whole(server: &mut Server) -> Result<Duration> {
    let began = Instant::now();
    while server.call("search", &json!({"query": "error handling"}))?.0.contains(REPEAT) {
        std::thread::sleep(WAIT);
    }
    Ok(began.elapsed())
}

/// Measures the processor time of one query by both programs, and formats a row of the table.
fn row(
    server: &mut Server,
    probe: &Path,
    root: &Path,
    size: usize,
    (query, exact): (&str, bool),
) -> Result<String> {
    let asked = json!({"query": query, "exact": exact, "allowTests": true});
    let (words, _) = server.call("search", &asked)?;
    let before = server.ticks()?;
    for _ in 0..TIMES.0 {
        server.call("search", &asked)?;
    }
    let ours = (server.ticks()? - before) / TICKS * 1_000.0 / f64::from(TIMES.0);
    let before = waited_for()?;
    for _ in 0..TIMES.1 {
        theirs(probe, root, query, exact)?;
    }
    let others = (waited_for()? - before) / TICKS * 1_000.0 / f64::from(TIMES.1);
    let found = words.lines().rev().find(|line| line.starts_with("Found ")).unwrap_or("Found 0 ");
    let found = found.split(' ').nth(1).unwrap_or("0");
    let shown = if exact { format!("`{query}`, exact") } else { format!("`{query}`") };
    Ok(format!("| {size} | {shown} | {found} | {ours:.2} | {others:.0} | {:.0} |\n", others / ours.max(0.01)))
}

/// Runs a query with Probe, with the limits that Probe's own agent sets.
fn theirs(probe: &Path, root: &Path, query: &str, exact: bool) -> Result<String> {
    let mut command = programs::program(probe);
    command.args(["search", "--max-tokens", "20000", "--allow-tests", "--format", "json"]);
    if exact {
        command.arg("--exact");
    }
    command.arg("--").arg(query).arg(root);
    // Probe exits with a failure if it was too slow; the processor time of such a run counts as well.
    let output = command.output().context("Probe does not start")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compares the files that Toolpost and Probe find for each query of `GRAMMAR`.
fn grammar(bench: &Bench, probe: &Path) -> Result<String> {
    let root = bench.folder.join("ranked-grammar");
    for (name, text) in FILES {
        let path = root.join(name);
        disk::make_folder(path.parent().context("a file without a folder")?)?;
        disk::write(&path, text.as_bytes())?;
    }
    let mut server = Server::start(bench.serve(&root).args(["--dialect", "probe"]))?;
    let mut text = String::from("\n| query | wanted | `toolpost` | Probe |\n|---|---|---|---|\n");
    let mut failed = 0;
    for (query, wanted) in GRAMMAR {
        let ours = server.call("search", &json!({"query": query})).ok().map(|(words, _)| {
            words
                .lines()
                .filter_map(|line| line.strip_prefix("File: "))
                .map(str::to_owned)
                .collect::<BTreeSet<_>>()
        });
        let wanted: Option<BTreeSet<String>> =
            wanted.map(|files| files.iter().map(|file| (*file).to_owned()).collect());
        ensure!(ours == wanted, "{query}: Toolpost found {ours:?} instead of {wanted:?}");
        let others = files(&theirs(probe, &root, query, false)?, &root);
        failed += usize::from(others != wanted);
        let verdict = if others == wanted { "as wanted".to_owned() } else { shown(&others) };
        let _ = writeln!(
            text,
            "| `{}` | {} | as wanted | {verdict} |",
            query.replace('|', "\\|"),
            shown(&wanted)
        );
    }
    let _ = writeln!(
        text,
        "\nOf {} queries over three files, Probe answers {failed} with other results than expected.",
        GRAMMAR.len()
    );
    Ok(text)
}

/// Reads the files that Probe printed; `None` if it refused the query.
fn files(printed: &str, root: &Path) -> Option<BTreeSet<String>> {
    let json = printed.find('{').map_or("", |at| &printed[at..]);
    let output: Value = serde_json::from_str(json).ok()?;
    let root = format!("{}/", root.display());
    let named = output["results"].as_array()?.iter().filter_map(|found| found["file"].as_str());
    Some(named.map(|file| file.strip_prefix(&root).unwrap_or(file).to_owned()).collect())
}

fn shown(files: &Option<BTreeSet<String>>) -> String {
    match files {
        None => "refused".to_owned(),
        Some(files) if files.is_empty() => "nothing".to_owned(),
        Some(files) => files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", "),
    }
}

/// Returns the processor time of all finished child processes, in ticks.
pub(super) fn waited_for() -> Result<f64> {
    ticks(&disk::read(Path::new("/proc/self/stat"))?, 15)
}

/// Adds a field of a `/proc` stat line to the field after it; the fields are counted from 0.
pub(super) fn ticks(stat: &str, first: usize) -> Result<f64> {
    let rest = stat.rsplit_once(')').map_or(stat, |(_, rest)| rest);
    let field = |at: usize| rest.split_whitespace().nth(at - 2)?.parse::<f64>().ok();
    field(first).zip(field(first + 1)).map(|(user, system)| user + system).context("/proc has no CPU times")
}
