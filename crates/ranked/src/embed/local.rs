//! An embedding model in a directory, in the format of model2vec: a static model, in which the vector of a text is the
//! mean of the vectors of its tokens.

use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use tokenizers::Tokenizer;
use toolpost_workspace::{Hasher, operator};

use crate::embed::{EmbedError, Embedder, TextRole, Vector};

/// The names of the files in a model directory.
const WEIGHTS: &str = "model.safetensors";
const TOKENS: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
/// The possible names of the tensor that holds the token vectors: in model2vec, and in other formats of static models.
const VECTORS: [&str; 3] = ["embeddings", "embedding.weight", "0"];
/// The maximum size of a file of a model, in bytes.
const LARGEST: u64 = 2 << 30;
/// The preferred number of texts per call of [`Embedder::embed`].
const BATCH: usize = 64;
/// The maximum number of tokens of a text that are used, if the model's `config.json` has no valid `max_length`. The
/// value `null` means no limit.
const MOST: usize = 512;
/// The maximum number of bytes of a text that are used, even if the model sets no limit.
const LONGEST: usize = 64 << 10;

/// A static embedding model that was read from a directory.
pub struct Local {
    name: String,
    shown: String,
    tokenizer: Tokenizer,
    /// The number of the token that the tokenizer uses for unknown input; the embedding ignores it.
    unknown: Option<u32>,
    /// The maximum number of characters, and of tokens, of a text that are used.
    most: (usize, usize),
    dims: usize,
    /// The quantized vectors one after the other, one byte per dimension. `scales` has the quantization step of each
    /// vector.
    rows: Vec<i8>,
    scales: Vec<f32>,
    /// The index of each token's vector in `rows`; `None` if that index is the token's number.
    row_of: Option<Vec<u32>>,
}

/// The reason why a directory is not a usable model.
#[derive(Debug, thiserror::Error)]
#[error(
    "{file} {what}; a model directory must contain a static model, as model2vec saves it: {WEIGHTS} with a \
     tensor of vectors, and {TOKENS}"
)]
pub struct ModelFileError {
    file: String,
    what: String,
}

impl Local {
    /// Reads a model from a directory.
    ///
    /// # Errors
    /// If a file is missing or unreadable, or does not contain a static model.
    pub fn open(folder: &Path) -> Result<Self, ModelFileError> {
        let (weights, tokens) = (read(folder, WEIGHTS)?, read(folder, TOKENS)?);
        let in_weights = |what: String| ModelFileError { file: shown(folder, WEIGHTS), what };
        let in_tokens = |what: String| ModelFileError { file: shown(folder, TOKENS), what };
        let tensors = SafeTensors::deserialize(&weights)
            .map_err(|error| in_weights(format!("cannot be read: {error}")))?;
        let vectors = VECTORS.iter().find_map(|name| tensors.tensor(name).ok()).ok_or_else(|| {
            let names = tensors.names().join(", ");
            in_weights(format!("has no tensor {}; its tensors are {names}", VECTORS.join(" or ")))
        })?;
        let &[count, dims] = vectors.shape() else {
            return Err(in_weights(format!(
                "has a tensor of the shape {:?}, but needs one with two dimensions",
                vectors.shape()
            )));
        };
        let numbers = |view: &TensorView<'_>| numbers(view).map_err(&in_weights);
        let (mut rows, mut scales) = (Vec::with_capacity(count * dims), Vec::with_capacity(count));
        for row in 0..count {
            let (parts, scale) =
                steps(&numbers_of(&vectors, row * dims..(row + 1) * dims).map_err(&in_weights)?);
            rows.extend(parts);
            scales.push(scale);
        }
        let mut tokenizer =
            Tokenizer::from_bytes(&tokens).map_err(|error| in_tokens(format!("cannot be read: {error}")))?;
        // The tokenizer must neither truncate nor pad texts: [`Local::vector`] truncates them to the limits of the
        // model.
        let _ = tokenizer.with_truncation(None);
        tokenizer.with_padding(None);
        let row_of = tensors.tensor("mapping").ok().map(|view| numbers(&view)).transpose()?;
        let row_of: Option<Vec<u32>> =
            row_of.map(|numbers| numbers.iter().map(|number| *number as u32).collect());
        let tokens_of = tokenizer.get_vocab_size(true);
        let known = row_of.as_ref().map_or(count, Vec::len);
        if tokens_of > known {
            return Err(in_weights(format!("has vectors for {known} tokens, but {TOKENS} has {tokens_of}")));
        }
        let most = most(folder)?;
        let most = (most.saturating_mul(usual_length(&tokenizer)), most);
        let mut local = Self {
            name: name(&weights, &tokens, most.1),
            shown: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            unknown: unknown(&tokens, &tokenizer),
            most,
            tokenizer,
            dims,
            rows,
            scales,
            row_of,
        };
        if let Ok(view) = tensors.tensor("weights") {
            local.weigh(&numbers(&view)?);
        }
        Ok(local)
    }

