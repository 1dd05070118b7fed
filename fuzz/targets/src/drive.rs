//! Driver that runs a target on a corpus and on mutations of it, until a finding or the time limit.

use crate::{Mutator, Target};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, Once, PoisonError},
    time::Instant,
};

/// Maximum number of attempts to shrink a finding.
const ATTEMPTS: usize = 2_000;

/// The last panic in code of this repository, including panics that a reader catches.
static PANIC: Mutex<Option<String>> = Mutex::new(None);
/// Held while an input is judged, because the panic hook is global to the process.
static JUDGING: Mutex<()> = Mutex::new(());

/// An input that makes a target panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// The message of the panic, with its location.
    pub what: String,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The number of inputs that were tried.
    pub inputs: u64,
    /// The first finding.
    pub finding: Option<Finding>,
}

/// Runs the corpus, then mutations of it until `end` returns true. `before` receives each input before it
/// runs.
pub fn drive(
    target: &Target,
    corpus: &[Vec<u8>],
    seed: u64,
    end: &dyn Fn(u64) -> bool,
    before: &dyn Fn(&[u8]),
) -> Outcome {
    let mut mutator = Mutator::new(seed, target.words);
    let mut inputs = 0;
    let mut kept = corpus.iter();
    loop {
        let input = match kept.next() {
            Some(input) => input.clone(),
            None if end(inputs) => return Outcome { inputs, finding: None },
            None => mutator.input(corpus),
        };
        inputs += 1;
        before(&input);
        if let Some(what) = judge(target, &input) {
            return Outcome { inputs, finding: Some(Finding { input, what }) };
        }
    }
}

/// Runs a target on one input, and returns the panic if there is one.
///
/// A panic that a reader catches counts only if it comes from this repository. Panics of third-party decoders
/// are expected, which is why readers catch them.
pub fn judge(target: &Target, input: &[u8]) -> Option<String> {
    let _one_at_a_time = JUDGING.lock().unwrap_or_else(PoisonError::into_inner);
    listen();
    *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = None;
    let escaped = catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_err();
    let heard = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    match heard {
        Some(what) if escaped || is_own(&what) => Some(what),
        Some(_) => None,
        None => escaped.then(|| "a panic without a message".to_owned()),
    }
}

fn is_own(what: &str) -> bool {
    what.starts_with("crates/") || what.starts_with("fuzz/")
}

fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let place = place.strip_prefix("/").map_or(place.clone(), |_| relative(&place));
            let what = info.payload_as_str().unwrap_or("a value");
            let mut heard = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
            if heard.as_deref().is_none_or(|heard| !is_own(heard)) {
                *heard = Some(format!("{place}: {what}"));
            }
            drop(heard);
            let is_judging = JUDGING.try_lock().is_err();
            if !is_judging || std::env::var_os("TOOLPOST_FUZZ_TRACE").is_some() {
                before(info);
            }
        }));
    });
}

/// Returns the part of a location from `crates/` or `fuzz/` on, if it is in this repository.
fn relative(place: &str) -> String {
    let foreign = place.contains("/registry/") || place.contains("/rustc/");
    let own = ["/crates/", "/fuzz/"].iter().find_map(|folder| place.find(folder)).filter(|_| !foreign);
    own.map_or_else(|| place.to_owned(), |at| place[at + 1..].to_owned())
}

/// Shrinks the input of a finding, as long as the target still panics and there is time.
#[must_use]
pub fn shrunk(target: &Target, finding: Finding, until: Instant) -> Finding {
    let mut best = finding;
    let mut part = best.input.len().div_ceil(2);
    for _ in 0..ATTEMPTS {
        if part == 0 || Instant::now() > until {
            break;
        }
        let mut smaller = None;
        for at in (0..best.input.len()).step_by(part) {
            let mut input = best.input.clone();
            drop(input.drain(at..(at + part).min(input.len())));
            if let Some(what) = judge(target, &input) {
                smaller = Some(Finding { input, what });
                break;
            }
            if Instant::now() > until {
                break;
            }
        }
        match smaller {
            Some(smaller) => best = smaller,
            None => part /= 2,
        }
    }
    best
}
