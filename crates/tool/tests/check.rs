//! `Dialect::check` reports mistakes that the compiler does not find.

use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolpost_test_rows::each;
use toolpost_tool::{
    Budget, Dialect, Failure, Fresh, Hint, Lowering, Page, Step, Tool, ToolDef, TruncationPolicy,
    operations::stat,
};

/// Declares a tool with arguments, a name and aliases.
macro_rules! tool {
    ($tool:ident, $args:ty, $name:literal, $aliases:expr) => {
        struct $tool;

        impl Tool for $tool {
            const NAME: &'static str = $name;
            const ALIASES: &'static [&'static str] = $aliases;
            type Op = stat::Stat;
            type Args = $args;

            fn lower(_: $args, at: &Lowering) -> Result<stat::Request, Failure> {
                Ok(stat::Request { path: at.path(".")? })
            }

            fn render(_: &stat::Output, _: &mut Page) {}
        }
    };
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the names are looked at")]
struct ValidArgs {
    /// A path.
    #[schemars(extend("x-aliases" = ["file"]))]
    path: String,
    #[serde(rename = "-n", default)]
    lines: u64,
    parts: Option<Vec<Part>>,
    any: Option<serde_json::Value>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the names are looked at")]
struct Part {
    #[schemars(extend("x-aliases" = ["begin"]))]
    from: u64,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the names are looked at")]
struct Alias {
    #[serde(alias = "file")]
    path: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the names are looked at")]
struct AliasInside {
    first: Option<bool>,
    parts: Option<Vec<AliasPart>>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the names are looked at")]
struct AliasPart {
    #[serde(alias = "begin")]
    from: u64,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the names are looked at")]
struct Clash {
    #[schemars(extend("x-aliases" = ["file", "lines"]))]
    path: String,
    #[schemars(extend("x-aliases" = ["file"]))]
    lines: u64,
}

tool!(GoodTool, ValidArgs, "good", &["fine"]);
tool!(AliasTool, Alias, "good", &[]);
tool!(AliasInsideTool, AliasInside, "good", &[]);
tool!(ClashTool, Clash, "good", &[]);
tool!(OtherTool, ValidArgs, "other", &["fine"]);
tool!(NameTool, ValidArgs, "two words", &[]);

fn say(_: &Hint) -> String {
    "Try again.".to_owned()
}

const GOOD: Dialect = Dialect {
    name: "good",
    tools: &[ToolDef::of::<GoodTool>()],
    pages: &["## good\n\nDoes good.\n"],
    instructions: "Use good.",
    budget: Budget { bytes: 4096, lines: 100, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(1),
    fresh: Fresh::REQUIRED,
    matching: Step::Exact,
    say,
};

#[test]
fn check_names_each_mistake_of_a_dialect() {
    const TWO: &[&str] = &["## good\n\nDoes good.\n\n## other\n\nToo.\n"];
    const ROWS: [(Dialect, &[&str]); 11] = [
        (GOOD, &[]),
        (
            Dialect {
                tools: &[ToolDef::of::<GoodTool>(), ToolDef::of::<GoodTool>().published_as("other")],
                ..GOOD
            },
            &[],
        ),
        (
            Dialect { tools: &[ToolDef::of::<AliasTool>()], ..GOOD },
            &["the argument name `file` of good is not in its schema"],
        ),
        (
            Dialect { tools: &[ToolDef::of::<AliasInsideTool>()], ..GOOD },
            &["the argument name `begin` of good.parts is not in its schema"],
        ),
        (
            Dialect { tools: &[ToolDef::of::<ClashTool>()], ..GOOD },
            &["the argument name `file` of good has two", "the argument name `lines` of good has two"],
        ),
        (
            Dialect { tools: &[ToolDef::of::<GoodTool>(), ToolDef::of::<OtherTool>()], pages: TWO, ..GOOD },
            &["the tool name or alias `fine` occurs more than once"],
        ),
        (
            Dialect { tools: &[ToolDef::of::<NameTool>()], pages: &["## two words\nText."], ..GOOD },
            &["the tool name `two words` is invalid"],
        ),
        (Dialect { pages: &["# good\n\nDoes good."], ..GOOD }, &["the tool `good` has no description"]),
        (Dialect { pages: &["## good\n"], ..GOOD }, &["the tool `good` has no description"]),
        (Dialect { pages: TWO, ..GOOD }, &["the section `## other` of `pages` describes no tool"]),
        (
            Dialect { say: |hint| if *hint == Hint::Narrow { String::new() } else { say(hint) }, ..GOOD },
            &["`say` returns an empty text for Hint::Narrow:"],
        ),
    ];
    each(ROWS, |(dialect, wanted)| {
        let mut found = dialect.check();
        found.sort_unstable();
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(found.starts_with(wanted), "{found}");
        }
    });
}

#[test]
fn check_limits_the_instructions_to_two_kilobytes() {
    let long: &'static str = "x".repeat(2_049).leak();
    let found = |instructions: &'static str| Dialect { instructions, ..GOOD }.check();
    assert_eq!(found(&long[1..]), Vec::<String>::new());
    assert_eq!(found(long), ["the instructions have 2049 bytes: shorten them to 2048 bytes"]);
}
