//! GitHub code search, through the REST API.

use serde::Deserialize;

use super::terms::terms;
use super::{
    Answers, CodeSearchResponse, CodeSearchResult, Provider, Question, ResponseFault, ServiceRequest,
    ServiceResponse, web,
};

/// Request and response format of GitHub code search.
#[derive(Debug)]
pub(super) struct GitHub;

/// Maximum number of files in a result.
const MOST: u32 = 20;
/// Maximum length of a query, in bytes.
const LONGEST: usize = 256;

#[derive(Deserialize)]
struct Reply {
    total_count: u64,
    #[serde(default)]
    incomplete_results: bool,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    path: String,
    html_url: String,
    repository: Repository,
    #[serde(default)]
    text_matches: Vec<Fragment>,
}

#[derive(Deserialize)]
struct Repository {
    full_name: String,
}

#[derive(Deserialize)]
struct Fragment {
    #[serde(default)]
    fragment: String,
}

impl Provider for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn default_address(&self) -> &'static str {
        "https://api.github.com"
    }

    fn variables(&self) -> &'static [&'static str] {
        &["GITHUB_TOKEN", "GH_TOKEN"]
    }

    fn answers(&self) -> Answers {
        Answers::KeyHolders
    }

    fn key(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn ask(&self, question: &Question<'_>) -> ServiceRequest {
        let sent = terms(question.words, LONGEST);
        ServiceRequest {
            path: "/search/code",
            query: vec![("q", sent.clone()), ("per_page", MOST.to_string())],
            accept: "application/vnd.github.text-match+json",
            headers: vec![("x-github-api-version", "2022-11-28")],
            sent,
            ..ServiceRequest::default()
        }
    }

    fn read(&self, _base: &str, answer: &ServiceResponse<'_>) -> Result<CodeSearchResponse, ResponseFault> {
        let reply: Reply = answer.json()?;
        let mut notes = Vec::new();
        if reply.incomplete_results {
            notes.push("the search of the service was incomplete".to_owned());
        }
        if reply.total_count > reply.items.len() as u64 {
            notes.push(format!(
                "the service has {} matching files, of which these are the first {}",
                reply.total_count,
                reply.items.len()
            ));
        }
        let findings = reply.items.into_iter().map(|item| CodeSearchResult {
            title: Some(format!("{}/{}", item.repository.full_name, item.path)),
            url: web(&item.html_url),
            text: item.text_matches.into_iter().map(|part| part.fragment).collect::<Vec<_>>().join("\n…\n"),
        });
        Ok(CodeSearchResponse { findings: findings.collect(), notes, ..CodeSearchResponse::default() })
    }
}
