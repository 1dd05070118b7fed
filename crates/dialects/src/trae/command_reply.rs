//! Replies of the tools that run, poll and stop commands, with this dialect's tool names.

use crate::common::{
    command_output::{self, Gap, OutputCompleteness, PLAIN},
    commands,
};
use toolpost_engine::operations::exec::{Output, State};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Note about a command that a shell parsed, although it needs no shell.
pub(super) const BY_SHELL: &str = "A shell ran the whole of command, because args is empty. To avoid the shell, put each argument into args.";

pub(super) fn render(output: &Output, page: &mut Page) -> OutputCompleteness {
    page.line(&format!("command_id: {}", output.job));
    page.line(&format!("status: {}", status(output)));
    if output.state == State::Ended {
        page.line(&format!("time: {} ms", output.elapsed_ms));
    }
    page.line(&format!("output ({}):", size(output)));
    commands::result(output, page, &[BY_SHELL]);
    if let Some(left) = commands::leftovers(output) {
        page.note(format!("{left} To stop all processes of the command now, use stop_command."));
    }
    if output.state != State::Ended {
        page.note(format!(
            "Poll the command with check_command_status, or stop it with stop_command: {{\"command_id\": \"{}\"}}.",
            output.job
        ));
    }
    command_output::text(output, page, &PLAIN)
}

/// Formats the note about the call that shows the output in a gap. It requests as many characters as this reply shows,
/// because that many fit.
pub(super) fn rest(output: &Output, gap: &Gap, shown: u64) -> String {
    format!(
        "to see the rest: check_command_status with {{\"command_id\": \"{}\", \"output_priority\": \"top\", \
         \"skip_character_count\": {}, \"output_character_count\": {}}}",
        output.job,
        gap.from,
        shown.max(1)
    )
}

/// Formats the number of output characters, and the number of output bytes if the output is not all text.
fn size(output: &Output) -> String {
    let characters = counted(output.characters, "character");
    if output.bytes == output.text_bytes {
        return format!("{characters} in all");
    }
    format!("{characters} of text, {} in all", counted(output.bytes, "byte"))
}

fn status(output: &Output) -> String {
    match output.state {
        State::Running => format!("running, started {} ago", commands::time(output.elapsed_ms)),
        State::Ending => format!("running, being stopped, started {} ago", commands::time(output.elapsed_ms)),
        State::Ended => format!("done. {}", commands::standing(output)),
    }
}
