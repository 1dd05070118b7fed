//! `cargo xtask fuzz`: runs the fuzz targets on their corpus and on mutations of it, with the stable
//! compiler.

mod worker;

use crate::{Repository, Verdict, disk, output, programs};
use anyhow::{Context, Result, bail};
use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::SystemTime,
};
use toolpost_fuzz_targets::{Kind, TARGETS, Target, named};

/// Default processor time for each target, in seconds.
const SECONDS: u64 = 2;
/// Flag of the process that runs one target.
const WORKER: &str = "--worker";

const HELP: &str = "cargo xtask fuzz [NAME|readers|algorithms…] [--seconds N] [--seed N] [--jobs N]

Runs the targets of fuzz/targets, each for N seconds of processor time (2), first on fuzz/corpus/NAME, then on
mutations of it. Each target has its own process; --jobs is the number of processes at a time (one per processor).
Each run prints its seed; `--seed` repeats a run. A finding is written to fuzz/artifacts. Once it is
fixed, move the file to the corpus, so that each later run tries it.";

/// Options of `cargo xtask fuzz`.
struct Options {
    targets: Vec<&'static Target>,
    seconds: u64,
    seed: u64,
    jobs: u64,
    runs: Runs,
}

/// The process that runs the targets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// A process for each target.
    InWorkers,
    /// This process.
    Here,
}

pub(crate) fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help") {
        output::line(HELP);
        return Ok(Verdict::Good);
    }
    let options = options(arguments)?;
    if options.runs == Runs::Here {
        return worker::run(house, &options);
    }
    output::line(&format!("fuzz: {} targets, seed {}", options.targets.len(), options.seed));
    let queue: Mutex<VecDeque<&Target>> = Mutex::new(options.targets.iter().copied().collect());
    let lane = || -> Result<Verdict> {
        let mut verdict = Verdict::Good;
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(target) = next else { return Ok(verdict) };
            verdict = verdict.and(in_worker(house, target, &options)?);
        }
    };
    let lane = &lane;
    thread::scope(|scope| {
        let running: Vec<_> = (0..options.jobs).map(|_| scope.spawn(lane)).collect();
        let ended = running.into_iter().map(thread::ScopedJoinHandle::join);
        let ended = ended.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect::<Vec<_>>().into_iter().try_fold(Verdict::Good, |verdict, done| Ok(verdict.and(done?)))
    })
}

fn options(arguments: &[String]) -> Result<Options> {
    let processors = thread::available_parallelism().map_or(1, |processors| processors.get() as u64);
    let mut options = Options {
        targets: Vec::new(),
        seconds: SECONDS,
        seed: seed(),
        jobs: processors,
        runs: Runs::InWorkers,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = |what: &str| -> Result<u64> {
            let text = arguments.next().with_context(|| format!("{argument} needs {what}"))?;
            text.parse().with_context(|| format!("{argument} needs {what}, got `{text}`"))
        };
        match argument.as_str() {
            "--seconds" => options.seconds = number("a number of seconds")?,
            "--seed" => options.seed = number("a number")?,
            "--jobs" => options.jobs = number("a number of processes")?.max(1),
            WORKER => options.runs = Runs::Here,
            "readers" => options.targets.extend(of_kind(Kind::Reader)),
            "algorithms" => options.targets.extend(of_kind(Kind::Algorithm)),
            name => match named(name) {
                Some(target) => options.targets.push(target),
                None => {
                    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                    bail!(
                        "no fuzz target is called `{name}`; the fuzz targets are {}; `readers` and `algorithms` are groups \
                         of them",
                        names.join(", ")
                    );
                }
            },
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

fn of_kind(kind: Kind) -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().filter(move |target| target.kind == kind)
}

/// Draws a seed from the clock, short enough to type.
fn seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.subsec_nanos().into()
}

/// Runs a target in a separate process, and prints the result when it ends.
fn in_worker(house: &Repository, target: &'static Target, options: &Options) -> Result<Verdict> {
    let mut worker = programs::program(std::env::current_exe().context("this program has no path")?);
    worker.args(["fuzz", WORKER, target.name, "--seconds", &options.seconds.to_string()]);
    worker.args(["--seed", &options.seed.to_string()]).stdin(Stdio::null());
    let output = worker.output().with_context(|| format!("{} does not start", programs::shown(&worker)))?;
    let (verdict, text) = outcome(house, target.name, &output)?;
    output::line(text.trim_end());
    Ok(verdict)
}

/// Returns the result of a process that ran a target. A process that ended without a result has crashed, for example
/// because of a stack overflow; the input that it ran is then stored as a finding.
fn outcome(house: &Repository, name: &str, output: &Output) -> Result<(Verdict, String)> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => Ok((Verdict::Good, text)),
        Some(1) => Ok((Verdict::Bad, format!("{text}{}", String::from_utf8_lossy(&output.stderr)))),
        _ => {
            let input = disk::bytes(&last_input(house, name)).unwrap_or_default();
            let place = keep(house, name, &input)?;
            let said = String::from_utf8_lossy(&output.stderr);
            Ok((
                Verdict::Bad,
                format!(
                    "{text}{said}{name:<10} CRASHED: {}\n{:<10} {} bytes: {}",
                    output.status,
                    "",
                    input.len(),
                    place.display()
                ),
            ))
        }
    }
}

