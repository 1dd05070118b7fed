//! Model-guided tools as clients see them: whole replies, and a guiding model that only reads.

use crate::common;
use toolpost_test_rows::each;

use common::{World, words};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use toolpost_dialects::{probe, zblade};
use toolpost_engine::{
    AgentStopReason, Agents, AnswerFuture, CallCtx, CallGateway, CallOutcome, Failure, InnerCall, Job,
    NestedCallPermissions, Pictures, Prompt, Report, Session,
};

const CART: &str = "class Cart:\n    def total(self):\n        \"\"\"Adds up the prices.\"\"\"\n        return sum(self.prices)\n";

/// A scripted model that makes the given calls, then answers.
struct Guide {
    calls: Vec<(&'static str, Value)>,
    words: &'static str,
    heard: Mutex<Vec<(CallOutcome, String)>>,
    offered: Mutex<Vec<String>>,
}

impl Guide {
    fn new(calls: &[(&'static str, Value)], words: &'static str) -> Arc<Self> {
        Arc::new(Self { calls: calls.to_vec(), words, heard: Mutex::default(), offered: Mutex::default() })
    }
}

impl Agents for Guide {
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        _session: &'a Session,
        _cancel: CancellationToken,
    ) -> AnswerFuture<'a, String> {
        let summed = prompt.instruction.contains("numbered claims");
        Box::pin(async move {
            Ok::<_, Failure>(if summed { "It adds them up [C1].".to_owned() } else { self.words.to_owned() })
        })
    }

