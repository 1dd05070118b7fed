//! Tests of the file contents that a session stores: the latest versions, up to the maximum size.

use std::sync::Arc;
use tempfile::TempDir;
use toolpost_engine::{Engine, SeenContent, SeenRange, Session};
use toolpost_test_rows::each;
use toolpost_workspace::{Options, Workspace, WorkspacePath, hash};

struct World {
    _root: TempDir,
    _state: TempDir,
    engine: Engine,
    session: Arc<Session>,
}

impl World {
    fn new() -> Self {
        let (root, state) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let (roots, store) = (vec![root.path().to_path_buf()], Some(state.path().to_path_buf()));
        let (workspace, _) = Workspace::open(Options { roots, state: store, ..Options::default() }).unwrap();
        Self { _root: root, _state: state, engine: Engine::new(workspace), session: Session::new() }
    }

    fn path(&self, name: &str) -> WorkspacePath {
        self.engine.resolve(name).unwrap()
    }

    fn see(&self, name: &str, content: &[u8]) {
        self.see_and_store(name, content, Some(content));
    }

    /// Records that a call has shown a content, of which the session gets `bytes` to store.
    fn see_and_store(&self, name: &str, content: &[u8], bytes: Option<&[u8]>) {
        let (path, hash, bytes) = (self.path(name), Some(hash(content)), bytes.map(Into::into));
        self.session.record(SeenContent { path, hash, part: SeenRange::Whole, bytes });
    }

    fn versions(&self, name: &str) -> Vec<Vec<u8>> {
        self.session.versions(&self.path(name)).iter().map(|bytes| bytes.to_vec()).collect()
    }
}

#[test]
fn session_remembers_the_last_five_versions_of_a_file() {
    let world = World::new();
    let rows: [(&[u8], &[&[u8]]); 8] = [
        (b"1", &[b"1"]),
        (b"1", &[b"1"]),
        (b"2", &[b"2", b"1"]),
        (b"1", &[b"1", b"2", b"1"]),
        (b"3", &[b"3", b"1", b"2", b"1"]),
        (b"4", &[b"4", b"3", b"1", b"2", b"1"]),
        (b"5", &[b"5", b"4", b"3", b"1", b"2"]),
        (b"6", &[b"6", b"5", b"4", b"3", b"1"]),
    ];
    each(rows, |(content, wanted)| {
        world.see("a", content);
        assert_eq!(world.versions("a"), wanted, "{content:?}");
        assert_eq!(world.session.remembered(&world.path("a")).as_deref(), Some(content));
    });
    assert_eq!(world.versions("b"), Vec::<Vec<u8>>::new());
}

/// Changes since the last view must not be described relative to an earlier view.
#[test]
fn only_the_content_seen_last_is_compared_with_the_file() {
    let world = World::new();
    type Row = (&'static [u8], bool, Option<&'static [u8]>);
    let rows: [Row; 5] = [
        (b"1", true, Some(b"1")),
        (b"2", false, None),
        (b"1", false, Some(b"1")),
        (b"3", true, Some(b"3")),
        (b"1", false, Some(b"1")),
    ];
    each(rows, |(content, stored, wanted)| {
        world.see_and_store("a", content, stored.then_some(content));
        assert_eq!(world.session.remembered(&world.path("a")).as_deref(), wanted, "{content:?}");
    });
}

#[test]
fn remembered_versions_are_limited_in_total_bytes() {
    let world = World::new();
    let large = |fill: u8| vec![fill; 1024 * 1024];
    for round in 0..200 {
        world.see("small", &[round]);
    }
    for name in 0..8 {
        world.see(&format!("large-{name}"), &large(name));
        world.see("last", &[name]);
    }
    assert_eq!(world.versions("small"), Vec::<Vec<u8>>::new(), "the oldest contents are dropped first");
    let kept = (0..8).filter(|name| !world.versions(&format!("large-{name}")).is_empty()).count();
    assert_eq!((kept, world.versions("last").len()), (7, 5));
    world.see("too large", &[large(0), large(1)].concat());
    assert_eq!(world.versions("too large"), Vec::<Vec<u8>>::new());
}
