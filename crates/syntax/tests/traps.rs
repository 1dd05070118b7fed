//! The corpus of traps says of every call where it goes.

use crate::expected;

use std::collections::HashSet;
use std::path::Path;

use expected::{Outside, Trap, traps};

/// What the traps of a language hold.
type Counts = (&'static str, [usize; 5]);

/// Traps, calls, those that go to something in their folder, those that may go to one of several, and those that may go elsewhere.
const ROWS: [Counts; 11] = [
    ("python", [29, 241, 189, 5, 55]),
    ("typescript", [27, 215, 180, 5, 35]),
    ("javascript", [15, 69, 52, 1, 17]),
    ("rust", [23, 243, 156, 4, 89]),
    ("go", [21, 146, 113, 11, 34]),
    ("c", [22, 60, 49, 0, 13]),
    ("cpp", [22, 95, 84, 3, 12]),
    ("java", [23, 146, 124, 11, 24]),
    ("php", [1, 4, 1, 0, 3]),
    ("ruby", [1, 2, 1, 1, 1]),
    ("csharp", [1, 4, 4, 0, 0]),
];

#[test]
fn every_call_is_expected() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traps");
    let found = ROWS.map(|(language, _)| {
        let traps = traps(&corpus, language);
        let faults: Vec<&String> = traps.iter().flat_map(|trap| &trap.faults).collect();
        let labels = traps.iter().flat_map(|trap| trap.calls.values().map(|call| (&trap.name, &call.label)));
        let labels: Vec<_> = labels.collect();
        assert_eq!(labels.iter().collect::<HashSet<_>>().len(), labels.len(), "a call is named twice");
        assert!(faults.is_empty(), "{faults:#?}");
        (language, counts(&traps))
    });
    assert_eq!(found, ROWS);
}

fn counts(traps: &[Trap]) -> [usize; 5] {
    let calls: Vec<_> = traps.iter().flat_map(|trap| trap.calls.values()).collect();
    [
        traps.len(),
        calls.len(),
        calls.iter().filter(|call| !call.right.is_empty()).count(),
        calls.iter().filter(|call| !call.possible.is_empty()).count(),
        calls.iter().filter(|call| call.outside == Outside::Yes).count(),
    ]
}
