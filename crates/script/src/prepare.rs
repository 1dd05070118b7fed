//! Extraction of a script from a model's text: removes fences, tags and entities.

/// HTML entities and their characters; `&amp;` is last, so that nothing is decoded twice.
const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")];

/// Removes fences and enclosing tags.
#[must_use]
pub fn prepared(source: &str) -> &str {
    let mut text = source;
    loop {
        let next = unfenced(untagged(text));
        if next.len() == text.len() {
            return text;
        }
        text = next;
    }
}

/// Decodes HTML entities, if any; only used for a script that does not parse unchanged.
pub(crate) fn decoded(source: &str) -> Option<String> {
    if !ENTITIES.iter().any(|(entity, _)| source.contains(entity)) {
        return None;
    }
    Some(ENTITIES.iter().fold(source.to_owned(), |text, (entity, letter)| text.replace(entity, letter)))
}

/// Removes an enclosing tag of any name: no script begins with one.
fn untagged(text: &str) -> &str {
    let inner = text.trim();
    let tagged = || {
        let (tag, rest) = inner.strip_prefix('<')?.split_once('>')?;
        let named = !tag.is_empty() && tag.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        rest.strip_suffix('>')?.strip_suffix(tag)?.strip_suffix("</").filter(|_| named)
    };
    let data = || inner.strip_prefix("<![CDATA[")?.strip_suffix("]]>");
    tagged().or_else(data).map_or(text, without_edges)
}

fn unfenced(text: &str) -> &str {
    let inner = text.trim();
    let fenced = || {
        let rest = inner.strip_prefix("```")?;
        let (language, rest) = rest.split_once('\n')?;
        let named = language.trim().chars().all(|letter| letter.is_ascii_alphanumeric());
        rest.strip_suffix("```").filter(|_| named)
    };
    fenced().map_or(text, without_edges)
}

/// Removes line ends around the code; the code's indentation stays.
fn without_edges(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_the_code_is_taken_off() {
        for (said, code) in [
            ("return 1", "return 1"),
            ("```\nreturn 1\n```", "return 1"),
            ("```js\n  return 1;\n```\n", "  return 1;"),
            (" ```javascript\r\nreturn 1\r\n``` ", "return 1"),
            ("<my_plan><code>\nreturn 1\n</code></my_plan>", "return 1"),
            ("<code>\n```js\nreturn 1\n```\n</code>", "return 1"),
            ("<plan><![CDATA[return a < b]]></plan>", "return a < b"),
            // The tags do not enclose everything.
            ("```js\na\n``` and ```js\nb\n```x", "```js\na\n``` and ```js\nb\n```x"),
            ("return `\n```\n`", "return `\n```\n`"),
            ("<code>a", "<code>a"),
            ("", ""),
        ] {
            assert_eq!(prepared(said), code, "{said}");
        }
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(decoded("a &amp;&amp; b &lt; &quot;c&quot;").as_deref(), Some("a && b < \"c\""));
        assert_eq!(decoded("&amp;lt;").as_deref(), Some("&lt;"));
        assert_eq!(decoded("a && b < c"), None);
    }
}
