//! Client of a code search service: sends one request to the configured host, respects rate limits, and
//! removes the key from every message.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use tokio::time::Instant;

use super::error::{ServiceConfigError, ServiceError};
use super::{
    Answers, CodeSearchResponse, PROVIDERS, Provider, Question, ResponseFault, ServiceRequest,
    ServiceResponse,
};
use crate::address::is_own;
use crate::fetch::{BodyCompleteness, FetchError, Gate, System, body, hop};
use crate::web::WebAddress;

/// Maximum size of a response after decompression, in bytes.
const MOST: usize = 2 << 20;
/// Maximum time without data from the service.
const SILENCE: Duration = Duration::from_secs(15);
/// Maximum length of a quoted error message, in characters.
const LONGEST_MESSAGE: usize = 300;
/// Maximum time for which no request is sent because of a rate limit.
const REST: Duration = Duration::from_secs(60 * 60);
/// Text that replaces the API key in messages.
const MASK: &str = "[redacted]";

/// A configured code search service, with its base URL and API key.
pub struct Service {
    provider: &'static dyn Provider,
    base: WebAddress,
    key: Option<String>,
    /// The time until which no request is sent, because the service's rate limit was reached.
    rest: Mutex<Option<Instant>>,
}

/// An HTTP response of the service, with the headers that matter.
struct HttpReply {
    status: u16,
    wait: Option<String>,
    location: Option<String>,
    body: String,
    end: BodyCompleteness,
}

impl fmt::Debug for Service {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The API key must not appear in debug output.
        out.debug_struct("Service")
            .field("name", &self.name())
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

impl Service {
    /// Configures the service `name`. `base` is its URL, or `None` for the default URL; `key` is the API key.
    ///
    /// # Errors
    /// If the name is unknown, or the URL or the key is invalid.
    pub fn new(name: &str, base: Option<&str>, key: Option<String>) -> Result<Self, ServiceConfigError> {
        let provider = PROVIDERS.into_iter().find(|provider| provider.name() == name);
        let provider = provider.ok_or_else(|| ServiceConfigError::Unknown { name: name.to_owned() })?;
        let address = base.unwrap_or(provider.default_address());
        let base = WebAddress::parse(address).map_err(ServiceConfigError::Address)?;
        if base.url().query().is_some() {
            // A query may contain an API key, so it is not repeated in the error.
            let address = address.split('?').next().unwrap_or_default().to_owned();
            return Err(ServiceConfigError::Query { address });
        }
        if key.as_ref().is_some_and(|key| key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return Err(ServiceConfigError::Key { name: provider.name() });
        }
        if key.is_some() && !base.is_secured() && !is_own(&base.host()) {
            return Err(ServiceConfigError::Open { name: provider.name(), host: base.host() });
        }
        Ok(Self { provider, base, key, rest: Mutex::default() })
    }

    /// Returns the name of the service in settings.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.provider.name()
    }

    /// Returns the base URL of the service.
    #[must_use]
    pub fn base(&self) -> &WebAddress {
        &self.base
    }

