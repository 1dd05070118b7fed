//! A static model in a folder, as model2vec writes it: each token has a vector, and that of a text is the mean of those of its tokens.

use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use tokenizers::Tokenizer;
use toolpost_workspace::{Hasher, operator};

use crate::embed::{Embedder, Side, Unembedded, Vector};

/// The files of a model.
const WEIGHTS: &str = "model.safetensors";
const TOKENS: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
/// The names of the tensor: in model2vec, and in other formats of such models.
const VECTORS: [&str; 3] = ["embeddings", "embedding.weight", "0"];
/// The largest file of a model, in bytes.
const LARGEST: u64 = 2 << 30;
/// The number of texts between two checks whether to stop.
const BATCH: usize = 64;
/// The maximum number of tokens per text if the model sets no limit.
const MOST: usize = 512;
/// The longest text that is looked at, in bytes, where the model counts all tokens.
const LONGEST: usize = 64 << 10;

/// A static model from a directory.
pub struct Local {
    name: String,
    shown: String,
    tokenizer: Tokenizer,
    /// The token for unknown input; it is ignored.
    unknown: Option<u32>,
    /// The maximum number of characters and of tokens per text.
    most: (usize, usize),
    dims: usize,
    /// The vectors, one after the other, a byte a dimension, and what one step of each is worth.
    rows: Vec<i8>,
    scales: Vec<f32>,
    /// The row of each token, if it differs from the token's number.
    row_of: Option<Vec<u32>>,
}

/// The reason for which a directory is not a usable model.
#[derive(Debug, thiserror::Error)]
#[error(
    "{file} {what}; a model in a folder is static, as model2vec saves it: {WEIGHTS} with a tensor of vectors and {TOKENS}"
)]
pub struct Unreadable {
    file: String,
    what: String,
}

impl Local {
    /// Reads a model.
    ///
    /// # Errors
    /// If a file is missing or unreadable, or does not contain a static model.
    pub fn open(folder: &Path) -> Result<Self, Unreadable> {
        let (weights, tokens) = (read(folder, WEIGHTS)?, read(folder, TOKENS)?);
        let in_weights = |what: String| Unreadable { file: shown(folder, WEIGHTS), what };
        let in_tokens = |what: String| Unreadable { file: shown(folder, TOKENS), what };
        let tensors = SafeTensors::deserialize(&weights)
            .map_err(|error| in_weights(format!("cannot be read: {error}")))?;
        let vectors = VECTORS.iter().find_map(|name| tensors.tensor(name).ok()).ok_or_else(|| {
            let names = tensors.names().join(", ");
            in_weights(format!("has no tensor {}, but {names}", VECTORS.join(" or ")))
        })?;
        let &[count, dims] = vectors.shape() else {
            return Err(in_weights(format!(
                "has vectors of the shape {:?}, and not rows of one length",
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
        // The model defines the truncation, and there is no padding.
        let _ = tokenizer.with_truncation(None);
        tokenizer.with_padding(None);
        let row_of = tensors.tensor("mapping").ok().map(|view| numbers(&view)).transpose()?;
        let row_of: Option<Vec<u32>> =
            row_of.map(|numbers| numbers.iter().map(|number| *number as u32).collect());
        let tokens_of = tokenizer.get_vocab_size(true);
        let known = row_of.as_ref().map_or(count, Vec::len);
        if tokens_of > known {
            return Err(in_weights(format!("has vectors for {known} tokens, and {TOKENS} has {tokens_of}")));
        }
        let most = most(folder)?;
        let most = (most.saturating_mul(usual_length(&tokenizer)), most);
        let mut local = Self {
            name: name(&weights, &tokens),
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

    /// Applies the weights of the tokens; a row that several tokens share is copied for each.
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
    fn vector(&self, text: &str) -> Result<Vector, Unembedded> {
        let end = text.char_indices().nth(self.most.0).map_or(text.len(), |(at, _)| at);
        let text = &text[..text.floor_char_boundary(end.min(LONGEST))];
        let encoded = self.tokenizer.encode_fast(text, false).map_err(|error| Unembedded::Model {
            what: format!("the model {} cannot take a text apart: {error}", self.shown),
            next: "the operator names another model by embedding; without it the embedded one is used"
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
        _side: Side,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, Unembedded> {
        let one = |text: &&str| if stop() { Err(Unembedded::Stopped) } else { self.vector(text) };
        texts.iter().map(one).collect()
    }
}

fn shown(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

fn read(folder: &Path, file: &str) -> Result<Vec<u8>, Unreadable> {
    let unreadable = |what: String| Unreadable { file: shown(folder, file), what };
    match operator::bytes(&folder.join(file), LARGEST) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(unreadable("does not exist".to_owned())),
        Err(error) => Err(unreadable(format!("cannot be read: {error}"))),
    }
}

/// Names the model so that vectors of two are never compared.
fn name(weights: &[u8], tokens: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.update(weights);
    hasher.update(tokens);
    format!("local-{}", &hasher.finish().to_hex()[..16])
}

/// Returns the maximum number of tokens per text.
fn most(folder: &Path) -> Result<usize, Unreadable> {
    let text = match operator::bytes(&folder.join(CONFIG), 1 << 20) {
        Ok(text) => text.unwrap_or_else(|| b"{}".to_vec()),
        Err(error) => {
            return Err(Unreadable { file: shown(folder, CONFIG), what: format!("cannot be read: {error}") });
        }
    };
    let config: Value = serde_json::from_slice(&text)
        .map_err(|error| Unreadable { file: shown(folder, CONFIG), what: format!("is no JSON: {error}") })?;
    Ok(match config.get("max_length") {
        Some(Value::Null) => usize::MAX,
        Some(value) => value.as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(MOST),
        None => MOST,
    })
}

/// Returns the median length of a token in characters; model2vec truncates texts by it.
fn usual_length(tokenizer: &Tokenizer) -> usize {
    let mut lengths: Vec<usize> =
        tokenizer.get_vocab(true).keys().map(|token| token.chars().count()).collect();
    lengths.sort_unstable();
    let middle = |at: usize| lengths.get(at).copied().unwrap_or(1);
    (middle(lengths.len().saturating_sub(1) / 2) + middle(lengths.len() / 2)) / 2
}

/// Returns the number of the token for unknown input.
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

/// Writes numbers in a byte each, with what one step is worth.
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

/// Reads some of the numbers of a tensor.
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
        other => return Err(format!("has numbers of the sort {other:?}, which are not read")),
    })
}

/// Reads a number of sixteen bits.
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
