//! Cost of searches with the trigram index compared with `rg`, end to end over the pipe of a server.

use super::{
    Bench, cases,
    measure::{Competitor, Row, median, milliseconds, ratio, take_turns},
    pipe::Server,
    ranked::{TICKS, waited_for},
    report::SERVER,
    sources,
};
use crate::{disk, output, programs};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Label in the tables for Toolpost's server with a reply limit that fits all lines.
const ALL: &str = "toolpost serve, all lines";
/// Label in the tables for `rg` when its output is read to the end.
const RG: &str = "rg";
/// Label in the tables for `rg` when only the first lines of its output are read.
const RG_HEAD: &str = "rg | head -250";
/// Number of lines that the first page of `Grep` shows.
const FIRST: usize = 250;
/// Reply limit that fits all lines of all patterns.
const REPLY: (&str, &str) = ("TOOLPOST_REPLY_BYTES", "1000000000");
/// Time for which an idle server is watched.
const IDLE: Duration = Duration::from_secs(10);
/// Maximum time until a server uses an index that exists on disk.
const READY: Duration = Duration::from_secs(3);
/// Number of complete builds of the index.
const BUILDS: usize = 5;
/// Number of times that a file is changed.
const CHANGES: usize = 15;

/// Typical searches of agents in Rust code.
const RUST: [&str; 10] = [
    "from_str_radix",
    "impl Iterator for",
    "unwrap_or_default|ok_or_else|map_or_else",
    r"\bis_char_boundary\b",
    "(?i)todo.*deprecated",
    r"pub fn [a-z_]+_with_capacity\(",
    r"return Err\([A-Z]\w+::",
    r"pub(\(crate\))? struct \w+Builder",
    r"fn\s+new\(",
    "debug_assert",
];
/// Typical searches of agents in the Linux sources.
const C: [&str; 10] = [
    "PM_RESUME",
    "EXPORT_SYMBOL_GPL",
    "ERR_SYS|PME_TURN_OFF|LINK_REQ_RST|CFG_BME_EVT",
    r"\bspin_lock_irqsave\b",
    "(?i)todo.*deprecated",
    r"[A-Za-z_]+_probe\(struct platform_device \*",
    "return -E[A-Z]+;",
    r"static const struct file_operations \w+_fops",
    r"fn\s+new\(",
    "kmalloc_array",
];

/// A pattern without trigrams, for which the index cannot exclude any file.
const PLAIN: &str = r"\bq\d\b";

/// A tree to search.
struct Corpus<'b> {
    bench: &'b Bench,
    rg: &'static str,
    name: String,
    root: PathBuf,
    cache: PathBuf,
}

/// Measures the searches, and formats the tables.
pub(super) fn table(bench: &Bench) -> Result<String> {
    let rg = bench.rivals.rg.context("the comparison needs rg, which is not installed (Debian: ripgrep)")?;
    let mut trees: Vec<(String, PathBuf, [&str; 10])> = Vec::new();
    for files in [1_000, 10_000] {
        trees.push((format!("{files} files of Rust"), sources::packages(&bench.folder, files)?, RUST));
    }
    match sources::linux(&bench.folder) {
        Ok(root) => trees.push(("Linux 6.1".to_owned(), root, C)),
        Err(error) => output::complain(&format!("SKIPPED: the sources of Linux: {error:#}")),
    }
    let mut searches = String::from(
        "| tree | pattern | lines | first 250, ms | `rg … \\| head -250`, ms | times as fast | all lines, ms | `rg`, ms | times as fast |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut costs = String::from(
        "\n| tree | files | text, MB | built in, CPU s | MB/s of a core | index, MB | of the text | resident, MB | idle, CPU ms a second | one file changed, until it is found, ms | without trigrams: our part of the time of `rg` |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, root, patterns) in trees {
        let cache = bench.folder.join("cache-grams");
        let ground = Corpus { bench, rg, name, root, cache };
        let built = ground.build()?;
        searches.push_str(&ground.searches(&patterns)?);
        costs.push_str(&ground.costs(&built)?);
    }
    Ok(searches + &costs)
}

