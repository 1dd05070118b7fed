//! Budgets of agent runs: the only place that counts usage and enforces limits.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Limits of a run; `None` means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Number of model requests.
    pub turns: Option<u64>,
    /// Number of tool calls.
    pub calls: Option<u64>,
    /// Number of tokens, input and output.
    pub tokens: Option<u64>,
    /// Duration.
    pub time: Option<Duration>,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spent {
    /// Model requests.
    Turns,
    /// Tool calls.
    Calls,
    /// Tokens.
    Tokens,
    /// Time.
    Time,
}

/// Usage of one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Amount used.
    pub used: u64,
    /// The limit, if any.
    pub limit: Option<u64>,
}

/// Usage of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Model requests.
    pub turns: Use,
    /// Tool calls.
    pub calls: Use,
    /// Tokens, input and output.
    pub tokens: Use,
    /// Time, in seconds.
    pub seconds: Use,
}

/// Limits and usage of a run. Usage of a part also counts in the whole.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    began: Instant,
    used: Mutex<Used>,
    above: Option<Arc<Self>>,
}

#[derive(Debug, Default)]
struct Used {
    turns: u64,
    calls: u64,
    tokens: u64,
}

impl Budget {
    /// Starts a budget.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, began: Instant::now(), used: Mutex::default(), above: None })
    }

    /// Starts the budget of a part, which has its own limits within those of the whole.
    #[must_use]
    pub fn part(self: &Arc<Self>, limits: Limits) -> Arc<Self> {
        let above = Some(self.clone());
        Arc::new(Self { limits, began: Instant::now(), used: Mutex::default(), above })
    }

    /// Counts a model request.
    ///
    /// # Errors
    /// With the exhausted limit of this budget or the whole; then nothing is counted.
    pub fn turn(&self) -> Result<(), Spent> {
        self.open()?;
        self.take(Spent::Turns, |used| &mut used.turns, |limits| limits.turns)
    }

    /// Counts a tool call.
    ///
    /// # Errors
    /// Same as `turn`.
    pub fn call(&self) -> Result<(), Spent> {
        self.late()?;
        self.take(Spent::Calls, |used| &mut used.calls, |limits| limits.calls)
    }

    /// Counts the tokens of an answer; their number is known only afterwards.
    pub fn tokens(&self, tokens: u64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.tokens = used.tokens.saturating_add(tokens);
        drop(used);
        if let Some(above) = &self.above {
            above.tokens(tokens);
        }
    }

    /// Returns the deadline.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        let own = self.limits.time.and_then(|time| self.began.checked_add(time));
        let above = self.above.as_ref().and_then(|above| above.due());
        own.into_iter().chain(above).min()
    }

    /// Checks the deadline.
    ///
    /// # Errors
    /// With the time limit, if it has passed.
    pub fn late(&self) -> Result<(), Spent> {
        if self.due().is_some_and(|due| Instant::now() >= due) { Err(Spent::Time) } else { Ok(()) }
    }

    /// Returns the usage.
    #[must_use]
    pub fn account(&self) -> Account {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = self.limits;
        Account {
            turns: Use { used: used.turns, limit: limits.turns },
            calls: Use { used: used.calls, limit: limits.calls },
            tokens: Use { used: used.tokens, limit: limits.tokens },
            seconds: Use {
                used: self.began.elapsed().as_secs(),
                limit: limits.time.map(|time| time.as_secs()),
            },
        }
    }

    /// Checks that time and tokens are left.
    fn open(&self) -> Result<(), Spent> {
        self.late()?;
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner).tokens;
        if self.limits.tokens.is_some_and(|limit| used >= limit) {
            return Err(Spent::Tokens);
        }
        self.above.as_ref().map_or(Ok(()), |above| above.open())
    }

    fn take(
        &self,
        what: Spent,
        count: fn(&mut Used) -> &mut u64,
        limit: fn(&Limits) -> Option<u64>,
    ) -> Result<(), Spent> {
        // The lock is held while the whole is checked, so that a refusal there counts nothing here.
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if limit(&self.limits).is_some_and(|limit| *count(&mut used) >= limit) {
            return Err(what);
        }
        if let Some(above) = &self.above {
            above.take(what, count, limit)?;
        }
        *count(&mut used) += 1;
        Ok(())
    }
}

impl Spent {
    /// Returns the name of the limit.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Time => "time",
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |what: &Use| match what.limit {
            Some(limit) => format!("{}/{limit}", what.used),
            None => what.used.to_string(),
        };
        write!(
            out,
            "{} turns, {} calls, {} tokens, {} s",
            part(&self.turns),
            part(&self.calls),
            part(&self.tokens),
            part(&self.seconds)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_from_the_whole() {
        let whole = Budget::new(Limits { turns: Some(3), calls: Some(2), tokens: Some(100), time: None });
        let part = whole.part(Limits { turns: Some(2), ..Limits::default() });
        let other = whole.part(Limits::default());
        assert_eq!([part.turn(), part.turn(), part.turn()], [Ok(()), Ok(()), Err(Spent::Turns)]);
        assert_eq!([other.turn(), other.turn()], [Ok(()), Err(Spent::Turns)]);
        assert_eq!([other.call(), part.call(), part.call()], [Ok(()), Ok(()), Err(Spent::Calls)]);
        part.tokens(100);
        assert_eq!(other.turn(), Err(Spent::Tokens));
        // The refused request was not counted.
        assert_eq!(whole.account().to_string(), "3/3 turns, 2/2 calls, 100/100 tokens, 0 s");
        assert_eq!(part.account().to_string(), "2/2 turns, 1 calls, 100 tokens, 0 s");
    }

    #[test]
    fn the_time_of_the_whole_is_that_of_its_parts() {
        let whole = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
        let part = whole.part(Limits { time: Some(Duration::from_secs(60)), ..Limits::default() });
        assert_eq!(
            (part.turn(), part.call(), part.late()),
            (Err(Spent::Time), Err(Spent::Time), Err(Spent::Time))
        );
    }
}
