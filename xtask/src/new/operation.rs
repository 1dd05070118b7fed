//! Scaffold of an operation that reads the metadata of a path.

use super::{create, is_small_name, text::pascal, text::with_module};
use crate::House;
use anyhow::Result;

/// List of the operations.
const LIST: &str = "crates/engine/src/operations/mod.rs";

/// Writes the file of the operation, and adds it to the list.
pub(super) fn write(house: &House, name: &str) -> Result<Vec<String>> {
    is_small_name(name)?;
    let list = with_module(&house.read(LIST)?, &format!("pub mod {name};"))?;
    let file = format!("crates/engine/src/operations/{name}.rs");
    create(house, &file, &skeleton(name))?;
    house.write(LIST, &list)?;
    Ok(vec![
        format!("{file}: the operation; say what it takes, what it gives, and what it touches at most"),
        format!("{LIST}: its module"),
        format!("next: a test in crates/engine/tests; cargo xtask new tool DIALECT NAME {name}"),
    ])
}

fn skeleton(name: &str) -> String {
    let kind = pascal(name);
    format!(
        "//! `{name}`: the size of a file or directory.\n\n\
         use crate::{{Access, CallCtx, Engine, Failure, Operation, Touch, engine::blocking, failures}};\n\
         use schemars::JsonSchema;\nuse serde::Serialize;\nuse toolpost_workspace::WorkspacePath;\n\n\
         /// Reads the size of a file or directory.\npub struct {kind};\n\n\
         /// Arguments of the operation.\n#[derive(Debug, Clone)]\npub struct Request {{\n\
         /// Path to read.\npub path: WorkspacePath,\n}}\n\n\
         /// Result of the operation.\n#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]\npub struct Output {{\n\
         /// Path, relative to its root.\npub path: String,\n/// Size, in bytes.\npub bytes: u64,\n}}\n\n\
         impl Operation for {kind} {{\nconst NAME: &'static str = \"{name}\";\n\
         const ACCESS: &'static [Access] = &[Access::Reads];\ntype Request = Request;\ntype Output = Output;\n\n\
         fn touches(request: &Request) -> Vec<Touch> {{\nvec![Touch::Read(request.path.clone())]\n}}\n\n\
         async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {{\n\
         cx.check()?;\nlet engine = engine.clone();\nblocking(move || look(&engine, &request.path)).await\n}}\n}}\n\n\
         fn look(engine: &Engine, path: &WorkspacePath) -> Result<Output, Failure> {{\n\
         let stat = engine.workspace().stat(path).map_err(|error| failures::access(path, error))?;\n\
         Ok(Output {{ path: path.display(), bytes: stat.len }})\n}}\n"
    )
}
