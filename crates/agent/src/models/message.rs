//! Conversation with a model, independent of the provider.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, sync::Arc};

/// A request: the conversation so far, and the callable tools.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// System prompt.
    pub system: String,
    /// Messages of the conversation so far.
    pub messages: Vec<Message>,
    /// Tools that the model may call.
    pub tools: Vec<ToolDefinition>,
    /// Maximum size of the answer, in tokens; `None` for the provider's default.
    pub most_tokens: Option<u32>,
}

/// Definition of a tool for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Name of the tool.
    pub name: String,
    /// Description of the tool.
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    /// Message of the user, or on the user's behalf.
    User {
        /// Text of the message.
        text: String,
    },
    /// Message of the model.
    Model(ModelMessage),
    /// Results of the model's calls.
    Results {
        /// One result for each call.
        results: Vec<ToolResult>,
    },
    /// Results of calls that the model wrote as text; providers get them as a user message.
    Replies {
        /// One result for each call.
        results: Vec<ToolResult>,
    },
}

impl Message {
    /// Returns the results of tool calls in the message; empty if it has none.
    #[must_use]
    pub fn results(&self) -> &[ToolResult] {
        match self {
            Self::Results { results } | Self::Replies { results } => results,
            Self::User { .. } | Self::Model(_) => &[],
        }
    }

    /// Returns the results of tool calls in the message, for modification.
    pub(crate) fn results_mut(&mut self) -> &mut [ToolResult] {
        match self {
            Self::Results { results } | Self::Replies { results } => results,
            Self::User { .. } | Self::Model(_) => &mut [],
        }
    }
}

/// Message of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// Text of the model's message.
    pub text: String,
    /// Tool calls that the model makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRequest>,
    /// Opaque data that the provider needs back unchanged, such as signed thoughts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Value>,
}

/// A tool call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRequest {
    /// Id that links the result to the call.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the model wrote them; not necessarily valid JSON.
    pub arguments: String,
    /// Opaque data that the provider needs back with the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Id of the call.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Text of the reply or the failure.
    pub words: String,
    /// Status of the call.
    pub went: CallStatus,
    /// Images of the reply for the model; the text marks the position of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
}

/// An image in the form that models accept.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Media type, such as `image/png`.
    pub mime: String,
    /// Content, in base64.
    pub data: Arc<str>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an image ({}, {} base64 characters)", self.mime, self.data.len())
    }
}

/// Status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The call was successful.
    Done,
    /// The call failed; the text of its result states the reason.
    Failed,
}

/// A complete answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The model's message.
    pub message: ModelMessage,
    /// Reason why the answer ended.
    pub stop: Stop,
    /// Token usage; `None` if the provider does not report it.
    pub usage: Option<Usage>,
}

/// Reason why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The model has finished, or waits for the results of its calls.
    End,
    /// The maximum length was reached.
    Length,
    /// The provider withheld the rest of the answer.
    Filtered,
    /// Another reason, in the provider's term.
    Other(String),
}

/// Token usage of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub asked: u64,
    /// Output tokens, including thoughts.
    pub said: u64,
    /// Input tokens from a cache.
    pub cached: u64,
}

impl Usage {
    /// Returns the sum of input and output tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.asked.saturating_add(self.said)
    }

    /// Adds the usage of another answer.
    pub fn add(&mut self, other: Self) {
        self.asked = self.asked.saturating_add(other.asked);
        self.said = self.said.saturating_add(other.said);
        self.cached = self.cached.saturating_add(other.cached);
    }
}
