//! `toolpost serve`: the tools over MCP on standard input and output.

use crate::{
    args::Serve,
    ask::{self, Input},
};
use anyhow::{Context, Result};
use std::{io::IsTerminal, process::ExitCode};
use toolpost::{assembly, settings::Settings, settings::flags::Common};
use toolpost_engine::WORKERS;
use toolpost_runtime::{Runtime, Structured};

/// Maximum number of threads that block on the disk or the client. Each needs memory, and a client may send
/// thousands of calls at once. The threads that read requests and send replies are separate.
const WAITING: usize = WORKERS + 8;

/// Returns a hint for a user who started the server at a terminal.
fn waiting(runtime: &Runtime) -> String {
    let dialects: Vec<&str> = runtime.config().dialects.iter().map(|dialect| dialect.name).collect();
    format!(
        "toolpost: serving {} tools ({}) for {} over MCP, and waiting for a client on standard input.\n\
         MCP clients start this command themselves, for example: claude mcp add toolpost -- toolpost serve\n\
         To call a tool here, use `toolpost call`. Ctrl-C ends the server.",
        runtime.catalogue().listed().count(),
        dialects.join(", "),
        runtime.engine().roots().join(", ")
    )
}

/// Serves until standard input ends.
pub(crate) fn run(common: &Common, serve: Serve) -> Result<ExitCode> {
    toolpost_workspace::memory::keep_little();
    let settings = Settings::find(common)?;
    let structured = if serve.structured { Structured::On } else { Structured::Off };
    let assembly = assembly::assemble(&settings, structured, assembly::Life::Long)?;
    for line in assembly.recovery.lines() {
        eprintln!("toolpost: {line}");
    }
    if std::io::stdin().is_terminal() {
        eprintln!("{}", waiting(&assembly.runtime));
    }
    let options = toolpost_serve::Options {
        name: "toolpost".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        asker: ask::asker(settings.ask.value, Input::Taken),
        session: settings.session.value.clone(),
    };
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(WAITING)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let served = threads.block_on(async {
        if let Some(bridge) = &assembly.bridge {
            bridge.begin(&assembly.runtime);
        }
        let served = toolpost_serve::stdio(assembly.runtime.clone(), options).await;
        tokio::join!(assembly.runtime.shut_down(), assembly.models.end());
        served
    });
    threads.shutdown_background();
    served?;
    Ok(ExitCode::SUCCESS)
}
