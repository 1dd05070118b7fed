//! Decisions about a command line: about each program that it would run, and each file and host that it would
//! access.

mod explanation;
mod tracked;

pub use explanation::{
    Approvable, CommandExplanation, FurtherWords, JudgedSegment, JudgedTouch, UnjudgedPart,
};

use crate::{
    access::{
        Access,
        command::{Command, Host},
    },
    decision::{Decision, Judgement},
    general::{self, GivenCode},
    network::NetworkRequirement,
    pattern::{Pattern, PatternCertainty},
    place::{self, CommandPath},
    policy::Policy,
    reach::{OutsidePaths, UnreachableReason},
    rule::{Rule, Target},
    wildcard::{self, Matches},
};
use std::path::{Path, PathBuf};
use toolpost_shell::{Effect, Places, Role, Script, Search, Segment, Word};

/// A parsed command line, with its working directory and the workspace roots.
pub(crate) struct ParsedCommand<'a> {
    pub(crate) script: Script,
    pub(crate) directory: &'a Path,
    pub(crate) roots: &'a [PathBuf],
}

impl ParsedCommand<'_> {
    /// Returns every location that a word of the command can name.
    fn places(&self, policy: &Policy, word: &Word) -> Vec<CommandPath> {
        let workspace = policy.finder.as_ref().map(|finder| &finder.workspace);
        place::of(word, &self.script.places, (self.directory, self.roots), workspace)
    }

    /// Returns the locations that the wildcards of a word match now.
    fn matches(&self, policy: &Policy, word: &Word) -> Matches {
        let Some(finder) = &policy.finder else { return Matches::default() };
        wildcard::matches(word, &self.script.places, (self.directory, self.roots), &finder.workspace)
    }
}

/// Explains the effects of a command line, and the rule that decides about each part.
pub(crate) fn explain(policy: &Policy, command: &Command) -> CommandExplanation {
    let roots = roots(policy, command);
    let reading = ParsedCommand { script: command.read(), directory: command.directory.raw(), roots: &roots };
    judge(policy, command.shown(), &reading)
}

/// Returns the workspace roots; if the policy has none, the root that contains the command's working directory.
fn roots(policy: &Policy, command: &Command) -> Vec<PathBuf> {
    if policy.roots.is_empty() {
        vec![command.directory.root().path().to_path_buf()]
    } else {
        policy.roots.to_vec()
    }
}

/// Judges each part of a parsed command line.
pub(crate) fn judge(policy: &Policy, command: String, reading: &ParsedCommand<'_>) -> CommandExplanation {
    let segments: Vec<JudgedSegment> =
        reading.script.segments.iter().map(|segment| judge_segment(policy, segment, reading)).collect();
    let unsure = reading.script.unsure.iter();
    let mut uncertain: Vec<UnjudgedPart> =
        unsure.map(|piece| unjudged(&piece.text, Decision::Ask, piece.why.as_ref())).collect();
    if segments.is_empty() && uncertain.is_empty() {
        uncertain.push(unjudged(&command, Decision::Ask, "the text contains no command"));
    }
    let parts = segments
        .iter()
        .flat_map(|segment| segment.touches.iter().map(|touch| touch.decision).chain([segment.decision]));
    let doubt = if uncertain.is_empty() { Decision::Allow } else { Decision::Ask };
    let mut decision = parts.chain([doubt]).max().unwrap_or(Decision::Ask);
    if policy.denies(Access::Executes).is_some() {
        decision = Decision::Deny;
        let why = "the setting `read_only` or `deny` forbids all commands; no rule can allow one";
        uncertain.push(UnjudgedPart { fixed: true, ..unjudged(&command, Decision::Deny, why) });
    } else if decision != Decision::Allow && policy.denies(Access::Writes).is_some() {
        decision = Decision::Deny;
        let why = "the setting `read_only` or `deny` forbids changes, so only commands that the rules allow without a \
                   prompt can run";
        uncertain.push(unjudged(&command, Decision::Deny, why));
    }
    CommandExplanation { command, decision, segments, uncertain }
}

fn unjudged(text: &str, decision: Decision, why: &str) -> UnjudgedPart {
    UnjudgedPart { text: text.to_owned(), decision, why: why.to_owned(), fixed: false }
}

