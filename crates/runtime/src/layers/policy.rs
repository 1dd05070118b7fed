//! Layer that enforces the policy: decides for each access whether to allow, ask or deny, and grants the call
//! its permissions.

use super::{
    nested::LimitNested,
    state::{
        CallError, CallState, Layer, LayerFuture, LoweredCall, NestedLimits, Next, PermittedCall, Stage,
    },
};
use crate::{
    ask::{Addition, Asker, Question, Span, Verdict},
    permissions::CallPermissions,
};
use std::sync::Arc;
use toolpost_engine::operations::fetch::OWN_SERVER;
use toolpost_engine::{CallCtx, Engine, Failure, Hint, Kind, NestedCallPermissions, Session, Touch};
use toolpost_policy::{ApprovalRules, Decision, DecisionOverride, Judgement, Policy, does, verb};

pub(crate) struct Permit;

impl Stage for Permit {
    type Data<'a> = PermittedCall<'a>;
}

impl Layer for Permit {
    type After = LimitNested;

    fn around<'a>(state: CallState<'a, LimitNested>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let policy = next.services.config.policy.clone();
            let session = state.call.session.clone();
            let request = {
                let LoweredCall { target, prepared, .. } = &state.data;
                let touches = prepared.touches.clone();
                Request {
                    touches,
                    consult: consult(state.nested.as_ref()),
                    tool: format!("{} ({})", state.call.tool, target.origin()),
                }
            };
            let Decisions { approved, consult, note } =
                decide(&policy, &session, (&*state.call.asker, &next.services.engine), request).await?;
            let LoweredCall { target, prepared, origin } = state.data;
            let permissions =
                CallPermissions::new(policy, session.clone(), approved, consult, &next.services.may_read);
            let cx = CallCtx {
                cancel: state.call.cancel.child_token(),
                progress: state.call.progress.clone(),
                cause: origin.cause,
                gateway: origin.gateway,
                deadline: origin.deadline,
                fresh: session.fresh(target.fresh()),
                permissions: Arc::new(permissions),
                ..CallCtx::denied(session)
            };
            let data = PermittedCall { target, prepared, cx };
            let state = CallState { id: state.id, call: state.call, nested: state.nested, data };
            let mut done = next.run(state).await?;
            note.into_iter().for_each(|note| done.page.note(note));
            Ok(done)
        })
    }
}

/// The accesses of a call about which the policy will decide.
struct Request {
    /// The dialect and the tool of the call, for the approval prompt.
    tool: String,
    touches: Vec<Touch>,
    /// The permission to query external services, or the reason why it is refused, before any rule is applied.
    consult: Result<(), String>,
}

/// The result of the decisions about a call's accesses, if the call may run.
struct Decisions {
    /// The accesses that the user approved for this call.
    approved: Vec<Touch>,
    /// The permission to query external services, or the reason why it is refused.
    consult: Result<(), String>,
    /// A note for the reply; `None` if there is nothing to report about approvals.
    note: Option<String>,
}

/// Denies queries of external services, whatever the rules say, to a nested call that may only read.
fn consult(nested: Option<&NestedLimits>) -> Result<(), String> {
    match nested.map(|nested| nested.may) {
        Some(NestedCallPermissions::Read) => {
            Err("A nested call may only read, and cannot ask the user for approval.".to_owned())
        }
        _ => Ok(()),
    }
}

