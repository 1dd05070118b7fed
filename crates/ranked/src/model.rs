//! Tests that compare the keyword index with a simple model of it: plain lists of words in memory.
//!
//! The index must return the same results as the model.
#![expect(clippy::disallowed_methods, reason = "tests create their own files")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use toolpost_index_lifecycle::FileSignature;
use toolpost_syntax::Language;
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Options, Workspace, WorkspacePath, hash};

use crate::derived_files::origin;
use crate::find::Question;
use crate::grammar::parse;
use crate::index::Index;
use crate::index_access::{Term, Words};
use crate::paths::way;
use crate::record::{PLACES, Record, TokenOccurrence, make, spots};
use crate::segment::Meta;
use crate::table::File;
use crate::test_files::is_test;
use crate::{SearchCriterion, SearchRequest, Tests};

/// The reference model: all files with their index records.
#[derive(Default)]
struct Model {
    files: Vec<(File, Record)>,
    /// The distinct tokens of file contents and of paths, in order.
    texts: Vec<String>,
}

impl Model {
    /// Builds the model from the files of a workspace.
    fn of(workspace: &Workspace, names: &BTreeSet<String>) -> Self {
        let mut model = Self::default();
        let mut texts = BTreeSet::new();
        for name in names {
            let path = workspace.resolve(name).unwrap();
            let read = workspace.read(&path, 1 << 20).unwrap();
            let stat = FileStat { kind: Kind::File, len: 0, modified: 0, touched: 0, inode: 0, links: 1 };
            let text = String::from_utf8(read.bytes).unwrap();
            let record = make(Language::of_text(Path::new(name), &text), &text, 0);
            assert!(record.is_sound());
            texts.extend(record.terms.iter().cloned());
            way(name, |token, _| {
                texts.insert(token.to_owned());
            });
            let file = File {
                shown: name.as_str().into(),
                hash: hash(text.as_bytes()),
                language: record.language.as_str().into(),
                blocks: record.blocks.len() as u32,
                cut: record.cut,
                parted: record.marks.iter().any(|mark| mark.goes_on),
                sign: FileSignature::new(stat, 0),
                test: is_test(name),
                origin: origin(name),
                path,
                at: (0, 0),
            };
            model.files.push((file, record));
        }
        model.texts = texts.into_iter().collect();
        model
    }

    /// Returns the results that the model finds for a query: path, first line and score of each block, in order.
    fn found(&self, query: &str) -> Vec<(String, u32, u64)> {
        let node = parse(query).unwrap().node;
        let found = Question { words: self, within: &|_| true }.find(&node).unwrap();
        let shown = |(file, at): (u32, u32), score: f64| {
            let (file, record) = &self.files[file as usize];
            (file.shown.to_string(), record.blocks[at as usize].first, score.to_bits())
        };
        let mut out: Vec<_> = found.iter().map(|found| shown(found.block, found.score)).collect();
        out.sort_by(|one, other| {
            let by_score = f64::from_bits(other.2).total_cmp(&f64::from_bits(one.2));
            by_score.then_with(|| (&one.0, one.1).cmp(&(&other.0, other.1)))
        });
        out
    }
}

impl Words for Model {
    fn find(&self, token: &str) -> Option<Term> {
        self.texts.iter().position(|text| text == token).map(|at| at as Term)
    }

    fn fitting(&self, begin: &str, fits: &(dyn Fn(&str) -> bool + Sync), most: usize) -> Vec<Term> {
        let all = (0..).zip(&self.texts).filter(|(_, text)| text.starts_with(begin) && fits(text));
        all.map(|(term, _)| term).take(most).collect()
    }

    fn holders(&self, term: Term) -> Vec<u32> {
        let holds = |record: &Record| record.terms.contains(&self.texts[term as usize]);
        (0..).zip(&self.files).filter(|(_, (_, record))| holds(record)).map(|(number, _)| number).collect()
    }

