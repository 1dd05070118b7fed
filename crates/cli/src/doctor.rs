//! `toolpost doctor`: the state of this machine and this workspace, with repairs and the active settings.

use crate::{
    agent_files,
    args::{Common, Doctor, OnOff},
    assembly,
    out::{self, Colours},
    settings::{Setting, Settings},
};
use anyhow::Result;
use serde_json::{Value, json};
use std::{path::PathBuf, process::ExitCode};
use toolpost_engine::{Engine, KeptTasks, Means, Servers, available};
use toolpost_runtime::{RuleSource, Structured};
use toolpost_workspace::diagnostics;

/// ANSI code of bold text.
const BOLD: &str = "1";

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Ok,
    /// Something optional is missing.
    Note,
    /// One part does not work.
    Warn,
    /// Nothing works, or no command runs.
    Fail,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "-",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Self::Ok => "32",
            Self::Note => "2",
            Self::Warn => "33",
            Self::Fail => "31",
        }
    }
}

/// Result of one check.
struct Finding {
    status: Status,
    what: &'static str,
    found: String,
}

/// Headings of the page with the findings under each; the last one takes the rest.
const GROUPS: [(&str, &[&str]); 4] = [
    ("This machine", &["version", "confinement", "sandbox"]),
    ("This workspace", &["cannot start", "root", "state folder", "recovery", "rules", "code", "tasks"]),
    ("Models and agents", &["model", "external agent", "agents"]),
    ("Tools and services", &[]),
];

/// Returns the heading of a finding.
fn heading(what: &str) -> &'static str {
    let own = GROUPS.iter().find(|(_, members)| members.contains(&what));
    own.unwrap_or(&GROUPS[GROUPS.len() - 1]).0
}

/// Findings, in the order of the checks.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, what: &'static str, status: Status, found: String) {
        self.0.push(Finding { status, what, found });
    }

    fn all(&mut self, what: &'static str, status: Status, found: impl IntoIterator<Item = String>) {
        found.into_iter().for_each(|found| self.add(what, status, found));
    }
}

