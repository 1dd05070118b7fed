//! Calls of which the text does not tell where they go are asked of a server that has read the project, beside all else.

use super::files::{self, Text};
use crate::{Engine, engine::blocking};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use toolpost_index::{Answer as Told, Doubts, How, Place as There};
use toolpost_lsp::{self as lsp, Answer, Position, Question, Server, Stage, Talk};
use toolpost_workspace::{ContentHash, hash};

/// How long one answer is waited for.
const ANSWER: Duration = Duration::from_secs(10);
/// How many calls are asked about in one pass.
const CALLS: usize = 20_000;
/// How many are asked about before whoever else asks the server gets a turn.
const BURST: usize = 64;

/// How many contents of files are remembered whose calls were asked about.
const REMEMBERED: usize = 50_000;

/// Which servers are being asked beside all else.
#[derive(Debug, Default)]
pub(crate) struct Upgrades {
    running: Mutex<HashSet<usize>>,
    /// Of which contents of files every call was asked about.
    asked: Mutex<HashSet<(String, ContentHash)>>,
}

/// What an answer leads to, as a file with its content.
type Targets = HashMap<String, Option<(ContentHash, Text)>>;

/// Begins to ask a server, unless it is being asked already.
pub(super) fn begin(engine: &Engine, server: &Arc<Server>) {
    let key = Arc::as_ptr(server).addr();
    let upgrades = engine.upgrades();
    if server.standing().stage != Stage::Ready || !upgrades.lock().insert(key) {
        return;
    }
    let (engine, server) = (engine.clone(), server.clone());
    tokio::spawn(async move {
        pass(&engine, &server).await;
        engine.upgrades().lock().remove(&key);
    });
}

impl Upgrades {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that all calls of a content are asked about; tells whether that is new.
    fn ask(&self, doubt: &Doubts) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= REMEMBERED {
            asked.clear();
        }
        asked.insert((doubt.path.clone(), doubt.hash))
    }
}

/// Asks about all doubtful calls of the server's languages; ends where the server is no longer ready.
async fn pass(engine: &Engine, server: &Arc<Server>) {
    let known = server.known();
    let doubts = {
        let engine = engine.clone();
        let of_server = move |path: &str| {
            let extension =
                path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
            extension.is_some_and(|end| known.language(end).is_some())
        };
        blocking(move || {
            Ok(engine.index().graph(&|| false).map(|graph| graph.doubts(&of_server)).unwrap_or_default())
        })
    };
    let Ok(doubts) = doubts.await else { return };
    let mut targets = Targets::new();
    let mut left = CALLS;
    for doubt in doubts {
        if left == 0 || server.standing().stage != Stage::Ready {
            return;
        }
        if !engine.upgrades().ask(&doubt) {
            continue;
        }
        left = left.saturating_sub(doubt.places.len());
        let Some(answers) = of_file(engine, server, &doubt, &mut targets).await else { return };
        engine.index().tell(&doubt.path, doubt.hash, answers);
    }
}

/// Asks about the calls of one file; none where the server cannot be asked any more.
async fn of_file(
    engine: &Engine,
    server: &Server,
    doubt: &Doubts,
    targets: &mut Targets,
) -> Option<Vec<(u32, Told)>> {
    let Some((now, text)) = read(engine, &doubt.path).await.filter(|(now, _)| *now == doubt.hash) else {
        return Some(Vec::new());
    };
    targets.insert(doubt.path.clone(), Some((now, text.clone())));
    let path = engine.resolve(&doubt.path).ok()?;
    let extension = path.extension().map(|end| end.to_string_lossy().into_owned()).unwrap_or_default();
    let language = server.known().language(&extension)?;
    let mut answers = Vec::new();
    for places in doubt.places.chunks(BURST) {
        let talk = server.greeted(ANSWER).await.ok()?;
        // What it has not read yet, it cannot tell the truth about.
        if !talk.waiting().is_empty() {
            return None;
        }
        talk.show(path.raw(), language, &text.text);
        for place in places {
            let at = position(&text, *place, &talk);
            match talk.ask(&Question::Definition(path.raw().to_owned(), at), ANSWER).await {
                Ok(Answer::Places(found)) if !found.is_empty() => {
                    let told = told(engine, &found, &talk, targets).await;
                    answers.extend(told.map(|told| (*place, told)));
                }
                // It does not know either.
                Ok(_) | Err(lsp::Fault::Refused { .. } | lsp::Fault::Odd { .. }) => {}
                Err(_) => return None,
            }
        }
        drop(talk);
        tokio::task::yield_now().await;
    }
    Some(answers)
}

fn position(text: &Text, byte: u32, talk: &Talk<'_>) -> Position {
    let byte = byte as usize;
    let (line, _) = text.place(byte);
    let character = talk.encoding().count(text.line(line).unwrap_or_default(), byte - text.start(line));
    Position { line, character }
}

/// Says where an answer leads to; none where that is a file that cannot be read.
async fn told(engine: &Engine, found: &[lsp::Place], talk: &Talk<'_>, targets: &mut Targets) -> Option<Told> {
    let mut places = Vec::new();
    for place in found {
        let inside =
            place.path.as_ref().and_then(|path| path.to_str()).and_then(|path| engine.resolve(path).ok());
        // What lies outside of the workspace is no place in it.
        let Some(path) = inside else { continue };
        let shown = path.display();
        if !targets.contains_key(&shown) {
            let read = read(engine, &shown).await;
            targets.insert(shown.clone(), read);
        }
        let (hash, text) = targets.get(&shown)?.as_ref()?;
        let Position { line, character } = place.span.from;
        let byte = text.start(line) + talk.encoding().byte(text.line(line)?, character);
        places.push(There { path: shown.as_str().into(), hash: *hash, byte: u32::try_from(byte).ok()? });
    }
    Some(Told { by: How::Server, places })
}

async fn read(engine: &Engine, shown: &str) -> Option<(ContentHash, Text)> {
    let (engine, shown) = (engine.clone(), shown.to_owned());
    let read = blocking(move || {
        let path = engine.resolve(&shown)?;
        files::read(&engine, &path)
    });
    let text = read.await.ok()?;
    Some((hash(text.text.as_bytes()), text))
}
