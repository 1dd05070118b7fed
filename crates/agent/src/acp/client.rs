//! What an agent hears from its client: updates are passed on, permission is given or not, files go by the front door.

use super::{
    allowed::{self, Verdict},
    files::Files,
    setup::May,
};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, ErrorCode, UntypedMessage, on_receive_notification, on_receive_request,
    v1::{
        ConnectionTo,
        schema::{
            ReadTextFileRequest, RequestPermissionOutcome, RequestPermissionRequest,
            RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification,
            SessionUpdate, WriteTextFileRequest,
        },
    },
};
use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use toolpost_text::cut;

/// How many characters are shown of what an agent wants to do.
const SHOWN: usize = 120;
/// The method of updates.
const UPDATE: &str = "session/update";

/// What comes from an agent in one of its sessions.
#[derive(Debug)]
pub(super) enum Heard {
    /// It tells of its work.
    Update(Box<SessionUpdate>),
    /// It asked for something, and was answered.
    Asked { what: String, verdict: Verdict },
}

/// What an agent may do in one of its sessions, and who hears of it.
#[derive(Clone)]
pub(super) struct Seat {
    pub(super) heard: mpsc::Sender<Heard>,
    /// None where nothing may be touched.
    pub(super) files: Option<Arc<Files>>,
    pub(super) may: May,
    /// Says of a path whether it lies in the workspace and may be read.
    pub(super) may_read: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
}

/// The sessions of one agent process.
#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<SessionId, Seat>>>);

impl Sessions {
    pub(super) fn add(&self, id: SessionId, seat: Seat) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, seat);
    }

    pub(super) fn remove(&self, id: &SessionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    fn get(&self, id: &SessionId) -> Option<Seat> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Passes an update on; one of a kind that is not known is passed over.
    async fn hear(&self, message: UntypedMessage) {
        if message.method() != UPDATE {
            return;
        }
        let (_, parameters) = message.into_parts();
        let Ok(notification) = serde_json::from_value::<SessionNotification>(parameters) else {
            tracing::debug!("an update of an agent is of no known kind");
            return;
        };
        if let Some(seat) = self.get(&notification.session_id) {
            seat.heard.send(Heard::Update(Box::new(notification.update))).await.ok();
        }
    }

    async fn permit(&self, request: RequestPermissionRequest) -> RequestPermissionResponse {
        let Some(seat) = self.get(&request.session_id) else {
            return RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled);
        };
        let call = &request.tool_call;
        let may = if seat.files.is_some() { seat.may } else { May::Read };
        let reads = |path: &Path| seat.files.is_some() && (seat.may_read)(path);
        let answer = allowed::answer(call, &request.options, may, reads);
        let what = call.fields.title.as_deref().or(call.fields.name.as_deref()).unwrap_or("something");
        let what = cut::line(&what.replace('\n', " "), SHOWN).0.to_owned();
        seat.heard.send(Heard::Asked { what, verdict: answer.verdict }).await.ok();
        RequestPermissionResponse::new(match answer.option {
            Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
            None => RequestPermissionOutcome::Cancelled,
        })
    }

    fn files(&self, id: &SessionId) -> Result<Arc<Files>, Error> {
        let files = self.get(id).and_then(|seat| seat.files);
        files.ok_or_else(|| {
            Error::new(ErrorCode::INVALID_PARAMS, "no file can be reached from this session".to_owned())
        })
    }
}

/// Answers an agent until it goes, or the work with it is over; tells the way to it once there is one.
pub(super) async fn serve(
    transport: impl ConnectTo<Client> + 'static,
    sessions: Sessions,
    tell: oneshot::Sender<ConnectionTo<Agent>>,
    over: CancellationToken,
) -> Result<(), Error> {
    let (updates, asked, read, write) = (sessions.clone(), sessions.clone(), sessions.clone(), sessions);
    Client
        .v1()
        .on_receive_notification(
            async move |message: UntypedMessage, _connection: ConnectionTo<Agent>| {
                updates.hear(message).await;
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection: ConnectionTo<Agent>| {
                responder.respond(asked.permit(request).await)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _connection: ConnectionTo<Agent>| {
                let files = read.files(&request.session_id);
                // Beside all else: a call may wait for somebody who is asked.
                tokio::spawn(async move {
                    let read = async { files?.read(request).await };
                    responder.respond_with_result(read.await).ok();
                });
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _connection: ConnectionTo<Agent>| {
                let files = write.files(&request.session_id);
                tokio::spawn(async move {
                    let written = async { files?.write(request).await };
                    responder.respond_with_result(written.await).ok();
                });
                Ok(())
            },
            on_receive_request!(),
        )
        .connect_with(transport, async move |connection: ConnectionTo<Agent>| {
            tell.send(connection).ok();
            over.cancelled().await;
            Ok(())
        })
        .await
}
