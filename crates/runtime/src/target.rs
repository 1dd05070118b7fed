//! The target of a call: a published tool, or an operation that a program calls without a tool.

use crate::published::Published;
use std::time::Duration;
use toolpost_engine::{Access, Fresh};
use toolpost_tool::{Budget, DecodedCall, Dialect, TruncationPolicy};

/// The limits of an operation that is called without a tool, if no dialect is open.
const BUDGET: Budget = Budget { bytes: 64 * 1024, lines: usize::MAX, cut: TruncationPolicy::Head };
const DEADLINE: Duration = Duration::from_secs(60);

/// The request of a call that has arrived.
pub(crate) enum Requested<'a> {
    /// A tool, whose arguments are not decoded yet.
    Tool(&'a Published),
    /// No tool that the caller may call has the name in the call.
    NoTool,
    /// An operation with a typed request.
    Operation(OperationTarget, DecodedCall),
}

impl<'a> From<Option<&'a Published>> for Requested<'a> {
    fn from(published: Option<&'a Published>) -> Self {
        published.map_or(Self::NoTool, Self::Tool)
    }
}

impl<'a> Requested<'a> {
    /// Returns the called tool; `None` if an operation is called without a tool, or the tool does not exist.
    pub(crate) fn tool(&self) -> Option<&'a Published> {
        match self {
            Self::Tool(published) => Some(published),
            Self::NoTool | Self::Operation(..) => None,
        }
    }

    /// Returns the name of the operation; `None` if no tool has the name in the call.
    pub(crate) fn operation(&self) -> Option<&'static str> {
        match self {
            Self::Tool(published) => Some(published.operation()),
            Self::NoTool => None,
            Self::Operation(_, prepared) => Some(prepared.operation),
        }
    }
}

/// The target of a call, whose limits and accesses the layers use.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    Tool(&'a Published),
    Operation(OperationTarget),
}

/// An operation that is called without a tool.
#[derive(Clone, Copy)]
pub(crate) struct OperationTarget {
    /// Every kind of access that the operation can need.
    pub(crate) access: &'static [Access],
    /// The dialect whose limits hold for the call; `None` if no dialect is open.
    pub(crate) dialect: Option<&'static Dialect>,
}

impl Target<'_> {
    /// Returns the dialect whose limits hold for the call.
    fn dialect(&self) -> Option<&'static Dialect> {
        match self {
            Self::Tool(published) => Some(published.dialect),
            Self::Operation(operation) => operation.dialect,
        }
    }

    /// Returns the origin of the called name, for an approval prompt: a dialect, or the operations.
    pub(crate) fn origin(&self) -> &'static str {
        match self {
            Self::Tool(published) => published.dialect.name,
            Self::Operation(_) => "operation",
        }
    }

    /// Returns the kinds of access that the target can make at most.
    pub(crate) fn access(&self) -> &'static [Access] {
        match self {
            Self::Tool(published) => published.access(),
            Self::Operation(operation) => operation.access,
        }
    }

    /// Returns the size limits of a reply.
    pub(crate) fn budget(&self) -> Budget {
        self.dialect().map_or(BUDGET, |dialect| dialect.budget)
    }

    /// Returns the time limit of a call.
    pub(crate) fn deadline(&self) -> Duration {
        self.dialect().map_or(DEADLINE, |dialect| dialect.deadline)
    }

    /// Returns the rule for what a session must have read before it writes.
    pub(crate) fn fresh(&self) -> Fresh {
        self.dialect().map_or(Fresh::REQUIRED, |dialect| dialect.fresh)
    }
}
