//! `toolpost policy`: the rule that decides about a command, and trust in the rules of projects.

use crate::{
    args::{Args, Explain, PolicyCommand, PolicyTrust},
    out, workspace,
};
use anyhow::{Context, Result, bail};
use std::{ffi::OsString, process::ExitCode};
use toolpost::{
    agents, parts,
    settings::Flags,
    settings::Settings,
    trust::{self, TrustStore},
};
use toolpost_engine::{Approval, Command, Line, Touch};
use toolpost_runtime::{CommandExplanation, Decision, JudgedSegment, Origin};

/// Explains a command, or trusts a project's rules.
pub(crate) fn run(flags: &Flags, command: PolicyCommand) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    match command {
        PolicyCommand::Explain(explain) => explained(&settings, explain),
        PolicyCommand::Trust(trust) => trusted(&settings, &trust),
    }
}

/// Finds an option of `toolpost policy explain` among the command's arguments, which belong to the command, so that the
/// option would be ignored silently. After `--`, no argument counts as an option.
fn misplaced(words: &[String]) -> Option<&str> {
    let given: Vec<OsString> = std::env::args_os().collect();
    let before = given.len().checked_sub(words.len() + 1).and_then(|at| given.get(at));
    if before.is_some_and(|before| before == "--") {
        return None;
    }
    let mut command = Args::described();
    command.build();
    let explain = command.find_subcommand("policy")?.find_subcommand("explain")?;
    let known: Vec<&str> = explain.get_arguments().filter_map(clap::Arg::get_long).collect();
    let name = |word: &str| Some(word.strip_prefix("--")?.split('=').next()?.to_owned());
    // Many programs print their help or version with these options.
    let is_ours = |word: &&String| {
        name(word).is_some_and(|name| {
            !matches!(name.as_str(), "help" | "version") && known.contains(&name.as_str())
        })
    };
    words
        .iter()
        .skip(1)
        .take_while(|word| *word != "--")
        .find(is_ours)
        .map(|word| word.split('=').next().unwrap_or(word))
}

fn explained(settings: &Settings, explain: Explain) -> Result<ExitCode> {
    if let Some(option) = misplaced(&explain.command) {
        bail!(
            "`{option}` after the command would be an argument of the command: put options of Toolpost before the command, \
             as in `toolpost policy explain {option} … COMMAND`. If the command has this option, put `--` before the command"
        );
    }
    let workspace = workspace::open_and_report(settings)?;
    let policy = parts::policy(settings, &workspace)?;
    let directory = explain.directory.as_deref().unwrap_or(".");
    let directory =
        workspace.resolve(directory).with_context(|| format!("invalid working directory {directory}"))?;
    let line = match <[String; 1]>::try_from(explain.command) {
        Ok([text]) => Line::Shell(text),
        Err(words) => Line::Words(words),
    };
    let command = Command { line, directory, approval: Approval::ByRules };
    let explained = policy.explain(&command);
    if explain.json {
        out::line(&serde_json::to_string_pretty(&explained)?)?;
    } else {
        let is_open = explained.decision == Decision::Ask;
        let rules = is_open.then(|| policy.operator_rules(&[Touch::Execute(command)])).flatten();
        let rules = rules.map(|rules| rules.toml_without_why()).unwrap_or_default();
        let file = parts::users_policy(settings).filter(|_| !rules.is_empty());
        let file = file.map_or_else(|| "a policy file".to_owned(), |file| file.display().to_string());
        out::line(worded(&explained, &rules, &file).trim_end_matches('\n'))?;
    }
    Ok(ExitCode::from(match explained.decision {
        Decision::Allow => 0,
        Decision::Ask => 1,
        Decision::Deny => 2,
    }))
}

/// Formats an explanation: two lines for each command, its accesses below, then the rules in TOML that would allow the
/// whole command, and the verdict at the end. `file` is the policy file to which a user adds the rules.
fn worded(explained: &CommandExplanation, rules: &str, file: &str) -> String {
    let mut out = String::new();
    for segment in &explained.segments {
        out.push_str(&format!("{}{}\n", one_line(&segment.text), reached(segment)));
        out.push_str(&format!(
            "  {:<5}  {}{}\n",
            segment.decision.word(),
            segment.why,
            named(segment.rule.as_ref())
        ));
        if let Some(need) = &segment.network {
            out.push_str(&format!("  {:<5}  {need}\n", "note"));
        }
        for touch in &segment.touches {
            let what = format!("{} {}: {}", touch.touch, one_line(&touch.what), touch.why);
            out.push_str(&format!("  {:<5}  {what}{}\n", touch.decision.word(), named(touch.rule.as_ref())));
        }
    }
    for piece in &explained.uncertain {
        out.push_str(&format!("{}\n  {:<5}  {}\n", one_line(&piece.text), piece.decision.word(), piece.why));
    }
    if !rules.is_empty() {
        out.push_str(&format!("to allow it, add to {}:\n", one_line(file)));
        rules.lines().for_each(|line| out.push_str(&format!("  {}\n", one_line(line))));
    }
    out.push_str(&format!("verdict: {}\n", explained.decision.word()));
    out
}

fn reached(segment: &JudgedSegment) -> String {
    if segment.via.is_empty() { String::new() } else { format!("  (in {})", segment.via.join(", ")) }
}

fn named(rule: Option<&Origin>) -> String {
    rule.map_or_else(String::new, |rule| {
        let pattern = rule.pattern.as_ref().map_or_else(String::new, |pattern| format!("`{pattern}`, "));
        let line = if rule.line == 0 { String::new() } else { format!(", line {}", rule.line) };
        format!(" [{pattern}{}{line}]", rule.file)
    })
}

/// Replaces line breaks and control characters.
fn one_line(text: &str) -> String {
    text.chars().map(|found| if found.is_control() { '␤' } else { found }).collect()
}

fn trusted(settings: &Settings, wanted: &PolicyTrust) -> Result<ExitCode> {
    let workspace = workspace::open_and_report(settings)?;
    let Some(state) = &settings.state.value else {
        bail!("cannot record trust without a state directory; set one with --state DIR");
    };
    let mut known = TrustStore::read(state)?;
    let mut found = false;
    for root in workspace.roots() {
        let rules = parts::project_rules(&workspace, root)?;
        // Unusable rules are refused now instead of at the next start.
        if let Some((name, text)) = rules.as_ref().filter(|_| !wanted.revoke) {
            parts::check_project_rules(name, text)?;
        }
        let agents = agents::files::of_project(&workspace, root)?;
        for note in &agents.notes {
            eprintln!("toolpost: {}", out::harmless(note));
        }
        for (name, text) in rules.into_iter().chain(agents.files) {
            found = true;
            if wanted.revoke {
                let was_trusted = known.forget(&name);
                out::line(&format!(
                    "{}: {name}",
                    if was_trusted { "no longer trusted" } else { "not trusted" }
                ))?;
                continue;
            }
            known.add(&name, &text);
            out::line(&format!("trusted until it changes: {name} ({})", trust::digest(&text)))?;
        }
    }
    if !found {
        bail!(
            "nothing to trust: no root has a .toolpost/policy.toml, or agents in .toolpost/agents or .claude/agents"
        );
    }
    known.write(state)?;
    out::line("running servers apply the change after a restart")?;
    Ok(ExitCode::SUCCESS)
}
