//! One language server is asked: told what changed, waited for, asked, and understood.

use super::{
    Question,
    check::{self, Checked},
    convert, files,
};
use crate::{
    CallCtx, Engine, Failure,
    engine::blocking,
    operations::navigate::{Output, Place, Want},
};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use toolpost_lsp::{
    self as lsp, Answer, Change, Complete, Edits, Found, Home, Position, Server, Servers, Stage, Stamp,
    Standing, Talk,
};
use toolpost_workspace::WorkspacePath;

/// How long a server is waited for that starts, or reads the project.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long an answer is waited for.
const ANSWER: Duration = Duration::from_secs(30);
/// The most changed files that are opened for a server that believes only open ones.
const OPENED: usize = 200;

/// The files of a project as the disk holds them, by path.
type Disk = HashMap<PathBuf, (WorkspacePath, Stamp)>;

/// Asks one server; says in a sentence why it does not answer.
pub(crate) async fn ask(
    engine: &Engine,
    servers: &Servers,
    found: &Found,
    question: &Question,
    cx: &CallCtx,
) -> Result<Output, String> {
    let start = Instant::now();
    let (server, disk) = {
        let (engine, servers, found) = (engine.clone(), servers.clone(), found.clone());
        let (path, cx) = (question.path.clone(), cx.clone());
        let got = blocking(move || Ok(get(&engine, &servers, &found, &path, &cx))).await;
        got.map_err(words)?.map_err(words)?.map_err(|fault| sentence(&fault))?
    };
    let patience = || cx.time_left(PATIENCE).saturating_sub(start.elapsed());
    let talk = server.greeted(patience()).await.map_err(|fault| sentence(&fault))?;
    let fresh = show(engine, &talk, &server, question, &disk).await.map_err(words)?;
    let standing = match question.want {
        // What a file defines stands in the file alone.
        Want::Symbols => alone(),
        Want::Definition(_) | Want::References(_) | Want::Hover(_) => talk.settled(patience()).await,
    };
    if !matches!(standing.stage, Stage::Ready | Stage::Unconfirmed) {
        return Err(not_ready(&server, &standing));
    }
    for path in fresh {
        // That it has understood a file shows in its answer about it; what is wrong with that is said by the next one.
        let _ = talk.ask(&lsp::Question::Symbols(path), cx.time_left(ANSWER)).await;
    }
    let answer = talk.ask(&ask_for(question, talk.encoding()), cx.time_left(ANSWER)).await;
    talk.close_old();
    let answer = answer.map_err(|fault| sentence(&fault))?;
    // What it began to read meanwhile it has not answered from.
    let after = server.standing();
    let keeps = question.want == Want::Symbols || after.complete == Complete::Yes;
    let standing = if keeps { standing } else { after };
    let encoding = talk.encoding();
    let (engine, cx, question) = (engine.clone(), cx.clone(), question.clone());
    let judged = Arc::clone(&server);
    blocking(move || {
        let checked = match (&answer, question.want) {
            (Answer::Places(places), Want::References(_)) => check::check(&engine, &cx, &question, places)?,
            _ => Checked::Nothing,
        };
        let (standing, lacks) = believed(&judged, standing, checked);
        let name = judged.known().name;
        let mut output = convert::output(&engine, &cx, &question, name, answer, standing, encoding);
        output.total += lacks.len() as u64;
        output.places.extend(lacks);
        output.places.sort();
        Ok(output)
    })
    .await
    .map_err(words)
}

/// Looks at the disk, then gives the server of the project: what changes after the look is seen by the next one.
fn get(
    engine: &Engine,
    servers: &Servers,
    found: &Found,
    path: &WorkspacePath,
    cx: &CallCtx,
) -> Result<Result<(Arc<Server>, Disk), lsp::Fault>, Failure> {
    let home: Home = lsp::home(found.known, path, |path| engine.workspace().stat(path).is_ok());
    let mut disk = Disk::new();
    for file in files::all(engine, cx, path)? {
        let extension = file.path.extension().map(|extension| extension.to_string_lossy().into_owned());
        let knows = extension.is_some_and(|extension| found.known.language(&extension).is_some());
        let raw = file.path.raw().to_owned();
        if knows || found.known.markers.iter().any(|marker| raw.ends_with(marker)) {
            let stamp = file.modified.cast_unsigned();
            disk.insert(raw, (file.path, stamp));
        }
    }
    Ok(servers.get(found, &home, &stamps(&disk)).map(|server| (server, disk)))
}

