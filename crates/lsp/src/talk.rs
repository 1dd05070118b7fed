//! What can be said to a server that has answered the greeting.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::timeout;

use crate::documents::{self, Letter};
use crate::greeting::Promises;
use crate::wire::locked;
use crate::{Answer, Change, Encoding, Fault, Question, Server, Stage, Stamp, Standing};

/// How long it is waited for before a question is asked again that came too early.
const AGAIN: Duration = Duration::from_millis(300);
/// What a server answers when the files changed under a question, or it gave it up itself.
const TOO_EARLY: [i64; 2] = [-32801, -32802];
/// How often it is looked whether a server is ready that says nothing new.
const LOOK: Duration = Duration::from_millis(100);

/// What can be done with a server that has answered the greeting.
pub struct Talk<'a> {
    pub(crate) server: &'a Server,
    pub(crate) promises: Promises,
}

impl Talk<'_> {
    /// Says how it counts characters.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.promises.encoding
    }

    /// Tells it what changed on the disk since it was last told, and says what that is.
    ///
    /// What it believes only when it is shown waits until it has [`understood`](Self::understood) it.
    pub fn disk(&self, now: HashMap<PathBuf, Stamp>) -> Vec<(PathBuf, Change)> {
        let mut documents = locked(&self.server.documents);
        let changes = documents.compare(now);
        if changes.is_empty() {
            return changes;
        }
        let gone = changes.iter().filter(|(_, change)| *change == Change::Deleted);
        let closed: Vec<Letter> = gone.filter_map(|(path, _)| documents.close(path)).collect();
        self.server.send(closed.into_iter().chain([documents::watched(&changes)]));
        changes
    }

    /// Tells whether a file is open for it.
    #[must_use]
    pub fn is_open(&self, path: &Path) -> bool {
        locked(&self.server.documents).is_open(path)
    }

    /// Shows it a file as it is now; nothing happens where it knows that.
    pub fn show(&self, path: &Path, language: &str, text: &str) {
        let mut documents = locked(&self.server.documents);
        let letters = documents.show(path, language, text);
        self.server.send(letters);
    }

    /// Lists the changed files that it has to be shown, by path, whether it was told of them now or by an earlier call.
    #[must_use]
    pub fn waiting(&self) -> Vec<PathBuf> {
        locked(&self.server.documents).waiting()
    }

    /// Notes that it has answered about a file that it was shown.
    pub fn understood(&self, path: &Path) {
        locked(&self.server.documents).understood(path);
    }

    /// Waits until it has read the project, as long as is wanted, and says how far it is then.
    pub async fn settled(&self, wait: Duration) -> Standing {
        let end = Instant::now() + wait;
        let mut news = self.server.heard.follow();
        loop {
            let standing = self.server.standing();
            let left = end.saturating_duration_since(Instant::now());
            if !matches!(standing.stage, Stage::Starting | Stage::Indexing(_)) || left.is_zero() {
                return standing;
            }
            // Whether there is news or not, it is judged again.
            let _ = timeout(left.min(LOOK), news.changed()).await;
        }
    }

    /// Asks it; a question that came too early for it is asked again in the same time.
    ///
    /// # Errors
    /// When it fails, refuses, is late, or answers what cannot be understood.
    pub async fn ask(&self, question: &Question, within: Duration) -> Result<Answer, Fault> {
        let method = question.method();
        self.promised(question.promise(), method)?;
        let answer = self.put(method, &question.params(), within).await?;
        question.read(&answer).map_err(|what| self.odd(method, what))
    }

    /// Looks up what it has promised to answer, by the name of the promise.
    pub(crate) fn promised(&self, promise: &str, method: &str) -> Result<&Value, Fault> {
        let unable = || Fault::Unable { server: self.name(), method: method.to_owned() };
        self.promises.answers.get(promise).ok_or_else(unable)
    }

    /// Puts a question; one that came too early is put again in the same time.
    pub(crate) async fn put(&self, method: &str, params: &Value, within: Duration) -> Result<Value, Fault> {
        let end = Instant::now() + within;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.server.request(method, params, left).await {
                Err(Fault::Refused { code, .. }) if TOO_EARLY.contains(&code) && left > AGAIN => {
                    tokio::time::sleep(AGAIN).await;
                }
                answer => return answer,
            }
        }
    }

    /// Says that an answer cannot be understood.
    pub(crate) fn odd(&self, method: &str, what: String) -> Fault {
        Fault::Odd { server: self.name(), method: method.to_owned(), what }
    }

    pub(crate) fn name(&self) -> String {
        self.server.known().name.to_owned()
    }
}

impl Drop for Talk<'_> {
    /// Closes the files that were not needed for longest, where many are open.
    fn drop(&mut self) {
        let letters = locked(&self.server.documents).close_old();
        self.server.send(letters);
    }
}
