//! Tests of semantic searches while embeddings are computed in the background.

use crate::common;

use common::World;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use toolpost_engine::{
    Engine, Fresh,
    operations::semantic::{Request, Semantic},
};
use toolpost_ranked::embed::{EmbedError, Embedder, TextRole, Vector};
use toolpost_workspace::{Options, Workspace};

/// A model that takes time for each text, one text at a time.
#[derive(Default)]
struct Slow {
    turn: Mutex<()>,
    /// The number of texts whose embeddings a search computed itself.
    by_search: AtomicUsize,
}

impl Embedder for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn shown(&self) -> String {
        "a slow model".to_owned()
    }

    fn batch(&self) -> usize {
        1
    }

    fn embed(
        &self,
        role: TextRole,
        texts: &[&str],
        _: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, EmbedError> {
        if role == TextRole::Code {
            let _turn = self.turn.lock().unwrap();
            std::thread::sleep(Duration::from_millis(10));
            let is_background = std::thread::current().name().is_none_or(|name| name == "vectors");
            self.by_search.fetch_add(usize::from(!is_background), Ordering::Relaxed);
        }
        Ok(texts.iter().map(|_| Vector::of(&[1.0])).collect())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn search_computes_embeddings_during_background_indexing() {
    let mut world = World::new(&[]);
    for number in 0..300 {
        world.put(&format!("f{number}.py"), format!("def f{number}():\n    return {number}\n"));
    }
    let options = Options { roots: vec![world.at("")], ..Options::default() };
    let model = Arc::new(Slow::default());
    world.engine = Engine::builder(Workspace::open(options).unwrap().0)
        .with_embedder(Some(model.clone()))
        .with_index_wait(Duration::from_secs(1))
        .build();
    let mut computed = Vec::new();
    for _ in 0..2 {
        let request = Request {
            bases: vec![world.engine.resolve(".").unwrap()],
            query: "return a number".to_owned(),
            limit: 5,
            tokens: 1_000,
            each: 1_000,
            max_bytes: 10_000,
        };
        let found = world.run::<Semantic>(request, world.cx(Fresh::NOT_ASKED)).await.unwrap();
        assert!(found.without > 0, "the first search must leave work to the background");
        computed.push(model.by_search.load(Ordering::Relaxed));
    }
    assert!(computed[0] > 0 && computed[1] > computed[0], "{computed:?}");
}
