//! The event log: one JSON line for each event of a call.

use crate::{
    error::{Error, Explain},
    settings::{Settings, values::EventsDetail},
};
use std::{
    io::Write,
    sync::{Mutex, PoisonError},
};
use toolpost_runtime::{Detail, Runtime};
use toolpost_workspace::operator;

/// Appends the events of a runtime to the file that the setting `events` names, if any.
pub(crate) fn write(runtime: &Runtime, settings: &Settings) -> Result<(), Error> {
    let Some(path) = &settings.events.value else { return Ok(()) };
    let file = operator::append(path)
        .explain_with(Error::Events, || format!("cannot write events to {}", path.display()))?;
    let file = Mutex::new(file);
    let detail = match settings.events_detail.value {
        EventsDetail::Names => Detail::Names,
        EventsDetail::All => Detail::All,
    };
    runtime.events().listen(detail, move |event| {
        let Ok(mut line) = serde_json::to_vec(event) else { return };
        line.push(b'\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(&line) {
            tracing::warn!(%error, "cannot write to the event log");
        }
    });
    Ok(())
}
