"""Writes the tuned vectors as the one file that the program carries: a byte a dimension, with a scale for each token."""

import argparse
import pathlib
import struct

import numpy

from tune import CODE_TOKENS, HALF, QUERY_TOKENS


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tuned", type=pathlib.Path, help="the .npz of tune.py")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--power", type=float, default=0.5)
    parser.add_argument("--half", type=float, default=HALF)
    args = parser.parse_args()
    tuned = numpy.load(args.tuned)
    vectors = tuned["vectors"]
    scale = numpy.abs(vectors).max(1) / 127 + 1e-12
    rows = numpy.rint(vectors / scale[:, None]).astype(numpy.int8)
    out = [b"tp-emb-1", struct.pack("<IIII", *vectors.shape, QUERY_TOKENS, CODE_TOKENS), struct.pack("<ff", args.half, args.power)]
    for token in tuned["tokens"]:
        encoded = str(token).encode("ascii")
        out.append(bytes([len(encoded)]) + encoded)
    for side in ("ask", "code"):
        out.append((scale * numpy.exp(tuned[side])).astype("<f4").tobytes())
    out.append(rows.tobytes())
    args.out.write_bytes(b"".join(out))
    print(args.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
