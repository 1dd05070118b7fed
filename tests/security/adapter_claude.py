"""Translates the abstract operations into calls of the dialect claude."""
import re

from adapters import renamed

DIALECT = "claude"
#: The dialects that the server serves.
SERVED = ("claude",)

#: Texts of refusals that require a read.
NOT_SEEN = re.compile("has not been read yet|Only a part of ")
#: Operations that require an earlier read of the file.
SEEN_FIRST = {"write", "edit"}
#: Maximum length of a line that a read shows completely.
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
    """Returns the call that reads the file before an operation changes it."""
    return "Read", {"file_path": args["path"]}


def read_on(path, text):
    """Returns the call that reads the rest after a reply; None if the reply was complete."""
    found = re.search(r"continue with offset (\d+)", text)
    return ("Read", {"file_path": path, "offset": int(found[1])}) if found else None
