//! A dialect of three tools, served over MCP: `own_dialect DIRECTORY`.
//!
//! A client starts the program, and talks to it on standard input and output.

use schemars::JsonSchema;
use serde::Deserialize;
use std::{error::Error, time::Duration};
use toolpost::{Toolpost, sandbox};
use toolpost_tool::{
    Budget, Dialect, Failure, Fresh, Hint, Kind, Lowering, Page, Step, Tool, ToolDef, TruncationPolicy,
    distinct,
    operations::{glob, make_directory, stat},
};

pub(crate) const DIALECT: Dialect = Dialect {
    name: "shelf",
    tools: &TOOLS,
    // Each tool has a section; its first paragraph is the description that the model sees.
    pages: &["
## about

Shows the type, the size and the permissions of a file.

## files

Lists the files that match a pattern, newest first.

## add_shelf

Creates a directory, with its missing parents.
"],
    instructions: "Tools for a shelf of files. Paths are relative to the shelf.",
    budget: Budget { bytes: 16 * 1024, lines: 500, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(10),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say,
};

const TOOLS: [ToolDef; 3] = [ToolDef::of::<About>(), ToolDef::of::<Files>(), ToolDef::of::<AddShelf>()];
const _: () = assert!(distinct(&TOOLS), "two tools of one name");

/// Formats the next step after a failure, with the names of these tools.
fn say(hint: &Hint) -> String {
    match hint {
        Hint::FindByName(name) => format!("Call files with the pattern **/{name}."),
        Hint::LookInto(path) => format!("Call files with the pattern {}/*.", path.display()),
        Hint::DidYouMean(names) => format!("Did you mean {}?", names.join(" or ")),
        Hint::Narrow => "Give a narrower pattern.".to_owned(),
        Hint::TryAgain => "Make the same call again.".to_owned(),
        Hint::AddRoot => "Only the owner of the shelf can add another directory.".to_owned(),
        Hint::Operator(rule) => format!("Ask the owner of the shelf for the rule {rule}."),
        Hint::Advice(advice) => advice.clone(),
        // The operations of these tools return none of these hints.
        Hint::ReadFirst(_)
        | Hint::ReadAgain(_)
        | Hint::ReadLines(..)
        | Hint::WriteWhole(_)
        | Hint::ReplaceText(_)
        | Hint::GiveMoreContext
        | Hint::ReplaceAll
        | Hint::Page(_)
        | Hint::Pages(..)
        | Hint::Literal(_) => "Make another call.".to_owned(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// The file or directory.
    #[schemars(extend("x-aliases" = ["file", "directory"]))]
    path: String,
}

struct About;

impl Tool for About {
    const NAME: &'static str = "about";
    type Op = stat::Stat;
    type Args = Place;

    fn lower(args: Place, at: &Lowering) -> Result<stat::Request, Failure> {
        Ok(stat::Request { path: at.path(&args.path)? })
    }

    fn render(output: &stat::Output, page: &mut Page) {
        page.line(&format!("{}: {} bytes, mode {}", output.path, output.bytes, output.mode));
    }

    fn reword(failure: Failure) -> Failure {
        match failure.kind {
            Kind::NotFound => Failure { what: format!("The shelf lacks it. {}", failure.what), ..failure },
            _ => failure,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Pattern {
    /// A glob, such as `**/*.md`.
    pattern: String,
    /// The most files to list.
    #[serde(default = "few")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
}

fn few() -> usize {
    20
}

struct Files;

impl Tool for Files {
    const NAME: &'static str = "files";
    const ALIASES: &'static [&'static str] = &["list_files"];
    type Op = glob::Glob;
    type Args = Pattern;

    fn lower(args: Pattern, at: &Lowering) -> Result<glob::Request, Failure> {
        if args.pattern.trim().is_empty() {
            return Err(Failure::invalid("The pattern is blank: pass **/* to list every file."));
        }
        let base = at.source_or_root(None)?;
        Ok(glob::Request { limit: Some(args.limit), ..glob::Request::of(base, args.pattern) })
    }

    fn render(output: &glob::Output, page: &mut Page) {
        output.matches.iter().for_each(|found| page.line(&found.path));
        page.note(format!("{} of {} files", output.matches.len(), output.total));
    }
}

struct AddShelf;

impl Tool for AddShelf {
    const NAME: &'static str = "add_shelf";
    type Op = make_directory::MakeDirectory;
    type Args = Place;

    fn lower(args: Place, at: &Lowering) -> Result<make_directory::Request, Failure> {
        Ok(make_directory::Request { path: at.path(&args.path)? })
    }

    fn render(output: &make_directory::Output, page: &mut Page) {
        page.line(&format!("{}: {}", output.path, if output.existed { "exists already" } else { "created" }));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    sandbox::init(); // first, before the runtime starts its threads
    run()
}

#[tokio::main]
async fn run() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: own_dialect DIRECTORY")?;
    let post = Toolpost::builder(directory).own_dialect(&DIALECT).open().await?;
    let options = toolpost_mcp_server::Options::new("shelf", env!("CARGO_PKG_VERSION"), post.asker());
    toolpost_mcp_server::stdio(&post, options).await?;
    post.close().await;
    Ok(())
}