fn judge_segment(policy: &Policy, segment: &Segment, reading: &ParsedCommand<'_>) -> JudgedSegment {
    let mut judged = JudgedSegment {
        text: segment.text.clone(),
        via: segment.via.clone(),
        exactly: Pattern::exactly(segment),
        ..JudgedSegment::default()
    };
    (judged.decision, judged.why) = unruled(segment);
    let mut deciding = None;
    // True if the last rule that took effect is a denial, even one that applies only to some values of an unknown argument.
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
                    "one of the arguments is known only when the command runs, and could make it a command that a rule denies"
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
        judged.why = format!(
            "`{word}` needs approval, because {what}; only a rule whose pattern contains that argument allows the command"
        );
    }
    if judged.decision == Decision::Ask {
        judged.approvable = approvable(segment);
        judged.has_code = general::given_code(segment) == Some(GivenCode::Arguments);
    }
    if judged.decision != Decision::Deny {
        let need = policy.unmet(segment);
        judged.network = need.as_ref().map(NetworkRequirement::words);
        judged.network_reason = need.as_ref().map(NetworkRequirement::as_reason);
    }
    judged.touches = accesses(policy, segment, reading);
    judged
}

/// Judges the files and hosts that a command would access, also the files that its wildcards match now.
fn accesses(policy: &Policy, segment: &Segment, reading: &ParsedCommand<'_>) -> Vec<JudgedTouch> {
    let mut all: Vec<JudgedTouch> =
        segment.effects.iter().flat_map(|effect| touches(policy, effect, reading)).collect();
    if segment.reads_only_names() {
        return all;
    }
    for touch in segment.effects.iter().flat_map(|effect| matched(policy, effect, reading)) {
        if !all.contains(&touch) {
            all.push(touch);
        }
    }
    all
}

/// Returns whether a pattern is too wide for a cautious rule: it allows further arguments, and these may pass
/// code to a program.
fn is_too_wide(pattern: &Pattern, segment: &Segment) -> bool {
    !pattern.is_closed() && general::hands_over_code(segment)
}

/// Finds the pattern that a lasting approval of a command allows: the program with its subcommand, otherwise
/// the exact arguments. `None` if the command runs code from its arguments or input, or if no pattern can
/// describe the command.
fn approvable(segment: &Segment) -> Option<Approvable> {
    let general = general::pattern(segment).filter(|pattern| {
        Pattern::read(pattern)
            .is_ok_and(|pattern| pattern.covers(segment) && more(segment, Some(&pattern)).is_none())
    });
    if let Some(pattern) = general {
        return Some(Approvable { pattern, words: FurtherWords::Any });
    }
    let exact = Pattern::exactly(segment).filter(|_| general::given_code(segment).is_none())?;
    Some(Approvable { pattern: exact, words: FurtherWords::None })
}

/// Returns the decision about a command that no rule matches, and the reason.
fn unruled(segment: &Segment) -> (Decision, String) {
    let (decision, why) = match segment.role {
        Role::Program if segment.program().is_none() => {
            (Decision::Ask, "the program is known only when the command runs")
        }
        Role::Program => (Decision::Ask, "no rule allows it"),
        Role::Wrapper => (Decision::Allow, "it only runs the command that follows it"),
        Role::Function => {
            (Decision::Allow, "it calls a function that this command defines, and the definition is checked")
        }
        Role::Nothing => (Decision::Allow, "this part runs no program"),
    };
    (decision, why.to_owned())
}

/// Returns the decision of a rule about a command, and the rule's pattern that matched; `None` if no pattern
/// matches.
fn applies<'r>(rule: &'r Rule, segment: &Segment) -> Option<(Decision, &'r Pattern)> {
    let Target::Commands(patterns) = &rule.target else { return None };
    if rule.decision == Decision::Allow {
        let named = |pattern: &&Pattern| pattern.covers(segment) && more(segment, Some(pattern)).is_none();
        let covers = || patterns.iter().find(|pattern| pattern.covers(segment));
        return patterns.iter().find(named).or_else(covers).map(|pattern| (rule.decision, pattern));
    }
    let reaching =
        |wanted: PatternCertainty| patterns.iter().find(move |pattern| pattern.reach(segment) == wanted);
    match (reaching(PatternCertainty::Yes), reaching(PatternCertainty::Perhaps)) {
        (Some(pattern), _) => Some((rule.decision, pattern)),
        (None, Some(pattern)) => Some((Decision::Ask, pattern)),
        (None, None) => None,
    }
}

