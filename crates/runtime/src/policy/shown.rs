//! Words what a call would touch, for whoever is asked about it.

use super::{Decision, Policy, command::Explained};
use toolpost_engine::{Command, Touch};

impl Policy {
    /// Words a touch, a line for each part: of a command, all of it, then what the rules do not let pass, what it would write,
    /// and where it would fetch from.
    pub(crate) fn shown(&self, touch: &Touch) -> Vec<String> {
        let whole = format!("{} {}", does(touch), touch.shown());
        match touch {
            Touch::Execute(command) => [vec![placed(whole, command)], parts(&self.explain(command))].concat(),
            Touch::Read(_)
            | Touch::Write(..)
            | Touch::Fetch(_)
            | Touch::Consult(_)
            | Touch::Bridge(_)
            | Touch::Delegate(_)
            | Touch::Editor(_) => vec![whole],
        }
    }
}

/// Gives the word that rules have for what a touch does.
pub(crate) fn verb(touch: &Touch) -> &'static str {
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

/// Says what a touch does, in front of what is touched.
pub(crate) fn does(touch: &Touch) -> &'static str {
    match touch {
        Touch::Editor(_) => "use the editor to",
        _ => verb(touch),
    }
}

fn placed(whole: String, command: &Command) -> String {
    if command.directory.relative().as_os_str().is_empty() {
        return whole;
    }
    format!("{whole} in {}", command.directory.display())
}

fn parts(explained: &Explained) -> Vec<String> {
    let mut lines = Vec::new();
    for segment in &explained.segments {
        if segment.decision != Decision::Allow && segment.text != explained.command {
            let via = if segment.via.is_empty() {
                String::new()
            } else {
                format!(" (in {})", segment.via.join(", "))
            };
            lines.push(format!("  run `{}`{via}: {}", segment.text, segment.why));
        }
        for touch in &segment.touches {
            match (touch.touch, touch.decision) {
                ("read", Decision::Allow) => {}
                (verb, Decision::Allow) => lines.push(format!("  {verb} {}", touch.what)),
                (verb, _) => lines.push(format!("  {verb} {}: {}", touch.what, touch.why)),
            }
        }
    }
    let unsure =
        explained.uncertain.iter().map(|piece| format!("  not known: `{}`: {}", piece.text, piece.why));
    lines.extend(unsure);
    lines.dedup();
    lines
}
