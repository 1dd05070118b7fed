//! `complete`: reports the result of the work; refused while tasks of the session are open.

pub use super::{Completion, Tally};

use super::on_lists;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint},
    operation::Operation,
    tasks::TaskBoards,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `complete` operation.
pub struct Complete;

/// A result of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The result, as text.
    pub result: String,
    /// A command that demonstrates it; it is stored and never run.
    pub command: Option<String>,
}

/// The recorded result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result and the command.
    pub completion: Completion,
    /// Number of the session's tasks for each status; none is open.
    pub tally: Tally,
}

/// Maximum size of a result, in bytes.
const LONGEST: usize = 256 * 1024;

impl Operation for Complete {
    const NAME: &'static str = "complete";
    const ACCESS: &'static [Access] = &[];
    type Capability = TaskBoards;
    type Request = Request;
    type Output = Output;

    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(boards: &TaskBoards, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        if request.result.trim().is_empty() {
            return Err(Failure::invalid("The result is empty.").hint(Hint::Advice(
                "Say in a few sentences what was done, and how that is known.".to_owned(),
            )));
        }
        let command = request.command.filter(|command| !command.trim().is_empty());
        let bytes = request.result.len() + command.as_ref().map_or(0, String::len);
        if bytes > LONGEST {
            let what = format!("The result has {bytes} bytes; it may have {LONGEST}.");
            return Err(Failure::new(crate::failure::Kind::TooLarge, what).hint(Hint::Advice(
                "Say what matters, and name the files in which the rest stands.".to_owned(),
            )));
        }
        let completion = Completion { result: request.result, command };
        on_lists(boards, cx, move |lists, session| {
            let said = completion.clone();
            let ((), board) = lists.change(session, |board| board.finish(said))?;
            completion.clone().record(session);
            Ok(Output { completion, tally: Tally::of(&board.tasks) })
        })
        .await
    }
}
