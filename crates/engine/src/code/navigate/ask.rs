//! Asks one language server a question: sends it the changed files, waits until it is ready, asks, and
//! converts the answer.

use super::{NavigationQuery, Output, Place};
use super::{
    check::{self, ImportCheck},
    convert::{self, ServerAnswer},
    files,
    question::Question,
    upgrade,
};
use crate::{call::CallCtx, code::Code, failure::Failure, workers::blocking};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use toolpost_lsp::{
    self as lsp, Client, Complete, Home, InstalledServer, LspAnswer, Position, Server, ServerReadiness,
    Servers, Stage, Stamp,
};
use toolpost_workspace::WorkspacePath;

/// Maximum wait for a language server that is starting or reading the project.
const PATIENCE: Duration = Duration::from_secs(15);
/// Maximum wait for one answer of the language server.
const ANSWER: Duration = Duration::from_secs(30);
/// Maximum wait until the server has processed the files that were sent to it.
const SHOWING: Duration = Duration::from_secs(20);
/// Maximum number of changed files that are sent before one question. While further files remain, the answer counts
/// as incomplete.
const OPENED: usize = 200;

/// The files of a project on disk, by absolute path, each with a stamp that changes when the file changes.
type Disk = HashMap<PathBuf, (WorkspacePath, Stamp)>;

/// Asks one language server. The error is a sentence that explains why there is no usable answer.
pub(crate) async fn ask(
    code: &Code,
    servers: &Servers,
    found: &InstalledServer,
    question: &Question,
    cx: &CallCtx,
) -> Result<Output, String> {
    let end = Instant::now() + cx.time_left(PATIENCE);
    let patience = || end.saturating_duration_since(Instant::now());
    let (server, disk) = {
        let (code, servers, found) = (code.clone(), servers.clone(), found.clone());
        let (question, cx) = (question.clone(), cx.clone());
        let got = blocking(move || get(&code, &servers, &found, &question, &cx)).await;
        got.map_err(words)??
    };
    let talk = server.greeted(patience()).await.map_err(|fault| sentence(&fault))?;
    let fresh = show(code, &talk, &server, question, &disk).await.map_err(words)?;
    let standing = match question.query {
        // The symbols of a file depend on that file alone, so the server need not have read the project.
        NavigationQuery::Symbols => alone(),
        NavigationQuery::Definition(_) | NavigationQuery::References(_) | NavigationQuery::Hover(_) => {
            talk.settled(patience()).await
        }
    };
    if !matches!(standing.stage, Stage::Ready | Stage::Unconfirmed) {
        return Err(not_ready(&server, &standing));
    }
    understand(&talk, fresh, cx).await;
    let asked = ask_for(question, talk.encoding());
    let (answer, sources) = answer(&talk, &asked, cx).await.map_err(|fault| sentence(&fault))?;
    talk.understood(question.path.raw());
    let standing = afterwards(&talk, &server, question, standing, &disk);
    let encoding = talk.encoding();
    drop(talk);
    upgrade::begin(code, &server);
    let (code, cx, question) = (code.clone(), cx.clone(), question.clone());
    let known = server.known();
    blocking(move || {
        let checked = match (&answer, question.query) {
            (LspAnswer::Places(places), NavigationQuery::References(_)) => {
                check::check(&code, &cx, &question, places)?
            }
            _ => ImportCheck::Nothing,
        };
        let (standing, lacks) = believed(known, standing, checked);
        let answered = ServerAnswer { server: known.name, answer, sources, standing, encoding };
        let mut output = convert::output(&code, &cx, &question, answered);
        output.total += lacks.len() as u64;
        output.places.extend(lacks);
        output.places.sort();
        Ok(output)
    })
    .await
    .map_err(words)
}

