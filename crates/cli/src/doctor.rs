//! `toolpost doctor`: the state of this machine and this workspace, with repairs and the active settings.

use crate::{
    args::Doctor,
    out::{self, Colours},
};
use anyhow::Result;
use serde_json::{Value, json};
use std::process::ExitCode;
use toolpost::{
    Lifetime, Toolpost,
    agents::{self, editor, model},
    code_search,
    parts::PartState,
    settings::{Flags, Settings, values::OnOff},
};
use toolpost_engine::{Engine, Means, Servers, StoredTaskList, available};
use toolpost_runtime::RuleSource;
use toolpost_text::plural::counted;
use toolpost_workspace::confinement;

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
    /// Returns the severity of the state of an optional part.
    fn of(state: PartState) -> Self {
        match state {
            PartState::Works => Self::Ok,
            PartState::Unset => Self::Note,
            PartState::Fails => Self::Warn,
        }
    }

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
    /// The next step, on a separate line.
    fix: Option<&'static str>,
}

/// Headings of the page with the findings under each; the last heading takes all other findings.
const GROUPS: [(&str, &[&str]); 4] = [
    ("This machine", &["version", "confinement", "sandbox"]),
    (
        "This workspace",
        &["cannot start", "root", "state directory", "recovery", "rules", "language server", "tasks"],
    ),
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
        self.0.push(Finding { status, what, found, fix: None });
    }

    fn all(&mut self, what: &'static str, status: Status, found: impl IntoIterator<Item = String>) {
        found.into_iter().for_each(|found| self.add(what, status, found));
    }
}

