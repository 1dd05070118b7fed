//! Client of a code search service: one request to the configured host, with rate limits, and with the key
//! removed from every message.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use tokio::time::Instant;

use super::{Answer, Answers, Asking, Found, PROVIDERS, Provider, Question, Unclear};
use crate::fetch::{End, FetchError, Gate, System, body, hop};
use crate::web::{BadAddress, WebAddress, is_own};

/// Maximum size of a response after decompression, in bytes.
const MOST: usize = 2 << 20;
/// Maximum time without data from the service.
const SILENCE: Duration = Duration::from_secs(15);
/// Maximum length of a quoted error message, in characters.
const TOLD: usize = 300;
/// Maximum time for which a rate limit is respected.
const REST: Duration = Duration::from_secs(60 * 60);
/// Replacement of a key in messages.
const MASK: &str = "[redacted]";

/// A service and its key.
pub struct Service {
    provider: &'static dyn Provider,
    base: WebAddress,
    key: Option<String>,
    /// End of the current rate limit.
    rest: Mutex<Option<Instant>>,
}

/// Reason why a service cannot be configured.
#[derive(Debug, thiserror::Error)]
pub enum BadService {
    /// The name is unknown.
    #[error("unknown service `{name}`; the services are {}", names())]
    Unknown {
        /// The name.
        name: String,
    },
    /// The URL is invalid.
    #[error("`{address}` cannot be used: {why}")]
    Address {
        /// The URL.
        address: String,
        /// The reason.
        why: BadAddress,
    },
    /// The URL has a query or a fragment.
    #[error("`{address}` has a query: give the URL without it, and the key in an environment variable")]
    Query {
        /// The URL without them.
        address: String,
    },
    /// The key cannot be sent in a header.
    #[error("the key for {name} contains spaces or non-ASCII characters")]
    Key {
        /// The service.
        name: &'static str,
    },
    /// The key would be sent unencrypted.
    #[error("the key for {name} is not sent to {host} unencrypted; use an https:// URL")]
    Open {
        /// The service.
        name: &'static str,
        /// Its host.
        host: String,
    },
}

/// Error of a request to a service.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The service needs a key.
    #[error("{name} needs a key; set {variables} in the environment")]
    NoKey {
        /// The service.
        name: &'static str,
        /// Environment variables that hold a key.
        variables: String,
    },
    /// The connection failed.
    #[error("{0}")]
    Fetch(String),
    /// The rate limit is reached.
    #[error("{name} rate limit reached{}", .wait.as_ref().map_or_else(String::new, |wait| format!(": retry after {wait}")))]
    TooMany {
        /// The service.
        name: &'static str,
        /// Time until the limit ends.
        wait: Option<String>,
    },
    /// The service answered with an error status.
    #[error("{name} answered {status}{said}; {next}")]
    Refused {
        /// The service.
        name: &'static str,
        /// The status.
        status: u16,
        /// The error message of the service.
        said: String,
        /// Advice for the operator.
        next: String,
    },
    /// The service reports an error in its response.
    #[error("{name} reports an error: {said}")]
    Said {
        /// The service.
        name: &'static str,
        /// The error message.
        said: String,
    },
    /// The response has an unknown format.
    #[error("invalid answer of {name}: {why}")]
    Unclear {
        /// The service.
        name: &'static str,
        /// The reason.
        why: String,
    },
}

/// An HTTP response.
struct HttpReply {
    status: u16,
    wait: Option<String>,
    location: Option<String>,
    body: String,
    end: End,
}

impl fmt::Debug for Service {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key must not appear in debug output.
        out.debug_struct("Service")
            .field("name", &self.name())
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

impl Service {
    /// Configures a service with a URL, or else its default, and a key.
    ///
    /// # Errors
    /// If the name is unknown, or the URL or the key is invalid.
    pub fn new(name: &str, base: Option<&str>, key: Option<String>) -> Result<Self, BadService> {
        let provider = PROVIDERS.into_iter().find(|provider| provider.name() == name);
        let provider = provider.ok_or_else(|| BadService::Unknown { name: name.to_owned() })?;
        let address = base.unwrap_or(provider.customary());
        let bad = |why| BadService::Address { address: address.to_owned(), why };
        let base = WebAddress::parse(address).map_err(bad)?;
        if base.url().query().is_some() {
            // A query may contain a key.
            let address = address.split('?').next().unwrap_or_default().to_owned();
            return Err(BadService::Query { address });
        }
        if key.as_ref().is_some_and(|key| key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return Err(BadService::Key { name: provider.name() });
        }
        if key.is_some() && !base.is_secured() && !is_own(&base.host()) {
            return Err(BadService::Open { name: provider.name(), host: base.host() });
        }
        Ok(Self { provider, base, key, rest: Mutex::default() })
    }

