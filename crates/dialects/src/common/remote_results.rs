//! Results of remote services, or the reason why there are none.

use super::untrusted;
use toolpost_engine::operations::usage::{Consulted, Finding};
use toolpost_text::counted::counted;
use toolpost_tool::Page;

/// Writes the answer of a service; notes report a failure.
pub(crate) fn render(consulted: &Consulted, page: &mut Page) {
    let place = place(consulted);
    if consulted.failed.is_some() {
        return;
    }
    if consulted.findings.is_empty() {
        let why =
            if consulted.left_out > 0 { "its results do not fit here" } else { "the service found nothing" };
        page.line(&format!("## {place}: {why}"));
        return;
    }
    page.line(&format!("## {place}"));
    untrusted::begins(&place, page);
    for (at, finding) in consulted.findings.iter().enumerate() {
        if at > 0 {
            page.text("\n");
        }
        write(finding, page);
    }
    untrusted::ends(&place, page);
}

/// Notes why a service gave no answer, or the limits of its answer.
pub(crate) fn notes(consulted: &Consulted, page: &mut Page) {
    let place = place(consulted);
    if let Some(why) = &consulted.failed {
        page.note(format!(
            "no answer from {place}, so its results are missing: {}",
            why.trim_end_matches('.')
        ));
        return;
    }
    let mut said = format!("{place} was asked “{}”", consulted.sent);
    if consulted.left_out > 0 {
        said.push_str(&format!("; {} more did not fit", counted(consulted.left_out as u64, "finding")));
    }
    consulted.notes.iter().for_each(|note| said.push_str(&format!("; {note}")));
    page.note(said);
}

fn place(consulted: &Consulted) -> String {
    format!("{} ({})", consulted.name, consulted.host)
}

fn write(finding: &Finding, page: &mut Page) {
    let (title, url) = (finding.title.as_deref(), finding.url.as_deref());
    if let Some(title) = title {
        page.line(&untrusted::guarded(title));
    }
    page.line(&untrusted::guarded(url.unwrap_or("(the service gives no location)")));
    finding.text.lines().for_each(|line| page.line(&untrusted::guarded(line)));
    if finding.more > 0 {
        page.line(&format!("… ({} more bytes)", finding.more));
    }
}
