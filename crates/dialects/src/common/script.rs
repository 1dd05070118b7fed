//! Replies of the tools that run scripts.

use std::borrow::Cow;
use toolpost_engine::{
    ScriptLimits,
    operations::plan::{Output, Request},
};
use toolpost_text::{
    cut::{self, Limit},
    plural::counted,
};
use toolpost_tool::{Lowering, Page};

/// Builds a script request with the default limits.
pub(crate) fn request(code: String, at: &Lowering) -> Request {
    Request {
        code,
        library: None,
        paged: Vec::new(),
        limits: ScriptLimits::default(),
        // The script gets whole replies, because it may search all of them.
        reply_bytes: at.most_bytes().max(at.reply_bytes()),
    }
}

/// Writes a script's return value, logs and output, and the reason if it was stopped.
pub(crate) fn render(output: &Output, what: &str, page: &mut Page) {
    let mut sections: Vec<String> = Vec::new();
    if let Some(stopped) = &output.stopped {
        page.error();
        let made = match output.calls {
            0 => "It had made no calls.".to_owned(),
            calls => format!("It had made {}; all effects remain.", counted(calls as u64, "call")),
        };
        sections.push(format!("The {what} {} {made}", stopped.words()));
    }
    if let Some(value) = &output.value {
        let alone = output.stopped.is_none() && output.logs.is_empty() && output.outputs.is_empty();
        sections.push(if alone { value.clone() } else { format!("Result:\n{value}") });
    }
    lines("Logs", &output.logs, output.logs_left_out, &mut sections);
    lines("Output", &output.outputs, output.outputs_left_out, &mut sections);
    if sections.is_empty() {
        sections.push(format!("The {what} finished without a returned value, logs or output."));
    }
    if output.value.as_deref() == Some("") {
        page.note("the returned text is empty");
    }
    if output.failed > 0 && output.stopped.is_none() {
        page.note(format!("{} of {} failed", output.failed, counted(output.calls as u64, "call")));
    }
    let room = page.room();
    let breaks = 2 * sections.len();
    let room = Limit { bytes: room.bytes.saturating_sub(breaks), lines: room.lines.saturating_sub(breaks) };
    let sections = cut::shared(sections.into_iter().map(Cow::Owned).collect(), room);
    page.fitted(sections.join("\n\n"));
}

fn lines(name: &str, lines: &[String], left_out: usize, sections: &mut Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let mut text = format!("{name}:\n{}", lines.join("\n"));
    if left_out > 0 {
        text.push_str(&format!("\n… ({} left out)", counted(left_out as u64, "line")));
    }
    sections.push(text);
}
