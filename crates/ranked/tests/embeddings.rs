//! Tests that embeddings are computed once for each file content and stored on disk, and that files without embeddings
//! are counted.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolpost_test_rows::each;

use toolpost_ranked::embed::{EmbedError, Embedder, TextRole, Vector};
use toolpost_ranked::{EmbeddingIndex, FillError, FillReport, Fusion, Index, SemanticQuery, SemanticResult};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// A model of two dimensions: the counts of `sun` and of `rain` in a text; it counts the texts that it received.
#[derive(Default)]
struct Weather {
    embedded_texts: AtomicUsize,
    fails: bool,
}

impl Embedder for Weather {
    fn name(&self) -> &'static str {
        "weather"
    }

    fn shown(&self) -> String {
        "the weather".to_owned()
    }

    fn batch(&self) -> usize {
        2
    }

    fn embed(
        &self,
        _: TextRole,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, EmbedError> {
        if self.fails {
            return Err(EmbedError::Model { what: "it rains".to_owned(), next: "wait".to_owned() });
        }
        if stop() {
            return Err(EmbedError::Stopped);
        }
        self.embedded_texts.fetch_add(texts.len(), Ordering::Relaxed);
        let count = |text: &str, word: &str| text.matches(word).count() as f32;
        Ok(texts.iter().map(|text| Vector::of(&[count(text, "sun"), count(text, "rain")])).collect())
    }
}

struct World {
    workspace: Workspace,
    index: Index,
    root: WorkspacePath,
    model: Arc<Weather>,
    meaning: EmbeddingIndex,
}

fn world(root: &Path, cache: &Path, fails: bool) -> World {
    let options = Options { roots: vec![root.canonicalize().unwrap()], ..Options::default() };
    let (workspace, _) = Workspace::open(options).unwrap();
    let base = workspace.resolve(".").unwrap();
    let index = Index::new(workspace.clone()).kept_in(Some(cache.to_owned()));
    let model = Arc::new(Weather { fails, ..Weather::default() });
    let meaning = EmbeddingIndex::new(model.clone(), index.folder());
    World { workspace, index, root: base, model, meaning }
}

impl World {
    fn fill(&self) -> Result<FillReport, FillError> {
        self.meaning.fill(&self.index, std::slice::from_ref(&self.root), &|_| true, &|| false)
    }

    fn ask(&self, question: &str, may: &dyn Fn(&WorkspacePath) -> bool) -> SemanticResult {
        let vector = self.model.embed(TextRole::Question, &[question], &|| false).unwrap().remove(0);
        self.model.embedded_texts.fetch_sub(1, Ordering::Relaxed);
        let bases = std::slice::from_ref(&self.root);
        let meant = SemanticQuery { question, vector: &vector, bases, may, most: 10, fusion: Fusion::BEST };
        self.index.lend(&|| false).unwrap().search_meaning(&self.meaning, &meant)
    }

    fn embedded_texts(&self) -> usize {
        self.model.embedded_texts.load(Ordering::Relaxed)
    }
}

fn places(found: &SemanticResult) -> Vec<String> {
    found.hits.iter().map(|(hit, reason)| format!("{} {:?}", hit.key.path, reason.words)).collect()
}

#[test]
fn vectors_are_computed_once_and_stored() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let put = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
    put("a.txt", "sun sun\n");
    put("b.txt", "rain\n");
    put("c.txt", "sun sun\n");
    let one = world(root.path(), cache.path(), false);
    // Before any embedding exists, only keywords are used, and the files without embeddings are counted.
    let before = one.ask("rain", &|_| true);
    assert_eq!(
        (before.without, before.searched, places(&before)),
        (3, 3, vec!["b.txt [\"rain\"]".to_owned()])
    );
    assert_eq!(one.fill().unwrap(), FillReport { missing: 0, files: 3 });
    // Two of the three files are identical.
    assert_eq!(one.embedded_texts(), 2);
    let found = one.ask("sun", &|_| true);
    assert_eq!(found.without, 0);
    assert_eq!(places(&found), ["a.txt [\"sun\"]", "c.txt [\"sun\"]"]);
    put("b.txt", "sun\n");
    assert_eq!(one.fill().unwrap(), FillReport { missing: 0, files: 3 });
    assert_eq!(one.embedded_texts(), 3);
    let withheld = one.ask("sun", &|path| path.file_name().is_none_or(|name| name != "a.txt"));
    assert_eq!((withheld.withheld, withheld.searched), (1, 2));
    assert!(places(&withheld).iter().all(|place| !place.starts_with("a.txt")));
    drop(one);
    let other = world(root.path(), cache.path(), false);
    assert_eq!(other.fill().unwrap(), FillReport { missing: 0, files: 3 });
    assert_eq!(other.embedded_texts(), 0);
    assert_eq!(other.ask("sun", &|_| true).hits.len(), 3);
}

/// Lock files and other generated data come last, and only if no other block contains a word of the question; copies of
/// other packages come after the project's own code.
#[test]
fn generated_files_never_displace_or_pad_other_results() {
    let names = [
        "Cargo.lock",
        "package-lock.json",
        "web/yarn.lock",
        "go.sum",
        "uv.lock",
        "app.min.js",
        "app.js.map",
        "a/b.test.ts.snap",
    ];
    each(names, |name| {
        let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(name, "sun sun sun cloud rain\n");
        let world = world(root.path(), cache.path(), false);
        let found = |question: &str| {
            world.fill().unwrap();
            places(&world.ask(question, &|_| true))
        };
        // There is nothing else.
        assert_eq!(found("sun").len(), 1, "{name}");
        put("a.txt", "rain\nsun\n");
        put("vendor/b.txt", "sun sun rain\n");
        let best = found("sun");
        assert!(best[0].starts_with("a.txt ") && best[1].starts_with("vendor/b.txt "), "{name}: {best:?}");
        assert_eq!(best.len(), 2, "{name}: {best:?}");
        // No other block contains the word.
        let last = found("cloud");
        assert!(last.last().is_some_and(|last| last.starts_with(name)), "{name}: {last:?}");
        // A query for the file itself.
        let bases = [world.workspace.resolve(name).unwrap()];
        let vector = world.model.embed(TextRole::Question, &["sun"], &|| false).unwrap().remove(0);
        let meant = SemanticQuery {
            question: "sun",
            vector: &vector,
            bases: &bases,
            may: &|_| true,
            most: 10,
            fusion: Fusion::BEST,
        };
        let own = world.index.lend(&|| false).unwrap().search_meaning(&world.meaning, &meant);
        assert_eq!(own.hits.len(), 1, "{name}");
    });
}

#[test]
fn missing_vectors_are_counted_and_model_errors_reported() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(root.path().join("a.txt"), "sun\n").unwrap();
    let world_of = |fails| world(root.path(), cache.path(), fails);
    let stopped = world_of(false);
    drop(stopped.index.lend(&|| false).unwrap());
    let calls = AtomicUsize::new(0);
    // The computation is stopped as soon as the files are known.
    let soon = || calls.fetch_add(1, Ordering::Relaxed) > 0;
    let filled = stopped.meaning.fill(&stopped.index, std::slice::from_ref(&stopped.root), &|_| true, &soon);
    assert!(
        matches!(filled, Ok(FillReport { missing: 1, files: 1 }) | Err(FillError::Files(_))),
        "{filled:?}"
    );
    assert_eq!(stopped.ask("sun", &|_| true).without, 1);
    let failing = world_of(true).fill();
    let fault = EmbedError::Model { what: "it rains".to_owned(), next: "wait".to_owned() };
    assert_eq!(failing, Err(FillError::Model(fault)));
}
