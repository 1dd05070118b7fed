"""Tunes the vectors of the tokens on the pairs: a query must find its code among the others of its batch, and the reverse."""

import argparse
import collections
import json
import pathlib
import time

import numpy
from scipy.sparse import csr_matrix

from words import Pieces

# What the Rust side must do as well (crates/embed): how many tokens of a text count, and how much each counts.
QUERY_TOKENS, CODE_TOKENS = 48, 384
# After that many tokens of a block a token counts half as much as the first.
HALF = 8.0
# Rows of one package beside one another in a batch: functions of one package are the hard ones to tell apart.
GROUP = 256


def weighted(numbers, power, half):
    """The tokens of a text, each with what its places add up to, damped by `power`."""
    found = collections.defaultdict(float)
    for at, number in enumerate(numbers):
        found[number] += 1.0 / (1.0 + at / half) if half else 1.0
    return [(number, value**power) for number, value in found.items()]


def matrix(rows, width):
    """Rows of (token, value) as a sparse matrix."""
    ends = numpy.cumsum([0] + [len(row) for row in rows])
    indices = numpy.fromiter((n for row in rows for n, _ in row), numpy.int32, ends[-1])
    data = numpy.fromiter((v for row in rows for _, v in row), numpy.float32, ends[-1])
    return csr_matrix((data, indices, ends), shape=(len(rows), width))


class Data:
    """One part's pairs as matrices."""

    def __init__(self, path, pieces, args):
        queries, docs, codes, self.package, self.language = [], [], [], [], []
        for at, line in enumerate(open(path)):
            if args.every > 1 and at % args.every:
                continue
            pair = json.loads(line)
            query = pieces.of_text(pair["query"], QUERY_TOKENS)
            code = pieces.of_text(pair["code"], CODE_TOKENS)
            if not query or len(code) < 3:
                continue
            queries.append(weighted(query, 1.0, None))
            docs.append(weighted(pieces.of_text(pair["doc"], QUERY_TOKENS), 1.0, None))
            codes.append(weighted(code, args.power, args.half))
            self.package.append(pair["package"])
            self.language.append(pair["language"])
        width = len(pieces.table)
        self.queries, self.docs, self.codes = (matrix(rows, width) for rows in (queries, docs, codes))
        self.package, self.language = numpy.array(self.package), numpy.array(self.language)


class Adam:
    """Adam over those rows alone that a batch touches."""

    def __init__(self, shape):
        self.first, self.second = numpy.zeros(shape, numpy.float32), numpy.zeros(shape, numpy.float32)

    def step(self, values, rows, gradient, rate, turn):
        first, second = self.first[rows], self.second[rows]
        first += numpy.float32(0.1) * (gradient - first)
        second += numpy.float32(0.01) * (gradient * gradient - second)
        self.first[rows], self.second[rows] = first, second
        fix = numpy.float32(rate * numpy.sqrt(1 - 0.99**turn) / (1 - 0.9**turn))
        values[rows] -= fix * first / (numpy.sqrt(second) + numpy.float32(1e-8))


class Model:
    """The vectors, and for each token how much it counts in a question and in code (logarithms)."""

    def __init__(self, vectors):
        self.vectors = vectors.astype(numpy.float32)
        self.ask, self.code = numpy.zeros(len(vectors), numpy.float32), numpy.zeros(len(vectors), numpy.float32)
        self.adam = Adam(vectors.shape), Adam(len(vectors)), Adam(len(vectors))

    def embed(self, rows, side):
        """Unit vectors, and the lengths that they had."""
        rows = rows.copy()
        rows.data *= numpy.exp(side[rows.indices])
        out = rows @ self.vectors
        length = numpy.linalg.norm(out, axis=1, keepdims=True) + numpy.float32(1e-6)
        return out / length, length, rows

    def step(self, asked, codes, args, rate, turn):
        """One batch; its loss."""
        q, q_len, asked = self.embed(asked, self.ask)
        c, c_len, codes = self.embed(codes, self.code)
        logits = numpy.float32(args.scale) * (q @ c.T)
        count = len(q)
        own = numpy.arange(count)
        logits -= logits.max()
        powers = numpy.exp(logits)
        by_row, by_column = powers / powers.sum(1, keepdims=True), powers / powers.sum(0, keepdims=True)
        loss = -0.5 * (numpy.log(by_row[own, own] + 1e-30).mean() + numpy.log(by_column[own, own] + 1e-30).mean())
        by_row += by_column
        by_row[own, own] -= 2
        by_row *= numpy.float32(args.scale / (2 * count))
        dq, dc = by_row @ c, by_row.T @ q
        dq = (dq - q * (dq * q).sum(1, keepdims=True)) / q_len
        dc = (dc - c * (dc * c).sum(1, keepdims=True)) / c_len
        touched = []
        for rows, gradient in ((asked, dq), (codes, dc)):
            ids, place = numpy.unique(rows.indices, return_inverse=True)
            small = csr_matrix((rows.data, place.astype(numpy.int32), rows.indptr), shape=(count, len(ids)))
            touched.append((ids, small.T.tocsr() @ gradient))
        (q_ids, q_grad), (c_ids, c_grad) = touched
        self.adam[1].step(self.ask, q_ids, (q_grad * self.vectors[q_ids]).sum(1), rate * 5, turn)
        self.adam[2].step(self.code, c_ids, (c_grad * self.vectors[c_ids]).sum(1), rate * 5, turn)
        ids = numpy.union1d(q_ids, c_ids)
        gradient = numpy.zeros((len(ids), q.shape[1]), numpy.float32)
        gradient[numpy.searchsorted(ids, q_ids)] += q_grad
        gradient[numpy.searchsorted(ids, c_ids)] += c_grad
        self.adam[0].step(self.vectors, ids, gradient, rate, turn)
        return loss


