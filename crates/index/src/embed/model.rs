//! A static model: each token has a vector, and the vector of a text is the sum of those of its tokens.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use toolpost_workspace::hash;

use crate::embed::{Embedder, Pieces, Side, Unembedded, Vector};

/// The embedded model, as `tools/embedder` wrote it; empty in a build without it.
#[cfg(not(feature = "meaning"))]
static EMBEDDED: &[u8] = b"";
/// The embedded model, as `tools/embedder` wrote it.
#[cfg(feature = "meaning")]
static EMBEDDED: &[u8] = include_bytes!("../../model/code.bin");
/// The first bytes of a model file.
const MARK: &[u8; 8] = b"tp-emb-1";
/// The number of texts between two checks whether to stop.
const BATCH: usize = 64;

/// A static model.
pub struct Static {
    name: String,
    pieces: Pieces,
    shape: Shape,
    /// The quantization step of each token's vector, for queries and for code.
    scales: [Vec<f32>; 2],
    /// The vectors, one after the other, a byte a dimension.
    rows: &'static [u8],
}

/// The sizes of a model, and how its tokens count.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shape {
    rows: usize,
    dims: usize,
    /// The maximum number of tokens of a query and of code.
    most: [usize; 2],
    /// The number of code tokens after which the weight of a token is halved.
    half: f32,
    /// To which power that is taken which the places of one token add up to.
    power: f32,
}

/// The reason for which a model is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the embedded model is damaged: {0}; build the program anew from a whole source tree")]
pub struct BadModel(&'static str);

impl Static {
    /// Returns the embedded model; it is unpacked once.
    ///
    /// # Errors
    /// If the built-in data is not a model.
    pub fn embedded() -> Result<Arc<Self>, BadModel> {
        if !cfg!(feature = "meaning") {
            return Err(BadModel("this program was built without the feature `meaning`"));
        }
        static MODEL: OnceLock<Result<Arc<Static>, BadModel>> = OnceLock::new();
        MODEL.get_or_init(|| Self::read(EMBEDDED).map(Arc::new)).clone()
    }

    fn read(bytes: &'static [u8]) -> Result<Self, BadModel> {
        let mut rest = bytes.strip_prefix(MARK).ok_or(BadModel("it does not begin as one"))?;
        let shape = shape(&mut rest).ok_or(BadModel("it ends within its sizes"))?;
        let mut tokens = Vec::with_capacity(shape.rows);
        for _ in 0..shape.rows {
            let (length, behind) = rest.split_first().ok_or(BadModel("it ends within its tokens"))?;
            let (token, behind) =
                behind.split_at_checked(usize::from(*length)).ok_or(BadModel("it ends within its tokens"))?;
            tokens.push(token);
            rest = behind;
        }
        let mut scales = || numbers(&mut rest, shape.rows).ok_or(BadModel("it ends within its weights"));
        let scales = [scales()?, scales()?];
        if rest.len() != shape.rows * shape.dims {
            return Err(BadModel("it has not as many vectors as tokens"));
        }
        let name = format!("static-{}", &hash(bytes).to_hex()[..16]);
        Ok(Self { name, pieces: Pieces::new(tokens.into_iter()), shape, scales, rows: rest })
    }

    /// Returns the numbers of the tokens of a text that count.
    #[must_use]
    pub fn tokens(&self, side: Side, text: &str) -> Vec<u32> {
        self.pieces.of_text(text, self.shape.most[side as usize])
    }

    /// Computes the embedding of a text.
    #[must_use]
    pub fn vector(&self, side: Side, text: &str) -> Vector {
        let shape = self.shape;
        let tokens = self.tokens(side, text);
        let mut weights: HashMap<u32, f32> = HashMap::with_capacity(tokens.len());
        for (at, token) in tokens.iter().enumerate() {
            *weights.entry(*token).or_default() += match side {
                Side::Question => 1.0,
                Side::Code => 1.0 / (1.0 + at as f32 / shape.half),
            };
        }
        let mut weights: Vec<(u32, f32)> = weights.into_iter().collect();
        // In one order, so that the same text has the same vector to the last bit.
        weights.sort_unstable_by_key(|(token, _)| *token);
        let mut sum = vec![0.0_f32; shape.dims];
        for (token, weight) in weights {
            let at = token as usize;
            let weight = match side {
                Side::Question => weight,
                Side::Code => weight.powf(shape.power),
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
        "the embedded model".to_owned()
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(
        &self,
        side: Side,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, Unembedded> {
        let one = |text: &&str| {
            if stop() { Err(Unembedded::Stopped) } else { Ok(self.vector(side, text)) }
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
