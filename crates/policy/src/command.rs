//! Decisions about a command: each program that it would run, and each file and host that it would touch.

use crate::{
    access::{
        Access,
        command::{Command, Host},
    },
    decision::{Decision, Judgement},
    general,
    pattern::{Pattern, Reach},
    place::{self, Place},
    policy::Policy,
    rule::{Origin, Rule, Target},
};
use serde::Serialize;
use std::path::{Path, PathBuf};
use toolpost_shell::{Effect, Places, Role, Script, Search, Segment, Word};

/// The effects of a command, and the rule that decides each part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The whole command.
    pub command: String,
    /// The strictest of the decisions about its parts.
    pub decision: Decision,
    /// Each command in it.
    pub segments: Vec<JudgedSegment>,
    /// The pieces that could not be judged.
    pub uncertain: Vec<Uncertain>,
}

/// A piece of a command that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Uncertain {
    /// The piece.
    pub text: String,
    /// The reason.
    pub why: String,
}

/// One command of a command line, with its decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JudgedSegment {
    /// The source text of the command.
    pub text: String,
    /// The path to it: a substitution, or the programs that run it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The decision about the program and its arguments.
    pub decision: Decision,
    /// The reason.
    pub why: String,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Origin>,
    /// The pattern that matches this command and no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exactly: Option<String>,
    /// The pattern of an approval for longer than once; `None` if no rule can name its effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvable: Option<Approvable>,
    /// Network access that the command needs and no rule allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The files and hosts that it would touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<JudgedTouch>,
}

/// The pattern of an approval for longer than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approvable {
    /// The pattern, in the syntax of rules.
    pub pattern: String,
    /// The further words that the pattern covers.
    pub words: FurtherWords,
}

/// Further words that a pattern covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FurtherWords {
    /// Any further words.
    Any,
    /// No further words.
    None,
}

/// A file or a host that a command would touch, with its decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JudgedTouch {
    /// `read`, `write` or `fetch`.
    pub touch: &'static str,
    /// The path or the host, as written in the command.
    pub what: String,
    /// The decision about it.
    pub decision: Decision,
    /// The reason.
    pub why: String,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Origin>,
    /// The path or the host as rules name it, if known.
    #[serde(skip)]
    pub(crate) place: Option<String>,
    /// True if no rule could change the decision.
    #[serde(skip)]
    fixed: bool,
}

/// A parsed command and its working directory.
pub(crate) struct Reading<'a> {
    pub(crate) script: Script,
    pub(crate) directory: &'a Path,
    pub(crate) roots: &'a [PathBuf],
}

impl Explained {
    /// Returns the first reason for the decision; a part is named only if it is not the whole command.
    #[must_use]
    pub fn reason(&self) -> String {
        for segment in &self.segments {
            let whole = segment.text == self.command;
            if segment.decision == self.decision {
                let why = segment.ruled();
                return if whole { why } else { format!("`{}`: {why}", segment.text) };
            }
            if let Some(touch) = segment.touches.iter().find(|touch| touch.decision == self.decision) {
                let who = if whole { "it".to_owned() } else { format!("`{}`", segment.text) };
                return format!("{who} would {} {}: {}", touch.touch, touch.what, touch.why);
            }
        }
        match self.uncertain.first() {
            Some(piece) => piece.reason(&self.command),
            None => "it runs nothing".to_owned(),
        }
    }

    /// Returns true if no rule could allow the command.
    pub(crate) fn fixed(&self) -> bool {
        self.segments.iter().flat_map(|segment| &segment.touches).any(|touch| touch.fixed)
    }
}

impl Uncertain {
    /// Returns why the piece could not be judged; the piece is named only if it is not the whole command.
    pub(crate) fn reason(&self, command: &str) -> String {
        let whole = self.text.strip_suffix('…').unwrap_or(&self.text);
        if command.trim().starts_with(whole) && (self.text.ends_with('…') || command.trim() == whole) {
            return self.why.clone();
        }
        format!("`{}`: {}", self.text, self.why)
    }
}

impl JudgedSegment {
    /// Returns the reason, with the rule that denies and its location.
    pub(crate) fn ruled(&self) -> String {
        let Some(rule) = self.rule.as_ref().filter(|_| self.decision == Decision::Deny) else {
            return self.why.clone();
        };
        let pattern = rule.pattern.as_ref().map_or_else(String::new, |pattern| format!(" `{pattern}`"));
        let line = if rule.line == 0 { String::new() } else { format!(", line {}", rule.line) };
        format!("the rule{pattern} denies it ({}{line}): {}", rule.file, self.why)
    }
}

