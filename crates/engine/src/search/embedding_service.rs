//! Embeddings from a remote service that the operator configured.

use toolpost_net::{Embeddings, EmbeddingsError, PostError};
use toolpost_ranked::embed::{EmbedError, Embedder, TextRole, Vector};

/// The maximum number of texts in one request to an embedding service.
const BATCH: usize = 64;
/// The maximum size of a text that is sent, in bytes; services refuse texts that exceed the model's limit.
const LONGEST: usize = 6_000;

/// A remote service that computes embeddings.
#[derive(Debug)]
pub struct Service {
    embeddings: Embeddings,
    name: String,
}

impl Service {
    /// Creates an embedder that uses the configured service.
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
        _side: TextRole,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, EmbedError> {
        let texts: Vec<&str> = texts.iter().map(|text| &text[..text.floor_char_boundary(LONGEST)]).collect();
        match self.embeddings.ask(&texts, &stop) {
            Ok(vectors) => Ok(vectors.iter().map(|vector| Vector::of(vector)).collect()),
            Err(EmbeddingsError::Post(PostError::Stopped { .. })) => Err(EmbedError::Stopped),
            Err(fault) => {
                let next = "the operator configures the service with the settings `embedding` and `embedding_model`; \
                            without them the built-in model is used";
                Err(EmbedError::Model { what: fault.to_string(), next: next.to_owned() })
            }
        }
    }
}
