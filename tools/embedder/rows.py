"""Writes rows by which the Rust side is tested: texts, the tokens that they have here, and how near they are to one another."""

import argparse
import json
import pathlib

import numpy

from tune import CODE_TOKENS, HALF, QUERY_TOKENS, weighted
from words import Pieces

TEXTS = [
    ("read a file line by line", "pub fn read_lines(path: &Path) -> Lines<BufReader<File>> {\n    BufReader::new(File::open(path)).lines()\n}"),
    ("parse a JSON document", "function parseJSON2(textOfDocument) {\n  return JSON.parse(textOfDocument);\n}"),
    ("Waits until the HTTPServer has no URLs left", "async def drain(self):\n    while self.urls:\n        await self.http_server.step()"),
    ("naïve über_Straße 日本 x86_64 i18n", "int main(void) { return 0x7fffffff; }"),
    ("antidisestablishmentarianism", "SELECT id, name FROM users WHERE lastLogin < ?"),
    ("", "{}();"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tuned", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args()
    tuned = numpy.load(args.tuned)
    pieces = Pieces([str(token) for token in tuned["tokens"]])

    def vector(text, side, limit, power, half):
        out = numpy.zeros(tuned["vectors"].shape[1])
        for number, value in weighted(pieces.of_text(text, limit), power, half):
            out += value * numpy.exp(tuned[side][number]) * tuned["vectors"][number]
        return out / (numpy.linalg.norm(out) + 1e-12)

    rows = []
    for question, code in TEXTS:
        near = vector(question, "ask", QUERY_TOKENS, 1.0, None) @ vector(code, "code", CODE_TOKENS, 0.5, HALF)
        rows.append({"question": question, "code": code, "question_tokens": pieces.of_text(question, QUERY_TOKENS),
                     "code_tokens": pieces.of_text(code, CODE_TOKENS), "likeness": round(float(near), 4)})
    args.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