/// Returns the path of the file with the input that a target runs.
fn last_input(house: &Repository, name: &str) -> PathBuf {
    house.target().join("fuzz").join(name)
}

/// Reads the stored inputs of a fuzz target, in the order of their file names.
fn corpus(folder: &Path) -> Result<Vec<Vec<u8>>> {
    if !disk::exists(folder) {
        return Ok(Vec::new());
    }
    let mut files = disk::list(folder)?;
    files.sort();
    files.iter().map(|file| Ok(disk::bytes(file)?)).collect()
}

/// Stores an input in `fuzz/artifacts`, and returns the path of its file.
fn keep(house: &Repository, name: &str, input: &[u8]) -> Result<PathBuf> {
    let sum = input
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let folder = house.path(&format!("fuzz/artifacts/{name}"));
    disk::make_folder(&folder)?;
    let file = folder.join(format!("{sum:016x}"));
    disk::write(&file, input)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn crashed_targets_are_findings_with_their_input() {
        let folder = tempfile::tempdir().unwrap();
        let house = Repository::at(folder.path());
        disk::write(&last_input(&house, "pdf"), b"the last input").unwrap();
        let rows = [
            ("echo 'pdf 7 inputs'", Verdict::Good, "pdf 7 inputs\n"),
            ("echo 'pdf FOUND'; exit 1", Verdict::Bad, "pdf FOUND\n"),
            ("echo overflow >&2; kill -ABRT $$", Verdict::Bad, "overflow\npdf        CRASHED: signal: 6"),
            ("exit 3", Verdict::Bad, "pdf        CRASHED: exit status: 3"),
        ];
        each(rows, |(script, wanted, begin)| {
            let output = programs::program("sh").args(["-c", script]).output().unwrap();
            let (verdict, text) = outcome(&house, "pdf", &output).unwrap();
            assert_eq!(verdict, wanted);
            assert!(text.starts_with(begin), "{text}");
            assert_eq!(text.contains("14 bytes: "), begin.contains("CRASHED"), "{text}");
        });
        let kept = corpus(&folder.path().join("fuzz/artifacts/pdf")).unwrap();
        assert_eq!(kept, [b"the last input"]);
    }

    #[test]
    fn options_select_targets_and_limits() {
        let arguments = ["pdf", "--seconds", "60", "--seed", "7", "zip", "--jobs", "2"];
        let arguments: Vec<String> = arguments.map(str::to_owned).into();
        let chosen = options(&arguments).unwrap();
        let names: Vec<&str> = chosen.targets.iter().map(|target| target.name).collect();
        assert_eq!((names, chosen.seconds, chosen.seed, chosen.jobs), (vec!["pdf", "zip"], 60, 7, 2));
        assert_eq!(options(&[]).unwrap().targets.len(), TARGETS.len());
        let refused = [["--seconds", "soon"], ["--seed", "x"], ["pdfs", ""], ["--jobs", "-1"]];
        each(refused, |arguments| {
            assert!(options(&arguments.map(str::to_owned)).is_err());
        });
    }
}
