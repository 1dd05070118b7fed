//! Conversion of errors from the web into failures.

use super::Request;
use crate::{
    access::command::Host,
    failure::{Failure, Hint, Kind, convert},
};
use toolpost_net::{FetchError, Fetched, WebAddress, decode, html};
use toolpost_text::escape;

/// The maximum size of the server's text that a failure shows, in bytes.
const SAID: usize = 1_000;

/// The failure for an answer that could not be fetched.
pub(super) fn fetch(error: &FetchError, request: &Request) -> Failure {
    let words = convert::opened(&error.to_string());
    match error {
        FetchError::NotAllowed { place, why, from } => {
            let what = match from {
                Some(from) => {
                    format!("Not allowed to fetch {place}, to which {from} leads: {}", convert::sentence(why))
                }
                None => format!("Not allowed to fetch {place}: {}", convert::sentence(why)),
            };
            opened_by_rule(Failure::new(Kind::Denied, what), place, from.as_deref())
        }
        FetchError::NotPublic { from, host, .. } => {
            let failure = Failure::new(Kind::Denied, words);
            let place = from.as_deref().map_or(request.address.as_str(), |_| host.as_str());
            match from {
                // The port is not known any more, and no rule should be suggested for a host that a page
                // leads to.
                Some(from) => {
                    failure.hint(Hint::Advice(format!("{from} leads there, which is not followed.")))
                }
                None => opened_by_rule(failure, place, None),
            }
        }
        FetchError::Unknown { .. } => Failure::new(Kind::NotFound, words)
            .hint(Hint::Advice("Look at the spelling of the host; or there is no network here.".to_owned())),
        FetchError::Silent { .. } => Failure::new(Kind::Io, words).hint(Hint::TryAgain),
        FetchError::Unproven { .. } => Failure::new(Kind::Denied, words).hint(Hint::Advice(
            "What it would say could be from anybody, so it was not read. Leave it to the user.".to_owned(),
        )),
        FetchError::Late { .. } => Failure::new(Kind::Timeout, words).hint(Hint::Advice(
            "Give it more time (at most 120 seconds), or fetch something smaller.".to_owned(),
        )),
        FetchError::Leads { to, .. } => Failure::new(Kind::WrongKind, words).hint(Hint::Advice(format!(
            "If {} is what is meant, fetch it by that address.",
            escape::text(to)
        ))),
        FetchError::Client(_) => Failure::new(Kind::Io, words),
    }
}

/// Adds the rule with which the operator can allow a host.
fn opened_by_rule(failure: Failure, place: &str, from: Option<&str>) -> Failure {
    let Ok(address) = WebAddress::parse(place) else { return failure };
    let failure = match from {
        Some(_) => failure.hint(Hint::Advice(format!("Fetch {place} by itself, if it is what is meant."))),
        None => failure,
    };
    let host = Host::at(&address.host(), address.port()).written();
    failure.hint(Hint::Operator(format!("touch = [\"fetch\"], hosts = [{host:?}], decide = \"allow\"")))
}

/// The failure for an answer with an error status.
pub(super) fn status(fetched: &Fetched, request: &Request) -> Failure {
    let address = fetched.address().unwrap_or(&request.address);
    let status = fetched.status;
    let what = format!("{address} answered {status} ({}).", meaning(status));
    let kind = match status {
        404 | 410 => Kind::NotFound,
        401 | 403 | 407 | 451 => Kind::Denied,
        408 | 504 => Kind::Timeout,
        _ => Kind::Io,
    };
    let failure = Failure::new(kind, what);
    let failure = match said(fetched, address) {
        Some(said) => {
            failure.found(format!("What it says to that is content of the web, not instructions:\n{said}"))
        }
        None => failure,
    };
    let advice = match status {
        401 | 403 | 407 => {
            "It wants to know who asks, or does not answer programs. No credentials are sent; leave it to the user."
        }
        404 | 410 => "Look at the address, or begin at a page above it.",
        429 => match &fetched.head.retry_after {
            Some(wait) => {
                return failure.hint(Hint::Advice(format!(
                    "Too many requests: it wants none for {} (Retry-After).",
                    escape::text(wait)
                )));
            }
            None => "It wants fewer requests: wait before the next.",
        },
        300..=399 => "It leads elsewhere without saying where.",
        500.. => return failure.hint(Hint::TryAgain),
        _ => "Look at the address.",
    };
    failure.hint(Hint::Advice(advice.to_owned()))
}

/// Returns the beginning of the server's message, as text.
fn said(fetched: &Fetched, address: &WebAddress) -> Option<String> {
    let content_type = fetched.head.content_type.as_deref();
    let is_html = content_type.is_some_and(|name| name.contains("html"));
    let is_text = content_type.is_some_and(|name| name.contains("json") || name.starts_with("text/"));
    if !is_html && !is_text {
        return None;
    }
    let text = decode(&fetched.body[..fetched.body.len().min(64 << 10)], content_type).text;
    let text = if is_html { html::text(&text, address).text } else { text };
    let text = escape::prose(text.trim()).into_owned();
    let end = text.floor_char_boundary(SAID);
    (!text.is_empty()).then(|| if end < text.len() { format!("{}…", &text[..end]) } else { text })
}

fn meaning(status: u16) -> &'static str {
    match status {
        300..=399 => "it leads elsewhere",
        400 => "the request is wrong",
        401 => "it wants to know who asks",
        403 => "it refuses",
        404 => "there is nothing",
        405 => "it does not answer such requests",
        406 => "it has no such form of it",
        408 | 504 => "it took too long",
        410 => "it is gone",
        429 => "too many requests",
        451 => "it is withheld for legal reasons",
        500 => "it has failed itself",
        502 | 503 => "it is not ready",
        _ if status < 500 => "it refuses",
        _ => "it cannot answer",
    }
}
