//! Minimal XML parser for POMs, which keeps elements and their text.

/// Maximum nesting of elements.
const DEPTH: usize = 64;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Element {
    name: String,
    text: String,
    children: Vec<Element>,
}

impl Element {
    /// Parses an XML document; `None` if it is malformed, is nested too deeply, or has a document type declaration.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut open = vec![Self::default()];
        let mut rest = text.trim_start_matches('\u{feff}');
        while let Some((before, after)) = rest.split_once('<') {
            open.last_mut()?.text.push_str(&plain(before));
            rest = if let Some(after) = after.strip_prefix("!--") {
                after.split_once("-->")?.1
            } else if let Some(after) = after.strip_prefix("![CDATA[") {
                let (words, after) = after.split_once("]]>")?;
                open.last_mut()?.text.push_str(words);
                after
            } else if let Some(after) = after.strip_prefix('?') {
                after.split_once("?>")?.1
            } else if after.starts_with('!') {
                return None;
            } else {
                tag(after, &mut open)?
            };
        }
        let mut outermost = open.pop().filter(|_| open.is_empty())?;
        outermost.children.pop().filter(|_| outermost.children.is_empty())
    }

    /// Returns the name of the element without its namespace prefix.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of the element, without white space around it.
    pub(super) fn text(&self) -> &str {
        self.text.trim()
    }

    /// Returns the first child element with a name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the child elements.
    pub(super) fn children(&self) -> &[Self] {
        &self.children
    }

    /// Returns the text of the first child element with a name, or an empty string.
    pub(super) fn text_of(&self, name: &str) -> &str {
        self.child(name).map_or("", Self::text)
    }
}

/// Parses the tag after `<`, which opens or closes an element. Returns the text after the tag; `None` if it is
/// malformed or nested too deeply.
fn tag<'t>(after: &'t str, open: &mut Vec<Element>) -> Option<&'t str> {
    let (inside, rest) = after.split_at(end(after)?);
    let rest = &rest[1..];
    if let Some(name) = inside.strip_prefix('/') {
        let closed = open.pop()?;
        (closed.name == local(name)).then_some(())?;
        open.last_mut()?.children.push(closed);
        return Some(rest);
    }
    let (inside, closes) = match inside.strip_suffix('/') {
        Some(inside) => (inside, true),
        None => (inside, false),
    };
    let name = local(inside).to_owned();
    (!name.is_empty() && open.len() < DEPTH).then_some(())?;
    let element = Element { name, ..Element::default() };
    if closes {
        open.last_mut()?.children.push(element);
    } else {
        open.push(element);
    }
    Some(rest)
}

/// Returns the position of the `>` that ends a tag; a `>` in quotes is ignored.
fn end(tag: &str) -> Option<usize> {
    let mut quoted = None;
    tag.char_indices().find_map(|(at, letter)| {
        match (quoted, letter) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quoted = Some(letter),
            (Some(quote), letter) if quote == letter => quoted = None,
            _ => {}
        }
        None
    })
}

fn local(tag: &str) -> &str {
    let name = tag.split(char::is_whitespace).next().unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default()
}

fn plain(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

#[cfg(test)]
mod tests {
    use super::Element;
    use toolpost_test_rows::each;

    #[test]
    fn elements_are_parsed_with_their_text() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- <a> -->\n<m:project a=\"x > y\">\n <b> 1 &amp;&lt; <!-- 2 -->3</b><c/>\
                    <b><![CDATA[<d>]]></b></m:project>\n";
        let read = Element::read(text).unwrap();
        let children: Vec<_> = read.children().iter().map(|child| (child.name(), child.text())).collect();
        assert_eq!((read.name(), read.text_of("b")), ("project", "1 &< 3"));
        assert_eq!(children, [("b", "1 &< 3"), ("c", ""), ("b", "<d>")]);
    }

    #[test]
    fn invalid_xml_is_refused() {
        let deep = "<a>".repeat(100) + &"</a>".repeat(100);
        let rows = [
            "",
            "words",
            "<a>",
            "<a></b>",
            "</a>",
            "<a/><b/>",
            "<a",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            &deep,
        ];
        each(rows, |text| {
            assert_eq!(Element::read(text), None, "{text}");
        });
    }
}
