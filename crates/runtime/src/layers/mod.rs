//! The layers around every call, and their order.

mod announce;
mod budget;
mod deadline;
mod freshness;
mod guard;
mod nested;
mod policy;
mod prepare;
mod state;
mod trace;
mod turn;

use crate::services::Services;
use announce::Announce;
use budget::LimitReply;
use deadline::Deadline;
use freshness::Freshness;
use guard::Guard;
use nested::LimitNested;
use policy::Permit;
use prepare::Prepare;
use trace::Trace;
use turn::WriteTurn;

pub(crate) use state::{Arrival, CallError, CallOrigin, CallState, NestedLimits, ReceivedCall};
use state::{LayerFuture, LayerPath, Path};

/// The order of the layers on the way in; the reply passes them in reverse. Each layer names the one that it
/// comes after, so a path that leaves one out, or swaps two, does not compile.
type Order = LayerPath<Trace, AfterTrace>; // first, so that everything is in the span
type AfterTrace = LayerPath<Announce, AfterAnnounce>; // before anything can fail: an invalid call is announced, too
type AfterAnnounce = LayerPath<Guard, AfterGuard>; // around all that follows: a panic ends the call, not the server
type AfterGuard = LayerPath<Prepare, AfterPrepare>; // find, decode, lower: from here on the accesses are known
type AfterPrepare = LayerPath<LimitReply, AfterLimitReply>; // around all layers that produce a reply: a successful reply is cut to the budget
type AfterLimitReply = LayerPath<LimitNested, AfterLimitNested>; // before the prompt: a read-only nested call must not cause one
type AfterLimitNested = LayerPath<Permit, AfterPermit>; // before a lock is taken: no call waits for another's prompt
type AfterPermit = LayerPath<Deadline, AfterDeadline>; // after the prompt: the user's time does not count
type AfterDeadline = LayerPath<WriteTurn, AfterWriteTurn>; // before freshness: no other writer of the path intervenes
type AfterWriteTurn = LayerPath<Freshness, Operation>; // last: the content compared is the content overwritten

/// The operation of the called tool, at the end of the path through the layers.
struct Operation;

impl Path for Operation {
    type From = Freshness;

    fn run<'a>(services: &'a Services, state: CallState<'a, Freshness>) -> LayerFuture<'a> {
        Box::pin(async move {
            let data = state.data;
            Ok((data.prepared.run)(&services.engine, &data.cx).await?)
        })
    }
}

/// Runs a call through every layer to its operation, and the result back through the layers.
pub(crate) fn run<'a>(services: &'a Services, state: CallState<'a, Arrival>) -> LayerFuture<'a> {
    Order::run(services, state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::marker::PhantomData;

    /// A type that may implement `Path`. `IS_PATH` is true only if it does: an inherent constant takes
    /// precedence over a trait's constant.
    struct Candidate<T>(PhantomData<T>);

    impl<T: Path> Candidate<T> {
        const IS_PATH: bool = true;
    }

    trait NoPath {
        const IS_PATH: bool = false;
    }

    impl<T> NoPath for Candidate<T> {}

    #[test]
    fn a_path_without_one_of_its_layers_does_not_compile() {
        const { assert!(Candidate::<Order>::IS_PATH && Candidate::<AfterWriteTurn>::IS_PATH) };
        let left_out = [
            ("announce", Candidate::<LayerPath<Trace, AfterAnnounce>>::IS_PATH),
            ("guard", Candidate::<LayerPath<Announce, AfterGuard>>::IS_PATH),
            ("prepare", Candidate::<LayerPath<Guard, AfterPrepare>>::IS_PATH),
            ("limit of the reply", Candidate::<LayerPath<Prepare, AfterLimitReply>>::IS_PATH),
            ("limits of nested calls", Candidate::<LayerPath<LimitReply, AfterLimitNested>>::IS_PATH),
            ("permissions", Candidate::<LayerPath<LimitNested, AfterPermit>>::IS_PATH),
            ("deadline", Candidate::<LayerPath<Permit, AfterDeadline>>::IS_PATH),
            ("turn", Candidate::<LayerPath<Deadline, AfterWriteTurn>>::IS_PATH),
            ("freshness", Candidate::<LayerPath<WriteTurn, Operation>>::IS_PATH),
            ("all but trace", Candidate::<LayerPath<Trace, Operation>>::IS_PATH),
            (
                "order of turn and freshness",
                Candidate::<LayerPath<Freshness, LayerPath<WriteTurn, Operation>>>::IS_PATH,
            ),
        ];
        let compile: Vec<&str> = left_out.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect();
        assert_eq!(compile, Vec::<&str>::new(), "these paths would compile");
    }
}
