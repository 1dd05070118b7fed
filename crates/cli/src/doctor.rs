//! `toolpost doctor`: what works here, what does not, and which settings are in force.

use crate::{
    args::{Common, Doctor},
    settings::{Setting, Settings},
    wire,
};
use anyhow::Result;
use serde_json::{Value, json};
use std::{fmt::Debug, process::ExitCode};
use toolpost_runtime::{RuleSource, Structured};
use toolpost_workspace::probe;

/// Prints the findings; fails when nothing would work.
pub(crate) fn run(common: &Common, doctor: Doctor) -> Result<ExitCode> {
    let settings = Settings::find(common)?;
    let wired = wire::wire(&settings, Structured::Off);
    let mut findings: Vec<(&str, String)> = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
    findings.extend(probe::confinement().into_iter().map(|line| ("confinement", line)));
    match &wired {
        Ok(wired) => {
            let engine = wired.runtime.engine();
            findings.extend(engine.roots().into_iter().map(|root| ("root", root)));
            findings.push(("state folder", engine.workspace().state_report()));
            findings.extend(wired.recovery.lines().into_iter().map(|line| ("recovery", line)));
            findings.extend(
                wired
                    .runtime
                    .config()
                    .policy
                    .sources()
                    .into_iter()
                    .map(|(source, rules)| ("rules", rules_of(&source, rules))),
            );
            let tools = wired.runtime.catalogue().tools();
            let bytes: usize = tools
                .iter()
                .map(|tool| tool.name.len() + tool.description.len() + tool.schema.to_string().len())
                .sum();
            findings
                .push(("tools", format!("{}, about {} tokens in a model's context", tools.len(), bytes / 4)));
        }
        Err(error) => findings.push(("cannot start", format!("{error:#}"))),
    }
    findings
        .push(("sandbox", "no tool of the chosen dialects runs commands, so nothing needs one".to_owned()));
    findings.extend(in_force(&settings).into_iter().map(|line| ("setting", line)));
    if doctor.json {
        let list: Vec<Value> =
            findings.iter().map(|(what, found)| json!({ "what": what, "found": found })).collect();
        println!("{}", serde_json::to_string_pretty(&list)?);
    } else {
        findings.iter().for_each(|(what, found)| println!("{what:>13}  {found}"));
    }
    Ok(if wired.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn rules_of(source: &RuleSource, rules: usize) -> String {
    match source {
        RuleSource::BuiltIn => format!("{rules} built in"),
        RuleSource::Operator(file) => format!("{rules} from {file}"),
        RuleSource::Project(file) => format!("{rules} from {file} (a project can only tighten)"),
    }
}

fn in_force(settings: &Settings) -> Vec<String> {
    fn line<T: Debug>(name: &str, setting: &Setting<T>) -> String {
        format!("{name} = {:?} ({})", setting.value, setting.origin)
    }
    vec![
        line("dialect", &settings.dialects),
        line("root", &settings.roots),
        line("policy", &settings.policy),
        line("ask", &settings.ask),
        line("sandbox", &settings.sandbox),
        line("events", &settings.events),
        line("state", &settings.state),
        line("cache", &settings.cache),
        line("deadline_seconds", &settings.deadline),
        line("reply_bytes", &settings.reply_bytes),
        line("encoding", &settings.encoding),
        line("durable", &settings.durable),
        line("any_root", &settings.any_root),
    ]
}