/// Finds an argument that the pattern does not name and with which the command does more than its program usually
/// does, such as `-exec` of `find`. Returns the argument and its effect; `None` if there is no such argument.
fn more<'s>(segment: &'s Segment, pattern: Option<&Pattern>) -> Option<(&'s str, &'s str)> {
    segment.effects.iter().find_map(|effect| match effect {
        Effect::More { word, what } => {
            let named = pattern.is_some_and(|pattern| pattern.names(word, segment));
            (!named).then_some((word.as_str(), what.as_ref()))
        }
        Effect::Reads(_)
        | Effect::Names(_)
        | Effect::Tests(_)
        | Effect::Writes(_)
        | Effect::MayWrite(_)
        | Effect::Searches(_)
        | Effect::Prints(_)
        | Effect::Fetches(_) => None,
    })
}

fn touches(policy: &Policy, effect: &Effect, reading: &ParsedCommand<'_>) -> Vec<JudgedTouch> {
    match effect {
        Effect::Searches(search) => searched(policy, search, reading),
        Effect::Prints(contents) => tracked::printed(policy, contents, reading),
        _ => touched(policy, effect, reading).into_iter().collect(),
    }
}

/// Maximum number of files that are listed for the wildcards of one word.
const MOST_MATCHES: usize = 5;

/// Judges the files that the wildcards of a word match now: lists those that the rules deny or ask about.
fn matched(policy: &Policy, effect: &Effect, reading: &ParsedCommand<'_>) -> Vec<JudgedTouch> {
    let (word, verb) = match effect {
        Effect::Reads(word) | Effect::Names(word) => (word, "read"),
        Effect::Writes(word) | Effect::MayWrite(word) => (word, "write"),
        Effect::Tests(_)
        | Effect::Searches(_)
        | Effect::Prints(_)
        | Effect::Fetches(_)
        | Effect::More { .. } => return Vec::new(),
    };
    let Matches { places, is_cut } = reading.matches(policy, word);
    let judge = |place: &CommandPath| match verb {
        "read" => reachable(policy, Access::Reads, place, read(policy, place)),
        _ => reachable(policy, Access::Writes, place, written(policy, place, &reading.script.places)),
    };
    // A write that no rule is about is judged by the word itself.
    let is_withheld = |judged: &JudgedTouch| match judged.decision {
        Decision::Allow => false,
        Decision::Ask => judged.rule.is_some(),
        Decision::Deny => true,
    };
    let mut withheld: Vec<JudgedTouch> = places
        .iter()
        .filter_map(|place| {
            let CommandPath::At { absolute, relative } = place else { return None };
            let judged = Some(judge(place)).filter(is_withheld)?;
            let what = relative.clone().unwrap_or_else(|| absolute.display().to_string());
            Some(JudgedTouch { touch: verb, what, place: absolute.to_str().map(str::to_owned), ..judged })
        })
        .collect();
    withheld.sort_by(|one, other| other.decision.cmp(&one.decision).then_with(|| one.what.cmp(&other.what)));
    withheld.truncate(MOST_MATCHES);
    if is_cut {
        let why = "it matches so many files that not all were checked for secrets";
        let what = word.text.clone();
        withheld.push(JudgedTouch { touch: verb, what, ..judged_touch(Decision::Ask, why) });
    }
    withheld
}

/// Judges a recursive search: lists the withheld files (those that the rules deny or ask about) that the
/// search would read. If a start directory is unknown, or is not a path, the files of all roots count.
fn searched(policy: &Policy, search: &Search, reading: &ParsedCommand<'_>) -> Vec<JudgedTouch> {
    let mut places = reading.places(policy, &search.start);
    let Matches { places: matched, is_cut } = reading.matches(policy, &search.start);
    places.extend(matched);
    let mut starts: Vec<&Path> = Vec::new();
    let mut search = search.clone();
    for place in &places {
        match place {
            CommandPath::At { absolute, .. } if search.loose_start && !policy.finds(absolute) => {
                // The word may be a Git revision. A revision can contain files that the current ignore rules exclude,
                // so ignored files are examined too.
                let is_pattern =
                    search.start.start.starts_with(':') || search.start.start.contains(['*', '?', '[']);
                search.ignored |= !is_pattern;
                starts.extend(reading.roots.iter().map(PathBuf::as_path));
            }
            CommandPath::At { absolute, relative: Some(_) } => starts.push(absolute),
            // A search that begins outside the roots is not judged here: its start is also a path that the command reads.
            CommandPath::At { relative: None, .. } => {}
            CommandPath::Unknown => starts.extend(reading.roots.iter().map(PathBuf::as_path)),
        }
    }
    let mut touches: Vec<JudgedTouch> = Vec::new();
    for withheld in starts.iter().flat_map(|start| policy.withheld(start, &search)) {
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
            ..judged_touch(withheld.decision, &withheld.why)
        };
        if !touches.contains(&touch) {
            touches.push(touch);
        }
    }
    if is_cut {
        let why = "it matches so many directories that not all were checked for secrets";
        let what = search.start.text.clone();
        touches.push(JudgedTouch { touch: "read", what, ..judged_touch(Decision::Ask, why) });
    }
    touches
}

