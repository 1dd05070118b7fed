//! Subagents: limits on concurrent subagents and per session, and their result after each kind of end.

use serde_json::json;
use std::{
    future::ready,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use toolpost_agent::{
    Budget, Limits, ModelAgents, Subagent,
    models::{
        AnswerPart, CallRequest, Completion, Model, ModelError, ModelErrorKind, ModelFuture, ModelMessage,
        Patience, Pieces, Question, Service, Stop, Usage,
    },
};
use toolpost_engine::{
    Access, Agents, CallCtx, CallGateway, CallOutcome, CallableTool, Failure, InnerAnswer, InnerCall, Job,
    Kind, NestedCallFuture, Prompt, Session,
};

/// A scripted model that follows the words of the task, and counts concurrent requests.
#[derive(Default)]
struct ScriptedModel {
    open: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    gate: Option<Arc<Semaphore>>,
    asked: Mutex<Vec<Question>>,
}

struct Answer {
    task: String,
    turn: usize,
    gate: Option<Arc<Semaphore>>,
    open: Arc<AtomicUsize>,
    given: bool,
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Model for ScriptedModel {
    fn begin(&self, question: &Question) -> Result<Box<dyn Pieces>, ModelError> {
        self.asked.lock().unwrap().push(question.clone());
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(open, Ordering::SeqCst);
        let toolpost_agent::models::Message::User { text } = &question.messages[0] else { panic!("no task") };
        Ok(Box::new(Answer {
            task: text.clone(),
            turn: question.messages.len() / 2,
            gate: self.gate.clone(),
            open: self.open.clone(),
            given: false,
        }))
    }
}

impl Pieces for Answer {
    fn next(&mut self) -> ModelFuture<'_, Result<AnswerPart, ModelError>> {
        Box::pin(async move {
            if let Some(gate) = &self.gate {
                gate.acquire().await.unwrap().forget();
            }
            let reply = |text: &str, calls: Vec<CallRequest>| {
                let reply = ModelMessage { text: text.to_owned(), calls, thoughts: Vec::new() };
                let usage = Some(Usage { asked: 10, said: 5, cached: 0 });
                Ok(AnswerPart::End(Box::new(Completion { message: reply, stop: Stop::End, usage })))
            };
            let look = || CallRequest {
                id: "a".to_owned(),
                tool: "look".to_owned(),
                arguments: "{}".to_owned(),
                marks: Vec::new(),
            };
            match (self.task.as_str(), self.turn) {
                ("panic", _) => panic!("as told"),
                ("break", 0) => reply("half", vec![look()]),
                ("break", _) if !self.given => {
                    self.given = true;
                    Ok(AnswerPart::Words("h".to_owned()))
                }
                ("break", _) => Err(ModelError::new(ModelErrorKind::Broken, "as told")),
                ("look for ever", _) => reply("still looking", vec![look()]),
                ("wait", _) => std::future::pending().await,
                ("json", 0) => reply("no json", Vec::new()),
                ("json", _) => reply("```json\n{\"a\": 1}\n```", Vec::new()),
                (task, _) => reply(&format!("did: {task}"), Vec::new()),
            }
        })
    }
}

/// A gateway that completes every call.
struct CompletingGateway;

impl CallGateway for CompletingGateway {
    fn call<'a>(&'a self, call: InnerCall, _cancel: CancellationToken) -> NestedCallFuture<'a> {
        Box::pin(ready(InnerAnswer::of_words(CallOutcome::Done, format!("{} done", call.tool))))
    }

    fn tools(&self) -> Vec<CallableTool> {
        let offered = |name: &str, access: Access| CallableTool {
            name: name.to_owned(),
            description: String::new(),
            schema: json!({ "type": "object" }).to_string(),
            access: vec![access],
        };
        vec![offered("look", Access::Reads), offered("write", Access::Writes)]
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        Arc::new(Self)
    }
}

