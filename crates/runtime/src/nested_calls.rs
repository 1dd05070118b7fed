//! The entrance for nested calls: they pass all layers, with an asker that depends on their permissions.

use crate::{
    Answer, Asker, Call, Runtime, Verdict,
    layers::{Stop, Trip, Within},
    wording,
};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, Calling, Ended, Failure, FrontDoor, InnerAnswer, InnerCall, May, Offered, Pictures, Progress,
    Session,
};
use toolpost_text::{counted::counted, cut::NOTICE};
use toolpost_tool::{Dialect, Part};

/// The reason why a nested call that only reads cannot prompt: one call could lead to many questions at the same time,
/// each without the context of the others.
const NOBODY: &str = "Nobody is asked about a call inside of another; made by itself it is asked about.";

/// The entrance for the nested calls of one call.
pub(crate) struct Door {
    runtime: Arc<Runtime>,
    session: Arc<Session>,
    /// The source of approvals for nested calls that may do more than read.
    asker: Arc<dyn Asker>,
    dialect: &'static Dialect,
    parent: u64,
}

impl Door {
    /// Creates the entrance for a call that speaks a dialect; it lives no longer than the call.
    pub(crate) fn of(
        runtime: &Arc<Runtime>,
        dialect: &'static Dialect,
        trip: &Trip<'_>,
    ) -> Arc<dyn FrontDoor> {
        let (session, asker) = (trip.call.session.clone(), trip.call.asker.clone());
        Arc::new(Self { runtime: runtime.clone(), session, asker, dialect, parent: trip.id })
    }

    /// Returns the source of approvals for a nested call.
    fn asks(&self, may: May) -> Arc<dyn Asker> {
        match may {
            May::Read => Arc::new(self.asker.standing().unwrap_or_else(|| Verdict::Deny(NOBODY.to_owned()))),
            May::Everything => self.asker.clone(),
        }
    }

    async fn make(&self, inner: InnerCall, cancel: CancellationToken) -> InnerAnswer {
        let catalogue = self.runtime.catalogue();
        let published = catalogue.find_from(self.dialect, &inner.tool);
        let call = Call {
            tool: inner.tool,
            arguments: Value::String(inner.arguments),
            session: self.session.clone(),
            cancel,
            asker: self.asks(inner.may),
            progress: Progress::silent(),
        };
        let mut trip = self.runtime.trip(published, call);
        trip.cx.deadline = inner.due;
        trip.within = Some(Within { parent: self.parent, reply_bytes: inner.reply_bytes, may: inner.may });
        let failed = |failure: &Failure| {
            // Parallel calls are not a series of repetitions.
            let dialect = published.map(|published| published.dialect);
            wording::failure(failure, dialect, 1).words()
        };
        let mut back = self.runtime.go(trip).await;
        if let Ok(done) = &mut back {
            done.page.retain_new(|note| !self.session.has_said(note));
        }
        let (ended, words) = match back {
            Ok(done) if inner.pictures == Pictures::Given => {
                let (words, pictures) = Answer::of(done.page.finish()).told();
                return InnerAnswer { ended: Ended::Done, words, pictures };
            }
            Ok(done) => (Ended::Done, words(done.page.finish())),
            Err(Stop::Failed(failure)) => (Ended::Failed, failed(&failure)),
            Err(Stop::Refused(failure)) => (Ended::Refused, failed(&failure)),
            Err(Stop::NoSuchTool(name)) => (Ended::Failed, wording::no_such_tool(&name, &catalogue).words()),
            Err(Stop::Ask(question)) => (Ended::Refused, question.words()),
        };
        InnerAnswer::of_words(ended, words)
    }
}

impl FrontDoor for Door {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a> {
        Box::pin(self.make(call, cancel))
    }

    fn tools(&self) -> Vec<Offered> {
        let catalogue = self.runtime.catalogue();
        let tools = catalogue.tools().iter();
        let callable = tools.filter(|tool| !tool.access().contains(&Access::Calls));
        let offered = callable.map(|tool| Offered {
            name: tool.name.clone(),
            description: tool.description.clone(),
            schema: tool.schema.to_string(),
            access: tool.access().to_vec(),
        });
        offered.collect()
    }

    fn apart(&self) -> Arc<dyn FrontDoor> {
        Arc::new(Self {
            runtime: self.runtime.clone(),
            session: Session::new(),
            asker: self.asker.clone(),
            dialect: self.dialect,
            parent: self.parent,
        })
    }
}

/// Converts a reply to text: an image becomes a sentence with its name and how to view it.
fn words(parts: Vec<Part>) -> String {
    let named = parts.into_iter().map(|part| match part {
        Part::Image { mime, data } => Part::Text(format!(
            "{NOTICE}a picture ({mime}, {}) is not shown inside of another call; make this call by itself to see it]",
            counted(data.len() as u64, "byte")
        )),
        Part::Text(text) => Part::Text(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)),
    });
    Answer::of(named.collect()).words()
}
