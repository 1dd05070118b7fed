//! Fetched web content and its status line.

use super::untrusted;
use toolpost_engine::operations::fetch::{Content, Form, Origin, Output, Words};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Writes fetched content.
pub(crate) fn render(output: &Output, page: &mut Page) {
    // The image precedes all text.
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
        page.outcome(&format!("Redirected: {}", output.led.join(" → ")));
    }
    if let Content::Words(Words { next: Some(next), offset, total, .. }) = &output.content {
        page.outcome(&format!(
            "These are bytes {offset} to {next} of {total}. To continue, make the same call with offset {next}."
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

/// Formats status, type and origin in one line.
fn about(output: &Output) -> String {
    let mut parts = vec![format!("Status {}", output.status)];
    parts.extend(output.content_type.clone());
    parts.push(counted(output.bytes, "byte"));
    if let Content::Words(words) = &output.content {
        parts.extend(words.encoding.clone().filter(|encoding| encoding != "UTF-8"));
        let form = match words.form {
            Form::Markdown => Some("shown as Markdown"),
            Form::Text | Form::Html => None,
            Form::Json => Some("formatted"),
            Form::Pdf => Some("text of the PDF's pages"),
        };
        parts.extend(form.map(str::to_owned));
    }
    match output.origin {
        Origin::Network => {}
        Origin::Kept { seconds } => parts.push(format!("cached {seconds} s ago")),
        Origin::Confirmed => {
            parts.push("cached; the server confirms that the page has not changed".to_owned());
        }
    }
    parts.join(", ") + "."
}
