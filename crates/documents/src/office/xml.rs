//! Streaming reader for the XML of a document's member: elements and text in document order.

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event, attributes::Attribute},
};

use super::{Error, UnpackLimit};

/// A node of an XML document.
pub(super) enum Node<'a> {
    /// The start of an element: its local name and its tag.
    Open(&'a str, &'a BytesStart<'a>),
    /// The end of an element: its local name.
    Close(&'a str),
    /// Text, with character references resolved.
    Text(&'a str),
}

/// Number of nodes between two checks of the time limit.
const STEPS: u32 = 4_096;

/// Calls `see` with each node of the XML text `text` of the member `name`. Element names are passed without prefix;
/// entities that the document defines are not expanded.
pub(super) fn walk(
    name: &str,
    text: &str,
    budget: &UnpackLimit,
    mut see: impl FnMut(Node<'_>),
) -> Result<(), Error> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut steps = 0_u32;
    loop {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(STEPS) {
            budget.check()?;
        }
        let event = reader.read_event().map_err(|error| Error::Xml(name.to_owned(), error.to_string()))?;
        match event {
            Event::Start(start) => see(Node::Open(start.local_name().as_ref(), &start)),
            Event::Empty(start) => {
                see(Node::Open(start.local_name().as_ref(), &start));
                see(Node::Close(start.local_name().as_ref()));
            }
            Event::End(end) => see(Node::Close(end.local_name().as_ref())),
            Event::Text(text) => see(Node::Text(&text.xml10_content())),
            Event::CData(text) => see(Node::Text(&text.xml10_content())),
            Event::GeneralRef(reference) => {
                if let Ok(Some(character)) = reference.resolve_char_ref() {
                    see(Node::Text(character.encode_utf8(&mut [0; 4])));
                } else if let Some(character) = quick_xml::escape::resolve_predefined_entity(&reference) {
                    see(Node::Text(character));
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Returns the value of the attribute with the local name `name`.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attributes = start.attributes();
    let mut found = attributes.filter_map(Result::ok).filter(|one| one.key.local_name().as_ref() == name);
    let value = found.next()?;
    value_of(&value)
}

/// Returns the relationship id in an attribute with a prefix (`r:id`). An attribute `id` without a prefix is ignored,
/// because it is another id.
pub(super) fn relation(start: &BytesStart<'_>) -> Option<String> {
    let mut attributes = start.attributes().filter_map(Result::ok);
    value_of(&attributes.find(|one| one.key.as_ref().ends_with(":id"))?)
}

fn value_of(attribute: &Attribute<'_>) -> Option<String> {
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}
