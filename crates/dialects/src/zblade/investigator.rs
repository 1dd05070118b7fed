//! `codebase_investigator`: investigates a question about the code in rounds, guided by a model if there is
//! one.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt::Write, time::Duration};
use toolpost_engine::{
    Failure,
    operations::investigate::{
        EndReason, Finding, Guide, Investigate, Limits, Output, ReportFormat, Request, Whose,
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct CodebaseInvestigator;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Question, with names or terms that may appear in the code.
    #[schemars(extend("x-aliases" = ["query", "question", "task"], "examples" = ["Where is the session's timeout checked?"]))]
    objective: String,
    /// Globs.
    #[serde(default = "everything")]
    #[schemars(extend("x-aliases" = ["paths", "globs"], "examples" = [["src/**"]]))]
    scope: Vec<String>,
    /// Rounds of searches.
    #[serde(default = "eight")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 16))]
    max_turns: usize,
    /// Searches and other calls.
    #[serde(default = "forty")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 120))]
    max_tool_calls: usize,
    output_format: Option<Format>,
    /// Time limit.
    #[schemars(extend("x-aliases" = ["timeout_ms"], "examples" = [5000]))]
    cancel_after_ms: Option<u64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Format {
    Json,
    Markdown,
}

fn everything() -> Vec<String> {
    vec!["**/*".to_owned()]
}

const fn eight() -> usize {
    8
}

const fn forty() -> usize {
    40
}

#[derive(Serialize)]
struct Report<'a> {
    objective: &'a str,
    findings: Vec<Claim<'a>>,
    gaps: &'a [String],
    recommended_changes: Vec<Claim<'a>>,
    grounds: &'a [String],
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Claim<'a> {
    claim: &'a str,
    evidence: &'a [String],
    /// Author of the claim (the search or the model); present only if a model guided the investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Whose>,
}

#[derive(Serialize)]
struct Meta<'a> {
    turns_used: usize,
    max_turns: usize,
    tool_calls_used: usize,
    max_tool_calls: usize,
    elapsed_ms: u64,
    ended: EndReason,
    files_searched: usize,
    keywords: &'a [String],
    /// Statistics of the model that guided the investigation, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a Guide>,
}

impl Tool for CodebaseInvestigator {
    const NAME: &'static str = "codebase_investigator";
    type Op = Investigate;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(Request {
            objective: args.objective,
            base: at.path_or_root(None)?,
            scope: args.scope,
            limits: Limits { turns: args.max_turns, calls: args.max_tool_calls },
            time: args.cancel_after_ms.map(Duration::from_millis),
            written: match args.output_format {
                Some(Format::Markdown) => ReportFormat::Words,
                Some(Format::Json) | None => ReportFormat::Data,
            },
        })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.written == ReportFormat::Words {
            return page.take(markdown(output));
        }
        let (findings, recommended) = fitting(output, page.room().bytes.saturating_sub(AROUND));
        json::write(&report(output, findings, recommended), page);
        let all = output.findings.len() + output.recommended.len();
        if findings + recommended < all {
            page.note(format!(
                "the reply is full: {findings} of {} findings and {recommended} of {} recommendations are shown; pass a narrower scope or objective to see others",
                output.findings.len(),
                output.recommended.len()
            ));
        }
    }
}

/// Bytes of a reply that are reserved for the notes.
const AROUND: usize = 320;

/// Returns how many findings and how many recommendations fit into `bytes` as JSON.
fn fitting(output: &Output, bytes: usize) -> (usize, usize) {
    let (mut findings, mut recommended) = (output.findings.len(), output.recommended.len());
    let size = |findings, recommended| {
        serde_json::to_string(&report(output, findings, recommended)).map_or(0, |text| text.len())
    };
    while findings + recommended > 0 && size(findings, recommended) > bytes {
        if recommended > 0 {
            recommended -= 1;
        } else {
            findings -= 1;
        }
    }
    (findings, recommended)
}

/// Returns the report with the first findings and recommendations.
fn report(output: &Output, findings: usize, recommended: usize) -> Report<'_> {
    let meta = &output.meta;
    Report {
        objective: &output.objective,
        findings: claims(output, &output.findings[..findings]),
        gaps: &output.gaps,
        recommended_changes: claims(output, &output.recommended[..recommended]),
        grounds: &output.grounds,
        meta: Meta {
            turns_used: meta.turns,
            max_turns: meta.max_turns,
            tool_calls_used: meta.calls,
            max_tool_calls: meta.max_calls,
            elapsed_ms: meta.elapsed_ms,
            ended: meta.ended,
            files_searched: meta.searched,
            keywords: &meta.keywords,
            model: output.guide.as_ref(),
        },
    }
}

fn claims<'o>(output: &'o Output, findings: &'o [Finding]) -> Vec<Claim<'o>> {
    let by = |one: &Finding| output.guide.as_ref().map(|_| one.by);
    findings.iter().map(|one| Claim { claim: &one.claim, evidence: &one.evidence, by: by(one) }).collect()
}

/// Writes the report as Markdown.
fn markdown(output: &Output) -> String {
    let mut text = format!("# {}\n", output.objective.trim());
    let listed = |text: &mut String, heading: &str, claims: &[Finding]| {
        if claims.is_empty() {
            return;
        }
        let _ = write!(text, "\n## {heading}\n\n");
        for (number, one) in claims.iter().enumerate() {
            let by = if one.by == Whose::Model { "the model: " } else { "" };
            let _ = writeln!(text, "{}. {by}{} [{}]", number + 1, one.claim, one.evidence.join(", "));
        }
    };
    listed(&mut text, "Findings", &output.findings);
    if !output.gaps.is_empty() {
        text.push_str("\n## Gaps\n\n");
        output.gaps.iter().for_each(|gap| {
            let _ = writeln!(text, "- {gap}");
        });
    }
    listed(&mut text, "Recommended changes", &output.recommended);
    let meta = &output.meta;
    let _ = write!(
        text,
        "\nGrounds: {}.\n{} of {} turns, {} of {} tool calls, {} ms, {} files searched.\n",
        output.grounds.join("; "),
        meta.turns,
        meta.max_turns,
        meta.calls,
        meta.max_calls,
        meta.elapsed_ms,
        meta.searched
    );
    text
}
