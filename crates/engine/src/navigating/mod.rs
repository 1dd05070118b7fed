//! How a way through code is found: by a language server that is ready, else by the tree.

mod ask;
mod check;
mod convert;
mod files;
mod name;
mod served;
mod tree;
mod upgrade;

use crate::{
    CallCtx, Engine, Failure,
    engine::blocking,
    operations::navigate::{Asked, Output, Request, Want},
};
use toolpost_workspace::WorkspacePath;

pub(crate) use files::Text;
pub(crate) use upgrade::Upgrades;

/// The most places that are listed.
const PLACES: usize = 500;

/// A request whose file has been read and whose name has been found.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) path: WorkspacePath,
    pub(crate) want: Want,
    pub(crate) text: Text,
    /// The name, and the byte of the text at which it begins.
    pub(crate) name: Option<(Asked, usize)>,
}

/// Answers a request.
pub(crate) async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
    let question = {
        let engine = engine.clone();
        blocking(move || question(&engine, request)).await?
    };
    match served::ask(engine, &question, cx).await {
        Ok(output) => Ok(output),
        Err(notes) => {
            cx.check()?;
            let (engine, cx) = (engine.clone(), cx.clone());
            let mut output = blocking(move || tree::answer(&engine, &question, &cx)).await?;
            output.notes.splice(0..0, notes);
            Ok(output)
        }
    }
}

fn question(engine: &Engine, request: Request) -> Result<Question, Failure> {
    let text = files::read(engine, &request.path)?;
    let name = request.want.spot().map(|spot| name::find(&request.path, &text, spot)).transpose()?;
    Ok(Question { path: request.path, want: request.want, text, name })
}
