//! Approvals in a terminal: a command that no rule allows runs only if the user types `y`.
//!
//! ```sh
//! cargo run -p toolpost --example approvals -- . "git push"
//! ```

#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use serde_json::json;
use std::{
    error::Error,
    io::{BufRead, Write, stderr, stdin},
    process::ExitCode,
};
use toolpost::{Approval, Question, Toolpost};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    toolpost::sandbox::init(); // first, before the runtime starts its threads
    run()
}

#[tokio::main]
async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, command] = arguments.as_slice() else {
        return Err("usage: approvals DIRECTORY COMMAND".into());
    };
    let post = Toolpost::builder(root).dialect("opencode").approve(ask).open().await?;
    let reply = post
        .session()
        .call("bash", json!({ "command": command, "description": "a command of the user" }))
        .await;
    println!("{}", reply.text());
    post.close().await;
    Ok(if reply.problem().is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prompts at the terminal. Reading a line blocks, so it runs in a blocking thread.
async fn ask(question: Question) -> Approval {
    let line = tokio::task::spawn_blocking(move || {
        let mut out = stderr().lock();
        write!(out, "{}\ny: once, s: for this session, anything else: no > ", question.words())?;
        out.flush()?;
        let mut line = String::new();
        stdin().lock().read_line(&mut line)?;
        std::io::Result::Ok(line)
    });
    match line.await {
        Ok(Ok(line)) if line.trim() == "y" => Approval::Once,
        Ok(Ok(line)) if line.trim() == "s" => Approval::Session,
        Ok(Ok(_)) => Approval::Deny("The user at the terminal denied it.".to_owned()),
        _ => Approval::Deny("The prompt at the terminal failed.".to_owned()),
    }
}
