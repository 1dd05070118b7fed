//! Tests of every target on its corpus and a few mutations, and of the driver.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};
use toolpost_fuzz_targets::{Kind, Mutator, Outcome, TARGETS, Target, drive, judge, shrunk};

/// Number of mutations of each corpus; `cargo xtask fuzz` tries new ones until its time limit.
const MUTATIONS: u64 = 60;

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn the_corpus_has_no_finding() {
    let mut found = Vec::new();
    for target in TARGETS {
        let corpus = corpus(target.name);
        assert!(!corpus.is_empty(), "fuzz/corpus/{} is empty", target.name);
        let most = MUTATIONS + corpus.len() as u64;
        let outcome = drive(target, &corpus, 20_261_126, &|inputs| inputs >= most, &|_| {});
        found.extend(outcome.finding.map(|finding| (target.name, finding.what)));
    }
    assert_eq!(found, []);
}

const PICKY: Target = Target {
    name: "picky",
    kind: Kind::Reader,
    run: |bytes| assert!(!bytes.windows(3).any(|three| three == b"bad"), "it is bad"),
    words: &["bad"],
};

#[test]
fn findings_are_detected_and_minimized() {
    let Outcome { finding, .. } =
        drive(&PICKY, &[b"some text".to_vec()], 1, &|inputs| inputs > 10_000, &|_| {});
    let finding = shrunk(&PICKY, finding.unwrap(), Instant::now() + Duration::from_secs(60));
    let what = finding.what.split_once(": ").map(|(_, what)| what.to_owned());
    assert_eq!((finding.input.as_slice(), what.as_deref()), (&b"bad"[..], Some("it is bad")));
    assert_eq!(judge(&PICKY, b"good"), None);
}

#[test]
fn equal_seeds_generate_equal_inputs() {
    let inputs = |seed| {
        let mut mutator = Mutator::new(seed, &["word"]);
        (0..50).map(|_| mutator.input(&[b"abc".to_vec(), b"defghi".to_vec()])).collect::<Vec<_>>()
    };
    assert_eq!(inputs(7), inputs(7));
    assert_ne!(inputs(7), inputs(8));
}

#[test]
fn contained_panics_of_own_code_are_findings() {
    let contained = Target {
        name: "contained",
        kind: Kind::Reader,
        run: |_| drop(std::thread::spawn(|| panic!("inside")).join()),
        words: &[],
    };
    assert!(judge(&contained, b"").is_some_and(|what| what.contains("inside")));
    let foreign = Target {
        name: "foreign",
        kind: Kind::Reader,
        run: |_| drop(std::thread::spawn(panic_of_another).join()),
        words: &[],
    };
    assert_eq!(judge(&foreign, b""), None);
}

/// A panic whose location is in the standard library.
fn panic_of_another() {
    let step = std::env::args().count().saturating_sub(usize::MAX);
    let _ = std::iter::repeat_n(1_u8, 3).step_by(step);
}
