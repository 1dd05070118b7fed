//! Progress notifications, at a limited rate.

use rmcp::{
    model::{ProgressNotificationParam, ProgressToken},
    service::{Peer, RoleServer},
};
use std::{pin::pin, time::Duration};
use tokio::{sync::watch, time::sleep};
use toolpost_engine::Progress;

/// The shortest time between two progress notifications of a call.
const PACE: Duration = Duration::from_millis(250);

/// Forwards the progress of a call to the client that requested it.
pub(super) struct ProgressReports {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    latest: watch::Receiver<LastReport>,
}

#[derive(Default)]
struct LastReport {
    count: u64,
    what: String,
}

/// Creates the progress listener of a call, and the forwarder of its reports; without a token there is no
/// forwarder.
pub(super) fn reports(
    token: Option<ProgressToken>,
    peer: &Peer<RoleServer>,
) -> (Progress, Option<ProgressReports>) {
    let Some(token) = token else { return (Progress::silent(), None) };
    let (tell, latest) = watch::channel(LastReport::default());
    let progress = Progress::new(move |count, what| {
        tell.send_if_modified(|last| {
            let grown = count > last.count;
            if grown {
                *last = LastReport { count, what: what.to_owned() };
            }
            grown
        });
    });
    (progress, Some(ProgressReports { token, peer: peer.clone(), latest }))
}

impl ProgressReports {
    /// Runs a call; notifications are sent while it runs, and none after.
    pub(super) async fn during<T>(mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        loop {
            tokio::select! {
                biased;
                outcome = &mut call => return outcome,
                Ok(()) = self.latest.changed() => {}
            }
            let mut report = pin!(self.report());
            tokio::select! {
                outcome = &mut call => {
                    report.await;
                    return outcome;
                }
                () = &mut report => {}
            }
            tokio::select! {
                outcome = &mut call => return outcome,
                () = sleep(PACE) => {}
            }
        }
    }

    async fn report(&self) {
        let report = {
            let latest = self.latest.borrow();
            #[expect(
                clippy::cast_precision_loss,
                reason = "no progress count exceeds the precision of a float"
            )]
            let report = ProgressNotificationParam::new(self.token.clone(), latest.count as f64);
            if latest.what.is_empty() { report } else { report.with_message(latest.what.clone()) }
        };
        // If the notification fails, the client has disconnected, and the call ends as well.
        self.peer.notify_progress(report).await.ok();
    }
}
