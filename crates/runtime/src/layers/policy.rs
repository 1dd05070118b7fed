//! Policy enforcement: decides for each access whether to allow, ask or deny, and grants the call its permissions.

use super::{
    nested::LimitNested,
    state::{CallError, CallState, Layer, LayerFuture, Lowered, NestedLimits, Next, Permitted, Stage},
};
use crate::{
    ask::{Addition, Asker, Question, Span, Verdict},
    permissions::CallPermissions,
};
use std::sync::Arc;
use toolpost_engine::{CallCtx, Failure, Hint, Kind, May, Session, Touch};
use toolpost_policy::{ApprovalRules, Decision, Judgement, Lifted, Policy, does, verb};

pub(crate) struct Permit;

impl Stage for Permit {
    type Data<'a> = Permitted<'a>;
}

impl Layer for Permit {
    type After = LimitNested;

    fn around<'a>(state: CallState<'a, LimitNested>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let policy = next.services.config.policy.clone();
            let session = state.call.session.clone();
            let request = {
                let Lowered { published, prepared, .. } = &state.data;
                let touches = prepared.touches.clone();
                Request {
                    touches,
                    consult: consult(state.nested.as_ref()),
                    tool: format!("{} ({})", state.call.tool, published.dialect.name),
                }
            };
            let Decisions { approved, consult, note } =
                decide(&policy, &session, &*state.call.asker, request).await?;
            let Lowered { published, prepared, origin } = state.data;
            let permissions =
                CallPermissions::new(policy, session.clone(), approved, consult, &next.services.may_read);
            let cx = CallCtx {
                cancel: state.call.cancel.child_token(),
                progress: state.call.progress.clone(),
                cause: origin.cause,
                gateway: origin.gateway,
                deadline: origin.deadline,
                fresh: session.fresh(published.dialect.fresh),
                permissions: Arc::new(permissions),
                ..CallCtx::denied(session)
            };
            let data = Permitted { published, prepared, cx };
            let state = CallState { id: state.id, call: state.call, nested: state.nested, data };
            let mut done = next.run(state).await?;
            note.into_iter().for_each(|note| done.page.note(note));
            Ok(done)
        })
    }
}

/// The accesses of a call, to decide about.
struct Request {
    /// The tool and its dialect.
    tool: String,
    touches: Vec<Touch>,
    /// An error if external services may not be queried, before any rule is applied.
    consult: Result<(), String>,
}

/// The decisions about the accesses of a call that may run.
struct Decisions {
    /// The accesses that the user approved.
    approved: Vec<Touch>,
    /// The permission to query external services, or the reason of its refusal.
    consult: Result<(), String>,
    /// A note for the caller.
    note: Option<String>,
}

/// Returns an error if external services may not be queried, before any rule is applied: a nested call that may only
/// read queries none.
fn consult(nested: Option<&NestedLimits>) -> Result<(), String> {
    match nested.map(|nested| nested.may) {
        Some(May::Read) => Err("A nested call may only read, and cannot prompt.".to_owned()),
        _ => Ok(()),
    }
}

/// Decides about each access, and asks about those that need approval.
async fn decide(
    policy: &Policy,
    session: &Arc<Session>,
    asker: &dyn Asker,
    request: Request,
) -> Result<Decisions, CallError> {
    let Request { tool, touches, consult } = request;
    let (rules, of_session) = (policy.clone(), session.clone());
    let Judged { mut approved, mut asked, mut consult } =
        off_worker(move || judge(&rules, &of_session, touches, consult)).await?;
    let note = match ask(policy, session, asker, tool, &asked).await {
        // Optional accesses are left out if their approval is refused.
        Err(CallError::Failed(failure)) if asked.iter().all(|(touch, _)| touch.is_beside()) => {
            consult = Err(failure.what);
            asked.clear();
            None
        }
        note => note?,
    };
    approved.extend(asked.into_iter().map(|(touch, _)| touch));
    Ok(Decisions { approved, consult, note })
}

/// Runs work that may walk directories on a thread for blocking work; resumes a panic in the caller.
async fn off_worker<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(_) => Err(Failure::new(Kind::Cancelled, "The server is shutting down.").into()),
        },
    }
}

