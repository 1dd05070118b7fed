"""Writes small models as model2vec keeps them, with what model2vec itself makes of some texts; crates/ranked/tests/local_model.rs reads both."""

import json
import pathlib
import sys

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORDS = """[PAD] [UNK] [CLS] [SEP] read write file line the a of to parse load cart price sum total user name path open close ##s ##ing ##er
##ed ##ize un ##do re ##try http ##server café cafe naive 1 2 ##3 ( ) { } = . , ; : _ - + " ' fn def return error 日 本 x ##y ##z""".split()
TEXTS = [
    "Read the file line by line",
    "def total_price(cart): return sum(prices)",
    "retry HTTPServer",
    "Café naïve 日本",
    "",
    "zzz qqq",
    "un-do; redo + 123",
    "read " * 700 + "write",
    "fn parse(path) { open(path) }",
]
DIMS = 24
SHARED = 16


def tokenizer():
    made = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def main():
    out = pathlib.Path(sys.argv[1])
    random = np.random.default_rng(7)
    rows = []

    def model(name, vectors, **options):
        place = out / name
        StaticModel(vectors, tokenizer(), config={}, **options).save_pretrained(str(place))
        for file in place.iterdir():
            if file.name not in ("model.safetensors", "tokenizer.json", "config.json"):
                file.unlink()
            else:
                file.chmod(0o644)
        made = StaticModel.from_pretrained(str(place))
        for text in TEXTS:
            vector = [round(float(part), 5) for part in made.encode([text])[0]]
            rows.append(json.dumps({"model": name, "text": text, "vector": vector}, ensure_ascii=False))

    model("plain", random.normal(size=(len(WORDS), DIMS)).astype(np.float32))
    model("half", random.normal(size=(len(WORDS), DIMS)).astype(np.float16), normalize=True)
    model(
        "shared",
        random.normal(size=(SHARED, DIMS)).astype(np.float32),
        weights=random.uniform(0.2, 2, size=len(WORDS)),
        token_mapping=random.integers(0, SHARED, size=len(WORDS)),
        max_length=8,
    )
    (out / "rows.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
