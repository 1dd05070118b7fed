//! Tests that a search returns the same with a shared index as without one, for any answers of that index.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod support;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use toolpost_test_rows::each;

use support::World;
use toolpost_search::{Control, GrepOutput, GrepRequest, Mode, grep};
use toolpost_trigrams::{Answer, IndexQuery, Knows, Lost, Pattern, SharedIndex, SharedState, TrigramIndex};
use toolpost_workspace::walk::Options;
use toolpost_workspace::{ContentHash, hash};

/// The behaviour of the shared index.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    /// The index answers correctly.
    Truthful,
    /// The index lists every content that it has ever seen, and one that never existed.
    Talkative,
    /// The index reports matches in impossible ranges.
    Absurd,
    /// The index has no answer for any pattern.
    Silent,
    /// The index reports that it has removed content since the first query.
    Forgetful,
    /// The index answers from a state older than the one in which it reported contents as known.
    Late,
    /// The index is unreachable.
    Away,
}

/// A simulated shared index.
struct Others {
    manner: Mutex<Manner>,
    texts: HashMap<ContentHash, String>,
    asked: AtomicUsize,
}

impl Others {
    fn of(texts: &[String]) -> Arc<Self> {
        let texts = texts.iter().map(|text| (hash(text.as_bytes()), text.clone())).collect();
        Arc::new(Self { manner: Mutex::new(Manner::Truthful), texts, asked: AtomicUsize::new(0) })
    }

    fn manner(&self) -> Manner {
        *self.manner.lock().unwrap()
    }
}

fn holds(need: &IndexQuery<Vec<u8>>, text: &str) -> bool {
    match need {
        IndexQuery::Anything => true,
        IndexQuery::One(piece) => text.as_bytes().windows(piece.len()).any(|part| part == piece),
        IndexQuery::All(needs) => needs.iter().all(|need| holds(need, text)),
        IndexQuery::Any(needs) => needs.iter().any(|need| holds(need, text)),
    }
}

impl SharedIndex for Others {
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost> {
        if self.manner() == Manner::Away {
            return Err(Lost("unreachable".to_owned()));
        }
        let known = contents.iter().map(|content| self.texts.contains_key(content)).collect();
        Ok(Knows { state: SharedState { learnt: 7, forgotten: 0 }, known })
    }

    fn find(&self, pattern: &Pattern) -> Result<Option<Answer>, Lost> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let manner = self.manner();
        let mut state = SharedState { learnt: 8, forgotten: 0 };
        let fits =
            self.texts.iter().filter(|(_, text)| holds(pattern.texts(), text)).map(|(content, _)| *content);
        let mut contents: HashMap<_, _> = fits.map(|content| (content, Vec::new())).collect();
        match manner {
            Manner::Truthful => {}
            Manner::Talkative => {
                contents = self.texts.keys().map(|content| (*content, Vec::new())).collect();
                contents.insert(hash(b"nobody has this"), Vec::new());
            }
            #[expect(clippy::reversed_empty_ranges, reason = "the test needs impossible ranges")]
            Manner::Absurd => contents.values_mut().for_each(|parts| *parts = vec![9..3, 0..u32::MAX, 5..5]),
            Manner::Silent => return Ok(None),
            Manner::Forgetful => {
                state = SharedState { learnt: 7, forgotten: 1 };
                contents.clear();
            }
            Manner::Late => {
                state = SharedState { learnt: 6, forgotten: 0 };
                contents.clear();
            }
            Manner::Away => return Err(Lost("unreachable".to_owned())),
        }
        Ok(Some(Answer { state, contents }))
    }
}

fn texts() -> Vec<String> {
    let line = |number: usize| {
        format!("line {number} of needle{} and hay\r\nTODO größe {}\n", number % 7, number % 3)
    };
    (0..60)
        .map(|file| {
            (0..file * 20).map(|number| line(file + number)).collect::<String>() + &format!("own{file}\n")
        })
        .collect()
}

