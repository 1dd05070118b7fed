//! The runtime: every call passes through its layers, in the order of `layers/mod.rs`.

mod answer;
mod ask;
mod bridged;
mod call;
mod catalogue;
mod door;
mod events;
mod instructions;
mod judged;
mod layers;
mod narrow;
mod published;
mod runtime;
mod wording;

pub use answer::{Answer, Outcome};
pub use ask::{Addition, Asker, Asking, Question, Span, Verdict};
pub use call::Call;
pub use catalogue::Catalogue;
pub use events::{Detail, Event, Events, Status};
pub use narrow::{Narrow, NarrowError};
pub use published::{Described, Published};
pub use runtime::{Config, Runtime, Structured};
pub use toolpost_policy::{
    Approvable, Decision, Explained, FurtherWords, JudgedSegment, JudgedTouch, LearnError, Origin, Policy,
    PolicyError, Rule, RuleSource, Uncertain,
};
