//! Changes that the file watcher does not report.
#![expect(clippy::disallowed_methods, reason = "tests write files")]

use std::time::{Duration, Instant};

use toolpost_workspace::{Options, Workspace};

use super::Index;

#[test]
fn changes_missed_by_the_watcher_are_found_by_a_full_scan() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    std::fs::create_dir(&root).unwrap();
    for (name, text) in [("one.py", "def before(): ...\n"), ("two.py", "def other(): ...\n")] {
        std::fs::write(root.join(name), text).unwrap();
    }
    // The watcher reports a write through a hard link only for that link, which is outside the root here.
    let aside = folder.path().join("aside.py");
    std::fs::hard_link(root.join("one.py"), &aside).unwrap();
    let options = Options { roots: vec![root], ..Options::default() };
    let index = Index::new(Workspace::open(options).unwrap().0, None);
    let hash = || index.graph(&|| false).unwrap().hash("one.py");
    let before = hash();
    assert!(before.is_some());
    std::fs::write(&aside, "def afterwards(): ...\n").unwrap();
    index.0.lifecycle.lock().watched.age();
    let until = Instant::now() + Duration::from_secs(20);
    while hash() == before {
        assert!(Instant::now() < until, "no full scan found the change");
        std::thread::sleep(Duration::from_millis(5));
    }
}
