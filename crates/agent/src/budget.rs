//! How much a piece of work may take, counted and judged in this one place.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How much a piece of work may take; what is none is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// How often the model is asked.
    pub turns: Option<u64>,
    /// How many calls are made.
    pub calls: Option<u64>,
    /// How many tokens all questions and answers have.
    pub tokens: Option<u64>,
    /// How long it takes.
    pub time: Option<Duration>,
}

/// What is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spent {
    /// The turns.
    Turns,
    /// The calls.
    Calls,
    /// The tokens.
    Tokens,
    /// The time.
    Time,
}

/// What was used of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// How much was used.
    pub used: u64,
    /// How much there was; none where there was no limit.
    pub limit: Option<u64>,
}

/// What was used of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// How often the model was asked.
    pub turns: Use,
    /// How many calls were made.
    pub calls: Use,
    /// How many tokens all questions and answers had.
    pub tokens: Use,
    /// How many seconds it took.
    pub seconds: Use,
}

/// What a piece of work may take, and what it took; a part of the work takes from the whole, too.
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
    /// Begins to count.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, began: Instant::now(), used: Mutex::default(), above: None })
    }

    /// Begins to count a part of the work, which has its own limits inside of those of the whole.
    #[must_use]
    pub fn part(self: &Arc<Self>, limits: Limits) -> Arc<Self> {
        let above = Some(self.clone());
        Arc::new(Self { limits, began: Instant::now(), used: Mutex::default(), above })
    }

    /// Takes a turn.
    ///
    /// # Errors
    /// With what is used up, of this or of the whole; nothing is taken then.
    pub fn turn(&self) -> Result<(), Spent> {
        self.open()?;
        self.take(Spent::Turns, |used| &mut used.turns, |limits| limits.turns)
    }

    /// Takes a call.
    ///
    /// # Errors
    /// As `turn`.
    pub fn call(&self) -> Result<(), Spent> {
        self.late()?;
        self.take(Spent::Calls, |used| &mut used.calls, |limits| limits.calls)
    }

    /// Counts tokens: how many an answer takes is known when it is there.
    pub fn tokens(&self, tokens: u64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.tokens = used.tokens.saturating_add(tokens);
        drop(used);
        if let Some(above) = &self.above {
            above.tokens(tokens);
        }
    }

    /// Says when the time is up.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        let own = self.limits.time.and_then(|time| self.began.checked_add(time));
        let above = self.above.as_ref().and_then(|above| above.due());
        own.into_iter().chain(above).min()
    }

    /// Says whether the time is up.
    ///
    /// # Errors
    /// With the time, when it is.
    pub fn late(&self) -> Result<(), Spent> {
        if self.due().is_some_and(|due| Instant::now() >= due) { Err(Spent::Time) } else { Ok(()) }
    }

    /// Gives what was used, and of how much.
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

    /// Says whether time and tokens are left.
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
        // Held on the way up, so that what is refused above is not taken here.
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
    /// Gives the word for it.
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
        // What was refused was not counted.
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