/// Prints the findings. The exit status is 1 if Toolpost cannot be opened with these settings.
pub(crate) fn run(flags: &Flags, doctor: Doctor) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    let post = Toolpost::with_settings(settings.clone()).lifetime(Lifetime::OneCall).open_blocking();
    let mut findings = Findings::default();
    findings.add("version", Status::Ok, env!("CARGO_PKG_VERSION").to_owned());
    findings.all("confinement", Status::Ok, confinement());
    sandbox(&settings, &mut findings);
    match &post {
        Ok(post) => parts(&settings, post, &mut findings)?,
        Err(error) => findings.add("cannot start", Status::Fail, error.chain()),
    }
    let lines = settings.lines();
    let lines = lines.iter().map(|line| format!("{} = {} ({})", line.key, line.value, line.origin));
    let (defaults, set): (Vec<String>, Vec<String>) = lines.partition(|line| line.ends_with("(default)"));
    if doctor.json {
        findings.all("setting", Status::Ok, set.into_iter().chain(defaults));
        let list: Vec<Value> = findings
            .0
            .iter()
            .map(|one| {
                let mut shown = json!({ "what": one.what, "found": one.found, "status": format!("{:?}", one.status).to_lowercase() });
                if let Some(fix) = one.fix {
                    shown["fix"] = fix.into();
                }
                shown
            })
            .collect();
        out::line(&serde_json::to_string_pretty(&list)?)?;
    } else {
        page(&findings, &set, if doctor.all { Defaults::Listed } else { Defaults::Counted }, &defaults)?;
    }
    Ok(if post.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Display of the settings that have their default value.
#[derive(Clone, Copy)]
enum Defaults {
    Counted,
    Listed,
}

/// Prints the page: findings, changed settings, the settings that have their default, and a summary.
fn page(findings: &Findings, set: &[String], form: Defaults, defaults: &[String]) -> Result<()> {
    let colours = Colours::of(&std::io::stdout());
    for (number, (group, _)) in GROUPS.iter().enumerate() {
        let listed: Vec<&Finding> = findings.0.iter().filter(|one| heading(one.what) == *group).collect();
        if !listed.is_empty() {
            let apart = if number == 0 { "" } else { "\n" };
            out::line(&format!("{apart}{}", colours.paint(group, BOLD)))?;
        }
        for Finding { status, what, found, fix } in listed {
            let mark = colours.paint(&format!("{:<4}", status.word()), status.colour());
            out::line(&format!("{mark} {what:>15}  {found}"))?;
            if let Some(fix) = fix {
                out::line(&format!("{:>20}  fix: {fix}", ""))?;
            }
        }
    }
    let listed = match form {
        Defaults::Counted => &[],
        Defaults::Listed => defaults,
    };
    for (heading, lines) in [("Settings that you changed", set), ("Default settings", listed)] {
        if !lines.is_empty() {
            out::line(&format!("\n{}", colours.paint(heading, BOLD)))?;
            lines.iter().try_for_each(|line| out::line(&format!("  {line}")))?;
        }
    }
    let count =
        |status: Status, noun: &str| match findings.0.iter().filter(|one| one.status == status).count() {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        };
    let unchanged = match form {
        Defaults::Counted => format!(
            "; {} have their default (`toolpost doctor --all`)",
            counted(defaults.len() as u64, "setting")
        ),
        Defaults::Listed => String::new(),
    };
    out::line(&format!(
        "\n{}, {}{unchanged}",
        count(Status::Warn, "warning"),
        count(Status::Fail, "failure")
    ))?;
    Ok(())
}

/// Adds findings about the parts of an opened Toolpost, such as roots, rules, the model and the tools.
fn parts(settings: &Settings, post: &Toolpost, findings: &mut Findings) -> Result<()> {
    let engine = post.runtime().engine();
    findings.all("root", Status::Ok, engine.roots());
    let has_state = engine.workspace().state_folder().is_some();
    let state = if has_state { Status::Ok } else { Status::Warn };
    findings.add("state directory", state, engine.workspace().state_report());
    findings.all("recovery", Status::Warn, post.recovery());
    let sources = post.runtime().config().policy.sources();
    for (source, rules) in sources {
        let status = if matches!(source, RuleSource::Lapsed(_)) { Status::Warn } else { Status::Ok };
        findings.add("rules", status, rules_of(&source, rules));
    }
    engine.servers().iter().for_each(|servers| self::servers(servers, findings));
    let model = if model::unavailable(settings)?.is_some() { Status::Note } else { Status::Ok };
    findings.add("model", model, model::report(settings));
    findings.all("external agent", Status::Ok, external_agent(post)?);
    let (editor, state) = editor::report(settings, engine)?;
    findings.add("editor", Status::of(state), editor);
    let (service, state) = code_search::report(settings);
    findings.add("codesearch", Status::of(state), service);
    agents(settings, engine, findings);
    tasks(engine, findings);
    for server in bridged(post)? {
        match server {
            Ok(found) => findings.add("upstream server", Status::Ok, found),
            Err(why) => findings.add("upstream server", Status::Warn, why),
        }
    }
    let catalogue = post.catalogue();
    let tools: Vec<_> = catalogue.listed().collect();
    let bytes: usize = tools
        .iter()
        .map(|tool| tool.name.len() + tool.description().len() + tool.schema().to_string().len())
        .sum();
    let tools = format!("{}, about {} tokens in a model's context", tools.len(), bytes / 4);
    findings.add("tools", Status::Ok, tools);
    Ok(())
}

/// Lists the agent definitions, and the files that were skipped.
fn agents(settings: &Settings, engine: &Engine, findings: &mut Findings) {
    match agents::files::find(settings, engine.workspace()) {
        Ok(found) => {
            let agents = found.agents.into_iter().map(|agent| format!("{}: {}", agent.name, agent.file));
            findings.all("agents", Status::Ok, agents);
            findings.all("agents", Status::Warn, found.notes);
        }
        Err(error) => findings.add("agents", Status::Warn, error.chain()),
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
        Means::Nothing => (Status::Fail, "no sandbox is available, so Toolpost runs no commands".to_owned()),
    };
    let fix = (status == Status::Fail).then_some("enable user namespaces, or pass --sandbox off");
    findings.0.push(Finding { status, what: WHAT, found: first, fix });
    let failed = found.failed.iter().map(|(means, why)| format!("cannot use {}: {why}", means.name()));
    findings.all(WHAT, Status::Note, failed);
}

/// Starts the external agent, if the settings name one, and returns its status line.
fn external_agent(post: &Toolpost) -> Result<Option<String>> {
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(threads.block_on(post.companions().models().standing()))
}

/// Connects to the upstream servers, and lists the tools of each.
fn bridged(post: &Toolpost) -> Result<Vec<Result<String, String>>> {
    let Some(bridge) = post.companions().bridge() else { return Ok(Vec::new()) };
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let standing = threads.block_on(async {
        post.begin_to_connect();
        let standing = bridge.standing().await;
        post.runtime().settled().await;
        post.runtime().shut_down().await;
        standing
    });
    let lines = standing.into_iter().map(|(name, tools)| match tools {
        Ok(tools) => Ok(format!("{name}: {}", counted(tools as u64, "tool"))),
        Err(failure) => Err(failure.what),
    });
    Ok(lines.collect())
}

/// Lists the language servers that are installed, those that are not used because they are inside a root, and those
/// that are missing.
fn servers(servers: &Servers, findings: &mut Findings) {
    const WHAT: &str = "language server";
    if !servers.confined() {
        let off = "no language server is started while the sandbox is off".to_owned();
        return findings.add(WHAT, Status::Warn, off);
    }
    let found = servers.found();
    let mut missing = Vec::new();
    for server in &found {
        let name = server.known.name;
        for path in &server.search.passed_over {
            let inside = format!(
                "{} is not used as {name}, because it is inside a root, where a project could put any program: install it \
                 elsewhere",
                path.display()
            );
            findings.add(WHAT, Status::Warn, inside);
        }
        match &server.search.program {
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

/// Describes the stored task lists of named sessions, and how a session continues one. Those of other sessions are
/// counted, because these sessions have usually ended.
fn tasks(engine: &Engine, findings: &mut Findings) {
    const WHAT: &str = "tasks";
    let lists = match engine.task_lists() {
        Ok(lists) => lists,
        Err(failure) => return findings.add(WHAT, Status::Warn, failure.what),
    };
    let (others, lists): (Vec<_>, Vec<_>) = lists.into_iter().partition(|kept| kept.anonymous);
    let line = |kept: &StoredTaskList| {
        let tally = kept.tally;
        let result = if kept.result.is_some() { ", reported complete" } else { "" };
        let name = &kept.session;
        format!("{} of {} completed{result} (--session {name})", tally.completed, tally.all())
    };
    let mut lines: Vec<String> = lists.iter().take(LISTS).map(line).collect();
    if lists.len() > LISTS {
        lines.push(counted((lists.len() - LISTS) as u64, "older list"));
    }
    findings.all(WHAT, Status::Ok, lines);
    if let Some(latest) = others.first() {
        let count = counted(others.len() as u64, "list");
        let latest = &latest.session;
        let found = format!("{count} of sessions without a name; --session {latest} continues the latest");
        findings.add(WHAT, Status::Note, found);
    }
}

fn rules_of(source: &RuleSource, rules: usize) -> String {
    let rules = counted(rules as u64, "rule");
    match source {
        RuleSource::BuiltIn => format!("{rules} built in"),
        RuleSource::Operator(file) => format!("{rules} from {file}"),
        RuleSource::Project(file) => format!(
            "{rules} from {file} (not trusted, so these rules can only restrict access further; to trust them, run \
             `toolpost policy trust`)"
        ),
        RuleSource::Lapsed(file) => format!(
            "{rules} from {file} (changed since the file was trusted, so these rules can only restrict access further; to \
             trust it again, run `toolpost policy trust`)"
        ),
        RuleSource::Trusted(file) => format!("{rules} from {file} (trusted until it changes)"),
    }
}