fn crew(model: ScriptedModel) -> (Arc<ModelAgents>, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    let patience = Patience { pause: Duration::from_millis(1), tries: 2, ..Patience::default() };
    let service = Service::new(model.clone(), patience, 64);
    let made = model.clone();
    let looker = "---\nname: looker\ndescription: Looks.\ntools: look, Read\n---\nYou look.\n";
    let other = "---\nname: other\ndescription: x\ntools: Read\n---\n";
    let described = [looker, other].map(|text| Subagent::read("f.md", text).unwrap());
    let maker = Arc::new(move |_: &str| -> Result<Arc<dyn Model>, ModelError> { Ok(made.clone()) });
    let crew =
        ModelAgents::new(service, maker, 100_000, described.to_vec()).with_queue(Duration::from_millis(300));
    (Arc::new(crew), model)
}

fn job(task: &str) -> Job {
    Job { task: task.to_owned(), ..Job::default() }
}

async fn work(crew: &ModelAgents, job: Job, cx: &CallCtx) -> Result<(String, Option<String>), Failure> {
    crew.work(job, Arc::new(CompletingGateway), cx).await.map(|report| (report.words, report.missing))
}

#[tokio::test]
async fn at_most_three_subagents_run_concurrently() {
    let gate = Arc::new(Semaphore::new(0));
    let (crew, model) = crew(ScriptedModel { gate: Some(gate.clone()), ..ScriptedModel::default() });
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..4 {
        let crew = crew.clone();
        tasks.spawn(
            async move { work(&crew, job(&number.to_string()), &CallCtx::denied(Session::new())).await },
        );
    }
    let first = tasks.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(
        (first.kind, first.what.as_str()),
        (Kind::Timeout, "3 agents are already running, and none finished within 0.3 s.")
    );
    gate.add_permits(3);
    while let Some(done) = tasks.join_next().await {
        assert!(done.unwrap().is_ok());
    }
    assert_eq!(model.most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_session_can_delegate_at_most_ten_tasks() {
    let (crew, _) = crew(ScriptedModel::default());
    let cx = CallCtx::denied(Session::new());
    for number in 0..10 {
        let done = work(&crew, job(&number.to_string()), &cx).await.unwrap();
        assert_eq!(done, (format!("did: {number}"), None));
    }
    for _ in 0..2 {
        let failure = work(&crew, job("more"), &cx).await.unwrap_err();
        assert_eq!(failure.what, "This session has delegated 10 tasks to agents, which is the limit.");
    }
    assert!(work(&crew, job("another session"), &CallCtx::denied(Session::new())).await.is_ok());
}

/// Waits until the model has a request that it has not answered.
async fn begun(model: &ScriptedModel) {
    while model.open.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn ended_subagents_free_their_slot() {
    let (crew, model) = crew(ScriptedModel::default());
    for _ in 0..4 {
        let panicking = crew.clone();
        let panicked =
            tokio::spawn(
                async move { work(&panicking, job("panic"), &CallCtx::denied(Session::new())).await },
            );
        assert!(panicked.await.unwrap_err().is_panic());
        let dropped = crew.clone();
        let waiting =
            tokio::spawn(async move { work(&dropped, job("wait"), &CallCtx::denied(Session::new())).await });
        begun(&model).await;
        waiting.abort();
        let _ = waiting.await;
        let cx = CallCtx::denied(Session::new());
        let cancel = cx.cancel.clone();
        let asked = model.clone();
        tokio::spawn(async move {
            begun(&asked).await;
            cancel.cancel();
        });
        let failure = work(&crew, job("wait"), &cx).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Cancelled);
    }
    assert_eq!(model.open.load(Ordering::SeqCst), 0);
    assert!(work(&crew, job("after"), &CallCtx::denied(Session::new())).await.is_ok());
}

#[tokio::test]
async fn subagents_return_partial_results_and_use_their_definition() {
    let (crew, model) = crew(ScriptedModel::default());
    let session = Session::new();
    let whole = Budget::new(Limits { calls: Some(3), ..Limits::default() });
    crew.share(session.id(), &whole);
    let cx = CallCtx::denied(session);
    // If the model of a subagent fails, so does the call, and its failure contains the partial result.
    let failure = work(&crew, job("break"), &cx).await.unwrap_err();
    assert_eq!((failure.kind, failure.found.as_deref()), (Kind::Io, Some("half")));
    assert!(
        failure.what.starts_with(
            "The agent did not finish its task. The model did not answer: as told. Used: \
                                      2/30 turns, 1 calls"
        ),
        "{}",
        failure.what
    );
    // A subagent that is stopped by the main agent's budget returns its partial result.
    let (words, missing) = work(&crew, job("look for ever"), &cx).await.unwrap();
    assert_eq!(words, "still looking");
    assert!(
        missing.as_deref().unwrap().starts_with(
            "The task was stopped, because its budget of calls is used up. Calls that were not made: look."
        ),
        "{missing:?}"
    );
    assert_eq!(
        (whole.account().turns.used, whole.account().calls.used, whole.account().tokens.used),
        (5, 3, 60)
    );
    // Defined subagents have their own tools and system prompt.
    let looking = Job { agent: Some("looker".to_owned()), context: Some("here".to_owned()), ..job("x") };
    assert!(work(&crew, looking, &cx).await.is_ok());
    let question = model.asked.lock().unwrap().pop().unwrap();
    assert!(question.system.starts_with("You look."), "{}", question.system);
    assert_eq!(question.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["look"]);
    let rows = [
        ("nobody", "No agent is called nobody."),
        (
            "other",
            "The agent other may use only the tools Read (according to f.md), and none of them is available \
             in this session.",
        ),
    ];
    for (name, wanted) in rows {
        let failure = work(&crew, Job { agent: Some(name.to_owned()), ..job("x") }, &cx).await.unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (Kind::NotFound, wanted));
    }
}

#[tokio::test]
async fn model_requests_of_tools_count_towards_the_budget() {
    let (crew, model) = crew(ScriptedModel::default());
    let (cx, budget) = (
        CallCtx::denied(Session::new()),
        Budget::new(Limits { turns: Some(3), tokens: Some(40), ..Limits::default() }),
    );
    crew.share(cx.session.id(), &budget);
    let prompt = |words: &str| Prompt { instruction: words.to_owned(), data: String::new(), schema: None };
    let ask = |words: &str| crew.ask(prompt(words), &cx.session, CancellationToken::new());
    assert_eq!(ask("one").await.unwrap(), "did: one");
    // Subagents and the session share one budget.
    assert_eq!(work(&crew, job("two"), &cx).await.unwrap(), ("did: two".to_owned(), None));
    assert_eq!((budget.account().turns.used, budget.account().tokens.used), (2, 30));
    assert_eq!(ask("three").await.unwrap(), "did: three");
    let asked = model.asked.lock().unwrap().len();
    let failure = ask("four").await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.what.as_str()),
        (Kind::Denied, "The model did not answer, because the total budget of tokens is used up.")
    );
    assert_eq!(model.asked.lock().unwrap().len(), asked);
    // Another session is not affected.
    let other = Session::new();
    assert_eq!(crew.ask(prompt("five"), &other, CancellationToken::new()).await.unwrap(), "did: five");
    assert_eq!(budget.account().tokens.used, 45);
}

