//! Words a next step with this dialect's tools.

use toolpost_engine::Hint;

pub(super) fn say(hint: &Hint) -> String {
    let words = match hint {
        Hint::ReadFirst(..) => "Read this file, then do the same again.",
        Hint::ReadAgain(..) => "Read this file again: it changed.",
        Hint::ReadLines(..) => "Read these lines and copy the text from them exactly.",
        Hint::GiveMoreContext => "Give more surrounding text, so that one place is meant.",
        Hint::ReplaceAll => "Ask for every occurrence to be replaced.",
        Hint::DidYouMean(..) => "One of these may be meant.",
        Hint::FindByName(..) => "Look for the file by its name.",
        Hint::LookInto(..) => "Look into this directory.",
        Hint::Narrow => "Search less: a narrower place or pattern.",
        Hint::Page(..) => "Ask for the part that begins at this line or entry.",
        Hint::Pages(..) => "Ask for these pages of a document.",
        Hint::Literal(..) => "Search for the pattern as plain text, which is written so.",
        Hint::TryAgain => "The same call may be made again as it is.",
        Hint::Operator(..) => "Only the operator can allow it, by a rule.",
        Hint::Advice(..) => "A sentence that needs no tool.",
    };
    words.to_owned()
}
