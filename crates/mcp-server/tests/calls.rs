//! Tests of calls: replies, their order, progress, and messages that must not be sent.

use crate::common;
use toolpost_test_rows::each_async;

use common::{Client, call, done, meta, until_done};
use serde_json::{Value, json};
use std::time::Instant;

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[tokio::test]
async fn call_results_match_the_format_of_each_era() {
    let rows = [
        ("Echo", json!({"text": "hi"}), json!({"content": text("hi")})),
        (
            "Picture",
            json!({}),
            json!({"content": [{"type": "text", "text": "a picture"}, {"type": "image", "data": "/wAQ", "mimeType": "image/png"}]}),
        ),
        (
            "Echo",
            json!({"text": "fail"}),
            json!({"content": text("It failed as it was told to."), "isError": true}),
        ),
        ("Echo", json!({"text": "stop"}), json!({"content": text("stop"), "isError": true})),
        ("Echo", json!({"text": "exit 1"}), json!({"content": text("exit 1")})),
    ];
    let mut legacy = Client::legacy(json!({})).await;
    let mut modern = Client::modern();
    each_async(rows, async |(tool, arguments, expected)| {
        let got = legacy.request("tools/call", call(tool, arguments.clone())).await;
        assert_eq!(got["result"], expected, "legacy {tool} {arguments}");
        let got = modern.request("tools/call", meta(call(tool, arguments.clone()), json!({}))).await;
        let mut expected = expected;
        expected["resultType"] = json!("complete");
        expected["_meta"]["io.modelcontextprotocol/serverInfo"] =
            json!({"name": "toolpost", "version": "1.2.3"});
        assert_eq!(got["result"], expected, "modern {tool} {arguments}");
    })
    .await;
}

#[tokio::test]
async fn invalid_arguments_are_results_and_unknown_tools_are_errors() {
    let arguments = [json!({}), json!({"text": {"a": 1}}), Value::Null];
    let mut legacy = Client::legacy(json!({})).await;
    let mut modern = Client::modern();
    for client in [&mut legacy, &mut modern] {
        for arguments in &arguments {
            let got = client.request("tools/call", meta(call("Echo", arguments.clone()), json!({}))).await;
            assert_eq!(got["result"]["isError"], true, "{arguments} {got}");
        }
        let got = client.request("tools/call", meta(call("Exho", json!({})), json!({}))).await;
        assert_eq!((&got["result"], &got["error"]["code"]), (&Value::Null, &json!(-32602)), "{got}");
        let message = got["error"]["message"].as_str().unwrap();
        assert!(message.contains("No tool is called Exho. Did you mean `Echo`?"), "{message}");
        for arguments in [json!([]), json!(7), json!("no JSON")] {
            let got = client.request("tools/call", meta(call("Echo", arguments.clone()), json!({}))).await;
            assert_eq!(
                (&got["result"], &got["error"]["code"]),
                (&Value::Null, &json!(-32602)),
                "{arguments} {got}"
            );
        }
    }
}

#[tokio::test]
async fn a_panic_ends_the_call_and_not_the_server() {
    let mut client = Client::legacy(json!({})).await;
    let got = client.request("tools/call", call("Echo", json!({"text": "panic"}))).await;
    assert_eq!(got["result"]["isError"], true);
    assert_eq!(
        client.request("tools/call", call("Echo", json!({"text": "on"}))).await["result"]["content"],
        text("on")
    );
}

#[tokio::test]
async fn cancelled_calls_stop_without_a_reply() {
    let mut legacy = Client::legacy(json!({})).await;
    let mut modern = Client::modern();
    for (client, name) in [(&mut legacy, "cancelled-legacy"), (&mut modern, "cancelled-modern")] {
        let id = client
            .ask("tools/call", meta(call("Wait", json!({"name": name, "steps": 100_000})), json!({})))
            .await;
        until_done(&format!("{name} begins")).await;
        let cancelled = json!({"requestId": id, "reason": "no longer wanted"});
        client
            .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
            .await;
        until_done(&format!("{name} is cancelled")).await;
        // The next message is the answer to the next request.
        let next = client.ask("tools/call", meta(call("Echo", json!({"text": "next"})), json!({}))).await;
        assert_eq!(client.next().await.unwrap()["id"], next, "{name}");
        // The id can be used again.
        let again =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": meta(json!({}), json!({}))});
        client.send(again).await;
        assert_eq!(client.next().await.unwrap()["id"], id, "{name}");
    }
}

#[tokio::test]
async fn progress_increases_is_rate_limited_and_precedes_the_reply() {
    for era in ["legacy", "modern"] {
        let mut client = if era == "legacy" { Client::legacy(json!({})).await } else { Client::modern() };
        let began = Instant::now();
        let mut params = meta(call("Wait", json!({"name": "progress", "steps": 220})), json!({}));
        params["_meta"]["progressToken"] = json!("token");
        let id = client.ask("tools/call", params).await;
        let mut counts = Vec::new();
        loop {
            let message = client.next().await.unwrap();
            if message["id"] == id {
                assert_eq!(message["result"]["content"], text("progress is over"));
                break;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], "token");
            assert_eq!(message["params"]["message"], "steps");
            counts.push(message["params"]["progress"].as_f64().unwrap());
        }
        let most = 1 + usize::try_from(began.elapsed().as_millis() / 250).unwrap();
        assert!(!counts.is_empty() && counts.len() <= most, "{era}: {counts:?}, at most {most}");
        assert!(counts.is_sorted_by(|left, right| left < right), "{era}: {counts:?}");
    }
}

#[tokio::test]
async fn calls_without_a_progress_token_send_no_progress() {
    let mut client = Client::modern();
    let id =
        client.ask("tools/call", meta(call("Wait", json!({"name": "silent", "steps": 20})), json!({}))).await;
    assert_eq!(client.next().await.unwrap()["id"], id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writes_run_in_request_order() {
    let mut client = Client::modern();
    let mut lines = String::new();
    for number in 0..200 {
        let params =
            meta(call("Write", json!({"path": "a.txt", "text": format!("ordered {number:03}")})), json!({}));
        lines += &format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        );
    }
    client.raw(lines.as_bytes()).await;
    for _ in 0..200 {
        client.next().await.unwrap();
    }
    let expected: Vec<String> = (0..200).map(|number| format!("ordered {number:03}")).collect();
    assert_eq!(done("ordered"), expected);
}

#[tokio::test]
async fn duplicate_open_request_ids_are_refused() {
    let mut client = Client::modern();
    let wait = meta(call("Wait", json!({"name": "twice", "steps": 100_000})), json!({}));
    client.send(json!({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": wait})).await;
    until_done("twice begins").await;
    client.send(json!({"jsonrpc": "2.0", "id": "same", "method": "tools/list", "params": meta(json!({}), json!({}))})).await;
    let got = client.next().await.unwrap();
    assert_eq!((&got["id"], &got["error"]["code"]), (&json!("same"), &json!(-32600)));
}
