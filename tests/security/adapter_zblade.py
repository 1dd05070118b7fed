"""Translates the abstract operations into calls of the dialect zblade."""
import re
import sys

from adapters import OWN_SHELL, inner, only, renamed, span, unlimited

DIALECT = "zblade"
#: The dialects that the server serves.
SERVED = ("zblade",)

#: Texts of refusals that require a read.
NOT_SEEN = re.compile("has not been read|Only a part of |read_file first|[Rr]ead it first")
#: Operations that require an earlier read of the file.
SEEN_FIRST = {"write"}
#: Rows that contradict the reference of the dialect, with the reason.
OTHERWISE = {
    "EX-031": OWN_SHELL,
    "DL-013": "write_file of the reference requires no read: a file that was never read may be overwritten, and the history keeps it",
    "DL-210": "write_file of the reference requires no read: a file that was never read may be overwritten, and the history keeps it",
}
#: Maximum length of a line that a read shows completely.
LONGEST = 2000


def read(args):
    first, last = span(only(args, "path", "offset", "limit"))
    if last is None and "offset" not in args:
        return [("read_file", {"path": args["path"]})]
    end = {} if last is None else {"end_line": last}
    return [("read_file_range", {"path": args["path"], "start_line": first, **end})]


def multi_edit(args):
    return [("apply_patch", {"path": args["path"], "patches": [renamed(one, old="old_text", new="new_text") for one in args["edits"]]})]


def batch(args):
    return [("batch", {"calls": list(inner(sys.modules[__name__], args))})]


SAYS = {
    "exec": lambda args: [("run_command", renamed(unlimited(args), command="command", cwd="cwd"))],
    "read": read, "multi_edit": multi_edit, "batch": batch,
    "read_many": lambda args: [("read_many_files", {"paths": args["paths"]})],
    "write": lambda args: [("write_file", renamed(args, path="path", content="content"))],
    "edit": lambda args: [("edit_file", renamed(args, path="path", old="old_content", new="new_content"))],
    "list": lambda args: [("list_dir", renamed(args, path="path"))],
    "glob": lambda args: [("glob", renamed(args, path="path", pattern="pattern"))],
    "grep": lambda args: [("grep_search", renamed(args, path="path", pattern="pattern"))],
    "stat": lambda args: [("get_file_info", renamed(args, path="path"))],
    "mkdir": lambda args: [("create_directory", renamed(args, path="path"))],
    "move": lambda args: [("move_file", {"source": args["from"], "destination": args["to"]})],
    "copy": lambda args: [("copy_file", {"source": args["from"], "destination": args["to"]})],
    "delete": lambda args: [("delete_file", renamed(args, path="path", recursive="recursive"))],
}


def shown(operation, args):
    """Returns the call that reads the file before an operation changes it."""
    return "read_file", {"path": args["path"]}


def read_on(path, text):
    """Returns the call that reads the lines that a reply left out; None if the reply was complete."""
    total = re.search(r"\[TRUNCATED: \d+ bytes, (\d+) lines", text) or re.search(r"Lines (\d+)-(\d+) \(of (\d+)\)", text)
    if total is None:
        return None
    if len(total.groups()) == 1:
        return "read_file_range", {"path": path, "start_line": 101, "end_line": int(total[1])}
    return ("read_file_range", {"path": path, "start_line": int(total[2]) + 1}) if int(total[2]) < int(total[3]) else None
