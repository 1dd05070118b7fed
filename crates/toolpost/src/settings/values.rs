//! Types of settings that accept a fixed set of keywords.

use super::parse::ParseResult;
use std::path::{Path, PathBuf};
use toolpost_engine::Access;

/// Type with a fixed set of values, each with its keyword.
pub trait Choice: Copy + PartialEq + 'static {
    /// All values, in the order in which messages list them.
    const ALL: &'static [(Self, &'static str)];

    /// Returns the keyword of the value.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(value, _)| *value == self).map_or("", |(_, word)| word)
    }

    /// Parses a keyword, in any letter case.
    ///
    /// # Errors
    /// If no value has that keyword; the message lists them.
    fn parse(text: &str) -> ParseResult<Self> {
        let found = Self::ALL.iter().find(|(_, word)| word.eq_ignore_ascii_case(text));
        found.map(|(value, _)| *value).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|(_, word)| *word).collect();
            format!("the value must be one of {}", words.join(", ")).into()
        })
    }
}

/// Answer to approval prompts that no client shows to the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskFallback {
    /// Approve the call, even if there is a terminal.
    Allow,
    /// Prompt if there is a terminal, otherwise deny.
    Deny,
    /// Like `Deny`, but the reason for a denial is the missing terminal, not this setting.
    Prompt,
}

impl Choice for AskFallback {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Allow, "allow"), (Self::Deny, "deny"), (Self::Prompt, "prompt")];
}

/// Capability of tools that can be denied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deny {
    /// Changing files.
    Write,
    /// Running commands.
    Execute,
    /// Fetching from the web.
    Fetch,
    /// Calling tools of upstream servers.
    Bridge,
    /// Delegating to agents.
    Delegate,
    /// Using the user's editor.
    Editor,
}

impl Choice for Deny {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Write, "write"),
        (Self::Execute, "execute"),
        (Self::Fetch, "fetch"),
        (Self::Bridge, "bridge"),
        (Self::Delegate, "delegate"),
        (Self::Editor, "editor"),
    ];
}

impl Deny {
    /// Returns the denied kind of access.
    #[must_use]
    pub fn access(self) -> Access {
        match self {
            Self::Write => Access::Writes,
            Self::Execute => Access::Executes,
            Self::Fetch => Access::Fetches,
            Self::Bridge => Access::Bridges,
            Self::Delegate => Access::Delegates,
            Self::Editor => Access::Editor,
        }
    }
}

/// Setting for code mode: scripts that call tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeMode {
    /// Add two tools: one searches the tools, one runs scripts.
    On,
    /// Serve only the tools of the dialects.
    Off,
    /// Serve only the two tools of code mode; scripts call the others.
    Only,
}

impl Choice for CodeMode {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::On, "on"), (Self::Off, "off"), (Self::Only, "only")];
}

/// Level of detail of the event log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventsDetail {
    /// Names of tools, outcomes and durations.
    Names,
    /// Arguments and replies as well.
    All,
}

impl Choice for EventsDetail {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Names, "names"), (Self::All, "all")];
}

/// Boolean setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnOff {
    /// Enabled.
    On,
    /// Disabled.
    Off,
}

impl Choice for OnOff {
    const ALL: &'static [(Self, &'static str)] = &[(Self::On, "on"), (Self::Off, "off")];
}

/// Handling of images in replies to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pictures {
    /// The model receives the images.
    Shown,
    /// The model receives only a note with the media type and size of each image.
    Named,
}

impl Choice for Pictures {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Shown, "shown"), (Self::Named, "named")];
}

/// Permissions of an external agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentMay {
    /// Only reading.
    Read,
    /// Writing, with Toolpost's tools.
    Write,
    /// Everything, including the agent's own tools.
    All,
}

impl Choice for AgentMay {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Read, "read"), (Self::Write, "write"), (Self::All, "all")];
}

/// Editor to attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditorChoice {
    /// The editor whose built-in terminal runs this process, if any.
    Auto,
    /// No editor.
    Off,
    /// Neovim, listening on this socket.
    Neovim(PathBuf),
}

impl EditorChoice {
    /// Parses `auto`, `off` or `nvim:` with the path of a socket.
    ///
    /// # Errors
    /// If the text is none of these.
    pub(super) fn parse(text: &str) -> ParseResult<Self> {
        match text.split_once(':') {
            _ if text == "auto" => Ok(Self::Auto),
            _ if text == "off" => Ok(Self::Off),
            Some(("nvim", socket)) if Path::new(socket).is_absolute() => {
                Ok(Self::Neovim(PathBuf::from(socket)))
            }
            _ => Err(format!(
                "`{}` is not an editor: use auto, off, or nvim:SOCKET with the full path of the socket, which Neovim \
                 shows for `:echo v:servername`",
                text.escape_debug()
            )
            .into()),
        }
    }

    /// Formats the value in the syntax of the setting.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Off => "off".to_owned(),
            Self::Neovim(socket) => format!("nvim:{}", socket.display()),
        }
    }
}
