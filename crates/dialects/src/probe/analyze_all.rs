//! `analyze_all`: the structure of a project, and a model's answer to a question.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::analyze::{self, Analyze, Mapped, Module, Output, ReadFiles, Request, TestMap},
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct AnalyzeAll;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "dir"], "examples" = ["src"]))]
    path: Option<String>,
    /// Default: normal.
    depth: Option<Depth>,
    /// Question to answer as well.
    #[schemars(extend("x-unlisted" = true, "x-aliases" = ["query"], "examples" = ["Where are addresses checked?"]))]
    question: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Depth {
    Shallow,
    Normal,
    Deep,
}

/// Maximum number of modules in a reply.
const MODULES: usize = 80;
/// Maximum number of names in one line.
const NAMES: usize = 12;

impl Tool for AnalyzeAll {
    const NAME: &'static str = "analyze_all";
    const ALIASES: &'static [&'static str] = &["analyzeAll"];
    type Op = Analyze;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let depth = match args.depth {
            Some(Depth::Shallow) => analyze::Depth::Shallow,
            Some(Depth::Normal) | None => analyze::Depth::Normal,
            Some(Depth::Deep) => analyze::Depth::Deep,
        };
        let question = args.question.filter(|question| !question.trim().is_empty());
        Ok(Request { base: at.path_or_root(args.path.as_deref())?, depth, question })
    }

    fn render(output: &Output, page: &mut Page) {
        let path = if output.path.is_empty() { "." } else { output.path.as_str() };
        page.line(&format!(
            "{path}: {}, {} {}",
            counted(output.files as u64, "file"),
            counted(output.lines, "line"),
            output.read.limit().unwrap_or_else(|| "in known languages".to_owned())
        ));
        if let Some(mapped) = &output.mapped {
            answered(mapped, page);
        }
        if let Some(answer) = &output.answer {
            let by = if output.mapped.is_some() { ", without the model" } else { "" };
            section(page, &format!("Search results for the question{by}"));
            for (number, one) in answer.findings.iter().take(10).enumerate() {
                page.line(&format!("{}. {} [{}]", number + 1, one.claim, one.evidence.join(", ")));
            }
            answer.gaps.iter().for_each(|gap| page.line(&format!("- gap: {gap}")));
            page.line(&format!("Grounds: {}.", answer.grounds.join("; ")));
        }
        section(page, "Languages");
        for language in &output.languages {
            let (files, lines) = (counted(language.files as u64, "file"), counted(language.lines, "line"));
            page.line(&format!("- {}: {files}, {lines}{}", language.name, limit(language.read)));
        }
        entries(output, page);
        modules(output, page);
        rest(output, page);
        if !output.other_roots.is_empty() {
            let roots = output.other_roots.join(", ");
            page.note(format!(
                "only one root of the workspace was analyzed; to analyze another, pass it as \
                               the path: {roots}"
            ));
        }
        if output.read.later > 0 {
            page.note(format!(
                "incomplete: lines and entry points of {} are not read yet; make the same call again to include them",
                counted(output.read.later as u64, "file")
            ));
        }
        page.note(format!("searched for links between files: {}", output.searched.words()));
    }
}

/// Writes the model's answer and claims, and notes how many parts of the project the answer does not cover. If no
/// model was asked, notes only the reason.
fn answered(mapped: &Mapped, page: &mut Page) {
    if let Some(why) = &mapped.not_asked {
        return page.note(format!("no model answered the question: {why}"));
    }
    section(page, "Answer of the model");
    match (&mapped.summary, &mapped.unsummed) {
        (Some(words), _) => page.line(words),
        (None, Some(why)) => page.line(&format!("No summary: {why}.")),
        (None, None) => page.line("No answer."),
    }
    if !mapped.claims.is_empty() {
        section(page, "Claims of the model, each checked against the files");
    }
    for (number, one) in mapped.claims.iter().enumerate() {
        page.line(&format!("C{} {} [{}]", number + 1, one.claim, one.evidence.join(", ")));
    }
    mapped.failed.iter().for_each(|chunk| page.line(&format!("- no answer for {chunk}")));
    let (chunks, blocks) = (counted(mapped.chunks as u64, "chunk"), counted(mapped.blocks as u64, "block"));
    page.note(format!(
        "the model read {chunks} with {blocks}; chunks without an answer: {}; {} did not fit; {} dropped \
         because of wrong citations",
        mapped.failed.len(),
        counted(mapped.left_out as u64, "block"),
        counted(mapped.dropped as u64, "claim")
    ));
}

