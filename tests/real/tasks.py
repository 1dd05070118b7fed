"""The task, as a model would do it with the tools of each dialect: read, edit wrongly, edit, verify."""

BEFORE = "# \u03a3 of two\r\ndef total(a, b):\r\n\treturn a - b\r\n# no line break follows".encode()
AFTER = BEFORE.replace(b"a - b", b"a + b")
FILES = {
    "src/calc.py": BEFORE,
    "check.py": b"import sys\nfrom src.calc import total\nprint('PASS' if total(2, 3) == 5 else 'FAIL')\nsys.exit(total(2, 3) != 5)\n",
    "long.txt": "".join(f"line {number} of a long file, which no client of ours is glad to see\n" for number in range(1, 1201)).encode(),
}
RULES = """[[rule]]
touch = ["execute"]
commands = ["python3 -B check.py $"]
decide = "allow"
why = "The tests are ours."
"""
PATH, CHECK = "src/calc.py", "python3 -B check.py"
#: A command that no rule matches, and the file that it would create.
UNASKED, MADE = "touch made.txt", "made.txt"


class Task:
    """The flags of the server, and the calls, each with a tool and its arguments."""

    def __init__(self, flags, read, wrong, right, shell, long):
        self.flags, self.read, self.wrong, self.right, self.long = flags, read, wrong, right, long
        self.verify, self.unasked = shell(CHECK), shell(UNASKED)

    @property
    def calls(self):
        """Returns all calls by their purpose, in the order in which they are made."""
        return {"read": self.read, "long": self.long, "verify before": self.verify, "wrong edit": self.wrong, "right edit": self.right,
                "verify after": self.verify}

    @property
    def tools(self):
        return sorted({tool for tool, _ in self.calls.values()})


def edits(make):
    """Returns an edit of a text that the file does not have, and the right edit."""
    return make("\treturn a * b"), make("\treturn a - b")


def claude():
    wrong, right = edits(lambda old: ("Edit", {"file_path": PATH, "old_string": old, "new_string": "\treturn a + b"}))
    # The dialect has no shell tool, so that of another dialect is served as well.
    return Task(["--dialect", "claude", "--dialect", "opencode", "--tools", "Read,Edit,Write,Glob,Grep,bash"], ("Read", {"file_path": PATH}),
                wrong, right, lambda line: ("bash", {"command": line}), ("Read", {"file_path": "long.txt"}))


def opencode():
    wrong, right = edits(lambda old: ("edit", {"filePath": PATH, "oldString": old, "newString": "\treturn a + b"}))
    return Task(["--dialect", "opencode"], ("grep", {"pattern": "return", "path": PATH}), wrong, right,
                lambda line: ("bash", {"command": line, "description": "Runs it"}), ("grep", {"pattern": "line", "path": "long.txt"}))


def trae():
    wrong, right = edits(lambda old: ("update_file", {"file_path": PATH, "replace_blocks": [{"old_str": old, "new_str": "\treturn a + b"}]}))
    def shell(line):
        program, *arguments = line.split()
        return "run_command", {"command": program, "args": arguments, "blocking": True, "requires_approval": False}

    return Task(["--dialect", "trae"], ("view_files", {"files": [{"file_path": PATH, "start_line": 1, "end_line": 9}]}), wrong, right, shell,
                ("view_files", {"files": [{"file_path": "long.txt", "start_line": 1, "end_line": 1200}]}))


def zblade():
    wrong, right = edits(lambda old: ("edit_file", {"path": PATH, "old_content": old, "new_content": "\treturn a + b"}))
    return Task(["--dialect", "zblade"], ("read_file", {"path": PATH}), wrong, right, lambda line: ("run_command", {"command": line}),
                ("read_file", {"path": "long.txt"}))


def probe():
    wrong, right = edits(lambda old: ("edit", {"file_path": PATH, "old_string": old, "new_string": "\treturn a + b"}))
    return Task(["--dialect", "probe"], ("extract", {"file": PATH}), wrong, right, lambda line: ("bash", {"command": line}), ("extract", {"file": "long.txt"}))


TASKS = {"claude": claude(), "opencode": opencode(), "trae": trae(), "zblade": zblade(), "probe": probe()}
