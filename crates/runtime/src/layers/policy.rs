//! Judges each touch by the rules: allow, ask, deny.

use super::{Going, Next, Stop, Trip};
use crate::{
    Decision, Question, Verdict,
    policy::{Judgement, Lifted},
};
use std::sync::Arc;
use toolpost_engine::{Access, Failure, Hint, Kind, Touch};
use toolpost_workspace::WorkspacePath;

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let policy = next.runtime.config.policy.clone();
        let mut asked: Vec<(Touch, Judgement)> = Vec::new();
        for touch in &trip.prepared()?.touches {
            let judgement = policy.judge(touch);
            match judgement.decision {
                Decision::Allow => {}
                Decision::Ask => asked.push((touch.clone(), judgement)),
                Decision::Deny => return Err(Stop::Failed(denied(touch, &judgement.why, judgement.lifted))),
            }
        }
        if let Some((touch, first)) = asked.first() {
            let question = question(&trip, &asked, &first.why);
            match trip.call.asker.ask(&question).await {
                Verdict::Allow => {}
                Verdict::Deny(why) => {
                    return Err(Stop::Failed(denied(touch, &format!("{} {why}", first.why), first.lifted)));
                }
                Verdict::Later => return Err(Stop::Ask(question)),
            }
        }
        let granted = |access| {
            let (policy, asked) = (policy.clone(), asked.clone());
            move |path: &WorkspacePath| {
                let told =
                    |(touch, _): &(Touch, Judgement)| touch.access() == access && touch.path() == Some(path);
                policy.judge_path(access, path).decision == Decision::Allow || asked.iter().any(told)
            }
        };
        trip.cx.may_read = Arc::new(granted(Access::Reads));
        trip.cx.may_write = Arc::new(granted(Access::Writes));
        next.go(trip).await
    })
}

fn question(trip: &Trip<'_>, asked: &[(Touch, Judgement)], reason: &str) -> Question {
    let dialect = trip.published.map_or("", |published| published.dialect.name);
    let words = |(touch, _): &(Touch, Judgement)| format!("{} {}", verb(touch), touch.shown());
    Question {
        tool: format!("{} ({dialect})", trip.call.tool),
        touches: asked.iter().map(words).collect(),
        reason: reason.to_owned(),
    }
}

fn verb(touch: &Touch) -> &'static str {
    match touch {
        Touch::Read(_) => "read",
        Touch::Write(..) => "write",
        Touch::Execute(_) => "execute",
        Touch::Fetch(_) => "fetch",
    }
}

fn denied(touch: &Touch, why: &str, lifted: Lifted) -> Failure {
    let what = format!("Not allowed to {} {}: {why}", verb(touch), touch.shown());
    let failure = Failure::new(Kind::Denied, what);
    if lifted == Lifted::ByNothing {
        return failure;
    }
    // The rule names this one file or host, whatever its name says: the model has no part in wording the operator's rules.
    let meant = match touch {
        Touch::Read(path) | Touch::Write(path, _) => {
            format!("paths = [{}]", serde_json::json!(globset::escape(&path.raw().to_string_lossy())))
        }
        Touch::Fetch(host) => format!("hosts = [{}]", serde_json::json!(host.name())),
        // A command has several parts, and what each needs is for a person to see.
        Touch::Execute(_) => return failure.hint(Hint::Advice(EXPLAIN.to_owned())),
    };
    let rule = format!("touch = [\"{}\"], {meant}, decide = \"allow\"", verb(touch));
    failure.hint(Hint::Operator(rule))
}

const EXPLAIN: &str = "Do it in another way, or leave the command to the user: `toolpost policy explain` shows them which rule \
                       decides, and why.";