    fn spots(&self, term: Term, within: Option<&[u32]>, take: &mut dyn FnMut(u32, TokenOccurrence)) {
        for number in self.holders(term) {
            if within.is_some_and(|within| !within.contains(&number)) {
                continue;
            }
            let record = &self.files[number as usize].1;
            let at = record.terms.binary_search(&self.texts[term as usize]).unwrap();
            let from = at.checked_sub(1).map_or(0, |before| record.ends[before] as usize);
            spots(&record.entries[from..record.ends[at] as usize], |spot| take(number, spot));
        }
    }

    fn on_paths(&self, term: Term, take: &mut dyn FnMut(u32, u32)) {
        for (number, (file, _)) in (0..).zip(&self.files) {
            way(&file.shown, |token, position| {
                if token == self.texts[term as usize] {
                    take(number, position);
                }
            });
        }
    }

    fn files(&self) -> Box<dyn Iterator<Item = (u32, &File)> + '_> {
        Box::new((0..).zip(self.files.iter().map(|(file, _)| file)))
    }

    fn file(&self, number: u32) -> Option<&File> {
        self.files.get(number as usize).map(|(file, _)| file)
    }

    fn meta(&self, number: u32) -> Option<Arc<Meta>> {
        let record = &self.files.get(number as usize)?.1;
        Some(Arc::new(Meta::of(&record.blocks, &record.marks, &record.lengths)))
    }

    fn totals(&self) -> (u64, [u64; PLACES]) {
        let mut lengths = [0; PLACES];
        let records = self.files.iter().map(|(_, record)| record);
        for own in records.clone().flat_map(|record| &record.lengths) {
            lengths.iter_mut().zip(own).for_each(|(all, own)| *all += u64::from(*own));
        }
        (records.map(|record| record.blocks.len() as u64).sum(), lengths)
    }
}

/// Returns the results that an index finds for a query: path, first line and score of each block, in order.
fn search_results(index: &Index, workspace: &Workspace, query: &str) -> Vec<(String, u32, u64)> {
    let (node, base) = (parse(query).unwrap().node, workspace.resolve(".").unwrap());
    for _ in 0..4 {
        let lent = index.lend(&|| false).unwrap();
        let may = |_: &WorkspacePath| true;
        let ask = SearchRequest {
            what: SearchCriterion::Query(&node),
            base: &base,
            tests: Tests::Searched,
            may: &may,
            after: None,
        };
        match lent.search(&ask) {
            Ok(found) => {
                let hits = found.hits.into_iter();
                return hits.map(|hit| (hit.key.path, hit.key.first, hit.key.score.to_bits())).collect();
            }
            Err(_) => index.doubt(),
        }
    }
    panic!("the search for {query} failed at each attempt");
}

const LINES: [&str; 12] = [
    "fn alphaBeta(x: u8) -> Gamma {",
    "}",
    "struct Gamma { alpha: u8 }",
    "// words on the betas of alpha",
    "let user_name = username;",
    "",
    "impl Gamma { fn beta(&self) {} }",
    "mod tests { fn check() { alpha(); } }",
    "HTTPServer2 of_many_parts",
    "délta Éclair",
    "alpha alpha alpha beta",
    "0x1f 42 v2beta",
];
const QUERIES: [&str; 18] = [
    "alpha",
    "alphaBeta",
    "username",
    "user_name",
    "gamma beta",
    "NOT alpha",
    "alpha AND NOT beta",
    "al*",
    "*eta",
    "?lpha~1",
    "alhpa~2",
    "\"alpha alpha\"",
    "name:gamma OR words",
    "type:function AND beta",
    "ext:py beta",
    "f1",
    "src/f2 alpha^3",
    "comments:beta éclair",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 40,
        failure_persistence: Some(Box::new(proptest::test_runner::FileFailurePersistence::Direct("proptest-regressions/ranked_model.txt"))),
        ..proptest::prelude::ProptestConfig::default()
    })]

    /// After any sequence of changes, restarts and use by other processes, the index and the model return the same
    /// results in the same order with the same scores.
    #[test]
    fn index_matches_an_in_memory_model(
        steps in proptest::collection::vec(
            (0_usize..7, proptest::collection::vec(0_usize..12, 0..10), 0_usize..9, 0_usize..18), 1..40)
    ) {
        let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = Options { roots: vec![root.path().to_owned()], ..Options::default() };
        let workspace = Workspace::open(options).unwrap().0;
        let open = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
        let (mut index, other) = (open(), open());
        let mut names: BTreeSet<String> = BTreeSet::new();
        for (file, lines, sort, query) in steps {
            let ends = ["rs", "py", "md"];
            let name = format!("src/f{file}.{}", ends[file % 3]);
            let path = root.path().join(&name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            match sort {
                0 if names.remove(&name) => std::fs::remove_file(&path).unwrap(),
                1 if names.remove(&name) => {
                    let moved = format!("moved{file}.rs");
                    std::fs::rename(&path, root.path().join(&moved)).unwrap();
                    names.insert(moved);
                }
                2 => {
                    drop(index);
                    index = open();
                }
                3 => {
                    let wanted = Model::of(&workspace, &names).found(QUERIES[query]);
                    proptest::prop_assert_eq!(search_results(&other, &workspace, QUERIES[query]), wanted);
                }
                _ => {
                    let text: Vec<&str> = lines.iter().map(|line| LINES[*line]).collect();
                    std::fs::write(&path, text.join("\n")).unwrap();
                    names.insert(name);
                }
            }
            let model = Model::of(&workspace, &names);
            for query in [QUERIES[query], "alpha"] {
                proptest::prop_assert_eq!(search_results(&index, &workspace, query), model.found(query), "{}", query);
            }
        }
        drop(index);
        let (index, model) = (open(), Model::of(&workspace, &names));
        for query in QUERIES {
            proptest::prop_assert_eq!(search_results(&index, &workspace, query), model.found(query), "{}", query);
        }
    }
}