fn touched(policy: &Policy, effect: &Effect, reading: &ParsedCommand<'_>) -> Option<JudgedTouch> {
    let places = |word: &Word| reading.places(policy, word);
    match effect {
        Effect::More { .. } | Effect::Searches(_) | Effect::Prints(_) | Effect::Tests(_) => None,
        Effect::Fetches(word) => Some(fetched(policy, word)),
        Effect::Names(word) => {
            // The argument may be something other than a file, so only a rule that matches it as a path
            // counts.
            let found = strictest(places(word), word, "read", |place| named(policy, place))?;
            (found.decision != Decision::Allow && found.rule.is_some()).then_some(found)
        }
        Effect::Reads(word) => strictest(places(word), word, "read", |place| {
            reachable(policy, Access::Reads, place, read(policy, place))
        }),
        // If a setting denies all writes, `judge` denies every command that is not allowed without a prompt, so a
        // possible write is not judged here.
        Effect::MayWrite(_) if policy.denies(Access::Writes).is_some() => None,
        Effect::MayWrite(word) => {
            let found =
                strictest(places(word), word, "write", |place| perhaps_written(policy, place, reading))?;
            let is_ruled = found.rule.is_some() && found.decision != Decision::Allow;
            (is_ruled || found.decision == Decision::Deny).then_some(found)
        }
        Effect::Writes(word) => strictest(places(word), word, "write", |place| {
            reachable(policy, Access::Writes, place, written(policy, place, &reading.script.places))
        }),
    }
}

/// Judges an argument that may name a file which the command writes. Allows the argument if its location is unknown
/// or its parent cannot be a directory, because it may then be something other than a file.
fn perhaps_written(policy: &Policy, place: &CommandPath, reading: &ParsedCommand<'_>) -> JudgedTouch {
    let is_alone = reading.script.segments.len() == 1;
    match place {
        CommandPath::At { absolute, .. }
            if absolute.parent().is_none_or(|parent| policy.may_be_directory(parent, is_alone)) =>
        {
            written(policy, place, &reading.script.places)
        }
        CommandPath::At { .. } | CommandPath::Unknown => {
            judged_touch(Decision::Allow, "the argument might not be a file")
        }
    }
}

/// Denies an access that needs approval if the sandbox prevents it even with an approval. If the sandbox redirects it,
/// adds that to the reason.
fn reachable(policy: &Policy, access: Access, place: &CommandPath, judged: JudgedTouch) -> JudgedTouch {
    let CommandPath::At { absolute, .. } = place else { return judged };
    let Some(reach) = policy.reach.as_ref().filter(|_| judged.decision == Decision::Ask) else {
        return judged;
    };
    match reach.prevents(access, absolute) {
        Some(own @ UnreachableReason::Own) => {
            JudgedTouch { why: format!("{}; {}", judged.why, own.words()), ..judged }
        }
        Some(why) => JudgedTouch { fixed: true, ..judged_touch(Decision::Deny, why.words()) },
        None => judged,
    }
}

/// Lists the paths outside the roots that a command names, except those that are known only when the command
/// runs.
pub(crate) fn outside_paths(policy: &Policy, command: &Command) -> OutsidePaths {
    let roots = roots(policy, command);
    let reading = ParsedCommand { script: command.read(), directory: command.directory.raw(), roots: &roots };
    let mut found = OutsidePaths::default();
    let mut add = |word: &Word, is_read: bool| {
        for place in word.known().iter().flat_map(|_| reading.places(policy, word)) {
            let judged = read(policy, &place);
            let CommandPath::At { absolute, relative: None } = place else { continue };
            // An argument that may be a path counts as one if a rule matches it.
            if judged.decision != Decision::Deny && (is_read || judged.rule.is_some()) {
                found.readable.push(absolute.clone());
            }
            found.named.push(absolute);
        }
    };
    for segment in &reading.script.segments {
        for effect in &segment.effects {
            match effect {
                Effect::Reads(word) => add(word, true),
                Effect::Names(word) | Effect::Tests(word) => add(word, false),
                Effect::More { .. }
                | Effect::Writes(_)
                | Effect::MayWrite(_)
                | Effect::Searches(_)
                | Effect::Prints(_)
                | Effect::Fetches(_) => {}
            }
        }
    }
    found
}

