//! Choice of the language server, and the reasons if none answers.

use super::Output;
use super::{ask, question::Question};
use crate::{call::CallCtx, code::Code};
use toolpost_lsp::InstalledServer;

/// Asks the language servers of a file in turn; the error explains in a sentence for each why it does not
/// answer.
pub(crate) async fn ask(code: &Code, question: &Question, cx: &CallCtx) -> Result<Output, Vec<String>> {
    let Some(servers) = code.servers() else {
        return Err(vec!["No language server is asked: this runtime was made without them.".to_owned()]);
    };
    let extension = question.path.extension().map(|extension| extension.to_string_lossy().into_owned());
    let found = servers.found_for(extension.as_deref().unwrap_or_default());
    let Some(first) = found.first() else {
        return Err(vec!["No language server is known for such files.".to_owned()]);
    };
    if !servers.confined() {
        return Err(vec![
            "No language server is started, since the sandbox is off and nothing would hold it to reading: the user can leave \
             --sandbox off away."
                .to_owned(),
        ]);
    }
    let mut notes: Vec<String> = Vec::new();
    if found.iter().all(|found| found.sought.program.is_none()) {
        notes.push(format!(
            "No language server for such files is installed; the user can install {} ({}).",
            first.known.name, first.known.install
        ));
        notes.extend(found.iter().filter_map(passed_over));
    }
    for found in &found {
        if found.sought.program.is_none() {
            continue;
        }
        match ask::ask(code, &servers, found, question, cx).await {
            Ok(output) => return Ok(output),
            Err(why) => notes.push(why),
        }
    }
    Err(notes)
}

/// Reports the location of a program that Toolpost refuses to start.
fn passed_over(found: &InstalledServer) -> Option<String> {
    let program = found.sought.passed_over.first()?;
    let name = found.known.name;
    Some(format!(
        "{} is not started as {name}, since it lies in the workspace: a project could have put anything there.",
        program.display()
    ))
}
