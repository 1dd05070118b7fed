//! Background task that asks a language server for the targets of ambiguous function calls and for the
//! implementations of interfaces.
//!
//! The answers improve the symbol index.

use super::files::{self, Text};
use crate::{code::Code, workers::blocking};
use std::{collections::HashMap, sync::Arc, time::Duration};
use toolpost_lsp::{self as lsp, Client, LspAnswer, Position, Question, Server, Stage};
use toolpost_symbols::{ExternalAnswer as Told, FilePosition as There, ResolutionMethod, UnresolvedNames};
use toolpost_workspace::{ContentHash, hash};

/// Maximum wait for one answer of the language server.
const ANSWER: Duration = Duration::from_secs(10);
/// Number of questions to a server after which a background task begins no further file.
const CALLS: usize = 20_000;
/// Number of questions after which other calls can use the server.
const BURST: usize = 64;

/// Number of files that are searched for ambiguous calls before the lock on the index is released.
const SLICE: usize = 64;

/// The server's answers for one file, each with the byte offset of the name that it is about.
#[derive(Default)]
struct Heard {
    calls: Vec<(u32, Told)>,
    implementations: Vec<(u32, Told)>,
}

/// The kind of question about a name: the target of a call, or the implementations of an interface.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Call,
    Implementations,
}

/// The files that a server was asked about and those with targets of its answers, by displayed path; `None`
/// for a file that cannot be read.
type Targets = HashMap<String, Option<(ContentHash, Text)>>;

/// Starts a background task that asks a server about ambiguous function calls and about interfaces, unless
/// the server is not ready or such a task already uses it.
pub(super) fn begin(code: &Code, server: &Arc<Server>) {
    let key = Arc::as_ptr(server).addr();
    let upgrades = code.upgrades();
    if server.standing().stage != Stage::Ready || !upgrades.lock().insert(key) {
        return;
    }
    let (code, server) = (code.clone(), server.clone());
    tokio::spawn(async move {
        pass(&code, &server).await;
        code.upgrades().lock().remove(&key);
    });
}

/// Asks a server about the ambiguous calls and the interfaces in all files of its languages. Stops when `CALLS`
/// questions were asked, if the server fails, or if it is not ready for further questions.
async fn pass(code: &Code, server: &Arc<Server>) {
    let known = server.known();
    let of_server = move |path: &str| {
        let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
        extension.is_some_and(|end| known.language(end).is_some())
    };
    let Some(doubts) = doubts(code, of_server).await else { return };
    let mut targets = Targets::new();
    let mut left = CALLS;
    for doubt in doubts {
        if left == 0 || server.standing().stage != Stage::Ready {
            return;
        }
        if !code.upgrades().ask(&doubt) {
            continue;
        }
        left = left.saturating_sub(doubt.places.len() + doubt.implemented.len());
        let Some(heard) = of_file(code, server, &doubt, &mut targets).await else { return };
        code.index().tell(&doubt.path, doubt.hash, heard.calls);
        if !heard.implementations.is_empty() {
            code.index().tell_implementations(&doubt.path, doubt.hash, heard.implementations);
        }
    }
}

/// Lists the ambiguous calls and the interfaces in files of the server's languages. Files with the fewest questions
/// come first. The index is locked for a few files at a time. `None` if Toolpost is shutting down.
async fn doubts(
    code: &Code,
    of_server: impl Fn(&str) -> bool + Send + 'static,
) -> Option<Vec<UnresolvedNames>> {
    let code = code.clone();
    let found = blocking(move || {
        let index = code.index();
        let Ok(graph) = index.graph(&|| false) else { return Ok(Vec::new()) };
        let paths: Vec<String> = graph.files().map(|file| graph.file(file).path.to_string()).collect();
        drop(graph);
        let paths: Vec<String> = paths.into_iter().filter(|path| of_server(path)).collect();
        let mut all = Vec::new();
        for some in paths.chunks(SLICE) {
            // The lock is released between two chunks, so that waiting callers can update the index.
            let Ok(graph) = index.graph(&|| false) else { break };
            all.extend(graph.doubts(some));
        }
        all.sort_by(|one: &UnresolvedNames, other: &UnresolvedNames| {
            let key = |doubts: &UnresolvedNames| doubts.places.len() + doubts.implemented.len();
            (key(one), &one.path).cmp(&(key(other), &other.path))
        });
        Ok(all)
    });
    found.await.ok()
}

