//! Model-guided tools as clients see them: whole replies, and a guiding model that can only read.

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use toolpost_dialects::{probe, zblade};
use toolpost_engine::{
    Agents, Asking, CallCtx, CallGateway, Ended, Failure, Finished, InnerCall, Job, May, Pictures, Prompt,
    Report, Session,
};

const CART: &str = "class Cart:\n    def total(self):\n        \"\"\"Adds up the prices.\"\"\"\n        return sum(self.prices)\n";

/// Makes the calls that it was given, then answers.
struct Guide {
    calls: Vec<(&'static str, Value)>,
    words: &'static str,
    heard: Mutex<Vec<(Ended, String)>>,
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
    ) -> Asking<'a, String> {
        let summed = prompt.instruction.contains("numbered claims");
        Box::pin(async move {
            Ok::<_, Failure>(if summed { "It adds them up [C1].".to_owned() } else { self.words.to_owned() })
        })
    }

    fn work<'a>(&'a self, _job: Job, gateway: Arc<dyn CallGateway>, _cx: &'a CallCtx) -> Asking<'a, Report> {
        *self.offered.lock().unwrap() = gateway.tools().into_iter().map(|tool| tool.name).collect();
        Box::pin(async move {
            for (tool, arguments) in &self.calls {
                let call = InnerCall {
                    tool: (*tool).to_owned(),
                    arguments: arguments.to_string(),
                    reply_bytes: 10_000,
                    due: None,
                    may: May::Everything,
                    pictures: Pictures::Named,
                };
                let answer = gateway.call(call, CancellationToken::new()).await;
                self.heard.lock().unwrap().push((answer.ended, answer.words));
            }
            let ended = Finished::Completed;
            Ok(Report { words: self.words.to_owned(), missing: None, ended, turns: Some(1) })
        })
    }
}

#[tokio::test]
async fn an_investigation_tells_whose_each_claim_is() {
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
    let asked = json!({ "objective": "Where does Cart.total add up the prices?" });
    let said = words(&world.call("codebase_investigator", asked.clone()).await);
    let reply: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        reply["findings"][0],
        json!({ "claim": "The prices are summed up.", "evidence": ["src/cart.py:4"], "by": "model" })
    );
    assert_eq!(reply["findings"][1]["by"], "search");
    let model = json!({
        "ended": "completed", "why": null, "turns": 1, "calls": 5, "refused": 0, "claims": 2, "dropped": 1,
        "dropped_claims": [{ "claim": "And taxed.", "why": "the words that it quotes do not stand in src/cart.py:4" }]
    });
    assert_eq!(reply["meta"]["model"], model);
    let heard = guide.heard.lock().unwrap().clone();
    let ended: Vec<Ended> = heard.iter().map(|(ended, _)| *ended).collect();
    assert_eq!(
        ended,
        [Ended::Done, Ended::Refused, Ended::Refused, Ended::Refused, Ended::Done],
        "{heard:?}"
    );
    // Within it no model is asked, so there is an end.
    assert!(heard[4].1.contains("inside of another call no model is asked"), "{heard:?}");
    assert_eq!(world.files()["src/cart.py"], CART.as_bytes());
    let offered = guide.offered.lock().unwrap().clone();
    assert!(offered.iter().any(|name| name == "read_file"));
    for name in ["write_file", "run_command", "batch", "delete_file", "apply_patch"] {
        assert!(!offered.iter().any(|own| own == name), "{name}");
    }
    let markdown =
        json!({ "objective": "Where does Cart.total add up the prices?", "output_format": "markdown" });
    let said = words(&world.call("codebase_investigator", markdown).await);
    assert!(
        said.contains("1. the model: The prices are summed up. [src/cart.py:4]\n2. function Cart.total"),
        "{said}"
    );
}

#[tokio::test]
async fn a_model_reads_no_more_than_the_rules_let_it() {
    let secret = json!({ "path": "../out/secret" });
    let hidden = json!({ "path": ".env" });
    let guide = Guide::new(
        &[("read_file", secret), ("read_file", hidden)],
        "CLAIM a\nCITE .env:1 | TOKEN\nCLAIM b\nCITE ../out/secret:1 | secret",
    );
    let world = World::answering(&zblade::DIALECT, guide.clone());
    world.put("src/cart.py", CART);
    world.put(".env", "TOKEN=x\n");
    let said = words(&world.call("codebase_investigator", json!({ "objective": "prices" })).await);
    let reply: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&reply["meta"]["model"]["claims"], &reply["meta"]["model"]["dropped"]),
        (&json!(2), &json!(2))
    );
    let heard = guide.heard.lock().unwrap();
    assert!(
        heard.iter().all(|(ended, words)| *ended != Ended::Done && !words.contains("TOKEN=x")),
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_question_over_a_project_is_answered_with_its_claims() {
    let guide = Guide::new(&[], "CLAIM The prices are summed up.\nCITE src/cart.py:4 | sum(self.prices)");
    let world = World::answering(&probe::DIALECT, guide);
    world.put("src/cart.py", CART);
    let said = words(&world.call("analyze_all", json!({ "question": "Where are prices added up?" })).await);
    let wanted = ".: 1 file, 4 lines in known languages\n\nAnswer of the model:\nIt adds them up [C1].\n\nClaims of the model, each checked against the files:\nC1 The prices are summed up. [src/cart.py:4]\n\nSearch results for the question, without the model:\n1. ";
    assert!(said.starts_with(wanted), "{said}");
    assert!(said.contains("the model read 1 chunk with "), "{said}");
    assert!(
        said.contains("; 0 without an answer; 0 blocks left out; 0 claims dropped for wrong citations"),
        "{said}"
    );
}

#[tokio::test]
async fn a_search_asks_nobody_unless_the_operator_says_so() {
    let guide = Guide::new(&[], "CLAIM There.\nCITE src/cart.py:1-4");
    let world = World::answering(&probe::DIALECT, guide.clone());
    world.put("src/cart.py", CART);
    let plain = World::new(&probe::DIALECT);
    plain.put("src/cart.py", CART);
    let asked = json!({ "query": "prices" });
    assert_eq!(words(&world.call("search", asked.clone()).await), words(&plain.call("search", asked).await));
    assert!(guide.offered.lock().unwrap().is_empty());
}
