//! Concurrent edits of one file.

use crate::common;

use common::{Server, World, call};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SLOTS: usize = 60;

fn lines(value: u8) -> String {
    (0..SLOTS).map(|slot| format!("slot{slot:03}={value}\n")).collect()
}

/// Sends one edit per slot, spread over several servers, before it waits for replies. Checks that all edits
/// are acknowledged and in the file.
fn check(processes: usize) {
    let world = World::with(&[("f", lines(0).as_bytes())]);
    let mut servers: Vec<Server> = (0..processes).map(|_| world.serve(&[])).collect();
    for server in &mut servers {
        let read = server.call(&call("Read", json!({ "file_path": "f" })));
        assert_ne!(read["isError"], json!(true), "{read}");
    }
    let mut asked: Vec<BTreeMap<u64, usize>> = vec![BTreeMap::new(); processes];
    for slot in 0..SLOTS {
        let edit = json!({ "file_path": "f", "old_string": format!("slot{slot:03}=0"), "new_string": format!("slot{slot:03}=1") });
        let server = slot % processes;
        let id = servers[server].ask_call(&call("Edit", edit));
        asked[server].insert(id, slot);
    }
    let mut refused: Vec<(usize, Value)> = Vec::new();
    for (server, waiting) in servers.iter_mut().zip(&mut asked) {
        while !waiting.is_empty() {
            let answer = server.next();
            let slot = waiting.remove(&answer["id"].as_u64().unwrap()).unwrap();
            if answer.get("error").is_some() || answer["result"]["isError"] == json!(true) {
                refused.push((slot, answer));
            }
        }
    }
    assert_eq!(refused, Vec::new(), "{processes} processes");
    assert_eq!(
        world.files(),
        BTreeMap::from([("f".to_owned(), lines(1).into_bytes())]),
        "{processes} processes"
    );
}

#[test]
fn sixty_edits_of_one_process_all_survive() {
    check(1);
}

#[test]
fn sixty_edits_of_two_processes_all_survive() {
    check(2);
}

#[test]
fn sixty_edits_of_eight_processes_all_survive() {
    check(8);
}
