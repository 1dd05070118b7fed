//! Times of contestants that take turns, so that a slow minute of the machine hits all of them.

use anyhow::Result;
use std::time::Duration;

/// What a contestant is called, and a function that does the work once and says how long it took.
pub type Contestant<'a> = (&'a str, Box<dyn FnMut() -> Result<Duration> + 'a>);

/// The times of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was done.
    pub what: String,
    /// Each contestant and its times, round by round.
    pub times: Vec<(String, Vec<Duration>)>,
}

/// How often the work is done in one turn, at most: an agent's calls come in bursts.
const BURST: usize = 5;
/// After so much time a turn is over.
const TURN: Duration = Duration::from_millis(50);

/// What takes longer than this may be done in fewer rounds.
const SLOW: Duration = Duration::from_millis(500);

/// Runs contestants in turns; who begins changes from round to round. The first round warms up and is not counted. A turn
/// is a burst of the same work, and its median counts.
///
/// # Errors
/// When a contestant cannot do its work.
pub fn take_turns(what: &str, rounds: usize, contestants: Vec<Contestant<'_>>) -> Result<Row> {
    take_turns_with(what, (rounds, rounds), contestants)
}

/// Runs contestants in turns, as [`take_turns`] does, but those that take long in fewer rounds.
///
/// # Errors
/// When a contestant cannot do its work.
pub fn take_turns_with(
    what: &str,
    (rounds, of_slow): (usize, usize),
    mut contestants: Vec<Contestant<'_>>,
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

/// Does the work of one turn, and gives the median of its times.
fn burst(work: &mut dyn FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times = Vec::with_capacity(BURST);
    while times.len() < BURST && times.iter().sum::<Duration>() < TURN {
        times.push(work()?);
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Gives the middle of some numbers.
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

/// Gives the times in milliseconds.
#[must_use]
pub fn milliseconds(times: &[Duration]) -> Vec<f64> {
    times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect()
}

/// Gives the median of the ratios of two contestants, each ratio of one round.
#[must_use]
pub fn ratio(left: &[Duration], right: &[Duration]) -> f64 {
    let ratios: Vec<f64> =
        left.iter().zip(right).map(|(left, right)| left.as_secs_f64() / right.as_secs_f64()).collect();
    median(&ratios)
}
