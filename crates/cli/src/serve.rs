//! `toolpost serve`: the tools over MCP on standard input and output.

use crate::{
    args::{Common, Serve},
    ask::{self, Input},
    settings::Settings,
    wire,
};
use anyhow::{Context, Result};
use std::process::ExitCode;
use toolpost_runtime::Structured;

/// How many threads wait for the disk at most: each keeps memory of its own, and a client may send thousands of calls at once.
const WAITING: usize = 32;

/// The most memory that the allocator keeps in each of its arenas is twice this.
const ROOM: usize = 1024 * 1024;

/// Serves until standard input ends.
pub(crate) fn run(common: &Common, serve: Serve) -> Result<ExitCode> {
    keep_room();
    let settings = Settings::find(common)?;
    let structured = if serve.structured { Structured::On } else { Structured::Off };
    let wired = wire::wire(&settings, structured, wire::Life::Long)?;
    for line in wired.recovery.lines() {
        eprintln!("toolpost: {line}");
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
        .context("the threads could not be started")?;
    let served = threads.block_on(async {
        if let Some(bridge) = &wired.bridge {
            bridge.begin(&wired.runtime);
        }
        let served = toolpost_serve::stdio(wired.runtime.clone(), options).await;
        tokio::join!(wired.runtime.shut_down(), wired.who.end());
        served
    });
    threads.shutdown_background();
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Lets the allocator keep what one reply took for the next one. The one of glibc begins by giving back to the system
/// whatever is more than 128 KB, after each reply anew; it learns from the first large block that is freed (mallopt(3),
/// `M_MMAP_THRESHOLD`). Other allocators lose nothing by it.
fn keep_room() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(ROOM)));
}
