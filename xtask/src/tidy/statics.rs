//! Checks that two runtimes in one process share no state through a static: each one that can change is in a table,
//! with the reason why it belongs to the process.

use super::{Finding, rust};
use crate::tree::Tree;
use std::collections::BTreeSet;

/// Types of statics that can change, or that are set at run time.
const CHANGING: &[&str] = &["Atomic", "Cell", "LazyLock", "Mutex", "Once", "RwLock", "Semaphore"];

/// The statics that belong to the process: the file, the name, and the reason.
const PROCESS: &[(&str, &str, &str)] = &[
    ("crates/cli/src/ask.rs", "ASKING", "the process has one terminal"),
    ("crates/documents/src/pdf/load.rs", "METER", "belongs to the thread of one document"),
    ("crates/documents/src/pdf/worker.rs", "RUNNING", "limits the threads of the process"),
    ("crates/engine/src/files/document/image.rs", "DECODING", "limits the memory of the process"),
    ("crates/engine/src/workers.rs", "AT_WORK", "limits the threads of the process"),
    ("crates/net/src/tls.rs", "MADE", "the certificates of the system"),
    ("crates/process/src/available.rs", "FOUND", "what the kernel offers"),
    ("crates/process/src/available.rs", "TRIED", "what the kernel offers"),
    ("crates/process/src/helper.rs", "CALLED_LATE", "the process has one `main`"),
    ("crates/process/src/helper.rs", "IS_EXPOSED", "the process has one helper program"),
    ("crates/process/src/helper.rs", "PROGRAM", "the process has one helper program"),
    ("crates/process/src/spawn.rs", "BEFORE", "a limit of the process"),
    ("crates/process/src/usage.rs", "DESCENDANTS", "a supervisor is a process with one command"),
    ("crates/ranked/src/embed/model.rs", "MODEL", "the built-in model, which does not change"),
    ("crates/ranked/src/tokens.rs", "ENGLISH", "a stemmer, which does not change"),
    ("crates/sandbox/src/creations.rs", "KNOWN", "what the kernel offers"),
    ("crates/script/src/gate.rs", "LEFT", "limits the threads of the process"),
    ("crates/script/src/gate.rs", "TURNS", "limits the threads of the process"),
    ("crates/symbols/src/graph.rs", "NONE", "an empty value"),
    ("crates/symbols/src/segment.rs", "STAMP", "a checksum of this program"),
    ("crates/trigrams/src/segment/fuzz.rs", "WHOLE", "the input of a fuzz target"),
    ("crates/workspace/src/locks.rs", "TABLE", "locks of files, which runtimes must share"),
    ("crates/workspace/src/openat.rs", "AVAILABLE", "what the kernel offers"),
    ("crates/workspace/src/process_id.rs", "NEXT", "numbers that are unique in the process"),
    ("crates/workspace/src/process_id.rs", "THIS", "the id of the process"),
    ("crates/workspace/src/threads.rs", "PRIORITY", "belongs to a thread"),
    ("crates/workspace/src/threads.rs", "RUNNING", "limits the threads of the process"),
    (
        "crates/workspace/src/walk/rule_cache.rs",
        "CACHE",
        "found by the hash of a text, so it is the same for all",
    ),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut known = BTreeSet::new();
    for file in tree.rust().filter(|file| is_shipped(&file.path)) {
        let code = rust::scan(rust::shipped(&file.text)).code;
        for at in rust::words(&code, "static") {
            let Some(name) = changing(&code[at..]) else { continue };
            let row = PROCESS.iter().position(|(path, listed, _)| *path == file.path && *listed == name);
            if let Some(row) = row {
                known.insert(row);
                continue;
            }
            findings.push(Finding {
                path: file.path.clone(),
                line: code[..at].matches('\n').count() + 1,
                what: format!("`{name}` is state of the whole process"),
                why: "two runtimes in one process would share it",
                next: "keep the state in the runtime, or add the static to xtask/src/tidy/statics.rs with the reason",
            });
        }
    }
    let gone = PROCESS
        .iter()
        .enumerate()
        .filter(|(row, (path, ..))| tree.file(path).is_some() && !known.contains(row));
    findings.extend(gone.map(|(_, (path, name, _))| Finding {
        path: (*path).to_owned(),
        line: 1,
        what: format!("`{name}` is listed as a static, but is not one"),
        why: "the table must show what the process shares",
        next: "remove the row in xtask/src/tidy/statics.rs",
    }));
    findings
}

fn is_shipped(path: &str) -> bool {
    path.starts_with("crates/")
        && path.contains("/src/")
        && !path.starts_with("crates/test-rows/")
        && !path.ends_with("/tests.rs")
}

/// Returns the name of a static, given the code from the word `static` on, if its value can change.
fn changing(code: &str) -> Option<&str> {
    let (head, rest) = code.strip_prefix("static")?.split_once(':')?;
    let name = head.trim().strip_prefix("mut ").unwrap_or(head.trim());
    if name.is_empty() || !name.chars().all(rust::is_name) {
        return None;
    }
    let kind = &rest[..rest.find(['=', ';'])?];
    let can_change = head.contains("mut ") || CHANGING.iter().any(|changing| kind.contains(changing));
    can_change.then_some(name)
}