/// Prints the findings; fails if nothing would work.
pub(crate) fn run(common: &Common, doctor: Doctor) -> Result<ExitCode> {
    let settings = Settings::find(common)?;
    let assembly = assembly::assemble(&settings, Structured::Off, assembly::Life::Short);
    let mut findings = Findings::default();
    findings.add("version", Status::Ok, env!("CARGO_PKG_VERSION").to_owned());
    findings.all("confinement", Status::Ok, diagnostics::confinement());
    sandbox(&settings, &mut findings);
    match &assembly {
        Ok(assembly) => parts(&settings, assembly, &mut findings)?,
        Err(error) => findings.add("cannot start", Status::Fail, format!("{error:#}")),
    }
    let in_force = in_force(&settings).into_iter().chain(settings.editor.in_force());
    let in_force = in_force.chain(settings.agent.in_force()).chain(settings.code_search.in_force());
    // A reader looks for the settings that were changed.
    let (defaults, set): (Vec<String>, Vec<String>) = in_force.partition(|line| line.ends_with("(default)"));
    if doctor.json {
        findings.all("setting", Status::Ok, set.into_iter().chain(defaults));
        let list: Vec<Value> = findings
            .0
            .iter()
            .map(|one| json!({ "what": one.what, "found": one.found, "status": format!("{:?}", one.status).to_lowercase() }))
            .collect();
        out::line(&serde_json::to_string_pretty(&list)?)?;
    } else {
        page(&findings, &set, &defaults)?;
    }
    Ok(if assembly.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Prints the page: findings, then settings.
fn page(findings: &Findings, set: &[String], defaults: &[String]) -> Result<()> {
    let colours = Colours::of(&std::io::stdout());
    for (number, (group, _)) in GROUPS.iter().enumerate() {
        let listed: Vec<&Finding> = findings.0.iter().filter(|one| heading(one.what) == *group).collect();
        if !listed.is_empty() {
            let apart = if number == 0 { "" } else { "\n" };
            out::line(&format!("{apart}{}", colours.paint(group, BOLD)))?;
        }
        for Finding { status, what, found } in listed {
            let mark = colours.paint(&format!("{:<4}", status.word()), status.colour());
            out::line(&format!("{mark} {what:>13}  {found}"))?;
        }
    }
    let count =
        |status: Status, noun: &str| match findings.0.iter().filter(|one| one.status == status).count() {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        };
    out::line(&format!("\n{}, {}", count(Status::Warn, "warning"), count(Status::Fail, "failure")))?;
    for (heading, lines) in [("Settings that you changed", set), ("Default settings", defaults)] {
        if !lines.is_empty() {
            out::line(&format!("\n{}", colours.paint(heading, BOLD)))?;
            lines.iter().try_for_each(|line| out::line(&format!("  {line}")))?;
        }
    }
    Ok(())
}

/// Checks the parts of an assembled runtime.
fn parts(settings: &Settings, assembly: &assembly::Assembly, findings: &mut Findings) -> Result<()> {
    let engine = assembly.runtime.engine();
    findings.all("root", Status::Ok, engine.roots());
    let has_state = engine.workspace().state_folder().is_some();
    let state = if has_state { Status::Ok } else { Status::Warn };
    findings.add("state folder", state, engine.workspace().state_report());
    findings.all("recovery", Status::Warn, assembly.recovery.lines());
    let sources = assembly.runtime.config().policy.sources();
    for (source, rules) in sources {
        let status = if matches!(source, RuleSource::Lapsed(_)) { Status::Warn } else { Status::Ok };
        findings.add("rules", status, rules_of(&source, rules));
    }
    engine.servers().iter().for_each(|servers| self::servers(servers, findings));
    let model = if settings.agent.nobody()?.is_some() { Status::Note } else { Status::Ok };
    findings.add("model", model, settings.agent.report());
    findings.all("external agent", Status::Ok, own(assembly)?);
    findings.add("editor", Status::Note, settings.editor.report(engine)?);
    findings.add("codesearch", Status::Note, settings.code_search.report(&settings.denied()));
    agents(settings, engine, findings);
    findings.all("tasks", Status::Ok, tasks(engine));
    for server in bridged(assembly)? {
        match server {
            Ok(found) => findings.add("bridged", Status::Ok, found),
            Err(why) => findings.add("bridged", Status::Warn, why),
        }
    }
    let catalogue = assembly.runtime.catalogue();
    let tools: Vec<_> = catalogue.listed().collect();
    let bytes: usize = tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.schema.to_string().len())
        .sum();
    let tools = format!("{}, about {} tokens in a model's context", tools.len(), bytes / 4);
    findings.add("tools", Status::Ok, tools);
    Ok(())
}

/// Lists the agent definitions, and the files that were skipped.
fn agents(settings: &Settings, engine: &Engine, findings: &mut Findings) {
    match agent_files::find(settings, engine.workspace()) {
        Ok(found) => {
            let agents = found.agents.into_iter().map(|agent| format!("{}: {}", agent.name, agent.file));
            findings.all("agents", Status::Ok, agents);
            findings.all("agents", Status::Warn, found.notes);
        }
        Err(error) => findings.add("agents", Status::Warn, format!("{error:#}")),
    }
}

/// Describes the sandbox, and the mechanisms that are unavailable.
fn sandbox(settings: &Settings, findings: &mut Findings) {
    const WHAT: &str = "sandbox";
    if settings.sandbox.value == OnOff::Off {
        let off = format!("off ({}): commands run with all rights of this user", settings.sandbox.origin);
        return findings.add(WHAT, Status::Warn, off);
    }
    let found = available();
    let landlock = found.landlock.map_or("no Landlock".to_owned(), |version| format!("Landlock {version}"));
    let (status, first) = match found.means {
        Means::Namespaces => (Status::Ok, format!("namespaces, a system call filter, {landlock}")),
        Means::Bubblewrap => {
            (Status::Ok, format!("namespaces of the system's bwrap, a system call filter, {landlock}"))
        }
        Means::Landlock => (Status::Warn, format!("a system call filter, {landlock}; no namespaces")),
        Means::Nothing => (
            Status::Fail,
            "none is available, so no command runs. Fix: enable user namespaces, or pass --sandbox off"
                .to_owned(),
        ),
    };
    findings.add(WHAT, status, first);
    let failed = found.failed.iter().map(|(means, why)| format!("without {}: {why}", means.name()));
    findings.all(WHAT, Status::Note, failed);
}

/// Starts the external agent, if one is named, and returns its status line.
fn own(assembly: &assembly::Assembly) -> Result<Option<String>> {
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(threads.block_on(assembly.models.standing()))
}

/// Connects to the upstream servers, and lists the tools of each.
fn bridged(assembly: &assembly::Assembly) -> Result<Vec<Result<String, String>>> {
    let Some(bridge) = &assembly.bridge else { return Ok(Vec::new()) };
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let standing = threads.block_on(async {
        bridge.begin(&assembly.runtime);
        let standing = bridge.standing().await;
        assembly.runtime.settled().await;
        assembly.runtime.shut_down().await;
        standing
    });
    let lines = standing.into_iter().map(|(name, tools)| tools.map(|tools| format!("{name}: {tools} tools")));
    Ok(lines.collect())
}

/// Lists the language servers: installed, not started, and missing.
fn servers(servers: &Servers, findings: &mut Findings) {
    const WHAT: &str = "code";
    if !servers.confined() {
        let off = "no language server is started while the sandbox is off".to_owned();
        return findings.add(WHAT, Status::Warn, off);
    }
    let found = servers.found();
    let mut missing = Vec::new();
    for server in &found {
        let name = server.known.name;
        for path in &server.sought.passed_over {
            let inside = format!("{} is not started as {name}: it is inside a root", path.display());
            findings.add(WHAT, Status::Warn, inside);
        }
        match &server.sought.program {
            Some(program) => findings.add(WHAT, Status::Ok, format!("{name}: {}", program.display())),
            None => missing.push(name),
        }
    }
    if !missing.is_empty() {
        let missing = format!("language servers that are not installed: {}", missing.join(", "));
        findings.add(WHAT, Status::Note, missing);
    }
}

/// Maximum number of task lists named.
const LISTS: usize = 5;

/// Describes the stored task lists, and how a session continues one.
fn tasks(engine: &Engine) -> Vec<String> {
    let lists = match engine.task_lists() {
        Ok(lists) => lists,
        Err(failure) => return vec![failure.what],
    };
    let line = |kept: &KeptTasks| {
        let tally = kept.tally;
        let result = if kept.result.is_some() { ", reported complete" } else { "" };
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
        RuleSource::Lapsed(file) => format!(
            "{rules} from {file} (changed since it was trusted, so it can only tighten: toolpost policy trust)"
        ),
        RuleSource::Trusted(file) => format!("{rules} from {file} (trusted until it changes)"),
    }
}

/// Returns the text of a setting, or `without` if it is not set.
fn said(setting: &Setting<Option<String>>, without: &str) -> String {
    setting.value.clone().unwrap_or_else(|| without.to_owned())
}

fn line<T>(name: &str, setting: &Setting<T>, shown: String) -> String {
    format!("{name} = {shown} ({})", setting.origin)
}

/// Returns the lines of the limits and ports of commands, and of the limits of the history.
fn limits(settings: &Settings) -> [String; 7] {
    let number = |name: &str, setting: &Setting<u64>| line(name, setting, setting.value.to_string());
    let (limits, history) = (&settings.resources, &settings.history);
    [
        number("command_memory_mb", &limits.memory_mb),
        number("command_processes", &limits.processes),
        number("command_file_mb", &limits.file_mb),
        number("disk_reserve_mb", &limits.disk_reserve_mb),
        line("publish", &settings.publish, settings.publish.value.to_string()),
        number("history_mb", &history.megabytes),
        number("history_days", &history.days),
    ]
}

fn in_force(settings: &Settings) -> Vec<String> {
    let path = |setting: &Setting<Option<PathBuf>>| {
        setting.value.as_ref().map_or("none".to_owned(), |path| path.display().to_string())
    };
    let roots: Vec<String> = settings.roots.value.iter().map(|root| root.display().to_string()).collect();
    let of_dialect = "the dialect's".to_owned();
    let deadline = settings.deadline.value.map(|time| time.as_secs_f64().to_string());
    let bytes = settings.reply_bytes.value.map(|bytes| bytes.to_string());
    let shared = &settings.shared;
    let index = shared.index.value.as_deref().map_or("none".to_owned(), toolpost_shared::without_password);
    let embedding = said(&settings.embedding.address, "the embedded model");
    let repositories = shared.repositories.value.as_ref();
    let repositories =
        repositories.map_or("from the URL it was cloned from".to_owned(), |names| names.join(", "));
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let mut lines = vec![
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
    ];
    lines.extend(limits(settings));
    lines.extend([
        line("code_mode", &settings.code_mode, word(&settings.code_mode.value)),
        line("events", &settings.events.file, path(&settings.events.file)),
        line("events_detail", &settings.events.detail, word(&settings.events.detail.value)),
        line("state", &settings.state, path(&settings.state)),
        line("cache", &settings.cache, path(&settings.cache)),
        line("session", &settings.session, said(&settings.session, "a new one for each client")),
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
    ]);
    lines
}
