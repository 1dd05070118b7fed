//! The example `tool_loop` against a scripted model server.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use toolpost::Toolpost;

#[path = "../examples/tool_loop.rs"]
#[expect(dead_code, reason = "the test calls the loop, and not the example's main")]
mod example;

/// Starts a server that answers each request with the next message, and records the requests.
async fn server(messages: Vec<Value>) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let record = requests.clone();
    tokio::spawn(async move {
        for message in messages {
            let (mut stream, _) = listener.accept().await.unwrap();
            let received = request(&mut stream).await;
            record.lock().unwrap().push(received);
            let body = json!({ "choices": [{ "message": message }] }).to_string();
            let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        }
    });
    (base, requests)
}

/// Reads the JSON of a request.
async fn request(stream: &mut TcpStream) -> Value {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
            if body.len() >= length.parse::<usize>().unwrap() {
                return serde_json::from_str(body).unwrap();
            }
        }
        let count = stream.read(&mut bytes).await.unwrap();
        assert!(count > 0, "the request ends early: {text}");
        text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({
        "role": "assistant",
        "tool_calls": [{ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_calls_tools_until_it_answers() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("main.rs"), "fn main() {}\n").unwrap();
    let (base, requests) = server(vec![
        call("1", "Grep", r#"{"pattern": "fn main", "output_mode": "content"}"#),
        call("2", "Grep", "not JSON"),
        call("3", "Nope", "{}"),
        json!({ "role": "assistant", "content": "main.rs has it." }),
    ])
    .await;
    let post = Toolpost::builder(root.path()).state(None).cache(None).open().await.unwrap();
    let answer = example::answer(&post, &base, "scripted", "Where is main?").await.unwrap();
    assert_eq!(answer, "main.rs has it.");
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 4);
    let tools = requests[0]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["function"]["name"] == "Grep"), "{tools:?}");
    assert_eq!(requests[0]["messages"][1]["content"], "Where is main?");
    let results: Vec<(&str, &str)> = requests[3]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| (message["tool_call_id"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    let wanted = [("1", "fn main() {}"), ("2", "not JSON"), ("3", "Nope")];
    assert_eq!(results.len(), wanted.len());
    for ((id, content), (wanted_id, wanted)) in results.into_iter().zip(wanted) {
        assert_eq!(id, wanted_id);
        assert!(content.contains(wanted), "{content}");
    }
}
