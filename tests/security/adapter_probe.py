"""Translates the abstract operations into calls of the dialect probe."""
import re

from adapters import OWN_SHELL, only, renamed, span

DIALECT = "probe"
#: The dialects that the server serves.
SERVED = ("probe",)

#: Texts of refusals that require a read.
NOT_SEEN = re.compile("has not been (read|shown|extracted)|Only a part of |See what stands there first")
#: Operations that require an earlier read; overwriting a whole file requires a flag instead.
SEEN_FIRST = {"edit"}
LONGEST = 2000
#: A line number after the end of every file in the rows.
LAST = 100_000_000


def read(args):
    first, last = span(only(args, "path", "offset", "limit"))
    lines = "" if last is None and first == 1 else f":{first}-{LAST if last is None else last}"
    return [("extract", {"file": target(args["path"]) + lines})]


def target(path):
    """Returns a path as a target, in quotes if it has special characters."""
    return '"' + path + '"' if re.search(r"[\s,:#'\"]", path) else path


def write(args):
    """Sets the flag for overwriting if the file exists, unless the row tests a write without the flag."""
    arguments = renamed(args, path="file_path", content="content")
    return [("create", {**arguments, "overwrite": args.get("exists", False) and not args.get("unasked")})]


#: Rows that do not apply to this dialect, with the reason.
OTHERWISE = {"EX-031": OWN_SHELL}

SAYS = {
    "exec": lambda args: [("bash", renamed(args, command="command", cwd="cwd", timeout_ms="timeout"))],
    "read": read, "write": write,
    "edit": lambda args: [("edit", renamed(args, path="file_path", old="old_string", new="new_string"))],
    "list": lambda args: [("listFiles", renamed(args, path="directory"))],
    "glob": lambda args: [("searchFiles", renamed(args, path="directory", pattern="pattern"))],
}


def shown(operation, args):
    """Returns the call that reads the file before an operation changes it."""
    return read({"path": args["path"]})[0]


def read_on(path, text):
    """Returns the call that reads the rest after a reply; None if the reply was complete."""
    found = re.search(r"Name lines from (\d+) on|lines? (\d+) on", text)
    return read({"path": path, "offset": int(found[1] or found[2])})[0] if found else None
