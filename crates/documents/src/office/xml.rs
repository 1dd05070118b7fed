//! The elements and the text of a member, one after the other.

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event, attributes::Attribute},
};

use super::{Budget, Error};

/// The next piece of a document.
pub(super) enum Node<'a> {
    /// An element begins.
    Open(&'a str, &'a BytesStart<'a>),
    /// An element ends.
    Close(&'a str),
    /// Text, with its references resolved.
    Text(&'a str),
}

/// Nodes between two looks at the clock.
const STEPS: u32 = 4_096;

/// Goes through the nodes of a member. Names come without their prefix; entities that a document defines are not expanded.
pub(super) fn walk(
    name: &str,
    text: &str,
    budget: &Budget,
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

/// The value of an attribute, by its name without a prefix.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attributes = start.attributes();
    let mut found = attributes.filter_map(Result::ok).filter(|one| one.key.local_name().as_ref() == name);
    let value = found.next()?;
    value_of(&value)
}

/// The id of a relation, whose name has a prefix; a plain `id` is another number.
pub(super) fn relation(start: &BytesStart<'_>) -> Option<String> {
    let mut attributes = start.attributes().filter_map(Result::ok);
    value_of(&attributes.find(|one| one.key.as_ref().ends_with(":id"))?)
}

fn value_of(attribute: &Attribute<'_>) -> Option<String> {
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}