/// Explains the effects of a command, and the rule that decides each part.
pub(crate) fn explain(policy: &Policy, command: &Command) -> Explained {
    let roots = if policy.roots.is_empty() {
        vec![command.directory.root().path().to_path_buf()]
    } else {
        policy.roots.to_vec()
    };
    let reading = Reading { script: command.read(), directory: command.directory.raw(), roots: &roots };
    judge(policy, command.shown(), &reading)
}

/// Judges a parsed command.
pub(crate) fn judge(policy: &Policy, command: String, reading: &Reading<'_>) -> Explained {
    let segments: Vec<JudgedSegment> =
        reading.script.segments.iter().map(|segment| judge_segment(policy, segment, reading)).collect();
    let unsure = reading.script.unsure.iter();
    let mut uncertain: Vec<Uncertain> =
        unsure.map(|piece| Uncertain { text: piece.text.clone(), why: piece.why.to_string() }).collect();
    if segments.is_empty() && uncertain.is_empty() {
        let why = "it contains no command".to_owned();
        uncertain.push(Uncertain { text: command.clone(), why });
    }
    let parts = segments
        .iter()
        .flat_map(|segment| segment.touches.iter().map(|touch| touch.decision).chain([segment.decision]));
    let doubt = if uncertain.is_empty() { Decision::Allow } else { Decision::Ask };
    let mut decision = parts.chain([doubt]).max().unwrap_or(Decision::Ask);
    let all = policy.denies(Access::Executes).is_some();
    let changes = decision != Decision::Allow && policy.denies(Access::Writes).is_some();
    if all || changes {
        decision = Decision::Deny;
        let why = "Toolpost was started so that no tool changes anything (the setting `read_only` or `deny`); only what is allowed without asking is run";
        uncertain.push(Uncertain { text: command.clone(), why: why.to_owned() });
    }
    Explained { command, decision, segments, uncertain }
}

fn judge_segment(policy: &Policy, segment: &Segment, reading: &Reading<'_>) -> JudgedSegment {
    let mut judged = JudgedSegment {
        text: segment.text.clone(),
        via: segment.via.clone(),
        exactly: Pattern::exactly(segment),
        ..JudgedSegment::default()
    };
    (judged.decision, judged.why) = unruled(segment);
    let mut deciding = None;
    // A denial that applies, or that an unknown word may make apply.
    let mut denied = false;
    for rule in policy.rules.iter().filter(|rule| rule.accesses.contains(&Access::Executes)) {
        let Some((decision, pattern)) = applies(rule, segment) else { continue };
        let settled =
            judged.decision == Decision::Allow && deciding.is_some() && more(segment, deciding).is_none();
        if decision == Decision::Allow && (settled || !rule.may_loosen()) {
            continue;
        }
        if rule.cautious && (denied || is_too_wide(pattern, segment)) {
            continue;
        }
        if decision >= judged.decision || (rule.may_loosen() && decision == rule.decision) {
            judged.decision = decision;
            judged.why = match (rule.decision, decision) {
                (Decision::Deny, Decision::Ask) => {
                    "a word of it is known only when it runs, and could make it a command that a rule denies"
                        .to_owned()
                }
                _ => rule.why.clone(),
            };
            judged.rule = Some(rule.origin(Some(pattern)));
            deciding = Some(pattern);
            denied = rule.decision == Decision::Deny;
        }
    }
    if judged.decision == Decision::Allow
        && let Some((word, what)) = more(segment, deciding)
    {
        judged.decision = Decision::Ask;
        judged.why = format!("because of `{word}`: {what}; a rule that allows it must name that word");
    }
    if judged.decision == Decision::Ask {
        judged.approvable = approvable(segment);
    }
    if judged.decision != Decision::Deny {
        judged.network = policy.unmet(segment).map(|need| need.words());
    }
    judged.touches = segment.effects.iter().flat_map(|effect| touches(policy, effect, reading)).collect();
    judged
}

/// Returns whether a cautious rule leaves a command out, since its further words may hand code to a program.
fn is_too_wide(pattern: &Pattern, segment: &Segment) -> bool {
    !pattern.is_closed() && general::hands_over_code(segment)
}