    /// Multiplies the vector of each token by the weight of the token. A vector that several tokens share is first
    /// copied for each of them.
    fn weigh(&mut self, weights: &[f32]) {
        let Some(row_of) = self.row_of.take() else {
            self.scales.iter_mut().zip(weights).for_each(|(scale, weight)| *scale *= weight);
            return;
        };
        let (rows, scales) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.scales));
        for (row, weight) in row_of.iter().zip(weights) {
            let at = *row as usize;
            self.rows.extend(rows.get(at * self.dims..(at + 1) * self.dims).unwrap_or_default());
            self.scales.push(scales.get(at).copied().unwrap_or_default() * weight);
        }
    }

    /// Computes the embedding of a text.
    fn vector(&self, text: &str) -> Result<Vector, EmbedError> {
        let end = text.char_indices().nth(self.most.0).map_or(text.len(), |(at, _)| at);
        let text = &text[..text.floor_char_boundary(end.min(LONGEST))];
        let encoded = self.tokenizer.encode_fast(text, false).map_err(|error| EmbedError::Model {
            what: format!("the model {} cannot tokenize a text: {error}", self.shown),
            next: "the operator chooses the model with the setting `embedding`; if it is not set, the built-in model is used"
                .to_owned(),
        })?;
        let mut sum = vec![0.0_f32; self.dims];
        for token in encoded.get_ids().iter().take(self.most.1).filter(|token| Some(**token) != self.unknown)
        {
            let row = self.row_of.as_ref().map_or(Some(token), |rows| rows.get(*token as usize));
            let Some(row) = row.map(|row| *row as usize) else { continue };
            let (parts, scale) =
                (self.rows.get(row * self.dims..(row + 1) * self.dims), self.scales.get(row));
            for (sum, part) in sum.iter_mut().zip(parts.unwrap_or_default()) {
                *sum += scale.copied().unwrap_or_default() * f32::from(*part);
            }
        }
        Ok(Vector::of(&sum))
    }
}

impl Embedder for Local {
    fn name(&self) -> &str {
        &self.name
    }

    fn shown(&self) -> String {
        format!("the model {}", self.shown)
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
        let one = |text: &&str| if stop() { Err(EmbedError::Stopped) } else { self.vector(text) };
        texts.iter().map(one).collect()
    }
}

fn shown(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

fn read(folder: &Path, file: &str) -> Result<Vec<u8>, ModelFileError> {
    let unreadable = |what: String| ModelFileError { file: shown(folder, file), what };
    match operator::bytes(&folder.join(file), LARGEST) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(unreadable("does not exist".to_owned())),
        Err(error) => Err(unreadable(format!("cannot be read: {error}"))),
    }
}

/// Returns the identity of a model: a hash of everything in its directory that determines its vectors, which are its
/// weights, its tokenizer, and the maximum number of tokens of a text.
fn name(weights: &[u8], tokens: &[u8], most: usize) -> String {
    let mut hasher = Hasher::default();
    hasher.update(weights);
    hasher.update(tokens);
    hasher.update(&most.to_le_bytes());
    format!("local-{}", &hasher.finish().to_hex()[..16])
}

