//! Tests that a search returns the same with a shared index as without one, whatever that index answers.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod support;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use support::World;
use toolpost_grams::{Answer, Grams, Knows, Lost, Need, Pattern, Shared, SharedState};
use toolpost_search::{Control, GrepOutput, GrepRequest, Mode, grep};
use toolpost_workspace::walk::Options;
use toolpost_workspace::{ContentHash, hash};

/// The behaviour of the shared index.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    /// It answers correctly.
    Truthful,
    /// It lists every content that it has ever seen, and some that never existed.
    Talkative,
    /// It reports matches in impossible ranges.
    Absurd,
    /// It does not answer anything about a pattern.
    Silent,
    /// It has forgotten something at each query.
    Forgetful,
    /// It answers from a state before the contents that it reported as known.
    Late,
    /// It is unreachable.
    Away,
}

/// A shared index.
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

fn holds(need: &Need<Vec<u8>>, text: &str) -> bool {
    match need {
        Need::Anything => true,
        Need::One(piece) => text.as_bytes().windows(piece.len()).any(|part| part == piece),
        Need::All(needs) => needs.iter().all(|need| holds(need, text)),
        Need::Any(needs) => needs.iter().any(|need| holds(need, text)),
    }
}

impl Shared for Others {
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost> {
        if self.manner() == Manner::Away {
            return Err(Lost("nobody is there".to_owned()));
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
            #[expect(clippy::reversed_empty_ranges, reason = "it cannot be")]
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
            Manner::Away => return Err(Lost("nobody is there".to_owned())),
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

fn found(world: &World, pattern: &str, index: Option<&Grams>) -> GrepOutput {
    let request = GrepRequest {
        mode: Mode::Content,
        ..GrepRequest::new(world.workspace.resolve(".").unwrap(), pattern)
    };
    grep(&world.workspace, &request, &Control::default(), index).unwrap()
}

fn check(world: &World, grams: &Grams, what: &str) {
    for pattern in PATTERNS {
        assert_eq!(found(world, pattern, Some(grams)), found(world, pattern, None), "{what}: {pattern}");
    }
}

#[test]
fn whatever_others_say_the_answer_is_that_of_the_disk() {
    let texts = texts();
    for manner in [
        Manner::Truthful,
        Manner::Talkative,
        Manner::Absurd,
        Manner::Silent,
        Manner::Forgetful,
        Manner::Late,
        Manner::Away,
    ] {
        let world = World::new(&[]);
        for (number, text) in texts.iter().enumerate() {
            world.add(format!("part{}/file{number}.txt", number % 5).as_bytes(), text.as_bytes());
        }
        std::thread::sleep(Duration::from_millis(80));
        // It knows two of three contents.
        let others = Others::of(
            &texts
                .iter()
                .enumerate()
                .filter(|(at, _)| at % 3 != 0)
                .map(|(_, text)| text.clone())
                .collect::<Vec<_>>(),
        );
        let grams = Grams::new(world.workspace.clone(), None).sharing(others.clone());
        grams.ready(&Options::default());
        assert_eq!(grams.status(&Options::default()).shared, 40);
        *others.manner.lock().unwrap() = manner;
        check(&world, &grams, &format!("{manner:?}"));
        assert!(others.asked.load(Ordering::Relaxed) > 0);
        world.add(b"part0/file0.txt", b"needle3 own1 is new\n");
        world.add(b"part1/file1.txt", texts[8].as_bytes());
        std::fs::rename(world.root().join("part2/file2.txt"), world.root().join("part3/moved.txt")).unwrap();
        std::fs::remove_file(world.root().join("part4/file4.txt")).unwrap();
        check(&world, &grams, &format!("{manner:?}, after edits"));
        let lost = grams.status(&Options::default()).lost;
        assert_eq!(lost.is_some(), manner == Manner::Away, "{manner:?}: {lost:?}");
    }
}

#[test]
fn what_others_know_is_not_read() {
    let world = World::new(&[]);
    let texts = texts();
    for (number, text) in texts.iter().enumerate() {
        world.add(format!("file{number}.txt").as_bytes(), text.as_bytes());
    }
    std::thread::sleep(Duration::from_millis(80));
    let others = Others::of(&texts);
    let grams = Grams::new(world.workspace.clone(), None).sharing(others.clone());
    grams.ready(&Options::default());
    let status = grams.status(&Options::default());
    assert_eq!((status.files, status.shared, status.waiting), (60, 60, 0));
    let pattern =
        Pattern::read("own17", toolpost_grams::Letters::AsWritten, toolpost_grams::Reach::Line).unwrap();
    let sieve = toolpost_grams::Sieve {
        base: world.workspace.resolve(".").unwrap(),
        judge: None,
        may_read: None,
        name: String::new(),
    };
    let list = grams.shortlist(&pattern, &Options::default(), sieve, &|| false).unwrap();
    let named: HashSet<Vec<u8>> = list.files.iter().map(toolpost_grams::Listed::relative).collect();
    assert_eq!((named, list.without), (HashSet::from([b"file17.txt".to_vec()]), 59));
}
