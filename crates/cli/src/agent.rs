//! `toolpost agent`: a model or an external agent works on a task with the tools.

use crate::{
    agent_runs,
    args::{Agent, AgentCommand, AgentLimits},
    ask::{self, Input, SessionCalls},
    out, signals, terminal, view,
};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::{
    io::{Read, stderr, stdout},
    path::Path,
    process::ExitCode,
    sync::Arc,
};
use tokio_util::sync::CancellationToken;
use toolpost::{
    Settings, Toolpost,
    agents::{ModelSource, model},
    settings::{Flags, Origin, Setting},
};
use toolpost_acp::{Acp, Task, Tools};
use toolpost_agent::{
    Budget, ModelAgents, Outcome, Reason, Run, RunHeader, RuntimeTools, Transcript, Watch, models::Message,
    repaired, system,
};
use toolpost_engine::Session;
use toolpost_runtime::{Asker, Runtime};

/// Exit status of a run that did not complete its task.
const FAILED: u8 = 1;

/// Runs a task, resumes an earlier run, or lists earlier runs.
pub(crate) fn run(flags: &Flags, args: Agent) -> Result<ExitCode> {
    let mut settings = Settings::of_user(flags.clone())?;
    if let Some(AgentCommand::List(list)) = &args.command {
        return agent_runs::list(&settings, list);
    }
    let earlier = args.resume.as_deref().map(|word| agent_runs::find(&settings, word)).transpose()?;
    if let Some(began) = &earlier {
        settings.resume(began)?;
    }
    if let Some(missing) = model::unavailable(&settings)? {
        return Ok(out::failed(&missing));
    }
    let input = if args.task.as_deref() == Some("-") { Input::Taken } else { Input::Person };
    let task = match args.task.as_deref() {
        Some("-") => Some(standard_input()?),
        task => task.map(str::to_owned),
    };
    limit(&mut settings, &args.limits);
    let asker = ask::asker(settings.ask.value, input, SessionCalls::Several);
    let post = Toolpost::with_settings(settings.clone()).structured().asker(asker.clone()).open_blocking()?;
    out::report(&post);
    let (transcript, messages) = begun(&settings, post.runtime(), earlier.as_ref(), task)?;
    let id = transcript.id().map(str::to_owned);
    if let Some(id) = &id {
        eprintln!(
            "toolpost: run {id} with {}; Ctrl-C stops it, and `toolpost agent --resume {id}` continues it",
            model::name(&settings)
        );
    }
    let budget = Budget::new(model::limits(&settings));
    let session = Session::named(settings.session.value.clone().or_else(|| id.clone()));
    let (watch, shown) = view::watch();
    let work = AgentRun { post, asker, budget, transcript, messages, session, watch };
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = threads.block_on(work.done(&settings));
    // An open prompt at the terminal must not delay the exit of the process.
    threads.shutdown_background();
    print_outcome(&outcome?, &shown, id.as_deref(), args.json)
}

/// Lets the flags of the command override the limits in the settings.
fn limit(settings: &mut Settings, flags: &AgentLimits) {
    let limits = [
        (&mut settings.max_turns, flags.max_turns),
        (&mut settings.max_calls, flags.max_calls),
        (&mut settings.max_tokens, flags.max_tokens),
        (&mut settings.max_time, flags.max_time),
    ];
    for (setting, flag) in limits {
        if let Some(value) = flag {
            *setting = Setting { value, origin: Origin::Flag };
        }
    }
}

/// The opened Toolpost library, with the budget, the transcript and the conversation of one agent run.
struct AgentRun {
    post: Toolpost,
    asker: Arc<dyn Asker>,
    budget: Arc<Budget>,
    transcript: Transcript,
    messages: Vec<Message>,
    session: Arc<Session>,
    watch: Watch,
}

impl AgentRun {
    /// Runs the task; the first signal cancels it.
    async fn done(self, settings: &Settings) -> Result<Outcome> {
        let (runtime, models) = (self.post.runtime().clone(), self.post.companions().models().clone());
        let cancel = CancellationToken::new();
        signals::cancelling(cancel.clone())?;
        let outcome = match &models {
            ModelSource::None => bail!("no model is configured"),
            ModelSource::Model(crew) => self.by_model(crew, settings, cancel).await,
            ModelSource::External(acp) => self.by_own(acp, cancel).await,
        };
        tokio::join!(runtime.shut_down(), models.end());
        Ok(outcome)
    }

    /// Runs the task with a model, in Toolpost's own loop.
    async fn by_model(
        self,
        crew: &Arc<ModelAgents>,
        settings: &Settings,
        cancel: CancellationToken,
    ) -> Outcome {
        let (runtime, session) = (self.post.runtime().clone(), self.session);
        let watch = self.watch;
        crew.watched(watch.clone());
        crew.share(session.id(), &self.budget);
        tokio::select! {
            () = self.post.connect() => {}
            () = cancel.cancelled() => {}
        }
        let run = Run {
            service: crew.service().clone(),
            system: with_agents(system(&runtime.instructions(), &runtime.engine().roots(), None), crew),
            hands: Arc::new(RuntimeTools { runtime, session, asker: self.asker }),
            budget: self.budget,
            window: settings.window.value,
            cancel,
            watch,
            transcript: self.transcript,
            showing: model::image_display(settings),
        };
        run.go(self.messages).await
    }

