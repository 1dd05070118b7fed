//! Plans and code mode: scripts of both styles with their whole replies, hostile scripts, and the visible
//! tools.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_dialects::{code, named, probe};
use toolpost_engine::{
    AgentStopReason, Agents, AnswerFuture, CallCtx, CallGateway, Job, Prompt, Report, Session,
};
use toolpost_runtime::Outcome;
use toolpost_tool::Dialect;

/// The files of the test workspace, and the scripts, each with its reply.
const SCRIPTS: &str = include_str!("fixtures/scripts/scripts.md");

/// A model that answers with the question and the first line of the material, or with the number of lines if
/// the prompt has a schema.
struct Model;

impl Agents for Model {
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        _session: &'a Session,
        _cancel: CancellationToken,
    ) -> AnswerFuture<'a, String> {
        let Prompt { instruction, data, schema } = prompt;
        Box::pin(async move {
            Ok(match schema {
                Some(_) => json!({ "lines": data.lines().count() }).to_string(),
                None => format!("{instruction} <- {}", data.lines().next().unwrap_or_default()),
            })
        })
    }

    fn work<'a>(
        &'a self,
        _job: Job,
        _door: Arc<dyn CallGateway>,
        _cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Report> {
        Box::pin(async {
            Ok(Report { words: String::new(), missing: None, ended: AgentStopReason::Completed, turns: None })
        })
    }
}

/// Returns the fenced blocks of a page: the info string and the content.
fn blocks<'t>(text: &'t str, fence: &str) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, begun)) = rest.split_once(&format!("\n{fence}")) {
        let (kind, body) = begun.split_once('\n').unwrap();
        let (inside, after) = body.split_once(&format!("\n{fence}")).unwrap();
        found.push((kind, inside));
        rest = after;
    }
    found
}

/// Creates a workspace with the files of the page. Returns it with the name of the dialect's script tool.
fn world(dialect: &'static Dialect) -> (World, &'static str) {
    let (world, tool) = if dialect.name == "probe" {
        (World::answering(dialect, Arc::new(Model)), "execute_plan")
    } else {
        (World::beside(dialect, &code::DIALECT), "run_code")
    };
    let (files, _) = SCRIPTS.split_once("\n## ").unwrap();
    for (kind, text) in blocks(files, "```") {
        world.put(kind.strip_prefix("file ").unwrap(), format!("{text}\n"));
    }
    (world, tool)
}

