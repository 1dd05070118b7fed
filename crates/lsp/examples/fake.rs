//! A fake language server whose arguments select its behaviour, so that tests can check how bad behaviour is
//! handled.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the fake server crashes on request, and writes to standard error like a real server"
)]

use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let manner = std::env::args().nth(1).unwrap_or_default();
    let mut input = BufReader::new(std::io::stdin());
    let mut seen: Vec<Value> = Vec::new();
    while let Some(message) = read(&mut input)? {
        answer(&manner, &message, &seen)?;
        if message["method"] == "exit" {
            break;
        }
        seen.push(message);
    }
    Ok(())
}

/// Answers one message with the behaviour that the argument selects.
fn answer(manner: &str, message: &Value, seen: &[Value]) -> std::io::Result<()> {
    if manner == "says" {
        return say(message, seen);
    }
    let id = &message["id"];
    match (message["method"].as_str().unwrap_or_default(), manner) {
        ("initialize", _) => greet(manner, id),
        ("initialized", "asks") => {
            send(&json!({ "id": "a", "method": "workspace/configuration", "params": { "items": [{}] } }))?;
            send(&json!({ "id": "b", "method": "no/such" }))
        }
        ("initialized", "indexes" | "never ready") => {
            progress("index", &json!({ "kind": "begin", "title": "indexing", "percentage": 10 }))?;
            if manner == "indexes" {
                await_go();
                progress("index", &json!({ "kind": "end" }))?;
            }
            Ok(())
        }
        ("textDocument/references", "crash") => {
            eprintln!("out of luck");
            std::process::exit(9)
        }
        ("textDocument/references", "deep") => raw(b"Content-Length: 7\r\n\r\n{\"id\":x"),
        ("textDocument/references", "late") => Ok(()),
        ("textDocument/references", "early") if told(seen, "textDocument/references") < 2 => {
            send(&json!({ "id": id, "error": { "code": -32801, "message": "content modified" } }))
        }
        ("initialized", "stray") => {
            send(&json!({ "id": null, "error": { "code": -32700, "message": "odd" } }))
        }
        ("textDocument/references", "odd") => result(id, &json!([{ "uri": 1 }])),
        // The hover text reports how often this server has received each message.
        ("textDocument/hover", _) => {
            let names = ["didOpen", "didChange", "didClose"].map(|name| format!("textDocument/{name}"));
            let mut counts: Vec<String> =
                names.iter().map(|name| format!("{name} {}", told(seen, name))).collect();
            counts.push(format!("cancelled {}", told(seen, "$/cancelRequest")));
            counts.push(format!("watched {}", watched(seen)));
            let replies = seen.iter().filter(|message| message["method"].is_null());
            counts.extend(replies.map(|reply| {
                format!(
                    "{} {}",
                    reply["id"],
                    if reply["error"].is_null() { &reply["result"] } else { &reply["error"]["code"] }
                )
            }));
            result(id, &json!({ "contents": counts.join("; ") }))
        }
        ("textDocument/references" | "textDocument/definition", _) => result(
            id,
            &json!([{
            "uri": message["params"]["textDocument"]["uri"],
            "range": { "start": message["params"]["position"], "end": message["params"]["position"] } }]),
        ),
        (_, _) if !id.is_null() && !message["method"].is_null() => result(id, &Value::Null),
        _ => Ok(()),
    }
}

/// Waits until the file exists that the second argument of the program names.
fn await_go() {
    let go = std::env::args().nth(2).unwrap_or_default();
    while !std::path::Path::new(&go).exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Answers one message. The second argument of the program is a JSON object with the reply to each method.
fn say(message: &Value, seen: &[Value]) -> std::io::Result<()> {
    let words = std::env::args().nth(2).unwrap_or_default();
    let words: Value = serde_json::from_str(&words).unwrap_or_default();
    let (id, method) = (&message["id"], message["method"].as_str().unwrap_or_default());
    let said = &words[method];
    match method {
        "initialize" => result(id, &json!({ "capabilities": said })),
        // The hover text is the parameters of the previous request.
        "textDocument/hover" => {
            let asked = seen.iter().rev().find(|message| !message["id"].is_null());
            result(id, &json!({ "contents": asked.map(|asked| asked["params"].to_string()) }))
        }
        _ if id.is_null() => Ok(()),
        _ if said["error"].is_object() => send(&json!({ "id": id, "error": said["error"] })),
        _ => result(id, said),
    }
}

/// Answers `initialize`.
fn greet(manner: &str, id: &Value) -> std::io::Result<()> {
    match manner {
        "garbage" => raw(b"Welcome to the server!\r\n"),
        "huge" => raw(b"Content-Length: 99999999999\r\n\r\n{"),
        "silent" => Ok(()),
        "crash at once" => {
            eprintln!("no licence");
            std::process::exit(7)
        }
        _ => {
            if manner == "slow" {
                await_go();
            }
            let encoding = match manner {
                "utf-8" => json!("utf-8"),
                "odd encoding" => json!("ebcdic"),
                _ => Value::Null,
            };
            result(
                id,
                &json!({ "capabilities": { "positionEncoding": encoding, "hoverProvider": true,
                "definitionProvider": true, "referencesProvider": {}, "documentSymbolProvider": true } }),
            )
        }
    }
}

fn told(seen: &[Value], method: &str) -> usize {
    seen.iter().filter(|message| message["method"] == method).count()
}

fn watched(seen: &[Value]) -> usize {
    let told = seen.iter().filter(|message| message["method"] == "workspace/didChangeWatchedFiles");
    told.filter_map(|message| message["params"]["changes"].as_array()).map(Vec::len).sum()
}

fn progress(token: &str, value: &Value) -> std::io::Result<()> {
    send(&json!({ "method": "$/progress", "params": { "token": token, "value": value } }))
}

fn result(id: &Value, result: &Value) -> std::io::Result<()> {
    send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn send(message: &Value) -> std::io::Result<()> {
    let body = message.to_string();
    raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

fn raw(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    out.write_all(bytes)?;
    out.flush()
}

fn read(input: &mut impl BufRead) -> std::io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(": ") {
            Some((_, value)) => length = value.parse().unwrap_or(0),
            None => break,
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body).ok())
}
