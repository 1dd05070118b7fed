//! What became of a command, with the names by which this dialect goes on with it.

use crate::common::ran;
use toolpost_engine::operations::exec::{Output, State};
use toolpost_tool::Page;

pub(super) fn render(output: &Output, page: &mut Page) {
    page.line(&format!("command_id: {}", output.job));
    let status = if output.state == State::Ended { "done" } else { "running" };
    page.line(&format!("status: {status}, {}", ran::standing(output)));
    if output.state == State::Ended {
        page.line(&format!("time: {} ms", output.elapsed_ms));
    }
    page.line(&format!("output ({} characters in all):", output.characters));
    page.take(ran::text(output));
    output.notes.iter().for_each(|note| page.note(note.clone()));
    if let Some(left) = ran::leftovers(output) {
        page.note(format!("{left} stop_command ends them."));
    }
    if output.state != State::Ended {
        page.note(format!(
            "Look at it again with check_command_status, end it with stop_command: {{\"command_id\": \"{}\"}}.",
            output.job
        ));
    }
}
