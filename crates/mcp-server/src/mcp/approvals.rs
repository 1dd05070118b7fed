//! Approval questions that the client stores, encrypted, until it repeats the call.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    Key, KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolpost_runtime::Question;

/// The time for which an approval question is valid.
const TIME: Duration = Duration::from_secs(10 * 60);
/// Maximum number of used answers that are remembered. If there are more, the key changes and all open
/// questions become invalid.
const REMEMBERED: usize = 4096;
/// The length of a nonce in bytes; the nonce identifies an answer that has been used.
const NONCE: usize = 24;

/// Encrypts questions, so that only this server can create or read the state that the client stores.
///
/// A question is bound to the session, the tool and the arguments: it cannot be opened for any other call. It
/// is valid for ten minutes and for one answer.
pub(super) struct Approvals {
    began: Instant,
    seals: Mutex<SealState>,
}

/// The reason why an approval question that the client sent back was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The text was not encrypted by this server, or not for this call.
    NotThis,
    /// The question has expired.
    TooOld,
    /// The question was already answered.
    Used,
}

#[derive(Default)]
struct SealState {
    key: Option<Key>,
    /// The used nonces, each after the second in which its question expires, counted from `Approvals::began`.
    used: VecDeque<(u64, [u8; NONCE])>,
}

impl Rejection {
    /// Returns the reason as a predicate, such as `is older than ten minutes`.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NotThis => "was altered, or belongs to another call, another session or an earlier server",
            Self::TooOld => "is older than ten minutes",
            Self::Used => "was used before",
        }
    }
}

impl Default for Approvals {
    fn default() -> Self {
        Self { began: Instant::now(), seals: Mutex::default() }
    }
}

impl Approvals {
    /// Encrypts a question about a call of a session, for the client to store.
    pub(super) fn seal(
        &self,
        session: &str,
        tool: &str,
        arguments: &Value,
        question: &Question,
    ) -> Result<String, getrandom::Error> {
        self.seal_at(Instant::now(), session, tool, arguments, question)
    }

    /// Decrypts a question that a client sent back, if it was encrypted for this exact call, is unused and
    /// has not expired.
    pub(super) fn open(
        &self,
        sealed: &str,
        session: &str,
        tool: &str,
        arguments: &Value,
    ) -> Result<Question, Rejection> {
        self.open_at(Instant::now(), sealed, session, tool, arguments)
    }

    fn seal_at(
        &self,
        now: Instant,
        session: &str,
        tool: &str,
        arguments: &Value,
        question: &Question,
    ) -> Result<String, getrandom::Error> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)?;
        let key = {
            let mut seals = self.seals.lock().unwrap_or_else(PoisonError::into_inner);
            match seals.key {
                Some(key) => key,
                None => *seals.key.insert(new_key()?),
            }
        };
        let until = self.second(now + TIME);
        let said = json!([until, question]).to_string();
        let bound = bound(session, tool, arguments);
        let payload = Payload { msg: said.as_bytes(), aad: &bound };
        // Encryption fails only for messages of more than 256 GiB.
        let sealed = XChaCha20Poly1305::new(&key).encrypt(&XNonce::from(nonce), payload).unwrap_or_default();
        Ok(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    fn open_at(
        &self,
        now: Instant,
        sealed: &str,
        session: &str,
        tool: &str,
        arguments: &Value,
    ) -> Result<Question, Rejection> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| Rejection::NotThis)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>().ok_or(Rejection::NotThis)?;
        let bound = bound(session, tool, arguments);
        let mut seals = self.seals.lock().unwrap_or_else(PoisonError::into_inner);
        let key = seals.key.as_ref().ok_or(Rejection::NotThis)?;
        let payload = Payload { msg: sealed, aad: &bound };
        let said = XChaCha20Poly1305::new(key)
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| Rejection::NotThis)?;
        let (until, question) = read(&said).ok_or(Rejection::NotThis)?;
        let second = self.second(now);
        if second >= until {
            return Err(Rejection::TooOld);
        }
        if seals.used.iter().any(|(_, used)| used == nonce) {
            return Err(Rejection::Used);
        }
        seals.remember(second, until, *nonce);
        Ok(question)
    }

    fn second(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.began).as_secs()
    }
}

impl SealState {
    /// Remembers a used nonce for as long as its question could be used again.
    fn remember(&mut self, now: u64, until: u64, nonce: [u8; NONCE]) {
        self.used.retain(|(until, _)| *until > now);
        if self.used.len() == REMEMBERED {
            // A forgotten nonce must not be accepted again, so the key is dropped and the next question gets
            // a new one.
            self.used.clear();
            self.key = None;
            return;
        }
        self.used.push_back((until, nonce));
    }
}

fn new_key() -> Result<Key, getrandom::Error> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    Ok(Key::from(key))
}

fn read(said: &[u8]) -> Option<(u64, Question)> {
    serde_json::from_slice(said).ok()
}

