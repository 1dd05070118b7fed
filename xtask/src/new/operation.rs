//! Skeleton of a new operation, and the paths of the existing operations.

use super::{create, is_small_name, text::pascal, text::with_module};
use crate::Repository;
use anyhow::{Context, Result, ensure};

/// File that lists all operations by their public names.
const LIST: &str = "crates/engine/src/lib.rs";
/// Beginning of a capability's row in the list of operations.
const ROW: &str = "    pub use crate::";

/// An operation in the list of all operations.
struct ListedOperation {
    capability: String,
    /// Name of the module that implements the operation.
    module: String,
    /// Name under which the operation is published.
    name: String,
}

/// Writes the operation's file into a capability, and lists it.
pub(super) fn write(house: &Repository, capability: &str, name: &str) -> Result<Vec<String>> {
    is_small_name(capability)?;
    is_small_name(name)?;
    let root = house.read(LIST)?;
    let known = listed(&root);
    let names: Vec<&str> = {
        let mut names: Vec<&str> = known.iter().map(|row| row.capability.as_str()).collect();
        names.dedup();
        names
    };
    ensure!(
        names.contains(&capability),
        "no capability is called `{capability}`; the capabilities are {}",
        names.join(", ")
    );
    let folder = format!("crates/engine/src/{capability}");
    let file = format!("{folder}/{name}.rs");
    let module = format!("{folder}/mod.rs");
    let text = house.read(&module)?;
    create(house, &file, &skeleton(&text, capability, name)?)?;
    house.write(&module, &with_module(&text, &format!("pub mod {name};"))?)?;
    house.write(LIST, &with_name(&root, capability, name)?)?;
    Ok(vec![
        format!("{file}: the new operation; describe its request, its output and its accesses"),
        format!("{module}: the operation's `mod` line"),
        format!("{LIST}: the operation's public name"),
        format!("next: write a test in crates/engine/tests; run `cargo xtask new tool DIALECT NAME {name}`"),
    ])
}

/// Returns the path of an operation's file, by its public name.
pub(super) fn path(house: &Repository, name: &str) -> Result<Option<String>> {
    let found = listed(&house.read(LIST)?).into_iter().find(|row| row.name == name);
    Ok(found.map(|row| format!("crates/engine/src/{}/{}.rs", row.capability, row.module)))
}

/// Reads the list of operations: rows such as `pub use crate::search::{investigate, keyword as search};`.
fn listed(root: &str) -> Vec<ListedOperation> {
    let rows = root.split(ROW).skip(1).filter_map(|row| row.split_once(';'));
    let rows = rows.filter_map(|(row, _)| row.split_once("::"));
    rows.flat_map(|(capability, names)| {
        names.trim_matches(['{', '}', '\n', ' ']).split(',').filter_map(move |name| {
            let name = name.trim();
            let (module, name) = name.split_once(" as ").unwrap_or((name, name));
            let row = ListedOperation {
                capability: capability.to_owned(),
                module: module.to_owned(),
                name: name.to_owned(),
            };
            (!row.name.is_empty()).then_some(row)
        })
    })
    .collect()
}

/// Adds an operation to a capability's row in the list of operations.
fn with_name(root: &str, capability: &str, name: &str) -> Result<String> {
    let start = format!("{ROW}{capability}::");
    let from =
        root.find(&start).with_context(|| format!("{LIST} has no row `{}`", start.trim()))? + start.len();
    let end = root[from..].find(';').with_context(|| format!("{LIST} has a row without an end"))? + from;
    let names = root[from..end].trim_matches(['{', '}', '\n', ' ']).trim_end_matches(',');
    Ok(format!("{}{{{names}, {name}}}{}", &root[..from], &root[end..]))
}

/// Formats the file of a new operation. The capability is the type in `module` that has a `pub(crate) fn new`.
fn skeleton(module: &str, capability: &str, name: &str) -> Result<String> {
    let kind = pascal(name);
    let opened = module.split("impl ").skip(1).find(|part| part.contains("pub(crate) fn new("));
    let deps = opened.and_then(|part| part.split_whitespace().next()).with_context(|| {
        format!("crates/engine/src/{capability}/mod.rs has no type with `pub(crate) fn new`")
    })?;
    Ok(format!(
        "//! `{name}`: the path of a file.\n\n\
         use super::{deps};\nuse crate::{{access::{{Access, Touch}}, call::CallCtx, failure::Failure, operation::Operation}};\n\
         use schemars::JsonSchema;\nuse serde::Serialize;\nuse toolpost_workspace::WorkspacePath;\n\n\
         /// Returns the path of a file.\npub struct {kind};\n\n\
         /// A file.\n#[derive(Debug, Clone)]\npub struct Request {{\n\
         /// The file.\npub path: WorkspacePath,\n}}\n\n\
         /// The file, as replies name it.\n#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]\npub struct Output {{\n\
         /// The path, relative to its root.\npub path: String,\n}}\n\n\
         impl Operation for {kind} {{\nconst NAME: &'static str = \"{name}\";\n\
         const ACCESS: &'static [Access] = &[Access::Reads];\ntype Capability = {deps};\ntype Request = Request;\ntype Output = Output;\n\n\
         fn touches(request: &Request) -> Vec<Touch> {{\nvec![Touch::Read(request.path.clone())]\n}}\n\n\
         async fn run(_capability: &{deps}, request: Request, cx: &CallCtx) -> Result<Output, Failure> {{\n\
         cx.check()?;\nOk(Output {{ path: request.path.display() }})\n}}\n}}\n"
    ))
}
