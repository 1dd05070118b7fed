//! Tests of investigations, analyses and searches that a model guides: a model that makes correct claims, cites
//! wrongly, fails, never answers, or makes too many calls.

use crate::common;
use toolpost_test_rows::each_async;

use common::{Permissive, World};
use std::{
    future::{pending, ready},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, AgentStopReason, Agents, AnswerFuture, CallCtx, CallGateway, CallOutcome, CallableTool, Engine,
    Failure, Fresh, InnerAnswer, InnerCall, Job, Kind, NestedCallFuture, NestedCallPermissions, Pictures,
    Prompt, Report, SearchBackend, Session,
    operations::{
        analyze::{self, Analyze, Depth},
        block_search::{self, BlockSearch, BlockSelector},
        investigate::{GuideEndReason, Investigate, Limits, Output, Request, Whose},
        search::{self, From, Matching, Tests},
    },
};

const FILES: [(&str, &str); 4] = [
    (
        "shop/cart.py",
        "class Cart:\n    def __init__(self):\n        self.prices = []\n\n    def total(self):\n        return sum(self.prices) + shipping(self)\n\n\ndef shipping(cart):\n    return 5\n",
    ),
    ("shop/checkout.py", "from shop.cart import Cart\n\n\ndef pay(cart: Cart):\n    return cart.total()\n"),
    ("shop/mail.py", "def send(address):\n    print(address)\n"),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 5\n",
    ),
];

/// The behaviour of a scripted agent.
#[derive(Debug)]
enum AgentBehaviour {
    Says(&'static str),
    Stops(&'static str, AgentStopReason),
    Fails,
    Waits,
    /// Makes this number of calls, then answers.
    Calls(usize, &'static str),
}

/// The function that answers a prompt.
type AnswerFunction = dyn Fn(&Prompt) -> Result<String, Failure> + Send + Sync;

/// A fake model that follows a script and records the requests.
struct Scripted {
    does: AgentBehaviour,
    jobs: Mutex<Vec<Job>>,
    tools: Mutex<Vec<String>>,
    answer: Box<AnswerFunction>,
    prompts: Mutex<Vec<Prompt>>,
    open: AtomicUsize,
    most: AtomicUsize,
}

impl Scripted {
    fn does(does: AgentBehaviour) -> Arc<Self> {
        Self::new(does, |_| Ok(String::new()))
    }

    fn new(
        does: AgentBehaviour,
        answer: impl Fn(&Prompt) -> Result<String, Failure> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            does,
            jobs: Mutex::default(),
            tools: Mutex::default(),
            answer: Box::new(answer),
            prompts: Mutex::default(),
            open: AtomicUsize::default(),
            most: AtomicUsize::default(),
        })
    }
}

fn report(words: &str) -> Report {
    Report { words: words.to_owned(), missing: None, ended: AgentStopReason::Completed, turns: Some(2) }
}

impl Agents for Scripted {
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        _session: &'a Session,
        _cancel: CancellationToken,
    ) -> AnswerFuture<'a, String> {
        Box::pin(async move {
            let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(open, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            let answer = (self.answer)(&prompt);
            self.prompts.lock().unwrap().push(prompt);
            self.open.fetch_sub(1, Ordering::SeqCst);
            match self.does {
                AgentBehaviour::Waits => pending().await,
                _ => answer,
            }
        })
    }

    fn work<'a>(
        &'a self,
        job: Job,
        gateway: Arc<dyn CallGateway>,
        _cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Report> {
        self.jobs.lock().unwrap().push(job);
        *self.tools.lock().unwrap() = gateway.tools().into_iter().map(|tool| tool.name).collect();
        Box::pin(async move {
            match self.does {
                AgentBehaviour::Says(words) => Ok(report(words)),
                AgentBehaviour::Stops(words, ended) => {
                    let missing = Some("The work was stopped.".to_owned());
                    Ok(Report { missing, ended, ..report(words) })
                }
                AgentBehaviour::Fails => Err(Failure::new(Kind::Io, "The model did not answer: as told.")),
                AgentBehaviour::Waits => pending().await,
                AgentBehaviour::Calls(count, words) => {
                    for number in 0..count {
                        let call = InnerCall {
                            tool: "look".to_owned(),
                            arguments: number.to_string(),
                            reply_bytes: 100,
                            due: None,
                            may: NestedCallPermissions::Everything,
                            pictures: Pictures::Named,
                        };
                        gateway.call(call, CancellationToken::new()).await;
                    }
                    Ok(report(words))
                }
            }
        })
    }
}

