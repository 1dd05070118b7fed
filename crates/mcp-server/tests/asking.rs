//! Tests of approval through the client's user in both eras, and of answers that do not count.

use crate::common;
use toolpost_test_rows::each_async;

use common::{Client, call, done, meta};
use serde_json::{Value, json};
use toolpost_runtime::{StructuredOutput, Verdict};

fn form() -> Value {
    json!({"elicitation": {"form": {}}})
}

fn write(text: &str) -> Value {
    call("Write", json!({"path": "asked.txt", "text": text}))
}

fn question() -> Value {
    json!({
        "mode": "form",
        "message": "Write (test) wants to:\n  write asked.txt\nA test wants it.\nAllow it?",
        "requestedSchema":
            {"type": "object", "properties": {
                "decision": {"type": "string", "title": "Decision", "default": "once", "oneOf": [
                    {"const": "once", "title": "Allow once"},
                    {"const": "session", "title": "Allow writing asked.txt for this session"},
                    {"const": "deny", "title": "Deny"},
                ]},
            }},
    })
}

fn is_refused(answer: &Value) -> bool {
    answer["result"]["isError"] == true
}

#[tokio::test]
async fn legacy_clients_are_prompted_during_the_call() {
    let rows = [
        ("legacy-yes", json!({"action": "accept", "content": {"decision": "once"}}), true),
        ("legacy-no", json!({"action": "accept", "content": {"decision": "deny"}}), false),
        ("legacy-odd", json!({"action": "accept", "content": {"decision": "maybe"}}), false),
        ("legacy-true", json!({"action": "accept", "content": {"decision": true}}), false),
        ("legacy-other", json!({"action": "accept", "content": {"allow": false}}), false),
        ("legacy-plain", json!({"action": "accept"}), true),
        ("legacy-empty", json!({"action": "accept", "content": {}}), true),
        ("legacy-null", json!({"action": "accept", "content": null}), true),
        ("legacy-decline", json!({"action": "decline", "content": {"decision": "once"}}), false),
        ("legacy-cancel", json!({"action": "cancel"}), false),
        ("legacy-nonsense", json!({"x": 1}), false),
    ];
    // A client that lists no elicitation mode supports forms.
    for capabilities in [form(), json!({"elicitation": {}})] {
        each_async(&rows, async |(text, answer, allowed)| {
            let text = &format!("{text} {}", capabilities["elicitation"]);
            let mut client = Client::legacy(capabilities.clone()).await;
            let id = client.ask("tools/call", write(text)).await;
            let mut asked = client.next().await.unwrap();
            asked["params"].as_object_mut().unwrap().remove("_meta");
            assert_eq!(
                (&asked["method"], &asked["params"]),
                (&json!("elicitation/create"), &question()),
                "{text}"
            );
            client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
            let got = client.next().await.unwrap();
            assert_eq!((&got["id"], is_refused(&got)), (&json!(id), !allowed), "{text} {got}");
            assert_eq!(done(text).len(), usize::from(*allowed), "{text}");
        })
        .await;
    }
}

#[tokio::test]
async fn clients_without_form_elicitation_are_not_prompted() {
    let rows = [
        (Verdict::Allow, true),
        (Verdict::Deny("nobody is here".to_owned()), false),
        (Verdict::Later, false),
    ];
    for (verdict, allowed) in rows {
        for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
            let text = format!("else {verdict:?} {capabilities}");
            let mut client = Client::new(StructuredOutput::Off, verdict.clone());
            let got = client.request("tools/call", meta(write(&text), capabilities)).await;
            assert_eq!(is_refused(&got), !allowed, "{text} {got}");
            assert_eq!(done(&text).len(), usize::from(allowed), "{text}");
        }
    }
}

#[tokio::test]
async fn cancelling_a_legacy_call_cancels_its_prompt() {
    let mut client = Client::legacy(form()).await;
    let id = client.ask("tools/call", write("taken back")).await;
    let asked = client.next().await.unwrap();
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}))
        .await;
    let got = client.next().await.unwrap();
    assert_eq!(
        (&got["method"], &got["params"]["requestId"]),
        (&json!("notifications/cancelled"), &asked["id"])
    );
    let next = client.ask("ping", json!({})).await;
    assert_eq!(client.next().await.unwrap()["id"], next);
    assert_eq!(done("taken back"), Vec::<String>::new());
}