/// Decides about each access of a call, and prompts the user for those that need approval. If a prompt may appear, the
/// engine first checks the hosts to fetch from.
async fn decide(
    policy: &Policy,
    session: &Arc<Session>,
    (asker, engine): (&dyn Asker, &Engine),
    request: Request,
) -> Result<Decisions, CallError> {
    let Request { tool, touches, consult } = request;
    let with_approvals = policy.with_approved(&session.granted.rules());
    // Judging a command may walk directories, which blocks, so it runs on another thread. Other accesses are
    // judged on this thread.
    let judged = if touches.iter().any(|touch| matches!(touch, Touch::Execute(_))) {
        let (rules, approvals, of_session) = (policy.clone(), with_approvals.clone(), session.clone());
        off_worker(move || judge(&rules, approvals.as_ref(), &of_session, touches, consult)).await?
    } else {
        judge(policy, with_approvals.as_ref(), session, touches, consult)?
    };
    // The prompt uses the policy with the session's approvals, so that it names only what these do not cover.
    let policy = with_approvals.as_ref().unwrap_or(policy);
    let AccessJudgements { mut approved, mut asked, mut consult } = judged;
    if asker.standing().is_none() {
        check_hosts(engine, session, &asked).await?;
    }
    let note = match ask(policy, session, asker, tool, &asked).await {
        // If only optional accesses need approval and the user refuses it, the call continues without them.
        Err(CallError::Failed(failure)) if asked.iter().all(|(touch, _)| touch.is_optional()) => {
            consult = Err(failure.what);
            asked.clear();
            None
        }
        note => note?,
    };
    approved.extend(asked.into_iter().map(|(touch, _)| touch));
    Ok(Decisions { approved, consult, note })
}

/// Fails if a host about which the user would be asked cannot be fetched from: its name does not resolve, or resolves to
/// a private address. Hosts that the session may not look up are not checked.
async fn check_hosts(
    engine: &Engine,
    session: &Session,
    asked: &[(Touch, Judgement)],
) -> Result<(), CallError> {
    let hosts = asked.iter().filter_map(|(touch, _)| match touch {
        Touch::Fetch(host) => Some(host),
        _ => None,
    });
    for host in hosts.filter(|host| session.granted.may_look_up(host)) {
        engine.check_host(host).await.inspect_err(|_| session.granted.count_lookup())?;
    }
    Ok(())
}

/// Runs work that may walk directories on a thread for blocking work. A panic in the work is resumed in the caller.
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

/// The decisions of the rules about a call's accesses, before the user is asked.
struct AccessJudgements {
    /// The accesses that the user approved earlier in the session.
    approved: Vec<Touch>,
    asked: Vec<(Touch, Judgement)>,
    consult: Result<(), String>,
}

/// Applies the rules to each access of a call. `approvals` is the policy with the rules that the user
/// approved earlier in the session.
fn judge(
    policy: &Policy,
    approvals: Option<&Policy>,
    session: &Session,
    touches: Vec<Touch>,
    consult: Result<(), String>,
) -> Result<AccessJudgements, CallError> {
    let mut judged = AccessJudgements { approved: Vec::new(), asked: Vec::new(), consult };
    for touch in touches {
        if touch.is_optional() && judged.consult.is_err() {
            continue;
        }
        let judgement = policy.judge(&touch);
        match judgement.decision {
            Decision::Allow => {}
            Decision::Ask if session.granted.holds(&touch) => judged.approved.push(touch),
            Decision::Ask => match approvals.map_or(judgement, |rules| rules.judge(&touch)) {
                Judgement { decision: Decision::Allow, .. } => judged.approved.push(touch),
                open => judged.asked.push((touch, open)),
            },
            Decision::Deny => {
                let failure = denied(&touch, &judgement.why, judgement.lifted);
                if !touch.is_optional() {
                    return Err(CallError::Failed(failure));
                }
                judged.consult = Err(failure.what);
            }
        }
    }
    Ok(judged)
}

/// An approval prompt, and the rules that an approval for a longer scope stores.
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

/// Prompts the user to approve accesses, and stores an approval for its scope. Returns a note for the reply if the user
/// chose a permanent approval.
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
        Verdict::Deny(why) if asker.standing().is_some() => {
            let (rules, of_call) = (policy.clone(), asked.to_vec());
            return off_worker(move || Err(CallError::Failed(refused(&rules, &of_call, &why)))).await;
        }
        // Without a standing verdict, the user may approve at the next prompt, so the failure proposes no rules.
        Verdict::Deny(why) => return Err(CallError::Failed(unapproved(asked, &why).0)),
        Verdict::Declined(why) => return Err(CallError::Failed(declined(asked, &why))),
        Verdict::Later => return Err(CallError::Ask(Box::new(question))),
    };
    // The client may return a scope that the prompt did not offer: the approval is then valid only for this
    // call.
    if !question.spans.contains(&span) {
        return Ok(None);
    }
    session.granted.add(asked.iter().map(|(touch, _)| touch.clone()));
    let Some(rules) = rules else { return Ok(None) };
    session.granted.add_rules(&rules.toml());
    Ok((span == Span::Always).then(|| store(policy, &rules)))
}

