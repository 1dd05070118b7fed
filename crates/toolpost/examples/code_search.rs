//! Read-only code search: each line of standard input is a regular expression, and each reply lists matches.
//!
//! ```sh
//! echo 'fn main' | cargo run -p toolpost --example code_search -- .
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use serde_json::json;
use std::{error::Error, io::stdin};
use toolpost::{Toolpost, settings::values::Deny};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args().nth(1).ok_or("usage: code_search DIRECTORY")?;
    let post = Toolpost::builder(root)
        .read_only()
        .deny(Deny::Execute)
        .deny(Deny::Fetch)
        .tools(["Grep", "Glob", "Read"])
        .structured()
        .open()
        .await?;
    let session = post.session();
    for line in stdin().lines() {
        let pattern = line?;
        let reply =
            session.call("Grep", json!({ "pattern": pattern, "output_mode": "content", "-n": true })).await;
        if reply.is_error() {
            eprintln!("{pattern}: {}", reply.text());
            continue;
        }
        println!("{}", reply.text());
    }
    post.close().await;
    Ok(())
}
