//! Replies of Neovim, converted to a view or a failure.

use serde::Deserialize;
use toolpost_engine::{
    Buffer, Failure, Hint, Kind, Point, SaveState, SelectionVisibility, Shape, TextSelection, View,
};
use toolpost_text::escape;

/// A reply of the script that runs in Neovim.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum NeovimReply {
    Fault { fault: Fault, why: String },
    Standing(Box<EditorState>),
}

/// Reason why an action in the editor has no result.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fault {
    /// Nothing listens on the socket.
    Unreachable,
    /// The editor waits for input from the user.
    Blocked,
    /// The action failed.
    Failed,
}

/// State of the editor.
#[derive(Deserialize)]
pub(crate) struct EditorState {
    active: Option<String>,
    open: Vec<Open>,
    cursor: CursorPosition,
    selection: Option<SelectionState>,
    token: String,
    notes: Vec<String>,
    refused: Option<Refusal>,
}

/// Reason why the editor refused an action.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Refusal {
    /// The text, the cursor or the selection has changed since Toolpost read the state of the editor.
    Moved,
    /// The deadline had passed.
    Late,
}

#[derive(Deserialize)]
struct Open {
    name: String,
    unsaved: bool,
}

#[derive(Deserialize)]
struct CursorPosition {
    line: u64,
    column: u64,
}

#[derive(Deserialize)]
struct SelectionState {
    from: CursorPosition,
    to: CursorPosition,
    text: String,
    shape: SelectionShape,
    sight: SightState,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum SelectionShape {
    Characters,
    Lines,
    Block,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum SightState {
    Current,
    Last,
}

impl NeovimReply {
    /// Parses a reply.
    pub(crate) fn read(said: &str) -> Result<Self, String> {
        serde_json::from_str(said.trim()).map_err(|error| format!("the reply is invalid: {error}"))
    }

    /// Returns the editor's state, or the failure of the action.
    pub(crate) fn view(self, editor: &str) -> Result<View, Failure> {
        match self {
            Self::Fault { fault, why } => Err(failed(editor, fault, &why)),
            Self::Standing(stands) => match stands.refused {
                None => Ok(stands.view()),
                Some(refused) => Err(not_done(editor, refused)),
            },
        }
    }
}

impl EditorState {
    fn view(self) -> View {
        let buffer = |open: Open| Buffer {
            name: open.name,
            standing: if open.unsaved { SaveState::Unsaved } else { SaveState::Saved },
        };
        View {
            active: self.active,
            open: self.open.into_iter().map(buffer).collect(),
            cursor: self.cursor.point(),
            selection: self.selection.map(SelectionState::chosen),
            token: self.token,
            notes: self.notes,
        }
    }
}

impl CursorPosition {
    fn point(&self) -> Point {
        Point { line: self.line, column: self.column }
    }
}

impl SelectionState {
    fn chosen(self) -> TextSelection {
        TextSelection {
            from: self.from.point(),
            to: self.to.point(),
            text: self.text,
            shape: match self.shape {
                SelectionShape::Characters => Shape::Characters,
                SelectionShape::Lines => Shape::Lines,
                SelectionShape::Block => Shape::Block,
            },
            sight: match self.sight {
                SightState::Current => SelectionVisibility::Current,
                SightState::Last => SelectionVisibility::Last,
            },
        }
    }
}

fn failed(editor: &str, fault: Fault, why: &str) -> Failure {
    let why = escape::text(why.trim().trim_end_matches('.')).into_owned();
    let advice = |words: &str| Hint::Advice(words.to_owned());
    match fault {
        Fault::Unreachable => {
            Failure::new(Kind::Remote, format!("{editor} cannot be reached: {why}.")).hint(advice(
                "The editor may have exited; the user can restart it, or pass another socket with --editor.",
            ))
        }
        Fault::Blocked => {
            let what =
                format!("{editor} is waiting for the user: for an answer, or for the rest of a command.");
            Failure::new(Kind::Conflict, what)
                .hint(advice("Ask the user to respond in the editor, then make the same call again."))
        }
        Fault::Failed => Failure::new(Kind::Remote, format!("{editor} reported an error: {why}.")),
    }
}

fn not_done(editor: &str, refused: Refusal) -> Failure {
    match refused {
        Refusal::Moved => {
            let what = format!("The user has just changed something in {editor}; nothing was written.");
            Failure::new(Kind::Stale, what)
                .hint(Hint::Advice("Check the editor's state again before you repeat the call.".to_owned()))
        }
        Refusal::Late => Failure::new(
            Kind::Timeout,
            format!("{editor} received the request after its deadline; nothing was done."),
        )
        .hint(Hint::TryAgain),
    }
}
