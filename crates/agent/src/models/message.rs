//! What is said to a model and by it, in no provider's form.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, sync::Arc};

/// A question: all that was said so far, and the tools that may be called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// What holds for the whole conversation.
    pub system: String,
    /// What was said so far.
    pub messages: Vec<Message>,
    /// The tools that may be called.
    pub tools: Vec<Offer>,
    /// How many tokens the answer may have, where that is not the provider's own number.
    pub most_tokens: Option<u32>,
}

/// A tool, as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The name under which it is called.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The schema of its arguments.
    pub schema: Value,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    /// What the user says, or what stands for them.
    User {
        /// The words.
        text: String,
    },
    /// What the model said.
    Model(Said),
    /// What came of the calls that the model made.
    Results {
        /// One for each call.
        results: Vec<Answered>,
    },
    /// The results of calls that the model wrote as text; providers see a message of the user.
    Replies {
        /// One for each call.
        results: Vec<Answered>,
    },
}

impl Message {
    /// Returns the results that the message holds.
    #[must_use]
    pub fn results(&self) -> &[Answered] {
        match self {
            Self::Results { results } | Self::Replies { results } => results,
            Self::User { .. } | Self::Model(_) => &[],
        }
    }

    /// Returns the results that the message holds, to be changed.
    pub(crate) fn results_mut(&mut self) -> &mut [Answered] {
        match self {
            Self::Results { results } | Self::Replies { results } => results,
            Self::User { .. } | Self::Model(_) => &mut [],
        }
    }
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Its words.
    pub text: String,
    /// The calls that it makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Asked>,
    /// What the provider wants to have back as it was: signed thoughts, which nobody else can read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Value>,
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// By what its result is known.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments as the model wrote them, which need not be JSON.
    pub arguments: String,
    /// What the provider wants to have back with the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The call.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The words of the reply, or of the failure.
    pub words: String,
    /// How it went.
    pub went: Went,
    /// The pictures of the reply that a model can be shown; the words say where each stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
}

/// A picture, as models take one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Its media type.
    pub mime: String,
    /// Its bytes, in base64.
    pub data: Arc<str>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a picture ({}, {} letters)", self.mime, self.data.len())
    }
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Went {
    /// It was done.
    Done,
    /// It was not done; the words say why.
    Failed,
}

/// An answer that has come to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// What was said.
    pub said: Said,
    /// Why nothing more comes.
    pub stop: Stop,
    /// What it took; nothing where the provider does not say.
    pub usage: Option<Usage>,
}

/// Why an answer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The model has said what it had to say, or waits for its calls.
    End,
    /// The answer may not be longer.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// The provider's own word.
    Other(String),
}

/// How many tokens an answer took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Those of the question, with those that came from a cache.
    pub asked: u64,
    /// Those of the answer, with what the model said to itself.
    pub said: u64,
    /// Those of the question that came from a cache.
    pub cached: u64,
}

impl Usage {
    /// Gives the tokens of question and answer.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.asked.saturating_add(self.said)
    }

    /// Adds what another answer took.
    pub fn add(&mut self, other: Self) {
        self.asked = self.asked.saturating_add(other.asked);
        self.said = self.said.saturating_add(other.said);
        self.cached = self.cached.saturating_add(other.cached);
    }
}
