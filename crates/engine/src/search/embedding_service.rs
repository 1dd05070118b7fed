//! Embeddings from a service that the operator configured.

use toolpost_index::embed::{Embedder, Side, Unembedded, Vector};
use toolpost_net::{Embeddings, EmbeddingsError, PostError};

/// The maximum number of texts in one request.
const BATCH: usize = 64;
/// The maximum size of a text that is sent, in bytes: services refuse texts longer than their model can read.
const LONGEST: usize = 6_000;

/// A service that computes embeddings.
#[derive(Debug)]
pub struct Service {
    embeddings: Embeddings,
    name: String,
}

impl Service {
    /// Creates the embedder of a configured service.
    #[must_use]
    pub fn new(embeddings: Embeddings) -> Self {
        let name = format!("service-{}-{}", embeddings.place(), embeddings.model());
        Self { embeddings, name }
    }
}

impl Embedder for Service {
    fn name(&self) -> &str {
        &self.name
    }

    fn shown(&self) -> String {
        format!("the model {}", self.embeddings.model())
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(
        &self,
        _side: Side,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, Unembedded> {
        let texts: Vec<&str> = texts.iter().map(|text| &text[..text.floor_char_boundary(LONGEST)]).collect();
        match self.embeddings.ask(&texts, &stop) {
            Ok(vectors) => Ok(vectors.iter().map(|vector| Vector::of(vector)).collect()),
            Err(EmbeddingsError::Post(PostError::Stopped { .. })) => Err(Unembedded::Stopped),
            Err(fault) => {
                let next = "the operator configures the service by embedding and embedding_model; without them the embedded \
                            model is used";
                Err(Unembedded::Model { what: fault.to_string(), next: next.to_owned() })
            }
        }
    }
}
