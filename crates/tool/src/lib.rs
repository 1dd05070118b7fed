//! The framework for dialects: `Tool`, `Dialect`, argument decoding, schemas and reply pages.

mod budget;
mod decode;
mod dialect;
mod lowering;
mod manual;
mod names;
mod page;
mod patch;
mod schema;
mod tool;

pub use budget::{Budget, Cut};
pub use decode::{Decoded, decode};
pub use dialect::{Dialect, distinct};
pub use lowering::Lowering;
pub use manual::{Example, Manual};
pub use page::{Page, Part, RunResult, example};
pub use schema::{full, published};
pub use tool::{Done, Prepared, Run, Running, Tool, ToolDef};
