//! JSON formatter that changes only white space and keeps every number and string as written.

/// Maximum nesting depth to which lines are indented.
const DEEPEST: usize = 40;

/// Formats JSON with line breaks and indentation; `None` if there is no value, brackets or quotes do not match, or a
/// character cannot occur in JSON.
#[must_use]
pub fn pretty(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len() + json.len() / 2);
    let mut open: Vec<u8> = Vec::new();
    let (bytes, mut at) = (json.as_bytes(), 0);
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'"' => {
                let end = text_end(bytes, at)?;
                out.push_str(json.get(at..end)?);
                at = end;
                continue;
            }
            b'{' | b'[' => {
                let after = bytes[at + 1..].iter().position(|byte| !byte.is_ascii_whitespace())? + at + 1;
                let closing = if byte == b'{' { b'}' } else { b']' };
                out.push(char::from(byte));
                if bytes[after] == closing {
                    out.push(char::from(closing));
                    at = after + 1;
                    continue;
                }
                open.push(closing);
                line(&mut out, open.len());
            }
            b'}' | b']' => {
                open.pop().filter(|closing| *closing == byte)?;
                line(&mut out, open.len());
                out.push(char::from(byte));
            }
            b',' => {
                out.push(',');
                line(&mut out, open.len());
            }
            b':' => out.push_str(": "),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'0'..=b'9' | b'a'..=b'z' | b'E' | b'-' | b'+' | b'.' => out.push(char::from(byte)),
            _ => return None,
        }
        at += 1;
    }
    (open.is_empty() && !out.is_empty()).then_some(out)
}

/// Returns the content of a JSON string, with its escapes resolved; `None` for any other text.
#[must_use]
pub fn json_string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// Returns the position after the closing quote of the string that starts at `at`; `None` if it is not closed.
fn text_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    loop {
        match bytes.get(end)? {
            b'"' => return Some(end + 1),
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(DEEPEST)));
}

#[cfg(test)]
mod tests {
    use super::pretty;
    use toolpost_test_rows::each;

    #[test]
    fn json_is_pretty_printed_with_values_unchanged() {
        let rows = [
            (
                r#"{"a":[1,2.50,1e400],"b":{},"c":[ ]}"#,
                Some("{\n  \"a\": [\n    1,\n    2.50,\n    1e400\n  ],\n  \"b\": {},\n  \"c\": []\n}"),
            ),
            (r#"  "a, {\"é\" "  "#, Some(r#""a, {\"é\" ""#)),
            ("true", Some("true")),
            ("{\"a\":1", None),
            ("[1}", None),
            ("[1]]", None),
            ("\"a", None),
            ("<html>", None),
            ("", None),
            ("[", None),
        ];
        each(rows, |(json, wanted)| {
            assert_eq!(pretty(json).as_deref(), wanted, "{json}");
        });
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(pretty(&deep).is_some_and(|pretty| pretty.len() < 20_000_000));
    }
}
