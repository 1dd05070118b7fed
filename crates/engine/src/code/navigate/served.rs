//! Choice of the language server for a question, and the reasons if none answers.

use super::Output;
use super::{ask, question::Question};
use crate::{call::CallCtx, code::Code};
use toolpost_lsp::InstalledServer;

/// The reasons why no language server answered, one sentence each.
#[derive(Debug, Default)]
pub(crate) struct Unserved {
    /// The reasons that concern this question.
    pub(crate) notes: Vec<String>,
    /// The reasons that apply to every question of the session.
    pub(crate) session_notes: Vec<String>,
}

impl Unserved {
    fn of_session(why: impl Into<String>) -> Self {
        Self { session_notes: vec![why.into()], ..Self::default() }
    }
}

/// Asks the language servers for the file in turn until one answers. The error has the reasons why none
/// answered.
pub(crate) async fn ask(code: &Code, question: &Question, cx: &CallCtx) -> Result<Output, Unserved> {
    let Some(servers) = code.servers() else {
        let why =
            "No language server is used: the program that embeds Toolpost has not enabled language servers.";
        return Err(Unserved::of_session(why));
    };
    let extension = question.path.extension().map(|extension| extension.to_string_lossy().into_owned());
    let found = servers.found_for(extension.as_deref().unwrap_or_default());
    let Some(first) = found.first() else {
        let why = "Toolpost supports no language server for this type of file.".to_owned();
        return Err(Unserved { notes: vec![why], ..Unserved::default() });
    };
    if !servers.confined() {
        return Err(Unserved::of_session(
            "No language server is started: it needs the sandbox, which restricts it to reading, and the sandbox is off. \
             To use one, the user starts Toolpost without --sandbox off.",
        ));
    }
    let mut unserved = Unserved::default();
    if found.iter().all(|found| found.search.program.is_none()) {
        unserved.session_notes.push(format!(
            "No language server for this file type is installed; the user can install {} ({}).",
            first.known.name, first.known.install
        ));
        unserved.session_notes.extend(found.iter().filter_map(passed_over));
    }
    for found in &found {
        if found.search.program.is_none() {
            continue;
        }
        match ask::ask(code, &servers, found, question, cx).await {
            Ok(output) => return Ok(output),
            Err(why) => unserved.notes.push(why),
        }
    }
    Err(unserved)
}

/// Explains why Toolpost does not start a server program that is in the workspace; `None` if none is there.
fn passed_over(found: &InstalledServer) -> Option<String> {
    let program = found.search.passed_over.first()?;
    let name = found.known.name;
    Some(format!(
        "{} is not started as the language server {name}, because it is in the workspace, where a project could put any program.",
        program.display()
    ))
}
