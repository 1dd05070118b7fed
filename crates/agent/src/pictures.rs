//! Images in the replies of tools: selection for the model, and notes about images that it does not get.

use crate::models::{Message, ModelError, ModelErrorKind, Picture, Question, ToolResult};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::borrow::Cow;
use toolpost_engine::InnerAnswer;

/// Media types that services accept; some accept fewer.
const TAKEN: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// Maximum size of an image, in base64 characters; no service accepts more.
const LARGEST: usize = 5_000_000;
/// Maximum number of images in a request; the newest take precedence.
const MOST: usize = 20;
/// Maximum number of base64 characters of all images in a request together.
const TOGETHER: usize = 16_000_000;
/// Estimated tokens of an image; services compute them from its sides, which are at most 1568 pixels.
pub(crate) const TOKENS: u64 = 1_600;

/// Note for images that do not fit.
pub(crate) const ROOM: &str = "the images of this reply are left out to save space; make the call again to \
                               see them";

/// Display of images to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ImageDisplay {
    /// The model gets the images, if its service accepts them.
    #[default]
    Shown,
    /// A note replaces the images of each reply, whose text still has the media type and size of each image.
    Named,
}

/// Splits a tool's reply into its text and the images that models accept; for each other image, a line in the text says
/// why it is not shown.
pub(crate) fn taken(answer: InnerAnswer) -> (String, Vec<Picture>) {
    let mut words = answer.words;
    let mut pictures = Vec::new();
    for (at, picture) in answer.pictures.into_iter().enumerate() {
        let letters = picture.data.len().div_ceil(3) * 4;
        let why = match picture.mime.as_str() {
            mime if !TAKEN.contains(&mime) => format!("no model accepts {mime}"),
            _ if letters > LARGEST => format!("the image has more than {} bytes", LARGEST / 4 * 3),
            _ => {
                pictures.push(Picture { mime: picture.mime, data: STANDARD.encode(&picture.data).into() });
                continue;
            }
        };
        words.push_str(&format!("\n[image {} is not shown: {why}]", at + 1));
    }
    (words, pictures)
}

/// Returns whether a request contains images.
pub(crate) fn has_any(question: &Question) -> bool {
    question.messages.iter().flat_map(Message::results).any(|result| !result.pictures.is_empty())
}

/// Returns the request with the newest images that fit, or with notes instead of images.
pub(crate) fn shown(question: &Question, showing: ImageDisplay) -> Cow<'_, Question> {
    if !has_any(question) {
        return Cow::Borrowed(question);
    }
    let mut question = question.clone();
    let (mut count, mut letters, mut full) = (0, 0, false);
    for message in question.messages.iter_mut().rev() {
        for result in message.results_mut().iter_mut().rev().filter(|result| !result.pictures.is_empty()) {
            let own: usize = result.pictures.iter().map(|picture| picture.data.len()).sum();
            if showing == ImageDisplay::Named {
                leave_out(result, "the images of this reply are not shown to you, only their names");
                continue;
            }
            // Once an image is left out, all older ones are too, so that the selection stays stable across
            // requests.
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

/// Returns whether a service may have rejected a request because of its images.
pub(crate) fn may_be_why(fault: &ModelError) -> bool {
    let said = fault.what.to_lowercase();
    let speaks =
        ["image", "picture", "vision", "multimodal", "modalit"].iter().any(|word| said.contains(word));
    match fault.kind {
        ModelErrorKind::Question => true,
        ModelErrorKind::Refused | ModelErrorKind::Provider => speaks,
        ModelErrorKind::Unreachable
        | ModelErrorKind::Overloaded
        | ModelErrorKind::TooLong
        | ModelErrorKind::Broken
        | ModelErrorKind::Silent
        | ModelErrorKind::Shape
        | ModelErrorKind::Cancelled => false,
    }
}

/// Replaces the images of a reply with a note.
pub(crate) fn leave_out(result: &mut ToolResult, why: &str) {
    if !result.pictures.is_empty() {
        result.pictures.clear();
        result.words.push_str(&format!("\n[{why}]"));
    }
}

/// Counts the base64 characters of all images in some messages, and the images.
pub(crate) fn counted(messages: &[Message]) -> (usize, u64) {
    let pictures = messages.iter().flat_map(Message::results).flat_map(|result| &result.pictures);
    pictures.fold((0, 0), |(letters, count), picture| (letters + picture.data.len(), count + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::CallStatus;
    use toolpost_engine::{CallOutcome, InnerPicture};
    use toolpost_test_rows::each;

    fn answer(pictures: &[(&str, usize)]) -> InnerAnswer {
        let picture =
            |(mime, bytes): &(&str, usize)| InnerPicture { mime: (*mime).to_owned(), data: vec![7; *bytes] };
        InnerAnswer {
            ended: CallOutcome::Done,
            words: "here".to_owned(),
            pictures: pictures.iter().map(picture).collect(),
        }
    }

    #[test]
    fn unsupported_images_are_replaced_by_a_note() {
        let (words, pictures) =
            taken(answer(&[("image/tiff", 3), ("image/png", 3_750_000), ("image/png", 3_750_001)]));
        assert_eq!(
            words,
            "here\n[image 1 is not shown: no model accepts image/tiff]\n[image 3 is not shown: the image has more \
             than 3750000 bytes]"
        );
        assert_eq!(pictures.iter().map(|picture| picture.data.len()).collect::<Vec<_>>(), [5_000_000]);
    }

    #[test]
    fn newest_images_are_shown_within_the_limits() {
        let results = |count: usize, letters: usize| {
            let picture = Picture { mime: "image/png".to_owned(), data: "A".repeat(letters).into() };
            Message::Results {
                results: vec![ToolResult {
                    id: "a".to_owned(),
                    tool: "look".to_owned(),
                    words: "w".to_owned(),
                    went: CallStatus::Done,
                    pictures: vec![picture; count],
                }],
            }
        };
        let shown_of = |messages: Vec<Message>, showing| {
            let question = Question { messages, ..Question::default() };
            let told = shown(&question, showing);
            let results = told.messages.iter().flat_map(Message::results);
            let count = |result: &ToolResult| {
                assert_eq!(result.words == "w", !result.pictures.is_empty());
                result.pictures.len()
            };
            results.map(count).collect::<Vec<_>>()
        };
        let rows: [(Vec<Message>, ImageDisplay, &[usize]); 4] = [
            (vec![results(1, 4), results(2, 4)], ImageDisplay::Shown, &[1, 2]),
            (vec![results(1, 4), results(2, 4)], ImageDisplay::Named, &[0, 0]),
            (vec![results(1, 4), results(11, 4), results(10, 4)], ImageDisplay::Shown, &[0, 0, 10]),
            (
                vec![results(1, 4), results(3, 4_000_000), results(1, 5_000_000)],
                ImageDisplay::Shown,
                &[0, 0, 1],
            ),
        ];
        each(rows.into_iter().enumerate(), |(at, (messages, showing, wanted))| {
            assert_eq!(shown_of(messages, showing), wanted, "{at}");
        });
    }
}