#[tokio::test]
async fn model_requests_of_tools_end_at_the_time_limit() {
    let (crew, _) = crew(ScriptedModel::default());
    let cx = CallCtx::denied(Session::new());
    let budget = Budget::new(Limits { time: Some(Duration::from_millis(50)), ..Limits::default() });
    crew.share(cx.session.id(), &budget);
    let prompt = Prompt { instruction: "wait".to_owned(), data: String::new(), schema: None };
    let failure = crew.ask(prompt, &cx.session, CancellationToken::new()).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.what.as_str()),
        (Kind::Timeout, "The model did not answer, because the total budget of time is used up.")
    );
}

#[tokio::test]
async fn answers_that_violate_the_schema_are_requested_again() {
    let (crew, model) = crew(ScriptedModel::default());
    let prompt = Prompt { instruction: "json".to_owned(), data: String::new(), schema: None };
    assert_eq!(crew.ask(prompt.clone(), &Session::new(), CancellationToken::new()).await.unwrap(), "no json");
    let with = Prompt {
        instruction: "give".to_owned(),
        schema: Some("{\"type\": \"object\"}".to_owned()),
        ..prompt
    };
    let failure = crew.ask(with, &Session::new(), CancellationToken::new()).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Invalid);
    assert_eq!(model.asked.lock().unwrap().len(), 3);
}
