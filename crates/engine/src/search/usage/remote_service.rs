//! Queries to a remote code search service, in addition to the search on this machine.

use super::Request;
use crate::{
    access::command::Host,
    call::CallCtx,
    failure::{Failure, Kind, convert},
    search::Searcher,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use toolpost_net::{
    AllowedAddresses, WebAddress,
    code::{CodeSearchResponse, Question, Service},
};
use toolpost_text::budget::ByteBudget;
use toolpost_text::escape;

/// The time limit for an answer from the remote search service.
const PATIENCE: Duration = Duration::from_secs(20);
/// The estimated size of a token, in bytes.
const TOKEN: usize = 4;
/// The size of a finding in the answer, in addition to its texts, in bytes.
const AROUND: usize = 48;
/// The minimum room for the text of a truncated finding, in bytes; with less room, the finding is left out.
const LEAST: usize = 400;

/// A code search service's answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ServiceAnswer {
    /// The name of the service.
    pub name: String,
    /// The host of the service.
    pub host: String,
    /// The question as sent to the service.
    pub sent: String,
    /// The findings, in the order of the service.
    pub findings: Vec<ServiceFinding>,
    /// The number of findings that do not fit into the answer.
    pub left_out: usize,
    /// The service's remarks about its answer.
    pub notes: Vec<String>,
    /// The reason why there is no answer; `None` if the service answered.
    pub failed: Option<String>,
}

/// One finding of a service; it is untrusted content from the web.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ServiceFinding {
    /// The title of the finding.
    pub title: Option<String>,
    /// The URL of the source.
    pub url: Option<String>,
    /// The finding's text or its beginning.
    pub text: String,
    /// The number of bytes of the text that are not shown.
    pub more: usize,
}

pub(super) fn host(service: &Service) -> Host {
    Host::at(&service.base().host(), service.base().port())
}

/// Queries the remote service. Fails only if the call is cancelled. The answer contains an error of the service,
/// because the search on this machine also answers.
pub(super) async fn query(
    service: Arc<Service>,
    search: &Searcher,
    request: &Request,
    cx: &CallCtx,
) -> Result<ServiceAnswer, Failure> {
    if let Err(why) = &cx.permissions.may_consult() {
        let failed = Some(format!("the service was not queried. {}", convert::sentence(why)));
        return Ok(ServiceAnswer { failed, ..ServiceAnswer::empty(&service, request) });
    }
    let libraries = named(search, request, cx).await;
    let question = Question { words: &request.query, tokens: request.tokens, libraries: &libraries };
    // The access policy has checked this host; requests go to no other host.
    let gate = |_: &WebAddress| Ok(AllowedAddresses::Anywhere);
    let answer = service.ask(&question, &gate, cx.time_left(PATIENCE));
    let found = tokio::select! {
        found = answer => found,
        () = cx.cancel.cancelled() => return Err(Failure::new(Kind::Cancelled, "The call was cancelled before the service answered.")),
    };
    let empty = ServiceAnswer::empty(&service, request);
    Ok(match found {
        Ok(CodeSearchResponse { findings, notes, sent }) => ServiceAnswer {
            findings: findings.into_iter().map(shown).collect(),
            notes: notes.iter().map(|note| escape::text(note).into_owned()).collect(),
            sent,
            ..empty
        },
        Err(error) => {
            let why = escape::prose(&error.to_string()).into_owned();
            ServiceAnswer { failed: Some(convert::sentence(&why)), ..empty }
        }
    })
}

/// Lists the names of the project's packages that the question mentions, without ecosystem and version.
async fn named(search: &Searcher, request: &Request, cx: &CallCtx) -> Vec<String> {
    let Ok(dependencies) = search.files().dependencies().cloned() else { return Vec::new() };
    let (query, cx) = (request.query.clone(), cx.clone());
    let found = crate::workers::blocking(move || {
        let all = dependencies.all(&|| cx.check().is_err());
        let names = all
            .packages
            .iter()
            .filter(|package| crate::search::rank::weights::is_named(&package.label, &query));
        Ok(names.map(|package| crate::search::rank::weights::bare(&package.label).to_owned()).collect())
    });
    found.await.unwrap_or_default()
}