/// A gateway that records the calls.
#[derive(Default)]
struct Counted {
    received_calls: Mutex<Vec<InnerCall>>,
}

impl CallGateway for Counted {
    fn call<'a>(&'a self, call: InnerCall, _cancel: CancellationToken) -> NestedCallFuture<'a> {
        self.received_calls.lock().unwrap().push(call);
        Box::pin(ready(InnerAnswer::of_words(CallOutcome::Done, String::new())))
    }

    fn tools(&self) -> Vec<CallableTool> {
        let rows = [
            ("look", vec![Access::Reads]),
            ("search", vec![Access::Reads, Access::Asks]),
            ("write", vec![Access::Reads, Access::Writes]),
            ("run", vec![Access::Executes]),
            ("fetch", vec![Access::Fetches]),
        ];
        let offered = rows.map(|(name, access)| CallableTool {
            name: name.to_owned(),
            description: String::new(),
            schema: "{}".to_owned(),
            access,
        });
        offered.to_vec()
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        panic!("`apart` was called on a gateway that is already separate")
    }
}

/// The outer gateway: its `apart` returns the recording gateway, and no call may go to it directly.
struct Outer(Arc<Counted>);

impl CallGateway for Outer {
    fn call<'a>(&'a self, _call: InnerCall, _cancel: CancellationToken) -> NestedCallFuture<'a> {
        panic!("the model's call used the session of the outer call")
    }

    fn tools(&self) -> Vec<CallableTool> {
        self.0.tools()
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        self.0.clone()
    }
}

/// Creates an engine for the files of a test environment.
fn engine(world: &World, model: Option<Arc<Scripted>>, backend: SearchBackend) -> Engine {
    let agents = model.map(|model| model as Arc<dyn Agents>);
    Engine::builder(world.engine.workspace().clone()).with_agents(agents).with_search_backend(backend).build()
}

/// A test environment with a guiding model.
struct Guided {
    world: World,
    gateway: Arc<Counted>,
    model: Arc<Scripted>,
}

impl Guided {
    fn by(model: Arc<Scripted>) -> Self {
        let mut world = World::new(&FILES);
        world.engine = engine(&world, Some(model.clone()), SearchBackend::Words);
        Self { world, gateway: Arc::default(), model }
    }

    /// Returns the context of a call that may not delegate to this agent.
    fn without(&self, agent: &'static str) -> CallCtx {
        let delegate = Box::new(move |name: &str| name != agent);
        let permissions = Arc::new(Permissive { delegate, ..Permissive::default() });
        CallCtx { permissions, ..self.cx() }
    }

    fn cx(&self) -> CallCtx {
        CallCtx { gateway: Some(Arc::new(Outer(self.gateway.clone()))), ..self.world.cx(Fresh::NOT_ASKED) }
    }

    fn request(&self, objective: &str) -> Request {
        Request::of(objective.to_owned(), self.world.engine.resolve(".").unwrap())
    }

    async fn ask(&self, change: impl FnOnce(Request) -> Request) -> Output {
        let request = change(self.request("Where is Cart.total computed?"));
        self.world.run::<Investigate>(request, self.cx()).await.unwrap()
    }
}

fn of_model(output: &Output) -> Vec<(&str, String)> {
    let own = output.findings.iter().take_while(|finding| finding.by == Whose::Model);
    own.map(|finding| (finding.claim.as_str(), finding.evidence.join(" "))).collect()
}

