//! How what was fetched is shown, and what is said of it.

use super::untrusted;
use toolpost_engine::operations::fetch::{Content, Form, Origin, Output, Words};
use toolpost_text::counted::counted;
use toolpost_tool::Page;

/// Shows what was fetched.
pub(crate) fn render(output: &Output, page: &mut Page) {
    // The words stand together, behind the picture.
    if let Content::Image(image) = &output.content {
        page.image(&image.mime, image.data.clone());
    }
    untrusted::begins(&output.url, page);
    match &output.content {
        Content::Words(words) => write(words, page),
        Content::Image(image) => page.line(&image.summary),
    }
    untrusted::ends(&output.url, page);
    page.outcome(&about(output));
    if output.led.len() > 1 {
        page.outcome(&format!("It led elsewhere: {}", output.led.join(" → ")));
    }
    if let Content::Words(Words { next: Some(next), offset, total, .. }) = &output.content {
        page.outcome(&format!(
            "This is bytes {offset} to {next} of {total}. Make the same call with offset {next} for what follows."
        ));
    }
    output.notes.iter().for_each(|note| page.note(note.clone()));
}

fn write(words: &Words, page: &mut Page) {
    let begins = words
        .text
        .lines()
        .take(3)
        .any(|line| line.trim_start_matches(['#', ' ']) == words.title.as_deref().unwrap_or_default());
    if let Some(title) = words.title.as_ref().filter(|_| words.offset == 0 && !begins) {
        page.line(&untrusted::guarded(&format!("Title: {title}")));
        page.line("");
    }
    for line in words.text.lines() {
        page.line(&untrusted::guarded(line));
    }
}

/// Says in a line what it is, and where it came from.
fn about(output: &Output) -> String {
    let mut parts = vec![format!("Status {}", output.status)];
    parts.extend(output.content_type.clone());
    parts.push(counted(output.bytes, "byte"));
    if let Content::Words(words) = &output.content {
        parts.extend(words.encoding.clone().filter(|encoding| encoding != "UTF-8"));
        let form = match words.form {
            Form::Markdown => Some("shown as Markdown"),
            Form::Text | Form::Html => None,
            Form::Json => Some("set out in lines"),
            Form::Pdf => Some("the text of its pages"),
        };
        parts.extend(form.map(str::to_owned));
    }
    match output.origin {
        Origin::Network => {}
        Origin::Kept { seconds } => parts.push(format!("kept from {seconds} s ago")),
        Origin::Confirmed => parts.push("kept; the server says that it has not changed".to_owned()),
    }
    parts.join(", ") + "."
}
