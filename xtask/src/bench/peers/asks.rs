//! The tool calls with which each server does the same work.

use super::{Job, ToolCall, Work};
use serde_json::json;

/// A regular expression that matches some function heads.
const REGEX: &str = r"fn \w+_timeout\(";
const GLOB: &str = "**/*.rs";
/// A directory of the generated tree, which contains fifty files.
const FOLDER: &str = "src/account_00/account_0";
const SOURCES: &str = "src";

pub(super) fn claude(job: &Job<'_>) -> Option<ToolCall> {
    Some(match job.work {
        Work::Read => ("Read", json!({"file_path": job.file, "limit": 5_000})),
        Work::Glob => ("Glob", json!({"pattern": GLOB})),
        Work::Search => ("Grep", json!({"pattern": REGEX, "output_mode": "content", "head_limit": 0})),
        Work::Edit => ("Edit", json!({"file_path": job.file, "old_string": job.old, "new_string": job.new})),
        Work::List | Work::Sizes | Work::Tree | Work::Command => return None,
    })
}

pub(super) fn trae(job: &Job<'_>) -> Option<ToolCall> {
    Some(match job.work {
        Work::Read => {
            let part = json!({"file_path": job.file, "start_line": 1, "end_line": 5_000});
            ("view_files", json!({"files": [part]}))
        }
        Work::List => ("list_dir", json!({"dir_path": job.root.join(FOLDER), "max_depth": 1})),
        Work::Tree => ("list_dir", json!({"dir_path": job.root.join(SOURCES), "max_depth": 5})),
        Work::Search => ("search_by_regex", json!({"query": REGEX, "search_directory": job.root})),
        Work::Edit => {
            let block = json!({"old_str": job.old, "new_str": job.new});
            ("update_file", json!({"file_path": job.file, "replace_blocks": [block]}))
        }
        Work::Command => {
            let run =
                json!({"command": "echo", "args": ["hi"], "blocking": true, "requires_approval": false});
            ("run_command", run)
        }
        Work::Sizes | Work::Glob => return None,
    })
}

pub(super) fn zblade(job: &Job<'_>) -> Option<ToolCall> {
    Some(match job.work {
        Work::List => ("list_dir", json!({"path": job.root.join(FOLDER)})),
        Work::Glob => ("glob", json!({"pattern": GLOB})),
        Work::Search => ("grep_search", json!({"pattern": REGEX})),
        Work::Edit => {
            ("edit_file", json!({"path": job.file, "old_content": job.old, "new_content": job.new}))
        }
        Work::Command => ("run_command", json!({"program": "echo", "args": ["hi"]})),
        Work::Sizes => return None,
        Work::Read | Work::Tree => return None, // zblade shows only the ends of 50 KB, and 200 entries of a tree
    })
}

pub(super) fn opencode(job: &Job<'_>) -> Option<ToolCall> {
    Some(match job.work {
        Work::Glob => ("glob", json!({"pattern": GLOB})),
        Work::Search => ("grep", json!({"pattern": REGEX})),
        Work::Edit => ("edit", json!({"filePath": job.file, "oldString": job.old, "newString": job.new})),
        Work::Command => ("bash", json!({"command": "echo hi"})),
        Work::Read | Work::List | Work::Sizes | Work::Tree => return None,
    })
}

pub(super) fn probe(job: &Job<'_>) -> Option<ToolCall> {
    Some(match job.work {
        Work::Read => ("extract", json!({"file": job.file})),
        Work::Sizes => ("listFiles", json!({"directory": job.root.join(FOLDER)})),
        Work::Tree => ("listFiles", json!({"directory": job.root.join(SOURCES), "maxDepth": 5})),
        Work::Glob => ("searchFiles", json!({"pattern": GLOB})),
        Work::Edit => ("edit", json!({"file_path": job.file, "old_string": job.old, "new_string": job.new})),
        Work::Command => ("bash", json!({"command": "echo hi"})),
        Work::List | Work::Search => return None,
    })
}

pub(super) fn node_server(job: &Job<'_>) -> Option<ToolCall> {
    both(job.work, job)
}

pub(super) fn rust_server(job: &Job<'_>) -> Option<ToolCall> {
    match job.work {
        // Toolpost's dialects number the lines, so the Rust server must number them too. The other servers cannot.
        Work::Read => Some(("read_text_file", json!({"path": job.file, "with_line_numbers": true}))),
        Work::Search => {
            let wanted = json!({"path": job.root, "pattern": "**/*", "query": REGEX, "is_regex": true});
            Some(("search_files_content", wanted))
        }
        other => both(other, job),
    }
}

/// Continues a search of Desktop Commander that the reply has not completed; all other servers reply with the
/// complete result.
pub(super) fn on(tool: &str, reply: &str) -> Option<ToolCall> {
    if !matches!(tool, "start_search" | "get_more_search_results") || reply.contains("Status: COMPLETED") {
        return None;
    }
    let (_, session) = reply.split_once("session: ")?;
    let wanted = json!({"sessionId": session.lines().next()?, "length": 5_000});
    Some(("get_more_search_results", wanted))
}

/// Returns the tool call for the npm or the Rust file server, whose tools have the same names.
fn both(work: Work, job: &Job<'_>) -> Option<ToolCall> {
    Some(match work {
        Work::Read => ("read_text_file", json!({"path": job.file})),
        Work::List => ("list_directory", json!({"path": job.root.join(FOLDER)})),
        Work::Sizes => ("list_directory_with_sizes", json!({"path": job.root.join(FOLDER)})),
        Work::Tree => ("directory_tree", json!({"path": job.root.join(SOURCES)})),
        Work::Glob => ("search_files", json!({"path": job.root, "pattern": GLOB})),
        Work::Edit => {
            let change = json!({"oldText": job.old, "newText": job.new});
            ("edit_file", json!({"path": job.file, "edits": [change]}))
        }
        Work::Search | Work::Command => return None,
    })
}

pub(super) fn commander(job: &Job<'_>) -> Option<ToolCall> {
    Some(match job.work {
        Work::Read => ("read_file", json!({"path": job.file, "length": 5_000})),
        Work::List => ("list_directory", json!({"path": job.root.join(FOLDER), "depth": 1})),
        Work::Tree => ("list_directory", json!({"path": job.root.join(SOURCES), "depth": 5})),
        Work::Search => {
            let wanted =
                json!({"path": job.root, "pattern": REGEX, "searchType": "content", "contextLines": 0});
            ("start_search", wanted)
        }
        Work::Sizes => return None,
        Work::Command => ("start_process", json!({"command": "echo hi", "timeout_ms": 10_000})),
        Work::Glob => ("start_search", json!({"path": job.root, "pattern": GLOB, "searchType": "files"})),
        Work::Edit => {
            ("edit_block", json!({"file_path": job.file, "old_string": job.old, "new_string": job.new}))
        }
    })
}
