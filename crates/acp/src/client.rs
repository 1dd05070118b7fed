//! Requests and notifications of an external agent: progress reports, permissions, and file access through
//! the runtime.

use super::{
    files::Files,
    permissions::{self, Verdict},
    setup::AgentPermissions,
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

/// Maximum length of a displayed action, in characters.
const SHOWN: usize = 120;
/// Method name of progress reports.
const UPDATE: &str = "session/update";

/// Event of a session with an external agent.
#[derive(Debug)]
pub(super) enum SessionEvent {
    /// A progress report.
    Update(Box<SessionUpdate>),
    /// A permission request, with the decision.
    Permission { what: String, verdict: Verdict },
}

/// Rights of an agent in one session, and the receiver of its events.
#[derive(Clone)]
pub(super) struct SessionRights {
    pub(super) heard: mpsc::Sender<SessionEvent>,
    /// File access; `None` if it is denied.
    pub(super) files: Option<Arc<Files>>,
    pub(super) may: AgentPermissions,
    /// Returns whether a path is in the workspace and may be read.
    pub(super) may_read: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
}

/// The sessions of one agent process.
#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<SessionId, SessionRights>>>);

impl Sessions {
    pub(super) fn add(&self, id: SessionId, seat: SessionRights) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, seat);
    }

    pub(super) fn remove(&self, id: &SessionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    fn get(&self, id: &SessionId) -> Option<SessionRights> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Forwards a progress report; unknown kinds are ignored.
    async fn hear(&self, message: UntypedMessage) {
        if message.method() != UPDATE {
            return;
        }
        let (_, parameters) = message.into_parts();
        let Ok(notification) = serde_json::from_value::<SessionNotification>(parameters) else {
            tracing::debug!("ignored a session update of an unknown kind");
            return;
        };
        if let Some(seat) = self.get(&notification.session_id) {
            seat.heard.send(SessionEvent::Update(Box::new(notification.update))).await.ok();
        }
    }

    async fn permit(&self, request: RequestPermissionRequest) -> RequestPermissionResponse {
        let Some(seat) = self.get(&request.session_id) else {
            return RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled);
        };
        let call = &request.tool_call;
        let may = if seat.files.is_some() { seat.may } else { AgentPermissions::Read };
        let reads = |path: &Path| seat.files.is_some() && (seat.may_read)(path);
        let answer = permissions::answer(call, &request.options, may, reads);
        let what = call.fields.title.as_deref().or(call.fields.name.as_deref()).unwrap_or("something");
        let what = cut::line(&what.replace('\n', " "), SHOWN).0.to_owned();
        seat.heard.send(SessionEvent::Permission { what, verdict: answer.verdict }).await.ok();
        RequestPermissionResponse::new(match answer.option {
            Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
            None => RequestPermissionOutcome::Cancelled,
        })
    }

    fn files(&self, id: &SessionId) -> Result<Arc<Files>, Error> {
        let files = self.get(id).and_then(|seat| seat.files);
        files.ok_or_else(|| {
            Error::new(ErrorCode::INVALID_PARAMS, "this session has no access to files".to_owned())
        })
    }
}

/// Answers the requests of an agent until it exits or the connection closes. Sends the connection to `tell`.
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
                // Reads in the background, because the read may wait for an approval.
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
