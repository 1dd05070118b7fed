//! Editor that the editor tools use.

use crate::{
    parts::PartState,
    settings::{
        Settings,
        values::{EditorChoice, OnOff},
    },
};
use std::{env, path::PathBuf, sync::Arc};
use tokio::runtime;
use toolpost_engine::{CallCtx, Editor, EditorAct, EditorSetup, Engine, InsertionFallback, Session};
use toolpost_nvim::Neovim;
use toolpost_text::plural::counted;
use toolpost_workspace::Workspace;

/// Environment variables in which Neovim passes its socket to programs in its terminal; older versions use
/// the second.
const SOCKETS: [&str; 2] = ["NVIM", "NVIM_LISTEN_ADDRESS"];

/// Returns the editor to use, without connecting to it.
pub(super) fn editing(settings: &Settings, workspace: &Workspace) -> EditorSetup {
    let roots = workspace.roots().iter().map(|root| root.path().to_path_buf()).collect();
    let editor = socket(&settings.editor.value).map(|socket| Arc::new(Neovim::new(socket, roots)));
    let without = if settings.editor_apply.value == OnOff::On {
        InsertionFallback::Applied
    } else {
        InsertionFallback::Told
    };
    EditorSetup { editor: editor.map(|editor| editor as Arc<dyn Editor>), without }
}

/// Connects to the editor, and describes the result, or why none is attached. Must not be called inside a Tokio runtime.
///
/// # Errors
/// If no thread can be started.
pub fn report(settings: &Settings, engine: &Engine) -> std::io::Result<(String, PartState)> {
    let Some(editor) = &engine.editing().editor else {
        let why = if settings.editor.value == EditorChoice::Off {
            "off"
        } else {
            "Toolpost does not run in an editor's terminal"
        };
        let unset = format!("no editor is attached ({why}); --editor nvim:SOCKET attaches one");
        return Ok((unset, PartState::Unset));
    };
    let threads = runtime::Builder::new_current_thread().enable_all().build()?;
    let context = CallCtx::denied(Session::new());
    let view = threads.block_on(editor.ask(EditorAct::Look, &context));
    Ok(match view {
        Ok(view) => {
            let files = counted(view.open.len() as u64, "open file");
            (format!("{} is attached, with {files}", editor.name()), PartState::Works)
        }
        Err(failure) => (failure.what, PartState::Fails),
    })
}

/// Returns the socket of the editor to use; `None` if there is no editor.
pub(super) fn socket(editor: &EditorChoice) -> Option<PathBuf> {
    match editor {
        EditorChoice::Off => None,
        EditorChoice::Neovim(socket) => Some(socket.clone()),
        EditorChoice::Auto => {
            let mut sockets = SOCKETS.iter().filter_map(env::var_os).map(PathBuf::from);
            sockets.find(|socket| socket.is_absolute())
        }
    }
}
