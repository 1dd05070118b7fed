//! Tests of invalid messages: they are answered if possible, and the server continues.

use crate::common;
use toolpost_test_rows::each_async;

use common::{Client, call, done, meta, until_done};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

/// Sends bytes to a server of either era; checks the messages before the answer to the next request.
async fn check(bytes: &[u8], expected: &[Value]) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(120)]).into_owned();
    for mut client in [Client::modern(), Client::legacy(json!({})).await] {
        client.raw(bytes).await;
        let id = client.ask("tools/list", meta(json!({}), json!({}))).await;
        let mut got = Vec::new();
        loop {
            let message = client.next().await.unwrap_or_else(|| panic!("the server is gone after {shown}"));
            if message["id"] == id && message.get("result").is_some() {
                break;
            }
            got.push(json!([message["id"], message["error"]["code"]]));
        }
        assert_eq!(got, expected, "{shown}");
    }
}

#[tokio::test]
async fn invalid_messages_get_errors_and_serving_continues() {
    check(b"\n\r\n \n", &[]).await;
    check(b"{oops\n", &[json!([null, -32700])]).await;
    check(b"\xff\xfe\x00\n", &[json!([null, -32700])]).await;
    check(b"[]\n", &[json!([null, -32600])]).await;
    check(b"[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}]\n", &[json!([null, -32600])]).await;
    check(
        b"null\ntrue\n7\n\"x\"\n",
        &[json!([null, -32600]), json!([null, -32600]), json!([null, -32600]), json!([null, -32600])],
    )
    .await;
    each_async(["null", "true", "1.5", "1e400", "123456789012345678901234567890", "{}"], async |id| {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let code = if id == "1e400" { -32700 } else { -32600 };
        check(line.as_bytes(), &[json!([null, code])]).await;
    })
    .await;
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"tools/call\",\"params\":[]}\n",
        &[json!(["p", -32602])],
    )
    .await;
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n", &[]).await;
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"$/setTrace\"}\n", &[]).await;
    check(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":1,\"message\":\"\"}}\n", &[])
        .await;
}

#[tokio::test]
async fn deeply_nested_messages_are_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"deep\",\"method\":\"ping\",\"params\":{deep}}}\n");
        check(line.as_bytes(), &[json!(["deep", -32700])]).await;
    }
}

#[tokio::test]
async fn oversized_messages_are_refused() {
    let text = "a".repeat(17 * 1024 * 1024);
    let early = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"tools/call\",\"params\":{{\"name\":\"{text}\"}}}}\n"
    );
    check(early.as_bytes(), &[json!(["big", -32600])]).await;
    let late = format!(
        "{{\"method\":\"tools/call\",\"params\":{{\"name\":\"{text}\"}},\"jsonrpc\":\"2.0\",\"id\":\"big\"}}\n"
    );
    check(late.as_bytes(), &[json!(["big", -32600])]).await;
    check(format!("{text}\n").as_bytes(), &[json!([null, -32600])]).await;
}

#[tokio::test]
async fn messages_of_900_kb_are_served() {
    let mut client = Client::modern();
    let text = "a".repeat(900_000);
    let got = client.request("tools/call", meta(call("Echo", json!({"text": text})), json!({}))).await;
    assert_eq!(got["result"]["content"][0]["text"].as_str().map(str::len), Some(900_000));
}

#[tokio::test]
async fn cancellations_of_unknown_requests_are_ignored() {
    let lines: String = (0..100_000)
        .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}\n"))
        .collect();
    let mut client = Client::modern();
    client.raw(lines.as_bytes()).await;
    assert_eq!(
        client.request("tools/list", meta(json!({}), json!({}))).await["result"]["resultType"],
        "complete"
    );
}

#[tokio::test]
async fn a_thousand_concurrent_requests_are_all_answered() {
    let mut client = Client::modern();
    let mut to = client.to.take().unwrap();
    let sending = tokio::spawn(async move {
        for id in 0..1000 {
            let params = meta(call("Echo", json!({"text": id.to_string()})), json!({}));
            let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        to
    });
    let mut got: Vec<i64> = Vec::new();
    for _ in 0..1000 {
        let message = client.next().await.unwrap();
        let id = message["id"].as_i64().unwrap();
        assert_eq!(message["result"]["content"][0]["text"], id.to_string());
        got.push(id);
    }
    got.sort_unstable();
    assert_eq!(got, (0..1000).collect::<Vec<i64>>());
    sending.await.unwrap();
}

/// During long calls, the server handles a ping, a call of another tool, a cancellation and the end of the input.
#[tokio::test]
async fn running_calls_do_not_block_other_messages() {
    const CALLS: i64 = 600;
    let mut client = Client::modern();
    for id in 1..=CALLS {
        let params = meta(call("Wait", json!({"name": format!("busy-{id}-"), "steps": 100_000})), json!({}));
        client.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }
    until_done("busy-256- begins").await;
    client.send(json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"})).await;
    assert_eq!(client.next().await.unwrap()["id"], "ping");
    let params = meta(call("Echo", json!({"text": "heard"})), json!({}));
    client.send(json!({"jsonrpc": "2.0", "id": "echo", "method": "tools/call", "params": params})).await;
    assert_eq!(client.next().await.unwrap()["id"], "echo");
    // A waiting call is dropped without a reply, and the end of a running one lets the next one begin.
    for id in [300, 7] {
        let params = json!({"requestId": id, "reason": "no longer wanted"});
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    }
    until_done("busy-7- is cancelled").await;
    until_done("busy-257- begins").await;
    for id in 1..=CALLS {
        let params = json!({"requestId": id});
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    }
    until_done("busy-256- is cancelled").await;
    client.send(json!({"jsonrpc": "2.0", "id": "after", "method": "ping"})).await;
    assert_eq!(client.next().await.unwrap()["id"], "after");
    assert_eq!(done("busy-300- begins"), Vec::<String>::new());
    let params = meta(call("Wait", json!({"name": "last", "steps": 100_000})), json!({}));
    client.send(json!({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": params})).await;
    until_done("last begins").await;
    let (served, _) = client.end().await;
    assert!(served.is_ok());
    until_done("last is cancelled").await;
}

#[tokio::test]
async fn random_input_does_not_end_the_server() {
    // A small generator, so that every run sees the same noise.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let proper = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": meta(call("Echo", json!({"text": "x"})), json!({}))});
    let proper = proper.to_string().into_bytes();
    let mut client = Client::modern();
    for _ in 0..500 {
        let mut line = proper.clone();
        for _ in 0..=random() % 6 {
            let at = usize::try_from(random()).unwrap() % line.len().max(1);
            match random() % 3 {
                0 if at < line.len() => line[at] = random().to_le_bytes()[0],
                1 if at < line.len() => drop(line.remove(at)),
                _ => line.truncate(at),
            }
        }
        line.push(b'\n');
        client.raw(&line).await;
        client.send(json!({"jsonrpc": "2.0", "id": "alive", "method": "tools/list", "params": meta(json!({}), json!({}))})).await;
        loop {
            let message = client.next().await.expect("the server is gone");
            if message["id"] == "alive" {
                break;
            }
        }
    }
}
