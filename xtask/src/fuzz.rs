//! `cargo xtask fuzz`: runs the fuzz targets on their corpus and on mutations of it, with the stable
//! compiler.

use crate::{House, Verdict, disk, say};
use anyhow::{Context, Result, bail};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime},
};
use toolpost_fuzz_targets::{Finding, TARGETS, Target, drive, named, shrunk};

/// Time for each target without `--seconds`, in seconds.
const SECONDS: u64 = 2;
/// Time after which an input that still runs is reported. All inputs take milliseconds, even without
/// optimization.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum time for shrinking an input that fails.
const SHRINKING: Duration = Duration::from_secs(20);

const HELP: &str = "cargo xtask fuzz [NAME…] [--seconds N] [--seed N]

Runs the targets of fuzz/targets, each for N seconds (2), first on fuzz/corpus/NAME, then on mutations of it.
Each run prints its seed; `--seed` repeats a run. A finding is written to fuzz/artifacts. Once it is
fixed, move the file to the corpus, so that each later run tries it.";

/// Options of `cargo xtask fuzz`.
struct Options {
    targets: Vec<&'static Target>,
    seconds: u64,
    seed: u64,
}

pub(crate) fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help") {
        say::line(HELP);
        return Ok(Verdict::Good);
    }
    let options = options(arguments)?;
    say::line(&format!("fuzz: seed {}", options.seed));
    let mut verdict = Verdict::Good;
    let current = watch(house);
    for target in &options.targets {
        verdict = verdict.and(one(house, target, &options, &current)?);
    }
    Ok(verdict)
}

fn options(arguments: &[String]) -> Result<Options> {
    let mut options = Options { targets: Vec::new(), seconds: SECONDS, seed: seed() };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = |what: &str| -> Result<u64> {
            let text = arguments.next().with_context(|| format!("{argument} needs {what}"))?;
            text.parse().with_context(|| format!("{argument} needs {what}, got `{text}`"))
        };
        match argument.as_str() {
            "--seconds" => options.seconds = number("a number of seconds")?,
            "--seed" => options.seed = number("a number")?,
            name => match named(name) {
                Some(target) => options.targets.push(target),
                None => {
                    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                    bail!("no fuzz target is called `{name}`; the fuzz targets are {}", names.join(", "));
                }
            },
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

/// Draws a seed from the clock, short enough to type.
fn seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.subsec_nanos().into()
}

/// The input that is running, with the name of its fuzz target and its start time.
type Current = Arc<Mutex<Option<(&'static str, Vec<u8>, Instant)>>>;

/// Starts a thread that exits the program if one input takes too long, as an endless loop would.
#[expect(clippy::disallowed_methods, reason = "nothing else ends a target that hangs")]
fn watch(house: &House) -> Current {
    let current = Current::default();
    let (heard, house) = (Arc::clone(&current), house.clone());
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let held = heard.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((name, input, start)) = &*held
                && start.elapsed() > PATIENCE
            {
                let place = keep(&house, name, input);
                crate::complain(&format!(
                    "fuzz: {name}: an input took more than {PATIENCE:?}; it is in {place:?}"
                ));
                std::process::exit(1);
            }
        }
    });
    current
}

fn one(house: &House, target: &'static Target, options: &Options, current: &Current) -> Result<Verdict> {
    let corpus = corpus(&house.path(&format!("fuzz/corpus/{}", target.name)))?;
    disk::make_folder(&house.target().join("fuzz"))?;
    let last = disk::Scratch::create(&house.target().join("fuzz").join(target.name))?;
    let start = Instant::now();
    let outcome = drive(
        target,
        &corpus,
        options.seed,
        &|_| start.elapsed() >= Duration::from_secs(options.seconds),
        &|input| {
            // The file keeps the input if the process crashes without a panic, such as by a stack overflow.
            let _ = last.replace(input);
            *current.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((target.name, input.to_vec(), Instant::now()));
        },
    );
    *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    let seconds = start.elapsed().as_secs_f64();
    let inputs = outcome.inputs;
    let Some(finding) = outcome.finding else {
        say::line(&format!("{:<10} {inputs} inputs in {seconds:.1} s", target.name));
        return Ok(Verdict::Good);
    };
    let Finding { input, what } = shrunk(target, finding, Instant::now() + SHRINKING);
    let place = keep(house, target.name, &input)?;
    say::line(&format!("{:<10} FOUND after {inputs} inputs, {seconds:.1} s: {what}", target.name));
    say::line(&format!("{:<10} {} bytes: {}", "", input.len(), place.display()));
    Ok(Verdict::Bad)
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
fn keep(house: &House, name: &str, input: &[u8]) -> Result<PathBuf> {
    let sum = input
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let folder = house.path(&format!("fuzz/artifacts/{name}"));
    disk::make_folder(&folder)?;
    let file = folder.join(format!("{sum:016x}"));
    disk::write(&file, input)?;
    Ok(file)
}