#[tokio::test]
async fn model_claims_are_located_at_their_citations() {
    let words = "Here it is.\nCLAIM The total is the sum of the prices and the shipping.\nCITE shop/cart.py:5-6 | return  sum(self.prices) + shipping(self)\nCITE E1\n- CLAIM: Shipping is 5.\n- CITE: `shop/cart.py:9-10` | `return 5`\nGAP Nothing says in which currency.";
    let guided = Guided::by(Scripted::does(AgentBehaviour::Says(words)));
    let output = guided.ask(|request| request).await;
    assert_eq!(
        of_model(&output),
        [
            (
                "The total is the sum of the prices and the shipping.",
                "shop/cart.py:6 shop/cart.py:5".to_owned()
            ),
            ("Shipping is 5.", "shop/cart.py:10".to_owned()),
        ]
    );
    // The findings of the search follow those of the model.
    assert_eq!((output.findings[2].by, output.findings[2].name.as_str()), (Whose::Search, "Cart.total"));
    let guide = output.guide.as_ref().unwrap();
    assert_eq!(
        (guide.ended, guide.turns, guide.claims, guide.dropped),
        (GuideEndReason::Completed, Some(2), 2, 0)
    );
    assert!(output.gaps.contains(&"the model says: Nothing says in which currency.".to_owned()));
    let jobs = guided.model.jobs.lock().unwrap();
    let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
    assert!(job.task.starts_with("Find out about the code in this workspace: Where is Cart.total computed?"));
    let context = job.context.as_ref().unwrap();
    assert!(context.contains("E1 [shop/cart.py:5"), "{context}");
    // The search takes two of the eight turns, and the model gets the rest. Only read-only tools are
    // available.
    assert_eq!(job.turns, Some(8 - (output.meta.turns as u64 - 2)));
    assert_eq!(*guided.model.tools.lock().unwrap(), ["look", "search"]);
}

#[tokio::test]
async fn claims_with_wrong_citations_are_dropped_and_counted() {
    let rows = [
        ("CLAIM a", "the claim has no citation"),
        ("CLAIM a\nCITE shop/nothing.py:1 | class Cart", "shop/nothing.py cannot be read here"),
        (
            "CLAIM a\nCITE shop/cart.py:99 | class Cart",
            "shop/cart.py:99 is cited, but shop/cart.py ends at line 10",
        ),
        ("CLAIM a\nCITE shop/cart.py:0 | class Cart", "shop/cart.py:0 is not a valid range of lines"),
        ("CLAIM a\nCITE shop/cart.py:6-5 | return", "shop/cart.py:6-5 is not a valid range of lines"),
        ("CLAIM a\nCITE shop/cart.py:1 | class Basket", "the quoted text is not in shop/cart.py:1"),
        ("CLAIM a\nCITE shop/cart.py:1-5 | return 5", "the quoted text is not in shop/cart.py:1-5"),
        ("CLAIM a\nCITE shop/cart.py:1", "the claim cites shop/cart.py:1 without quoting text from there"),
        ("CLAIM a\nCITE E99", "E99 is not the id of a piece of evidence; there are "),
        ("CLAIM a\nCITE E0", "E0 is not the id of a piece of evidence; there are "),
        ("CLAIM a\nCITE somewhere", "somewhere is not a location; write path:line | quoted text"),
        ("CLAIM a\nCITE ../out/secret:1 | secret", ""),
        ("CLAIM a\nCITE shop:1 | x", "shop cannot be read here"),
        ("CLAIM a\nCITE tests/test_cart.py:5 | assert", "tests/test_cart.py is outside the scope"),
        // A claim with a valid and an invalid citation is dropped, too.
        ("CLAIM a\nCITE E1\nCITE shop/cart.py:1 | x y z", "the quoted text is not in shop/cart.py:1"),
    ];
    each_async(rows, async |(words, why)| {
        let guided = Guided::by(Scripted::does(AgentBehaviour::Says(words)));
        let output = guided.ask(|request| Request { scope: vec!["shop/**".into()], ..request }).await;
        let guide = output.guide.as_ref().unwrap();
        assert_eq!((of_model(&output), guide.claims, guide.dropped), (Vec::new(), 1, 1), "{words}");
        assert!(guide.dropped_claims[0].why.starts_with(why), "{words}: {:?}", guide.dropped_claims);
        assert!(!format!("{output:?}").contains("\"secret\""));
        assert_eq!(output.findings[0].name, "Cart.total", "{words}");
        assert!(
            output.gaps.last().unwrap().contains("1 claim (1 dropped because of wrong citations)"),
            "{words}"
        );
    })
    .await;
}