/// Reads the maximum number of tokens of a text from the model's `config.json`.
fn most(folder: &Path) -> Result<usize, ModelFileError> {
    let text = match operator::bytes(&folder.join(CONFIG), 1 << 20) {
        Ok(text) => text.unwrap_or_else(|| b"{}".to_vec()),
        Err(error) => {
            return Err(ModelFileError {
                file: shown(folder, CONFIG),
                what: format!("cannot be read: {error}"),
            });
        }
    };
    let config: Value = serde_json::from_slice(&text).map_err(|error| ModelFileError {
        file: shown(folder, CONFIG),
        what: format!("is not JSON: {error}"),
    })?;
    Ok(match config.get("max_length") {
        Some(Value::Null) => usize::MAX,
        Some(value) => value.as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(MOST),
        None => MOST,
    })
}

/// Returns the median length of a token in characters. Like model2vec, this module truncates texts to this length
/// times the maximum number of tokens.
fn usual_length(tokenizer: &Tokenizer) -> usize {
    let mut lengths: Vec<usize> =
        tokenizer.get_vocab(true).keys().map(|token| token.chars().count()).collect();
    lengths.sort_unstable();
    let middle = |at: usize| lengths.get(at).copied().unwrap_or(1);
    (middle(lengths.len().saturating_sub(1) / 2) + middle(lengths.len() / 2)) / 2
}

/// Returns the number of the token that a tokenizer uses for unknown input.
fn unknown(tokens: &[u8], tokenizer: &Tokenizer) -> Option<u32> {
    let told: Value = serde_json::from_slice(tokens).ok()?;
    let model = told.get("model")?;
    let by_number =
        || model.get("unk_id").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    model
        .get("unk_token")
        .and_then(Value::as_str)
        .map_or_else(by_number, |token| tokenizer.token_to_id(token))
}

/// Quantizes the numbers of a vector to one byte each. Also returns the quantization step.
fn steps(numbers: &[f32]) -> (Vec<i8>, f32) {
    let largest = numbers.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    if !largest.is_finite() || largest <= f32::MIN_POSITIVE {
        return (vec![0; numbers.len()], 0.0);
    }
    let step = largest / 127.0;
    (numbers.iter().map(|number| (number / step).round() as i8).collect(), step)
}

fn numbers(view: &TensorView<'_>) -> Result<Vec<f32>, String> {
    numbers_of(view, 0..view.shape().iter().product())
}

/// Reads the numbers of a tensor in a range of indexes, as 32-bit floats.
fn numbers_of(view: &TensorView<'_>, range: std::ops::Range<usize>) -> Result<Vec<f32>, String> {
    fn each<const N: usize>(bytes: &[u8], of: fn([u8; N]) -> f32) -> Vec<f32> {
        bytes.as_chunks::<N>().0.iter().map(|chunk| of(*chunk)).collect()
    }
    let bits = view.dtype().bitsize();
    let bytes = view.data().get(range.start * bits / 8..range.end * bits / 8).unwrap_or_default();
    Ok(match view.dtype() {
        Dtype::F64 => each(bytes, |bytes| f64::from_le_bytes(bytes) as f32),
        Dtype::F32 => each(bytes, f32::from_le_bytes),
        Dtype::F16 => each(bytes, |bytes| half(u16::from_le_bytes(bytes))),
        Dtype::BF16 => each(bytes, |bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)),
        Dtype::I8 => each(bytes, |[byte]| f32::from(byte.cast_signed())),
        Dtype::I32 => each(bytes, |bytes| i32::from_le_bytes(bytes) as f32),
        Dtype::I64 => each(bytes, |bytes| i64::from_le_bytes(bytes) as f32),
        other => return Err(format!("has numbers of the type {other:?}, which is not supported")),
    })
}

/// Converts the bits of a 16-bit floating-point number.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 0x1F, bits & 0x3FF);
    let size = match exponent {
        0 => f32::from(fraction) * 2.0_f32.powi(-24),
        0x1F if fraction == 0 => f32::INFINITY,
        0x1F => f32::NAN,
        _ => (1.0 + f32::from(fraction) / 1024.0) * 2.0_f32.powi(i32::from(exponent) - 15),
    };
    if sign == 1 { -size } else { size }
}
