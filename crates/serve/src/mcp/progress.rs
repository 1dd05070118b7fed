//! How far a call has come, told at a measured pace.

use rmcp::{
    model::{ProgressNotificationParam, ProgressToken},
    service::{Peer, RoleServer},
};
use std::{pin::pin, time::Duration};
use tokio::{sync::watch, time::sleep};
use toolpost_engine::Progress;

/// The shortest time between two reports.
const PACE: Duration = Duration::from_millis(250);

/// Carries what a call reports to the client that asked for it.
pub(super) struct Reports {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    heard: watch::Receiver<Heard>,
}

#[derive(Default)]
struct Heard {
    count: u64,
    what: String,
}

/// Makes a listener for a call, and what carries on what it hears; without a token nobody listens.
pub(super) fn reports(token: Option<ProgressToken>, peer: &Peer<RoleServer>) -> (Progress, Option<Reports>) {
    let Some(token) = token else { return (Progress::silent(), None) };
    let (tell, heard) = watch::channel(Heard::default());
    let progress = Progress::new(move |count, what| {
        tell.send_if_modified(|last| {
            let grown = count > last.count;
            if grown {
                *last = Heard { count, what: what.to_owned() };
            }
            grown
        });
    });
    (progress, Some(Reports { token, peer: peer.clone(), heard }))
}

impl Reports {
    /// Runs a call; reports go out while it runs, and none after.
    pub(super) async fn during<T>(mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        loop {
            tokio::select! {
                biased;
                outcome = &mut call => return outcome,
                Ok(()) = self.heard.changed() => {}
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
            let heard = self.heard.borrow();
            #[expect(clippy::cast_precision_loss, reason = "nothing counts that far")]
            let report = ProgressNotificationParam::new(self.token.clone(), heard.count as f64);
            if heard.what.is_empty() { report } else { report.with_message(heard.what.clone()) }
        };
        // A client that cannot be told is gone, and then the call ends as well.
        self.peer.notify_progress(report).await.ok();
    }
}
