//! The built-in static embedding model: each token has a vector, and the vector of a text is the weighted sum of the
//! vectors of its tokens.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use toolpost_workspace::hash;

use crate::embed::{EmbedError, Embedder, Pieces, TextRole, Vector};

/// The data of the built-in model; empty, because this build has none.
#[cfg(not(feature = "meaning"))]
static EMBEDDED: &[u8] = b"";
/// The data of the built-in model, as `tools/embedder` wrote it.
#[cfg(feature = "meaning")]
static EMBEDDED: &[u8] = include_bytes!("../../model/code.bin");
/// The first bytes of a model file.
const MARK: &[u8; 8] = b"tp-emb-1";
/// The preferred number of texts per call of [`Embedder::embed`].
const BATCH: usize = 64;

/// A static embedding model in the format of `tools/embedder`.
pub struct Static {
    name: String,
    pieces: Pieces,
    shape: Shape,
    /// The factor of each token's vector: first for queries, then for code.
    scales: [Vec<f32>; 2],
    /// The vectors of all tokens one after the other, one byte per dimension.
    rows: &'static [u8],
}

/// The sizes of an embedding model, and the parameters that weight the tokens of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shape {
    rows: usize,
    dims: usize,
    /// The maximum number of tokens that are used of a query, and of a block of code.
    most: [usize; 2],
    /// The position in a block of code, in tokens, at which a token has half the weight of the first token.
    half: f32,
    /// The exponent that reduces the weight of a token which occurs several times in a block of code.
    power: f32,
}

/// The reason why the built-in embedding model is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingModelError {
    /// The data of the built-in model is invalid: the text names the part that is missing or truncated.
    #[error(
        "the built-in model cannot be used: its data is damaged ({0}): rebuild from a complete source tree"
    )]
    Damaged(&'static str),
    /// The program was built without the built-in model.
    #[error(
        "the built-in model cannot be used: this program was built without the feature `meaning`: rebuild \
         it with that feature"
    )]
    NotBuilt,
}

impl Static {
    /// Returns the built-in model, which is parsed at the first call.
    ///
    /// # Errors
    /// If the built-in data is not a model, or the program was built without it.
    pub fn embedded() -> Result<Arc<Self>, EmbeddingModelError> {
        if !cfg!(feature = "meaning") {
            return Err(EmbeddingModelError::NotBuilt);
        }
        static MODEL: OnceLock<Result<Arc<Static>, EmbeddingModelError>> = OnceLock::new();
        MODEL.get_or_init(|| Self::read(EMBEDDED).map(Arc::new)).clone()
    }

    fn read(bytes: &'static [u8]) -> Result<Self, EmbeddingModelError> {
        let mut rest =
            bytes.strip_prefix(MARK).ok_or(EmbeddingModelError::Damaged("the header is missing"))?;
        let shape = shape(&mut rest).ok_or(EmbeddingModelError::Damaged("the sizes are truncated"))?;
        let mut tokens = Vec::with_capacity(shape.rows);
        for _ in 0..shape.rows {
            let (length, behind) =
                rest.split_first().ok_or(EmbeddingModelError::Damaged("the token table is truncated"))?;
            let (token, behind) = behind
                .split_at_checked(usize::from(*length))
                .ok_or(EmbeddingModelError::Damaged("the token table is truncated"))?;
            tokens.push(token);
            rest = behind;
        }
        let mut scales = || {
            numbers(&mut rest, shape.rows).ok_or(EmbeddingModelError::Damaged("the weights are truncated"))
        };
        let scales = [scales()?, scales()?];
        if rest.len() != shape.rows * shape.dims {
            return Err(EmbeddingModelError::Damaged(
                "the number of embeddings differs from the number of tokens",
            ));
        }
        let name = format!("static-{}", &hash(bytes).to_hex()[..16]);
        Ok(Self { name, pieces: Pieces::new(tokens.into_iter()), shape, scales, rows: rest })
    }

    /// Returns the numbers of the first tokens of a text, up to the model's limit for queries or for code.
    #[must_use]
    pub fn tokens(&self, side: TextRole, text: &str) -> Vec<u32> {
        self.pieces.of_text(text, self.shape.most[side as usize])
    }

    /// Computes the embedding of a text.
    #[must_use]
    pub fn vector(&self, side: TextRole, text: &str) -> Vector {
        let shape = self.shape;
        let tokens = self.tokens(side, text);
        let mut weights: HashMap<u32, f32> = HashMap::with_capacity(tokens.len());
        for (at, token) in tokens.iter().enumerate() {
            *weights.entry(*token).or_default() += match side {
                TextRole::Question => 1.0,
                TextRole::Code => 1.0 / (1.0 + at as f32 / shape.half),
            };
        }
        let mut weights: Vec<(u32, f32)> = weights.into_iter().collect();
        // The tokens are sorted, so that the same text always has exactly the same vector.
        weights.sort_unstable_by_key(|(token, _)| *token);
        let mut sum = vec![0.0_f32; shape.dims];
        for (token, weight) in weights {
            let at = token as usize;
            let weight = match side {
                TextRole::Question => weight,
                TextRole::Code => weight.powf(shape.power),
            };
            let worth = weight * self.scales[side as usize].get(at).copied().unwrap_or_default();
            let row = self.rows.get(at * shape.dims..(at + 1) * shape.dims).unwrap_or_default();
            for (sum, part) in sum.iter_mut().zip(row) {
                *sum += worth * f32::from(part.cast_signed());
            }
        }
        Vector::of(&sum)
    }
}

impl Embedder for Static {
    fn name(&self) -> &str {
        &self.name
    }

    fn shown(&self) -> String {
        "the built-in model".to_owned()
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(
        &self,
        side: TextRole,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, EmbedError> {
        let one = |text: &&str| {
            if stop() { Err(EmbedError::Stopped) } else { Ok(self.vector(side, text)) }
        };
        texts.iter().map(one).collect()
    }
}

fn shape(rest: &mut &[u8]) -> Option<Shape> {
    let mut count = || Some(u32::from_le_bytes(*take(rest)?) as usize);
    let (rows, dims, question, code) = (count()?, count()?, count()?, count()?);
    let [half, power] = numbers(rest, 2)?.try_into().ok()?;
    Some(Shape { rows, dims, most: [question, code], half, power })
}

fn numbers(rest: &mut &[u8], count: usize) -> Option<Vec<f32>> {
    (0..count).map(|_| Some(f32::from_le_bytes(*take(rest)?))).collect()
}

fn take<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8; 4]> {
    let (four, behind) = rest.split_first_chunk::<4>()?;
    *rest = behind;
    Some(four)
}
