//! Nested calls: an operation calls other tools through a gateway, under the same rules as a client.

use crate::access::Access;
use schemars::JsonSchema;
use serde::Serialize;
use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Instant};
use tokio_util::sync::CancellationToken;

/// A tool call that an operation makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerCall {
    /// The published name of the tool.
    pub tool: String,
    /// The arguments as unparsed JSON text.
    pub arguments: String,
    /// The maximum size of the reply, in bytes.
    pub reply_bytes: usize,
    /// The deadline of the call that makes this one; `None` if it has none. When the deadline passes, the nested call
    /// returns the results that were found until then, or fails.
    pub due: Option<Instant>,
    /// The permissions: only reading, or everything that the rules allow.
    pub may: NestedCallPermissions,
    /// Display of images in the reply.
    pub pictures: Pictures,
}

/// Display of images in the reply of a nested call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// The text names the images and explains how to see them; the images are not returned.
    Named,
    /// The images are returned with the text, which marks the position of each image.
    Given,
}

/// The permissions of a nested call. No nested call may make further nested calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NestedCallPermissions {
    /// Only reading, without a prompt. Many read-only nested calls can run at the same time.
    Read,
    /// Everything that the rules allow. Prompts go to the same user as for the client's calls.
    Everything,
}

/// A tool that an operation can call through the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallableTool {
    /// The name under which the tool is published to clients.
    pub name: String,
    /// The description of the tool, in one paragraph.
    pub description: String,
    /// The JSON schema of the tool's arguments, as text.
    pub schema: String,
    /// All kinds of access that a call of the tool can need.
    pub access: Vec<Access>,
}

/// The answer of a nested call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerAnswer {
    /// The outcome: success, failure, refusal or cancellation.
    pub ended: CallOutcome,
    /// The text of the reply or of the failure.
    pub words: String,
    /// The images, in the order in which the text marks them; empty if they were not requested.
    pub pictures: Vec<InnerPicture>,
}

/// An image in the reply of a nested call.
#[derive(Clone, PartialEq, Eq)]
pub struct InnerPicture {
    /// The media type, for example `image/png`.
    pub mime: String,
    /// The bytes of the encoded image.
    pub data: Vec<u8>,
}

impl fmt::Debug for InnerPicture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an image ({}, {} bytes)", self.mime, self.data.len())
    }
}

impl InnerAnswer {
    /// Creates an answer with text and without images.
    #[must_use]
    pub fn of_words(ended: CallOutcome, words: String) -> Self {
        Self { ended, words, pictures: Vec::new() }
    }
}

/// The outcome of a nested call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The call succeeded.
    Done,
    /// The call failed, or there is no such tool.
    Failed,
    /// The call was not made: it is not allowed, needs a prompt, or would exceed a limit.
    Refused,
    /// The call was cancelled or abandoned while it ran.
    GivenUp,
    /// The call was never started.
    Skipped,
}

/// A future that resolves to the answer of a nested call.
pub type NestedCallFuture<'a> = Pin<Box<dyn Future<Output = InnerAnswer> + Send + 'a>>;

/// The gateway for calls that an operation makes; these calls cannot make further calls.
pub trait CallGateway: Send + Sync {
    /// Makes a call in the session of the gateway.
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> NestedCallFuture<'a>;

    /// Lists the tools that can be called, in the order in which they are published. Tools that make nested
    /// calls are not included.
    fn tools(&self) -> Vec<CallableTool>;

    /// Returns a gateway to the same tools with a separate session, in which no file counts as read yet.
    fn apart(&self) -> Arc<dyn CallGateway>;
}
