//! Gives work up when a person or the system wants that: the first signal cancels it, the second one ends the process at once.

use anyhow::{Context, Result};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag,
    low_level::pipe,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::{io::AsyncReadExt, net::unix};
use tokio_util::sync::CancellationToken;

/// The exit status of work that was given up.
pub(crate) const GIVEN_UP: u8 = 130;

/// Cancels work with the first signal, from now on; called where threads of tokio run.
pub(crate) fn cancelling(cancel: CancellationToken) -> Result<()> {
    let told = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = unix::pipe::pipe().context("no pipe for signals")?;
    let sender = sender.into_nonblocking_fd().context("no pipe for signals")?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let heard = "signals cannot be heard";
        // In this order: the first signal finds the flag down, and puts it up.
        flag::register_conditional_shutdown(signal, i32::from(GIVEN_UP), told.clone()).context(heard)?;
        flag::register(signal, told.clone()).context(heard)?;
        pipe::register(signal, sender.try_clone().context("no pipe for signals")?).context(heard)?;
    }
    tokio::spawn(async move {
        if receiver.read_u8().await.is_ok() && told.load(Ordering::SeqCst) {
            cancel.cancel();
            eprintln!("toolpost: stopping; press Ctrl-C again to quit at once");
        }
    });
    Ok(())
}