fn stamps(disk: &Disk) -> HashMap<PathBuf, Stamp> {
    disk.iter().map(|(path, (_, stamp))| (path.clone(), *stamp)).collect()
}

/// Tells a server what changed, shows it the file that is asked about, and gives the files that it has to read anew.
async fn show(
    engine: &Engine,
    talk: &Talk<'_>,
    server: &Server,
    question: &Question,
    disk: &Disk,
) -> Result<Vec<PathBuf>, Failure> {
    let known = server.known();
    let changes = talk.disk(stamps(disk));
    let reads_open = known.edits == Edits::Opened;
    let mut wanted: Vec<WorkspacePath> = Vec::new();
    for (path, change) in changes {
        if change != Change::Deleted
            && path != question.path.raw()
            && (talk.is_open(&path) || (reads_open && wanted.len() < OPENED))
        {
            wanted.extend(disk.get(&path).map(|(path, _)| path.clone()));
        }
    }
    let engine = engine.clone();
    let texts = blocking(move || {
        // One that is no text, or went away, is not shown; the disk says so by itself.
        let read = wanted
            .into_iter()
            .filter_map(|path| Some((path.raw().to_owned(), files::read(&engine, &path).ok()?)));
        Ok(read.collect::<Vec<_>>())
    })
    .await?;
    let language = |path: &std::path::Path| {
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        extension.and_then(|extension| known.language(&extension))
    };
    let mut fresh = Vec::new();
    for (path, text) in texts {
        if let Some(language) = language(&path) {
            talk.show(&path, language, &text.text);
            fresh.push(path);
        }
    }
    let own = question.path.raw();
    talk.show(own, language(own).unwrap_or("plaintext"), &question.text.text);
    Ok(fresh)
}

/// Puts a question into the words of the protocol.
fn ask_for(question: &Question, encoding: lsp::Encoding) -> lsp::Question {
    let path = question.path.raw().to_owned();
    let at = question.name.as_ref().map(|(asked, byte)| {
        let line = asked.line.saturating_sub(1);
        let text = question.text.line(line).unwrap_or_default();
        let character = encoding.count(text, byte.saturating_sub(question.text.start(line)));
        Position { line, character }
    });
    match (question.want, at) {
        (Want::Definition(_), Some(at)) => lsp::Question::Definition(path, at),
        (Want::References(_), Some(at)) => lsp::Question::References(path, at),
        (Want::Hover(_), Some(at)) => lsp::Question::Hover(path, at),
        (Want::Symbols, _) | (_, None) => lsp::Question::Symbols(path),
    }
}

/// How far an answer can be believed that comes out of one file.
fn alone() -> Standing {
    let why = "only the file itself was asked about".to_owned();
    Standing { stage: Stage::Ready, complete: Complete::Yes, why }
}

/// Judges an answer by what came of looking for known uses in it; gives those that it lacks.
fn believed(server: &Server, standing: Standing, checked: Checked) -> (Standing, Vec<Place>) {
    match checked {
        Checked::Nothing => (standing, Vec::new()),
        Checked::Holds => {
            server.checked(Ok(()));
            let now = server.standing();
            (if now.complete == Complete::Yes { now } else { standing }, Vec::new())
        }
        Checked::Lacks(places) => {
            let first =
                places.first().map(|place| format!("{}:{}", place.path, place.line)).unwrap_or_default();
            let why = format!("it lacks a use that the syntax tree knows: {first}");
            server.checked(Err(why.clone()));
            (Standing { stage: Stage::Unconfirmed, complete: Complete::No, why }, places)
        }
    }
}

fn not_ready(server: &Server, standing: &Standing) -> String {
    let name = server.known().name;
    match standing.stage {
        Stage::Indexing(Some(percent)) => {
            format!("{name} is still reading the project ({percent} %): ask again in a while.")
        }
        Stage::Starting | Stage::Indexing(None) => {
            format!("{name} is still reading the project ({}): ask again in a while.", standing.why)
        }
        _ => format!("{name} cannot be believed: {}.", standing.why),
    }
}

fn words(failure: Failure) -> String {
    failure.what
}

fn sentence(fault: &lsp::Fault) -> String {
    format!("No answer of the language server: {fault}.")
}