/// Asks a server about the ambiguous calls and the interfaces of one file; `None` if the server fails, has not read
/// all files yet, or does not support the file. Empty if the file cannot be read or has changed since it
/// was indexed.
async fn of_file(
    code: &Code,
    server: &Server,
    doubt: &UnresolvedNames,
    targets: &mut Targets,
) -> Option<Heard> {
    let Some((now, text)) = read(code, &doubt.path).await.filter(|(now, _)| *now == doubt.hash) else {
        return Some(Heard::default());
    };
    targets.insert(doubt.path.clone(), Some((now, text.clone())));
    let path = code.files().resolve(&doubt.path).ok()?;
    let extension = path.extension().map(|end| end.to_string_lossy().into_owned()).unwrap_or_default();
    let language = server.known().language(&extension)?;
    let mut heard = Heard::default();
    let calls = doubt.places.iter().map(|place| (*place, About::Call));
    let others = doubt.implemented.iter().map(|place| (*place, About::Implementations));
    let asked: Vec<(u32, About)> = calls.chain(others).collect();
    for places in asked.chunks(BURST) {
        let talk = server.greeted(ANSWER).await.ok()?;
        // The server cannot answer correctly while it has not read all changed files, so the background task ends.
        if !talk.waiting().is_empty() {
            return None;
        }
        talk.show(path.raw(), language, &text.text);
        for (place, about) in places {
            let (at, file) = (position(&text, *place, &talk), path.raw().to_owned());
            let (question, heard) = match about {
                About::Call => (Question::Definition(file, at), &mut heard.calls),
                About::Implementations => (Question::Implementation(file, at), &mut heard.implementations),
            };
            match talk.ask(&question, ANSWER).await {
                Ok(LspAnswer::Places(found)) if !found.is_empty() => {
                    let told = told(code, &found, &talk, targets).await;
                    heard.extend(told.map(|told| (*place, told)));
                }
                // The server does not know the target, or does not support the request.
                Ok(_) | Err(lsp::ServerError::Refused { .. } | lsp::ServerError::Odd { .. }) => {}
                Err(lsp::ServerError::Unable { .. }) if *about == About::Implementations => {}
                Err(_) => return None,
            }
        }
        drop(talk);
        tokio::task::yield_now().await;
    }
    Some(heard)
}

fn position(text: &Text, byte: u32, talk: &Client<'_>) -> Position {
    let byte = byte as usize;
    let (line, _) = text.place(byte);
    let character = talk.encoding().count(text.line(line).unwrap_or_default(), byte - text.start(line));
    Position { line, character }
}

/// Converts a server's answer for the symbol index; `None` if the file of a target cannot be read, or does
/// not have the position of the target.
async fn told(
    code: &Code,
    found: &[lsp::CodeLocation],
    talk: &Client<'_>,
    targets: &mut Targets,
) -> Option<Told> {
    let mut places = Vec::new();
    for place in found {
        let inside = place
            .path
            .as_ref()
            .and_then(|path| path.to_str())
            .and_then(|path| code.files().resolve(path).ok());
        // Targets outside the workspace are left out, because they are not in the symbol index.
        let Some(path) = inside else { continue };
        let shown = path.display();
        if !targets.contains_key(&shown) {
            let read = read(code, &shown).await;
            targets.insert(shown.clone(), read);
        }
        let (hash, text) = targets.get(&shown)?.as_ref()?;
        let Position { line, character } = place.span.from;
        let byte = text.start(line) + talk.encoding().byte(text.line(line)?, character);
        places.push(There { path: shown.as_str().into(), hash: *hash, byte: u32::try_from(byte).ok()? });
    }
    Some(Told { by: ResolutionMethod::Server, places })
}

async fn read(code: &Code, shown: &str) -> Option<(ContentHash, Text)> {
    let (code, shown) = (code.clone(), shown.to_owned());
    let read = blocking(move || {
        let path = code.files().resolve(&shown)?;
        files::read(&code, &path)
    });
    let text = read.await.ok()?;
    Some((hash(text.text.as_bytes()), text))
}
