//! The gateway for nested calls: they pass all layers, with an asker that depends on their permissions.

use crate::{
    answer::Answer,
    ask::{Asker, Verdict},
    call::Call,
    dispatcher::{Dispatch, Dispatcher},
    layers::{CallError, NestedLimits},
    wording,
};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, CallGateway, Calling, Ended, Failure, InnerAnswer, InnerCall, May, Offered, Pictures, Progress,
    Session,
};
use toolpost_text::{counted::counted, cut::NOTICE};
use toolpost_tool::{Dialect, Part};

/// The reason why a nested call that only reads cannot prompt: one call could lead to many questions at the same time,
/// each without the context of the others.
const NO_PROMPT: &str = "A nested call cannot prompt; make this call directly.";

/// The gateway for the nested calls of one call.
pub(crate) struct NestedCalls {
    dispatcher: Arc<Dispatcher>,
    session: Arc<Session>,
    /// The source of approvals for nested calls that may do more than read.
    asker: Arc<dyn Asker>,
    dialect: &'static Dialect,
    parent: u64,
}

impl NestedCalls {
    /// Creates the gateway for the calls that a call makes.
    pub(crate) fn of(
        dispatcher: &Arc<Dispatcher>,
        dialect: &'static Dialect,
        parent: u64,
        call: &Call,
    ) -> Arc<dyn CallGateway> {
        let (session, asker) = (call.session.clone(), call.asker.clone());
        Arc::new(Self { dispatcher: dispatcher.clone(), session, asker, dialect, parent })
    }

    /// Returns the source of approvals for a nested call.
    fn asks(&self, may: May) -> Arc<dyn Asker> {
        match may {
            May::Read => {
                Arc::new(self.asker.standing().unwrap_or_else(|| Verdict::Deny(NO_PROMPT.to_owned())))
            }
            May::Everything => self.asker.clone(),
        }
    }

    async fn make(&self, inner: InnerCall, cancel: CancellationToken) -> InnerAnswer {
        let catalogue = self.dispatcher.catalogue();
        let published = catalogue.find_from(self.dialect, &inner.tool);
        let dispatch = Dispatch {
            id: self.dispatcher.next_id(),
            published,
            call: Call {
                tool: inner.tool,
                arguments: Value::String(inner.arguments),
                session: self.session.clone(),
                cancel,
                asker: self.asks(inner.may),
                progress: Progress::silent(),
            },
            nested: Some(NestedLimits {
                parent: self.parent,
                reply_bytes: inner.reply_bytes,
                may: inner.may,
            }),
            gateway: None,
            deadline: inner.due,
        };
        let failed = |failure: &Failure| {
            // Parallel calls are not a series of repetitions.
            let dialect = published.map(|published| published.dialect);
            wording::failure(failure, dialect, 1).words()
        };
        let mut result = self.dispatcher.run(dispatch).await;
        if let Ok(done) = &mut result {
            done.page.retain_new(|note| !self.session.has_said(note));
        }
        let (ended, words) = match result {
            Ok(done) if inner.pictures == Pictures::Given => {
                let (words, pictures) = Answer::of(done.page.finish()).with_pictures();
                return InnerAnswer { ended: Ended::Done, words, pictures };
            }
            Ok(done) => (Ended::Done, words(done.page.finish())),
            Err(CallError::Failed(failure)) => (Ended::Failed, failed(&failure)),
            Err(CallError::Refused(failure)) => (Ended::Refused, failed(&failure)),
            Err(CallError::NoSuchTool(name)) => {
                (Ended::Failed, wording::no_such_tool(&name, &catalogue).words())
            }
            Err(CallError::Ask(question)) => (Ended::Refused, question.words()),
        };
        InnerAnswer::of_words(ended, words)
    }
}

impl CallGateway for NestedCalls {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a> {
        Box::pin(self.make(call, cancel))
    }

    fn tools(&self) -> Vec<Offered> {
        let catalogue = self.dispatcher.catalogue();
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

    fn apart(&self) -> Arc<dyn CallGateway> {
        Arc::new(Self {
            dispatcher: self.dispatcher.clone(),
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
            "{NOTICE}a picture ({mime}, {}) is not shown in a nested call; make this call directly to see it]",
            counted(data.len() as u64, "byte")
        )),
        Part::Text(text) => Part::Text(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)),
    });
    Answer::of(named.collect()).words()
}
