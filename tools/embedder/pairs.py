"""Gathers pairs of a doc comment's first sentence and the code below it, without the comment, from the unpacked sources."""

import argparse
import collections
import hashlib
import json
import pathlib
import re
import tomllib

import tree_sitter_c
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language, Parser, Query, QueryCursor

HERE = pathlib.Path(__file__).parent
# What is looked for in each language, and what may stand between a comment and what it describes.
KINDS = {
    "python": (tree_sitter_python.language, ["function_definition", "class_definition"]),
    "rust": (tree_sitter_rust.language, ["function_item", "function_signature_item", "struct_item", "enum_item", "trait_item", "macro_definition"]),
    "java": (tree_sitter_java.language, ["method_declaration", "constructor_declaration", "class_declaration", "interface_declaration", "enum_declaration"]),
    "go": (tree_sitter_go.language, ["function_declaration", "method_declaration", "type_declaration"]),
    "c": (tree_sitter_c.language, ["function_definition"]),
    "javascript": (tree_sitter_javascript.language, ["function_declaration", "method_definition", "class_declaration", "expression_statement", "lexical_declaration"]),
    "typescript": (tree_sitter_typescript.language_typescript, ["function_declaration", "method_definition", "class_declaration", "interface_declaration", "lexical_declaration", "abstract_class_declaration", "method_signature"]),
}
FUNCTIONS = {"function_definition", "function_item", "method_declaration", "function_declaration", "method_definition", "constructor_declaration"}
ENDINGS = {".py": "python", ".rs": "rust", ".java": "java", ".go": "go", ".c": "c", ".h": "c", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript"}
COMMENTS = {"comment", "line_comment", "block_comment"}
BETWEEN = {"attribute_item", "decorator"}
NOT_DOC = re.compile(r"^(see |copyright|license|todo|fixme|xxx|deprecated|generated|auto-?generated|@|\{@inherit|inherited|https?://|\.\. |:|>>> |-----|=====|test )", re.I)
SECTION = re.compile(r"\n\s*\n|\n\s*(?:@\w|:\w+|Parameters\b|Args:|Returns?:|Arguments:|# |\\param|\\return|>>>|```|\.\. |<p>|<pre|<ul|\* @)")
SENTENCE = re.compile(r"(?<=[a-z0-9)`\]\"'])[.!?](?:\s|$)|:\s*$")


def clean(comment):
    """The words of a comment, without its marks and its markup, lines kept."""
    lines = []
    for line in comment.splitlines():
        line = re.sub(r"^\s*(?:///?!?|/\*\*?!?<?|\*(?!/)|#)?\s?", "", line)
        lines.append(re.sub(r"\*+/\s*$", "", line).rstrip())
    text = "\n".join(lines).strip()
    text = re.sub(r"\{@\w+ ([^}]*)\}", r"\1", text)
    text = re.sub(r":\w+:`~?([^`<]*)(?:<[^>]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)|\[`?([^\]`]+)`?\]", lambda m: m.group(1) or m.group(2), text)
    return re.sub(r"</?[a-zA-Z][^>]{0,60}>", " ", text)


def first_sentence(text, name):
    """The first sentence of a cleaned comment and the rest, or None where it says too little."""
    head = SECTION.split(text, 1)[0]
    head = " ".join(head.split())
    if name and head.lower().startswith(name.lower() + " "):
        head = head[len(name) + 1:].lstrip(" -:–—")
    if NOT_DOC.match(head):
        return None
    end = SENTENCE.search(head)
    sentence = (head[:end.start()] if end else head).strip(" .:-*")
    words = re.findall(r"[A-Za-z]{2,}", sentence)
    if len(words) < 4 or len(sentence) > 400:
        return None
    rest = " ".join(text.split())[: 600]
    return sentence, rest


def comment_before(node, source):
    """The comment that stands right above a node, with nothing but attributes between, and where what it describes begins."""
    at, begin = node, node.start_byte
    while at.parent is not None and at.parent.type in ("export_statement", "decorated_definition") and at.parent.named_children[-1].id == at.id:
        at, begin = at.parent, at.parent.start_byte
    parts, row, before = [], at.start_point[0], at.prev_sibling
    while before is not None:
        end = before.end_point[0] - (1 if before.end_point[1] == 0 and before.end_point[0] > before.start_point[0] else 0)
        if before.type in BETWEEN and end >= row - 1:
            begin = before.start_byte
        elif before.type in COMMENTS and end >= row - 1:
            text = source[before.start_byte:before.end_byte].decode("utf-8", "replace")
            if parts and text.lstrip().startswith("/*") != parts[-1].lstrip().startswith("/*"):
                break
            parts.append(text)
            if text.lstrip().startswith("/*"):
                break
        else:
            break
        row, before = before.start_point[0], before.prev_sibling
    return "\n".join(reversed([part.rstrip("\n") for part in parts])), begin


def is_doc(comment, language):
    """Whether a comment is written as documentation in its language."""
    start = comment.lstrip()
    if language == "rust":
        return start.startswith(("///", "/**"))
    if language in ("java", "javascript", "typescript"):
        return start.startswith("/**")
    return bool(start)


def of_python(node, source):
    body = node.child_by_field_name("body")
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is None or first.type not in ("expression_statement", "string"):
        return None
    string = first.named_children[0] if first.type == "expression_statement" and first.named_children else first
    if string.type != "string":
        return None
    comment = source[string.start_byte:string.end_byte].decode("utf-8", "replace").strip("rRuUbB").strip("\"'")
    begin = node.parent.start_byte if node.parent is not None and node.parent.type == "decorated_definition" else node.start_byte
    code = source[begin:first.start_byte].rstrip() + source[first.end_byte:node.end_byte]
    return comment, code.decode("utf-8", "replace")


def pairs_of(source, language, tools):
    """Every pair of one file."""
    parser, query = tools[language]
    tree = parser.parse(source)
    for node in QueryCursor(query).captures(tree.root_node).get("it", []):
        if node.end_point[0] - node.start_point[0] < 2:
            continue
        named = node.child_by_field_name("name")
        if named is None and language == "c":
            named = node.child_by_field_name("declarator")
            while named is not None and named.type != "identifier":
                named = named.child_by_field_name("declarator")
        name = source[named.start_byte:named.end_byte].decode("utf-8", "replace") if named is not None else ""
        if language == "python":
            found = of_python(node, source)
            if found is None:
                continue
            comment, code = found
        else:
            comment, begin = comment_before(node, source)
            if not is_doc(comment, language):
                continue
            code = source[begin:node.end_byte].decode("utf-8", "replace")
        said = first_sentence(clean(comment), name)
        if said is None or code.count("\n") < 2:
            continue
        yield {"query": said[0], "doc": said[1], "code": code[:6000], "name": name, "function": node.type in FUNCTIONS}


def roots(src, cargo, stdlib):
    """Each package: its name, its part, and its folder."""
    listed = tomllib.loads((HERE / "packages.toml").read_text())
    for registry in ("pypi", "npm"):
        for part, names in listed[registry].items():
            for name in names:
                yield name, part, src / registry / name.replace("/", "+")
    for names in listed["debian"].values():
        for name in names:
            yield name, "train", src / "debian" / name
    if stdlib is not None:
        yield "python-stdlib", "train", stdlib
    held = {name: part for part in ("validation", "test") for name in listed["crates"][part]}
    for folder in sorted(cargo.glob("registry/src/*/*")):
        name = re.sub(r"-\d+\.\d+\..*$", "", folder.name)
        yield name, held.get(name, "train"), folder


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("src", type=pathlib.Path)
    parser.add_argument("cargo", type=pathlib.Path, help="the cargo home that fetch.py filled")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--stdlib", type=pathlib.Path, help="the folder of Python's own library")
    parser.add_argument("--most", type=int, default=9000, help="pairs of one package at most")
    args = parser.parse_args()
    tools = {}
    for language, (grammar, kinds) in KINDS.items():
        grammar = Language(grammar())
        tools[language] = Parser(grammar), Query(grammar, "[" + " ".join(f"({kind})" for kind in kinds) + "] @it")
    args.out.mkdir(parents=True, exist_ok=True)
    seen, counts = set(), collections.Counter()
    order = {"test": 0, "validation": 1, "train": 2}
    files = {part: open(args.out / f"{part}.jsonl", "w") for part in order}
    for name, part, folder in sorted(roots(args.src, args.cargo, args.stdlib), key=lambda root: (order[root[1]], root[0])):
        taken = 0
        for path in sorted(folder.rglob("*")):
            language = ENDINGS.get(path.suffix)
            inner = path.relative_to(folder).as_posix()
            if language is None or re.search(r"(^|/)(tests?|testing|testdata|site-packages|min|dist|umd|cjs|esm5?|es|fesm\d*|examples?|benches|generated|__tests__|locales?|idlelib|lib2to3)/|\.min\.|_pb2|\.d\.ts$|_test\.|test_", inner):
                continue
            if not path.is_file() or path.stat().st_size > 600_000 or taken >= args.most:
                continue
            for pair in pairs_of(path.read_bytes(), language, tools):
                said = hashlib.blake2b(" ".join(re.findall(r"\w+", pair["query"].lower())).encode(), digest_size=8).digest()
                code = hashlib.blake2b("".join(pair["code"].split()).encode(), digest_size=8).digest()
                if said in seen or code in seen or (part != "train" and not pair["function"]):
                    continue
                seen.update((said, code))
                taken += 1
                counts[part, language] += 1
                pair.update(language=language, package=name, path=inner)
                files[part].write(json.dumps(pair) + "\n")
    for key, count in sorted(counts.items()):
        print(*key, count)


if __name__ == "__main__":
    main()
