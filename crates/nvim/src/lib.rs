//! An attached Neovim: its buffers and cursor, and changes that its user sees and can undo.
//!
//! [`Neovim`] implements [`Editor`] for a running editor that listens on a socket. Each action starts a
//! second `nvim`, which connects to the socket and runs one script in the user's editor.
//!
//! ```
//! use toolpost_engine::Editor;
//! use toolpost_nvim::Neovim;
//!
//! let editor = Neovim::new("/run/user/1000/nvim.sock".into(), vec!["/srv/project".into()]);
//! assert_eq!(editor.name(), "Neovim at /run/user/1000/nvim.sock");
//! ```
//!
//! No program in one of the given directories is started, because a project could have put it there.

mod answer;

use answer::NeovimReply;
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use toolpost_engine::{AnswerFuture, CallCtx, Editor, EditorAct, Failure, Hint, Kind, View};
use toolpost_process::{Environment, Launch, Program, Service, ServicePipes, programs};
use toolpost_text::escape;

/// Program that connects to the user's editor.
const PROGRAM: &str = "nvim";
/// Arguments of `nvim`: no user settings, no screen, and the script from standard input.
const ARGUMENTS: [&str; 7] = [
    "--clean",
    "--headless",
    "-n",
    "-i",
    "NONE",
    "--cmd",
    "lua QUESTION = io.read('*l'); assert(loadstring(io.read('*a')))()",
];
/// Script of the connecting process.
const CLIENT: &str = include_str!("client.lua");
/// Script that runs in the user's editor.
const EDITOR: &str = include_str!("editor.lua");
/// Maximum time for a reply.
const WAIT: Duration = Duration::from_secs(5);
/// Maximum size of a reply, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Maximum length of a quoted error message, in bytes.
const COMPLAINT: usize = 500;

/// A Neovim instance, listening on a socket.
#[derive(Debug, Clone)]
pub struct Neovim {
    socket: PathBuf,
    /// Directories from which no program is started.
    roots: Vec<PathBuf>,
}

impl Neovim {
    /// Creates the client for a socket, without connecting.
    #[must_use]
    pub fn new(socket: PathBuf, roots: Vec<PathBuf>) -> Self {
        Self { socket, roots }
    }

    async fn answer(&self, act: EditorAct<'_>, cx: &CallCtx) -> Result<View, Failure> {
        cx.check()?;
        let time = cx.time_left(WAIT);
        let socket = self.socket.to_string_lossy();
        let question = json!({ "socket": socket, "chunk": EDITOR, "ask": request_data(act, time)? });
        let said = self.run(format!("{question}\n{CLIENT}"), time, cx).await?;
        NeovimReply::read(&said).map_err(|why| self.broken(&why))?.view(&self.name())
    }

    /// Starts the program, sends the input, and returns its output.
    async fn run(&self, input: String, time: Duration, cx: &CallCtx) -> Result<String, Failure> {
        let environment = Environment::of_this_process().without_places(&self.roots);
        let Some(program) = programs(PROGRAM, &environment, &self.roots).program else {
            let what =
                format!("{} cannot be reached: the program {PROGRAM} is not in the PATH.", self.name());
            let advice = "The user can install it, or add its directory to Toolpost's PATH.";
            return Err(Failure::new(Kind::NotFound, what).hint(Hint::Advice(advice.to_owned())));
        };
        let launch = Launch { environment, ..Launch::new(Program::direct(program, ARGUMENTS), "/") };
        let (served, wires) = Service::start(&launch).map_err(|error| self.broken(&error.to_string()))?;
        let talk = tokio::task::spawn_blocking(move || talk(wires, &input));
        let said = tokio::select! {
            said = talk => said,
            () = tokio::time::sleep(time) => {
                served.kill();
                return Err(self.late(time));
            }
            () = cx.cancel.cancelled() => {
                served.kill();
                let what = "The call was cancelled before the editor answered; check the editor's state before you repeat the call.";
                return Err(Failure::new(Kind::Cancelled, what));
            }
        };
        said.map_err(|error| self.broken(&error.to_string()))?.map_err(|why| self.broken(&why))
    }

    fn late(&self, time: Duration) -> Failure {
        let what = format!(
            "{} did not answer within {} s: the editor may be busy or suspended. The request will not be \
             carried out later.",
            self.name(),
            time.as_secs_f32()
        );
        Failure::new(Kind::Timeout, what).hint(Hint::Advice(
            "Ask the user, and check the editor's state before you repeat the call.".to_owned(),
        ))
    }

    fn broken(&self, why: &str) -> Failure {
        let why = why.trim().trim_end_matches('.');
        Failure::new(Kind::Remote, format!("The request to {} failed: {why}.", self.name()))
    }
}

impl Editor for Neovim {
    fn name(&self) -> String {
        format!("Neovim at {}", escape::name(self.socket.as_os_str().as_encoded_bytes()))
    }

    fn ask<'a>(&'a self, act: EditorAct<'a>, cx: &'a CallCtx) -> AnswerFuture<'a, View> {
        Box::pin(self.answer(act, cx))
    }
}

/// Serializes an action as data; no part of it is evaluated as code. The editor refuses an action after the
/// deadline.
fn request_data(act: EditorAct<'_>, time: Duration) -> Result<Value, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let by = (now + time).as_secs_f64();
    Ok(match act {
        EditorAct::Look => json!({ "act": "look", "by": by }),
        EditorAct::Open { file, line } => {
            let name = file.raw().to_str().ok_or_else(|| {
                Failure::invalid(format!("{} has a name that is not UTF-8.", file.display()))
            })?;
            json!({ "act": "open", "by": by, "file": name, "line": line })
        }
        EditorAct::Goto(to) => json!({ "act": "goto", "by": by, "line": to.line, "column": to.column }),
        EditorAct::Replace { content, token } => {
            json!({ "act": "replace", "by": by, "content": content, "token": token })
        }
        EditorAct::Insert { content, token } => {
            json!({ "act": "insert", "by": by, "content": content, "token": token })
        }
    })
}

/// Writes the request and reads the reply. Without a reply, the error is the program's error output.
fn talk(wires: ServicePipes, input: &str) -> Result<String, String> {
    let ServicePipes { input: mut to, output, errors } = wires;
    // If the process has already exited, its error output says why.
    let _ = to.write_all(input.as_bytes());
    drop(to);
    std::thread::scope(|scope| {
        let complaint = scope.spawn(move || read(errors, COMPLAINT as u64));
        let said = read(output, LONGEST + 1);
        if said.len() as u64 > LONGEST {
            return Err(format!("the reply has more than {} MiB", LONGEST >> 20));
        }
        let complaint = complaint.join().unwrap_or_default();
        match (said.trim(), complaint.trim()) {
            ("", "") => Err("the program nvim exited without a message".to_owned()),
            ("", complaint) => Err(format!("the program nvim reported: {}", escape::text(complaint))),
            _ => Ok(said),
        }
    })
}

fn read(from: impl Read, most: u64) -> String {
    let mut bytes = Vec::new();
    // Data read before an error is kept.
    let _ = from.take(most).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
