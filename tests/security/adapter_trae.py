"""Translates the abstract operations into calls of the dialect trae."""
import re

from adapters import OWN_SHELL, only, renamed, span, unlimited

DIALECT = "trae"
#: The dialects that the server serves.
SERVED = ("trae",)

#: Texts of refusals that require a read; this dialect requires no read before a change.
NOT_SEEN = re.compile("Look at .* with view_files first")
SEEN_FIRST = set()
LONGEST = 2000
#: A line number after the end of every file in the rows.
LAST = 100_000_000


def read(args):
    first, last = span(only(args, "path", "offset", "limit"))
    return [("view_files", {"files": [{"file_path": args["path"], "start_line": first, "end_line": LAST if last is None else last}]})]


def read_many(args):
    files = [{"file_path": path, "start_line": 1, "end_line": LAST} for path in args["paths"]]
    return [("view_files", {"files": files[at:at + 10]}) for at in range(0, len(files), 10)]


def write(args):
    """Sets the flag for overwriting if the file exists, unless the row tests a write without the flag."""
    arguments = renamed(args, path="file_path", content="content")
    return [("write_to_file", {**arguments, "rewrite": args.get("exists", False) and not args.get("unasked")})]


def edit(args):
    return multi_edit({"path": args["path"], "edits": [{"old": args["old"], "new": args["new"]}]})


def multi_edit(args):
    blocks = [renamed(one, old="old_str", new="new_str") for one in args["edits"]]
    return [("update_file", {"file_path": args["path"], "replace_blocks": blocks})]


def run(args):
    args = only(unlimited(args), "command", "cwd", "background")
    cwd = {"cwd": args["cwd"]} if "cwd" in args else {}
    return [("run_command", {"command": "bash", "args": ["-c", args["command"]], "blocking": not args.get("background", False),
                             "requires_approval": False, **cwd})]


#: Rows that do not apply to this dialect, with the reason.
OTHERWISE = {
    "EX-031": OWN_SHELL,
    "EX-034": "the reply also has numbers of milliseconds and characters, which the row mistakes for descriptors",
}

SAYS = {
    "exec": run,
    "bg_output": lambda args: [("check_command_status", {"command_id": args.get("job", ""), "output_character_count": 4000})],
    "bg_kill": lambda args: [("stop_command", {"command_id": args.get("job", "")})],
    "read": read, "read_many": read_many, "write": write, "edit": edit, "multi_edit": multi_edit,
    "fast_apply": lambda args: [("edit_file_fast_apply", renamed(args, path="file_path", content="content"))],
    "list": lambda args: [("list_dir", renamed(args, path="dir_path"))],
    "grep": lambda args: [("search_by_regex", renamed(args, pattern="query", path="search_directory"))],
    "move": lambda args: [("rename_file", {"file_path": args["from"], "rename_file_path": args["to"]})],
    "delete": lambda args: [("delete_file", {"file_paths": [args["path"]]})],
}


def shown(operation, args):
    """Returns the call that reads the file before an operation changes it."""
    return read({"path": args["path"]})[0]


def read_on(path, text):
    """Returns None: this dialect requires no read before a change."""
