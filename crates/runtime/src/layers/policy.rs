//! Policy enforcement: decides for each touch whether to allow, ask or deny.

use super::{Going, Next, Stop, Trip, Within};
use crate::{Addition, Call, Question, Span, Verdict};
use std::sync::Arc;
use toolpost_engine::{Access, Failure, Hint, Kind, May, Touch};
use toolpost_policy::{ApprovalRules, Decision, Judgement, Lifted, Policy, does, verb};
use toolpost_workspace::WorkspacePath;

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let policy = next.runtime.config.policy.clone();
        let taught = policy.with_approved(&trip.call.session.granted.rules());
        let mut asked: Vec<(Touch, Judgement)> = Vec::new();
        let mut granted: Vec<Touch> = Vec::new();
        let mut consult = consult(trip.within.as_ref());
        for touch in &trip.prepared()?.touches {
            if touch.is_beside() && consult.is_err() {
                continue;
            }
            let judgement = policy.judge(touch);
            match judgement.decision {
                Decision::Allow => {}
                Decision::Ask if is_approved(&trip.call, &taught, touch) => granted.push(touch.clone()),
                Decision::Ask => asked.push((touch.clone(), judgement)),
                Decision::Deny => {
                    let failure = denied(touch, &judgement.why, judgement.lifted);
                    if !touch.is_beside() {
                        return Err(Stop::Failed(failure));
                    }
                    consult = Err(failure.what);
                }
            }
        }
        let dialect = trip.published.map_or("", |published| published.dialect.name);
        let note = match put(&trip.call, dialect, &policy, &asked).await {
            // Optional touches are left out if their approval is refused.
            Err(Stop::Failed(failure)) if asked.iter().all(|(touch, _)| touch.is_beside()) => {
                consult = Err(failure.what);
                asked.clear();
                None
            }
            note => note?,
        };
        granted.extend(asked.into_iter().map(|(touch, _)| touch));
        let runtime = next.runtime;
        trip.cx.may_consult = consult;
        trip.cx.may_read = runtime.may_read.clone();
        if !granted.is_empty() {
            let (may_read, granted) = (runtime.may_read.clone(), granted.clone());
            trip.cx.may_read =
                Arc::new(move |path| may_read(path) || is_granted(&granted, Access::Reads, path));
        }
        let (hosts, yes, session) = (policy.clone(), granted.clone(), trip.call.session.clone());
        trip.cx.may_fetch = Arc::new(move |host| {
            hosts.reach(host, |touch| yes.contains(touch) || session.granted.holds(touch))
        });
        let agents = policy.clone();
        trip.cx.may_delegate = Arc::new(move |agent| {
            agents.judge(&Touch::Delegate(agent.to_owned())).decision == Decision::Allow
        });
        trip.cx.may_write = Arc::new(move |path| {
            policy.judge_path(Access::Writes, path).decision == Decision::Allow
                || is_granted(&granted, Access::Writes, path)
        });
        let mut done = next.go(trip).await?;
        note.into_iter().for_each(|note| done.page.note(note));
        Ok(done)
    })
}

/// Returns an error if external services may not be consulted, before any rule is applied: a nested call that may only
/// read consults none.
fn consult(within: Option<&Within>) -> Result<(), String> {
    match within.map(|within| within.may) {
        Some(May::Read) => Err("A call inside of another may only read, and asks nobody.".to_owned()),
        _ => Ok(()),
    }
}

/// Returns whether an approval in the session covers a touch: an approval of this exact touch, or a rule.
fn is_approved(call: &Call, taught: &Option<Policy>, touch: &Touch) -> bool {
    let by_rule = |rules: &Policy| rules.judge(touch).decision == Decision::Allow;
    call.session.granted.holds(touch) || taught.as_ref().is_some_and(by_rule)
}

/// Returns true if the user approved access to a path.
fn is_granted(granted: &[Touch], access: Access, path: &WorkspacePath) -> bool {
    granted.iter().any(|touch| touch.access() == access && touch.path() == Some(path))
}

