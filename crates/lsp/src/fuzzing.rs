//! Entry point for the fuzz target of LSP frames.

use crate::{framing, message::Message};

/// Maximum size of a message, in bytes.
const LONGEST: usize = 4 * 1024;

/// Reads messages until the first error.
///
/// # Panics
/// If a message is longer than 4 KiB, or changes when it is written and read again.
pub fn frames(mut stream: &[u8]) {
    while let Ok(body) = framing::read(&mut stream, LONGEST) {
        assert!(body.len() <= LONGEST, "a message of {} bytes", body.len());
        let _ = Message::read(&body);
        let mut written = Vec::new();
        assert!(framing::write(&mut written, &body).is_ok());
        assert_eq!(framing::read(&mut written.as_slice(), LONGEST).as_ref(), Ok(&body));
    }
}
