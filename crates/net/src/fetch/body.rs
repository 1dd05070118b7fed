//! The body of an answer, unpacked while it comes in, and never more of it than is wanted.

use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::End;
use crate::post::innermost;

/// Takes a body until it ends, is long enough, or the time is over.
pub(crate) async fn read(mut answer: Response, most: usize, until: Instant) -> (Vec<u8>, End) {
    let mut body = Vec::new();
    loop {
        let piece = match timeout_at(until, answer.chunk()).await {
            Ok(Ok(Some(piece))) => piece,
            Ok(Ok(None)) => return (body, End::Whole),
            Ok(Err(error)) if error.is_timeout() => return (body, End::Late),
            Ok(Err(error)) => return (body, End::Broken(innermost(&error))),
            Err(_) => return (body, End::Late),
        };
        let room = most - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return (body, End::Cut);
        }
    }
}
