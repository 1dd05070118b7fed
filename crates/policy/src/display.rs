//! Descriptions of a call's accesses, as approval prompts show them.

use crate::{
    access::{Touch, command::Command},
    command::CommandExplanation,
    decision::{Decision, Judgement},
    policy::Policy,
};
use toolpost_text::duplicates::remove_duplicates;

/// The text of an approval prompt: the accesses that need approval, and the reason.
#[derive(Debug, Default)]
pub struct Display {
    /// One line for each access; after the line of a command, also lines for its parts with their reasons.
    pub lines: Vec<String>,
    /// The reason why approval is needed; empty if the lines contain it.
    pub reason: String,
}

impl Policy {
    /// Formats the accesses that need approval. If there is only one reason, it is returned once for all of them;
    /// otherwise each access is followed by its reason.
    #[must_use]
    pub fn display(&self, asked: &[(Touch, Judgement)]) -> Display {
        let mut touches: Vec<(Vec<String>, Option<&str>)> =
            asked.iter().map(|(touch, judgement)| self.lines(touch, judgement)).collect();
        let mut reasons: Vec<&str> = touches.iter().filter_map(|(_, reason)| *reason).collect();
        remove_duplicates(&mut reasons);
        let reason = if reasons.len() == 1 { reasons[0].to_owned() } else { String::new() };
        if reasons.len() > 1 {
            for (lines, reason) in &mut touches {
                if let (Some(first), Some(reason)) = (lines.first_mut(), reason) {
                    first.push_str(&format!(": {reason}"));
                }
            }
        }
        Display { lines: touches.into_iter().flat_map(|(lines, _)| lines).collect(), reason }
    }

    /// Formats one access. Also returns the reason why it needs approval, unless the lines contain that
    /// reason.
    fn lines<'j>(&self, touch: &Touch, judgement: &'j Judgement) -> (Vec<String>, Option<&'j str>) {
        let whole = format!("{} {}", does(touch), touch.shown());
        let Touch::Execute(command) = touch else { return (vec![whole], Some(&judgement.why)) };
        let explained = self.explain(command);
        let mut lines = vec![placed(whole, command)];
        let parts = parts(&explained);
        let reason = if parts.is_empty() { Some(judgement.why.as_str()) } else { None };
        lines.extend(parts);
        lines.extend(network(&explained));
        (lines, reason)
    }
}

/// Returns the keyword of the access's kind in rules.
#[must_use]
pub fn verb(touch: &Touch) -> &'static str {
    match touch {
        Touch::Read(_) => "read",
        Touch::Write(..) => "write",
        Touch::Execute(_) => "execute",
        Touch::Fetch(_) | Touch::Consult(_) => "fetch",
        Touch::Bridge(_) => "bridge",
        Touch::Delegate(_) => "delegate",
        Touch::Editor(_) => "editor",
    }
}

/// Returns the verb that describes an access and precedes its target, as in `write notes.txt`.
#[must_use]
pub fn does(touch: &Touch) -> &'static str {
    match touch {
        Touch::Editor(_) => "use the editor to",
        Touch::Bridge(_) => "call",
        _ => verb(touch),
    }
}

fn placed(whole: String, command: &Command) -> String {
    if command.directory.relative().as_os_str().is_empty() {
        return whole;
    }
    format!("{whole} in {}", command.directory.display())
}

/// Formats the parts of a command line that need approval, grouped by reason. Empty if that is the whole command line
/// and nothing else.
fn parts(explained: &CommandExplanation) -> Vec<String> {
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    let mut add = |item: String, why: &str| match groups.iter_mut().find(|(_, known)| known == why) {
        Some((items, _)) if !items.contains(&item) => items.push(item),
        Some(_) => {}
        None => groups.push((vec![item], why.to_owned())),
    };
    for segment in &explained.segments {
        if segment.decision != Decision::Allow {
            let via = if segment.via.is_empty() {
                String::new()
            } else {
                format!(" (in {})", segment.via.join(", "))
            };
            let item = if explained.is_whole(segment) {
                "run it".to_owned()
            } else {
                format!("run `{}`{via}", segment.text)
            };
            add(item, &segment.why);
        }
        for touch in segment.touches.iter().filter(|touch| touch.decision != Decision::Allow) {
            add(format!("{} {}", touch.touch, touch.what), &touch.why);
        }
    }
    let one = groups.len() == 1 && groups[0].0 == ["run it"];
    if one && explained.uncertain.is_empty() {
        return Vec::new();
    }
    let parts = groups.into_iter().map(|(items, why)| format!("  {}: {why}", items.join(", ")));
    let unsure = explained.uncertain.iter().map(|piece| format!("  {}", piece.reason(&explained.command)));
    let mut lines: Vec<String> = parts.chain(unsure).collect();
    remove_duplicates(&mut lines);
    lines
}

fn network(explained: &CommandExplanation) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for need in explained.segments.iter().filter_map(|segment| segment.network.as_ref()) {
        let line = format!("  {need}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
