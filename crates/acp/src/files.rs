//! File access of an external agent through the runtime, so that policy, event log and history apply.

use agent_client_protocol::{
    Error,
    v1::schema::{ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Progress, SeenContent, SeenRange, Session};
use toolpost_runtime::{Asker, Call, Outcome, Runtime};
use toolpost_workspace::hash;

/// File access: a runtime with a tool to read and one to write.
#[derive(Clone)]
pub struct Disk {
    /// Runtime that makes the calls.
    pub runtime: Arc<Runtime>,
    /// Asker for approval prompts.
    pub asker: Arc<dyn Asker>,
    /// Name of the tool that reads a file, with the parameter `file_path`.
    pub read: &'static str,
    /// Name of the tool that writes a file, with the parameters `file_path` and `content`.
    pub write: &'static str,
}

/// File access of one session.
pub(super) struct Files {
    disk: Disk,
    session: Arc<Session>,
    cancel: CancellationToken,
}

impl Files {
    pub(super) fn new(disk: Disk, cancel: CancellationToken) -> Self {
        Self { disk, session: Session::new(), cancel }
    }

    /// Returns the text of a file, or some of its lines.
    pub(super) async fn read(&self, request: ReadTextFileRequest) -> Result<ReadTextFileResponse, Error> {
        let said = text(&request.path)?;
        // The tool reads only the first line: that applies the policy, logs the access, and puts the whole content of
        // the file into the session.
        self.call(self.disk.read, json!({ "file_path": said, "limit": 1 })).await?;
        let path = self.disk.runtime.engine().resolve(said).map_err(|failure| refused(failure.what))?;
        let bytes = self.session.remembered(&path).ok_or_else(|| {
            refused(format!("{said} is not text, or is too large; read it with Toolpost's MCP tools"))
        })?;
        let Ok(whole) = std::str::from_utf8(&bytes) else {
            return Err(refused(format!("{said} is not UTF-8; read it with Toolpost's MCP tools")));
        };
        let first = usize::try_from(request.line.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
        let many = request.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let content: String = whole.split_inclusive('\n').skip(first - 1).take(many).collect();
        let part = if content.len() == whole.len() {
            SeenRange::Whole
        } else {
            let lines = content.split_inclusive('\n').count();
            let (first, lines) =
                (u64::try_from(first).unwrap_or(u64::MAX), u64::try_from(lines).unwrap_or(u64::MAX));
            SeenRange::Lines(first..=first.saturating_add(lines).saturating_sub(1))
        };
        self.session.record(SeenContent { path, hash: Some(hash(&bytes)), part, bytes: Some(bytes.clone()) });
        Ok(ReadTextFileResponse::new(content))
    }

    /// Writes a whole file.
    pub(super) async fn write(&self, request: WriteTextFileRequest) -> Result<WriteTextFileResponse, Error> {
        let said = text(&request.path)?;
        self.call(self.disk.write, json!({ "file_path": said, "content": request.content })).await?;
        Ok(WriteTextFileResponse::new())
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<(), Error> {
        let call = Call {
            tool: tool.to_owned(),
            arguments,
            session: self.session.clone(),
            cancel: self.cancel.clone(),
            asker: self.disk.asker.clone(),
            progress: Progress::silent(),
        };
        match self.disk.runtime.call(call).await {
            Outcome::Done(_) => Ok(()),
            Outcome::Failed(_, answer) => Err(refused(answer.words())),
            Outcome::NoSuchTool(_) => Err(refused("this session must not write files")),
            Outcome::Ask(question) => Err(refused(question.words())),
        }
    }
}

fn text(path: &std::path::Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| refused("the path is not valid UTF-8"))
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(agent_client_protocol::ErrorCode::INVALID_PARAMS, why.into())
}
