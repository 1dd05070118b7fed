//! Cost of the symbol index compared with competitors: build, update and query.

mod query_process;
mod rival;

use super::{
    Bench, code,
    measure::{Competitor, Row, take_turns_with},
    pipe::Server,
    report::{PROCESS, SERVER, times},
};
use crate::{disk, output, programs};
use anyhow::{Context, Result, ensure};
use query_process::QueryProcess;
use rival::{CODEGRAPH, CTAGS, SymbolCompetitors};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// Number of files in the repository.
const FILES: usize = 10_000;
/// Number of rounds for work of half a second or more.
const OF_SLOW: usize = 3;
/// Label in the tables for a process with only the symbol index, without the MCP server.
const ALONE: &str = "toolpost, the index alone";

/// Environment of the symbol benchmarks.
struct Corpus<'b> {
    bench: &'b Bench,
    root: PathBuf,
    /// Path of the program `ask`, which queries the symbol index without a server.
    ask: PathBuf,
    rival: SymbolCompetitors,
    /// Peak memory of each program during its first index, in bytes.
    peaks: RefCell<Vec<(&'static str, u64)>>,
    /// Name of a function that is searched for.
    name: String,
    /// A part of `name`, for a search by a part of the name.
    part: String,
}

/// Measures the symbol index and its competitors, and formats the tables.
pub(super) fn table(bench: &Bench, ask: PathBuf) -> Result<String> {
    let root = code::tree(&bench.folder, FILES)?;
    let name = code::function(&code::TONGUES[0], 7, 0);
    let part = name[1..name.len() - 1].to_owned();
    let ground = Corpus {
        bench,
        ask,
        rival: SymbolCompetitors::find(&bench.folder, &root)?,
        peaks: RefCell::default(),
        name,
        part,
        root,
    };
    let mut rows = vec![ground.first()?, ground.again()?, ground.update()?];
    rows.extend(ground.names()?);
    rows.extend(ground.callers()?);
    Ok(times(&rows) + &ground.sizes()?)
}

/// Returns the competitors with their versions.
pub(super) fn versions() -> Vec<String> {
    rival::versions()
}

/// Formats a row as a table, to print it as progress.
fn times_of(row: &Row) -> String {
    times(std::slice::from_ref(row))
}

/// Runs a program, checks that its output contains a text, and returns the duration.
fn timed(mut command: Command, wanted: &str) -> Result<Duration> {
    let begin = Instant::now();
    let printed = programs::output(&mut command)?;
    let took = begin.elapsed();
    ensure!(printed.contains(wanted), "{} did not print `{wanted}`", programs::shown(&command));
    Ok(took)
}

