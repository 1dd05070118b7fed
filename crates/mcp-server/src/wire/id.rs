//! Recovery of the id of a message that cannot be parsed as a whole.

use rmcp::model::RequestId;
use serde::{
    Deserializer as _,
    de::{IgnoredAny, MapAccess, Visitor},
};
use std::{borrow::Cow, fmt};

/// Finds the id in the first bytes of a message, or else in its last ones.
pub(crate) fn find(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    in_head(head).or_else(|| in_tail(tail))
}

fn in_head(head: &[u8]) -> Option<RequestId> {
    let mut found = None;
    // The text is truncated or invalid somewhere: an id that was found before that point counts.
    serde_json::Deserializer::from_slice(head).deserialize_map(Find(&mut found)).ok();
    found
}

/// Parses from the last `"id"` to the end of the message, as if a message began there.
fn in_tail(tail: &[u8]) -> Option<RequestId> {
    let at = memchr::memmem::rfind(tail, b"\"id\"")?;
    let mut found = None;
    let rest = [b"{", &tail[at..]].concat();
    let mut rest = serde_json::Deserializer::from_slice(&rest);
    rest.deserialize_map(Find(&mut found)).ok()?;
    rest.end().ok()?;
    found
}

struct Find<'a>(&'a mut Option<RequestId>);

impl<'de> Visitor<'de> for Find<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "id" {
                *self.0 = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, tail: &str, expected: Option<RequestId>) {
        assert_eq!(find(head.as_bytes(), tail.as_bytes()), expected, "{head} … {tail}");
    }

    #[test]
    fn message_ids_are_recovered_from_either_end() {
        let seven = || Some(RequestId::Number(7));
        check(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"aaa"#, "aaa", seven());
        check(r#"{"id":"seven","x":"aaa"#, "", Some(RequestId::String("seven".into())));
        check(r#"{"method":"tools/call","params":{"id":8,"x":"aaa"#, r#"aaa"},"id":7}"#, seven());
        check(r#"{"method":"tools/call","params":{"x":"aaa"#, r#"aaa"},"id":7,"jsonrpc":"2.0"}"#, seven());
        check(r#"{"method":"tools/call","params":{"x":"aaa"#, r#"aaa","id":8}}"#, None);
        check(r#"{"method":"tools/call","id":null,"x":"aaa"#, "aaa", None);
        check("[1,2", "3]", None);
        check(&"[".repeat(4096), &"]".repeat(4096), None);
    }
}
