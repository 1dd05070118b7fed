//! The layers around every call, in one order.

mod announce;
mod budget;
mod deadline;
mod fresh;
mod guard;
mod inner;
mod policy;
mod prepare;
mod trace;
mod turn;

use crate::{Call, Published, Question, Runtime};
use std::{future::Future, pin::Pin};
use toolpost_engine::{CallCtx, Failure, Kind, May};
use toolpost_tool::{Done, Prepared};
pub(crate) use turn::Turns;

/// The order of the layers on the way in; the reply passes them in reverse.
const ORDER: [Layer; 10] = [
    trace::layer,    // first, so that everything is in the span
    announce::layer, // before anything can fail: an invalid call is announced, too
    guard::layer,    // around all that follows: a panic ends the call, not the server
    prepare::layer,  // find, decode, lower: from here on the touches are known
    budget::layer,   // around all layers that can reply, so that every reply is truncated
    inner::layer,    // before the prompt: a nested call that is not permitted causes no prompt
    policy::layer,   // before a lock is taken: no call waits for another call's prompt
    deadline::layer, // after the prompt: the user's time does not count
    turn::layer,     // before freshness is checked: no other writer of the path intervenes
    fresh::layer,    // last: the content that is compared is the content that is overwritten
];

/// A call on its way through the layers.
pub(crate) struct Trip<'a> {
    pub(crate) id: u64,
    pub(crate) published: Option<&'a Published>,
    pub(crate) call: Call,
    pub(crate) cx: CallCtx,
    pub(crate) prepared: Option<Prepared>,
    /// The limits of a nested call; `None` for a call of the client.
    pub(crate) within: Option<Within>,
}

/// The most bytes of any reply, whatever the caller requested.
const MOST: usize = 16 * 1024 * 1024;

/// The limits of a nested call.
pub(crate) struct Within {
    /// The number of the call that makes it.
    pub(crate) parent: u64,
    /// The most bytes of its reply.
    pub(crate) reply_bytes: usize,
    /// The permitted actions.
    pub(crate) may: May,
}

impl Trip<'_> {
    /// Returns the prepared call; layers after `prepare` can rely on it.
    fn prepared(&self) -> Result<&Prepared, Stop> {
        self.prepared.as_ref().ok_or_else(unprepared)
    }

    /// Returns the limit of the reply in bytes: the operator's or the dialect's, and less for a nested call.
    fn reply_bytes(&self, runtime: &Runtime) -> usize {
        let own = self.published.map_or(usize::MAX, |published| published.dialect.budget.bytes);
        let bytes = runtime.config.reply_bytes.unwrap_or(own);
        self.within.as_ref().map_or(bytes, |within| within.reply_bytes.min(bytes))
    }

    /// Returns the limit of the reply in bytes if the caller requested the full output.
    fn most_bytes(&self, runtime: &Runtime) -> usize {
        let bytes = runtime.config.reply_bytes.unwrap_or(MOST);
        self.within.as_ref().map_or(bytes, |within| within.reply_bytes.min(bytes))
    }
}

/// The reason why a call did not complete.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(Failure),
    Ask(Box<Question>),
    NoSuchTool(String),
    /// The call is not permitted as a nested call.
    Refused(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The result that returns through the layers.
pub(crate) type Back = Result<Done, Stop>;
/// The future of a call that is passing through the layers.
pub(crate) type Going<'a> = Pin<Box<dyn Future<Output = Back> + Send + 'a>>;
type Layer = for<'a> fn(Trip<'a>, Next<'a>) -> Going<'a>;

/// The remaining layers.
pub(crate) struct Next<'a> {
    pub(crate) runtime: &'a Runtime,
    rest: &'static [Layer],
}

impl<'a> Next<'a> {
    /// Continues with the next layer, or runs the operation.
    pub(crate) fn go(self, trip: Trip<'a>) -> Going<'a> {
        match self.rest.split_first() {
            Some((layer, rest)) => layer(trip, Next { runtime: self.runtime, rest }),
            None => Box::pin(run(self.runtime, trip)),
        }
    }
}

impl Runtime {
    pub(crate) fn go<'a>(&'a self, trip: Trip<'a>) -> Going<'a> {
        Next { runtime: self, rest: &ORDER }.go(trip)
    }
}

async fn run(runtime: &Runtime, trip: Trip<'_>) -> Back {
    let prepared = trip.prepared.ok_or_else(unprepared)?;
    Ok((prepared.run)(&runtime.engine, &trip.cx).await?)
}

fn unprepared() -> Stop {
    Stop::Failed(Failure::new(Kind::Internal, "The call reached a layer before it was prepared."))
}