/// Status of the trigram index after a complete build, and the processor time of the build.
struct IndexBuild {
    told: Value,
    seconds: f64,
}

impl Corpus<'_> {
    /// Builds the index from scratch several times; returns the last build's status and the median processor time.
    fn build(&self) -> Result<IndexBuild> {
        let (mut told, mut seconds) = (Value::Null, Vec::new());
        for _ in 0..BUILDS {
            disk::remove_folder(&self.cache)?;
            let before = waited_for()?;
            let mut command = self.bench.ours(&self.root);
            command.args(["index", "build", "--json"]).env("TOOLPOST_CACHE", &self.cache);
            told = serde_json::from_str(&programs::output(&mut command)?)?;
            ensure!(told["missing_files"] == json!(0), "the index misses files: {told}");
            seconds.push((waited_for()? - before) / TICKS);
        }
        Ok(IndexBuild { told, seconds: median(&seconds) })
    }

    /// Starts a server, and waits until it uses the index.
    fn ready(&self) -> Result<Server> {
        let mut command = self.bench.serve(&self.root);
        command.env("TOOLPOST_CACHE", &self.cache).env(REPLY.0, REPLY.1);
        let mut server = Server::start(&mut command)?;
        server.call("Grep", &json!({"pattern": "toolpost"}))?;
        // The files are listed and the index is opened during the first search.
        std::thread::sleep(READY);
        server.call("Grep", &json!({"pattern": "toolpost"}))?;
        Ok(server)
    }

    fn searches(&self, patterns: &[&str]) -> Result<String> {
        let (mut text, mut first, mut all) = (String::new(), Vec::new(), Vec::new());
        for pattern in patterns {
            let (row, lines) = self.search(pattern)?;
            let of = |name: &str| {
                row.times
                    .iter()
                    .find(|(other, _)| other == name)
                    .map(|(_, times)| times.as_slice())
                    .unwrap_or_default()
            };
            let (to_first, to_all) = (ratio(of(RG_HEAD), of(SERVER)), ratio(of(RG), of(ALL)));
            first.push((to_first, *pattern));
            all.push((to_all, *pattern));
            let middle = |name: &str| median(&milliseconds(of(name)));
            let _ = writeln!(
                text,
                "| {} | {} | {lines} | {:.1} | {:.1} | {to_first:.1} | {:.1} | {:.0} | {to_all:.1} |",
                self.name,
                code(pattern),
                middle(SERVER),
                middle(RG_HEAD),
                middle(ALL),
                middle(RG),
            );
        }
        let middle = |ratios: &[(f64, &str)]| median(&ratios.iter().map(|(one, _)| *one).collect::<Vec<_>>());
        let _ = writeln!(
            text,
            "| {} | median of the ratios | | | | **{:.1}** | | | **{:.1}** |",
            self.name,
            middle(&first),
            middle(&all)
        );
        let least = |ratios: &[(f64, &str)]| {
            let least = ratios.iter().min_by(|one, other| one.0.total_cmp(&other.0));
            least.map_or_else(String::new, |(one, pattern)| format!("**{one:.1}** ({})", code(pattern)))
        };
        let _ = writeln!(
            text,
            "| {} | worst of the ratios | | | | {} | | | {} |",
            self.name,
            least(&first),
            least(&all)
        );
        Ok(text)
    }

    fn search(&self, pattern: &str) -> Result<(Row, u64)> {
        let what = format!("{}: {pattern}", self.name);
        output::complain(&format!("measures: {what}"));
        let first = json!({"pattern": pattern, "output_mode": "content"});
        let whole = json!({"pattern": pattern, "output_mode": "content", "head_limit": 0});
        let (mut one, mut many) = (self.ready()?, self.ready()?);
        let command = || cases::search(self.bench, self.rg, &self.root, pattern, "--line-number");
        let lines = theirs(command())?.0;
        cases::same(&what, cases::count(&many.call("Grep", &whole)?.0, "matching line").or(Some(0)), lines)?;
        let contestants: Vec<Competitor<'_>> = vec![
            (SERVER, Box::new(move || Ok(one.call("Grep", &first)?.1))),
            (ALL, Box::new(move || Ok(many.call("Grep", &whole)?.1))),
            (RG_HEAD, Box::new(move || theirs_to_first(command()))),
            (RG, Box::new(move || Ok(theirs(command())?.1))),
        ];
        Ok((take_turns(&what, self.bench.rounds, contestants)?, lines))
    }

    fn costs(&self, built: &IndexBuild) -> Result<String> {
        let number = |name: &str| built.told[name].as_f64().unwrap_or_default();
        let (text, index) = (number("text_bytes") / 1e6, number("index_bytes") / 1e6);
        let mut server = self.ready()?;
        let resident = server.resident()? / 1024;
        let before = server.ticks()?;
        std::thread::sleep(IDLE);
        let idle = (server.ticks()? - before) / TICKS * 1_000.0 / IDLE.as_secs_f64();
        let changed = self.change(&mut server)?;
        let plain = self.plain()?;
        Ok(format!(
            "| {} | {} | {text:.0} | {:.1} | {:.0} | {index:.1} | {:.1} % | {resident} | {idle:.1} | {changed:.1} | {plain:.2} |\n",
            self.name,
            built.told["files"],
            built.seconds,
            text / built.seconds,
            index / text * 100.0,
        ))
    }

    /// Changes a file several times, and searches for each change; returns the median time until a change is
    /// found, in milliseconds.
    fn change(&self, server: &mut Server) -> Result<f64> {
        let file = self.root.join("changed-by-the-bench.txt");
        let mut took = Vec::new();
        for number in 0..CHANGES {
            let word = format!("toolpost_changed_{number}_here");
            let begin = Instant::now();
            disk::write(&file, word.as_bytes())?;
            let (reply, _) = server.call("Grep", &json!({"pattern": word, "output_mode": "content"}))?;
            took.push(begin.elapsed());
            ensure!(reply.contains(&word), "{word} was written, but not found: {reply}");
        }
        disk::remove_file(&file)?;
        Ok(median(&milliseconds(&took)))
    }

    /// Searches for a pattern without trigrams, which reads all files; returns our time relative to `rg`.
    fn plain(&self) -> Result<f64> {
        let (row, _) = self.search(PLAIN)?;
        let of =
            |name: &str| row.times.iter().find(|(other, _)| other == name).map(|(_, times)| times.as_slice());
        Ok(of(ALL).zip(of(RG)).map_or(f64::NAN, |(ours, theirs)| ratio(ours, theirs)))
    }
}

/// Formats a pattern as code in a table.
fn code(pattern: &str) -> String {
    format!("`{}`", pattern.replace('|', "\\|"))
}

/// Runs `rg` until its first lines are read; returns the duration.
fn theirs_to_first(mut command: Command) -> Result<Duration> {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = child.stdout.take().context("the output of rg is not a pipe")?;
    for line in BufReader::new(output).split(b'\n').take(FIRST) {
        line?;
    }
    // The pipe is closed, so `rg` ends at its next line, or when it has searched all files.
    child.wait()?;
    Ok(begin.elapsed())
}

/// Runs `rg`; returns the number of lines and the duration. Without a match it exits with 1.
fn theirs(mut command: Command) -> Result<(u64, Duration)> {
    let begin = Instant::now();
    let done = command.stdin(Stdio::null()).output()?;
    let took = begin.elapsed();
    ensure!(
        done.status.code().is_some_and(|code| code < 2),
        "{} ended with {}",
        programs::shown(&command),
        done.status
    );
    Ok((done.stdout.iter().filter(|byte| **byte == b'\n').count() as u64, took))
}
