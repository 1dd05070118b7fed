//! Signal handling: the first signal cancels the work, the second one ends the process immediately.

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

/// Exit status of cancelled work.
pub(crate) const GIVEN_UP: u8 = 130;

/// Cancels the token on the first signal. Must be called inside a Tokio runtime.
pub(crate) fn cancelling(cancel: CancellationToken) -> Result<()> {
    let signalled = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = unix::pipe::pipe().context("cannot create a pipe for signals")?;
    let sender = sender.into_nonblocking_fd().context("cannot create a pipe for signals")?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let heard = "cannot handle signals";
        // The order matters: the shutdown handler must see the flag before the first signal sets it.
        flag::register_conditional_shutdown(signal, i32::from(GIVEN_UP), signalled.clone()).context(heard)?;
        flag::register(signal, signalled.clone()).context(heard)?;
        pipe::register(signal, sender.try_clone().context("cannot create a pipe for signals")?)
            .context(heard)?;
    }
    tokio::spawn(async move {
        if receiver.read_u8().await.is_ok() && signalled.load(Ordering::SeqCst) {
            cancel.cancel();
            eprintln!("toolpost: stopping; press Ctrl-C again to quit immediately");
        }
    });
    Ok(())
}
