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
            let judgement = policy.judge(touch.access(), touch.path());
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
                let told = |(touch, _): &(Touch, Judgement)| touch.access() == access && touch.path() == path;
                policy.judge(access, path).decision == Decision::Allow || asked.iter().any(told)
            }
        };
        trip.cx.may_read = Arc::new(granted(Access::Reads));
        trip.cx.may_write = Arc::new(granted(Access::Writes));
        next.go(trip).await
    })
}

fn question(trip: &Trip<'_>, asked: &[(Touch, Judgement)], reason: &str) -> Question {
    let dialect = trip.published.map_or("", |published| published.dialect.name);
    let words = |(touch, _): &(Touch, Judgement)| format!("{} {}", verb(touch), touch.path().display());
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
    }
}

fn denied(touch: &Touch, why: &str, lifted: Lifted) -> Failure {
    let what = format!("Not allowed to {} {}: {why}", verb(touch), touch.path().display());
    let failure = Failure::new(Kind::Denied, what);
    if lifted == Lifted::ByNothing {
        return failure;
    }
    // The rule names this one file, whatever its name says: the model has no part in wording the operator's rules.
    let pattern = serde_json::json!(globset::escape(&touch.path().raw().to_string_lossy()));
    let rule = format!("touch = [\"{}\"], paths = [{pattern}], decide = \"allow\"", verb(touch));
    failure.hint(Hint::Operator(rule))
}
