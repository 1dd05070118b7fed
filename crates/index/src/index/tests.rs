//! Changes that the watch does not report.
#![expect(clippy::disallowed_methods, reason = "tests build their own worlds")]

use std::time::{Duration, Instant};

use toolpost_workspace::{Options, Workspace};

use super::Index;

#[test]
fn what_nobody_tells_of_is_found_beside_all_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    std::fs::create_dir(&root).unwrap();
    for (name, text) in [("one.py", "def before(): ...\n"), ("two.py", "def other(): ...\n")] {
        std::fs::write(root.join(name), text).unwrap();
    }
    // A write through another name of a file is only reported for that name.
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
        assert!(Instant::now() < until, "nobody looked at all files");
        std::thread::sleep(Duration::from_millis(5));
    }
}
