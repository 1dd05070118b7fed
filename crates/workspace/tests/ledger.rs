//! The read ledger of a session.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use common::World;
use toolpost_test_rows::each;
use toolpost_workspace::{Coverage, LEDGER_LIMIT, ReadLedger, Record, ShownPart, WorkspacePath, hash};

fn path(world: &World, name: &str) -> WorkspacePath {
    world.open().resolve(name).unwrap()
}

#[test]
fn read_coverage_accumulates_while_the_hash_is_equal() {
    let world = World::new();
    let file = path(&world, "f");
    let (one, two) = (hash(b"one"), hash(b"two"));
    let lines = |ranges: &[std::ops::RangeInclusive<u64>]| Coverage::Lines(ranges.to_vec());
    let rows: &[(&[(_, ShownPart)], _)] = &[
        (&[(one, ShownPart::Part)], (one, Coverage::Part)),
        (&[(one, ShownPart::Whole)], (one, Coverage::Whole)),
        (&[(one, ShownPart::Lines(1..=5))], (one, lines(&[1..=5]))),
        (
            &[(one, ShownPart::Lines(10..=20)), (one, ShownPart::Lines(1..=5))],
            (one, lines(&[1..=5, 10..=20])),
        ),
        (&[(one, ShownPart::Lines(1..=5)), (one, ShownPart::Lines(6..=9))], (one, lines(&[1..=9]))),
        (&[(one, ShownPart::Lines(1..=9)), (one, ShownPart::Lines(2..=3))], (one, lines(&[1..=9]))),
        (&[(one, ShownPart::Lines(1..=9)), (one, ShownPart::Part)], (one, lines(&[1..=9]))),
        (&[(one, ShownPart::Whole), (one, ShownPart::Lines(1..=2))], (one, Coverage::Whole)),
        (&[(one, ShownPart::Whole), (two, ShownPart::Lines(1..=2))], (two, lines(&[1..=2]))),
        (&[(one, ShownPart::Lines(1..=2)), (two, ShownPart::Part)], (two, Coverage::Part)),
        (
            &[(one, ShownPart::Lines(1..=u64::MAX)), (one, ShownPart::Lines(3..=4))],
            (one, lines(&[1..=u64::MAX])),
        ),
    ];
    each(rows, |(records, (hash, coverage))| {
        let ledger = ReadLedger::default();
        for (hash, seen) in *records {
            ledger.record(&file, *hash, seen.clone());
        }
        let wanted = Record { hash: *hash, coverage: coverage.clone() };
        assert_eq!(ledger.seen(&file), Some(wanted), "{records:?}");
    });
}

#[test]
fn read_ledger_follows_moves_and_forgets_files() {
    let world = World::new();
    let workspace = world.open();
    let at = |name: &str| workspace.resolve(name).unwrap();
    let ledger = ReadLedger::default();
    for name in ["d/a", "d/deep/b", "db", "e"] {
        ledger.record(&at(name), hash(name.as_bytes()), ShownPart::Whole);
    }
    ledger.moved(&at("d"), &at("new/place"));
    ledger.moved(&at("e"), &at("f"));
    ledger.forget(&at("never"));
    let found: Vec<bool> = ["d/a", "d/deep/b", "db", "e", "f", "new/place/a", "new/place/deep/b"]
        .map(|name| ledger.seen(&at(name)).is_some())
        .to_vec();
    assert_eq!(found, [false, false, true, false, true, true, true]);
    assert_eq!(ledger.seen(&at("new/place/a")).unwrap().hash, hash(b"d/a"));
    ledger.forget(&at("f"));
    assert_eq!((ledger.seen(&at("f")), ledger.len()), (None, 3));
}

#[test]
fn read_ledger_drops_the_oldest_file_at_its_limit() {
    let world = World::new();
    let workspace = world.open();
    let paths: Vec<WorkspacePath> =
        (0..=LEDGER_LIMIT).map(|number| workspace.resolve(&format!("f{number}")).unwrap()).collect();
    let ledger = ReadLedger::default();
    for path in &paths[..LEDGER_LIMIT] {
        ledger.record(path, hash(b""), ShownPart::Whole);
    }
    ledger.record(&paths[0], hash(b""), ShownPart::Part);
    ledger.record(&paths[LEDGER_LIMIT], hash(b""), ShownPart::Whole);
    let kept = |number: usize| ledger.seen(&paths[number]).is_some();
    assert_eq!((kept(0), kept(1), kept(2), kept(LEDGER_LIMIT)), (true, false, true, true));
    assert_eq!(ledger.len(), LEDGER_LIMIT);
}
