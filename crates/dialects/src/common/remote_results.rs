//! Results of remote services, or the reason why there are none.

use super::untrusted;
use toolpost_engine::operations::usage::{ServiceAnswer, ServiceFinding};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Formats the heading of a package or a service, so that it is not taken for a heading in a README.
pub(crate) fn heading(of: &str) -> String {
    format!("===== {of} =====")
}

/// Writes the answer of a service, or nothing if the service failed; [`notes`] reports the failure.
pub(crate) fn render(consulted: &ServiceAnswer, page: &mut Page) {
    let place = place(consulted);
    if consulted.failed.is_some() {
        return;
    }
    if consulted.findings.is_empty() {
        let why = if consulted.left_out > 0 {
            "the service's results do not fit in the reply"
        } else {
            "the service found nothing"
        };
        page.line(&heading(&format!("{place}: {why}")));
        return;
    }
    page.line(&heading(&place));
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
pub(crate) fn notes(consulted: &ServiceAnswer, page: &mut Page) {
    let place = place(consulted);
    if let Some(why) = &consulted.failed {
        page.note(format!(
            "no answer from {place}, so its results are missing: {}",
            why.trim_end_matches('.')
        ));
        return;
    }
    let mut query_note = format!("sent to {place}: “{}”", consulted.sent);
    if consulted.left_out > 0 {
        query_note.push_str(&format!("; {} more did not fit", counted(consulted.left_out as u64, "finding")));
    }
    consulted.notes.iter().for_each(|note| query_note.push_str(&format!("; {note}")));
    page.note(query_note);
}

fn place(consulted: &ServiceAnswer) -> String {
    format!("{} ({})", consulted.name, consulted.host)
}

fn write(finding: &ServiceFinding, page: &mut Page) {
    let (title, url) = (finding.title.as_deref(), finding.url.as_deref());
    if let Some(title) = title {
        page.line(&untrusted::guarded(title));
    }
    page.line(&untrusted::guarded(url.unwrap_or("(the service gives no location)")));
    finding.text.lines().for_each(|line| page.line(&untrusted::guarded(line)));
    if finding.more > 0 {
        page.line(&format!("… ({})", counted(finding.more as u64, "more byte")));
    }
}
