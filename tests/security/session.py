"""One row's session with a server: operations in, replies out, memory watched."""
import os
import re
import threading
import time

import adapters
from world import Gone, Silent
from pipe import refused, text_of


#: Maximum size of a file that is read to its end here, in bytes.
WHOLE = 4_000_000
#: The name of a command that was started.
JOB = re.compile(r"\bjob-\w+")


class Reply:
    """Result of an operation: its text, whether it was refused, and the error code if there is one."""

    def __init__(self, text="", refused=False, code=None):
        self.text, self.refused, self.code = text, refused, code

    @classmethod
    def of(cls, answer):
        return cls(text_of(answer), refused(answer), answer.get("error", {}).get("code"))


class NoAnswer(Exception):
    """No answer arrived within the time limit of the row."""


class Session:
    """A server with an open session, and the observations of the row."""

    def __init__(self, world, adapter):
        self.world, self.row, self.adapter = world, world.row, adapter
        self.server, self.findings = None, {}
        self.read_paths, self.unshown = set(), set()
        self.idle_mb = self.peak_mb = 0.0
        self.trace_from, self.why_not_started = 0, ""
        self.job = ""
        self.stopped = threading.Event()

    def limit(self):
        """Seconds that the main operation may take."""
        return self.row["max_ms"] / 1000 * self.world.setting.scale

    def open(self, command=None, capabilities=None):
        """Starts a server and opens the session; a start that fails is remembered, not raised."""
        server = self.world.start(command)
        try:
            answer = server.initialize(capabilities=capabilities, seconds=20)
            if "error" in answer:
                raise Gone(str(answer["error"]))
        except (Gone, Silent) as error:
            self.why_not_started = f"{error}: {self.world.said_errors()[-400:]}"
            server.kill()
            return None
        self.read_paths = set()
        return server

    def begin(self):
        """Opens the row's own session and begins to watch its memory."""
        self.server = self.open()
        if self.server is None:
            return
        self.idle_mb = self.peak_mb = self.server.resident_mb() or 0.0
        threading.Thread(target=self._watch, daemon=True).start()
        try:
            self.trace_from = os.path.getsize(self.world.trace)
        except OSError:
            self.trace_from = 0

    def _watch(self):
        while not self.stopped.wait(0.05) and self.server.process.poll() is None:
            self.peak_mb = max(self.peak_mb, self.server.resident_mb() or 0.0)

    def growth_mb(self):
        return self.peak_mb - self.idle_mb

    def call(self, server, tool, arguments, seconds):
        try:
            return Reply.of(server.call(tool, arguments, seconds))
        except Silent as error:
            raise NoAnswer(str(error)) from error
        except Gone as error:
            raise NoAnswer(f"{error} {self.world.said_errors()[-300:]}") from error

    def say(self, operation, args):
        """Makes the calls of an operation that needs no special code, after the read that the dialect requires."""
        if self.server is None:
            return [Reply(self.why_not_started, refused=True)]
        args = self.completed(operation, args)
        changes = operation in ("write", "edit", "multi_edit", "fast_apply")
        if self.must_be_known(operation, args):
            self.make_known(self.server, args["path"], operation, args)
        if changes or operation == "read":
            self.read_paths.add(args["path"])
        until = time.monotonic() + self.limit()
        replies = []
        for tool, arguments in adapters.calls(self.adapter, operation, args):
            replies.append(self.call(self.server, tool, arguments, max(0.1, until - time.monotonic())))
            named = JOB.search(replies[-1].text)
            self.job = named[0] if named else self.job
        if changes:
            self.counted(args["path"], replies[0])
        return replies or [Reply()]

    def one(self, operation, **args):
        """Returns the first call of an operation."""
        return adapters.calls(self.adapter, operation, self.completed(operation, args))[0]

    def completed(self, operation, args):
        """Adds the facts for the overwrite flag to a write, and the id of the job to an operation on a job."""
        if operation in ("bg_output", "bg_kill"):
            return {**args, "job": self.job}
        if operation != "write":
            return args
        exists = os.path.lexists(os.path.join(self.world.ws, args["path"]))
        return {**args, "exists": exists, "unasked": self.row["id"] in adapters.UNREAD or self.row.get("unread", False)}

    def unread(self):
        """Returns whether the row tests an operation without an earlier read."""
        return self.row["id"] in adapters.UNREAD or self.row.get("read_first") is False

    def must_be_known(self, operation, args):
        """Returns whether the session must read the whole file first, because the dialect changes only files that were read."""
        if operation not in self.adapter.SEEN_FIRST or self.unread():
            return False
        return args["path"] not in self.read_paths and os.path.lexists(args["path"])

    def make_known(self, server, path, operation="write", args=None):
        """Lets the session read the whole file; if its lines are too long for that, the session writes the file instead."""
        if operation not in self.adapter.SEEN_FIRST:
            return
        if self.readable_whole(path):
            self.read_to_the_end(server, path, self.adapter.shown(operation, args or {"path": path, "content": "x"}))
        else:
            self.write_anew(server, path)
        self.read_paths.add(path)

    def readable_whole(self, path):
        """Returns whether a read can show the whole file: no line is cut, and the file is not too large."""
        try:
            if not os.path.isfile(path) or os.path.getsize(path) > WHOLE:
                return True
            with open(path, "rb") as file:
                return max(map(len, file.read().split(b"\n"))) <= self.adapter.LONGEST
        except OSError:
            return True

    def read_to_the_end(self, server, path, call):
        """Reads page by page; a file that cannot be shown is remembered as such. A huge one is read once."""
        pages = 0
        while call and pages < 50:
            reply = self.call(server, *call, seconds=self.limit())
            pages += 1
            if reply.refused:
                self.unshown.add(path)
                return
            small = os.path.isfile(path) and os.path.getsize(path) <= WHOLE
            call = self.adapter.read_on(path, reply.text) if small else None

    def write_anew(self, server, path):
        with open(path, encoding="utf8") as file:
            content = file.read()
        os.remove(path)
        written = self.call(server, *self.one("write", path=path, content=content), self.limit())
        if written.refused:
            raise RuntimeError(f"the old content could not be written: {written.text[:200]}")

    def counted(self, path, reply):
        """Fails on a refusal that only requires a read, because the row would pass for the wrong reason."""
        unread = path in self.unshown or self.unread() or self.row.get("unread")
        if self.adapter.NOT_SEEN.search(reply.text) and not unread and os.path.isfile(path) and not os.path.islink(path):
            raise RuntimeError(f"the read that must come first did not count: {reply.text[:200]}")

    def close(self):
        self.stopped.set()