/// Returns a hash of 32 bytes that identifies the call and its session; the order of an object's fields does
/// not matter.
fn bound(session: &str, tool: &str, arguments: &Value) -> [u8; 32] {
    let mut sorted = arguments.clone();
    sorted.sort_all_objects();
    *blake3::hash(json!([session, tool, sorted]).to_string().as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_runtime::{Addition, Span};

    fn question() -> Question {
        Question {
            tool: "Write (claude)".into(),
            touches: vec!["write a".into(), "write \u{202e}b".into()],
            reason: "rule 1".into(),
            spans: vec![Span::Session, Span::Always],
            covers: "write \u{202e}b".into(),
            adds: Some(Addition { file: "f".into(), rules: vec!["a".into(), "b".into()] }),
        }
    }

    fn arguments() -> Value {
        json!({"a": 1, "b": {"c": 2, "d": 3}})
    }

    /// Encrypts a question about `Write` of the session `one`, and decrypts it for a call.
    fn check(
        session: &str,
        tool: &str,
        arguments: &Value,
        later: u64,
        change: fn(String) -> String,
        wanted: Result<(), Rejection>,
    ) {
        let approvals = Approvals::default();
        let now = Instant::now();
        let sealed = approvals.seal_at(now, "one", "Write", &self::arguments(), &question()).unwrap();
        assert!(!sealed.contains("Write"), "{sealed}");
        let opened = approvals.open_at(
            now + Duration::from_secs(later),
            &change(sealed.clone()),
            session,
            tool,
            arguments,
        );
        assert_eq!(opened, wanted.map(|()| question()), "{session} {tool} {arguments} {later}");
        // A failed attempt consumes nothing, and a successful one consumes the question.
        let again = approvals.open_at(now, &sealed, "one", "Write", &self::arguments());
        assert_eq!(again, if wanted.is_ok() { Err(Rejection::Used) } else { Ok(question()) });
    }

    #[test]
    fn sealed_approvals_are_valid_once_for_the_same_call() {
        let same = |sealed| sealed;
        let (this, not) = (arguments(), Err(Rejection::NotThis));
        check("one", "Write", &this, 0, same, Ok(()));
        check("one", "Write", &json!({"b": {"d": 3, "c": 2}, "a": 1}), 0, same, Ok(()));
        check("one", "Write", &this, 599, same, Ok(()));
        check("one", "Write", &this, 601, same, Err(Rejection::TooOld));
        check("two", "Write", &this, 0, same, not);
        check("one", "Edit", &this, 0, same, not);
        check("one", "Write", &json!({"a": 2, "b": {"c": 2, "d": 3}}), 0, same, not);
        check("one", "Write", &this, 0, |_| String::new(), not);
        check("one", "Write", &this, 0, |_| "not base64 at all!".to_owned(), not);
        check("one", "Write", &this, 0, |sealed| sealed[..40].to_owned(), not);
        check("one", "Write", &this, 0, |sealed| format!("{sealed}AAAA"), not);
    }

    #[test]
    fn altered_seals_are_rejected_at_every_byte() {
        let approvals = Approvals::default();
        let sealed = approvals.seal("one", "Write", &arguments(), &question()).unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            let altered = URL_SAFE_NO_PAD.encode(bytes);
            assert_eq!(
                approvals.open(&altered, "one", "Write", &arguments()),
                Err(Rejection::NotThis),
                "{at}"
            );
        }
        assert_eq!(approvals.open(&sealed, "one", "Write", &arguments()), Ok(question()));
    }

    #[test]
    fn seals_of_another_server_are_rejected() {
        let (one, other) = (Approvals::default(), Approvals::default());
        let sealed = one.seal("one", "Write", &arguments(), &question()).unwrap();
        assert_eq!(other.open(&sealed, "one", "Write", &arguments()), Err(Rejection::NotThis));
        other.seal("one", "Write", &arguments(), &question()).unwrap();
        assert_eq!(other.open(&sealed, "one", "Write", &arguments()), Err(Rejection::NotThis));
    }

    #[test]
    fn earlier_seals_expire_when_the_used_list_is_full() {
        let approvals = Approvals::default();
        let seal = || approvals.seal("one", "Write", &json!({}), &question()).unwrap();
        let open = |sealed: &str| approvals.open(sealed, "one", "Write", &json!({}));
        let all: Vec<String> = (0..=REMEMBERED).map(|_| seal()).collect();
        let waiting = seal();
        for sealed in &all {
            assert_eq!(open(sealed), Ok(question()));
        }
        for sealed in [&all[0], &all[REMEMBERED], &waiting] {
            assert_eq!(open(sealed), Err(Rejection::NotThis));
        }
        assert_eq!(open(&seal()), Ok(question()));
        assert_eq!(approvals.seals.lock().unwrap().used.len(), 1);
    }
}
