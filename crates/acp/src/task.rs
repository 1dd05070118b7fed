//! A task for an external agent: instructions, tools and outcome.

use super::{
    Acp,
    client::SessionRights,
    conversation::{Conversation, PromptLimits, PromptResult, WAITING},
    files::Files,
    setup::SERVER,
};
use agent_client_protocol::v1::schema::{EnvVariable, McpServer, McpServerStdio, NewSessionRequest};
use std::{path::Path, sync::Arc};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolpost_agent::{
    AgentEvent, Budget, BudgetLimit, Outcome, Reason, Transcript, Watch, models::Message, prompts,
};
use toolpost_engine::Failure;

/// Maximum number of reminders to an agent whose answer was empty.
const NUDGES: u32 = 2;
const NOTHING: &str = "Your answer was empty. Continue the task; when it is done, report the result.";
/// Flag of `toolpost serve` that selects a tool.
const ONLY: &str = "--tools";

/// A task for an external agent.
pub struct Task {
    /// Instructions before the task.
    pub system: String,
    /// Budget of the task.
    pub budget: Arc<Budget>,
    /// Token that cancels the task.
    pub cancel: CancellationToken,
    /// Callback for events.
    pub watch: Watch,
    /// Transcript of the task.
    pub transcript: Transcript,
    /// Toolpost's tools for this task.
    pub tools: Tools,
}

/// Selection of Toolpost's tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tools {
    /// All served tools.
    All,
    /// Only the tools with these names.
    Only(Vec<String>),
    /// No tools and no files.
    None,
}

impl Acp {
    /// Runs a task: the last message is the task, and the others are the earlier conversation of a resumed
    /// task.
    pub async fn go(&self, messages: Vec<Message>, task: &Task) -> Outcome {
        let turned = match self.begin(task).await {
            Ok(conversation) => self.work_in(conversation, &messages, task).await,
            Err(turned) => turned,
        };
        let PromptResult { reason, words, unsettled, remark } = turned;
        task.transcript.ended(&reason);
        let used = task.budget.account();
        (task.watch)(&AgentEvent::Ended(used));
        let missing = reason.sentence().map(|sentence| {
            let unsettled = match unsettled.as_slice() {
                [] => String::new(),
                names => {
                    format!(" Calls that may have been made: {}.", names.join(", "))
                }
            };
            format!("{sentence}{remark}{unsettled} Used: {used}.")
        });
        Outcome { reason, words, missing, used }
    }

    async fn work_in(
        &self,
        mut conversation: Conversation,
        messages: &[Message],
        task: &Task,
    ) -> PromptResult {
        let mut text = first(&task.system, messages);
        let mut asked = 0;
        loop {
            if let Err(spent) = task.budget.turn() {
                return ended(Reason::Budget { spent });
            }
            asked += 1;
            (task.watch)(&AgentEvent::Turn { number: asked });
            let turned = conversation.prompt(text, &self.holds(task)).await;
            if turned.reason != Reason::Completed || !turned.words.is_empty() {
                return turned;
            }
            if asked > u64::from(NUDGES) {
                return PromptResult { reason: Reason::Empty, ..turned };
            }
            text = NOTHING.to_owned();
        }
    }

    /// Opens a session, unless the task is cancelled or out of time first.
    pub(super) async fn begin(&self, task: &Task) -> Result<Conversation, PromptResult> {
        let due = task.budget.due();
        let late = async {
            match due {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = task.cancel.cancelled() => Err(ended(Reason::Cancelled)),
            opened = self.converse(task) => opened.map_err(|failure| ended(Reason::Agent { fault: failure.what })),
            () = late => Err(ended(Reason::Budget { spent: BudgetLimit::Time })),
        }
    }

    async fn converse(&self, task: &Task) -> Result<Conversation, Failure> {
        let link = self.link().await?;
        let (first, others) = self
            .setup
            .roots
            .split_first()
            .map_or((Path::new("/"), &[][..]), |(first, rest)| (first.as_path(), rest));
        let mut request = NewSessionRequest::new(first).mcp_servers(self.servers(&task.tools));
        if !others.is_empty()
            && link.about.agent_capabilities.session_capabilities.additional_directories.is_some()
        {
            request = request.additional_directories(others.to_vec());
        }
        let (hear, heard) = mpsc::channel(WAITING);
        let opened = Conversation::open(link, request, self.seat(hear, task), heard).await;
        opened.map_err(|trouble| self.failure(&trouble))
    }

    fn seat(&self, heard: mpsc::Sender<super::client::SessionEvent>, task: &Task) -> SessionRights {
        let disk = self.disk.get().filter(|_| task.tools != Tools::None).cloned();
        let runtime = disk.as_ref().map(|disk| disk.runtime.clone());
        let may_read = move |path: &Path| {
            let Some(runtime) = &runtime else { return false };
            let place = path.to_str().and_then(|path| runtime.engine().resolve(path).ok());
            place.is_some_and(|place| runtime.config().policy.lets_read(&place))
        };
        SessionRights {
            heard,
            files: disk.map(|disk| Arc::new(Files::new(disk, task.cancel.child_token()))),
            may: self.setup.may,
            may_read: Arc::new(may_read),
        }
    }

    /// Returns the MCP server that gives the agent Toolpost's tools; empty if the task has no tools.
    fn servers(&self, tools: &Tools) -> Vec<McpServer> {
        let handed = &self.setup.handed;
        let tools = match tools {
            Tools::None => return Vec::new(),
            Tools::All => &handed.tools,
            // These names were selected among the served tools, so the selection in `handed` is not repeated.
            Tools::Only(names) => names,
        };
        let only = tools.iter().flat_map(|tool| [ONLY.to_owned(), tool.clone()]);
        let environment = handed.environment.iter().map(|(name, value)| EnvVariable::new(name, value));
        let server = McpServerStdio::new(SERVER, &handed.program)
            .args(handed.arguments.iter().cloned().chain(only).collect())
            .env(environment.collect());
        vec![McpServer::Stdio(server)]
    }

    pub(super) fn holds<'a>(&self, task: &'a Task) -> PromptLimits<'a> {
        PromptLimits {
            budget: &task.budget,
            cancel: &task.cancel,
            watch: &task.watch,
            transcript: &task.transcript,
            idle: self.setup.idle,
        }
    }
}

/// Formats the first prompt: instructions, earlier messages, and the task.
fn first(system: &str, messages: &[Message]) -> String {
    let task = match messages.last() {
        Some(Message::User { text }) => text.as_str(),
        _ => "Go on.",
    };
    let before = messages.split_last().map_or(&[][..], |(_, before)| before);
    let before = if before.is_empty() {
        String::new()
    } else {
        format!("The conversation of this task so far:\n\n{}\n\n", prompts::earlier(before))
    };
    format!("{system}\n\n{before}The task:\n\n{task}")
}

fn ended(reason: Reason) -> PromptResult {
    PromptResult { reason, words: String::new(), unsettled: Vec::new(), remark: "" }
}
