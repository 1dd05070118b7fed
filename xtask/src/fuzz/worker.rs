//! A process that runs fuzz targets for an amount of processor time.

use super::{Options, corpus, keep, last_input};
use crate::{Repository, Verdict, disk, output};
use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use toolpost_fuzz_targets::{Finding, Target, drive, shrunk};

/// Processor time after which an input that still runs is reported. All inputs take milliseconds, even without
/// optimization.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time after which an input that still runs is reported even if it uses no processor time, as in a deadlock.
const STANDSTILL: Duration = Duration::from_secs(600);
/// Maximum time for shrinking an input that fails.
const SHRINKING: Duration = Duration::from_secs(20);

/// Runs the targets one after the other in this process.
pub(super) fn run(house: &Repository, options: &Options) -> Result<Verdict> {
    let mut verdict = Verdict::Good;
    let current = watch(house);
    for target in &options.targets {
        verdict = verdict.and(one(house, target, options, &current)?);
    }
    Ok(verdict)
}

/// Returns the processor time that this process has used. On a busy machine it passes more slowly than the clock, so a
/// target gets as many inputs as on an idle one.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.try_into().unwrap_or(0), used.tv_nsec.try_into().unwrap_or(0))
}

/// An input that is running.
struct RunningInput {
    target: &'static str,
    input: Vec<u8>,
    start: Instant,
    used: Duration,
}

/// The input that is running, if any.
type Current = Arc<Mutex<Option<RunningInput>>>;

/// Starts a thread that exits the program if one input takes too long, as an endless loop would.
#[expect(clippy::disallowed_methods, reason = "nothing else ends a target that hangs")]
fn watch(house: &Repository) -> Current {
    let current = Current::default();
    let (heard, house) = (Arc::clone(&current), house.clone());
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let held = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(running) = &*held else { continue };
            let used = processor_time().saturating_sub(running.used);
            if used > PATIENCE || running.start.elapsed() > STANDSTILL {
                let place = keep(&house, running.target, &running.input);
                crate::complain(&format!(
                    "fuzz: {}: an input is still running after {:.0?} ({used:.0?} of processor time); it is saved in {place:?}",
                    running.target,
                    running.start.elapsed()
                ));
                std::process::exit(1);
            }
        }
    });
    current
}

fn one(house: &Repository, target: &'static Target, options: &Options, current: &Current) -> Result<Verdict> {
    let corpus = corpus(&house.path(&format!("fuzz/corpus/{}", target.name)))?;
    disk::make_folder(&house.target().join("fuzz"))?;
    let last = disk::Scratch::create(&last_input(house, target.name))?;
    let (start, before) = (Instant::now(), processor_time());
    let used = || processor_time().saturating_sub(before);
    let outcome =
        drive(target, &corpus, options.seed, &|_| used() >= Duration::from_secs(options.seconds), &|input| {
            // After a crash without a panic, such as a stack overflow, the input is in this file.
            let _ = last.replace(input);
            *current.lock().unwrap_or_else(PoisonError::into_inner) = Some(RunningInput {
                target: target.name,
                input: input.to_vec(),
                start: Instant::now(),
                used: processor_time(),
            });
        });
    *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    let inputs = outcome.inputs;
    let time = format!("{:.1} s ({:.1} s on the clock)", used().as_secs_f64(), start.elapsed().as_secs_f64());
    let Some(finding) = outcome.finding else {
        output::line(&format!("{:<10} {inputs} inputs in {time}", target.name));
        return Ok(Verdict::Good);
    };
    let Finding { input, what } = shrunk(target, finding, Instant::now() + SHRINKING);
    let place = keep(house, target.name, &input)?;
    output::line(&format!("{:<10} FOUND after {inputs} inputs, {time}: {what}", target.name));
    output::line(&format!("{:<10} {} bytes: {}", "", input.len(), place.display()));
    Ok(Verdict::Bad)
}
