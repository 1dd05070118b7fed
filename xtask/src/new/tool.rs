//! Scaffold of a tool with the fields of the operation's request as parameters.

use super::{
    create, operation as operations,
    shape::{self, TypeMember},
    text::{pascal, snake, with_module, with_row},
};
use crate::Repository;
use anyhow::{Context, Result, ensure};
use std::fmt::Write;

/// Types of request fields that a tool parameter can have too.
const PLAIN: [&str; 12] = [
    "String",
    "bool",
    "u32",
    "u64",
    "i64",
    "usize",
    "f64",
    "Option<String>",
    "Option<bool>",
    "Option<u64>",
    "Option<usize>",
    "Vec<String>",
];

/// Writes the tool's file, its row in the dialect's table, and its section at the end of the dialect's last
/// page.
pub(super) fn write(house: &Repository, dialect: &str, name: &str, operation: &str) -> Result<Vec<String>> {
    let is_name =
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && !name.is_empty();
    ensure!(is_name, "`{name}` is not a valid tool name");
    let source = operations::path(house, operation)?.with_context(|| {
        format!("no operation is called `{operation}`; create it with `cargo xtask new operation CAPABILITY {operation}`")
    })?;
    let source = house.read(&source)?;
    let folder = format!("crates/dialects/src/{dialect}");
    let table = house.read(&format!("{folder}/mod.rs")).with_context(|| {
        format!("no dialect is called `{dialect}`; create it with `cargo xtask new dialect {dialect}`")
    })?;
    let (module, kind) = (snake(name), pascal(name));
    let with_row =
        with_row(&table, "const TOOLS: [ToolDef; ", &format!("ToolDef::of::<{module}::{kind}>()"))?;
    let with_row = with_module(&with_row, &format!("mod {module};"))?;
    let page =
        last_page(&table).with_context(|| format!("{folder}/mod.rs names no page; add one to `pages`"))?;
    let page = format!("{folder}/{page}");
    let written = house.read(&page)?;

    let file = format!("{folder}/{module}.rs");
    let text = skeleton(name, operation, &source)?;
    create(house, &file, &text)?;
    house.write(&format!("{folder}/mod.rs"), &with_row)?;
    house.write(&page, &format!("{}\n\n{}", written.trim_end(), section(name, operation)))?;
    Ok(vec![
        format!("{file}: the new tool; describe the arguments and the reply as in the tool's reference"),
        format!(
            "{folder}/mod.rs: the tool's module and its row; move the row to the position where the tool should be listed"
        ),
        format!(
            "{page}: the tool's description; models see the first paragraph, and tests run the examples after it"
        ),
        "next: run `cargo xtask parity`, `cargo test -p toolpost-dialects` and `cargo xtask docs`".to_owned(),
    ])
}

fn last_page(table: &str) -> Option<&str> {
    let (_, rest) = table.rsplit_once("include_str!(\"")?;
    rest.split_once('"').map(|(name, _)| name)
}

fn section(name: &str, operation: &str) -> String {
    format!("## {name}\n\nRuns the operation `{operation}`.\n")
}

fn skeleton(name: &str, operation: &str, source: &str) -> Result<String> {
    let op = shape::operation(source)
        .with_context(|| format!("no type in {operation}.rs implements `Operation`"))?;
    let kind = pascal(name);
    let (fields, lower) = lowering(name, &shape::fields(source, "Request"));
    let render = rendering(&shape::fields(source, "Output"));
    let module = if operation == "move" { "r#move".to_owned() } else { operation.to_owned() };
    Ok(format!(
        "//! `{name}`: runs the operation `{operation}`.\n\n\
         use schemars::JsonSchema;\nuse serde::Deserialize;\n\
         use toolpost_engine::{{Failure, operations::{module}::{{self, Output, Request}}}};\n\
         use toolpost_tool::{{Lowering, Page, Tool}};\n\n\
         pub(super) struct {kind};\n\n\
         #[derive(Deserialize, JsonSchema)]\npub(super) struct Args {{\n{fields}}}\n\n\
         impl Tool for {kind} {{\n\
         const NAME: &'static str = \"{name}\";\ntype Op = {module}::{op};\ntype Args = Args;\n\n{lower}\n{render}}}\n"
    ))
}

/// Generates the tool's parameters, and the function that converts them to a request of the operation. If a field
/// of the request has another type, the function refuses the call.
fn lowering(name: &str, request: &[TypeMember]) -> (String, String) {
    let is_known = |part: &&TypeMember| part.kind == "WorkspacePath" || PLAIN.contains(&part.kind.as_str());
    let foreign: Vec<&str> =
        request.iter().filter(|part| !is_known(part)).map(|part| part.name.as_str()).collect();
    if !foreign.is_empty() {
        let wants = foreign.join(", ");
        let lower = format!(
            "fn lower(_args: Args, _at: &Lowering) -> Result<Request, Failure> {{\n\
             Err(Failure::invalid(\"{name} does not fill these fields of the request yet: {wants}.\"))\n}}\n"
        );
        return (String::new(), lower);
    }
    let (mut fields, mut values) = (String::new(), String::new());
    for part in request {
        let path = part.kind == "WorkspacePath";
        let kind = if path { "String" } else { &part.kind };
        let field = &part.name;
        let _ = writeln!(fields, "/// {}\n{field}: {kind},", part.says);
        let _ = match path {
            true => write!(values, "{field}: at.path(&args.{field})?, "),
            false => write!(values, "{field}: args.{field}, "),
        };
    }
    let at = if values.contains("at.path") { "at" } else { "_at" };
    let lower = format!(
        "fn lower(args: Args, {at}: &Lowering) -> Result<Request, Failure> {{\nOk(Request {{ {values} }})\n}}\n"
    );
    (fields, lower)
}

/// Generates the function that formats an operation's output: a line for each field of a simple type.
fn rendering(output: &[TypeMember]) -> String {
    let plain = ["String", "bool", "u32", "u64", "i64", "usize", "f64"];
    let plain = output.iter().filter(|part| plain.contains(&part.kind.as_str()));
    let lines: Vec<String> =
        plain.map(|part| format!("page.line(&format!(\"{0}: {{}}\", output.{0}));\n", part.name)).collect();
    match lines.is_empty() {
        true => "fn render(_output: &Output, page: &mut Page) {\npage.line(\"Done.\");\n}\n".to_owned(),
        false => format!("fn render(output: &Output, page: &mut Page) {{\n{}}}\n", lines.concat()),
    }
}
