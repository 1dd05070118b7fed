//! The settings of editors: which one is attached, and what becomes of texts where none is.

use crate::{
    args::OnOff,
    settings::{Setting, Sources, one_of},
};
use anyhow::{Result, bail};
use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_agent::Neovim;
use toolpost_engine::{CallCtx, Editing, Editor, EditorAct, Engine, Session, Without};
use toolpost_workspace::Workspace;

/// By what an editor tells the programs in its terminal where it listens; the second is how older ones did.
const TOLD: [&str; 2] = ["NVIM", "NVIM_LISTEN_ADDRESS"];

/// What the command line says of editors.
#[derive(clap::Args, Default)]
pub(crate) struct EditorFlags {
    /// Editor for the editor tools: nvim:SOCKET, auto or off [default: auto, the editor whose terminal this is]
    #[arg(long, global = true, value_name = "EDITOR")]
    editor: Option<String>,
    /// Without an editor, let the editor tools insert into the file itself [default: off]
    #[arg(long, global = true, value_enum)]
    editor_apply: Option<OnOff>,
}

/// Which editor is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Which {
    /// The one in whose terminal this runs, if it is one.
    Auto,
    /// None.
    Off,
    /// Neovim, behind this socket.
    Neovim(PathBuf),
}

/// The settings.
pub(crate) struct EditingSettings {
    pub(crate) editor: Setting<Which>,
    pub(crate) apply: Setting<OnOff>,
}

impl EditingSettings {
    /// Finds the settings.
    pub(crate) fn find(
        flags: &EditorFlags,
        from: &Sources,
        file: (Option<String>, Option<OnOff>),
    ) -> Result<Self> {
        let said = flags.editor.as_deref().map(which).transpose()?;
        let filed = file.0.as_deref().map(which).transpose()?;
        Ok(Self {
            editor: from.choose(said, "EDITOR", which, filed, Which::Auto)?,
            apply: from.choose(flags.editor_apply, "EDITOR_APPLY", one_of, file.1, OnOff::Off)?,
        })
    }

    /// Says which editor is used; nothing is asked of it yet.
    pub(crate) fn editing(&self, workspace: &Workspace) -> Editing {
        let roots = workspace.roots().iter().map(|root| root.path().to_path_buf()).collect();
        let editor = self.socket().map(|socket| Arc::new(Neovim::new(socket, roots)) as Arc<dyn Editor>);
        let without = if self.apply.value == OnOff::On { Without::Applied } else { Without::Told };
        Editing { editor, without }
    }

    /// Asks the editor, and says for people what came of it.
    pub(crate) fn report(&self, engine: &Engine) -> Result<String> {
        let Some(editor) = &engine.editing().editor else {
            let why =
                if self.editor.value == Which::Off { "off" } else { "this runs in no editor's terminal" };
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

    /// Lists the settings, each with its value and where it came from.
    pub(crate) fn in_force(&self) -> Vec<String> {
        let editor = match &self.editor.value {
            Which::Auto => "auto".to_owned(),
            Which::Off => "off".to_owned(),
            Which::Neovim(socket) => format!("nvim:{}", socket.display()),
        };
        let apply = format!("{:?}", self.apply.value).to_lowercase();
        vec![
            format!("editor = {editor} ({})", self.editor.origin),
            format!("editor_apply = {apply} ({})", self.apply.origin),
        ]
    }

    fn socket(&self) -> Option<PathBuf> {
        match &self.editor.value {
            Which::Off => None,
            Which::Neovim(socket) => Some(socket.clone()),
            Which::Auto => {
                let mut told = TOLD.iter().filter_map(env::var_os).map(PathBuf::from);
                told.find(|socket| socket.is_absolute())
            }
        }
    }
}

fn which(text: &str) -> Result<Which> {
    match text.split_once(':') {
        _ if text == "auto" => Ok(Which::Auto),
        _ if text == "off" => Ok(Which::Off),
        Some(("nvim", socket)) if Path::new(socket).is_absolute() => Ok(Which::Neovim(PathBuf::from(socket))),
        _ => bail!(
            "`{}` names no editor: it is auto, off, or nvim: with the whole path of the socket behind it, which Neovim shows for \
             `:echo v:servername`",
            text.escape_debug()
        ),
    }
}
