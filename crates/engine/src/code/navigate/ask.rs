//! A request to one language server: sends it the changed files, waits until it is ready, asks and converts
//! the answer.

use super::{Output, Place, Want};
use super::{
    check::{self, Checked},
    convert::{self, Answered},
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
    self as lsp, Answer, Client, Complete, Home, InstalledServer, Position, Server, Servers, Stage, Stamp,
    Standing,
};
use toolpost_workspace::WorkspacePath;

/// Maximum wait for a server that is starting or reading the project.
const PATIENCE: Duration = Duration::from_secs(15);
/// Maximum wait for one answer.
const ANSWER: Duration = Duration::from_secs(30);
/// Maximum time for sending all changed files.
const SHOWING: Duration = Duration::from_secs(20);
/// Maximum number of changed files that are sent in one request.
const OPENED: usize = 200;

/// The files of a project on the disk, by path.
type Disk = HashMap<PathBuf, (WorkspacePath, Stamp)>;

/// Asks one server; the error is a sentence that explains why it does not answer.
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
    let standing = match question.want {
        // The symbols of a file depend on that file alone.
        Want::Symbols => alone(),
        Want::Definition(_) | Want::References(_) | Want::Hover(_) => talk.settled(patience()).await,
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
        let checked = match (&answer, question.want) {
            (Answer::Places(places), Want::References(_)) => check::check(&code, &cx, &question, places)?,
            _ => Checked::Nothing,
        };
        let (standing, lacks) = believed(known, standing, checked);
        let answered = Answered { server: known.name, answer, sources, standing, encoding };
        let mut output = convert::output(&code, &cx, &question, answered);
        output.total += lacks.len() as u64;
        output.places.extend(lacks);
        output.places.sort();
        Ok(output)
    })
    .await
    .map_err(words)
}

/// Asks, and also finds the positions that a hover text comes from: only a caller who may read those files may
/// see the text.
async fn answer(
    talk: &Client<'_>,
    asked: &lsp::Question,
    cx: &CallCtx,
) -> Result<(Answer, Vec<lsp::Place>), lsp::Fault> {
    let mut sources = Vec::new();
    if let lsp::Question::Hover(path, at) = asked {
        let definition = lsp::Question::Definition(path.clone(), *at);
        if let Answer::Places(places) = talk.ask(&definition, cx.time_left(ANSWER)).await? {
            sources = places;
        }
    }
    Ok((talk.ask(asked, cx.time_left(ANSWER)).await?, sources))
}

/// Asks about each file that was sent: an answer proves that the server has processed it.
async fn understand(talk: &Client<'_>, fresh: Vec<PathBuf>, cx: &CallCtx) {
    let end = Instant::now() + cx.time_left(SHOWING);
    for path in fresh {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let answer = talk.ask(&lsp::Question::Symbols(path.clone()), left).await;
        if matches!(answer, Ok(_) | Err(lsp::Fault::Unable { .. } | lsp::Fault::Odd { .. })) {
            talk.understood(&path);
        }
    }
}

/// Determines the completeness of an answer from the state of the server afterwards.
fn afterwards(
    talk: &Client<'_>,
    server: &Server,
    question: &Question,
    before: Standing,
    disk: &Disk,
) -> Standing {
    if question.want == Want::Symbols {
        return before;
    }
    // The answer cannot include files that the server began to read in the meantime.
    let after = server.standing();
    let standing = if after.complete == Complete::Yes { before } else { after };
    let waiting = talk.waiting();
    let Some(first) = waiting.first() else { return standing };
    let name = disk.get(first).map_or_else(|| first.display().to_string(), |(path, _)| path.display());
    let count = waiting.len();
    standing
        .lacking(format!("of {count} changed files it does not know the content yet; the first is {name}"))
}

/// Scans the disk, then returns the server of the project. The next scan finds later changes.
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
    if let (Want::Hover(_), Some(hidden)) = (question.want, hidden) {
        return Ok(Err(format!(
            "{} is not asked: what it tells could come out of {}, which the rules do not let be read.",
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

/// Finds the marker files of a project, including ignored ones: build outputs can be markers.
fn markers(code: &Code, known: &lsp::Known, home: &Home) -> Disk {
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

fn language(known: &lsp::Known, path: &Path) -> Option<&'static str> {
    path.extension().and_then(|extension| known.language(&extension.to_string_lossy()))
}

/// Reports changes to a server, sends it the requested file, and returns the files that it has to read
/// again.
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
            // The server reads such files itself, and has been notified.
            (None, _) => talk.understood(&path),
        }
    }
    let code = code.clone();
    let texts = blocking(move || {
        // A file that is not text or was deleted cannot be sent. It stays in the waiting list, and the
        // answer reports it.
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

/// Converts a question to a protocol request.
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

/// The completeness of an answer that depends on one file only.
fn alone() -> Standing {
    let why = "only the file itself was asked about".to_owned();
    Standing { stage: Stage::Ready, complete: Complete::Yes, why }
}

/// Adjusts the completeness of an answer by the check for known uses; also returns the uses that the answer
/// lacks.
fn believed(known: &lsp::Known, standing: Standing, checked: Checked) -> (Standing, Vec<Place>) {
    match checked {
        Checked::Nothing => (standing, Vec::new()),
        Checked::Holds => (standing.held(known), Vec::new()),
        Checked::Lacks(places) => {
            let first =
                places.first().map(|place| format!("{}:{}", place.path, place.line)).unwrap_or_default();
            let why = format!("it lacks a use that the syntax tree knows: {first}");
            (standing.lacking(why), places)
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

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests build their own worlds")]

    use super::*;
    use crate::{
        call::permissions::ReadPermission,
        code::navigate::{Base, Spot},
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
    fn what_a_name_is_is_not_asked_where_it_could_come_out_of_what_may_not_be_read() {
        let missing = "No answer of the language server: `ty` was not started: there is no program `ty` outside of the \
                       workspace.";
        let hidden =
            "ty is not asked: what it tells could come out of secret.py, which the rules do not let be read.";
        let spot = Spot { line: 0, column: 0, base: Base::Zero };
        let rows: [(&[&str], Want, &str); 3] = [
            (&["a.py", "secret.py"], Want::Hover(spot), hidden),
            (&["a.py", "secret.py"], Want::Definition(spot), missing),
            (&["a.py", "secret.txt"], Want::Hover(spot), missing),
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
            let question = Question { path, want, text, name: None };
            let said = get(&code, &servers, &found, &question, &cx).unwrap().err().unwrap();
            assert_eq!(said, why, "{names:?} {want:?}");
        }
    }

    #[test]
    fn what_marks_a_project_is_seen_though_the_ignore_rules_leave_it_out() {
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
