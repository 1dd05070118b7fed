//! The framework for dialects: `Tool`, `Dialect`, argument decoding, schemas and reply pages.
//!
//! A [`Dialect`] is a table of [`ToolDef`]s with a reply budget and its wording. A [`Tool`] gives one of the
//! engine's [`operations`] a name and a shape: `lower` builds the request from the arguments, and `render` writes
//! the output to a [`Page`]. Decoding, the schema, the access policy and the limits are the same for all tools. The
//! example `own_dialect` of the crate `toolpost` is a program with its own dialect. [`Dialect::check`] lists
//! mistakes that the compiler does not find.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use std::time::Duration;
//! use toolpost_tool::{
//!     Budget, Dialect, Failure, Fresh, Hint, Lowering, Page, Step, Tool, ToolDef, TruncationPolicy, operations::stat,
//! };
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Place {
//!     /// The file or directory.
//!     path: String,
//! }
//!
//! struct About;
//!
//! impl Tool for About {
//!     const NAME: &'static str = "about";
//!     type Op = stat::Stat;
//!     type Args = Place;
//!
//!     fn lower(args: Place, at: &Lowering) -> Result<stat::Request, Failure> {
//!         Ok(stat::Request { path: at.path(&args.path)? })
//!     }
//!
//!     fn render(output: &stat::Output, page: &mut Page) {
//!         page.line(&format!("{}: {} bytes", output.path, output.bytes));
//!     }
//! }
//!
//! const DIALECT: Dialect = Dialect {
//!     name: "shelf",
//!     tools: &[ToolDef::of::<About>()],
//!     pages: &["## about\n\nShows the size of a file.\n"],
//!     instructions: "Tools for a shelf of files.",
//!     budget: Budget { bytes: 16 * 1024, lines: 500, cut: TruncationPolicy::Head },
//!     deadline: Duration::from_secs(10),
//!     fresh: Fresh::NOT_ASKED,
//!     matching: Step::Exact,
//!     say,
//! };
//!
//! fn say(hint: &Hint) -> String {
//!     match hint {
//!         Hint::Advice(advice) => advice.clone(),
//!         _ => "Make another call.".to_owned(),
//!     }
//! }
//!
//! assert_eq!(DIALECT.check(), Vec::<String>::new());
//! ```
//!
//! # Parameters
//!
//! The schema and its descriptions come from [`Tool::Args`]. `Option` and `#[serde(default)]` make an argument
//! optional. With `#[schemars(range(min = 1, max = 100))]`, a larger number is lowered with a note, and a smaller
//! one is refused, or raised if `extend("x-raise" = true)` allows it. `#[schemars(extend("x-aliases" = ["file"]))]`
//! accepts other names of an argument, and [`Tool::ALIASES`] other names of the tool. `#[serde(alias)]` has no
//! effect, because no schema has it; `check` reports it. Values of another type are converted if only one meaning
//! is possible, and unknown arguments are named in a note.
//!
//! # Failures
//!
//! `lower` refuses a request with [`Failure::invalid`]. [`Tool::reword`] changes the text of failures of `lower`
//! and of the operation, by their [`Kind`] and their [`Facts`]. [`Dialect::say`] words each [`Hint`].

mod argument_names;
mod budget;
mod check;
mod decode;
mod dialect;
mod lowering;
mod manual;
mod names;
mod page;
mod patch;
mod schema;
mod tool;

pub use budget::{Budget, TruncationPolicy};
pub use decode::{DecodedArguments, decode};
pub use dialect::{Dialect, distinct};
pub use lowering::Lowering;
pub use manual::{Example, Manual};
pub use page::{Page, ReplyPart, RunResult, example};
pub use schema::{full, published};
pub use tool::{CallFuture, CallResult, DecodedCall, Run, Tool, ToolDef};
// Types of other crates that are in the signatures of this one.
pub use toolpost_engine::{
    Access, ChangeProblem, ExistenceMismatch, Facts, Failure, Fresh, Hint, Kind, ReadRequirement,
    StaleEditPolicy, operations,
};
pub use toolpost_text::{cut::Limit, lines::LineRange, matching::Step};
pub use toolpost_workspace::{ContentHash, WorkspacePath};