impl Corpus<'_> {
    fn cache(&self) -> PathBuf {
        self.bench.folder.join("cache")
    }

    fn start_query_process(&self) -> Result<QueryProcess> {
        QueryProcess::start(
            programs::program(&self.ask).arg(&self.root).arg(self.bench.folder.join("cache-alone")),
        )
    }

    fn server(&self) -> Result<Server> {
        let mut command = self.bench.serve(&self.root);
        Server::start(command.args(["--dialect", "zblade"]).env("TOOLPOST_CACHE", self.cache()))
    }

    /// Creates a command that searches for a name in a new process.
    fn call(&self) -> Command {
        let arguments = json!({ "query": self.name });
        let mut command = self.bench.ours(&self.root);
        command.env("TOOLPOST_CACHE", self.cache()).env("TOOLPOST_DEADLINE_SECONDS", "3600").args([
            "call",
            "--dialect",
            "zblade",
            "--root",
        ]);
        command.arg(&self.root).arg("symbol_search").arg(arguments.to_string());
        command
    }

    fn first(&self) -> Result<Row> {
        let ours = || {
            disk::remove_folder(&self.cache())?;
            self.watched(PROCESS, &self.call())
        };
        let mut contestants: Vec<Competitor<'_>> = vec![(PROCESS, Box::new(ours))];
        if self.rival.codegraph.is_some() {
            let theirs = || {
                self.rival.forget()?;
                self.watched(CODEGRAPH, &self.rival.graph(&["init", "--yes"])?)
            };
            contestants.push((CODEGRAPH, Box::new(theirs)));
        }
        if self.rival.ctags {
            contestants.push((CTAGS, Box::new(|| self.watched(CTAGS, &self.rival.tags()))));
        }
        self.once("first answer, without an index on disk", contestants)
    }

    /// Measures work that takes minutes, once.
    fn once(&self, what: &str, contestants: Vec<Competitor<'_>>) -> Result<Row> {
        output::complain(&format!("measures: {what}"));
        let took = |(name, mut work): Competitor<'_>| Ok((name.to_owned(), vec![work()?]));
        let times = contestants.into_iter().map(took).collect::<Result<_>>()?;
        let row = Row { what: what.to_owned(), times };
        output::complain(&times_of(&row));
        Ok(row)
    }

    /// Runs a program, and records its peak memory.
    fn watched(&self, name: &'static str, command: &Command) -> Result<Duration> {
        let begin = Instant::now();
        let held = peak(command)?;
        let took = begin.elapsed();
        self.peaks.borrow_mut().push((name, held));
        Ok(took)
    }

    fn again(&self) -> Result<Row> {
        let mut contestants: Vec<Competitor<'_>> =
            vec![(PROCESS, Box::new(|| timed(self.call(), &self.name)))];
        self.rivals(&mut contestants, &["query", &self.name], Some(&[&self.name]), &self.name);
        self.turns("answer of a new process, with the index on disk", contestants)
    }

    /// Adds codegraph and ctags, which start a process for each query, to the compared programs.
    fn rivals<'g>(
        &'g self,
        to: &mut Vec<Competitor<'g>>,
        graph: &[&str],
        tags: Option<&[&str]>,
        wanted: &'g str,
    ) {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        if self.rival.codegraph.is_some() {
            let words = own(graph);
            let go = move || {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                timed(self.rival.graph(&words)?, wanted)
            };
            to.push((CODEGRAPH, Box::new(go)));
        }
        if let Some(words) = tags.filter(|_| self.rival.ctags).map(own) {
            to.push((CTAGS, Box::new(move || timed(self.rival.read(&words), wanted))));
        }
    }

    /// Writes a file with a new function, and queries until the function is found.
    fn update(&self) -> Result<Row> {
        let file = self.root.join("python").join("common").join("fresh.py");
        let count = Cell::new(0);
        let change = |prefix: &str| -> Result<String> {
            count.set(count.get() + 1);
            let name = format!("{prefix}_anew_{}", count.get());
            disk::write(&file, format!("def {name}(size):\n    return size\n").as_bytes())?;
            Ok(name)
        };
        let (mut server, mut queries) = (self.server()?, self.start_query_process()?);
        server.call("symbol_search", &json!({ "query": self.name }))?;
        queries.ask(&format!("find {}", self.name))?;
        let ours = || {
            let name = change("serve")?;
            let (reply, took) = server.call("symbol_search", &json!({ "query": name }))?;
            ensure!(reply.contains("\"match\":\"exact\""), "the new function was not found: {reply:.400}");
            Ok(took)
        };
        let alone = || {
            let (took, found) = queries.ask(&format!("find {}", change("alone")?))?;
            ensure!(found > 0, "the new function was not found");
            Ok(took)
        };
        let mut contestants: Vec<Competitor<'_>> = vec![(SERVER, Box::new(ours)), (ALONE, Box::new(alone))];
        if self.rival.codegraph.is_some() {
            let theirs = || {
                let name = change("graph")?;
                let synced = timed(self.rival.graph(&["sync", "--quiet"])?, "")?;
                Ok(synced + timed(self.rival.graph(&["query", &name])?, &name)?)
            };
            contestants.push((CODEGRAPH, Box::new(theirs)));
        }
        if self.rival.ctags {
            let theirs = || {
                let name = change("tags")?;
                Ok(timed(self.rival.tags(), "")?
                    + timed(self.rival.read(std::slice::from_ref(&name)), &name)?)
            };
            contestants.push((CTAGS, Box::new(theirs)));
        }
        let row = self.turns("one file changed, until it is found", contestants);
        disk::remove_file(&file)?;
        row
    }

    fn names(&self) -> Result<Vec<Row>> {
        let begin = &self.name[..self.name.len() - 1];
        let exact: &[&str] = &[&self.name];
        let prefix: &[&str] = &["-p", begin];
        let cases = [
            ("a name that nothing has", "nothing_is_called_this", None),
            ("a symbol by its name", self.name.as_str(), Some(exact)),
            ("symbols by the beginning of a name", begin, Some(prefix)),
            ("symbols by a part of a name", self.part.as_str(), None),
        ];
        let mut rows = Vec::new();
        for (what, query, tags) in cases {
            let (mut server, mut queries) = (self.server()?, self.start_query_process()?);
            let (arguments, question) = (json!({"query": query, "limit": 20}), format!("find {query}"));
            let ours = move || Ok(server.call("symbol_search", &arguments)?.1);
            let mut contestants: Vec<Competitor<'_>> =
                vec![(SERVER, Box::new(ours)), (ALONE, Box::new(move || Ok(queries.ask(&question)?.0)))];
            self.rivals(&mut contestants, &["query", query], tags, "");
            rows.push(self.turns(what, contestants)?);
        }
        Ok(rows)
    }

    fn callers(&self) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        let (all, some, one) = (2_000, 50, 1);
        let [of_all, of_some, of_one] = code::TONGUES[0].called;
        for (name, count) in [(of_one, one), (of_some, some), (of_all, all)] {
            let id = self.id(name)?;
            let (mut server, mut queries) = (self.server()?, self.start_query_process()?);
            let arguments = json!({ "symbol_id": id });
            let (reply, _) = server.call("symbol_graph", &arguments)?;
            ensure!(reply.contains(&format!("\"proved\":{count}")), "{name} has other callers: {reply:.900}");
            let question = format!("callers {name}");
            ensure!(queries.ask(&question)?.1 == count, "{name} has other callers");
            let ours = move || Ok(server.call("symbol_graph", &arguments)?.1);
            let mut contestants: Vec<Competitor<'_>> =
                vec![(SERVER, Box::new(ours)), (ALONE, Box::new(move || Ok(queries.ask(&question)?.0)))];
            let words = ["callers", name, "--limit", "5000"];
            self.rivals(&mut contestants, &words, None, "");
            rows.push(self.turns(&format!("the callers of a function that has {count}"), contestants)?);
        }
        rows.push(self.anew(of_all)?);
        let (mut server, mut queries) = (self.server()?, self.start_query_process()?);
        let (arguments, question) =
            (json!({ "symbol_id": self.id(&self.name)? }), format!("id {}", self.name));
        let ours = move || Ok(server.call("symbol_resolve", &arguments)?.1);
        let contestants: Vec<Competitor<'_>> =
            vec![(SERVER, Box::new(ours)), (ALONE, Box::new(move || Ok(queries.ask(&question)?.0)))];
        rows.push(self.turns("a symbol by its id", contestants)?);
        Ok(rows)
    }

    /// Queries the callers of a function, each time after a change to a file, so that no cached answer
    /// remains.
    fn anew(&self, name: &str) -> Result<Row> {
        let file = self.root.join("python").join("common").join("anew.py");
        let count = Cell::new(0);
        let change = || {
            count.set(count.get() + 1);
            disk::write(&file, format!("def anew_{}():\n    pass\n", count.get()).as_bytes())
        };
        let (mut server, mut queries) = (self.server()?, self.start_query_process()?);
        let (arguments, question) = (json!({ "symbol_id": self.id(name)? }), format!("callers {name}"));
        server.call("symbol_graph", &arguments)?;
        queries.ask(&question)?;
        let ours = || {
            change()?;
            Ok(server.call("symbol_graph", &arguments)?.1)
        };
        let alone = || {
            change()?;
            Ok(queries.ask(&question)?.0)
        };
        let contestants: Vec<Competitor<'_>> = vec![(SERVER, Box::new(ours)), (ALONE, Box::new(alone))];
        let row = self.turns("the callers of a function, each time after a change of a file", contestants);
        disk::remove_file(&file)?;
        row
    }

    fn turns(&self, what: &str, contestants: Vec<Competitor<'_>>) -> Result<Row> {
        output::complain(&format!("measures: {what}"));
        let row = take_turns_with(what, (self.bench.rounds, OF_SLOW), contestants)?;
        output::complain(&times_of(&row));
        Ok(row)
    }

    fn id(&self, name: &str) -> Result<String> {
        let (reply, _) = self.server()?.call("symbol_search", &json!({"query": name, "limit": 1}))?;
        // Toolpost's notes may follow the reply.
        let mut values = serde_json::Deserializer::from_str(&reply).into_iter::<Value>();
        let reply = values.next().context("a search has no reply")??;
        Ok(reply["results"][0]["symbol_id"].as_str().context("the function has no id")?.to_owned())
    }

    /// Formats the disk and memory usage of each program.
    fn sizes(&self) -> Result<String> {
        let mut text = String::from("\n| what | MB |\n|---|---|\n");
        let mut row = |what: &str, bytes: u64| writeln!(text, "| {what} | {} |", bytes.div_ceil(1 << 20));
        row("text of the repository, with its folders", size(&self.root)? - self.rival.size()?)?;
        row("on the disk: toolpost", size(&self.cache())?)?;
        row("on the disk: codegraph", self.rival.size()?)?;
        row("on the disk: universal-ctags", size(&self.rival.tag_file())?)?;
        let mut server = self.server()?;
        server.call("symbol_search", &json!({ "query": self.name }))?;
        row("resident: toolpost serve, after an answer", server.resident()? * 1024)?;
        for name in [PROCESS, CODEGRAPH, CTAGS] {
            let peaks = self.peaks.borrow();
            if let Some(most) = peaks.iter().filter(|(of, _)| *of == name).map(|(_, held)| *held).max() {
                row(&format!("most memory held at the first build: {name}"), most)?;
            }
        }
        Ok(text)
    }
}

/// Returns the disk usage of a directory or file, in bytes; 0 if it does not exist.
fn size(place: &Path) -> Result<u64> {
    if !disk::exists(place) {
        return Ok(0);
    }
    let printed = programs::output(programs::program("du").args(["-s", "--block-size=1", "--"]).arg(place))?;
    printed.split_whitespace().next().context("du printed nothing")?.parse().context("du printed no number")
}

/// Runs a program under GNU time, and returns the peak memory of its largest process, in bytes.
fn peak(command: &Command) -> Result<u64> {
    let note = std::env::temp_dir().join(format!("toolpost-bench-{}", std::process::id()));
    let mut timed = programs::program("/usr/bin/time");
    timed.args(["-f", "%M", "-o"]).arg(&note).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            timed.env(name, value);
        }
    }
    command.get_current_dir().map(|folder| timed.current_dir(folder));
    programs::output(&mut timed)?;
    let kilobytes = disk::read(&note)?;
    disk::remove_file(&note)?;
    Ok(kilobytes.trim().parse::<u64>().context("time printed no number")? * 1024)
}
