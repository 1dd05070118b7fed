//! Tool loop over a chat API in the style of OpenAI: the model calls the tools until it answers.
//!
//! ```sh
//! cargo run -p toolpost --example tool_loop -- http://127.0.0.1:11434/v1 qwen3 . "Where is the configuration read?"
//! ```
//!
//! The URL must be plain HTTP, for example of a model server on this machine.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use serde_json::{Value, json};
use std::error::Error;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use toolpost::{Session, Toolpost};

/// Maximum number of requests to the model.
const TURNS: usize = 50;

fn main() -> Result<(), Box<dyn Error>> {
    toolpost::sandbox::init(); // first, before the runtime starts its threads
    run()
}

#[tokio::main]
async fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base, model, root, task] = arguments.as_slice() else {
        return Err("usage: tool_loop BASE_URL MODEL DIRECTORY TASK".into());
    };
    let post = Toolpost::builder(root).open().await?;
    let answer = answer(&post, base, model, task).await?;
    println!("{answer}");
    post.close().await;
    Ok(())
}

/// Lets the model work on a task, and returns its answer.
pub(crate) async fn answer(
    post: &Toolpost,
    base: &str,
    model: &str,
    task: &str,
) -> Result<String, Box<dyn Error>> {
    let session = post.session();
    let tools: Vec<Value> = post.tools().iter().map(definition).collect();
    let mut messages = vec![
        json!({ "role": "system", "content": post.instructions() }),
        json!({ "role": "user", "content": task }),
    ];
    for _ in 0..TURNS {
        let request = json!({ "model": model, "messages": messages, "tools": tools });
        let response = request_json(base, &request).await?;
        let message = response.pointer("/choices/0/message").ok_or("the response has no message")?.clone();
        messages.push(message.clone());
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            return Ok(message["content"].as_str().unwrap_or_default().to_owned());
        }
        for call in &calls {
            messages.push(result(&session, call).await);
        }
    }
    Err(format!("the model did not answer within {TURNS} requests").into())
}

/// Returns the definition of a tool in the form of the API.
fn definition(tool: &toolpost::Tool) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
    })
}

/// Makes a call of the model, and returns the message with its result. The model reads failures, too.
async fn result(session: &Session, call: &Value) -> Value {
    let name = call["function"]["name"].as_str().unwrap_or_default();
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    eprintln!("{name} {arguments}");
    let reply =
        session.call_text(name, arguments).on_progress(|count, what| eprintln!("  {count} {what}")).await;
    json!({ "role": "tool", "tool_call_id": call["id"], "content": reply.text() })
}

/// Posts JSON over plain HTTP. In your program, use an HTTP client library instead.
async fn request_json(base: &str, body: &Value) -> Result<Value, Box<dyn Error>> {
    let address = base.strip_prefix("http://").ok_or("the address must begin with http://")?;
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let body = body.to_string();
    let request = format!(
        "POST /{path}/chat/completions HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let host = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut stream = TcpStream::connect(host).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    let (head, content) = response.split_once("\r\n\r\n").ok_or("the response has no content")?;
    let status = head.lines().next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        return Err(format!("the server answered `{status}`: {content}").into());
    }
    Ok(serde_json::from_str(content)?)
}
