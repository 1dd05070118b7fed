"""Says the abstract operations in the words of the probe dialect."""
import re

from adapters import OWN_SHELL, only, renamed, span

DIALECT = "probe"
#: What the server speaks.
SERVED = ("probe",)

#: The words of a refusal that asks for a read.
NOT_SEEN = re.compile("has not been (read|shown|extracted)|Only a part of |See what stands there first")
#: What must have been seen before; all of a file is written over by a flag instead.
SEEN_FIRST = {"edit"}
LONGEST = 2000
#: A last line beyond every file of the rows.
LAST = 100_000_000


def read(args):
    first, last = span(only(args, "path", "offset", "limit"))
    lines = "" if last is None and first == 1 else f":{first}-{LAST if last is None else last}"
    return [("extract", {"file": target(args["path"]) + lines})]


def target(path):
    """A path as a target: in quotes where it would fall apart."""
    return '"' + path + '"' if re.search(r"[\s,:#'\"]", path) else path


def write(args):
    """A row that overwrites says so by the flag, except where its point is that nobody did."""
    arguments = renamed(args, path="file_path", content="content")
    return [("create", {**arguments, "overwrite": args.get("exists", False) and not args.get("unasked")})]


#: Rows that this dialect answers otherwise, with the reason.
OTHERWISE = {"EX-031": OWN_SHELL}

SAYS = {
    "exec": lambda args: [("bash", renamed(args, command="command", cwd="cwd", timeout_ms="timeout"))],
    "read": read, "write": write,
    "edit": lambda args: [("edit", renamed(args, path="file_path", old="old_string", new="new_string"))],
    "list": lambda args: [("listFiles", renamed(args, path="directory"))],
    "glob": lambda args: [("searchFiles", renamed(args, path="directory", pattern="pattern"))],
}


def shown(operation, args):
    """The call that shows the file before an operation changes it."""
    return read({"path": args["path"]})[0]


def read_on(path, text):
    """The call that shows what a reply left out, or nothing."""
    found = re.search(r"Name lines from (\d+) on|lines? (\d+) on", text)
    return read({"path": path, "offset": int(found[1] or found[2])})[0] if found else None
