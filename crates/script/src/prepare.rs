//! Extraction of a script from a model's text: removes code fences and tags around it, and decodes HTML entities.

/// HTML entities and their characters; `&amp;` is last, so that no entity is decoded twice.
const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")];

/// Returns a script without the Markdown code fences and the tags around it.
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

/// Decodes HTML entities in a script that does not parse; `None` if it contains none.
pub(crate) fn decoded(source: &str) -> Option<String> {
    if !ENTITIES.iter().any(|(entity, _)| source.contains(entity)) {
        return None;
    }
    Some(ENTITIES.iter().fold(source.to_owned(), |text, (entity, letter)| text.replace(entity, letter)))
}

/// Removes the tag with any name that encloses a text, such as `<code>`; no JavaScript source begins with a tag.
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

/// Removes the first line end of a text, and all white space at its end. The indentation of the first line stays.
fn without_edges(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn code_fences_and_tags_are_removed() {
        each(
            [
                ("return 1", "return 1"),
                ("```\nreturn 1\n```", "return 1"),
                ("```js\n  return 1;\n```\n", "  return 1;"),
                (" ```javascript\r\nreturn 1\r\n``` ", "return 1"),
                ("<my_plan><code>\nreturn 1\n</code></my_plan>", "return 1"),
                ("<code>\n```js\nreturn 1\n```\n</code>", "return 1"),
                ("<plan><![CDATA[return a < b]]></plan>", "return a < b"),
                // The fences or tags do not enclose the whole text, so they stay.
                ("```js\na\n``` and ```js\nb\n```x", "```js\na\n``` and ```js\nb\n```x"),
                ("return `\n```\n`", "return `\n```\n`"),
                ("<code>a", "<code>a"),
                ("", ""),
            ],
            |(text, code)| {
                assert_eq!(prepared(text), code, "{text}");
            },
        );
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(decoded("a &amp;&amp; b &lt; &quot;c&quot;").as_deref(), Some("a && b < \"c\""));
        assert_eq!(decoded("&amp;lt;").as_deref(), Some("&lt;"));
        assert_eq!(decoded("a && b < c"), None);
    }
}
