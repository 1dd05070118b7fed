//! Tests of the end of serving: the client closes its input, stops reading, or disconnects.

use crate::common;

use common::{Client, call, done, meta, until_done};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    io::AsyncWriteExt,
    time::{sleep, timeout},
};

#[tokio::test]
async fn disconnect_without_open_calls_ends_the_server_cleanly() {
    let (served, rest) = Client::modern().end().await;
    assert!(served.is_ok());
    assert_eq!(rest, Vec::<Value>::new());

    let mut probed = Client::modern();
    probed.request("server/discover", meta(json!({}), json!({}))).await;
    let (served, rest) = probed.end().await;
    assert!(served.is_ok());
    assert_eq!(rest, Vec::<Value>::new());

    let (served, rest) = Client::legacy(json!({})).await.end().await;
    assert!(served.is_ok());
    assert_eq!(rest, Vec::<Value>::new());
}

#[tokio::test]
async fn running_calls_are_cancelled_on_disconnect() {
    let mut client = Client::modern();
    client.ask("tools/call", meta(call("Wait", json!({"name": "left", "steps": 100_000})), json!({}))).await;
    until_done("left begins").await;
    // Long enough that the client does not count as one-shot.
    sleep(Duration::from_millis(150)).await;
    let (served, _) = client.end().await;
    assert!(served.is_ok());
    assert_eq!(done("left"), ["left begins", "left is cancelled"]);
}

#[tokio::test]
async fn one_shot_clients_get_a_reply_after_closing_input() {
    let mut client = Client::modern();
    let id = client
        .ask("tools/call", meta(call("Wait", json!({"name": "one shot", "steps": 10})), json!({})))
        .await;
    let (served, rest) = client.end().await;
    assert!(served.is_ok());
    let answered: Vec<&Value> = rest.iter().map(|message| &message["id"]).collect();
    assert_eq!(answered, [&json!(id)]);
}

#[tokio::test]
async fn a_last_line_without_a_newline_is_answered() {
    let mut client = Client::modern();
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": meta(json!({}), json!({}))});
    client.raw(request.to_string().as_bytes()).await;
    let (served, rest) = client.end().await;
    assert!(served.is_ok());
    assert_eq!(rest.len(), 1);
}

#[tokio::test]
async fn open_prompts_do_not_delay_shutdown() {
    let mut client = Client::legacy(json!({"elicitation": {"form": {}}})).await;
    client.ask("tools/call", call("Write", json!({"path": "asked.txt", "text": "unanswered"}))).await;
    client.next().await.unwrap();
    let (served, _) = client.end().await;
    assert!(served.is_ok());
    assert_eq!(done("unanswered"), Vec::<String>::new());
}

#[tokio::test]
async fn a_disconnected_client_ends_the_server() {
    let mut client = Client::modern();
    client.ask("tools/call", meta(call("Wait", json!({"name": "gone", "steps": 100_000})), json!({}))).await;
    until_done("gone begins").await;
    let Client { to, from, serving, .. } = client;
    drop((to, from));
    let served = timeout(Duration::from_secs(4), serving).await.expect("it does not end").unwrap();
    assert!(served.is_ok());
    until_done("gone is cancelled").await;
}

#[tokio::test]
async fn server_stops_reading_while_replies_are_unread() {
    let mut client = Client::modern();
    let mut to = client.to.take().unwrap();
    let arguments = json!({"text": "x".repeat(4096)});
    let mut sent: usize = 0;
    loop {
        let params = meta(call("Echo", arguments.clone()), json!({}));
        let line = json!({"jsonrpc": "2.0", "id": sent, "method": "tools/call", "params": params});
        let went = timeout(Duration::from_millis(500), to.write_all(format!("{line}\n").as_bytes())).await;
        if went.is_err() {
            break;
        }
        sent += 1;
        // The open and waiting requests have at most 32 MiB in total, and one more request is being refused.
        assert!(sent < 8_000, "{sent} requests went in although no answer came out");
    }
    // As soon as the client reads, its requests are answered.
    let mut answered = 0;
    for _ in 0..sent {
        let got = client.next().await.unwrap();
        if got.get("error").is_none() {
            assert_eq!(got["result"]["content"][0]["text"].as_str().map(str::len), Some(4096));
            answered += 1;
        }
    }
    assert!(answered + 200 > sent, "{answered} of {sent} were answered");
}
