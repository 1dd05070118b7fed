//! The runtime: runs every call of a tool through the layers, such as policy and deadline, to its operation.

mod answer;
mod ask;
mod bridged;
mod call;
mod catalogue;
mod config;
mod dispatcher;
mod events;
mod instructions;
mod known_tools;
mod layers;
mod narrow;
mod nested_calls;
mod operation_call;
mod permissions;
mod published;
mod read_cache;
mod runtime;
mod services;
mod target;
mod wording;
mod write_queue;

pub use answer::{Outcome, ToolReply};
pub use ask::{Addition, Asker, Question, Span, Verdict, VerdictFuture};
pub use call::{Call, OperationCall};
pub use catalogue::Catalogue;
pub use config::{Config, StructuredOutput};
pub use events::{Detail, Event, Events, Status};
pub use narrow::{NarrowError, ToolSelection};
pub use published::{Published, UpstreamToolDefinition};
pub use runtime::Runtime;
pub use toolpost_policy::{
    Approvable, CommandExplanation, Decision, FurtherWords, JudgedSegment, JudgedTouch, LearnError, Origin,
    Policy, PolicyError, Rule, RuleSource, UnjudgedPart, UnreachableReason,
};