    /// Returns an error message if every request would fail, because the service requires an API key and none is
    /// configured; `None` otherwise.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let lacks = self.provider.answers() == Answers::KeyHolders && self.key.is_none();
        lacks.then(|| self.no_key().to_string())
    }

    /// Sends a question to the service, and returns its results.
    ///
    /// # Errors
    /// If `gate` refuses the host, the service returns an error, or the response is invalid. An empty result is not an
    /// error.
    pub async fn ask(
        &self,
        question: &Question<'_>,
        gate: &Gate<'_>,
        time: Duration,
    ) -> Result<CodeSearchResponse, ServiceError> {
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
        let reply = self.exchange(&asking, gate, Instant::now() + time).await;
        let reply = reply.map_err(|error| ServiceError::Fetch(self.clean(&error.to_string())))?;
        if !matches!(reply.status, 200 | 201 | 203 | 206) {
            if self.provider.means_nothing(reply.status, &reply.body) {
                return Ok(CodeSearchResponse { sent: asking.sent, ..CodeSearchResponse::default() });
            }
            return Err(self.refused(&reply));
        }
        let broken = match &reply.end {
            BodyCompleteness::Whole => None,
            BodyCompleteness::Cut => Some(format!("the response is longer than {} MiB", MOST >> 20)),
            BodyCompleteness::Late => Some("the response timed out".to_owned()),
            BodyCompleteness::Broken(why) => Some(format!("the response broke off: {why}")),
        };
        let answer = ServiceResponse { body: &reply.body, broken: broken.as_deref() };
        let found = self.provider.read(self.base.as_str(), &answer).map_err(|unclear| match unclear {
            ResponseFault::Form(why) => ServiceError::Unclear { name: self.name(), why: self.clean(&why) },
            ResponseFault::Said(said) => {
                ServiceError::Said { name: self.name(), said: self.shortened(&said) }
            }
        })?;
        Ok(self.cleaned(CodeSearchResponse { sent: asking.sent, ..found }))
    }

    async fn exchange(
        &self,
        asking: &ServiceRequest,
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
        // Errors name the base URL, because the full URL can contain the question, which errors must not repeat.
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

    fn worded(&self, request: RequestBuilder, asking: &ServiceRequest) -> RequestBuilder {
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

    /// Converts an HTTP error response to an error. If it reports a rate limit, records how long to wait.
    fn refused(&self, reply: &HttpReply) -> ServiceError {
        let limited = matches!(reply.status, 403 | 503) && reply.wait.is_some();
        if reply.status == 429 || limited {
            self.leave_alone(reply.wait.as_deref());
            return ServiceError::TooMany {
                name: self.name(),
                wait: reply.wait.as_deref().map(|wait| self.clean(&seconds(wait))),
            };
        }
        let said = match error_message(&reply.body) {
            Some(message) => format!(": {}", self.shortened(&message)),
            None => String::new(),
        };
        let variables = self.provider.variables().join(" or ");
        let next = match reply.status {
            202 => "the service is not ready yet: try again later".to_owned(),
            401 | 403 if self.key.is_none() => {
                format!("the service needs a key: set {variables} in the environment")
            }
            401 | 403 => "check the key and its permissions".to_owned(),
            402 => "the paid quota may be used up".to_owned(),
            300..=399 => match &reply.location {
                Some(location) => format!(
                    "the service redirects to {}, and redirects are not followed: set this URL as `base_url`",
                    self.clean(location)
                ),
                None => "the redirect has no target".to_owned(),
            },
            400 | 422 => "rephrase the question".to_owned(),
            404 | 405 => "check the URL (`base_url`)".to_owned(),
            _ => "try again later".to_owned(),
        };
        ServiceError::Refused { name: self.name(), status: reply.status, said, next }
    }

    fn no_key(&self) -> ServiceError {
        ServiceError::NoKey { name: self.name(), variables: self.provider.variables().join(" or ") }
    }

    /// Returns the remaining time until the service's rate limit ends; `None` if it was not reached, has ended, or has
    /// no known end.
    fn resting(&self) -> Option<Duration> {
        let rest = *self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        rest.and_then(|until| until.checked_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn leave_alone(&self, wait: Option<&str>) {
        let Some(seconds) = wait.and_then(|wait| wait.parse().ok()) else { return };
        let until = Instant::now() + Duration::from_secs(seconds).min(REST);
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    fn cleaned(&self, found: CodeSearchResponse) -> CodeSearchResponse {
        let mut found = found;
        for finding in &mut found.findings {
            finding.title = finding.title.as_deref().map(|title| self.clean(title));
            finding.url = finding.url.as_deref().map(|url| self.clean(url));
            finding.text = self.clean(&finding.text);
        }
        found.notes = found.notes.iter().map(|note| self.clean(note)).collect();
        found
    }

    fn shortened(&self, message: &str) -> String {
        let message = self.clean(message.trim());
        match message.char_indices().nth(LONGEST_MESSAGE) {
            Some((at, _)) => format!("{}…", &message[..at]),
            None => message,
        }
    }

    /// Removes the API key from a text, because the service may repeat it.
    fn clean(&self, words: &str) -> String {
        match &self.key {
            Some(key) => words.replace(key.as_str(), MASK),
            None => words.to_owned(),
        }
    }
}

/// Returns the time to wait that response headers demand because of a rate limit: in seconds, or as the service states
/// it.
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
    if wait.bytes().all(|byte| byte.is_ascii_digit()) { format!("{wait} s") } else { format!("`{wait}`") }
}

/// Returns the error message in the body of an error response; `None` for an HTML page and for a body without a
/// message.
fn error_message(body: &str) -> Option<String> {
    let words = match serde_json::from_str::<Value>(body) {
        Ok(value) => {
            let places = ["/message", "/error/message", "/error", "/detail", "/errors/0/message"];
            places.into_iter().find_map(|place| value.pointer(place)?.as_str().map(str::to_owned))
        }
        Err(_) => Some(body.trim().to_owned()).filter(|body| !body.starts_with('<')),
    };
    words.filter(|words| !words.is_empty())
}
