//! The connection of one client, from the first message to the last.

use crate::{
    Options, ServeError,
    mcp::Handler,
    wire::{ConnectionEnd, FromClient, Lane, OpenRequests, Order, Reader, Wire, Writer},
};
use rmcp::{service::serve_directly_with_ct, transport::stdio_pipes};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
    time::timeout,
};
use toolpost_runtime::{Published, Runtime};

/// The longest time between the last request and the end of input at which a client counts as one-shot: a
/// client that sends its requests and closes its output.
const BREATH: Duration = Duration::from_millis(100);
/// Maximum wait for the answers to a client that closed its output right after its requests.
const ONE_SHOT: Duration = Duration::from_millis(300);
/// The size of the pipe to the client, in bytes: the most that the system lets an unprivileged process set.
#[cfg(target_os = "linux")]
const PIPE: usize = 1024 * 1024;
/// The time limit for calls to end after the client is gone.
const LAST: Duration = Duration::from_millis(30);

/// Serves one client on standard input and output, until it disconnects. `runtime` is an open `&Toolpost`, or a runtime.
///
/// # Errors
/// If standard input cannot be read, or standard output cannot be written, although the client is connected.
pub async fn stdio(runtime: impl Into<Arc<Runtime>>, options: Options) -> Result<(), ServeError> {
    widen();
    let (input, output) = stdio_pipes();
    connection(runtime, options, input, output).await
}

/// Enlarges the pipe of standard output to hold a whole reply, so that one write is enough and does not
/// alternate with the client's reads. If there is no pipe, or the system refuses, replies are written in the
/// pieces that fit.
fn widen() {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(std::io::stdout(), PIPE);
}

/// Serves one client on any pair of streams, until it disconnects. `runtime` is an open `&Toolpost`, or a runtime.
///
/// # Errors
/// If the input cannot be read, or the output cannot be written, although the client is connected.
pub async fn connection(
    runtime: impl Into<Arc<Runtime>>,
    options: Options,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServeError> {
    let runtime = runtime.into();
    let ends = ConnectionEnd::default();
    let open = Arc::new(OpenRequests::new());
    let writer = Writer::new(output, ends.clone());
    let (through, said) = mpsc::channel(1);
    let lane_of = {
        let runtime = Arc::clone(&runtime);
        // Calls of unknown tools share a lane (a group with a common limit), so that there are never more
        // lanes than tools.
        move |tool: &str| runtime.catalogue().find(tool).map(lane).unwrap_or_default()
    };
    // `rmcp`, the protocol library, must not see the end of input before all calls have ended, because it would no longer
    // forward their progress.
    let kept = through.clone();
    let reader = Reader::new(input, writer.clone(), Arc::clone(&open), through, Box::new(lane_of));
    let handler = Handler::new(runtime, options, Arc::clone(&open), ends.clone());
    let wire = Wire { said, writer, open: Arc::clone(&open) };
    let service = serve_directly_with_ct(handler, wire, None, ends.gone.clone());
    let reading = tokio::spawn(reader.run());
    let passing = tokio::spawn(pass_on(Arc::clone(&open), kept.clone()));
    let stop = reading.abort_handle();
    let read = tokio::select! {
        read = reading => read.unwrap_or_else(|error| Err(error.into())),
        () = ends.gone.cancelled() => Ok(Duration::MAX),
    };
    stop.abort();
    finish(&ends, &open, read.as_ref().map_or(Duration::MAX, |since| *since)).await;
    passing.abort();
    drop((service, kept));
    read.map_err(ServeError::Input)?;
    ends.fault().map_or(Ok(()), |error| Err(ServeError::Output(error)))
}

fn lane(tool: &Published) -> Lane {
    let order = if tool.is_read_only() { Order::Free } else { Order::InOrder };
    Lane { tool: tool.name.clone(), order }
}

/// Forwards the waiting requests to the protocol library, each as soon as its lane allows it to run.
async fn pass_on(open: Arc<OpenRequests>, through: mpsc::Sender<FromClient>) {
    loop {
        open.next_ready().await;
        let _passing = open.passing.lock().await;
        if let Some(message) = open.take_ready()
            && through.send(message).await.is_err()
        {
            return;
        }
    }
}

/// Waits for the answers to a client that closed its output right after its requests, then ends the calls that
/// still run. `since` is the time between the last request and the end of the input.
async fn finish(ends: &ConnectionEnd, open: &OpenRequests, since: Duration) {
    ends.closing.cancel();
    if since < BREATH {
        tokio::select! {
            // Whichever comes first, the remaining calls are cancelled next.
            _ = timeout(ONE_SHOT, open.empty()) => {}
            () = ends.gone.cancelled() => {}
        }
    }
    ends.gone.cancel();
    timeout(LAST, open.empty()).await.ok();
}