/// Writes many small files, and builds an index of them with several segments on disk.
fn index_on_disk(root: &Path, cache: &Path) -> (Workspace, BTreeSet<String>) {
    let options = Options { roots: vec![root.to_owned()], ..Options::default() };
    let workspace = Workspace::open(options).unwrap().0;
    let mut names = BTreeSet::new();
    for round in 0..4 {
        for number in 0..30 {
            let name = format!("f{round}_{number}.rs");
            let text = format!("fn alpha{number}() {{ beta(); }}\n\nfn gamma{round}() {{}}\n");
            std::fs::write(root.join(&name), text).unwrap();
            names.insert(name);
        }
        let index = Index::new(workspace.clone()).kept_in(Some(cache.to_owned()));
        assert_eq!(search_results(&index, &workspace, "beta").len(), (round + 1) * 30);
    }
    (workspace, names)
}

/// Returns the segment files in a cache directory, with their bytes.
fn blobs(cache: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let folder = cache.read_dir().unwrap().next().unwrap().unwrap().path();
    let all = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let segments = all.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("words-"));
    segments.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn damaged_segments_do_not_change_search_results() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (workspace, names) = index_on_disk(root.path(), cache.path());
    let model = Model::of(&workspace, &names);
    let open = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
    let segments = blobs(cache.path());
    assert_eq!(segments.len(), 4);
    let (path, bytes) = segments.iter().max_by_key(|(_, bytes)| bytes.len()).unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 60) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(path, &damaged).unwrap();
        let index = open();
        for query in ["beta", "alpha7", "gam*", "NOT gamma1", "alhpa3~2"] {
            assert_eq!(search_results(&index, &workspace, query), model.found(query), "byte {at}: {query}");
        }
    }
    std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(search_results(&open(), &workspace, "beta"), model.found("beta"));
}

#[test]
fn stored_segments_are_reused_and_stay_readable_when_deleted() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (workspace, names) = index_on_disk(root.path(), cache.path());
    let open = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
    // An index that has segments open can read them after another process has merged and removed them.
    let old = open();
    assert_eq!(search_results(&old, &workspace, "beta").len(), 120);
    let before = blobs(cache.path());
    let index = open();
    assert_eq!(search_results(&index, &workspace, "beta").len(), 120);
    drop(index);
    assert_eq!(blobs(cache.path()), before);
    for path in before.keys() {
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(search_results(&old, &workspace, "alpha3"), Model::of(&workspace, &names).found("alpha3"));
    assert_eq!(search_results(&open(), &workspace, "alpha3"), Model::of(&workspace, &names).found("alpha3"));
}
