//! Settings of the editor tools.

use super::{
    parse::one_of,
    sources::{Setting, Sources},
};
use crate::settings::flags::{EditorFlags, OnOff};
use anyhow::{Result, bail};
use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_agent::Neovim;
use toolpost_engine::{CallCtx, Editing, Editor, EditorAct, Engine, Session, Without};
use toolpost_workspace::Workspace;

/// Environment variables that Neovim sets to pass its socket to programs in its terminal; older versions use
/// the second.
const TOLD: [&str; 2] = ["NVIM", "NVIM_LISTEN_ADDRESS"];

/// Editor to attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditorChoice {
    /// The editor in whose terminal this process runs, if any.
    Auto,
    /// No editor.
    Off,
    /// Neovim, listening on this socket.
    Neovim(PathBuf),
}

/// Settings of the editor tools.
pub struct EditorSettings {
    pub editor: Setting<EditorChoice>,
    pub apply: Setting<OnOff>,
}

impl EditorSettings {
    /// Reads the settings from flags, environment and file.
    pub fn find(flags: &EditorFlags, from: &Sources, file: (Option<String>, Option<OnOff>)) -> Result<Self> {
        let said = flags.editor.as_deref().map(which).transpose()?;
        let filed = file.0.as_deref().map(which).transpose()?;
        Ok(Self {
            editor: from.choose(said, "EDITOR", which, filed, EditorChoice::Auto)?,
            apply: from.choose(flags.editor_apply, "EDITOR_APPLY", one_of, file.1, OnOff::Off)?,
        })
    }

    /// Returns the editor to use, without connecting to it.
    pub fn editing(&self, workspace: &Workspace) -> Editing {
        let roots = workspace.roots().iter().map(|root| root.path().to_path_buf()).collect();
        let editor = self.socket().map(|socket| Arc::new(Neovim::new(socket, roots)) as Arc<dyn Editor>);
        let without = if self.apply.value == OnOff::On { Without::Applied } else { Without::Told };
        Editing { editor, without }
    }

    /// Connects to the editor, and describes the result for `doctor`.
    pub fn report(&self, engine: &Engine) -> Result<String> {
        let Some(editor) = &engine.editing().editor else {
            let why = if self.editor.value == EditorChoice::Off {
                "off"
            } else {
                "this is not an editor's terminal"
            };
            return Ok(format!("none is attached ({why}); --editor nvim:SOCKET attaches one"));
        };
        let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let context = CallCtx::denied(Session::new());
        let said = threads.block_on(editor.ask(EditorAct::Look, &context));
        Ok(match said {
            Ok(view) => format!("{} answers; files that are open: {}", editor.name(), view.open.len()),
            Err(failure) => failure.what,
        })
    }

    /// Lists the settings with their values and origins.
    pub fn in_force(&self) -> Vec<String> {
        let editor = match &self.editor.value {
            EditorChoice::Auto => "auto".to_owned(),
            EditorChoice::Off => "off".to_owned(),
            EditorChoice::Neovim(socket) => format!("nvim:{}", socket.display()),
        };
        let apply = format!("{:?}", self.apply.value).to_lowercase();
        vec![
            format!("editor = {editor} ({})", self.editor.origin),
            format!("editor_apply = {apply} ({})", self.apply.origin),
        ]
    }

    fn socket(&self) -> Option<PathBuf> {
        match &self.editor.value {
            EditorChoice::Off => None,
            EditorChoice::Neovim(socket) => Some(socket.clone()),
            EditorChoice::Auto => {
                let mut told = TOLD.iter().filter_map(env::var_os).map(PathBuf::from);
                told.find(|socket| socket.is_absolute())
            }
        }
    }
}

fn which(text: &str) -> Result<EditorChoice> {
    match text.split_once(':') {
        _ if text == "auto" => Ok(EditorChoice::Auto),
        _ if text == "off" => Ok(EditorChoice::Off),
        Some(("nvim", socket)) if Path::new(socket).is_absolute() => {
            Ok(EditorChoice::Neovim(PathBuf::from(socket)))
        }
        _ => bail!(
            "`{}` names no editor: it is auto, off, or nvim: with the whole path of the socket behind it, which Neovim shows for \
             `:echo v:servername`",
            text.escape_debug()
        ),
    }
}
