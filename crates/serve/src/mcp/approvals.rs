//! Questions that wait for the same call to be made again.

use serde_json::Value;
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolpost_runtime::Question;

/// How long an answer is waited for.
const TIME: Duration = Duration::from_secs(10 * 60);
/// How many questions may wait; the oldest makes room.
const WAITING: usize = 64;

/// Questions that wait for the same call to be made again.
///
/// What the client carries is a handle that tells nothing and cannot be guessed; what it stands for stays here. So
/// there is nothing to forge, and a handle that is taken is gone.
#[derive(Default)]
pub(super) struct Approvals {
    waiting: Mutex<VecDeque<Waiting>>,
}

struct Waiting {
    handle: blake3::Hash,
    call: blake3::Hash,
    question: Question,
    until: Instant,
}

impl Approvals {
    /// Keeps a question about a call; gives the handle by which the answer finds it.
    pub(super) fn keep(
        &self,
        tool: &str,
        arguments: &Value,
        question: Question,
    ) -> Result<String, getrandom::Error> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        let handle = blake3::Hash::from_bytes(secret).to_hex().to_string();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() == WAITING {
            waiting.pop_front();
        }
        waiting.push_back(Waiting {
            handle: blake3::hash(handle.as_bytes()),
            call: digest(tool, arguments),
            question,
            until: Instant::now() + TIME,
        });
        Ok(handle)
    }

    /// Takes the question that a handle stands for, if it was asked about this very call and is not too old.
    pub(super) fn take(&self, handle: &str, tool: &str, arguments: &Value) -> Option<Question> {
        let handle = blake3::hash(handle.as_bytes());
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting.iter().position(|waiting| waiting.handle == handle)?;
        // It is gone whatever follows: a handle is good for one try.
        let kept = waiting.remove(at)?;
        (kept.call == digest(tool, arguments) && Instant::now() < kept.until).then_some(kept.question)
    }
}

/// Says in 32 bytes which call it is; the order in which an object's fields stand does not matter.
fn digest(tool: &str, arguments: &Value) -> blake3::Hash {
    let mut sorted = arguments.clone();
    sorted.sort_all_objects();
    blake3::hash(format!("{tool}\0{sorted}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question() -> Question {
        Question {
            tool: "Write (claude)".into(),
            touches: vec!["write a".into()],
            reason: "rule 1".into(),
            spans: Vec::new(),
        }
    }

    /// Asks about `Write {"a":1,"b":{"c":2,"d":3}}` and takes the answer for another call.
    fn check(tool: &str, arguments: &Value, change: fn(String) -> String, expected: Option<Question>) {
        let approvals = Approvals::default();
        let handle = approvals.keep("Write", &json!({"a": 1, "b": {"c": 2, "d": 3}}), question()).unwrap();
        let handle = change(handle);
        assert_eq!(approvals.take(&handle, tool, arguments), expected, "{tool} {arguments}");
        assert_eq!(approvals.take(&handle, tool, arguments), None, "a second time: {tool} {arguments}");
    }

    #[test]
    fn an_answer_is_good_for_the_same_call_and_once() {
        let same = |handle| handle;
        check("Write", &json!({"a": 1, "b": {"c": 2, "d": 3}}), same, Some(question()));
        check("Write", &json!({"b": {"d": 3, "c": 2}, "a": 1}), same, Some(question()));
        check("Edit", &json!({"a": 1, "b": {"c": 2, "d": 3}}), same, None);
        check("Write", &json!({"a": 2, "b": {"c": 2, "d": 3}}), same, None);
        check("Write", &json!({"a": 1, "b": {"c": 2, "d": 3}}), |_| String::new(), None);
        let flip = |handle: String| handle.replacen(|digit| digit != '0', "0", 1);
        check("Write", &json!({"a": 1, "b": {"c": 2, "d": 3}}), flip, None);
    }

    #[test]
    fn a_wrong_try_uses_the_handle_up() {
        let approvals = Approvals::default();
        let handle = approvals.keep("Write", &json!({"a": 1}), question()).unwrap();
        assert_eq!(approvals.take(&handle, "Write", &json!({"a": 2})), None);
        assert_eq!(approvals.take(&handle, "Write", &json!({"a": 1})), None);
    }

    #[test]
    fn an_old_question_is_forgotten() {
        let approvals = Approvals::default();
        let handle = approvals.keep("Write", &json!({}), question()).unwrap();
        approvals.waiting.lock().unwrap()[0].until = Instant::now();
        assert_eq!(approvals.take(&handle, "Write", &json!({})), None);
    }

    #[test]
    fn the_oldest_question_makes_room() {
        let approvals = Approvals::default();
        let handles: Vec<_> =
            (0..=WAITING).map(|_| approvals.keep("Write", &json!({}), question()).unwrap()).collect();
        assert_eq!(approvals.take(&handles[0], "Write", &json!({})), None);
        assert_eq!(approvals.take(&handles[1], "Write", &json!({})), Some(question()));
        assert_eq!(approvals.take(&handles[WAITING], "Write", &json!({})), Some(question()));
    }
}
