//! Explanations of decisions about command lines.

use crate::{decision::Decision, rule::Origin};
use serde::Serialize;

/// Explanation of a command line: its effects, and the rule that decides about each part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandExplanation {
    /// The text of the whole command line.
    pub command: String,
    /// The strictest of the decisions about the parts of the command line.
    pub decision: Decision,
    /// Each command in the command line, with its decision.
    pub segments: Vec<JudgedSegment>,
    /// The parts of the command line that could not be judged, with the reason for each. If the setting `read_only`
    /// or `deny` forbids the command line, the last entry is the whole command line, with the decision `deny`.
    pub uncertain: Vec<UnjudgedPart>,
}

/// A part of a command line that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnjudgedPart {
    /// The text of the part.
    pub text: String,
    /// The decision about the part: `deny` if a setting forbids it, otherwise `ask`.
    pub decision: Decision,
    /// The reason why the part could not be judged, or the setting that forbids it.
    pub why: String,
    /// True if no rule could change the decision about the part.
    #[serde(skip)]
    pub(crate) fixed: bool,
}

/// One command of a command line, with its decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JudgedSegment {
    /// The text of the command, as written.
    pub text: String,
    /// The substitutions that contain the command and the programs that run it, such as `env`, the outermost
    /// first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The decision about the program and its arguments.
    pub decision: Decision,
    /// The reason for the decision about the program and its arguments.
    pub why: String,
    /// The rule that decided about the program and its arguments; `None` if no rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Origin>,
    /// The command pattern, in the syntax of rules, that matches only this command; `None` if a word is unknown before
    /// the command runs, or the command only sets variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exactly: Option<String>,
    /// The pattern of the rule that a lasting approval creates; `None` if the command needs no approval, or
    /// if no rule can describe its effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvable: Option<Approvable>,
    /// True if the command runs code that its arguments contain, so that only a rule for exactly these arguments describes
    /// its effect.
    #[serde(skip)]
    pub(crate) has_code: bool,
    /// Network access that the command needs and no rule allows; `None` if the rules allow all that it is known to
    /// need, or deny the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The network access in `network`, worded as a possible reason why the command failed or timed out.
    #[serde(skip)]
    pub(crate) network_reason: Option<String>,
    /// The files and hosts that the command would access.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<JudgedTouch>,
}

/// The pattern of the rule that a lasting approval (for the session, or permanent) creates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approvable {
    /// The command pattern, in the syntax of rules.
    pub pattern: String,
    /// The further arguments, after those in the pattern, that the rule allows.
    pub words: FurtherWords,
}

/// The further arguments, after those in the pattern, that a rule allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FurtherWords {
    /// The rule allows any further arguments.
    Any,
    /// The rule allows no further arguments.
    None,
}

/// A file or a host that a command would access, with the decision about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JudgedTouch {
    /// The kind of access: `read`, `write` or `fetch`.
    pub touch: &'static str,
    /// The path or the host, as written in the command.
    pub what: String,
    /// The decision about the access.
    pub decision: Decision,
    /// The reason for the decision about the access.
    pub why: String,
    /// The rule that decided about the access to a file; `None` for a host, and if no rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Origin>,
    /// The path or the host as rules name it; `None` if it is unknown before the command runs, is not UTF-8, or stands
    /// for several files.
    #[serde(skip)]
    pub(crate) place: Option<String>,
    /// True if no rule could change the decision about the access.
    #[serde(skip)]
    pub(crate) fixed: bool,
}

impl CommandExplanation {
    /// Returns the first reason for the decision. It names the part that the reason is about, unless that
    /// part is the whole command line.
    #[must_use]
    pub fn reason(&self) -> String {
        if let Some(piece) = self.uncertain.iter().find(|piece| piece.fixed) {
            return piece.reason(&self.command);
        }
        for segment in &self.segments {
            let whole = self.is_whole(segment);
            if segment.decision == self.decision {
                let why = segment.ruled();
                return if whole { why } else { format!("`{}`: {why}", segment.text) };
            }
            if let Some(touch) = segment.touches.iter().find(|touch| touch.decision == self.decision) {
                let who = if whole { "the command".to_owned() } else { format!("`{}`", segment.text) };
                return format!("{who} would {} {}: {}", touch.touch, touch.what, touch.why);
            }
        }
        match self.uncertain.iter().find(|piece| piece.decision == self.decision) {
            Some(piece) => piece.reason(&self.command),
            None => "the command runs nothing".to_owned(),
        }
    }

    /// Returns true if the command is nothing but this segment and its input, such as a here-document.
    pub(crate) fn is_whole(&self, segment: &JudgedSegment) -> bool {
        let is_only = self.segments.len() == 1 && self.uncertain.is_empty() && segment.via.is_empty();
        segment.text == self.command || is_only && self.command.trim_start().starts_with(&segment.text)
    }

    /// Returns true if no rule could allow the command.
    pub(crate) fn fixed(&self) -> bool {
        self.uncertain.iter().any(|piece| piece.fixed)
            || self.segments.iter().flat_map(|segment| &segment.touches).any(|touch| touch.fixed)
    }
}

impl UnjudgedPart {
    /// Returns the reason why the part could not be judged. It names the part, unless the part is the whole
    /// command line.
    pub(crate) fn reason(&self, command: &str) -> String {
        let whole = self.text.strip_suffix('…').unwrap_or(&self.text);
        if command.trim().starts_with(whole) && (self.text.ends_with('…') || command.trim() == whole) {
            return self.why.clone();
        }
        format!("`{}`: {}", self.text, self.why)
    }
}

impl JudgedSegment {
    /// Returns the reason for the decision; for a denial, with the rule that denies and its location.
    pub(crate) fn ruled(&self) -> String {
        let Some(rule) = self.rule.as_ref().filter(|_| self.decision == Decision::Deny) else {
            return self.why.clone();
        };
        let pattern = rule.pattern.as_ref().map_or_else(String::new, |pattern| format!(" `{pattern}`"));
        let line = if rule.line == 0 { String::new() } else { format!(", line {}", rule.line) };
        format!("the rule{pattern} denies it ({}{line}): {}", rule.file, self.why)
    }
}