/// The accesses of a call after the rules, before the user is asked.
struct Judged {
    /// The accesses that the user approved earlier in the session.
    approved: Vec<Touch>,
    asked: Vec<(Touch, Judgement)>,
    consult: Result<(), String>,
}

/// Applies the rules to each access.
fn judge(
    policy: &Policy,
    session: &Session,
    touches: Vec<Touch>,
    consult: Result<(), String>,
) -> Result<Judged, CallError> {
    let approvals = policy.with_approved(&session.granted.rules());
    let is_approved = |touch: &Touch| {
        let by_rule = |rules: &Policy| rules.judge(touch).decision == Decision::Allow;
        session.granted.holds(touch) || approvals.as_ref().is_some_and(by_rule)
    };
    let mut judged = Judged { approved: Vec::new(), asked: Vec::new(), consult };
    for touch in touches {
        if touch.is_beside() && judged.consult.is_err() {
            continue;
        }
        let judgement = policy.judge(&touch);
        match judgement.decision {
            Decision::Allow => {}
            Decision::Ask if is_approved(&touch) => judged.approved.push(touch),
            Decision::Ask => judged.asked.push((touch, judgement)),
            Decision::Deny => {
                let failure = denied(&touch, &judgement.why, judgement.lifted);
                if !touch.is_beside() {
                    return Err(CallError::Failed(failure));
                }
                judged.consult = Err(failure.what);
            }
        }
    }
    Ok(judged)
}

/// A question, and the rules that a longer approval stores.
struct Prompt {
    question: Question,
    rules: Option<ApprovalRules>,
}

fn prompt(policy: &Policy, tool: String, asked: &[(Touch, Judgement)]) -> Prompt {
    let touches: Vec<Touch> = asked.iter().map(|(touch, _)| touch.clone()).collect();
    let rules = policy.approval_rules(&touches);
    let file = policy.learned_file();
    let adds = rules.as_ref().zip(file).map(|(rules, file)| Addition { file, rules: rules.added() });
    let mut spans = vec![Span::Session];
    spans.extend(adds.as_ref().map(|_| Span::Always));
    let shown = policy.display(asked);
    let covers = rules.as_ref().map(ApprovalRules::covers).unwrap_or_default();
    let question = Question { tool, touches: shown.lines, reason: shown.reason, spans, covers, adds };
    Prompt { question, rules }
}

/// Asks about accesses and stores the verdict for its scope; returns a note for the caller, if there is one.
async fn ask(
    policy: &Policy,
    session: &Session,
    asker: &dyn Asker,
    tool: String,
    asked: &[(Touch, Judgement)],
) -> Result<Option<String>, CallError> {
    if asked.is_empty() {
        return Ok(None);
    }
    let (rules, of_call) = (policy.clone(), asked.to_vec());
    let Prompt { question, rules } = off_worker(move || Ok(prompt(&rules, tool, &of_call))).await?;
    let span = match asker.ask(&question).await {
        Verdict::Allow => return Ok(None),
        Verdict::AllowFor(span) => span,
        Verdict::Deny(why) => return Err(CallError::Failed(refused(rules, asked, &why))),
        Verdict::Later => return Err(CallError::Ask(Box::new(question))),
    };
    // A scope that was not offered is not accepted: the approval is valid once.
    if !question.spans.contains(&span) {
        return Ok(None);
    }
    session.granted.add(asked.iter().map(|(touch, _)| touch.clone()));
    let Some(rules) = rules else { return Ok(None) };
    if rules.is_general() {
        session.granted.add_rules(&rules.toml());
    }
    Ok((span == Span::Always).then(|| store(policy, &rules)))
}

/// Writes a permanent approval into the user's policy file; returns a note for the caller.
fn store(policy: &Policy, rules: &ApprovalRules) -> String {
    match policy.learn(rules) {
        Ok(()) => format!(
            "always allowed from now on, by a rule in {}: {}",
            policy.learned_file().unwrap_or_default(),
            rules.added().join("; ")
        ),
        Err(error) => {
            format!("the answer holds for this session only, since no rule could be written: {error}")
        }
    }
}

/// Builds the failure for touches that were not approved, with the rules that would allow all of them.
fn refused(rules: Option<ApprovalRules>, asked: &[(Touch, Judgement)], why: &str) -> Failure {
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
    let rules = rules.map(|rules| rules.proposed().join("; and: "));
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
