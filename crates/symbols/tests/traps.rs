//! Tests on the corpus of traps (small programs that are hard to resolve) that proved answers are right, and
//! that all missed calls are in the list of known ones.

use crate::expected;
use toolpost_test_rows::each;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use expected::{Call, Definition, Outside, Trap, traps};
use toolpost_symbols::{Certainty, Index, Resolution};
use toolpost_workspace::{Options, Workspace};

/// A language, the minimum number of calls inside a program that are resolved, and the maximum number of
/// wrong answers that are not marked as proved.
const ROWS: [Row; 11] = [
    ("python", 178, 12),
    ("typescript", 168, 5),
    ("javascript", 46, 4),
    ("rust", 119, 4),
    ("go", 99, 3),
    ("c", 45, 3),
    ("cpp", 77, 1),
    ("java", 102, 4),
    ("php", 1, 0),
    ("ruby", 1, 0),
    ("csharp", 4, 0),
];

/// A language and two counts.
type Row = (&'static str, usize, usize);

/// The outcome for a language.
#[derive(Default)]
struct Outcome {
    found: usize,
    /// Calls of a symbol of the same program that are not resolved.
    missed: Vec<String>,
    /// The number of calls with a wrong answer that is not marked as proved.
    doubtful: usize,
    /// Calls with a wrong answer that is marked as proved.
    wrong: Vec<String>,
}

#[test]
fn proved_answers_are_right_and_missed_calls_are_listed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traps");
    let (mut rows, mut odd) = (Vec::new(), Vec::new());
    each(ROWS, |(language, ..)| {
        let mut outcome = Outcome::default();
        for trap in traps(&corpus, language) {
            assert_eq!(trap.faults, Vec::<String>::new());
            compare(&corpus, &trap, &mut outcome);
        }
        rows.push((language, outcome.found, outcome.doubtful));
        odd.extend(unlisted(&corpus.join(language).join("wrong.txt"), "proved, and not so", &outcome.wrong));
        odd.extend(unlisted(&corpus.join(language).join("misses.txt"), "not found", &outcome.missed));
    });
    assert_eq!(odd, Vec::<String>::new(), "{rows:?}");
    let worse = |(row, known): &(&Row, &Row)| row.1 < known.1 || row.2 > known.2;
    let worse: Vec<_> = rows.iter().zip(&ROWS).filter(worse).collect();
    assert_eq!(worse, Vec::new(), "resolved calls and doubtful answers: now, and the limits in `ROWS`");
}

/// Compares the listed misses with the actual ones; `TOOLPOST_WRITE_MISSES` writes the list instead.
fn unlisted(list: &Path, what: &str, found: &[String]) -> Vec<String> {
    let text: String = found.iter().map(|line| format!("{line}\n")).collect();
    if std::env::var_os("TOOLPOST_WRITE_MISSES").is_some() && (!text.is_empty() || list.exists()) {
        fs::write(list, &text).unwrap();
    }
    let listed = fs::read_to_string(list).unwrap_or_default();
    let new = found.iter().filter(|line| !listed.lines().any(|known| known == *line));
    let gone = listed.lines().filter(|line| !found.iter().any(|one| one == line));
    let gone = gone.map(|line| format!("{line}: no longer {what}; take it out of the list"));
    new.map(|line| format!("{line}: {what}")).chain(gone).collect()
}

fn compare(corpus: &Path, trap: &Trap, outcome: &mut Outcome) {
    let options = Options { roots: vec![corpus.join(&trap.name)], ..Options::default() };
    let index = Index::new(Workspace::open(options).unwrap().0, None);
    let graph = index.graph(&|| false).unwrap();
    let mut answers: BTreeMap<(String, usize), Vec<(Definition, Certainty)>> = BTreeMap::new();
    for site in graph.sites() {
        let Resolution::Targets(targets) = site.found else { continue };
        let target = |target: &toolpost_symbols::Target| {
            let path = graph.file(target.at.file).path.to_string();
            ((path, graph.symbol(target.at).at.0 as usize), target.sure)
        };
        answers.insert((site.path, site.at.start), targets.iter().map(target).collect());
    }
    for (place, call) in &trap.calls {
        judge(&trap.name, call, answers.get(place).map_or(&[], Vec::as_slice), outcome);
    }
}

fn judge(trap: &str, call: &Call, answers: &[(Definition, Certainty)], outcome: &mut Outcome) {
    let wanted = if call.right.is_empty() { &call.possible } else { &call.right };
    if answers.iter().any(|(target, _)| wanted.contains(target)) {
        outcome.found += 1;
    } else if !wanted.is_empty() && call.outside == Outside::No {
        outcome.missed.push(format!("{trap}/{}", call.label));
    }
    let allowed = |(target, sure): &&(Definition, Certainty)| {
        call.right.contains(target) || (*sure != Certainty::Proved && call.possible.contains(target))
    };
    let wrong: Vec<_> = answers.iter().filter(|one| !allowed(one)).collect();
    match wrong.iter().find(|(_, sure)| *sure == Certainty::Proved) {
        Some(_) => outcome.wrong.push(format!("{trap}/{}", call.label)),
        None => outcome.doubtful += usize::from(!wrong.is_empty()),
    }
}