#[tokio::test]
async fn search_findings_are_reported_however_the_model_ends() {
    let claim = "CLAIM a\nCITE E1";
    let rows = [
        (
            AgentBehaviour::Fails,
            GuideEndReason::Failed,
            0,
            "the guiding model failed, so these results come from the search alone: The model did not answer: as told",
        ),
        (
            AgentBehaviour::Stops("", AgentStopReason::Turns),
            GuideEndReason::Turns,
            0,
            "the guiding model was stopped early: The work was stopped; 0 claims",
        ),
        (
            AgentBehaviour::Stops(claim, AgentStopReason::Turns),
            GuideEndReason::Turns,
            1,
            "the guiding model was stopped early: The work was stopped; 1 claim",
        ),
        (
            AgentBehaviour::Stops("", AgentStopReason::Time),
            GuideEndReason::Time,
            0,
            "the guiding model was stopped",
        ),
        (
            AgentBehaviour::Stops("", AgentStopReason::Tokens),
            GuideEndReason::Tokens,
            0,
            "the guiding model was stopped",
        ),
        (
            AgentBehaviour::Stops("", AgentStopReason::Calls),
            GuideEndReason::Calls,
            0,
            "the guiding model was stopped",
        ),
        (
            AgentBehaviour::Says("It is in cart.py."),
            GuideEndReason::Completed,
            0,
            "a model guided this search: the model's answer has no claim in the required form; 0 claims",
        ),
        (
            AgentBehaviour::Calls(100, claim),
            GuideEndReason::Completed,
            1,
            "a model guided this search; 1 claim; ",
        ),
    ];
    each_async(rows, async |(does, ended, kept, words)| {
        let guided = Guided::by(Scripted::does(does));
        let output = guided.ask(|request| request).await;
        let guide = output.guide.as_ref().unwrap();
        assert_eq!((guide.ended, of_model(&output).len()), (ended, kept), "{words}");
        assert!(output.gaps.last().unwrap().starts_with(words), "{:?}", output.gaps);
        assert_eq!(output.findings[kept].name, "Cart.total", "{words}");
    })
    .await;
}

#[tokio::test]
async fn model_tool_calls_stay_within_the_call_limit() {
    let guided = Guided::by(Scripted::does(AgentBehaviour::Calls(100, "CLAIM a\nCITE E1")));
    let limits = Limits { turns: 8, calls: 20 };
    let output = guided.ask(|request| Request { limits, ..request }).await;
    let guide = output.guide.unwrap();
    let received_calls = guided.gateway.received_calls.lock().unwrap();
    assert_eq!(
        (received_calls.len(), guide.calls, guide.refused),
        (guide.calls, received_calls.len(), 100 - received_calls.len())
    );
    assert!(received_calls.iter().all(|call| call.may == NestedCallPermissions::Read));
    assert_eq!((output.meta.calls, output.meta.max_calls), (20, 20));
    assert!(output.meta.turns <= 8);
}

#[tokio::test]
async fn model_is_not_prompted_if_rules_or_limits_forbid_it() {
    let guided = Guided::by(Scripted::does(AgentBehaviour::Says("CLAIM a\nCITE E1")));
    let request = || guided.request("Where is Cart.total computed?");
    type Context = fn(&Guided) -> CallCtx;
    let own: Context = Guided::cx;
    let inside: Context = |guided| CallCtx { gateway: None, ..guided.cx() };
    let ruled: Context = |guided| guided.without("investigator");
    let one = Request { limits: Limits { turns: 1, calls: 40 }, ..request() };
    let few = Request { limits: Limits { turns: 8, calls: 1 }, ..request() };
    let late = Request { time: Some(Duration::ZERO), ..request() };
    let rows = [
        (request(), inside, "no model guided this search: a call made by another call cannot ask a model"),
        (
            request(),
            ruled,
            "no model guided this search: the rules do not allow delegating to the agent investigator",
        ),
        (one, own, "no model guided this search: the search used all 1 turns"),
        (few, own, "no model guided this search: the search used all 1 tool calls"),
        (late, own, "no model guided this search: the time limit was reached"),
    ];
    each_async(rows, async |(request, context, words)| {
        let cx = context(&guided);
        let output = guided.world.run::<Investigate>(request, cx).await.unwrap();
        assert_eq!(output.guide.as_ref().unwrap().ended, GuideEndReason::NotAsked, "{words}");
        assert!(output.gaps.last().unwrap().starts_with(words), "{words}: {:?}", output.gaps);
    })
    .await;
    assert!(guided.model.jobs.lock().unwrap().is_empty());
    // Without a model, the output does not mention one.
    let world = World::new(&FILES);
    let output = world.run::<Investigate>(request(), guided.cx()).await.unwrap();
    assert!(output.guide.is_none() && !output.gaps.iter().any(|gap| gap.contains("model")));
}

