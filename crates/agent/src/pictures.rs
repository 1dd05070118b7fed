//! Pictures in replies: which ones a model is shown, and what it is told of the others.

use crate::models::{Answered, Fault, FaultKind, Message, Picture, Question};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::borrow::Cow;
use toolpost_engine::InnerAnswer;

/// The media types that services take; of these, some take fewer.
const TAKEN: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// The most letters of base64 that a picture may have: no service takes a larger one.
const LARGEST: usize = 5_000_000;
/// The most pictures of a question, and the most letters that they have together; the newest come first.
const MOST: usize = 20;
const TOGETHER: usize = 16_000_000;
/// About how many tokens a picture has; services reckon by its sides, which are 1568 at most.
pub(crate) const TOKENS: u64 = 1_600;

/// What is said where there is no room for pictures.
pub(crate) const ROOM: &str = "its pictures are left out to save room; make the call again to see them";

/// Whether pictures are shown to a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Showing {
    /// They are, where its service takes them.
    #[default]
    Shown,
    /// They are named, with their media type and size.
    Named,
}

/// Takes the pictures out of an answer that can be shown; of the others the words say why they are not.
pub(crate) fn taken(answer: InnerAnswer) -> (String, Vec<Picture>) {
    let mut words = answer.words;
    let mut pictures = Vec::new();
    for (at, picture) in answer.pictures.into_iter().enumerate() {
        let letters = picture.data.len().div_ceil(3) * 4;
        let why = match picture.mime.as_str() {
            mime if !TAKEN.contains(&mime) => format!("no model takes {mime}"),
            _ if letters > LARGEST => format!("it has more than {} bytes", LARGEST / 4 * 3),
            _ => {
                pictures.push(Picture { mime: picture.mime, data: STANDARD.encode(&picture.data).into() });
                continue;
            }
        };
        words.push_str(&format!("\n[picture {} is not shown: {why}]", at + 1));
    }
    (words, pictures)
}

/// Says whether a question has pictures.
pub(crate) fn has_any(question: &Question) -> bool {
    question.messages.iter().flat_map(Message::results).any(|result| !result.pictures.is_empty())
}

/// Gives the question as it is asked: with the newest pictures that fit, or with none, as the words say then.
pub(crate) fn shown(question: &Question, showing: Showing) -> Cow<'_, Question> {
    if !has_any(question) {
        return Cow::Borrowed(question);
    }
    let mut question = question.clone();
    let (mut count, mut letters, mut full) = (0, 0, false);
    for message in question.messages.iter_mut().rev() {
        for result in message.results_mut().iter_mut().rev().filter(|result| !result.pictures.is_empty()) {
            let own: usize = result.pictures.iter().map(|picture| picture.data.len()).sum();
            if showing == Showing::Named {
                leave_out(result, "pictures are not shown to you, they are named alone");
                continue;
            }
            // Once one is left out all before it are, so that what is left does not change with each question.
            full = full || count + result.pictures.len() > MOST || letters + own > TOGETHER;
            if full {
                leave_out(result, ROOM);
            } else {
                (count, letters) = (count + result.pictures.len(), letters + own);
            }
        }
    }
    Cow::Owned(question)
}

/// Says whether a service may have refused a question for its pictures.
pub(crate) fn may_be_why(fault: &Fault) -> bool {
    let said = fault.what.to_lowercase();
    let speaks =
        ["image", "picture", "vision", "multimodal", "modalit"].iter().any(|word| said.contains(word));
    match fault.kind {
        FaultKind::Question => true,
        FaultKind::Refused | FaultKind::Provider => speaks,
        FaultKind::Unreachable
        | FaultKind::Overloaded
        | FaultKind::TooLong
        | FaultKind::Broken
        | FaultKind::Silent
        | FaultKind::Shape
        | FaultKind::Cancelled => false,
    }
}

/// Takes the pictures out of a reply, and says so.
pub(crate) fn leave_out(result: &mut Answered, why: &str) {
    if !result.pictures.is_empty() {
        result.pictures.clear();
        result.words.push_str(&format!("\n[{why}]"));
    }
}

/// Counts the letters of all pictures of some messages, and the pictures.
pub(crate) fn counted(messages: &[Message]) -> (usize, u64) {
    let pictures = messages.iter().flat_map(Message::results).flat_map(|result| &result.pictures);
    pictures.fold((0, 0), |(letters, count), picture| (letters + picture.data.len(), count + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Went;
    use toolpost_engine::{Ended, InnerPicture};

    fn answer(pictures: &[(&str, usize)]) -> InnerAnswer {
        let picture =
            |(mime, bytes): &(&str, usize)| InnerPicture { mime: (*mime).to_owned(), data: vec![7; *bytes] };
        InnerAnswer {
            ended: Ended::Done,
            words: "here".to_owned(),
            pictures: pictures.iter().map(picture).collect(),
        }
    }

    #[test]
    fn what_no_service_takes_is_named_with_the_reason() {
        let (words, pictures) =
            taken(answer(&[("image/tiff", 3), ("image/png", 3_750_000), ("image/png", 3_750_001)]));
        assert_eq!(
            words,
            "here\n[picture 1 is not shown: no model takes image/tiff]\n[picture 3 is not shown: it has more than 3750000 bytes]"
        );
        assert_eq!(pictures.iter().map(|picture| picture.data.len()).collect::<Vec<_>>(), [5_000_000]);
    }

    #[test]
    fn the_newest_pictures_are_shown_as_far_as_they_fit() {
        let results = |count: usize, letters: usize| {
            let picture = Picture { mime: "image/png".to_owned(), data: "A".repeat(letters).into() };
            Message::Results {
                results: vec![Answered {
                    id: "a".to_owned(),
                    tool: "look".to_owned(),
                    words: "w".to_owned(),
                    went: Went::Done,
                    pictures: vec![picture; count],
                }],
            }
        };
        let shown_of = |messages: Vec<Message>, showing| {
            let question = Question { messages, ..Question::default() };
            let told = shown(&question, showing);
            let results = told.messages.iter().flat_map(Message::results);
            let count = |result: &Answered| {
                assert_eq!(result.words == "w", !result.pictures.is_empty());
                result.pictures.len()
            };
            results.map(count).collect::<Vec<_>>()
        };
        let rows: [(Vec<Message>, Showing, &[usize]); 4] = [
            (vec![results(1, 4), results(2, 4)], Showing::Shown, &[1, 2]),
            (vec![results(1, 4), results(2, 4)], Showing::Named, &[0, 0]),
            (vec![results(1, 4), results(11, 4), results(10, 4)], Showing::Shown, &[0, 0, 10]),
            (vec![results(1, 4), results(3, 4_000_000), results(1, 5_000_000)], Showing::Shown, &[0, 0, 1]),
        ];
        for (at, (messages, showing, wanted)) in rows.into_iter().enumerate() {
            assert_eq!(shown_of(messages, showing), wanted, "{at}");
        }
    }
}
