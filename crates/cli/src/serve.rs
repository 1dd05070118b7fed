//! `toolpost serve`: the tools over MCP on standard input and output.

use crate::{
    args::Serve,
    ask::{self, Input, SessionCalls},
    out,
};
use anyhow::{Context, Result};
use std::{io::IsTerminal, process::ExitCode};
use toolpost::{Settings, Toolpost, settings::Flags};
use toolpost_engine::WORKERS;
use toolpost_runtime::Runtime;
use toolpost_text::plural::counted;

/// Maximum number of threads that block on the disk or the client. Each needs memory, and a client may send
/// thousands of calls at the same time. The threads that read requests and send replies are separate.
const WAITING: usize = WORKERS + 8;

/// Returns a hint for a user who started the server at a terminal.
fn waiting(runtime: &Runtime) -> String {
    let dialects: Vec<&str> = runtime.config().dialects.iter().map(|dialect| dialect.name).collect();
    format!(
        "toolpost: serving {} ({}) for {} over MCP, and waiting for a client on standard input.\n\
         MCP clients start this command themselves, for example: claude mcp add toolpost -- toolpost serve\n\
         To call a tool here, use `toolpost call`. Ctrl-C stops the server.",
        counted(runtime.catalogue().listed().count() as u64, "tool"),
        dialects.join(", "),
        runtime.engine().roots().join(", ")
    )
}

/// Serves until standard input ends.
pub(crate) fn run(flags: &Flags, serve: Serve) -> Result<ExitCode> {
    toolpost_workspace::memory::keep_little();
    let settings = Settings::of_user(flags.clone())?;
    let asker = ask::asker(settings.ask.value, Input::Taken, SessionCalls::Several);
    let builder = Toolpost::with_settings(settings.clone()).asker(asker.clone());
    let post = if serve.structured { builder.structured() } else { builder }.open_blocking()?;
    out::report(&post);
    if std::io::stdin().is_terminal() {
        eprintln!("{}", waiting(post.runtime()));
    }
    let options = toolpost_mcp_server::Options {
        name: "toolpost".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        asker,
        session: settings.session.value.clone(),
    };
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(WAITING)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let served = threads.block_on(async {
        post.begin_to_connect();
        let served = toolpost_mcp_server::stdio(&post, options).await;
        post.close().await;
        served
    });
    threads.shutdown_background();
    served?;
    Ok(ExitCode::SUCCESS)
}