#[tokio::test]
async fn endless_model_is_abandoned_at_time_limit_or_cancellation() {
    let guided = Guided::by(Scripted::does(AgentBehaviour::Waits));
    let time = Some(Duration::from_secs(2));
    let output = guided.ask(|request| Request { time, ..request }).await;
    assert_eq!(output.guide.unwrap().ended, GuideEndReason::Time);
    assert_eq!(output.findings[0].name, "Cart.total");
    let cx = guided.cx();
    let cancel = cx.cancel.clone();
    let model = guided.model.clone();
    tokio::spawn(async move {
        while model.jobs.lock().unwrap().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    });
    let request = guided.request("Where is Cart.total computed?");
    let failure = guided.world.run::<Investigate>(request, cx).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.what.as_str()),
        (Kind::Cancelled, "The call was cancelled while it waited for a model.")
    );
}

/// Returns code with 100 functions that mention parcels, and a comment with `mark` at the end.
fn parcels(from: usize, mark: &str) -> String {
    let one = |number: usize| {
        let line = format!("    # parcel {number} is weighed, and its weight is written down with care\n");
        format!("def parcel_{number}():\n{}    return {number}\n\n\n", line.repeat(8))
    };
    (from..from + 100).map(one).collect::<String>() + &format!("# parcel {mark}\n")
}

fn mapping(answer: impl Fn(&Prompt) -> Result<String, Failure> + Send + Sync + 'static) -> Guided {
    let guided = Guided::by(Scripted::new(AgentBehaviour::Says(""), answer));
    for (name, from, mark) in [("a.py", 0, "first"), ("b.py", 100, "second"), ("c.py", 200, "third")] {
        guided.world.put(name, parcels(from, mark));
    }
    guided
}

async fn analyzed(guided: &Guided, cx: CallCtx) -> Result<analyze::Output, Failure> {
    let question = Some("How is a parcel weighed?".to_owned());
    let base = guided.world.engine.resolve(".").unwrap();
    guided.world.run::<Analyze>(analyze::Request { base, depth: Depth::Normal, question }, cx).await
}

/// Answers a prompt: a valid claim about the first function of the chunk, and one with a wrong quote.
fn first_of(prompt: &Prompt) -> Result<String, Failure> {
    if prompt.instruction.contains("numbered claims") {
        return Ok(format!("All of them [C1]. {} claims.", prompt.data.lines().count()));
    }
    if prompt.data.contains("def parcel_150") {
        return Err(Failure::new(Kind::Io, "The model is overloaded."));
    }
    let (number, name) = prompt.data.lines().find_map(|line| line.split_once("| def ")).unwrap();
    let path = prompt.data.lines().find_map(|line| line.strip_prefix("== ")?.split(':').next()).unwrap();
    Ok(format!(
        "CLAIM It is weighed.\nCITE {path}:{number} | def {name}\nCLAIM It is sent.\nCITE {path}:{number} | send it"
    ))
}

#[tokio::test]
async fn question_is_mapped_over_whole_blocks_and_summarised() {
    let guided = mapping(first_of);
    let output = analyzed(&guided, guided.cx()).await.unwrap();
    let mapped = output.mapped.unwrap();
    let prompts = guided.model.prompts.lock().unwrap();
    let chunks: Vec<&Prompt> =
        prompts.iter().filter(|prompt| !prompt.instruction.contains("numbered")).collect();
    assert_eq!((mapped.chunks, chunks.len()), (chunks.len(), mapped.chunks));
    assert!(mapped.chunks > 2 && mapped.left_out == 0, "{mapped:?}");
    // Every function is in exactly one chunk, and complete.
    for number in 0..300 {
        let (begins, ends) = (format!("| def parcel_{number}():"), format!("|     return {number}\n"));
        let holding: Vec<_> = chunks.iter().filter(|chunk| chunk.data.contains(&begins)).collect();
        assert_eq!(holding.len(), 1, "{number}");
        assert!(holding[0].data.contains(&ends), "{number}");
        assert!(holding[0].data.len() <= 60_000, "{}", holding[0].data.len());
    }
    // The failed chunk is reported; the claims about the other chunks are summarised.
    let [failed] = mapped.failed.as_slice() else { panic!("{:?}", mapped.failed) };
    assert!(failed.ends_with("): The model is overloaded") && failed.starts_with("chunk "), "{failed}");
    assert_eq!((mapped.claims.len(), mapped.dropped), (mapped.chunks - 1, mapped.chunks - 1));
    assert_eq!(mapped.dropped_claims[0].claim, "It is sent.");
    assert_eq!(mapped.summary, Some(format!("All of them [C1]. {} claims.", mapped.chunks - 1)));
    let most = guided.model.most.load(Ordering::SeqCst);
    assert!(most > 1 && most <= 4, "{most}");
    // Search findings are reported as well.
    assert!(!output.answer.unwrap().findings.is_empty());
}

