//! `codesearch`: code and documentation of the project's dependencies.

use crate::common::{block, remote_results};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        search::Truncation,
        usage::{Extent, Output, Request, Usage},
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct CodeSearch;

/// Default and minimum token limit of a reply.
const TOKENS: (u64, u64) = (5_000, 200);
/// Estimated bytes of a token.
const TOKEN: u64 = 4;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The library and the task, in a few words.
    #[schemars(extend("x-aliases" = ["q", "search", "question"], "examples" = ["deserialize an enum with serde"]))]
    query: String,
    /// Maximum tokens of the reply. Default: 5000.
    #[schemars(range(max = 50_000), extend("x-aliases" = ["tokensNum", "tokens", "max_tokens"], "examples" = [5000]))]
    tokens_num: Option<u64>,
}

impl Tool for CodeSearch {
    const NAME: &'static str = "codesearch";
    type Op = Usage;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let tokens = args.tokens_num.filter(|tokens| *tokens > 0).unwrap_or(TOKENS.0).max(TOKENS.1);
        let long = tokens.saturating_mul(TOKEN) > at.reply_bytes() as u64;
        let (extent, max_bytes) =
            if long { (Extent::Long, at.most_bytes()) } else { (Extent::Usual, at.reply_bytes()) };
        let base = at.path_or_root(None)?;
        Ok(Request { base, query: args.query, tokens, max_bytes, extent, service: at.service() })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.extent == Extent::Long {
            page.all();
        }
        if let Some(why) = &output.unsearched {
            page.line(&format!("No local package was searched: {why}"));
        } else if output.packages.is_empty() {
            let so_far = if output.is_partial() { " so far" } else { "" };
            page.line(&format!("Nothing found{so_far} in {}.", searched(output)));
        }
        for (at, package) in output.packages.iter().enumerate() {
            if at > 0 {
                page.text("\n");
            }
            page.line(&remote_results::heading(package.name.as_deref().unwrap_or("this project")));
            for found in &package.blocks {
                page.text("\n");
                page.line(&block::place(found));
                block::body(found, page);
            }
        }
        if let Some(found) = &output.service {
            page.text("\n");
            remote_results::render(found, page);
        }
        notes(output, page);
    }
}

fn searched(output: &Output) -> String {
    let packages = counted(output.searched as u64, "package");
    format!("{packages} and this project, {}", counted(output.files as u64, "file"))
}

/// Adds notes about the searched packages, and about those that were left out.
fn notes(output: &Output, page: &mut Page) {
    if let Some(found) = &output.service {
        remote_results::notes(found, page);
    }
    if output.unsearched.is_some() {
        return;
    }
    if !output.other_roots.is_empty() {
        let roots = output.other_roots.join(", ");
        page.note(format!(
            "skipped the other roots of the workspace ({roots}; this tool searches the first root alone)"
        ));
    }
    if output.read.is_empty() {
        page.note(
            "the dependencies of this project are unknown: it has no lock file of Cargo, npm, pnpm, Yarn, uv, Poetry, Go, Maven or Gradle, and no Python environment",
        );
    } else if !output.packages.is_empty() {
        page.note(format!("searched {}{}", searched(output), versions(output)));
    }
    match output.cut {
        Truncation::No | Truncation::Limit => {}
        Truncation::Tokens => page.note("there are more results; raise tokens_num to see them"),
        Truncation::Room => page.note("there are more results, which do not fit in the reply"),
    }
    if let Some(unfinished) = &output.unfinished {
        page.note(format!("incomplete: {unfinished}"));
    }
    if output.later > 0 {
        let later = counted(output.later as u64, "package");
        page.note(format!(
            "no time was left for {later}; packages that the query mentions are searched first"
        ));
    }
    if output.is_partial() {
        page.note(
            "Toolpost reads the remaining files in the background; make the same call again to search them",
        );
    }
    if !output.missing.is_empty() {
        let more = output.missing_more;
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        page.note(format!(
            "not searched, because they are not on this machine: {}{more}",
            output.missing.join("; ")
        ));
    }
    if output.unknown {
        page.note("the embedding model knows none of the query's words, so this was a keyword search only; ask in English");
    }
    if output.withheld > 0 {
        page.note(format!(
            "{} withheld, because the rules do not allow reading them",
            counted(output.withheld as u64, "file")
        ));
    }
    if !output.unreadable.is_empty() {
        page.note(format!("cannot be read: {}", listed(&output.unreadable)));
    }
}

/// Formats the sources of the versions: lock files, or the installed packages if the manifests have only ranges. Empty if
/// no dependency is on this machine.
fn versions(output: &Output) -> String {
    let files = || format!("the versions of {}", listed(&output.version_files));
    let installed = || format!("the versions installed in {}", listed(&output.installed));
    match (output.version_files.is_empty(), output.installed.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(", at {}", files()),
        (true, false) => format!(", at {}", installed()),
        (false, false) => format!(", at {} and {}", files(), installed()),
    }
}

/// Lists the first four file names, and counts the others.
fn listed(all: &[String]) -> String {
    const NAMED: usize = 4;
    let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
    format!("{}{more}", all.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}
