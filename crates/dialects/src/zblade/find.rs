//! `find_files` and `find_files_glob`: files by name.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::glob::{self, Case, EntryKinds, Output, Request},
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct FindFiles;
pub(super) struct FindFilesGlob;

/// Maximum number of paths in a reply.
const LIMIT: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Literal text.
    #[schemars(extend("x-aliases" = ["name", "query"], "examples" = ["config"]))]
    pattern: String,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["dir", "directory", "search_directory"], "examples" = ["src"]))]
    path: Option<String>,
    /// Directory levels; 1: `path` alone.
    #[schemars(extend("x-raise" = true, "x-aliases" = ["depth"]), range(min = 1))]
    max_depth: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GlobArgs {
    /// Such as "**/*.ts" or "src/**/*.{c,h}".
    #[schemars(extend("x-aliases" = ["glob", "glob_pattern"], "examples" = ["**/*.rs"]))]
    pattern: String,
    /// Base of the pattern. Default: the first root.
    #[schemars(extend("x-aliases" = ["dir", "directory"], "examples" = ["src"]))]
    path: Option<String>,
    /// Default: false.
    case_sensitive: Option<bool>,
}

impl Tool for FindFiles {
    const NAME: &'static str = "find_files";
    type Op = glob::Glob;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let part = args.pattern;
        if part.is_empty() || part.contains('/') {
            let what = format!("pattern must be a part of one name, without a slash; got {part:?}.");
            return Err(Failure::invalid(what));
        }
        let base = at.source_or_root(args.path.as_deref())?;
        let pattern = format!("*{}*", literally(&part));
        let (rules, depth) = (at.rules(), args.max_depth);
        Ok(Request { rules, only: EntryKinds::Any, limit: Some(LIMIT), depth, ..Request::of(base, pattern) })
    }

    fn render(output: &Output, page: &mut Page) {
        found(output, page);
        let globbed = ["\\*", "\\?", "\\[", "\\{"].iter().any(|sign| output.pattern.contains(sign));
        if output.total == 0 && globbed {
            page.note("pattern is matched literally, as a part of a name; for a glob use find_files_glob");
        } else if output.total == 0 && output.pattern.contains(char::is_uppercase) {
            page.note("find_files is case-sensitive; find_files_glob ignores case");
        }
    }
}

impl Tool for FindFilesGlob {
    const NAME: &'static str = "find_files_glob";
    type Op = glob::Glob;
    type Args = GlobArgs;

    fn lower(args: GlobArgs, at: &Lowering) -> Result<Request, Failure> {
        let base = at.source_or_root(args.path.as_deref())?;
        let pattern = crate::common::file_list::of_files(from_the_root(args.pattern, at));
        let case = if args.case_sensitive == Some(true) { Case::Sensitive } else { Case::Insensitive };
        Ok(Request { rules: at.rules(), case, limit: Some(LIMIT), ..Request::of(base, pattern) })
    }

    fn render(output: &Output, page: &mut Page) {
        found(output, page);
        crate::common::file_list::whole_name(output, page);
    }
}

/// Strips a leading slash, which usually means the workspace root. An absolute pattern stays unchanged if the
/// directory before its first wildcard is in the workspace, or if no such directory exists below the root.
fn from_the_root(pattern: String, at: &Lowering) -> String {
    let Some(rest) = pattern.strip_prefix('/') else { return pattern };
    let wild = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let lead = pattern[..wild].rfind('/').map_or("/", |end| &pattern[..end]);
    let absolute = !lead.is_empty() && (at.path(lead).is_ok() || !at.exists(&lead[1..]));
    if absolute { pattern } else { rest.to_owned() }
}

/// Escapes a part of a name so that it matches literally.
fn literally(part: &str) -> String {
    let mut pattern = String::with_capacity(part.len() + 8);
    for letter in part.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '!' | ',' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn found(output: &Output, page: &mut Page) {
    if output.total == 0 {
        page.line("No matching files found.");
    }
    let shown = crate::common::file_list::paths(output, page);
    if (shown as u64) < output.total {
        page.outcome(&format!("... (truncated after {})", counted(shown as u64, "result")));
        page.note(format!(
            "the {shown} newest of {}; pass a narrower pattern or path to see the others",
            output.total
        ));
    }
    crate::common::walk_notes::notes(&output.walk, output.total, page);
    crate::common::file_list::complete(output, page);
}