#[tokio::test]
async fn failed_chunks_and_summaries_are_reported() {
    let guided = mapping(|prompt| match prompt.instruction.contains("numbered claims") {
        true => Err(Failure::new(Kind::Io, "The model is gone.")),
        false => first_of(prompt),
    });
    let mapped = analyzed(&guided, guided.cx()).await.unwrap().mapped.unwrap();
    assert_eq!((mapped.summary, mapped.unsummed.as_deref()), (None, Some("The model is gone")));
    assert!(!mapped.claims.is_empty());
    let guided = mapping(|_| Err(Failure::new(Kind::Io, "The model is gone.")));
    let mapped = analyzed(&guided, guided.cx()).await.unwrap().mapped.unwrap();
    assert_eq!((mapped.failed.len(), mapped.claims.len(), mapped.summary), (mapped.chunks, 0, None));
    let guided = mapping(|_| Ok("NOTHING".to_owned()));
    let mapped = analyzed(&guided, guided.cx()).await.unwrap().mapped.unwrap();
    assert_eq!((mapped.failed.len(), mapped.claims.len(), mapped.summary), (0, 0, None));
    let guided = mapping(|_| Ok("It is weighed somewhere.".to_owned()));
    let mapped = analyzed(&guided, guided.cx()).await.unwrap().mapped.unwrap();
    assert!(
        mapped.failed.len() == mapped.chunks
            && mapped.failed[0].contains("has no claim in the required form"),
        "{mapped:?}"
    );
}

#[tokio::test]
async fn unanswered_question_ends_at_time_limit_or_cancellation() {
    let waiting = || {
        let guided = Guided::by(Scripted::does(AgentBehaviour::Waits));
        guided.world.put("a.py", parcels(0, "first"));
        guided
    };
    let guided = waiting();
    let cx = guided.cx().within(Some(Duration::from_secs(3)));
    let mapped = analyzed(&guided, cx).await.unwrap().mapped.unwrap();
    assert_eq!(mapped.failed.len(), mapped.chunks);
    assert!(mapped.failed[0].ends_with("the time limit was reached"), "{:?}", mapped.failed);
    let guided = waiting();
    let (cx, model) = (guided.cx(), guided.model.clone());
    let cancel = cx.cancel.clone();
    tokio::spawn(async move {
        while model.prompts.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    });
    assert_eq!(analyzed(&guided, cx).await.unwrap_err().kind, Kind::Cancelled);
    // Without a question, or if the rules forbid the agent, the model is not queried.
    let guided = waiting();
    let base = guided.world.engine.resolve(".").unwrap();
    let request = analyze::Request { base, depth: Depth::Deep, question: None };
    let output = guided.world.run::<Analyze>(request, guided.cx()).await.unwrap();
    assert!(output.mapped.is_none() && output.answer.is_none());
    let ruled = guided.without("analyst");
    let mapped = analyzed(&guided, ruled).await.unwrap().mapped.unwrap();
    assert!(mapped.not_asked.unwrap().contains("the agent analyst"));
    assert!(guided.model.prompts.lock().unwrap().is_empty());
}

async fn run_block_search(guided: &Guided, query: &str) -> block_search::Output {
    let request = search::Request {
        base: guided.world.engine.resolve(".").unwrap(),
        query: query.to_owned(),
        matching: Matching::Query,
        tests: Tests::LeftOut,
        limit: 20,
        tokens: Some(20_000),
        from: From::First,
        max_bytes: 80_000,
    };
    guided.world.run::<BlockSearch>(request, guided.cx()).await.unwrap()
}

