"""Says the abstract operations in the words of the opencode dialect."""
import os
import re

from adapters import renamed

DIALECT = "opencode"

#: The words of a refusal that asks for a read.
NOT_SEEN = re.compile("has not been (read|shown)|Only a part of ")
#: What must have been seen before; there is no tool to read with, and the refusal of the first try shows the file.
SEEN_FIRST = {"write"}
#: The longest line that such a refusal shows whole.
LONGEST = 2000
#: Whether a refusal to change what was not seen shows it.
REFUSAL_SHOWS = True


def write(args):
    return [("write", renamed(args, path="filePath", content="content"))]


def multi_edit(args):
    return [("multiedit", {"edits": [{"filePath": args["path"], **renamed(one, old="oldString", new="newString")} for one in args["edits"]]})]


SAYS = {
    "write": write, "multi_edit": multi_edit,
    "edit": lambda args: [("edit", renamed(args, path="filePath", old="oldString", new="newString"))],
    "patch": lambda args: [("patch", {"patch_text": args["text"]})],
    "list": lambda args: [("glob", {"pattern": "*", "path": args["path"]})],
    "glob": lambda args: [("glob", renamed(args, path="path", pattern="pattern"))],
    "grep": lambda args: [("grep", renamed(args, path="path", pattern="pattern", glob="include"))],
}


def shown(operation, args):
    """The call that shows the file before an operation changes it: a write of what stands there, which is refused and shows it."""
    path, content = args["path"], "x"
    if os.path.isfile(path):
        with open(path, encoding="utf8", errors="replace", newline="") as file:
            content = file.read()
    return write({"path": path, "content": content})[0]


def read_on(path, text):
    """Nothing is read on: a refusal shows what it can at once."""
