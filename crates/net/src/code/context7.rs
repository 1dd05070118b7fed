//! Context7, a search service for library documentation.

use serde::Deserialize;

use super::{
    Answers, CodeSearchResponse, CodeSearchResult, Provider, Question, ResponseFault, ServiceRequest,
    ServiceResponse, web,
};

/// Request and response format of the Context7 service.
#[derive(Debug)]
pub(super) struct Context7;

/// Maximum number of libraries that a request names.
const LIBRARIES: usize = 4;
/// Error code of Context7 that means an empty result.
const NOTHING: &str = "no_documentation_found";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    code_snippets: Option<Vec<Code>>,
    info_snippets: Option<Vec<Info>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Code {
    library_id: Option<String>,
    code_title: Option<String>,
    code_description: Option<String>,
    code_id: Option<String>,
    code_list: Vec<Listing>,
}

#[derive(Deserialize)]
struct Listing {
    language: Option<String>,
    code: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    library_id: Option<String>,
    page_id: Option<String>,
    breadcrumb: Option<String>,
    content: String,
}

impl Provider for Context7 {
    fn name(&self) -> &'static str {
        "context7"
    }

    fn default_address(&self) -> &'static str {
        "https://context7.com/api"
    }

    fn variables(&self) -> &'static [&'static str] {
        &["CONTEXT7_API_KEY"]
    }

    fn answers(&self) -> Answers {
        Answers::Everybody
    }

    fn key(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn ask(&self, question: &Question<'_>) -> ServiceRequest {
        let mut query = vec![("query", question.words.to_owned()), ("type", "json".to_owned())];
        query.extend(question.libraries.iter().take(LIBRARIES).map(|library| ("library", library.clone())));
        ServiceRequest {
            path: "/v3/search",
            query,
            accept: "application/json",
            sent: question.words.to_owned(),
            ..ServiceRequest::default()
        }
    }

    fn read(&self, base: &str, answer: &ServiceResponse<'_>) -> Result<CodeSearchResponse, ResponseFault> {
        let reply: Reply = answer.json()?;
        if reply.code_snippets.is_none() && reply.info_snippets.is_none() {
            return Err(ResponseFault::Form("the response has no list of snippets".to_owned()));
        }
        let site = base.trim_end_matches('/').trim_end_matches("/api");
        let place = |url: Option<String>, library: Option<&String>| {
            let library = library.filter(|id| id.starts_with('/')).map(|id| format!("{site}{id}"));
            url.as_deref().and_then(web).or(library)
        };
        let code = reply.code_snippets.unwrap_or_default().into_iter().map(|code| CodeSearchResult {
            url: place(code.code_id.clone(), code.library_id.as_ref()),
            text: listed(&code),
            title: titled(code.library_id, code.code_title),
        });
        let info = reply.info_snippets.unwrap_or_default().into_iter().map(|info| CodeSearchResult {
            url: place(info.page_id, info.library_id.as_ref()),
            text: info.content,
            title: titled(info.library_id, info.breadcrumb),
        });
        Ok(CodeSearchResponse { findings: code.chain(info).collect(), ..CodeSearchResponse::default() })
    }

    fn means_nothing(&self, status: u16, body: &str) -> bool {
        status == 404 && body.contains(NOTHING)
    }
}

fn titled(library: Option<String>, title: Option<String>) -> Option<String> {
    let parts: Vec<String> = library.into_iter().chain(title).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(": "))
}

/// Formats a code snippet: its description, then its code.
fn listed(code: &Code) -> String {
    let said =
        code.code_description.iter().map(|said| said.trim().to_owned()).filter(|said| !said.is_empty());
    let listings = code.code_list.iter().map(|listing| {
        let language = listing.language.as_deref().unwrap_or_default();
        format!("```{language}\n{}\n```", listing.code.trim_matches('\n'))
    });
    said.chain(listings).collect::<Vec<_>>().join("\n\n")
}