fn blocks(output: &block_search::Output) -> Vec<String> {
    let shown = output.found.blocks.iter();
    shown.map(|block| format!("{}:{}-{}", block.path, block.first_line, block.last_line)).collect()
}

#[tokio::test]
async fn agent_search_runs_only_with_the_agent_backend() {
    let words = "CLAIM Mail is where addresses go.\nCITE shop/mail.py:1-2\nCLAIM And what pays.\nCITE E1\nCLAIM Not there.\nCITE shop/mail.py:7-9\n";
    let mut guided = Guided::by(Scripted::does(AgentBehaviour::Says(words)));
    let plain = run_block_search(&guided, "cart total").await;
    assert!(plain.method.is_none() && guided.model.jobs.lock().unwrap().is_empty());
    guided.world.engine = engine(&guided.world, Some(guided.model.clone()), SearchBackend::Agent);
    let output = run_block_search(&guided, "cart total").await;
    let given = output.method.as_ref().unwrap();
    let guide = given.guide.as_ref().unwrap();
    assert_eq!((given.by, guide.claims, guide.dropped), (BlockSelector::Agent, 3, 1));
    assert_eq!(given.groups[0].places, ["shop/mail.py:1-2"]);
    let shown = blocks(&output);
    assert_eq!((shown.len(), shown[0].as_str()), (2, "shop/mail.py:1-2"));
    assert_eq!(shown[1], given.groups[1].places[0]);
    // Shown content counts as seen, so that it can be edited.
    let seen = guided.world.engine.resolve("shop/mail.py").unwrap();
    assert!(guided.world.session.ledger.seen(&seen).is_some());
    // An exact query needs no agent.
    let jobs_before = guided.model.jobs.lock().unwrap().len();
    let request = search::Request {
        matching: Matching::Exact,
        ..search::Request {
            base: guided.world.engine.resolve(".").unwrap(),
            query: "return 5".to_owned(),
            matching: Matching::Query,
            tests: Tests::LeftOut,
            limit: 20,
            tokens: None,
            from: From::First,
            max_bytes: 80_000,
        }
    };
    assert!(guided.world.run::<BlockSearch>(request, guided.cx()).await.unwrap().method.is_none());
    assert_eq!(guided.model.jobs.lock().unwrap().len(), jobs_before);
}

#[tokio::test]
async fn search_falls_back_to_query_expansion_without_an_agent() {
    let rows = [
        (AgentBehaviour::Fails, "the guiding model failed"),
        (AgentBehaviour::Stops("", AgentStopReason::Turns), "the guiding model was stopped early"),
        (AgentBehaviour::Says("CLAIM a\nCITE shop/none.py:1-2"), "1 claim (1 dropped"),
        (AgentBehaviour::Says("NOTHING"), "the model reported that nothing matches"),
    ];
    each_async(rows, async |(does, words)| {
        let mut guided = Guided::by(Scripted::does(does));
        guided.world.engine = engine(&guided.world, Some(guided.model.clone()), SearchBackend::Agent);
        let output = run_block_search(&guided, "where is the total").await;
        let given = output.method.as_ref().unwrap();
        assert_eq!(given.by, BlockSelector::Expansion, "{words}");
        assert!(given.guide.as_ref().unwrap().words().contains(words), "{words}: {:?}", given.guide);
        assert!(blocks(&output).contains(&"shop/cart.py:5-6".to_owned()), "{:?}", blocks(&output));
        assert!(blocks(&output).iter().all(|block| !block.starts_with("tests/")));
    })
    .await;
    // Without a model, the query is expanded; a query with operators is used unchanged.
    let mut guided = Guided::by(Scripted::does(AgentBehaviour::Fails));
    guided.world.engine = engine(&guided.world, None, SearchBackend::Agent);
    let output = run_block_search(&guided, "where is the total").await;
    let given = output.method.as_ref().unwrap();
    assert!(given.by == BlockSelector::Expansion && given.guide.is_none());
    let output = run_block_search(&guided, "total AND NOT cart").await;
    assert_eq!(output.method.unwrap().by, BlockSelector::Words);
}