/// Writes a permanent approval into the user's policy file; returns a note for the reply.
fn store(policy: &Policy, rules: &ApprovalRules) -> String {
    match policy.learn(rules) {
        Ok(()) => format!(
            "this access is always allowed from now on; added to {}: {}",
            policy.learned_file().unwrap_or_default(),
            rules.added().join("; ")
        ),
        Err(error) => {
            format!("the approval applies to this session only, because the rule could not be saved: {error}")
        }
    }
}

/// Builds the failure for accesses that were declined at a prompt. The user may approve the same call later, so no
/// rule is needed.
fn declined(asked: &[(Touch, Judgement)], why: &str) -> Failure {
    unapproved(asked, why).0.hint(Hint::Advice(DECLINED.to_owned()))
}

const DECLINED: &str = "Do not repeat the call unless the user asks for it.";

/// Builds the failure for accesses that no prompt can approve, with the rules that would allow all of them, if there are
/// such rules and they are short enough.
fn refused(policy: &Policy, asked: &[(Touch, Judgement)], why: &str) -> Failure {
    let (failure, (touch, judgement)) = unapproved(asked, why);
    let touches: Vec<Touch> = asked.iter().map(|(touch, _)| touch.clone()).collect();
    let rules = policy.operator_rules(&touches).map(|rules| rules.proposed().join("; and: "));
    match rules.filter(|rules| rules.len() <= LONGEST_RULES) {
        Some(rules) => failure.hint(Hint::Operator(rules)),
        None if judgement.lifted != DecisionOverride::ByNothing && matches!(touch, Touch::Execute(_)) => {
            failure.hint(Hint::Advice(EXPLAIN.to_owned()))
        }
        None => failure,
    }
}

/// Builds the failure for accesses without an approval, and returns the access that it names.
fn unapproved<'a>(asked: &'a [(Touch, Judgement)], why: &str) -> (Failure, &'a (Touch, Judgement)) {
    // A write also needs a read of the same path. Name the write, because it is what the caller wants.
    let first = &asked[0];
    let is_write = |(touch, _): &&(Touch, Judgement)| {
        matches!(touch, Touch::Write(..)) && touch.path() == first.0.path()
    };
    let named = asked.iter().find(is_write).unwrap_or(first);
    let (touch, judgement) = named;
    let what = format!(
        "Not allowed to {} {}: {}. {why}",
        does(touch),
        touch.shown(),
        judgement.why.trim_end_matches('.')
    );
    (Failure::new(Kind::Denied, what), named)
}

/// Maximum length of the rules that a refusal quotes, in bytes.
const LONGEST_RULES: usize = 1_000;

fn denied(touch: &Touch, why: &str, lifted: DecisionOverride) -> Failure {
    let what = format!("Not allowed to {} {}: {why}", does(touch), touch.shown());
    let failure = Failure::new(Kind::Denied, what);
    if lifted == DecisionOverride::ByNothing {
        return failure;
    }
    // The proposed rule names only this file or host, with wildcards escaped, so that the model cannot widen the
    // operator's rules.
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
        // A command has several parts, and the user decides about each of them, so no rule is proposed.
        Touch::Execute(_) => return failure.hint(Hint::Advice(EXPLAIN.to_owned())),
    };
    let rule = format!("touch = [\"{}\"], {meant}, decide = \"allow\"", verb(touch));
    let failure = failure.hint(Hint::Operator(rule));
    match touch {
        Touch::Fetch(host) if host.is_loopback() => failure.hint(Hint::Advice(OWN_SERVER.to_owned())),
        _ => failure,
    }
}

const EXPLAIN: &str = "Try another way, or leave the command to the user: `toolpost policy explain` shows them which rule \
                       decides, and why.";
