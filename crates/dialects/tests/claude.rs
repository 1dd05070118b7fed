//! Replies of the claude dialect to calls that find nothing to work on.

use crate::common;

use common::{World, words};
use serde_json::json;
use toolpost_dialects::claude;

#[tokio::test]
async fn a_pattern_of_several_lines_is_told_of_multiline() {
    let world = World::new(&claude::DIALECT);
    world.put("f.txt", "one\ntwo\n");
    let failed = words(&world.allowed("Grep", json!({"pattern": "one\\ntwo"})).await);
    assert!(failed.contains("set multiline to true"), "{failed}");
    let found = json!({"pattern": "one\\ntwo", "multiline": true});
    assert!(words(&world.allowed("Grep", found).await).starts_with("f.txt"));
    let other = words(&world.allowed("Grep", json!({"pattern": "(one"})).await);
    assert!(!other.contains("multiline"), "{other}");
}

#[tokio::test]
async fn a_dangling_link_is_named_with_its_target() {
    let world = World::new(&claude::DIALECT);
    world.put("d/target.txt", "x\n");
    std::os::unix::fs::symlink("nowhere.txt", world.root().join("dangling")).unwrap();
    std::os::unix::fs::symlink("d/target.txt", world.root().join("link")).unwrap();
    let failed = words(&world.allowed("Read", json!({"file_path": "dangling"})).await);
    let wanted = "dangling is a symbolic link to nowhere.txt, which does not exist.";
    assert!(failed.starts_with(wanted), "{failed}");
    let missing = words(&world.allowed("Read", json!({"file_path": "absent.txt"})).await);
    assert!(missing.starts_with("File not found: absent.txt"), "{missing}");
    let read = words(&world.allowed("Read", json!({"file_path": "link"})).await);
    assert!(read.contains('x'), "{read}");
}

#[tokio::test]
async fn a_file_with_carriage_returns_alone_is_said_to_be_one_line() {
    let world = World::new(&claude::DIALECT);
    let note = "eol: CR alone, which ends no line here: the file is one line";
    for (text, wanted) in [("a\rb\rc\r", true), ("a\r\nb\r\n", false), ("a\nb\n", false), ("a", false)] {
        world.put("f.txt", text);
        let read = words(&world.allowed("Read", json!({"file_path": "f.txt"})).await);
        assert_eq!(read.contains(note), wanted, "{text:?}: {read}");
    }
}
