"""A third-party repository, unpacked for each session, and files that are hard to handle."""
import os
import pathlib
import socket
import struct
import subprocess
import sys
import zipfile
import zlib

PACKAGE, LEAST = "django==5.2.8", 500


def fetch(tools):
    """Returns the packed repository, which is downloaded once."""
    folder = pathlib.Path(tools) / "corpus"
    if not list(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def unpack(packed, into):
    """Unpacks the repository, and returns the number of files."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(into)
    count = sum(len(files) for _, _, files in os.walk(into))
    if count < LEAST:
        raise RuntimeError(f"{packed} holds {count} files, fewer than {LEAST}")
    return count


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height):
    """Returns a PNG image in one colour."""
    rows = b"".join(b"\0" + b"\x20\x80\xf0" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pdf(words):
    """Returns a PDF of one page with a text."""
    content = f"BT /F1 24 Tf 72 700 Td ({words}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))


def notebook():
    import json
    cell = {"cell_type": "code", "id": "c1", "execution_count": 3, "metadata": {}, "source": ["print(6 * 7)\n"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}]}
    return json.dumps({"cells": [cell], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5})


def trouble(root):
    """Adds files that must give clear errors, and files that are read as images or documents."""
    root = pathlib.Path(root)
    os.mkfifo(root / "pipe")
    with open(root / "sparse", "wb") as file:
        file.truncate(10 * 1024**3)
    (root / "loop-a").symlink_to("loop-b")
    (root / "loop-b").symlink_to("loop-a")
    (root / "zero").symlink_to("/dev/zero")
    with open(os.path.join(os.fsencode(root), b"name-\xff.txt"), "wb") as file:
        file.write(b"an odd name\n")
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(root)
    server.bind("socket")
    os.chdir(here)
    server.close()
    with open(root / "words.log", "w") as file:
        file.writelines(f"w{number * 7919 % 1009} of{number % 97} line {number}\n" for number in range(1_500_000))
    (root / "blue.png").write_bytes(png(60, 40))
    (root / "words.pdf").write_bytes(pdf("Forty-two words"))
    (root / "cells.ipynb").write_text(notebook())
    (root / "crlf.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    (root.parent / "outside.txt").write_text("CANARY\n")
