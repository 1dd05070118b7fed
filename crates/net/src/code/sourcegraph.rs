//! Sourcegraph code search, through the stream of matches that an instance sends.

use serde::Deserialize;

use super::events::events;
use super::terms::terms;
use super::{
    Answers, CodeSearchResponse, CodeSearchResult, Provider, Question, ResponseFault, ServiceRequest,
    ServiceResponse,
};

/// Request and response format of Sourcegraph code search.
#[derive(Debug)]
pub(super) struct Sourcegraph;

/// Limits of a search: number of matches, context lines around each match, and characters in a line.
const MOST: (u32, u32, u32) = (40, 4, 300);
/// Maximum length of a query, in bytes.
const LONGEST: usize = 1_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Match {
    #[serde(rename = "type")]
    sort: String,
    repository: Option<String>,
    path: Option<String>,
    commit: Option<String>,
    #[serde(default)]
    chunk_matches: Option<Vec<Chunk>>,
    #[serde(default)]
    line_matches: Option<Vec<Line>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    content: String,
    content_start: Start,
}

#[derive(Deserialize)]
struct Start {
    line: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    line: String,
    line_number: u64,
}

#[derive(Deserialize)]
struct Alert {
    title: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Progress {
    #[serde(default)]
    skipped: Vec<SkippedReason>,
}

#[derive(Deserialize, PartialEq)]
struct SkippedReason {
    #[serde(default)]
    title: String,
    #[serde(default)]
    severity: String,
}

impl Provider for Sourcegraph {
    fn name(&self) -> &'static str {
        "sourcegraph"
    }

    fn default_address(&self) -> &'static str {
        "https://sourcegraph.com"
    }

    fn variables(&self) -> &'static [&'static str] {
        &["SRC_ACCESS_TOKEN", "SOURCEGRAPH_TOKEN"]
    }

    fn answers(&self) -> Answers {
        Answers::Everybody
    }

    fn key(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("token {key}"))
    }

    fn ask(&self, question: &Question<'_>) -> ServiceRequest {
        let mut sent = terms(question.words, LONGEST);
        if !sent.contains("count:") {
            sent.push_str(&format!(" count:{}", MOST.0));
        }
        ServiceRequest {
            path: "/.api/search/stream",
            query: vec![
                ("q", sent.clone()),
                ("v", "V3".to_owned()),
                ("t", "keyword".to_owned()),
                ("display", MOST.0.to_string()),
                ("cm", "true".to_owned()),
                ("cl", MOST.1.to_string()),
                ("max-line-len", MOST.2.to_string()),
            ],
            accept: "text/event-stream",
            sent,
            ..ServiceRequest::default()
        }
    }

    fn read(&self, base: &str, answer: &ServiceResponse<'_>) -> Result<CodeSearchResponse, ResponseFault> {
        let mut found = CodeSearchResponse::default();
        let (mut alerts, mut done) = (Vec::new(), false);
        let form = |error: serde_json::Error| ResponseFault::Form(error.to_string());
        for event in events(answer.body) {
            match event.sort.as_str() {
                "matches" => {
                    let matches: Vec<Match> = serde_json::from_str(&event.data).map_err(form)?;
                    found.findings.extend(matches.into_iter().filter_map(|found| finding(base, found)));
                }
                "progress" => {
                    let progress: Progress = serde_json::from_str(&event.data).map_err(form)?;
                    found.notes = progress.skipped.iter().filter_map(skipped).collect();
                }
                "alert" => {
                    let alert: Alert = serde_json::from_str(&event.data).map_err(form)?;
                    let said =
                        alert.title.into_iter().chain(alert.description).filter(|said| !said.is_empty());
                    alerts.push(said.collect::<Vec<_>>().join(": "));
                }
                "error" => return Err(ResponseFault::Said(event.data)),
                "done" => done = true,
                _ => {}
            }
        }
        if !done && found.findings.is_empty() {
            let why = answer.broken.unwrap_or("the stream of matches is incomplete");
            return Err(ResponseFault::Form(why.to_owned()));
        }
        // Without results, the alerts of the service contain the reason.
        if found.findings.is_empty() && !alerts.is_empty() {
            return Err(ResponseFault::Said(alerts.join("; ")));
        }
        found.notes.extend(alerts);
        if !done {
            found.notes.push(format!(
                "there may be more results, because {}",
                answer.broken.unwrap_or("the stream ended early")
            ));
        }
        Ok(found)
    }
}

/// Returns a note about results that the service skipped; `None` if the service marks the reason as mere information,
/// or states none.
fn skipped(skipped: &SkippedReason) -> Option<String> {
    (skipped.severity != "info" && !skipped.title.is_empty())
        .then(|| format!("the service skipped some results: {}", skipped.title))
}

fn finding(base: &str, found: Match) -> Option<CodeSearchResult> {
    let (repository, path) = (found.repository?, found.path?);
    if found.sort != "content" {
        return None;
    }
    let chunks = found.chunk_matches.unwrap_or_default();
    let lines = found.line_matches.unwrap_or_default();
    let first =
        chunks.iter().map(|chunk| chunk.content_start.line).chain(lines.iter().map(|line| line.line_number));
    let first = first.min()? + 1;
    let texts: Vec<String> = match chunks.is_empty() {
        false => chunks.into_iter().map(|chunk| chunk.content).collect(),
        true => lines.into_iter().map(|line| line.line).collect(),
    };
    let at = found
        .commit
        .filter(|commit| !commit.is_empty())
        .map_or_else(String::new, |commit| format!("@{commit}"));
    let base = base.trim_end_matches('/');
    Some(CodeSearchResult {
        title: Some(format!("{repository}/{path}:{first}")),
        url: Some(format!("{base}/{repository}{at}/-/blob/{path}?L{first}")),
        text: texts.join("\n…\n"),
    })
}