#[tokio::test]
async fn scripts_of_both_styles_reply_as_documented() {
    let mut worlds: Vec<(&str, (World, &str))> = Vec::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for section in SCRIPTS.split("\n## ").skip(1) {
        let (title, _) = section.split_once('\n').unwrap();
        let (dialect, _) = title.split_once(':').unwrap();
        if !worlds.iter().any(|(name, _)| *name == dialect) {
            worlds.push((dialect, world(named(dialect).unwrap())));
        }
        let (_, (world, tool)) = worlds.iter().find(|(name, _)| *name == dialect).unwrap();
        let found = blocks(section, "````");
        let [("script", source), ("reply", wanted)] = found.as_slice() else { panic!("{title}") };
        let outcome = world.call(tool, json!({ "code": source })).await;
        let root = world.root().canonicalize().unwrap().display().to_string();
        let reply_text = words(&outcome).trim_end().replace(&root, "{root}");
        count += 1;
        if reply_text != *wanted {
            wrong.push(format!("## {title}\n{reply_text}\n-- wanted\n{wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 50, "{count}");
}

/// Runs the scripts in the reference of Probe's own tools verbatim.
#[tokio::test]
async fn reference_scripts_run_unchanged() {
    let world = World::new(&probe::DIALECT);
    world.put("src/api.js", "export function authentication(endpoint) {\n  return endpoint.API;\n}\n");
    let found = words(&world.call("search", json!({ "query": "authentication" })).await);
    assert!(found.starts_with("File: src/api.js\nLines: 1-3 (function authentication)"), "{found}");
    let paged = format!("\n{found}");
    let rows = [
        (
            "// Get ALL matching results across the entire codebase\nconst allResults = searchAll(\"authentication\")\n\n// With options\nconst results = searchAll({\nquery: \"API endpoint\",\npath: \"./src\",\nmaxPages: 100\n})",
            "The plan finished without a returned value, logs or output.",
        ),
        (
            "// In execute_plan DSL script\nlet allResults = \"\"\nlet page = search(\"authentication\")\nwhile (page && !page.includes(\"All results retrieved\")) {\nallResults = allResults + \"\\n\" + page\npage = search(\"authentication\") // Same query = next page\n}\nreturn allResults",
            paged.as_str(),
        ),
    ];
    for (source, wanted) in rows {
        assert_eq!(words(&world.call("execute_plan", json!({ "code": source })).await), wanted);
    }
}

/// Limits stop hostile scripts, and other calls are answered meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_scripts_stop_without_blocking_other_calls() {
    let (world, tool) = world(&probe::DIALECT);
    let world = Arc::new(world);
    each_async([
        ("while (true) {}", "it computed for more than 2 s without a call"),
        ("const a = []; while (true) a.push('x'.repeat(1000) + a.length)", "The plan stopped"),
        ("/^(a+)+$/.test('a'.repeat(40) + 'b')", "it computed for more than 2 s without a call"),
        ("(function f() { f() })()", "Maximum call stack size exceeded"),
        (
            "Array.prototype.map = () => 1; Object.prototype.toJSON = () => 1; throw new Error([1].map(String)[0])",
            "The plan stopped at line 1, column 91: 1.",
        ),
        ("while (true) listFiles()", "it made more than 1000 calls"),
        ("search({ get query() { while (true) {} } })", "it computed for more than 2 s without a call"),
        ("(async () => { while (true) await null })()", "it computed for more than 2 s without a call"),
        ("log('x'.repeat(1e6)); throw new Error('end')", "… (934464 more bytes)"),
    ], async |(source, wanted)| {
        let (own, source) = (world.clone(), source.to_owned());
        let reply_text = source.clone();
        let running = tokio::spawn(async move { own.call(tool, json!({ "code": source })).await });
        let other = world.call("extract", json!({ "file": "config.json" })).await;
        assert!(words(&other).contains("retries"), "{reply_text}");
        let reply = words(&running.await.unwrap());
        assert!(reply.contains(wanted), "{reply_text}: {}", &reply[..reply.len().min(2_000)]);
    }).await;
}

/// The access rules decide about a call of a script as about any other call.
#[tokio::test]
async fn access_rules_apply_to_calls_of_scripts() {
    let source = json!({ "code": "return bash('npm install left-pad').length > 0" });
    let (world, tool) = world(&probe::DIALECT);
    let denied = words(&world.call(tool, source).await);
    assert!(denied.starts_with("The plan stopped at line 1, column 8: "), "{denied}");
    let outside = json!({ "code": "try { extract('../out/secret'); } catch (e) { return e.message }" });
    let outside = words(&world.call(tool, outside).await);
    assert!(outside.contains("outside") && !outside.contains(&format!("| {}", common::SECRET)), "{outside}");
}

#[tokio::test]
async fn effects_of_a_stopped_plan_remain_and_are_reported() {
    let (world, tool) = world(&probe::DIALECT);
    let source = "create('made.txt', 'made\\n'); log('made'); missing()";
    let reply_text = words(&world.call(tool, json!({ "code": source })).await);
    let wanted = "The plan stopped at line 1, column 44: ReferenceError: missing is not defined. It had made 1 call; \
                  all effects remain.\n\nLogs:\nmade";
    assert_eq!(reply_text, wanted);
    assert_eq!(world.files()["made.txt"], b"made\n");
}

#[tokio::test]
async fn script_results_have_a_structured_reply() {
    let world = World::structured(&probe::DIALECT);
    world.put("a.txt", "a\n");
    let source = "log('x'); extract('a.txt'); return [1]";
    let Outcome::Done(answer) = world.call("execute_plan", json!({ "code": source })).await else { panic!() };
    let mut data: Value = answer.structured.unwrap();
    data["elapsed_ms"] = json!(0);
    let wanted = json!({
        "value": "[\n  1\n]", "logs": ["x"], "logs_left_out": 0, "outputs": [], "outputs_left_out": 0, "stopped": null,
        "calls": 1, "failed": 0, "elapsed_ms": 0,
    });
    assert_eq!(data, wanted);
}

/// When only `search_tools` and `run_code` are served, the other tools can be called from scripts only.
#[tokio::test]
async fn hidden_tools_can_be_called_from_scripts_only() {
    let world = World::only(named("claude").unwrap(), &code::DIALECT);
    world.put("a.txt", "here\n");
    let reply_text = words(
        &world
            .call("run_code", json!({ "code": "return Read({ file_path: 'a.txt' }).includes('here')" }))
            .await,
    );
    assert_eq!(reply_text, "true");
    let refused = world.call("Read", json!({ "file_path": "a.txt" })).await;
    assert!(matches!(&refused, Outcome::NoSuchTool(_)), "{refused:?}");
    assert_eq!(words(&refused), "No tool is called Read. The tools are: search_tools, run_code.");
    let found = words(&world.call("search_tools", json!({ "query": "edit" })).await);
    assert!(found.contains("declare function Edit(args: {"), "{found}");
    let none = words(&world.call("search_tools", json!({ "query": "zebra" })).await);
    assert_eq!(none, "No matching tools.\n[toolpost: all tools: Read, Edit, Write, Glob, Grep]");
}
