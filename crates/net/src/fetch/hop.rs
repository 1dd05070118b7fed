//! A single HTTP request of a fetch, which connects only to addresses that were checked.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use super::{AllowedAddresses, CacheValidators, FetchError, FetchRequest, Gate, Head, Resolver};
use crate::address::is_public;
use crate::client::{Trust, builder};
use crate::post::innermost;
use crate::web::WebAddress;

/// Checks the host of a URL and its addresses, and returns the addresses to which a client may connect. `until` is the
/// deadline for the lookup of the host name.
pub(crate) async fn way(
    here: &WebAddress,
    resolver: &dyn Resolver,
    gate: &Gate<'_>,
    until: Instant,
) -> Result<Vec<SocketAddr>, FetchError> {
    let refused = |why| FetchError::NotAllowed { place: here.to_string(), why, from: None };
    let reach = gate(here).map_err(refused)?;
    let host = here.host();
    let unknown = |why: String| FetchError::Unknown { host: host.clone(), why };
    let found = match here.literal() {
        Some(address) => vec![address],
        None => match timeout_at(until, resolver.resolve(here.written_host())).await {
            Ok(found) => found.map_err(|error| unknown(error.to_string()))?,
            Err(_) => return Err(FetchError::Late { place: here.to_string() }),
        },
    };
    if found.is_empty() {
        return Err(unknown("the name has no address".to_owned()));
    }
    // A single private address is enough to refuse the host, because a mixture of private and public addresses
    // is a sign of an attack.
    let own = found.iter().find(|address| reach == AllowedAddresses::Public && !is_public(**address));
    if let Some(address) = own {
        return Err(FetchError::NotPublic { host, address: *address, from: None });
    }
    Ok(found.into_iter().map(|address| SocketAddr::new(address, here.port())).collect())
}

/// Sends a GET request to the addresses in `way`, which were checked, without another name lookup. Waits for the headers
/// of the response until the time `until`.
pub(super) async fn ask(
    here: &WebAddress,
    way: &[SocketAddr],
    asked: &FetchRequest<'_>,
    known: CacheValidators<'_>,
    until: Instant,
) -> Result<Response, FetchError> {
    let mut request =
        client(here, way, asked.silence)?.get(here.url().clone()).header(header::ACCEPT, asked.accept);
    for (name, value) in [(header::IF_NONE_MATCH, known.tag), (header::IF_MODIFIED_SINCE, known.changed)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    answered(request, here, until).await
}

/// Creates an HTTP client that connects only to the host of a URL, at the addresses in `way`, which were checked.
pub(crate) fn client(here: &WebAddress, way: &[SocketAddr], silence: Duration) -> Result<Client, FetchError> {
    let trust = if here.is_secured() { Trust::System } else { Trust::Nobody };
    builder(trust)?
        .dns_resolver(Arc::new(NoResolver))
        .resolve_to_addrs(here.written_host(), way)
        .pool_max_idle_per_host(0)
        .read_timeout(silence)
        .build()
        .map_err(|error| FetchError::Silent { place: here.to_string(), why: error.to_string() })
}

/// Sends a request, and waits for the headers of its response until the time `until`.
pub(crate) async fn answered(
    request: RequestBuilder,
    here: &WebAddress,
    until: Instant,
) -> Result<Response, FetchError> {
    match timeout_at(until, request.send()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) if error.is_timeout() => Err(FetchError::Late { place: here.to_string() }),
        Ok(Err(error)) => Err(match unproven(&error) {
            Some(why) => FetchError::Unproven { place: here.to_string(), why },
            None => FetchError::Silent { place: here.to_string(), why: innermost(&error) },
        }),
        Err(_) => Err(FetchError::Late { place: here.to_string() }),
    }
}

/// Returns the target of a redirect as the server states it; `None` if the response is not a redirect, or names no
/// target.
pub(super) fn leads(answer: &Response) -> Option<String> {
    let leads = matches!(
        answer.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = answer.headers().get(header::LOCATION).filter(|_| leads)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// Returns those headers of a response that a fetch uses.
pub(super) fn head(answer: &Response) -> Head {
    let headers = answer.headers();
    Head {
        content_type: value(headers, header::CONTENT_TYPE),
        packed: value(headers, header::CONTENT_ENCODING).filter(|packed| packed != "identity"),
        tag: value(headers, header::ETAG),
        changed: value(headers, header::LAST_MODIFIED),
        cache: value(headers, header::CACHE_CONTROL),
        retry_after: value(headers, header::RETRY_AFTER),
    }
}

fn value(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the problem with a TLS certificate that caused an error; `None` if the error has another cause.
fn unproven(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(rustls::Error::InvalidCertificate(why)) = error.downcast_ref::<rustls::Error>() {
            return Some(why.to_string());
        }
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = inside.map(|inside| inside as &(dyn Error + 'static)).or_else(|| error.source());
    }
    None
}

/// A resolver that finds nothing, so that a client can connect only to the checked addresses.
struct NoResolver;

impl Resolve for NoResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let fault = io::Error::other(format!(
            "Toolpost connects only to hosts that it has checked, and {} is not one of them",
            name.as_str()
        ));
        Box::pin(std::future::ready(Err(fault.into())))
    }
}
