//! Elements of a POM and their text.

use quick_xml::{
    Reader,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

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
    /// Entities other than those of XML itself are left out, and an `&` without an entity is text.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        reader.config_mut().allow_dangling_amp = true;
        let mut open = vec![Self::default()];
        loop {
            let inner = open.last_mut()?;
            match reader.read_event().ok()? {
                Event::Start(tag) => {
                    (open.len() < DEPTH).then(|| open.push(Self::named(&tag)))?;
                }
                Event::Empty(tag) => inner.children.push(Self::named(&tag)),
                Event::End(_) => {
                    let closed = open.pop()?;
                    open.last_mut()?.children.push(closed);
                }
                Event::Text(text) => inner.text.push_str(&text.xml10_content()),
                Event::CData(text) => inner.text.push_str(&text.xml10_content()),
                Event::GeneralRef(entity) => match entity.resolve_char_ref() {
                    Ok(Some(letter)) => inner.text.push(letter),
                    _ => inner.text.push_str(resolve_predefined_entity(&entity).unwrap_or_default()),
                },
                Event::DocType(_) => return None,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof => break,
            }
        }
        let mut outermost = open.pop().filter(|_| open.is_empty())?;
        outermost.children.pop().filter(|_| outermost.children.is_empty())
    }

    fn named(tag: &BytesStart<'_>) -> Self {
        Self { name: tag.local_name().as_ref().to_owned(), ..Self::default() }
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

#[cfg(test)]
mod tests {
    use super::Element;
    use toolpost_test_rows::each;

    #[test]
    fn elements_are_parsed_with_their_text() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- <a> -->\n<m:project a=\"x > y\">\n <b> 1 &amp;&lt;&#62; & &x;<!-- 2 -->3</b><c/>\
                    <b><![CDATA[<d>]]></b></m:project>\n";
        let read = Element::read(text).unwrap();
        let children: Vec<_> = read.children().iter().map(|child| (child.name(), child.text())).collect();
        assert_eq!((read.name(), read.text_of("b")), ("project", "1 &<> & 3"));
        assert_eq!(children, [("b", "1 &<> & 3"), ("c", ""), ("b", "<d>")]);
    }

    #[test]
    fn invalid_xml_is_refused() {
        let deep = "<a>".repeat(100) + &"</a>".repeat(100);
        let rows = [
            "",
            "words",
            "<a>",
            "<a></b>",
            "<a></a></a>",
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