    /// Runs the task with an external agent, which has its own loop.
    async fn by_own(self, acp: &Arc<Acp>, cancel: CancellationToken) -> Outcome {
        let task = Task {
            system: acp.told(None),
            budget: self.budget,
            cancel,
            watch: self.watch,
            transcript: self.transcript,
            tools: Tools::All,
        };
        acp.go(self.messages, &task).await
    }
}

/// Starts a transcript, or continues that of an earlier run; returns the conversation so far.
fn begun(
    settings: &Settings,
    runtime: &Runtime,
    earlier: Option<&RunHeader>,
    task: Option<String>,
) -> Result<(Transcript, Vec<Message>)> {
    let state = settings.state.value.as_deref();
    if let Some(began) = earlier {
        return resumed(state.context(agent_runs::NO_STATE)?, runtime, began, task);
    }
    let task = task.filter(|task| !task.trim().is_empty()).context("the task is empty")?;
    let message = Message::User { text: task.clone() };
    let Some(state) = state else { return Ok((Transcript::none(), vec![message])) };
    let transcript = match Transcript::begin(state, settings.began(task, runtime.engine().roots())) {
        Ok(transcript) => transcript,
        Err(error) => {
            eprintln!("toolpost: cannot write a transcript, so this run cannot be resumed: {error}");
            Transcript::none()
        }
    };
    transcript.message(&message);
    Ok((transcript, vec![message]))
}

fn resumed(
    state: &Path,
    runtime: &Runtime,
    began: &RunHeader,
    task: Option<String>,
) -> Result<(Transcript, Vec<Message>)> {
    let id = &began.id;
    let roots = runtime.engine().roots();
    if began.roots != roots {
        bail!(
            "run {id} was started in {}, but this command would continue it in {}: omit --root, because the \
             transcript records the directories",
            began.roots.join(", "),
            roots.join(", ")
        );
    }
    let (transcript, kept) = Transcript::resume(state, id)?;
    let stored_count = kept.messages.len();
    let mut messages = repaired(kept.messages);
    messages[stored_count..].iter().for_each(|message| transcript.message(message));
    let words = match (task, kept.ended) {
        (Some(task), _) => task,
        (None, Some(Reason::Completed)) => {
            bail!("run {id} is complete; to continue it, pass a new task: toolpost agent --resume {id} \"…\"")
        }
        (None, _) => {
            "Continue the task, which was interrupted. Files that you have read must be read again before \
                      you change them."
                .to_owned()
        }
    };
    // The conversation already ends with this message if the model never answered it, so it is not added again.
    if let Some(Message::User { text }) = messages.last()
        && *text == words
    {
        return Ok((transcript, messages));
    }
    let message = Message::User { text: words };
    transcript.message(&message);
    messages.push(message);
    Ok((transcript, messages))
}

/// Appends the list of defined agents, if any, to the instructions, so that the model can delegate to them.
fn with_agents(mut words: String, crew: &ModelAgents) -> String {
    if !crew.subagents().is_empty() {
        let agents = crew.subagents().iter().map(|agent| format!("- {}: {}", agent.name, agent.description));
        words.push_str("\n\nSubagents that the user has defined, for delegating parts of the task:\n");
        words.push_str(&agents.collect::<Vec<_>>().join("\n"));
    }
    words
}

/// Prints the answer on standard output, unless the live view has just shown it on the same terminal, and the end of the run
/// on standard error.
fn print_outcome(
    outcome: &Outcome,
    shown: &view::LastText,
    id: Option<&str>,
    as_json: bool,
) -> Result<ExitCode> {
    if as_json {
        let mut data = json!(outcome);
        data["id"] = json!(id);
        out::line(&data.to_string())?;
    } else {
        let is_on_screen = terminal::is_same(&stdout(), &stderr()) && shown.is(&outcome.words);
        if !(outcome.words.is_empty() || is_on_screen) {
            out::line(&out::harmless(&outcome.words))?;
        }
        match &outcome.missing {
            Some(missing) => eprintln!("toolpost: {}", out::harmless(missing)),
            None => eprintln!("toolpost: done. Used: {}.", outcome.used),
        }
    }
    if let Some(id) = id {
        let further = if outcome.reason == Reason::Completed { " \"a further task\"" } else { "" };
        eprintln!("toolpost: continue with `toolpost agent --resume {id}{further}`");
    }
    Ok(match outcome.reason {
        Reason::Completed => ExitCode::SUCCESS,
        Reason::Cancelled => ExitCode::from(signals::GIVEN_UP),
        _ => ExitCode::from(FAILED),
    })
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    Ok(text)
}