fn strictest(
    places: Vec<CommandPath>,
    word: &Word,
    touch: &'static str,
    judge: impl Fn(&CommandPath) -> JudgedTouch,
) -> Option<JudgedTouch> {
    let judged = places.iter().map(|place| JudgedTouch { place: named_by(place, word), ..judge(place) });
    Some(JudgedTouch { touch, what: word.text.clone(), ..judged.max_by_key(|judged| judged.decision)? })
}

/// Returns the path that a rule would name for a location; `None` if the location is unknown or not UTF-8, or
/// the word of the command can stand for several paths.
fn named_by(place: &CommandPath, word: &Word) -> Option<String> {
    match place {
        CommandPath::At { absolute, .. } if word.known().is_some() => absolute.to_str().map(str::to_owned),
        CommandPath::At { .. } | CommandPath::Unknown => None,
    }
}

pub(crate) fn judged_touch(decision: Decision, why: &str) -> JudgedTouch {
    JudgedTouch { decision, why: why.to_owned(), ..JudgedTouch::default() }
}

fn fixed_touch(judgement: Judgement) -> JudgedTouch {
    JudgedTouch { fixed: true, ..judged_touch(judgement.decision, &judgement.why) }
}

fn by_rule(decision: Decision, rule: &Rule) -> JudgedTouch {
    JudgedTouch { rule: Some(rule.origin(None)), ..judged_touch(decision, &rule.why) }
}

fn named(policy: &Policy, place: &CommandPath) -> JudgedTouch {
    match place {
        CommandPath::At { .. } => read(policy, place),
        CommandPath::Unknown => judged_touch(Decision::Allow, "the argument might not be a file"),
    }
}

fn read(policy: &Policy, place: &CommandPath) -> JudgedTouch {
    let CommandPath::At { absolute, relative } = place else {
        return judged_touch(Decision::Ask, "the file is known only when the command runs");
    };
    if let Some(judgement) = policy.kept(Access::Reads, absolute) {
        return fixed_touch(judgement);
    }
    let first = if relative.is_some() { Decision::Allow } else { Decision::Ask };
    let (decision, rule) = find(policy, Access::Reads, first, absolute, relative.as_deref());
    match (rule, relative) {
        (Some(rule), _) => by_rule(decision, rule),
        (None, Some(_)) => judged_touch(decision, "no rule forbids it"),
        (None, None) => judged_touch(decision, "it is outside the roots, and no rule allows it"),
    }
}

fn written(policy: &Policy, place: &CommandPath, places: &Places) -> JudgedTouch {
    let CommandPath::At { absolute, relative } = place else {
        let why = match places {
            Places::Known(_) => "the file is known only when the command runs",
            Places::Unknown => "the directory is known only when the command runs",
        };
        return judged_touch(Decision::Ask, why);
    };
    if let Some(judgement) = policy.kept(Access::Writes, absolute)
        && absolute != Path::new("/dev/null")
    {
        return fixed_touch(judgement);
    }
    // The history does not record writes by commands, so such a write needs a rule that allows it or a
    // prompt, inside the roots too.
    let (decision, rule) = find(policy, Access::Writes, Decision::Ask, absolute, relative.as_deref());
    match rule {
        Some(rule) => by_rule(decision, rule),
        None => judged_touch(decision, "no rule allows it; changes by commands are not kept in the history"),
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
            // A rule may name the host with or without the port. A denial of either form decides, otherwise a
            // permission of either form.
            let [judgement, other] = [host.clone(), host.without_port()].map(|host| policy.judge_host(&host));
            let judgement = match (judgement.decision, other.decision) {
                (Decision::Deny, _) | (Decision::Allow, Decision::Ask) => judgement,
                _ => other,
            };
            let place = Some(host.name().to_owned());
            JudgedTouch { place, ..judged_touch(judgement.decision, &judgement.why) }
        }
        None => judged_touch(Decision::Ask, "the host is known only when the command runs"),
    };
    JudgedTouch { touch: "fetch", what: word.text.clone(), ..judged }
}