    fn work<'a>(
        &'a self,
        _job: Job,
        gateway: Arc<dyn CallGateway>,
        _cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Report> {
        *self.offered.lock().unwrap() = gateway.tools().into_iter().map(|tool| tool.name).collect();
        Box::pin(async move {
            for (tool, arguments) in &self.calls {
                let call = InnerCall {
                    tool: (*tool).to_owned(),
                    arguments: arguments.to_string(),
                    reply_bytes: 10_000,
                    due: None,
                    may: NestedCallPermissions::Everything,
                    pictures: Pictures::Named,
                };
                let answer = gateway.call(call, CancellationToken::new()).await;
                self.heard.lock().unwrap().push((answer.ended, answer.words));
            }
            let ended = AgentStopReason::Completed;
            Ok(Report { words: self.words.to_owned(), missing: None, ended, turns: Some(1) })
        })
    }
}

#[tokio::test]
async fn investigation_findings_name_their_origin() {
    let calls = [
        ("read_file", json!({ "path": "src/cart.py" })),
        ("write_file", json!({ "path": "src/cart.py", "content": "x" })),
        ("run_command", json!({ "command": "rm src/cart.py" })),
        ("batch", json!({ "calls": [{ "tool": "read_file", "arguments": { "path": "src/cart.py" } }] })),
        ("codebase_investigator", json!({ "objective": "prices" })),
    ];
    let guide = Guide::new(
        &calls,
        "CLAIM The prices are summed up.\nCITE src/cart.py:3-4 | return sum(self.prices)\nCLAIM And taxed.\nCITE src/cart.py:4 | tax",
    );
    let world = World::answering(&zblade::DIALECT, guide.clone());
    world.put("src/cart.py", CART);
    let call_arguments = json!({ "objective": "Where does Cart.total add up the prices?" });
    let reply_text = words(&world.call("codebase_investigator", call_arguments.clone()).await);
    let reply: Value = serde_json::from_str(&reply_text).unwrap();
    assert_eq!(
        reply["findings"][0],
        json!({ "claim": "The prices are summed up.", "evidence": ["src/cart.py:4"], "by": "model" })
    );
    assert_eq!(reply["findings"][1]["by"], "search");
    let model = json!({
        "ended": "completed", "why": null, "turns": 1, "calls": 5, "refused": 0, "claims": 2, "dropped": 1,
        "dropped_claims": [{ "claim": "And taxed.", "why": "the quoted text is not in src/cart.py:4" }]
    });
    assert_eq!(reply["meta"]["model"], model);
    let heard = guide.heard.lock().unwrap().clone();
    let ended: Vec<CallOutcome> = heard.iter().map(|(ended, _)| *ended).collect();
    assert_eq!(
        ended,
        [
            CallOutcome::Done,
            CallOutcome::Refused,
            CallOutcome::Refused,
            CallOutcome::Refused,
            CallOutcome::Done
        ],
        "{heard:?}"
    );
    // A nested call queries no model, so recursion cannot occur.
    assert!(heard[4].1.contains("a call made by another call cannot ask a model"), "{heard:?}");
    assert_eq!(world.files()["src/cart.py"], CART.as_bytes());
    let offered = guide.offered.lock().unwrap().clone();
    assert!(offered.iter().any(|name| name == "read_file"));
    each(["write_file", "run_command", "batch", "delete_file", "apply_patch"], |name| {
        assert!(!offered.iter().any(|own| own == name), "{name}");
    });
    let markdown =
        json!({ "objective": "Where does Cart.total add up the prices?", "output_format": "markdown" });
    let reply_text = words(&world.call("codebase_investigator", markdown).await);
    assert!(
        reply_text
            .contains("1. the model: The prices are summed up. [src/cart.py:4]\n2. function Cart.total"),
        "{reply_text}"
    );
}

#[tokio::test]
async fn guiding_models_cannot_read_denied_files() {
    let secret = json!({ "path": "../out/secret" });
    let hidden = json!({ "path": ".env" });
    let guide = Guide::new(
        &[("read_file", secret), ("read_file", hidden)],
        "CLAIM a\nCITE .env:1 | TOKEN\nCLAIM b\nCITE ../out/secret:1 | secret",
    );
    let world = World::answering(&zblade::DIALECT, guide.clone());
    world.put("src/cart.py", CART);
    world.put(".env", "TOKEN=x\n");
    let reply_text = words(&world.call("codebase_investigator", json!({ "objective": "prices" })).await);
    let reply: Value = serde_json::from_str(&reply_text).unwrap();
    assert_eq!(
        (&reply["meta"]["model"]["claims"], &reply["meta"]["model"]["dropped"]),
        (&json!(2), &json!(2))
    );
    let heard = guide.heard.lock().unwrap();
    assert!(
        heard.iter().all(|(ended, words)| *ended != CallOutcome::Done && !words.contains("TOKEN=x")),
        "{heard:?}"
    );
}

#[tokio::test]
async fn analyze_all_answers_with_checked_claims() {
    let guide = Guide::new(&[], "CLAIM The prices are summed up.\nCITE src/cart.py:4 | sum(self.prices)");
    let world = World::answering(&probe::DIALECT, guide);
    world.put("src/cart.py", CART);
    let reply_text =
        words(&world.call("analyze_all", json!({ "question": "Where are prices added up?" })).await);
    let wanted = ".: 1 file, 4 lines in known languages\n\nAnswer of the model:\nIt adds them up [C1].\n\nClaims of the model, each checked against the files:\nC1 The prices are summed up. [src/cart.py:4]\n\nSearch results for the question, without the model:\n1. ";
    assert!(reply_text.starts_with(wanted), "{reply_text}");
    assert!(reply_text.contains("the model read 1 chunk with "), "{reply_text}");
    assert!(
        reply_text.contains(
            "; chunks without an answer: 0; 0 blocks did not fit; 0 claims dropped because of \
                       wrong citations"
        ),
        "{reply_text}"
    );
}

#[tokio::test]
async fn search_calls_no_model_unless_enabled() {
    let guide = Guide::new(&[], "CLAIM There.\nCITE src/cart.py:1-4");
    let world = World::answering(&probe::DIALECT, guide.clone());
    world.put("src/cart.py", CART);
    let plain = World::new(&probe::DIALECT);
    plain.put("src/cart.py", CART);
    let call_arguments = json!({ "query": "prices" });
    assert_eq!(
        words(&world.call("search", call_arguments.clone()).await),
        words(&plain.call("search", call_arguments).await)
    );
    assert!(guide.offered.lock().unwrap().is_empty());
}