/// Asks about touches and stores the verdict for its scope; returns a note for the caller, if there is one.
async fn put(
    call: &Call,
    dialect: &str,
    policy: &Policy,
    asked: &[(Touch, Judgement)],
) -> Result<Option<String>, Stop> {
    if asked.is_empty() {
        return Ok(None);
    }
    let touches: Vec<Touch> = asked.iter().map(|(touch, _)| touch.clone()).collect();
    let lesson = policy.approval_rules(&touches);
    let file = policy.learned_file();
    let adds = lesson.as_ref().zip(file).map(|(lesson, file)| Addition { file, rules: lesson.added() });
    let mut spans = vec![Span::Session];
    spans.extend(adds.as_ref().map(|_| Span::Always));
    let shown = policy.display(asked);
    let question = Question {
        tool: format!("{} ({dialect})", call.tool),
        touches: shown.lines,
        reason: shown.reason,
        spans,
        covers: lesson.as_ref().map(ApprovalRules::covers).unwrap_or_default(),
        adds,
    };
    let span = match call.asker.ask(&question).await {
        Verdict::Allow => return Ok(None),
        Verdict::AllowFor(span) => span,
        Verdict::Deny(why) => return Err(Stop::Failed(refused(policy, asked, &why))),
        Verdict::Later => return Err(Stop::Ask(Box::new(question))),
    };
    // A scope that was not offered is not accepted: the approval is valid once.
    if !question.spans.contains(&span) {
        return Ok(None);
    }
    call.session.granted.add(touches);
    let Some(lesson) = lesson else { return Ok(None) };
    if lesson.is_general() {
        call.session.granted.add_rules(&lesson.toml());
    }
    if span != Span::Always {
        return Ok(None);
    }
    Ok(Some(match policy.learn(&lesson) {
        Ok(()) => format!(
            "always allowed from now on, by a rule in {}: {}",
            policy.learned_file().unwrap_or_default(),
            lesson.added().join("; ")
        ),
        Err(error) => {
            format!("the answer holds for this session only, since no rule could be written: {error}")
        }
    }))
}

/// Builds the failure for touches that were not approved, with the rules that would allow all of them.
fn refused(policy: &Policy, asked: &[(Touch, Judgement)], why: &str) -> Failure {
    // A write reads first; the caller's intention is the write.
    let first = &asked[0];
    let is_write = |(touch, _): &&(Touch, Judgement)| {
        matches!(touch, Touch::Write(..)) && touch.path() == first.0.path()
    };
    let (touch, judgement) = asked.iter().find(is_write).unwrap_or(first);
    let what = format!(
        "Not allowed to {} {}: {}. {why}",
        does(touch),
        touch.shown(),
        judgement.why.trim_end_matches('.')
    );
    let failure = Failure::new(Kind::Denied, what);
    let touches: Vec<Touch> = asked.iter().map(|(touch, _)| touch.clone()).collect();
    let rules = policy.approval_rules(&touches).map(|lesson| lesson.proposed().join("; and: "));
    match rules.filter(|rules| rules.len() <= LONGEST_RULES) {
        Some(rules) => failure.hint(Hint::Operator(rules)),
        None if judgement.lifted != Lifted::ByNothing && matches!(touch, Touch::Execute(_)) => {
            failure.hint(Hint::Advice(EXPLAIN.to_owned()))
        }
        None => failure,
    }
}

/// The longest rules that a refusal quotes, in bytes.
const LONGEST_RULES: usize = 1_000;

fn denied(touch: &Touch, why: &str, lifted: Lifted) -> Failure {
    let what = format!("Not allowed to {} {}: {why}", does(touch), touch.shown());
    let failure = Failure::new(Kind::Denied, what);
    if lifted == Lifted::ByNothing {
        return failure;
    }
    // The rule names this one file or host, with wildcards escaped: the model must not influence the operator's rules.
    let meant = match touch {
        Touch::Read(path) | Touch::Write(path, _) => {
            format!(
                "paths = [{}]",
                serde_json::json!(toolpost_policy::literal_pattern(&path.raw().to_string_lossy()))
            )
        }
        Touch::Fetch(host) | Touch::Consult(host) => {
            format!("hosts = [{}]", serde_json::json!(host.written()))
        }
        Touch::Delegate(agent) => format!("agents = [{}]", serde_json::json!(agent)),
        Touch::Editor(act) => format!("acts = [{}]", serde_json::json!(act.word())),
        Touch::Bridge(tool) => format!("tools = [{}]", serde_json::json!(tool.shown())),
        // A command has several parts, and a person has to decide what each of them needs.
        Touch::Execute(_) => return failure.hint(Hint::Advice(EXPLAIN.to_owned())),
    };
    let rule = format!("touch = [\"{}\"], {meant}, decide = \"allow\"", verb(touch));
    failure.hint(Hint::Operator(rule))
}

const EXPLAIN: &str = "Do it in another way, or leave the command to the user: `toolpost policy explain` shows them which rule \
                       decides, and why.";