fn shown(finding: toolpost_net::code::CodeSearchResult) -> ServiceFinding {
    ServiceFinding {
        title: finding.title.map(|title| escape::text(title.trim()).into_owned()),
        url: finding.url.map(|url| escape::text(&url).into_owned()),
        text: escape::prose(finding.text.trim_matches('\n')).into_owned(),
        more: 0,
    }
}

impl ServiceAnswer {
    fn empty(service: &Service, request: &Request) -> Self {
        Self {
            name: service.name().to_owned(),
            host: host(service).written(),
            sent: request.query.clone(),
            findings: Vec::new(),
            left_out: 0,
            notes: Vec::new(),
            failed: None,
        }
    }

    /// Returns the estimated number of tokens of all findings.
    pub(super) fn tokens(&self) -> u64 {
        self.findings.iter().map(weight).sum::<usize>().div_ceil(TOKEN) as u64
    }

    /// Keeps the findings that fit into a number of tokens: whole findings in their order, then the beginning
    /// of the first one that does not fit, if there is enough room for it.
    pub(super) fn cut(mut self, tokens: u64) -> Self {
        let bytes = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN);
        let mut budget = ByteBudget::new(bytes);
        let mut kept = Vec::new();
        let mut rest = std::mem::take(&mut self.findings).into_iter();
        for finding in rest.by_ref() {
            let (weight, room) = (weight(&finding), budget.left());
            if budget.takes(weight) {
                kept.push(finding);
                continue;
            }
            let around = weight - finding.text.len();
            match beginning(&finding, room.saturating_sub(around)) {
                Some(beginning) => kept.push(beginning),
                None => self.left_out += 1,
            }
            break;
        }
        self.left_out += rest.count();
        Self { findings: kept, ..self }
    }
}

fn weight(finding: &ServiceFinding) -> usize {
    let said = |said: &Option<String>| said.as_ref().map_or(0, String::len);
    finding.text.len() + said(&finding.title) + said(&finding.url) + AROUND
}

/// Truncates the text of a finding to at most `room` bytes, if possible at the end of a line; `None` if `room` is less than
/// `LEAST`.
fn beginning(finding: &ServiceFinding, room: usize) -> Option<ServiceFinding> {
    if room < LEAST {
        return None;
    }
    let end = finding.text.floor_char_boundary(room);
    let end = finding.text[..end].rfind('\n').filter(|line| *line >= LEAST / 2).unwrap_or(end);
    let text = finding.text[..end].to_owned();
    Some(ServiceFinding { more: finding.text.len() - end, text, ..finding.clone() })
}

#[cfg(test)]
mod tests {
    use super::{ServiceAnswer, ServiceFinding};
    use toolpost_test_rows::each;

    #[test]
    fn findings_are_truncated_to_the_token_budget() {
        let finding = |text: String| ServiceFinding { title: None, url: None, text, more: 0 };
        let lines = |count: usize| "0123456789abcde\n".repeat(count);
        let all = ServiceAnswer {
            name: "exa".to_owned(),
            host: "h".to_owned(),
            sent: String::new(),
            findings: vec![finding(lines(10)), finding(lines(100)), finding(lines(1))],
            left_out: 0,
            notes: Vec::new(),
            failed: None,
        };
        let rows = [
            (u64::MAX, vec![160, 1600, 16], 0),
            (all.tokens(), vec![160, 1600, 16], 0),
            (250, vec![160, 735], 1),
            (100, vec![160], 2),
            (10, vec![], 3),
        ];
        each(rows, |(tokens, wanted, left_out)| {
            let cut = all.clone().cut(tokens);
            let lengths: Vec<usize> = cut.findings.iter().map(|finding| finding.text.len()).collect();
            assert_eq!((lengths, cut.left_out), (wanted, left_out), "{tokens}");
            let more: usize = cut.findings.iter().map(|finding| finding.more).sum();
            assert_eq!(more, if tokens == 250 { 1600 - 735 } else { 0 });
            assert!(cut.tokens() <= tokens);
        });
    }
}
