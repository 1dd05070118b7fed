//! `toolpost help`, `completions` and `man`, generated from the definition of the command line.

use crate::{
    args::{Args, Completions, Help, Man},
    out, tool_page,
};
use anyhow::{Result, bail};
use clap::Command;
use std::process::ExitCode;
use toolpost::{settings::Flags, settings::Settings};
use toolpost_text::names::suggest;

/// Program name in the generated texts.
const PROGRAM: &str = "toolpost";

/// Prints the help of a command, or the page of a tool.
pub(crate) fn help(flags: &Flags, help: &Help) -> Result<ExitCode> {
    let mut command = Args::described();
    command.build();
    if let Some(found) = below(&command, &help.name) {
        out::line(found.clone().render_long_help().to_string().trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let [name] = help.name.as_slice() else { bail!("unknown command `{}`", help.name.join(" ")) };
    let settings = Settings::of_user(flags.clone())?;
    if let Some(page) = tool_page::explained(&settings, name)? {
        out::line(&page)?;
        return Ok(ExitCode::SUCCESS);
    }
    let commands: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let tools = toolpost_dialects::ALL.iter().flat_map(|dialect| dialect.tools.iter().map(|tool| tool.name));
    let known: Vec<&str> = commands.iter().copied().chain(tools).collect();
    let near = suggest(name, &known, 1).first().map(|near| format!(". Did you mean `{near}`?"));
    bail!(
        "unknown command or tool `{}`{}",
        name.escape_debug(),
        near.unwrap_or_else(|| format!("; the commands are {}", commands.join(", ")))
    )
}

/// Finds a nested subcommand.
fn below<'c>(command: &'c Command, names: &[String]) -> Option<&'c Command> {
    names.iter().try_fold(command, |command, name| command.find_subcommand(name))
}

/// Prints a completion script.
pub(crate) fn completions(args: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::described(), PROGRAM, &mut script);
    out::line(String::from_utf8(script)?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page of the program or of a command.
pub(crate) fn man(args: &Man) -> Result<ExitCode> {
    let mut command = Args::described();
    command.build();
    let Some(found) = below(&command, &args.command) else {
        bail!("unknown command `{}`", args.command.join(" "))
    };
    // `clap_mangen` omits the help of options that are hidden in the short help, so they are shown here.
    let found = found.clone().mut_args(|argument| argument.hide_short_help(false));
    let mut page = Vec::new();
    clap_mangen::Man::new(found).render(&mut page)?;
    out::line(String::from_utf8(page)?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}
