//! The `complete` operation: records the final result that the agent reports for the work of a session.
//!
//! The operation fails while tasks of the session are open.

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

/// The `complete` operation, which records the result of a session's work.
pub struct Complete;

/// A request to record the result of a session's work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The result of the work, as text.
    pub result: String,
    /// A command that demonstrates the result. It is stored and never run.
    pub command: Option<String>,
}

/// The recorded result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result and the command.
    pub completion: Completion,
    /// Number of tasks for each status; none is open.
    pub tally: Tally,
}

/// Maximum size of a result and its command together, in bytes.
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
                "Describe in a few sentences what was done and how it was checked.".to_owned(),
            )));
        }
        let command = request.command.filter(|command| !command.trim().is_empty());
        let bytes = request.result.len() + command.as_ref().map_or(0, String::len);
        if bytes > LONGEST {
            let what = format!("The result has {bytes} bytes; the maximum is {LONGEST}.");
            return Err(Failure::new(crate::failure::Kind::TooLarge, what).hint(Hint::Advice(
                "Shorten the result, and name files that contain the details.".to_owned(),
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
