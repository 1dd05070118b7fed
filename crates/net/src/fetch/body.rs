//! Reading of HTTP response bodies, which are decompressed while they arrive and limited in size.

use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::BodyCompleteness;
use crate::post::innermost;

/// Reads the body of a response until it ends, it exceeds `most` bytes, or the deadline `until` is reached.
pub(crate) async fn read(mut answer: Response, most: usize, until: Instant) -> (Vec<u8>, BodyCompleteness) {
    let mut body = Vec::new();
    loop {
        let piece = match timeout_at(until, answer.chunk()).await {
            Ok(Ok(Some(piece))) => piece,
            Ok(Ok(None)) => return (body, BodyCompleteness::Whole),
            Ok(Err(error)) if error.is_timeout() => return (body, BodyCompleteness::Late),
            Ok(Err(error)) => return (body, BodyCompleteness::Broken(innermost(&error))),
            Err(_) => return (body, BodyCompleteness::Late),
        };
        let room = most - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return (body, BodyCompleteness::Cut);
        }
    }
}
