//! The first program of docs/embed.md, which lists the tools and calls one of them.
//!
//! ```sh
//! cargo run -p toolpost --example embed
//! ```

#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use serde_json::json;
use toolpost::Toolpost;

fn main() -> Result<(), toolpost::Error> {
    toolpost::sandbox::init(); // first, before the runtime starts its threads
    run()
}

#[tokio::main]
async fn run() -> Result<(), toolpost::Error> {
    let post = Toolpost::builder(".").open().await?;
    for tool in post.tools() {
        println!("{}: {}", tool.name, tool.schema);
    }
    let session = post.session();
    let reply = session.call("Grep", json!({ "pattern": "fn main" })).await;
    println!("{}", reply.text());
    post.close().await;
    Ok(())
}
