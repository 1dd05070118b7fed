//! Timing of programs in turns, so that a slow phase of the machine affects all of them.

use anyhow::Result;
use std::time::Duration;

/// Name of a compared program, and a function that does the measured work once and returns its duration.
pub type Competitor<'a> = (&'a str, Box<dyn FnMut() -> Result<Duration> + 'a>);

/// Times of all compared programs for the same work.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the work in the tables.
    pub what: String,
    /// Each compared program with its times, one for each round.
    pub times: Vec<(String, Vec<Duration>)>,
}

/// Maximum number of repetitions in one turn of a program, because the calls of an agent come in bursts.
const BURST: usize = 5;
/// Time after which a program does not repeat the work in its turn.
const TURN: Duration = Duration::from_millis(50);

/// If the work of a program takes longer than this, the program runs in fewer rounds.
const SLOW: Duration = Duration::from_millis(500);

/// Runs the compared programs in turns; a different one begins each round. The first round is a warm-up and is
/// not recorded. In a turn, a program repeats the work, and the median time is recorded.
///
/// # Errors
/// If a compared program fails.
pub fn take_turns(what: &str, rounds: usize, contestants: Vec<Competitor<'_>>) -> Result<Row> {
    take_turns_with(what, (rounds, rounds), contestants)
}

/// Runs the compared programs in turns as [`take_turns`] does, but slow programs only in `of_slow` rounds.
///
/// # Errors
/// If a compared program fails.
pub fn take_turns_with(
    what: &str,
    (rounds, of_slow): (usize, usize),
    mut contestants: Vec<Competitor<'_>>,
) -> Result<Row> {
    let mut times: Vec<(String, Vec<Duration>)> =
        contestants.iter().map(|(name, _)| ((*name).to_owned(), Vec::with_capacity(rounds))).collect();
    let count = contestants.len();
    let mut slow = vec![false; count];
    for round in 0..=rounds {
        for turn in 0..count {
            let at = (round + turn) % count;
            if slow[at] && times[at].1.len() >= of_slow {
                continue;
            }
            let took = burst(&mut contestants[at].1)?;
            slow[at] |= took > SLOW;
            if round > 0 {
                times[at].1.push(took);
            }
        }
    }
    Ok(Row { what: what.to_owned(), times })
}

/// Repeats the work for one turn, and returns the median of its times.
fn burst(work: &mut dyn FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times = Vec::with_capacity(BURST);
    while times.len() < BURST && times.iter().sum::<Duration>() < TURN {
        times.push(work()?);
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Returns the median; NaN if there are no numbers.
#[must_use]
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// Returns the times in milliseconds.
#[must_use]
pub fn milliseconds(times: &[Duration]) -> Vec<f64> {
    times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect()
}

/// Returns the median of the ratios between the times of two programs, one ratio for each round.
#[must_use]
pub fn ratio(left: &[Duration], right: &[Duration]) -> f64 {
    let ratios: Vec<f64> =
        left.iter().zip(right).map(|(left, right)| left.as_secs_f64() / right.as_secs_f64()).collect();
    median(&ratios)
}
