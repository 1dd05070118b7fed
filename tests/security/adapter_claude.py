"""Says the abstract operations in the words of the claude dialect."""
import re

from adapters import renamed

DIALECT = "claude"
#: What the server speaks.
SERVED = ("claude",)

#: The words of a refusal that asks for a read.
NOT_SEEN = re.compile("has not been read yet|Only a part of ")
#: What must have been seen before.
SEEN_FIRST = {"write", "edit"}
#: The longest line that a read shows whole.
LONGEST = 2000

SAYS = {
    "read": lambda args: [("Read", renamed(args, path="file_path", offset="offset", limit="limit"))],
    "write": lambda args: [("Write", renamed(args, path="file_path", content="content"))],
    "edit": lambda args: [("Edit", renamed(args, path="file_path", old="old_string", new="new_string"))],
    "list": lambda args: [("Glob", {"pattern": "*", "path": args["path"]})],
    "glob": lambda args: [("Glob", args)],
    "grep": lambda args: [("Grep", {"output_mode": "content", **args})],
}


def shown(operation, args):
    """The call that shows the file before an operation changes it."""
    return "Read", {"file_path": args["path"]}


def read_on(path, text):
    """The call that shows what a reply left out, or nothing."""
    found = re.search(r"continue with offset (\d+)", text)
    return ("Read", {"file_path": path, "offset": int(found[1])}) if found else None