#[tokio::test]
async fn open_prompts_do_not_block_other_requests() {
    let mut client = Client::legacy(form()).await;
    // More prompts than may be open at the same time: those above the limit are refused, and none waits.
    for number in 0..20 {
        client
            .ask("tools/call", call("Write", json!({"path": format!("asked{number}.txt"), "text": "crowd"})))
            .await;
    }
    let (mut asked, mut refused) = (0, 0);
    while asked + refused < 20 {
        let message = client.next().await.unwrap();
        asked += usize::from(message["method"] == "elicitation/create");
        refused += usize::from(is_refused(&message));
    }
    assert_eq!((asked, refused), (16, 4));
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

/// Sends a call that needs approval; returns the handle of the question.
async fn open_prompt(client: &mut Client, call: &Value) -> String {
    let mut got = client.request("tools/call", call.clone()).await["result"].take();
    let handle = got["requestState"].take().as_str().expect("a handle").to_owned();
    let expected = json!({
        "resultType": "input_required",
        "inputRequests": {"approval": {"method": "elicitation/create", "params": question()}},
        "requestState": null,
    });
    assert_eq!(got, expected);
    handle
}

fn again(call: &Value, handle: &str, answer: &Value) -> Value {
    let mut call = call.clone();
    call["requestState"] = json!(handle);
    call["inputResponses"] = json!({"approval": answer});
    call
}

fn refused(why: &str) -> Value {
    let message =
        format!("The `requestState` {why}. Make the call again without `requestState` to get a new prompt.");
    json!({"code": -32602, "message": message})
}

#[tokio::test]
async fn modern_clients_answer_by_repeating_the_call() {
    let yes = json!({"action": "accept", "content": {"decision": "once"}});
    let rows = [
        ("modern-yes", yes.clone(), true),
        ("modern-no", json!({"action": "accept", "content": {"decision": "deny"}}), false),
        ("modern-decline", json!({"action": "decline"}), false),
        ("modern-cancel", json!({"action": "cancel"}), false),
        ("modern-nonsense", json!("yes"), false),
    ];
    each_async(rows, async |(text, answer, allowed)| {
        let mut client = Client::modern();
        let call = meta(write(text), form());
        let handle = open_prompt(&mut client, &call).await;
        let got = client.request("tools/call", again(&call, &handle, &answer)).await;
        assert_eq!(
            (&got["result"]["resultType"], is_refused(&got)),
            (&json!("complete"), !allowed),
            "{text} {got}"
        );
        assert_eq!(done(text).len(), usize::from(allowed), "{text}");
        // Any answer makes the handle invalid.
        let got = client.request("tools/call", again(&call, &handle, &yes)).await;
        assert_eq!(got["error"], refused("was used before"), "{text} {got}");
        assert_eq!(done(text).len(), usize::from(allowed), "{text}");
    })
    .await;
}

#[tokio::test]
async fn session_approval_works_in_both_eras() {
    // The scope in the answer, and the number of questions about the same access in two calls.
    let rows = [(json!("session"), 1), (json!("once"), 2), (json!("always"), 2), (json!(null), 2)];
    each_async(rows, async |(span, times)| {
        let yes = json!({"action": "accept", "content": {"decision": span}});
        let text = &format!("legacy span {span}");
        let mut client = Client::legacy(form()).await;
        let mut count = 0;
        for _ in 0..2 {
            let id = client.ask("tools/call", write(text)).await;
            let mut message = client.next().await.unwrap();
            if message["method"] == "elicitation/create" {
                count += 1;
                client.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": yes})).await;
                message = client.next().await.unwrap();
            }
            assert_eq!((&message["id"], is_refused(&message)), (&json!(id), false), "{text} {message}");
        }
        assert_eq!((count, done(text).len()), (times, 2), "{text}");

        let text = &format!("modern span {span}");
        let mut client = Client::modern();
        let call = meta(write(text), form());
        let mut count = 0;
        for _ in 0..2 {
            let mut got = client.request("tools/call", call.clone()).await;
            if let Some(handle) = got["result"]["requestState"].as_str().map(str::to_owned) {
                count += 1;
                got = client.request("tools/call", again(&call, &handle, &yes)).await;
            }
            assert_eq!(
                (&got["result"]["resultType"], is_refused(&got)),
                (&json!("complete"), false),
                "{text} {got}"
            );
        }
        assert_eq!((count, done(text).len()), (times, 2), "{text}");
    })
    .await;
}

#[tokio::test]
async fn approvals_are_rejected_for_other_calls_and_sessions() {
    let yes = json!({"action": "accept", "content": {"decision": "once"}});
    let mut client = Client::modern();
    let call = meta(write("bound"), form());
    let handle = open_prompt(&mut client, &call).await;
    let other = meta(write("bound to another"), form());
    let got = client.request("tools/call", again(&other, &handle, &yes)).await;
    let not_this = refused("was altered, or belongs to another call, another session or an earlier server");
    assert_eq!(got["error"], not_this);
    each_async(["", "x", &"0".repeat(64), &handle[1..], &format!("{handle}x")], async |forged| {
        let got = client.request("tools/call", again(&call, forged, &yes)).await;
        assert_eq!(got["error"], not_this, "{forged}");
    })
    .await;
    let mut another = Client::modern();
    open_prompt(&mut another, &call).await;
    let got = another.request("tools/call", again(&call, &handle, &yes)).await;
    assert_eq!(got["error"], not_this);
    // An answer without a question does not count.
    let mut unasked = call.clone();
    unasked["inputResponses"] = json!({"approval": yes});
    open_prompt(&mut client, &unasked).await;
    // An unanswered question is asked again.
    let handle = open_prompt(&mut client, &call).await;
    let mut unanswered = call.clone();
    unanswered["requestState"] = json!(handle);
    open_prompt(&mut client, &unanswered).await;
    assert_eq!(done("bound"), Vec::<String>::new());
}
