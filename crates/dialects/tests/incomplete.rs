//! Answers while an index is being built: partial, marked as incomplete, with progress notifications.

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use toolpost_engine::Progress;
use toolpost_runtime::Call;
use toolpost_tool::Dialect;

/// A call, and the texts that its reply must contain while the index is incomplete.
struct Row {
    dialect: &'static Dialect,
    tool: &'static str,
    arguments: fn() -> Value,
    found: &'static [&'static str],
    /// The time that the call may wait for an index. Without it, no file of an overview is read.
    wait: Duration,
}

/// Parts of the notes about files that the index does not contain yet.
const LOOKED: &str = "Toolpost read the 2 files outside the index that contain the ";
const NONE: &str = "none of the files outside the index contains the ";

/// A call that takes longer than this must have reported progress. The first report is due after 300 ms.
const QUIET: Duration = Duration::from_millis(600);

const CLAIMS: [&str; 9] = [
    "Nothing found in",
    "No code found",
    "No results",
    "No symbol",
    "Nothing is called",
    "\"complete\": true",
    "\"complete\":true",
    "\nNone.",
    "no test uses",
];

/// Claims about a whole project that are false before any of its files was read.
const OVERVIEW_CLAIMS: [&str; 4] =
    ["No entry point was found:", "None found.", "in known languages", "supported language was read."];

fn rows() -> Vec<Row> {
    let (opencode, zblade, probe, trae) = (
        &toolpost_dialects::opencode::DIALECT,
        &toolpost_dialects::zblade::DIALECT,
        &toolpost_dialects::probe::DIALECT,
        &toolpost_dialects::trae::DIALECT,
    );
    let row = |dialect, tool, arguments, found| Row {
        dialect,
        tool,
        arguments,
        found,
        wait: Duration::from_millis(1_500),
    };
    vec![
        row(zblade, "symbol_search", || json!({"query": "wanted_name"}), &["deep/target.py", LOOKED, "name"]),
        row(zblade, "symbol_search", || json!({"query": "zzz_missing"}), &[NONE]),
        row(
            zblade,
            "symbol_graph",
            || json!({"path": "deep/target.py", "name": "wanted_name", "relationship_type": "call"}),
            &["user.py", LOOKED],
        ),
        row(
            zblade,
            "symbol_resolve",
            || json!({"path": "deep/target.py", "name": "wanted_name"}),
            &["deep/target.py"],
        ),
        row(zblade, "symbol_resolve", || json!({"symbol_id": "python:gone.py#zzz(function)"}), &["so far"]),
        row(probe, "search", || json!({"query": "wanted_name"}), &["def wanted_name", LOOKED]),
        row(probe, "search", || json!({"query": "zzz_missing"}), &[NONE]),
        row(probe, "searchAll", || json!({"query": "wanted_name"}), &["def wanted_name", LOOKED]),
        row(trae, "search_codebase", || json!({"query": "wanted_name"}), &["def wanted_name", LOOKED]),
        row(opencode, "codesearch", || json!({"query": "wanted_name"}), &["def wanted_name", LOOKED]),
        row(opencode, "codesearch", || json!({"query": "zzz_missing"}), &[NONE]),
        row(probe, "analyze_all", || json!({"path": "."}), &[]),
    ]
}

/// Returns the rows of overviews that have no time to read a file.
fn unread_rows() -> Vec<Row> {
    let unread = |dialect, tool, found| Row {
        dialect,
        tool,
        arguments: || json!({"path": "."}),
        found,
        wait: Duration::ZERO,
    };
    vec![
        unread(
            &toolpost_dialects::probe::DIALECT,
            "analyze_all",
            &[
                ".: 62 files, 0 lines in the 0 files read so far\n",
                "- python: 62 files, 0 lines in the 0 files read so far\n",
                "None found in the 0 files read so far.",
                "lines and entry points of 62 files are not read yet",
            ],
        ),
        unread(
            &toolpost_dialects::zblade::DIALECT,
            "get_project_index_overview",
            &[
                "- python: 62 files, 0 lines in the 0 files read so far",
                "No entry point was found in the 0 files read so far: no main function",
                "No file in a supported language was read so far.",
            ],
        ),
    ]
}

fn fill(world: &World) {
    for number in 0..60 {
        world.put(&format!("src/f{number}.py"), format!("def other_{number}():\n    return {number}\n"));
    }
    world.put("deep/target.py", "def wanted_name(x):\n    return x\n");
    world.put("user.py", "from deep.target import wanted_name\n\n\ndef use():\n    return wanted_name(1)\n");
}

/// Checks whether a reply says that the index is not complete.
fn is_marked(reply: &str) -> bool {
    reply.contains("not read yet")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incomplete_indexes_give_partial_replies_marked_incomplete() {
    for Row { dialect, tool, arguments, found, wait } in rows().into_iter().chain(unread_rows()) {
        let (world, engine) = World::paused_for(dialect, wait);
        fill(&world);
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let hears = heard.clone();
        let progress = Progress::new(move |_, what| hears.lock().unwrap().push(what.to_owned()));
        let call = Call { progress, ..world.saying(tool, arguments()) };
        let began = Instant::now();
        let reply = words(&world.made(call).await);
        let waited = began.elapsed();
        // A resolved symbol needs no mark: the answer is complete.
        let whole = tool == "symbol_resolve" && reply.contains("\"symbol\":");
        assert!(whole || is_marked(&reply), "{tool} {}: {reply}", arguments());
        found
            .iter()
            .for_each(|text| assert!(reply.contains(text), "{tool} {}: {text}: {reply}", arguments()));
        CLAIMS.iter().for_each(|claim| assert!(!reply.contains(claim), "{tool}: {claim}: {reply}"));
        if wait.is_zero() {
            OVERVIEW_CLAIMS
                .iter()
                .for_each(|claim| assert!(!reply.contains(claim), "{tool}: {claim}: {reply}"));
        }
        let heard = heard.lock().unwrap().clone();
        // An immediate answer needs no progress report.
        let has_told = heard.iter().any(|what| what.contains("building the index"));
        assert!(has_told || waited < QUIET, "{tool}: {heard:?}");
        // Once resumed, indexing continues between calls.
        engine.resume_indexes();
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let reply = words(&world.call(tool, arguments()).await);
            if !is_marked(&reply) {
                break;
            }
            assert!(Instant::now() < until, "{tool}: {reply}");
        }
    }
}