    /// Returns the name of the service.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.provider.name()
    }

    /// Returns the URL of the service.
    #[must_use]
    pub fn base(&self) -> &WebAddress {
        &self.base
    }

    /// Returns the reason why requests would fail, if that is known beforehand.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let lacks = self.provider.answers() == Answers::KeyHolders && self.key.is_none();
        lacks.then(|| self.no_key().to_string())
    }

    /// Sends a question.
    ///
    /// # Errors
    /// If the host must not be reached, the service refuses, or the response is invalid. An empty result is
    /// not an error.
    pub async fn ask(
        &self,
        question: &Question<'_>,
        gate: &Gate<'_>,
        time: Duration,
    ) -> Result<Found, ServiceError> {
        if self.missing().is_some() {
            return Err(self.no_key());
        }
        if let Some(left) = self.resting() {
            return Err(ServiceError::TooMany {
                name: self.name(),
                wait: Some(format!("{} s", left.as_secs().max(1))),
            });
        }
        let asking = self.provider.ask(question);
        let came = self.exchange(&asking, gate, Instant::now() + time).await;
        let came = came.map_err(|error| ServiceError::Fetch(self.clean(&error.to_string())))?;
        if !matches!(came.status, 200 | 201 | 203 | 206) {
            if self.provider.means_nothing(came.status, &came.body) {
                return Ok(Found { sent: asking.sent, ..Found::default() });
            }
            return Err(self.refused(&came));
        }
        let broken = match &came.end {
            End::Whole => None,
            End::Cut => Some(format!("it is longer than {} MB", MOST >> 20)),
            End::Late => Some("it timed out".to_owned()),
            End::Broken(why) => Some(format!("it broke off: {why}")),
        };
        let answer = Answer { body: &came.body, broken: broken.as_deref() };
        let found = self.provider.read(self.base.as_str(), &answer).map_err(|unclear| match unclear {
            Unclear::Form(why) => ServiceError::Unclear { name: self.name(), why: self.clean(&why) },
            Unclear::Said(said) => ServiceError::Said { name: self.name(), said: self.told(&said) },
        })?;
        Ok(self.cleaned(Found { sent: asking.sent, ..found }))
    }

    async fn exchange(
        &self,
        asking: &Asking,
        gate: &Gate<'_>,
        until: Instant,
    ) -> Result<HttpReply, FetchError> {
        let mut url = self.base.url().clone();
        if !asking.path.is_empty() {
            url.set_path(&format!("{}{}", self.base.path().trim_end_matches('/'), asking.path));
        }
        if !asking.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&asking.query);
        }
        // The question must not appear in an error message.
        let here = &self.base;
        let way = hop::way(here, &System, gate, until).await?;
        let client = hop::client(here, &way, SILENCE)?;
        let method = if asking.body.is_some() { Method::POST } else { Method::GET };
        let request = self.worded(client.request(method, url), asking);
        let answer = hop::answered(request, here, until).await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers());
        let wait = wait(headers);
        let location =
            headers.get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let (bytes, end) = body::read(answer, MOST, until).await;
        let body = String::from_utf8_lossy(&bytes).into_owned();
        Ok(HttpReply { status, wait, location, body, end })
    }

    fn worded(&self, request: RequestBuilder, asking: &Asking) -> RequestBuilder {
        let mut request = request.header(ACCEPT, asking.accept);
        for (name, value) in &asking.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.key {
            let (name, value) = self.provider.key(key);
            request = request.header(name, value);
        }
        match &asking.body {
            Some(body) => request.header(CONTENT_TYPE, "application/json").body(body.clone()),
            None => request,
        }
    }

    /// Converts an error response.
    fn refused(&self, came: &HttpReply) -> ServiceError {
        let limited = matches!(came.status, 403 | 503) && came.wait.is_some();
        if came.status == 429 || limited {
            self.leave_alone(came.wait.as_deref());
            return ServiceError::TooMany {
                name: self.name(),
                wait: came.wait.as_deref().map(|wait| self.clean(&seconds(wait))),
            };
        }
        let said = match said(&came.body) {
            Some(said) => format!(": {}", self.told(&said)),
            None => String::new(),
        };
        let variables = self.provider.variables().join(" or ");
        let next = match came.status {
            202 => "it is not ready: try again later".to_owned(),
            401 | 403 if self.key.is_none() => format!("it needs a key: set {variables} in the environment"),
            401 | 403 => "check its key and the permissions of the key".to_owned(),
            402 => "the paid quota is used up".to_owned(),
            300..=399 => match &came.location {
                Some(location) => format!(
                    "it redirects to {}, which is not followed: set that URL as base_url",
                    self.clean(location)
                ),
                None => "it redirects without a target".to_owned(),
            },
            400 | 422 => "rephrase the question".to_owned(),
            404 | 405 => "check its URL (base_url)".to_owned(),
            _ => "try again later".to_owned(),
        };
        ServiceError::Refused { name: self.name(), status: came.status, said, next }
    }

    fn no_key(&self) -> ServiceError {
        ServiceError::NoKey { name: self.name(), variables: self.provider.variables().join(" or ") }
    }

    /// Returns the remaining time of a rate limit.
    fn resting(&self) -> Option<Duration> {
        let rest = *self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        rest.and_then(|until| until.checked_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn leave_alone(&self, wait: Option<&str>) {
        let Some(seconds) = wait.and_then(|wait| wait.parse().ok()) else { return };
        let until = Instant::now() + Duration::from_secs(seconds).min(REST);
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    fn cleaned(&self, found: Found) -> Found {
        let mut found = found;
        for finding in &mut found.findings {
            finding.title = finding.title.as_deref().map(|title| self.clean(title));
            finding.url = finding.url.as_deref().map(|url| self.clean(url));
            finding.text = self.clean(&finding.text);
        }
        found.notes = found.notes.iter().map(|note| self.clean(note)).collect();
        found
    }

    fn told(&self, said: &str) -> String {
        let said = self.clean(said.trim());
        match said.char_indices().nth(TOLD) {
            Some((at, _)) => format!("{}…", &said[..at]),
            None => said,
        }
    }

    /// Removes the key from a text, in case the service repeats it.
    fn clean(&self, words: &str) -> String {
        match &self.key {
            Some(key) => words.replace(key.as_str(), MASK),
            None => words.to_owned(),
        }
    }
}

/// Returns the waiting time of a rate limit: in seconds, or as the service states it.
fn wait(headers: &HeaderMap) -> Option<String> {
    let value = |name: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).map(|value| value.trim().to_owned())
    };
    let used_up = value("x-ratelimit-remaining").is_some_and(|left| left == "0");
    let reset = || {
        let at: u64 = value("x-ratelimit-reset").filter(|_| used_up)?.parse().ok()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        Some(at.saturating_sub(now).max(1).to_string())
    };
    value("retry-after").filter(|wait| !wait.is_empty()).or_else(reset)
}

fn seconds(wait: &str) -> String {
    if wait.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{wait} s")
    } else {
        format!("it says “{wait}”")
    }
}

/// Extracts the message of an error body; an HTML page has none.
fn said(body: &str) -> Option<String> {
    let words = match serde_json::from_str::<Value>(body) {
        Ok(value) => {
            let places = ["/message", "/error/message", "/error", "/detail", "/errors/0/message"];
            places.into_iter().find_map(|place| value.pointer(place)?.as_str().map(str::to_owned))
        }
        Err(_) => Some(body.trim().to_owned()).filter(|body| !body.starts_with('<')),
    };
    words.filter(|words| !words.is_empty())
}

fn names() -> String {
    PROVIDERS.map(Provider::name).join(", ")
}