/// Finds the pattern of an approval: the program with its subcommand, else exactly these words.
fn approvable(segment: &Segment) -> Option<Approvable> {
    let general = general::pattern(segment).filter(|pattern| {
        Pattern::read(pattern)
            .is_ok_and(|pattern| pattern.covers(segment) && more(segment, Some(&pattern)).is_none())
    });
    if let Some(pattern) = general {
        return Some(Approvable { pattern, words: FurtherWords::Any });
    }
    let exact = Pattern::exactly(segment).filter(|_| !general::runs_given_code(segment))?;
    Some(Approvable { pattern: exact, words: FurtherWords::None })
}

/// Returns the decision if no rule matches.
fn unruled(segment: &Segment) -> (Decision, String) {
    let (decision, why) = match segment.role {
        Role::Program if segment.program().is_none() => {
            (Decision::Ask, "the program is known only when it runs")
        }
        Role::Program => (Decision::Ask, "no rule allows it"),
        Role::Wrapper => (Decision::Allow, "it does nothing but run the command behind it"),
        Role::Function => (Decision::Allow, "it is a function of the same command, judged where it stands"),
        Role::Nothing => (Decision::Allow, "it runs nothing by itself"),
    };
    (decision, why.to_owned())
}

/// Returns the effect of a rule on a command, and the pattern that matched.
fn applies<'r>(rule: &'r Rule, segment: &Segment) -> Option<(Decision, &'r Pattern)> {
    let Target::Commands(patterns) = &rule.target else { return None };
    if rule.decision == Decision::Allow {
        let named = |pattern: &&Pattern| pattern.covers(segment) && more(segment, Some(pattern)).is_none();
        let covers = || patterns.iter().find(|pattern| pattern.covers(segment));
        return patterns.iter().find(named).or_else(covers).map(|pattern| (rule.decision, pattern));
    }
    let reaching = |wanted: Reach| patterns.iter().find(move |pattern| pattern.reach(segment) == wanted);
    match (reaching(Reach::Yes), reaching(Reach::Perhaps)) {
        (Some(pattern), _) => Some((rule.decision, pattern)),
        (None, Some(pattern)) => Some((Decision::Ask, pattern)),
        (None, None) => None,
    }
}

/// Finds a word that makes a command do more than its harmless form, and that the pattern does not name.
fn more<'s>(segment: &'s Segment, pattern: Option<&Pattern>) -> Option<(&'s str, &'s str)> {
    segment.effects.iter().find_map(|effect| match effect {
        Effect::More { word, what } => {
            let named = pattern.is_some_and(|pattern| pattern.names(word, segment));
            (!named).then_some((word.as_str(), what.as_ref()))
        }
        Effect::Reads(_)
        | Effect::Names(_)
        | Effect::Writes(_)
        | Effect::Searches(_)
        | Effect::Fetches(_) => None,
    })
}

fn touches(policy: &Policy, effect: &Effect, reading: &Reading<'_>) -> Vec<JudgedTouch> {
    match effect {
        Effect::Searches(search) => searched(policy, search, reading),
        _ => touched(policy, effect, reading).into_iter().collect(),
    }
}

/// Judges a search: it reads each withheld file below its start, as far as those are known.
fn searched(policy: &Policy, search: &Search, reading: &Reading<'_>) -> Vec<JudgedTouch> {
    let places = place::of(&search.start, &reading.script.places, reading.directory, reading.roots);
    let mut starts: Vec<&Path> = Vec::new();
    for place in &places {
        match place {
            Place::At { absolute, relative: Some(_) } => starts.push(absolute),
            // A directory outside the roots is judged by its own name.
            Place::At { relative: None, .. } => {}
            Place::Unknown => starts.extend(reading.roots.iter().map(PathBuf::as_path)),
        }
    }
    let mut touches: Vec<JudgedTouch> = Vec::new();
    for withheld in starts.iter().flat_map(|start| policy.withheld(start, search)) {
        let below = |path: &str| {
            reading.roots.iter().find_map(|root| Some(Path::new(path).strip_prefix(root).ok()?.to_owned()))
        };
        let what = match withheld.path.as_deref() {
            Some(path) => below(path).map_or_else(|| path.to_owned(), |path| path.display().to_string()),
            None => search.start.text.clone(),
        };
        let touch = JudgedTouch {
            touch: "read",
            what,
            rule: withheld.rule,
            place: withheld.path,
            ..said(withheld.decision, &withheld.why)
        };
        if !touches.contains(&touch) {
            touches.push(touch);
        }
    }
    touches
}

