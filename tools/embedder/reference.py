"""Measures full MiniLM by the test of docs/quality.md, and stores the figures beside the hash of what they were measured on."""

import argparse
import json
import pathlib
import time

import numpy
from blake3 import blake3

from minilm import MiniLm

# As many functions of each language as `cargo xtask quality` takes, in the same places of the file.
MOST = 1_500


def chosen(path, language):
    """The pairs of a language, evenly chosen."""
    pairs = [pair for pair in map(json.loads, open(path)) if pair["language"] == language]
    count = min(MOST, len(pairs))
    return [pairs[at * len(pairs) // count] for at in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("pairs", type=pathlib.Path, help="the .jsonl of the packages that were held out")
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args()
    model, figures = MiniLm(args.package), {}
    for language in ("python", "rust"):
        pairs = chosen(args.pairs, language)
        digest = blake3()
        for pair in pairs:
            digest.update(pair["query"].encode() + b"\0" + pair["code"].encode() + b"\0")
        began = time.process_time()
        codes = model.texts([pair["code"] for pair in pairs])
        speed = len(pairs) / (time.process_time() - began)
        score = model.texts([pair["query"] for pair in pairs]) @ codes.T
        rank = (score > numpy.diag(score)[:, None]).sum(1)
        figures[language] = {
            "pairs": len(pairs), "blake3": digest.hexdigest(), "mrr": round(float((1 / (rank + 1) * (rank < 10)).mean()), 4),
            "recall": round(float((rank < 10).mean()), 4), "blocks_a_second": round(speed, 1),
        }
        print(language, figures[language], flush=True)
        args.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
