"""Says the abstract operations in the words of the probe dialect."""
import re

from adapters import only, renamed

DIALECT = "probe"
#: What the server speaks.
SERVED = ("probe",)

#: The words of a refusal that asks for a read.
NOT_SEEN = re.compile("has not been (read|shown|extracted)|Only a part of |See what stands there first")
#: What must have been seen before; all of a file is written over by a flag instead.
SEEN_FIRST = {"edit"}
LONGEST = 2000


def read(args):
    first = only(args, "path", "offset", "limit").get("offset", 1)
    lines = f":{first}-{first + args['limit'] - 1}" if "limit" in args else f":{first}-100000000" if "offset" in args else ""
    return [("extract", {"file": target(args["path"]) + lines})]


def target(path):
    """A path as a target: in quotes where it would fall apart."""
    return '"' + path + '"' if re.search(r"[\s,:#'\"]", path) else path


def write(args):
    """A row that overwrites says so by the flag, except where its point is that nobody did."""
    arguments = renamed(args, path="file_path", content="content")
    return [("create", {**arguments, "overwrite": args.get("exists", False) and not args.get("unasked")})]


SAYS = {
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