fn touched(policy: &Policy, effect: &Effect, reading: &Reading<'_>) -> Option<JudgedTouch> {
    let places = |word: &Word| place::of(word, &reading.script.places, reading.directory, reading.roots);
    match effect {
        Effect::More { .. } | Effect::Searches(_) => None,
        Effect::Fetches(word) => Some(fetched(policy, word)),
        Effect::Names(word) => {
            // The word may not be a file at all, so only a rule that names it counts.
            let found = strictest(places(word), word, "read", |place| named(policy, place))?;
            (found.decision != Decision::Allow && found.rule.is_some()).then_some(found)
        }
        Effect::Reads(word) => strictest(places(word), word, "read", |place| read(policy, place)),
        Effect::Writes(word) => {
            strictest(places(word), word, "write", |place| written(policy, place, &reading.script.places))
        }
    }
}

fn strictest(
    places: Vec<Place>,
    word: &Word,
    touch: &'static str,
    judge: impl Fn(&Place) -> JudgedTouch,
) -> Option<JudgedTouch> {
    let judged = places.iter().map(|place| JudgedTouch { place: named_by(place, word), ..judge(place) });
    Some(JudgedTouch { touch, what: word.text.clone(), ..judged.max_by_key(|judged| judged.decision)? })
}

/// Returns the path that a rule would name; `None` if the word can match more than one.
fn named_by(place: &Place, word: &Word) -> Option<String> {
    match place {
        Place::At { absolute, .. } if word.known().is_some() => absolute.to_str().map(str::to_owned),
        Place::At { .. } | Place::Unknown => None,
    }
}

fn said(decision: Decision, why: &str) -> JudgedTouch {
    JudgedTouch { decision, why: why.to_owned(), ..JudgedTouch::default() }
}

fn kept(judgement: Judgement) -> JudgedTouch {
    JudgedTouch { fixed: true, ..said(judgement.decision, &judgement.why) }
}

fn by_rule(decision: Decision, rule: &Rule) -> JudgedTouch {
    JudgedTouch { rule: Some(rule.origin(None)), ..said(decision, &rule.why) }
}

fn named(policy: &Policy, place: &Place) -> JudgedTouch {
    match place {
        Place::At { .. } => read(policy, place),
        Place::Unknown => said(Decision::Allow, "it need not be a file"),
    }
}

fn read(policy: &Policy, place: &Place) -> JudgedTouch {
    let Place::At { absolute, relative } = place else {
        return said(Decision::Ask, "the file is known only when it runs");
    };
    if let Some(judgement) = policy.kept(Access::Reads, absolute) {
        return kept(judgement);
    }
    let first = if relative.is_some() { Decision::Allow } else { Decision::Ask };
    let (decision, rule) = find(policy, Access::Reads, first, absolute, relative.as_deref());
    match (rule, relative) {
        (Some(rule), _) => by_rule(decision, rule),
        (None, Some(_)) => said(decision, "no rule forbids it"),
        (None, None) => said(decision, "it is outside the roots, and no rule allows it"),
    }
}

fn written(policy: &Policy, place: &Place, places: &Places) -> JudgedTouch {
    let Place::At { absolute, relative } = place else {
        let why = match places {
            Places::Known(_) => "the file is known only when it runs",
            Places::Unknown => "the directory is known only when it runs",
        };
        return said(Decision::Ask, why);
    };
    // The history does not record a write there, wherever it is; without a prompt it needs a rule that allows it.
    if let Some(judgement) = policy.kept(Access::Writes, absolute)
        && absolute != Path::new("/dev/null")
    {
        return kept(judgement);
    }
    let (decision, rule) = find(policy, Access::Writes, Decision::Ask, absolute, relative.as_deref());
    match rule {
        Some(rule) => by_rule(decision, rule),
        None => said(decision, "no rule allows it; what a command writes is not kept in the history"),
    }
}

fn find<'p>(
    policy: &'p Policy,
    access: Access,
    first: Decision,
    absolute: &Path,
    relative: Option<&str>,
) -> (Decision, Option<&'p Rule>) {
    let absolute = absolute.to_string_lossy();
    let relative = relative.unwrap_or_else(|| absolute.trim_start_matches('/'));
    policy.find(access, first, |rule| rule.matches_path(relative, &absolute))
}

fn fetched(policy: &Policy, word: &Word) -> JudgedTouch {
    let judged = match word.known().and_then(Host::of_url) {
        Some(host) => {
            let judgement = policy.judge_host(&host);
            let place = Some(host.name().to_owned());
            JudgedTouch { place, ..said(judgement.decision, &judgement.why) }
        }
        None => said(Decision::Ask, "the host is known only when it runs"),
    };
    JudgedTouch { touch: "fetch", what: word.text.clone(), ..judged }
}
