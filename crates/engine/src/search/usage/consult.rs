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
    Reach, WebAddress,
    code::{Found, Question, Service},
};
use toolpost_text::escape;

/// The time limit for the service.
const PATIENCE: Duration = Duration::from_secs(20);
/// The estimated size of a token, in bytes.
const TOKEN: usize = 4;
/// The size of the frame of a finding, in bytes.
const AROUND: usize = 48;
/// The minimum size of the beginning of a finding that does not fit, in bytes.
const LEAST: usize = 400;

/// The answer of a service.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Consulted {
    /// The name of the service.
    pub name: String,
    /// Its host.
    pub host: String,
    /// The question, as it was sent to the service.
    pub sent: String,
    /// Its findings, in its order.
    pub findings: Vec<Finding>,
    /// The number of its findings that do not fit.
    pub left_out: usize,
    /// The remarks of the service about its answer.
    pub notes: Vec<String>,
    /// The reason why there is no answer; `None` if there is one, which may be empty.
    pub failed: Option<String>,
}

/// One finding of a service: content of the web.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Its title.
    pub title: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Its text, or a part of it.
    pub text: String,
    /// The number of further bytes that the service sent of it.
    pub more: usize,
}

/// Returns the host of the service.
pub(super) fn host(service: &Service) -> Host {
    Host::at(&service.base().host(), service.base().port())
}

/// Queries the service. Its failure does not fail the call, since the service is not the only source.
pub(super) async fn consult(
    service: Arc<Service>,
    search: &Searcher,
    request: &Request,
    cx: &CallCtx,
) -> Result<Consulted, Failure> {
    if let Err(why) = &cx.permissions.may_consult() {
        let failed = Some(format!("it was not asked. {}", convert::sentence(why)));
        return Ok(Consulted { failed, ..Consulted::empty(&service, request) });
    }
    let libraries = named(search, request, cx).await;
    let question = Question { words: &request.query, tokens: request.tokens, libraries: &libraries };
    // The policy has checked this access, and no other host is reached.
    let gate = |_: &WebAddress| Ok(Reach::Anywhere);
    let asked = service.ask(&question, &gate, cx.time_left(PATIENCE));
    let found = tokio::select! {
        found = asked => found,
        () = cx.cancel.cancelled() => return Err(Failure::new(Kind::Cancelled, "The call was cancelled before there was an answer.")),
    };
    let empty = Consulted::empty(&service, request);
    Ok(match found {
        Ok(Found { findings, notes, sent }) => Consulted {
            findings: findings.into_iter().map(shown).collect(),
            notes: notes.iter().map(|note| escape::text(note).into_owned()).collect(),
            sent,
            ..empty
        },
        Err(error) => {
            let why = escape::prose(&error.to_string()).into_owned();
            Consulted { failed: Some(convert::sentence(&why)), ..empty }
        }
    })
}

/// Lists the project's packages that the question names, under the names that a service may know.
async fn named(search: &Searcher, request: &Request, cx: &CallCtx) -> Vec<String> {
    let Ok(dependencies) = search.files().dependencies().cloned() else { return Vec::new() };
    let (query, cx) = (request.query.clone(), cx.clone());
    let found = crate::workers::blocking(move || {
        let all = dependencies.all(&|| cx.check().is_err());
        let names = all.packages.iter().filter(|package| super::weigh::is_named(&package.label, &query));
        Ok(names.map(|package| super::weigh::bare(&package.label).to_owned()).collect())
    });
    found.await.unwrap_or_default()
}

fn shown(finding: toolpost_net::code::Finding) -> Finding {
    Finding {
        title: finding.title.map(|title| escape::text(title.trim()).into_owned()),
        url: finding.url.map(|url| escape::text(&url).into_owned()),
        text: escape::prose(finding.text.trim_matches('\n')).into_owned(),
        more: 0,
    }
}

impl Consulted {
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

    /// Keeps the findings that fit into the tokens: whole ones in their order, and the beginning of one that
    /// does not fit.
    pub(super) fn cut(mut self, tokens: u64) -> Self {
        let mut room = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN);
        let mut kept = Vec::new();
        let mut rest = std::mem::take(&mut self.findings).into_iter();
        for finding in rest.by_ref() {
            let weight = weight(&finding);
            if weight <= room {
                room -= weight;
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

fn weight(finding: &Finding) -> usize {
    let said = |said: &Option<String>| said.as_ref().map_or(0, String::len);
    finding.text.len() + said(&finding.title) + said(&finding.url) + AROUND
}

/// Cuts a finding at the end of a line.
fn beginning(finding: &Finding, room: usize) -> Option<Finding> {
    if room < LEAST {
        return None;
    }
    let end = finding.text.floor_char_boundary(room);
    let end = finding.text[..end].rfind('\n').filter(|line| *line >= LEAST / 2).unwrap_or(end);
    let text = finding.text[..end].to_owned();
    Some(Finding { more: finding.text.len() - end, text, ..finding.clone() })
}

#[cfg(test)]
mod tests {
    use super::{Consulted, Finding};

    #[test]
    fn findings_are_cut_to_the_room() {
        let finding = |text: String| Finding { title: None, url: None, text, more: 0 };
        let lines = |count: usize| "0123456789abcde\n".repeat(count);
        let all = Consulted {
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
        for (tokens, wanted, left_out) in rows {
            let cut = all.clone().cut(tokens);
            let lengths: Vec<usize> = cut.findings.iter().map(|finding| finding.text.len()).collect();
            assert_eq!((lengths, cut.left_out), (wanted, left_out), "{tokens}");
            let more: usize = cut.findings.iter().map(|finding| finding.more).sum();
            assert_eq!(more, if tokens == 250 { 1600 - 735 } else { 0 });
            assert!(cut.tokens() <= tokens);
        }
    }
}
