//! The gateway through which a call makes nested calls, which pass all layers; only those that may do more
//! than read can prompt the user.

use crate::{
    answer::ToolReply,
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
    Access, CallGateway, CallOutcome, CallableTool, Failure, InnerAnswer, InnerCall, NestedCallFuture,
    NestedCallPermissions, Pictures, Progress, Session,
};
use toolpost_text::{cut::NOTICE, plural::counted};
use toolpost_tool::{Dialect, ReplyPart};

/// The refusal of a prompt for a nested call that may only read. Otherwise, one call could lead to many prompts at the
/// same time, each without the context of the other nested calls.
const NO_PROMPT: &str =
    "A nested call cannot ask the user for approval; make this call separately, not inside another call.";

/// The gateway through which one call makes its nested calls.
pub(crate) struct NestedCalls {
    dispatcher: Arc<Dispatcher>,
    session: Arc<Session>,
    /// The parent call's source of approvals, used for nested calls that may do more than read.
    asker: Arc<dyn Asker>,
    dialect: &'static Dialect,
    parent: u64,
}

impl NestedCalls {
    /// Creates the gateway for the nested calls of the call with the number `parent`.
    pub(crate) fn of(
        dispatcher: &Arc<Dispatcher>,
        dialect: &'static Dialect,
        parent: u64,
        call: &Call,
    ) -> Arc<dyn CallGateway> {
        let (session, asker) = (call.session.clone(), call.asker.clone());
        Arc::new(Self { dispatcher: dispatcher.clone(), session, asker, dialect, parent })
    }

    /// Returns the source of approvals for a nested call. A call that may only read never prompts the user.
    fn asks(&self, may: NestedCallPermissions) -> Arc<dyn Asker> {
        match may {
            NestedCallPermissions::Read => {
                Arc::new(self.asker.standing().unwrap_or_else(|| Verdict::Deny(NO_PROMPT.to_owned())))
            }
            NestedCallPermissions::Everything => self.asker.clone(),
        }
    }

    async fn make(&self, inner: InnerCall, cancel: CancellationToken) -> InnerAnswer {
        let catalogue = self.dispatcher.catalogue();
        let published = catalogue.find_from(self.dialect, &inner.tool);
        let dispatch = Dispatch {
            id: self.dispatcher.next_id(),
            requested: published.into(),
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
            // An equal failure never counts as a repetition, because nested calls can run in parallel.
            let dialect = published.map(|published| published.dialect);
            wording::failure(failure, dialect, 1).words()
        };
        let mut result = self.dispatcher.run(dispatch).await;
        if let Ok(done) = &mut result {
            done.page.retain_new(|note| !self.session.has_said(note));
        }
        let (ended, words) = match result {
            Ok(done) if inner.pictures == Pictures::Given => {
                let (words, pictures) = ToolReply::of(done.page.finish()).with_pictures();
                return InnerAnswer { ended: CallOutcome::Done, words, pictures };
            }
            Ok(done) => (CallOutcome::Done, words(done.page.finish())),
            Err(CallError::Failed(failure)) => (CallOutcome::Failed, failed(&failure)),
            Err(CallError::Refused(failure)) => (CallOutcome::Refused, failed(&failure)),
            Err(CallError::NoSuchTool(name)) => {
                (CallOutcome::Failed, wording::no_such_tool(&name, &catalogue).words())
            }
            Err(CallError::Ask(question)) => (CallOutcome::Refused, question.words()),
        };
        InnerAnswer::of_words(ended, words)
    }
}

impl CallGateway for NestedCalls {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> NestedCallFuture<'a> {
        Box::pin(self.make(call, cancel))
    }

    fn tools(&self) -> Vec<CallableTool> {
        let catalogue = self.dispatcher.catalogue();
        let tools = catalogue.tools().iter();
        let callable = tools.filter(|tool| !tool.access().contains(&Access::Calls));
        let offered = callable.map(|tool| CallableTool {
            name: tool.name.clone(),
            description: tool.description().to_owned(),
            schema: tool.schema().to_string(),
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

/// Converts a reply to text. A sentence with the image's type, and how to view it, replaces each image.
fn words(parts: Vec<ReplyPart>) -> String {
    let named = parts.into_iter().map(|part| match part {
        ReplyPart::Image { mime, data } => ReplyPart::Text(format!(
            "{NOTICE}an image ({mime}, {}) is not shown in a nested call; make this call separately to see it]",
            counted(data.len() as u64, "byte")
        )),
        ReplyPart::Text(text) => ReplyPart::Text(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)),
    });
    ToolReply::of(named.collect()).words()
}
