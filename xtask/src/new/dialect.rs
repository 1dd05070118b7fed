//! Scaffold of a dialect: a directory with an empty table of tools, a page, and the texts for hints.

use super::{
    create, is_small_name, shape,
    text::{with_module, with_row},
};
use crate::Repository;
use anyhow::{Result, ensure};

/// File that lists the dialects.
const LIST: &str = "crates/dialects/src/lib.rs";
/// File that defines the enum `Hint`.
const HINTS: &str = "crates/engine/src/failure/mod.rs";

/// Writes the files of the dialect, and adds it to the list.
pub(super) fn write(house: &Repository, name: &str) -> Result<Vec<String>> {
    is_small_name(name)?;
    let list = house.read(LIST)?;
    let list = with_module(&list, &format!("pub mod {name};"))?;
    let list = with_row(&list, "pub const ALL: [&Dialect; ", &format!("&{name}::DIALECT"))?;
    let hints = shape::variants(&house.read(HINTS)?, "Hint");
    ensure!(!hints.is_empty(), "{HINTS} contains no readable enum `Hint`");

    let folder = format!("crates/dialects/src/{name}");
    create(house, &format!("{folder}/hints.rs"), &say(&hints))?;
    create(house, &format!("{folder}/mod.rs"), &table(name))?;
    house
        .write(&format!("{folder}/tools.md"), &format!("# {name}\n\nThe tools of the `{name}` dialect.\n"))?;
    house.write(LIST, &list)?;
    Ok(vec![
        format!(
            "{folder}/mod.rs: the new dialect; set its budget and deadline, and whether a write needs an earlier read"
        ),
        format!("{folder}/hints.rs: the dialect's texts for hints; name the dialect's tools in them"),
        format!("{folder}/tools.md: the page of the dialect's tools"),
        format!("{LIST}: the dialect's module and its row in `ALL`"),
        format!(
            "next: add the dialect to spec/dialects.json; run `cargo xtask new tool {name} NAME OPERATION`"
        ),
    ])
}

fn table(name: &str) -> String {
    format!(
        "//! The tools of the dialect {name}.\n\nmod hints;\n\n\
         use std::time::Duration;\nuse toolpost_engine::Fresh;\nuse toolpost_text::matching::Step;\n\
         use toolpost_tool::{{Budget, Dialect, ToolDef, TruncationPolicy, distinct}};\n\n\
         /// The dialect.\npub const DIALECT: Dialect = Dialect {{\n\
         name: \"{name}\",\ntools: &TOOLS,\npages: &[include_str!(\"tools.md\")],\n\
         instructions: \"Tools over the workspace. They never leave it, and never answer from stale data.\",\n\
         budget: Budget {{ bytes: 50 * 1024, lines: 2_000, cut: TruncationPolicy::HeadAndTail {{ head: 100, tail: 50 }} }},\n\
         deadline: Duration::from_secs(60),\nfresh: Fresh::REQUIRED,\nmatching: Step::Exact,\nsay: hints::say,\n}};\n\n\
         const TOOLS: [ToolDef; 0] = [];\n\n\
         const _: () = assert!(distinct(&TOOLS), \"two tools with the same name\");\n"
    )
}

fn say(hints: &[shape::TypeMember]) -> String {
    let arm = |hint: &shape::TypeMember| {
        let carries = match hint.kind.chars().next() {
            Some('(') => "(..)",
            Some('{') => " { .. }",
            _ => "",
        };
        format!("Hint::{}{carries} => {:?},\n", hint.name, hint.says)
    };
    let arms: String = hints.iter().map(arm).collect();
    format!(
        "//! Hints in the terms of this dialect's tools.\n\nuse toolpost_engine::Hint;\n\n\
         pub(super) fn say(hint: &Hint) -> String {{\nlet words = match hint {{\n{arms}}};\nwords.to_owned()\n}}\n"
    )
}