const PATTERNS: [&str; 8] =
    ["needle3", "own1", "(?i)todo GRÖSSE|own7", "größe 2", "nowhere", "needle.*hay", "^own", "a"];

fn found(world: &World, pattern: &str, index: Option<&TrigramIndex>) -> GrepOutput {
    let request = GrepRequest {
        mode: Mode::Content,
        ..GrepRequest::of(world.workspace.resolve(".").unwrap(), pattern)
    };
    grep(&world.workspace, &request, &Control::default(), index).unwrap()
}

fn check(world: &World, trigrams: &TrigramIndex, what: &str) {
    each(PATTERNS, |pattern| {
        assert_eq!(found(world, pattern, Some(trigrams)), found(world, pattern, None), "{what}: {pattern}");
    });
}

#[test]
fn faulty_shared_index_never_changes_search_results() {
    let texts = texts();
    each(
        [
            Manner::Truthful,
            Manner::Talkative,
            Manner::Absurd,
            Manner::Silent,
            Manner::Forgetful,
            Manner::Late,
            Manner::Away,
        ],
        |manner| {
            let world = World::new(&[]);
            for (number, text) in texts.iter().enumerate() {
                world.add(format!("part{}/file{number}.txt", number % 5).as_bytes(), text.as_bytes());
            }
            // The index does not trust the times of a file that changed in the last 50 ms, and a test cannot
            // set the change time (ctime) of a file.
            std::thread::sleep(Duration::from_millis(80));
            // The shared index contains two of every three contents.
            let others = Others::of(
                &texts
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| at % 3 != 0)
                    .map(|(_, text)| text.clone())
                    .collect::<Vec<_>>(),
            );
            let trigrams = TrigramIndex::new(world.workspace.clone(), None).sharing(others.clone());
            trigrams.ready(&Options::default());
            assert_eq!(trigrams.status(&Options::default()).shared, 40);
            *others.manner.lock().unwrap() = manner;
            check(&world, &trigrams, &format!("{manner:?}"));
            assert!(others.asked.load(Ordering::Relaxed) > 0);
            world.add(b"part0/file0.txt", b"needle3 own1 is new\n");
            world.add(b"part1/file1.txt", texts[8].as_bytes());
            std::fs::rename(world.root().join("part2/file2.txt"), world.root().join("part3/moved.txt"))
                .unwrap();
            std::fs::remove_file(world.root().join("part4/file4.txt")).unwrap();
            check(&world, &trigrams, &format!("{manner:?}, after edits"));
            let lost = trigrams.status(&Options::default()).lost;
            assert_eq!(lost.is_some(), manner == Manner::Away, "{manner:?}: {lost:?}");
        },
    );
}

#[test]
fn contents_in_the_shared_index_are_not_read() {
    let world = World::new(&[]);
    let texts = texts();
    for (number, text) in texts.iter().enumerate() {
        world.add(format!("file{number}.txt").as_bytes(), text.as_bytes());
    }
    // The index does not trust the times of a file that changed in the last 50 ms, and a test cannot set the
    // change time (ctime) of a file.
    std::thread::sleep(Duration::from_millis(80));
    let others = Others::of(&texts);
    let trigrams = TrigramIndex::new(world.workspace.clone(), None).sharing(others.clone());
    trigrams.ready(&Options::default());
    let status = trigrams.status(&Options::default());
    assert_eq!((status.files, status.shared, status.waiting), (60, 60, 0));
    let pattern =
        Pattern::read("own17", toolpost_trigrams::Letters::AsWritten, toolpost_trigrams::Reach::Line)
            .unwrap();
    let sieve = toolpost_trigrams::Sieve {
        base: world.workspace.resolve(".").unwrap(),
        judge: None,
        may_read: None,
        name: String::new(),
    };
    let list = trigrams.shortlist(&pattern, &Options::default(), sieve, &|| false).unwrap();
    let named: HashSet<Vec<u8>> = list.files.iter().map(toolpost_trigrams::CandidateFile::relative).collect();
    assert_eq!((named, list.without), (HashSet::from([b"file17.txt".to_vec()]), 59));
}
