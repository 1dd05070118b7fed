//! POST requests to a service that the operator configured; redirects are not followed.

use std::error::Error;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Response, StatusCode};
use tokio::time::sleep;

use crate::client::{Trust, builder};
use crate::post_error::PostError;
use crate::web::WebAddress;

/// Maximum time until the whole response is received.
const PATIENCE: Duration = Duration::from_secs(120);
/// Interval at which a waiting request checks whether it is cancelled.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum size of a response, in bytes.
const LONGEST: usize = 256 << 20;
/// Maximum number of bytes of an error response that are quoted.
const TOLD: usize = 300;
/// Maximum length of a character in UTF-8, in bytes.
const LONGEST_CHARACTER: usize = 4;

/// The URL of a configured service, with its key and HTTP client.
#[derive(Clone)]
pub(crate) struct Post {
    address: WebAddress,
    key: Option<String>,
    client: Client,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key must not appear in debug output.
        out.debug_struct("Post").field("address", &self.address.as_str()).finish_non_exhaustive()
    }
}

impl Post {
    /// Creates the client of a service with the given URL and key.
    pub(crate) fn new(address: &str, key: Option<String>) -> Result<Self, PostError> {
        let address = WebAddress::parse(address).map_err(PostError::Address)?;
        let trust = if address.is_secured() { Trust::System } else { Trust::Nobody };
        // Each request has its own async runtime, so connections cannot be kept for the next request.
        let made = builder(trust)?.pool_max_idle_per_host(0).build();
        let why =
            |error: reqwest::Error| PostError::Unreachable { place: place(&address), why: innermost(&error) };
        let post = Self { client: made.map_err(why)?, address, key };
        if post.key.as_ref().is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Err(PostError::Key { place: post.place() });
        }
        Ok(post)
    }

    pub(crate) fn place(&self) -> String {
        place(&self.address)
    }

    /// Sends JSON to the service, and returns the body of its response. Blocks the calling thread, which must not be an
    /// async worker.
    pub(crate) fn send(&self, body: &[u8], stop: &dyn Fn() -> bool) -> Result<Vec<u8>, PostError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| self.unreachable(error.to_string()))?;
        runtime.block_on(async {
            tokio::select! {
                answer = tokio::time::timeout(PATIENCE, self.exchange(body.to_vec())) => {
                    answer.unwrap_or_else(|_| Err(self.unreachable("the service does not answer".to_owned())))
                }
                () = stopped(stop) => Err(PostError::Stopped { place: self.place() }),
            }
        })
    }

    async fn exchange(&self, body: Vec<u8>) -> Result<Vec<u8>, PostError> {
        let failed = |error: reqwest::Error| self.unreachable(innermost(&error));
        let mut request = self.client.post(self.address.url().clone()).body(body);
        request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        if !status.is_success() {
            let said = taken(&mut answer, TOLD * LONGEST_CHARACTER).await.unwrap_or_default();
            return Err(self.refused(status, &said));
        }
        let body = taken(&mut answer, LONGEST + 1).await.map_err(failed)?;
        if body.len() > LONGEST {
            return Err(self.unreachable(format!("the answer has more than {} MiB", LONGEST >> 20)));
        }
        Ok(body)
    }

    fn unreachable(&self, why: String) -> PostError {
        PostError::Unreachable { place: self.place(), why }
    }

    fn refused(&self, status: StatusCode, body: &[u8]) -> PostError {
        let said = quoted(body);
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let next = match status.as_u16() {
            401 | 403 => "set the service's key in the environment variable TOOLPOST_EMBEDDING_KEY",
            429 => "the service's rate limit is reached: wait, or raise the limit",
            300..=399 => "redirects are not followed: configure the target URL",
            500.. => "see the service's log",
            _ => "check the URL and the name of the model",
        };
        PostError::Refused { place: self.place(), status: status.to_string(), said, next }
    }
}

fn place(address: &WebAddress) -> String {
    match address.host() {
        host if host.contains(':') => format!("[{host}]:{}", address.port()),
        host => format!("{host}:{}", address.port()),
    }
}

/// Reads the body of a response, at most `most` bytes.
async fn taken(answer: &mut Response, most: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while body.len() < most
        && let Some(piece) = answer.chunk().await?
    {
        body.extend_from_slice(&piece[..piece.len().min(most - body.len())]);
    }
    Ok(body)
}

/// Returns the beginning of an error response, at most [`TOLD`] characters. `body` may end inside a character.
fn quoted(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.trim().chars().take(TOLD).collect::<String>().trim_end_matches('\u{FFFD}').to_owned()
}

/// Waits until `stop` returns true, which cancels the request.
async fn stopped(stop: &dyn Fn() -> bool) {
    while !stop() {
        sleep(PAUSE).await;
    }
}

/// Returns the message of the innermost cause of an error.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn an_error_response_is_quoted_in_whole_characters() {
        // Characters of one to four bytes, and a response that is cut inside each of them.
        each(["a", "\u{E9}", "\u{20AC}", "\u{1F600}"], |character| {
            for spaces in 0..LONGEST_CHARACTER {
                let body = format!("{}{}", " ".repeat(spaces), character.repeat(2 * TOLD));
                let most = body.len().min(TOLD * LONGEST_CHARACTER);
                let wanted = TOLD.min((most - spaces) / character.len());
                assert_eq!(quoted(&body.as_bytes()[..most]), character.repeat(wanted), "{spaces} spaces");
            }
        });
        assert_eq!(quoted(b" no such model\n"), "no such model");
    }
}
