//! `toolpost doctor`: what works here, what does not, and which settings are in force.

use crate::{
    args::{Common, Doctor, OnOff},
    described,
    settings::{Setting, Settings},
    wire,
};
use anyhow::Result;
use serde_json::{Value, json};
use std::{path::PathBuf, process::ExitCode};
use toolpost_engine::{Engine, KeptTasks, Means, Servers, available};
use toolpost_runtime::{RuleSource, Structured};
use toolpost_workspace::probe;

/// Prints the findings; fails when nothing would work.
pub(crate) fn run(common: &Common, doctor: Doctor) -> Result<ExitCode> {
    let settings = Settings::find(common)?;
    let wired = wire::wire(&settings, Structured::Off, wire::Life::Short);
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
            findings.extend(engine.servers().iter().flat_map(servers).map(|line| ("code", line)));
            findings.push(("model", settings.agent.report()));
            findings.extend(own(wired)?.map(|line| ("own agent", line)));
            findings.push(("editor", settings.editing.report(engine)?));
            findings.push(("codesearch", settings.elsewhere.report(&settings.denied())));
            findings.extend(agents(&settings, engine).into_iter().map(|line| ("agents", line)));
            findings.extend(tasks(engine).into_iter().map(|line| ("tasks", line)));
            findings.extend(bridged(wired)?.into_iter().map(|line| ("bridged", line)));
            let catalogue = wired.runtime.catalogue();
            let tools: Vec<_> = catalogue.listed().collect();
            let bytes: usize = tools
                .iter()
                .map(|tool| tool.name.len() + tool.description.len() + tool.schema.to_string().len())
                .sum();
            findings
                .push(("tools", format!("{}, about {} tokens in a model's context", tools.len(), bytes / 4)));
        }
        Err(error) => findings.push(("cannot start", format!("{error:#}"))),
    }
    findings.extend(sandbox(&settings).into_iter().map(|line| ("sandbox", line)));
    let in_force = in_force(&settings).into_iter().chain(settings.editing.in_force());
    let in_force = in_force.chain(settings.agent.in_force()).chain(settings.elsewhere.in_force());
    findings.extend(in_force.map(|line| ("setting", line)));
    if doctor.json {
        let list: Vec<Value> =
            findings.iter().map(|(what, found)| json!({ "what": what, "found": found })).collect();
        println!("{}", serde_json::to_string_pretty(&list)?);
    } else {
        findings.iter().for_each(|(what, found)| println!("{what:>13}  {found}"));
    }
    Ok(if wired.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Says which agents are described, and which files are passed over.
fn agents(settings: &Settings, engine: &Engine) -> Vec<String> {
    match described::find(settings, engine.workspace()) {
        Ok(found) => {
            let agents = found.agents.into_iter().map(|agent| format!("{}: {}", agent.name, agent.file));
            agents.chain(found.notes).collect()
        }
        Err(error) => vec![format!("{error:#}")],
    }
}

/// Says by what commands are confined here, and what was tried and does not work.
fn sandbox(settings: &Settings) -> Vec<String> {
    if settings.sandbox.value == OnOff::Off {
        return vec![format!("off ({}): commands may do whatever this user may", settings.sandbox.origin)];
    }
    let found = available();
    let landlock = found.landlock.map_or("no Landlock".to_owned(), |version| format!("Landlock {version}"));
    let first = match found.means {
        Means::Namespaces => format!("namespaces of its own, a filter of system calls, {landlock}"),
        Means::Bubblewrap => {
            format!("namespaces made by the system's bwrap, a filter of system calls, {landlock}")
        }
        Means::Landlock => format!("a filter of system calls, {landlock}; no namespaces"),
        Means::Nothing => {
            "nothing here confines commands, so none is run (`--sandbox off` runs them without)".to_owned()
        }
    };
    let failed = found.failed.iter().map(|(means, why)| format!("without {}: {why}", means.name()));
    std::iter::once(first).chain(failed).collect()
}

/// Starts the user's own agent, where one is named, and says what it says of itself.
fn own(wired: &wire::Wired) -> Result<Option<String>> {
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(threads.block_on(wired.who.standing()))
}

/// Connects to the servers that are bridged, and says what each offers.
fn bridged(wired: &wire::Wired) -> Result<Vec<String>> {
    let Some(bridge) = &wired.bridge else { return Ok(Vec::new()) };
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let standing = threads.block_on(async {
        bridge.begin(&wired.runtime);
        let standing = bridge.standing().await;
        wired.runtime.settled().await;
        wired.runtime.shut_down().await;
        standing
    });
    let lines = standing.into_iter().map(|(name, tools)| match tools {
        Ok(tools) => format!("{name}: {tools} tools"),
        Err(why) => why,
    });
    Ok(lines.collect())
}

/// Says which language servers were found, which are passed over, and which there would be.
fn servers(servers: &Servers) -> Vec<String> {
    if !servers.confined() {
        return vec!["no language server is started while the sandbox is off".to_owned()];
    }
    let found = servers.found();
    let mut lines = Vec::new();
    let mut missing = Vec::new();
    for server in &found {
        let name = server.known.name;
        for path in &server.sought.passed_over {
            lines.push(format!("{} is not started as {name}: it lies in a root", path.display()));
        }
        match &server.sought.program {
            Some(program) => lines.push(format!("{name}: {}", program.display())),
            None => missing.push(name),
        }
    }
    if !missing.is_empty() {
        lines.push(format!("language servers that are not installed: {}", missing.join(", ")));
    }
    lines
}

/// How many lists of tasks are named.
const LISTS: usize = 5;

/// Says which lists of tasks are kept, and how a session goes on with one.
fn tasks(engine: &Engine) -> Vec<String> {
    let lists = match engine.task_lists() {
        Ok(lists) => lists,
        Err(failure) => return vec![failure.what],
    };
    let line = |kept: &KeptTasks| {
        let tally = kept.tally;
        let result = if kept.result.is_some() { ", said to be complete" } else { "" };
        let name = &kept.session;
        format!("{} of {} completed{result} (--session {name})", tally.completed, tally.all())
    };
    let mut lines: Vec<String> = lists.iter().take(LISTS).map(line).collect();
    if lists.len() > LISTS {
        lines.push(format!("{} older lists", lists.len() - LISTS));
    }
    lines
}

fn rules_of(source: &RuleSource, rules: usize) -> String {
    match source {
        RuleSource::BuiltIn => format!("{rules} built in"),
        RuleSource::Operator(file) => format!("{rules} from {file}"),
        RuleSource::Project(file) => format!(
            "{rules} from {file} (a project can only tighten, unless its rules are trusted: toolpost policy trust)"
        ),
        RuleSource::Trusted(file) => format!("{rules} from {file} (trusted as it is now)"),
    }
}

/// A text that is set, or what is so without one.
fn said(setting: &Setting<Option<String>>, without: &str) -> String {
    setting.value.clone().unwrap_or_else(|| without.to_owned())
}

fn in_force(settings: &Settings) -> Vec<String> {
    fn line<T>(name: &str, setting: &Setting<T>, shown: String) -> String {
        format!("{name} = {shown} ({})", setting.origin)
    }
    let path = |setting: &Setting<Option<PathBuf>>| {
        setting.value.as_ref().map_or("none".to_owned(), |path| path.display().to_string())
    };
    let roots: Vec<String> = settings.roots.value.iter().map(|root| root.display().to_string()).collect();
    let of_dialect = "as each dialect has it".to_owned();
    let deadline = settings.deadline.value.map(|time| time.as_secs_f64().to_string());
    let bytes = settings.reply_bytes.value.map(|bytes| bytes.to_string());
    let shared = &settings.shared;
    let index = shared.index.value.as_deref().map_or("none".to_owned(), toolpost_shared::without_password);
    let embedding = said(&settings.embedding.address, "the embedded model");
    let repositories = shared.repositories.value.as_ref();
    let repositories = repositories.map_or("as they were cloned".to_owned(), |names| names.join(", "));
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    vec![
        line("dialect", &settings.dialects, settings.dialects.value.join(", ")),
        line("root", &settings.roots, roots.join(", ")),
        line(
            "tools",
            &settings.narrow.tools,
            settings.narrow.tools.value.as_ref().map_or("all".to_owned(), |tools| tools.join(", ")),
        ),
        line(
            "deny",
            &settings.narrow.deny,
            match settings.narrow.deny.value.as_slice() {
                [] => "nothing".to_owned(),
                denied => denied.iter().map(|deny| deny.word()).collect::<Vec<_>>().join(", "),
            },
        ),
        line("read_only", &settings.narrow.read_only, word(&settings.narrow.read_only.value)),
        line("policy", &settings.policy, path(&settings.policy)),
        line("mcp_config", &settings.mcp_config, path(&settings.mcp_config)),
        line("ask", &settings.ask, word(&settings.ask.value)),
        line("sandbox", &settings.sandbox, word(&settings.sandbox.value)),
        line("code_mode", &settings.code_mode, word(&settings.code_mode.value)),
        line("events", &settings.events.file, path(&settings.events.file)),
        line("events_detail", &settings.events.detail, word(&settings.events.detail.value)),
        line("state", &settings.state, path(&settings.state)),
        line("cache", &settings.cache, path(&settings.cache)),
        line("session", &settings.session, said(&settings.session, "each has its own")),
        line("index", &shared.index, index),
        line("repository", &shared.repositories, repositories),
        line("dependencies", &settings.dependencies, word(&settings.dependencies.value)),
        line("deadline_seconds", &settings.deadline, deadline.unwrap_or_else(|| of_dialect.clone())),
        line("reply_bytes", &settings.reply_bytes, bytes.unwrap_or(of_dialect)),
        line("encoding", &settings.encoding, said(&settings.encoding, "none")),
        line("ignore_files", &settings.ignore_files, word(&settings.ignore_files.value)),
        line("embedding", &settings.embedding.address, embedding),
        line("embedding_model", &settings.embedding.model, said(&settings.embedding.model, "none")),
        line("first_match", &settings.first_match, word(&settings.first_match.value)),
        line("durable", &settings.durable, word(&settings.durable.value)),
        line("search_agent", &settings.search_agent, word(&settings.search_agent.value)),
        line("any_root", &settings.any_root, word(&settings.any_root.value)),
        line("history_mb", &settings.history.megabytes, settings.history.megabytes.value.to_string()),
        line("history_days", &settings.history.days, settings.history.days.value.to_string()),
    ]
}
