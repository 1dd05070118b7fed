//! Budgets of agent runs: the only module that counts usage and enforces limits.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolpost_engine::AgentStopReason;

/// Limits on a run; `None` means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of turns: model requests, except those that compact the conversation.
    pub turns: Option<u64>,
    /// Maximum number of tool calls.
    pub calls: Option<u64>,
    /// Maximum number of tokens, input and output.
    pub tokens: Option<u64>,
    /// Maximum duration of the run.
    pub time: Option<Duration>,
}

/// A limit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLimit {
    /// Limit on the number of turns.
    Turns,
    /// Limit on the number of tool calls.
    Calls,
    /// Limit on the number of tokens.
    Tokens,
    /// Limit on the duration of the run.
    Time,
}

/// Used and permitted amount of requests, calls, tokens or seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Amount used so far.
    pub used: u64,
    /// Permitted amount; `None` means unlimited.
    pub limit: Option<u64>,
}

/// Usage of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Number of model requests.
    pub turns: Use,
    /// Number of tool calls.
    pub calls: Use,
    /// Number of tokens, input and output.
    pub tokens: Use,
    /// Time since the budget was created, in seconds.
    pub seconds: Use,
}

/// Limits and usage of a run. The usage of a sub-budget also counts in its parent.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    began: Instant,
    used: Mutex<UsageCounts>,
    above: Option<Arc<Self>>,
}

#[derive(Debug, Default)]
struct UsageCounts {
    turns: u64,
    calls: u64,
    tokens: u64,
}

impl Budget {
    /// Creates a budget without a parent. Its time limit starts now.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, began: Instant::now(), used: Mutex::default(), above: None })
    }

    /// Creates a sub-budget, with its own limits within those of this budget.
    #[must_use]
    pub fn part(self: &Arc<Self>, limits: Limits) -> Arc<Self> {
        let above = Some(self.clone());
        Arc::new(Self { limits, began: Instant::now(), used: Mutex::default(), above })
    }

    /// Counts a model request.
    ///
    /// # Errors
    /// If the limit on time, tokens or turns is reached, in this budget or a parent; then nothing is counted.
    pub fn turn(&self) -> Result<(), BudgetLimit> {
        self.open()?;
        self.take(BudgetLimit::Turns, |used| &mut used.turns, |limits| limits.turns)
    }

    /// Counts a tool call.
    ///
    /// # Errors
    /// If the limit on time or tool calls is reached, in this budget or a parent; then nothing is counted.
    pub fn call(&self) -> Result<(), BudgetLimit> {
        self.late()?;
        self.take(BudgetLimit::Calls, |used| &mut used.calls, |limits| limits.calls)
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

    /// Returns the earliest deadline of this budget and its parents; `None` without a time limit.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        let own = self.limits.time.and_then(|time| self.began.checked_add(time));
        let above = self.above.as_ref().and_then(|above| above.due());
        own.into_iter().chain(above).min()
    }

    /// Checks that the deadline has not passed.
    ///
    /// # Errors
    /// If the deadline of this budget or of a parent has passed.
    pub fn late(&self) -> Result<(), BudgetLimit> {
        if self.due().is_some_and(|due| Instant::now() >= due) { Err(BudgetLimit::Time) } else { Ok(()) }
    }

    /// Returns the limits of this budget and how much of each is used.
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
    fn open(&self) -> Result<(), BudgetLimit> {
        self.late()?;
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner).tokens;
        if self.limits.tokens.is_some_and(|limit| used >= limit) {
            return Err(BudgetLimit::Tokens);
        }
        self.above.as_ref().map_or(Ok(()), |above| above.open())
    }

    fn take(
        &self,
        what: BudgetLimit,
        count: fn(&mut UsageCounts) -> &mut u64,
        limit: fn(&Limits) -> Option<u64>,
    ) -> Result<(), BudgetLimit> {
        // The lock is held while the parent counts, so that nothing is counted here if the parent refuses.
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

impl From<BudgetLimit> for AgentStopReason {
    fn from(spent: BudgetLimit) -> Self {
        match spent {
            BudgetLimit::Turns => Self::Turns,
            BudgetLimit::Calls => Self::Calls,
            BudgetLimit::Tokens => Self::Tokens,
            BudgetLimit::Time => Self::Time,
        }
    }
}

impl BudgetLimit {
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
    fn usage_of_a_part_counts_towards_the_whole_budget() {
        let whole = Budget::new(Limits { turns: Some(3), calls: Some(2), tokens: Some(100), time: None });
        let part = whole.part(Limits { turns: Some(2), ..Limits::default() });
        let other = whole.part(Limits::default());
        assert_eq!([part.turn(), part.turn(), part.turn()], [Ok(()), Ok(()), Err(BudgetLimit::Turns)]);
        assert_eq!([other.turn(), other.turn()], [Ok(()), Err(BudgetLimit::Turns)]);
        assert_eq!([other.call(), part.call(), part.call()], [Ok(()), Ok(()), Err(BudgetLimit::Calls)]);
        part.tokens(100);
        assert_eq!(other.turn(), Err(BudgetLimit::Tokens));
        // The refused request was not counted.
        assert_eq!(whole.account().to_string(), "3/3 turns, 2/2 calls, 100/100 tokens, 0 s");
        assert_eq!(part.account().to_string(), "2/2 turns, 1 calls, 100 tokens, 0 s");
    }

    #[test]
    fn time_limit_of_the_whole_budget_applies_to_parts() {
        let whole = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
        let part = whole.part(Limits { time: Some(Duration::from_secs(60)), ..Limits::default() });
        assert_eq!(
            (part.turn(), part.call(), part.late()),
            (Err(BudgetLimit::Time), Err(BudgetLimit::Time), Err(BudgetLimit::Time))
        );
    }
}