fn section(page: &mut Page, heading: &str) {
    page.line(&format!("\n{heading}:"));
}

/// Describes the files to which a statement is limited, with a space before it; empty if all files were read.
fn limit(files: ReadFiles) -> String {
    files.limit().map(|limit| format!(" {limit}")).unwrap_or_default()
}

/// Writes the heading of a list. An empty list is `none`, and unless all files were read, the section names the files
/// to which the list is limited.
fn list(page: &mut Page, heading: &str, files: ReadFiles, none: Option<&str>) {
    match (none, files.limit()) {
        (Some(none), _) => {
            section(page, heading);
            page.line(&format!("{none}{}.", limit(files)));
        }
        (None, Some(limit)) => section(page, &format!("{heading}, {limit}")),
        (None, None) => section(page, heading),
    }
}

fn entries(output: &Output, page: &mut Page) {
    list(page, "Entry points", output.read, output.entries.is_empty().then_some("None found"));
    for entry in &output.entries {
        page.line(&format!("- {}:{} {}", entry.path, entry.line, entry.what));
    }
    if output.more_entries > 0 {
        page.line(&format!("- and {} more", output.more_entries));
    }
}

fn modules(output: &Output, page: &mut Page) {
    let modules: &[Module] = &output.modules;
    list(page, "Modules", output.searched.files(), modules.is_empty().then_some("None"));
    for module in modules.iter().take(MODULES) {
        let uses =
            if module.uses.is_empty() { String::new() } else { format!("; uses {}", names(&module.uses)) };
        let (files, lines) = (counted(module.files as u64, "file"), counted(module.lines, "line"));
        page.line(&format!("- {}: {files}, {lines}{uses}", module.name));
    }
    if modules.len() > MODULES {
        page.line(&format!("- and {} more", modules.len() - MODULES));
    }
}

fn rest(output: &Output, page: &mut Page) {
    let files = output.searched.files();
    let none = |is_empty: bool| is_empty.then_some("None");
    list(page, "Cycles between modules", files, none(output.rings.is_empty()));
    output.rings.iter().for_each(|ring| page.line(&format!("- {}", names(ring))));
    list(page, "Hotspots (most used files)", files, none(output.hotspots.is_empty()));
    for one in &output.hotspots {
        let by = counted(one.used_by as u64, "file");
        let places = counted(one.places as u64, "location");
        page.line(&format!("- {}: used by {by} at {places}, {}", one.path, counted(one.lines, "line")));
    }
    list(page, "Public API (used by other modules)", files, none(output.public.is_empty()));
    for one in &output.public {
        let by = counted(one.used_by as u64, "file");
        page.line(&format!("- {}:{} {} {}, used by {by}", one.path, one.line, one.kind.name(), one.name));
    }
    tests(&output.tests, files, page);
}

/// Writes which files the tests use. States that no test uses a file only if all files were searched, and the target of
/// every use in tests is known.
fn tests(tests: &TestMap, files: ReadFiles, page: &mut Page) {
    let files = ReadFiles { later: files.later.max(tests.unsearched), ..files };
    list(page, "Tests", files, None);
    let outside = match tests.outside {
        0 => String::new(),
        count => format!(" ({count} outside the directory)"),
    };
    let (use_, no_test_uses, by_no_test) = match (tests.open, files.limit()) {
        (0, None) => ("use", "no test uses", "Used by no test"),
        _ => ("are known to use", "no test is known to use", "Not known to be used by a test"),
    };
    page.line(&format!(
        "{} of tests{outside}, {} of code; tests {use_} {} of these directly; files with symbols that {no_test_uses}: {}.",
        counted(tests.tests as u64, "file"),
        counted(tests.code as u64, "file"),
        tests.reached,
        tests.unreached
    ));
    tests.map.iter().for_each(|one| page.line(&format!("- {} uses {}", one.test, names(&one.files))));
    if !tests.largest_unreached.is_empty() {
        page.line(&format!("{by_no_test}, the longest first: {}", tests.largest_unreached.join(", ")));
        if tests.open > 0 {
            let open = counted(tests.open as u64, "use");
            let refer = if tests.open == 1 { "refers" } else { "refer" };
            page.line(&format!("Incomplete: it is uncertain what {open} in tests {refer} to."));
        }
    }
}

fn names(all: &[String]) -> String {
    let more = all.len().saturating_sub(NAMES);
    let named = all.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}