/// Asks the question. For a hover text, also asks for the definitions whose documentation it shows: the
/// caller may see the text only if the rules allow reading the files of these definitions.
async fn answer(
    talk: &Client<'_>,
    asked: &lsp::Question,
    cx: &CallCtx,
) -> Result<(LspAnswer, Vec<lsp::CodeLocation>), lsp::ServerError> {
    let mut sources = Vec::new();
    if let lsp::Question::Hover(path, at) = asked {
        let definition = lsp::Question::Definition(path.clone(), *at);
        if let LspAnswer::Places(places) = talk.ask(&definition, cx.time_left(ANSWER)).await? {
            sources = places;
        }
    }
    Ok((talk.ask(asked, cx.time_left(ANSWER)).await?, sources))
}

/// Asks for the symbols of each file that was sent to the server: an answer proves that the server has
/// processed the file.
async fn understand(talk: &Client<'_>, fresh: Vec<PathBuf>, cx: &CallCtx) {
    let end = Instant::now() + cx.time_left(SHOWING);
    for path in fresh {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let answer = talk.ask(&lsp::Question::Symbols(path.clone()), left).await;
        if matches!(answer, Ok(_) | Err(lsp::ServerError::Unable { .. } | lsp::ServerError::Odd { .. })) {
            talk.understood(&path);
        }
    }
}

/// Determines how complete an answer is, from the state of the server before and after the question.
fn afterwards(
    talk: &Client<'_>,
    server: &Server,
    question: &Question,
    before: ServerReadiness,
    disk: &Disk,
) -> ServerReadiness {
    if question.query == NavigationQuery::Symbols {
        return before;
    }
    // The answer may lack files that the server began to read after the question, so the state after the answer
    // counts too.
    let after = server.standing();
    let standing = if after.complete == Complete::Yes { before } else { after };
    let waiting = talk.waiting();
    let Some(first) = waiting.first() else { return standing };
    let name = disk.get(first).map_or_else(|| first.display().to_string(), |(path, _)| path.display());
    let count = waiting.len();
    standing.lacking(format!(
        "the language server has not read all changed files yet ({count} remaining, first {name})"
    ))
}

/// Lists the files on disk, and then returns the server of the project. Files that change after the listing
/// are noticed at the next question. The inner error explains why the server is not asked.
fn get(
    code: &Code,
    servers: &Servers,
    found: &InstalledServer,
    question: &Question,
    cx: &CallCtx,
) -> Result<Result<(Arc<Server>, Disk), String>, Failure> {
    let (known, path) = (found.known, &question.path);
    let home: Home = lsp::home(known, path, |path| code.files().workspace().stat(path).is_ok());
    let mut disk = markers(code, known, &home);
    let files = files::listed(code, cx, path)?;
    let hidden = files.withheld.iter().find(|file| language(known, file.path.raw()).is_some());
    if let (NavigationQuery::Hover(_), Some(hidden)) = (question.query, hidden) {
        return Ok(Err(format!(
            "{} was not queried, because its answer could contain text of {}, which the rules do not allow reading.",
            known.name,
            hidden.path.display()
        )));
    }
    for file in files.shown {
        let raw = file.path.raw().to_owned();
        let is_marker = known.markers.iter().any(|marker| raw.ends_with(marker));
        if language(known, &raw).is_some() || is_marker {
            disk.insert(raw, (file.path, file.modified.cast_unsigned()));
        }
    }
    let server = servers.get(found, &home, &stamps(&disk)).map_err(|fault| sentence(&fault));
    Ok(server.map(|server| (server, disk)))
}

/// Finds the files by which a server recognises a project. Ignored files are included, because some of these
/// files are build output.
fn markers(code: &Code, known: &lsp::KnownServer, home: &Home) -> Disk {
    let needed = known.needs.map_or(&[][..], |(names, _)| names);
    let found = known.markers.iter().chain(needed).filter_map(|name| {
        let path = code.files().resolve(home.directory.join(name).to_str()?).ok()?;
        let modified = code.files().workspace().stat(&path).ok()?.modified;
        let stamp = i64::try_from(modified).unwrap_or(i64::MAX).cast_unsigned();
        Some((path.raw().to_owned(), (path, stamp)))
    });
    found.collect()
}

