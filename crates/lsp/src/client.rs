//! Requests to a server that has answered `initialize`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::timeout;

use crate::documents::{self, Notification};
use crate::initialize::Capabilities;
use crate::wire::locked;
use crate::{Change, Encoding, LspAnswer, Question, Server, ServerError, ServerReadiness, Stage, Stamp};

/// Pause before repeating a request that the server rejected because files were changing.
const AGAIN: Duration = Duration::from_millis(300);
/// Error codes for files that changed during a request, and for requests that the server cancelled.
const TOO_EARLY: [i64; 2] = [-32801, -32802];
/// Interval between checks of a silent server's readiness.
const LOOK: Duration = Duration::from_millis(100);

/// A server that has answered `initialize`.
pub struct Client<'a> {
    pub(crate) server: &'a Server,
    pub(crate) promises: Capabilities,
}

impl Server {
    /// Waits until the server has answered `initialize`, and returns the interface for requests.
    ///
    /// # Errors
    /// If the server does not answer in time, or has ended.
    pub async fn greeted(&self, wait: Duration) -> Result<Client<'_>, ServerError> {
        *locked(&self.used) = Instant::now();
        let mut greeted = self.greeted.subscribe();
        let known = match timeout(wait, greeted.wait_for(Option::is_some)).await {
            Ok(Ok(known)) => known.clone(),
            Ok(Err(_)) | Err(_) => None,
        };
        match known {
            Some(Ok(promises)) => Ok(Client { server: self, promises }),
            Some(Err(fault)) => Err(fault),
            None => Err(ServerError::Late {
                server: self.known().name.to_owned(),
                method: "initialize".to_owned(),
                waited: wait,
            }),
        }
    }
}

impl Client<'_> {
    /// Returns the position encoding.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.promises.encoding
    }

    /// Notifies the server of changes on disk since the last call, and returns these changes. `now` is the current
    /// state of all files.
    ///
    /// Some servers notice changes only in files that the client opens in them. Such a file is listed by
    /// [`waiting`](Self::waiting) until [`understood`](Self::understood) is called for it.
    pub fn disk(&self, now: HashMap<PathBuf, Stamp>) -> Vec<(PathBuf, Change)> {
        let mut documents = locked(&self.server.documents);
        let changes = documents.compare(now);
        if changes.is_empty() {
            return changes;
        }
        let gone = changes.iter().filter(|(_, change)| *change == Change::Deleted);
        let closed: Vec<Notification> = gone.filter_map(|(path, _)| documents.close(path)).collect();
        self.server.send(closed.into_iter().chain([documents::watched(&changes)]));
        changes
    }

    /// Returns whether a file is open in the server.
    #[must_use]
    pub fn is_open(&self, path: &Path) -> bool {
        locked(&self.server.documents).is_open(path)
    }

    /// Sends the current content of a file, unless the server has it.
    pub fn show(&self, path: &Path, language: &str, text: &str) {
        let mut documents = locked(&self.server.documents);
        let letters = documents.show(path, language, text);
        self.server.send(letters);
    }

    /// Lists the changed files whose new content the server must still get through [`show`](Self::show), in path
    /// order.
    #[must_use]
    pub fn waiting(&self) -> Vec<PathBuf> {
        locked(&self.server.documents).waiting()
    }

    /// Records that the server has answered a question after it got the current content of a file, and removes the
    /// file from [`waiting`](Self::waiting).
    pub fn understood(&self, path: &Path) {
        locked(&self.server.documents).understood(path);
    }

    /// Waits until the server is no longer starting or reading the project, or the time is up, and returns its state.
    pub async fn settled(&self, wait: Duration) -> ServerReadiness {
        let end = Instant::now() + wait;
        let mut news = self.server.heard.follow();
        loop {
            let standing = self.server.standing();
            let left = end.saturating_duration_since(Instant::now());
            if !matches!(standing.stage, Stage::Starting | Stage::Indexing(_)) || left.is_zero() {
                return standing;
            }
            // The state is checked again whether or not a notification arrived.
            let _ = timeout(left.min(LOOK), news.changed()).await;
        }
    }

    /// Sends a question. A question that the server rejects because files were changing is repeated within
    /// the same time limit.
    ///
    /// # Errors
    /// If the server fails, refuses, is late, or sends an answer that cannot be parsed.
    pub async fn ask(&self, question: &Question, within: Duration) -> Result<LspAnswer, ServerError> {
        let method = question.method();
        self.promised(question.promise(), method)?;
        let answer = self.put(method, &question.params(), within).await?;
        question.read(&answer).map_err(|what| self.odd(method, what))
    }

    /// Looks up a capability by name.
    pub(crate) fn promised(&self, promise: &str, method: &str) -> Result<&Value, ServerError> {
        let unable = || ServerError::Unable { server: self.name(), method: method.to_owned() };
        self.promises.answers.get(promise).ok_or_else(unable)
    }

    /// Sends a request. A request that the server rejects because files were changing is repeated within the
    /// same time limit.
    pub(crate) async fn put(
        &self,
        method: &str,
        params: &Value,
        within: Duration,
    ) -> Result<Value, ServerError> {
        let end = Instant::now() + within;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.server.request(method, params, left).await {
                Err(ServerError::Refused { code, .. }) if TOO_EARLY.contains(&code) && left > AGAIN => {
                    tokio::time::sleep(AGAIN).await;
                }
                answer => return answer,
            }
        }
    }

    /// Builds the fault for an answer that cannot be parsed.
    pub(crate) fn odd(&self, method: &str, what: String) -> ServerError {
        ServerError::Odd { server: self.name(), method: method.to_owned(), what }
    }

    pub(crate) fn name(&self) -> String {
        self.server.known().name.to_owned()
    }
}

impl Drop for Client<'_> {
    /// Closes the least recently used files in the server, if more than the limit are open.
    fn drop(&mut self) {
        let letters = locked(&self.server.documents).close_old();
        self.server.send(letters);
    }
}
