//! Oracle: the definition that each call site calls, from the cached answers of a language server.

use super::code::{Code, Id, Site, is_callable};
use super::corpora::{InstalledCorpus, Language};
use crate::{disk, output};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};
use toolpost_lsp::{
    Client, CodeLocation, Home, LspAnswer, Position, Question, ServerError, Servers, Settings, Stage,
};
use toolpost_process::{Environment, Sandbox};

/// Maximum time for a server to index a program.
const READING: Duration = Duration::from_secs(300);
/// Maximum time until a language server answers a question about a call site.
const ANSWER: Duration = Duration::from_secs(60);

/// The language server's answer for a call site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// The called definitions, in the program.
    Defined(Vec<Id>),
    /// A definition outside the program.
    External,
    /// A variable or parameter of the program.
    Variable,
    /// No answer.
    Unknown,
}

/// Asks the language server for the target of each call site, or reads its cached answers.
pub(super) fn truths(
    laid: &InstalledCorpus,
    code: &Code,
    path: &[PathBuf],
    folder: &Path,
) -> Result<Vec<Truth>> {
    let kept = folder.join("oracle").join(format!("{}.json", laid.corpus.name));
    let key = key(laid, code);
    let known = disk::read(&kept).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let answers = match known.filter(|known| known["key"] == key) {
        Some(known) => known["answers"].clone(),
        None => {
            output::complain(&format!("asks {} about {}", laid.corpus.tongue.oracle(), laid.corpus.name));
            let answers = ask(laid, code, path)?;
            disk::write(&kept, json!({ "key": key, "answers": answers }).to_string().as_bytes())?;
            answers
        }
    };
    let answers = answers
        .as_array()
        .context("the cached answers of the language server are not a list; remove their file")?;
    ensure!(
        answers.len() == code.sites.len(),
        "the cached answers of the language server belong to other call sites; remove {}",
        kept.display()
    );
    Ok(code.sites.iter().zip(answers).map(|(site, answer)| truth(code, site, answer)).collect())
}

/// Returns the cache key for the state of a program.
fn key(laid: &InstalledCorpus, code: &Code) -> String {
    let mut all = format!("{:?}\n{}\n", laid.corpus, laid.corpus.tongue.oracle());
    for (path, file) in &code.files {
        all.push_str(path);
        all.push_str(&file.text);
    }
    for site in &code.sites {
        all.push_str(&format!("{}:{} ", site.path, site.at.start));
    }
    toolpost_workspace::hash(all.as_bytes()).to_hex()
}

fn ask(laid: &InstalledCorpus, code: &Code, path: &[PathBuf]) -> Result<Value> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?;
    runtime.block_on(async {
        let servers = Servers::new(settings(laid, path)?);
        let answers = ask_all(&servers, laid, code).await;
        servers.shut_down().await;
        answers
    })
}

fn settings(laid: &InstalledCorpus, path: &[PathBuf]) -> Result<Settings> {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let places = laid.path.iter().chain(path).cloned().chain(std::env::split_paths(&own));
    let mut environment =
        Environment::of_this_process().with("PATH", std::env::join_paths(places).context("invalid PATH")?);
    for (name, place) in &laid.variables {
        environment = environment.with(*name, place);
    }
    Ok(Settings::new(Sandbox::Off, environment, Vec::new()))
}

