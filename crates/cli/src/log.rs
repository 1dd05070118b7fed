//! What the operator can read about calls: on standard error, where TOOLPOST_LOG asks for it.

use tracing::Level;

/// Starts to write; the variable names the level: error, warn, info, debug or trace.
pub(crate) fn start() {
    let Some(level) = std::env::var("TOOLPOST_LOG").ok().and_then(|level| level.parse::<Level>().ok()) else {
        return;
    };
    let subscriber =
        tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(level);
    let _ = tracing::subscriber::set_global_default(subscriber.finish());
}
