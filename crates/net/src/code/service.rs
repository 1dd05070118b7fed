//! The way to a service: one request to the host that the operator named, judged, limited, and without its key in any word.

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

/// The most bytes that are taken of an answer, unpacked.
const MOST: usize = 2 << 20;
/// How long a service may be silent.
const SILENCE: Duration = Duration::from_secs(15);
/// How many characters are told of what a service says to a refusal.
const TOLD: usize = 300;
/// For how long a service is left alone that wants that, at most.
const REST: Duration = Duration::from_secs(60 * 60);
/// What stands in the place of a key.
const MASK: &str = "[redacted]";

/// A service, and the key that it wants.
pub struct Service {
    provider: &'static dyn Provider,
    base: WebAddress,
    key: Option<String>,
    /// Until when it wants to be left alone.
    rest: Mutex<Option<Instant>>,
}

/// Why a service cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum BadService {
    /// There is none of that name.
    #[error("no service is called `{name}`; there are {}", names())]
    Unknown {
        /// The name.
        name: String,
    },
    /// Its address cannot be used.
    #[error("`{address}` cannot be used: {why}")]
    Address {
        /// The address.
        address: String,
        /// Why.
        why: BadAddress,
    },
    /// Its address has more than a path.
    #[error(
        "`{address}` has a `?` behind its path: name the address alone; a key stands in a variable of the environment"
    )]
    Query {
        /// The address without that.
        address: String,
    },
    /// The key for it cannot be sent.
    #[error("the key for {name} holds spaces, or what is not ASCII")]
    Key {
        /// The service.
        name: &'static str,
    },
    /// The key for it would be read by everybody on the way.
    #[error(
        "the key for {name} is not sent to {host}: the way there is not secured; name an address that begins with https://"
    )]
    Open {
        /// The service.
        name: &'static str,
        /// Its host.
        host: String,
    },
}

/// Why a service gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// It answers nobody without a key.
    #[error("{name} answers nobody without a key; set {variables} in the environment")]
    NoKey {
        /// The service.
        name: &'static str,
        /// Where a key customarily stands.
        variables: String,
    },
    /// It is not reached.
    #[error("{0}")]
    Fetch(String),
    /// It wants fewer requests.
    #[error("{name} wants fewer requests{}", .wait.as_ref().map_or_else(String::new, |wait| format!(": none for {wait}")))]
    TooMany {
        /// The service.
        name: &'static str,
        /// How long it wants to be left alone.
        wait: Option<String>,
    },
    /// It refuses.
    #[error("{name} answered {status}{said}; {next}")]
    Refused {
        /// The service.
        name: &'static str,
        /// How it refuses.
        status: u16,
        /// What it said to that.
        said: String,
        /// What to do.
        next: String,
    },
    /// It says that something is wrong.
    #[error("{name} says that something is wrong: {said}")]
    Said {
        /// The service.
        name: &'static str,
        /// What it says.
        said: String,
    },
    /// It does not answer as it should.
    #[error("what {name} answered cannot be understood: {why}")]
    Unclear {
        /// The service.
        name: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// What came back.
struct Came {
    status: u16,
    wait: Option<String>,
    location: Option<String>,
    body: String,
    end: End,
}

impl fmt::Debug for Service {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is nobody's to read.
        out.debug_struct("Service")
            .field("name", &self.name())
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

impl Service {
    /// Names a service, where it is asked if not at its customary place, and its key.
    ///
    /// # Errors
    /// When there is none of that name, or its address or its key cannot be used.
    pub fn new(name: &str, base: Option<&str>, key: Option<String>) -> Result<Self, BadService> {
        let provider = PROVIDERS.into_iter().find(|provider| provider.name() == name);
        let provider = provider.ok_or_else(|| BadService::Unknown { name: name.to_owned() })?;
        let address = base.unwrap_or(provider.customary());
        let bad = |why| BadService::Address { address: address.to_owned(), why };
        let base = WebAddress::parse(address).map_err(bad)?;
        if base.url().query().is_some() {
            // What stands there may be a key.
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

    /// Gives its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.provider.name()
    }

    /// Gives where it is asked.
    #[must_use]
    pub fn base(&self) -> &WebAddress {
        &self.base
    }

    /// Says why it would not answer, as far as that is known beforehand.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let lacks = self.provider.answers() == Answers::KeyHolders && self.key.is_none();
        lacks.then(|| self.no_key().to_string())
    }

    /// Asks it.
    ///
    /// # Errors
    /// When its host may not be reached, when it refuses, or when what it answers is no answer. That it found nothing is none of them.
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
            End::Late => Some("its end did not come in time".to_owned()),
            End::Broken(why) => Some(format!("it broke off: {why}")),
        };
        let answer = Answer { body: &came.body, broken: broken.as_deref() };
        let found = self.provider.read(self.base.as_str(), &answer).map_err(|unclear| match unclear {
            Unclear::Form(why) => ServiceError::Unclear { name: self.name(), why: self.clean(&why) },
            Unclear::Said(said) => ServiceError::Said { name: self.name(), said: self.told(&said) },
        })?;
        Ok(self.cleaned(Found { sent: asking.sent, ..found }))
    }

    async fn exchange(&self, asking: &Asking, gate: &Gate<'_>, until: Instant) -> Result<Came, FetchError> {
        let mut url = self.base.url().clone();
        if !asking.path.is_empty() {
            url.set_path(&format!("{}{}", self.base.path().trim_end_matches('/'), asking.path));
        }
        if !asking.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&asking.query);
        }
        // The question is nobody's business who reads why it was not answered.
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
        Ok(Came { status, wait, location, body, end })
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

    /// Words an answer that says that something is wrong.
    fn refused(&self, came: &Came) -> ServiceError {
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
            202 => "it is not ready: ask again later".to_owned(),
            401 | 403 if self.key.is_none() => format!("it wants a key: set {variables} in the environment"),
            401 | 403 => "look at its key, and at what that key may do".to_owned(),
            402 => "what was paid for is used up".to_owned(),
            300..=399 => match &came.location {
                Some(location) => format!(
                    "it leads to {}, which is not followed: name the address it leads to as base_url",
                    self.clean(location)
                ),
                None => "it leads elsewhere without saying where".to_owned(),
            },
            400 | 422 => "ask in other words".to_owned(),
            404 | 405 => "look at its address (base_url)".to_owned(),
            _ => "ask again later".to_owned(),
        };
        ServiceError::Refused { name: self.name(), status: came.status, said, next }
    }

    fn no_key(&self) -> ServiceError {
        ServiceError::NoKey { name: self.name(), variables: self.provider.variables().join(" or ") }
    }

    /// Gives how much longer the service wants to be left alone.
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

    /// Takes the key out of words, in case that a service repeats it.
    fn clean(&self, words: &str) -> String {
        match &self.key {
            Some(key) => words.replace(key.as_str(), MASK),
            None => words.to_owned(),
        }
    }
}

/// Gives how long a service wants to be left alone: in seconds, or as it says it.
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

/// Finds the words in the body of a refusal; a page for people has none.
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