fn stamps(disk: &Disk) -> HashMap<PathBuf, Stamp> {
    disk.iter().map(|(path, (_, stamp))| (path.clone(), *stamp)).collect()
}

fn language(known: &lsp::KnownServer, path: &Path) -> Option<&'static str> {
    path.extension().and_then(|extension| known.language(&extension.to_string_lossy()))
}

/// Reports changes on disk to a server, and sends it the changed files and the file that the question is
/// about. Returns the changed files that were sent.
async fn show(
    code: &Code,
    talk: &Client<'_>,
    server: &Server,
    question: &Question,
    disk: &Disk,
) -> Result<Vec<PathBuf>, Failure> {
    let known = server.known();
    talk.disk(stamps(disk));
    let own = question.path.raw();
    let mut wanted: Vec<(WorkspacePath, &'static str)> = Vec::new();
    for path in talk.waiting() {
        match (language(known, &path), disk.get(&path)) {
            (Some(language), Some((inside, _))) if path != own => wanted.push((inside.clone(), language)),
            (Some(_), _) => {}
            // A file in none of the server's languages, such as a manifest, is not sent: the server was
            // notified of the change and reads the file from disk.
            (None, _) => talk.understood(&path),
        }
    }
    let code = code.clone();
    let texts = blocking(move || {
        // A file that is not text or was deleted cannot be sent. It stays in the list of files that the
        // server has not read, which makes the answer incomplete.
        let read = wanted.into_iter().filter_map(|(path, language)| {
            Some((path.raw().to_owned(), language, files::read(&code, &path).ok()?))
        });
        Ok(read.take(OPENED).collect::<Vec<_>>())
    })
    .await?;
    let mut fresh = Vec::new();
    for (path, language, text) in texts {
        talk.show(&path, language, &text.text);
        fresh.push(path);
    }
    talk.show(own, language(known, own).unwrap_or("plaintext"), &question.text.text);
    Ok(fresh)
}

/// Converts a question to a request of the language server protocol.
fn ask_for(question: &Question, encoding: lsp::Encoding) -> lsp::Question {
    let path = question.path.raw().to_owned();
    let at = question.name.as_ref().map(|(asked, byte)| {
        let line = asked.line.saturating_sub(1);
        let text = question.text.line(line).unwrap_or_default();
        let character = encoding.count(text, byte.saturating_sub(question.text.start(line)));
        Position { line, character }
    });
    match (question.query, at) {
        (NavigationQuery::Definition(_), Some(at)) => lsp::Question::Definition(path, at),
        (NavigationQuery::References(_), Some(at)) => lsp::Question::References(path, at),
        (NavigationQuery::Hover(_), Some(at)) => lsp::Question::Hover(path, at),
        (NavigationQuery::Symbols, _) | (_, None) => lsp::Question::Symbols(path),
    }
}

/// Returns the readiness for an answer that depends on one file only.
fn alone() -> ServerReadiness {
    let why = "the answer depends on this file only".to_owned();
    ServerReadiness { stage: Stage::Ready, complete: Complete::Yes, why }
}

/// Adjusts the completeness of a references answer to the result of the import check. Also returns the
/// imports that the answer lacks.
fn believed(
    known: &lsp::KnownServer,
    standing: ServerReadiness,
    checked: ImportCheck,
) -> (ServerReadiness, Vec<Place>) {
    match checked {
        ImportCheck::Nothing => (standing, Vec::new()),
        ImportCheck::Holds => (standing.held(known), Vec::new()),
        ImportCheck::Lacks(places) => {
            let first =
                places.first().map(|place| format!("{}:{}", place.path, place.line)).unwrap_or_default();
            let why = format!("the answer lacks a use that the syntax tree shows: {first}");
            (standing.lacking(why), places)
        }
    }
}

fn not_ready(server: &Server, standing: &ServerReadiness) -> String {
    let name = server.known().name;
    match standing.stage {
        Stage::Indexing(Some(percent)) => {
            format!("{name} is still reading the project ({percent} %); repeat the call later.")
        }
        Stage::Starting | Stage::Indexing(None) => {
            format!("{name} is still reading the project ({}); repeat the call later.", standing.why)
        }
        _ => format!("{name} is not reliable here: {}.", standing.why),
    }
}

fn words(failure: Failure) -> String {
    failure.what
}

fn sentence(fault: &lsp::ServerError) -> String {
    format!("No answer from the language server: {fault}.")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests create their files directly")]

    use super::*;
    use crate::{
        call::permissions::ReadPermission,
        code::navigate::{Base, CursorPosition},
        session::Session,
    };
    use std::fs;
    use tempfile::TempDir;
    use toolpost_lsp::Settings as ServerSettings;
    use toolpost_process::{Environment, Sandbox};
    use toolpost_workspace::{Options, Workspace};

    fn world(files: &[&str]) -> (TempDir, Code) {
        let base = TempDir::new().unwrap();
        for name in files {
            let path = base.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "key = 1\n").unwrap();
        }
        let options = Options { roots: vec![base.path().to_owned()], ..Options::default() };
        (base, Code::of_workspace(Workspace::open(options).unwrap().0))
    }

    #[test]
    fn hover_is_withheld_if_the_language_has_a_forbidden_file() {
        let missing = "No answer from the language server: `ty` was not started: there is no program `ty` outside \
                       the workspace.";
        let hidden = "ty was not queried, because its answer could contain text of secret.py, which the rules do not allow reading.";
        let spot = CursorPosition { line: 0, column: 0, base: Base::Zero };
        let rows: [(&[&str], NavigationQuery, &str); 3] = [
            (&["a.py", "secret.py"], NavigationQuery::Hover(spot), hidden),
            (&["a.py", "secret.py"], NavigationQuery::Definition(spot), missing),
            (&["a.py", "secret.txt"], NavigationQuery::Hover(spot), missing),
        ];
        for (names, want, why) in rows {
            let (_base, code) = world(names);
            let path = code.files().resolve("a.py").unwrap();
            let may_read =
                Arc::new(|path: &WorkspacePath| !path.relative().to_string_lossy().starts_with("secret"));
            let cx = CallCtx {
                permissions: Arc::new(ReadPermission(may_read)),
                ..CallCtx::denied(Session::new())
            };
            let nowhere = Environment::of_this_process().with("PATH", "/nowhere");
            let servers = Servers::new(ServerSettings::new(Sandbox::Off, nowhere, Vec::new()));
            let found = servers.found_for("py").remove(0);
            let text = files::read(&code, &path).unwrap();
            let question = Question { path, query: want, text, name: None };
            let message = get(&code, &servers, &found, &question, &cx).unwrap().err().unwrap();
            assert_eq!(message, why, "{names:?} {want:?}");
        }
    }

    #[test]
    fn project_markers_are_found_in_ignored_directories() {
        let (base, code) = world(&["a.c", "build/compile_commands.json"]);
        fs::write(base.path().join(".gitignore"), "build/\n").unwrap();
        let clangd = lsp::KNOWN.iter().find(|known| known.name == "clangd").unwrap();
        let path = code.files().resolve("a.c").unwrap();
        let home = lsp::home(clangd, &path, |path| code.files().workspace().stat(path).is_ok());
        assert_eq!(home.lacks, None);
        let found = markers(&code, clangd, &home);
        let names: Vec<&Path> = found.values().map(|(path, _)| path.relative()).collect();
        assert_eq!(names, [Path::new("build/compile_commands.json")]);
    }
}