def batches(data, size, random):
    """An epoch's batches: groups of one package, mixed with groups of others."""
    by_package = random.permutation(len(data.package))
    by_package = by_package[numpy.argsort(data.package[by_package], kind="stable")]
    groups = [by_package[at:at + GROUP] for at in range(0, len(by_package), GROUP)]
    mixed = numpy.concatenate([groups[at] for at in random.permutation(len(groups))])
    return [mixed[at:at + size] for at in range(0, len(mixed) - size + 1, size)]


def dropped(rows, share, random):
    """The rows without a share of their tokens."""
    rows = rows.copy()
    rows.data *= random.random(len(rows.data)) >= share
    return rows


def report(model, data):
    """MRR@10 and recall@10 by language."""
    out = {}
    for language in ("python", "rust"):
        at = numpy.flatnonzero(data.language == language)[:4000]
        if len(at) == 0:
            continue
        q, c = model.embed(data.queries[at], model.ask)[0], model.embed(data.codes[at], model.code)[0]
        score = q @ c.T
        rank = (score > score[numpy.arange(len(at)), numpy.arange(len(at))][:, None]).sum(1)
        out[language] = f"{(1 / (rank + 1) * (rank < 10)).mean():.3f}/{(rank < 10).mean():.3f}"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=pathlib.Path, help="the .npz of distil.py, or that of an earlier round to go on from")
    parser.add_argument("pairs", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, help="the .npz to write")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--scale", type=float, default=20.0)
    parser.add_argument("--power", type=float, default=0.5)
    parser.add_argument("--half", type=float, default=HALF)
    parser.add_argument("--drop", type=float, default=0.1)
    parser.add_argument("--docs", type=float, default=0.15, help="the share of questions that are the whole comment")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--every", type=int, default=1, help="takes each so many-th pair alone, to try settings")
    args = parser.parse_args()
    first = numpy.load(args.first)
    tokens = [str(token) for token in first["tokens"]]
    pieces = Pieces(tokens)
    data = Data(args.pairs / "train.jsonl", pieces, args)
    args.every = 1
    held = Data(args.pairs / "validation.jsonl", pieces, args)
    model, random = Model(first["vectors"]), numpy.random.default_rng(args.seed)
    if "ask" in first:
        model.ask, model.code = first["ask"], first["code"]
    print(len(data.package), "pairs;", "before:", report(model, held), flush=True)
    steps, turn, began = args.epochs * (len(data.package) // args.batch), 0, time.time()
    for epoch in range(args.epochs):
        losses = []
        for rows in batches(data, args.batch, random):
            turn += 1
            asked = (data.docs if random.random() < args.docs else data.queries)[rows]
            codes = dropped(data.codes[rows], args.drop, random)
            losses.append(model.step(asked, codes, args, args.rate * max(0.02, 1 - turn / steps), turn))
        print(f"epoch {epoch + 1}: loss {numpy.mean(losses):.4f}, {time.time() - began:.0f} s,", report(model, held), flush=True)
        numpy.savez(args.out, tokens=first["tokens"], vectors=model.vectors, ask=model.ask, code=model.code)


if __name__ == "__main__":
    main()