async fn ask_all(servers: &Servers, laid: &InstalledCorpus, code: &Code) -> Result<Value> {
    let tree = disk::canonical(&laid.tree)?;
    let oracle = laid.corpus.tongue.oracle();
    let found = servers.found().into_iter().find(|found| found.known.name == oracle);
    let found = found.with_context(|| format!("Toolpost does not know the language server {oracle}"))?;
    let home = Home { directory: tree.clone(), lacks: None };
    let server = servers.get(&found, &home, &HashMap::new())?;
    let mut answers = Vec::new();
    let (mut last, mut ready) = (None, false);
    let mut talk = server.greeted(READING).await?;
    for (number, site) in code.sites.iter().enumerate() {
        let file = &code.files[&site.path];
        let path = tree.join(&site.path);
        if last != Some(&site.path) {
            // Dropping the client closes the files that were opened for earlier call sites.
            drop(talk);
            talk = server.greeted(READING).await?;
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            talk.show(&path, language(laid.corpus.tongue, extension), &file.text);
            last = Some(&site.path);
        }
        if !ready {
            settle(&talk).await?;
            ready = true;
        }
        let line = file.line(site.at.start);
        let (start, row) = file.row(line).context("a call site is outside the lines of its file")?;
        let character = talk.encoding().count(row, site.at.start - start);
        let at = Position { line: u32::try_from(line)?, character };
        let places = match talk.ask(&Question::Definition(path, at), ANSWER).await {
            Ok(LspAnswer::Places(places)) => places,
            // Servers refuse requests about files that belong to no build, so the call site has no answer.
            Err(ServerError::Refused { .. }) => Vec::new(),
            Ok(other) => bail!("{oracle} answered {other:?} to a question about a definition"),
            Err(fault) => return Err(fault.into()),
        };
        answers.push(Value::Array(places.iter().map(|place| shown(&talk, code, &tree, place)).collect()));
        if number % 5_000 == 4_999 {
            output::complain(&format!("{} of {}", number + 1, code.sites.len()));
        }
    }
    Ok(Value::Array(answers))
}

/// Waits until a server has indexed the program.
async fn settle(talk: &Client<'_>) -> Result<()> {
    let standing = talk.settled(READING).await;
    ensure!(
        matches!(standing.stage, Stage::Ready | Stage::Unconfirmed),
        "the language server has not indexed the program: {}",
        standing.why
    );
    Ok(())
}

fn language(tongue: Language, extension: &str) -> &'static str {
    match (tongue, extension) {
        (Language::Python, _) => "python",
        (Language::TypeScript, "tsx") => "typescriptreact",
        (Language::TypeScript, _) => "typescript",
        (Language::C, _) => "c",
        (Language::Go, _) => "go",
        (Language::Rust, _) => "rust",
    }
}

/// Formats a location: path and byte offset in a file of the program, or the URI of another file.
fn shown(talk: &Client<'_>, code: &Code, tree: &Path, place: &CodeLocation) -> Value {
    let inside = place.path.as_ref().and_then(|path| path.strip_prefix(tree).ok()).and_then(Path::to_str);
    let byte = inside.and_then(|path| {
        let file = code.files.get(path)?;
        let (start, row) = file.row(usize::try_from(place.span.from.line).ok()?)?;
        Some(start + talk.encoding().byte(row, place.span.from.character))
    });
    match (inside, byte) {
        (Some(path), Some(byte)) => json!([path, byte]),
        _ => json!(place.address),
    }
}

/// Classifies the target of a call site from the answer of the language server.
fn truth(code: &Code, site: &Site, answer: &Value) -> Truth {
    let places = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    if places.is_empty() {
        return Truth::Unknown;
    }
    let inside =
        |place: &Value| Some((place[0].as_str()?.to_owned(), usize::try_from(place[1].as_u64()?).ok()?));
    let inside: Vec<(String, usize)> = places.iter().filter_map(inside).collect();
    if inside.is_empty() {
        return Truth::External;
    }
    let own = |(path, byte): &(String, usize)| code.at(path, *byte);
    let mut ids: Vec<Id> = inside.iter().filter_map(own).collect();
    ids.retain(|id| is_callable(code.definitions[*id].kind));
    ids.sort_unstable();
    ids.dedup();
    let is_itself = inside.iter().any(|(path, byte)| *path == site.path && site.at.contains(byte));
    if ids.is_empty() || is_itself { Truth::Variable } else { Truth::Defined(ids) }
}
