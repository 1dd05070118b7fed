"""Tests the shared index with a real PostgreSQL server.

usage: check.py BINARY [NAME...]
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pipe import Pipe, refused, text_of  # noqa: E402
from postgres import Postgres  # noqa: E402

#: Time limit in seconds, longer than any step takes.
LONG = 120.0
WORDS = "alpha beta gamma delta epsilon lock spin_lock unlock return if else while Buffer buffer_len size_t struct".split()
PATTERNS = ["spin_lock", "Buffer", "(?i)buffer", "alpha beta", r"\bsize_t gamma\b", "marker[0-9]+", "epsilon|struct",
            "nowhere_at_all", "alpha.*delta", r"return\s+if", "unlock (alpha|beta)", "é", "edited", "moved"]
#: Result of `World.sound` if nothing is missing in the index.
SOUND = "0|0|0|0"
passed, failed = 0, 0


def check(what, holds, found=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}\n{found}\n", flush=True)


def git(folder, *arguments):
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
                "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    done = subprocess.run(["git", "-C", str(folder), *arguments], env={**os.environ, **identity}, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip()


def text(luck, lines):
    return "".join(" ".join(luck.choices(WORDS, k=6)) + "\n" for _ in range(lines))


def project(root, luck, files=60):
    """Creates a repository with the cases that an index must distinguish."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for number in range(files):
        place = root / f"part{number % 7}" / f"file{number}.c"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text(luck, luck.randrange(1, 60)) + f"marker{number}\n")
    (root / "long.txt").write_text(text(luck, 4_000) + "marker_behind\n" + text(luck, 2_000))
    (root / "binary.bin").write_bytes(b"spin_lock\0spin_lock")
    (root / "wide.txt").write_text("spin_lock Buffer\n", encoding="utf-16")
    (root / "latin.txt").write_bytes("spin_lock é\n".encode("latin-1"))
    (root / "accents.txt").write_text("alpha é spin_lock\r\nBuffer\r\n")
    (root / "empty.txt").write_text("")
    (root / "link").symlink_to("long.txt")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")


class World:
    """A PostgreSQL server, a directory, and the binary."""

    def __init__(self, binary, postgres, base):
        self.binary, self.postgres, self.base = binary, postgres, base
        self.environment = {**os.environ, "XDG_STATE_HOME": str(base / "state"), "XDG_CONFIG_HOME": str(base / "config"),
                            "XDG_CACHE_HOME": str(base / "cache")}
        self.count = 0

    def run(self, *arguments, cache=None, **options):
        environment = {**self.environment, **({"XDG_CACHE_HOME": str(cache)} if cache else {})}
        return subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True, env=environment,
                              timeout=LONG, **options)

    def push(self, root, name, *more, address=None):
        return self.run("--root", root, "--repository", name, "index", "push", "--json", address or self.address(), *more)

    def pushed(self, root, name, *more):
        done = self.push(root, name, *more)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def address(self, **how):
        return self.postgres.address(self.name, **how)

    def fresh(self):
        """Creates a new database, and returns this world."""
        self.count += 1
        self.name = f"code{self.count}"
        self.postgres.make(self.name)
        return self

    def sql(self, statement):
        return self.postgres.sql(statement, self.name)

    def across(self, pattern, names, *more):
        """Searches repositories; returns the lines as (repository, path, number), and the summary."""
        done = self.run("--index", self.address(), "grep", pattern, "--repositories", names, "--json", *more)
        if done.returncode > 1:
            raise RuntimeError(done.stderr)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        lines = [(line["repository"], line["path"], line["number"]) for line in told if line["type"] == "line"]
        return lines, told[-1]

    def sound(self):
        """Returns the numbers of incomplete contents, files without content, incomplete block sets, and files without blocks."""
        return self.sql("""select
          (select count(*) from toolpost.blobs b where b.pieces <> (select count(*) from toolpost.pieces p
             where (p.repository, p.hash) = (b.repository, b.hash))),
          (select count(*) from toolpost.files f where not exists (select from toolpost.blobs b
             where (b.repository, b.hash) = (f.repository, f.hash))),
          (select count(*) from toolpost.cuts c where not c.whole or c.blocks <> (select count(*) from toolpost.blocks b
             where (b.repository, b.cut) = (c.repository, c.id)) or c.blocks <> (select count(*) from toolpost.vectors v
             where (v.repository, v.cut) = (c.repository, c.id))),
          (select count(*) from toolpost.files f where f.way is not null and not exists (select from toolpost.cuts c
             where (c.repository, c.hash, c.way) = (f.repository, f.hash, f.way)))""")

    def search(self, question, names, *more, base=None):
        """Searches across repositories; returns the result, or the error text."""
        address = self.postgres.address(base) if base else self.address()
        done = self.run("--index", address, "search", question, "--repositories", names, "--json", *more)
        return json.loads(done.stdout) if done.returncode < 2 else done.stderr


def expected(root, pattern):
    """Returns the lines that git finds in the commit."""
    done = subprocess.run(["git", "-C", str(root), "grep", "-n", "-P", "-I", pattern.replace("$", r"\r?$"), "HEAD"], capture_output=True)
    found = []
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        _, path, number, _ = line.split(":", 3)
        found.append((path, int(number)))
    return sorted(found)


def pushes(world):
    luck, root = random.Random(1), world.base / "pushes" / "one"
    project(root, luck)
    first = world.pushed(root, "one")
    check("a push sends all contents", (first["files"], first["withheld"]) == (66, 0) and first["sent"] == 66, first)
    again = world.pushed(root, "one")
    check("a second push sends nothing", (again["sent"], again["commit"]) == (0, first["commit"]), again)
    for pattern in ["spin_lock", "marker1[0-9]", "marker_behind", "Buffer$", "nowhere_at_all", r"size_t\s+struct", "a.b"]:
        lines, summary = world.across(pattern, "*", "--limit", "100000")
        found = sorted((path, number) for _, path, number in lines)
        # Files that are not UTF-8 are in the index without their text.
        wanted = [line for line in expected(root, pattern) if line[0] != "latin.txt"]
        check(f"a search across repositories finds what git finds: {pattern}", found == wanted and not summary["more"], (len(found), len(wanted)))
    _, summary = world.across("spin_lock", "one")
    check("skipped files are reported", summary["left_out"] == ["1 binary file", "2 files that are not UTF-8, or too long"], summary)
    lines, summary = world.across("spin_lock", "one", "--limit", "5")
    check("a reached limit is reported", (len(lines), summary["more"], summary["lines"]) == (5, True, 5), summary)
    lines, _ = world.across("marker1", "one", "-g", "part1/*", "-g", "!file1.c")
    check("globs select files", {path for _, path, _ in lines} <= {"part1/file15.c"} and lines, lines)
    clone = world.base / "pushes" / "clone"
    git(root.parent, "clone", "-q", str(root), str(clone))
    git(clone, "checkout", "-q", "-b", "side")
    (clone / "new.c").write_text("only_on_side\n")
    git(clone, "rm", "-q", "part0/file0.c")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "side")
    side = world.pushed(clone, "one")
    check("a branch of a clone sends only new content", (side["sent"], side["branch"], side["files"]) == (1, "side", 66), side)
    check("branches are distinguished", (world.across("only_on_side", "one")[0],
                                      len(world.across("only_on_side", "one", "--branch", "side")[0])) == ([], 1))
    by_name = world.run("--root", root, "--repository", "one", "index", "push", "--commit", "nowhere", world.address())
    check("a commit that does not exist", by_name.returncode == 2 and "git could not find the commit nowhere" in by_name.stderr,
          by_name.stderr)
    (root / ".toolpost").mkdir()
    (root / "hidden.txt").write_text("hidden_word\n")
    (root / ".toolpost" / "policy.toml").write_text('[[rule]]\ntouch = ["read"]\npaths = ["hidden.txt"]\ndecide = "deny"\n')
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "hidden")
    kept = world.push(root, "one")
    if kept.returncode == 0:
        told = json.loads(kept.stdout)
        check("files that the rules hide are not sent", told["withheld"] >= 1 and world.across("hidden_word", "one")[0] == [], told)
    else:
        check("the rules are accepted", False, kept.stderr)
    check("the index is sound", world.sound() == SOUND, world.sound())


class Served:
    """The binary as a server of a workspace with the shared index."""

    def __init__(self, world, root, name, cache):
        self.log = open(cache.parent / f"{cache.name}.err", "w+")
        self.pipe = Pipe([world.binary, "serve", "--root", str(root), "--index", world.address(), "--repository", name],
                         env={**world.environment, "XDG_CACHE_HOME": str(cache), "TOOLPOST_LOG": "warn"}, errors=self.log)
        self.pipe.initialize()
        self.world = world

    def grep(self, pattern):
        answer = self.pipe.call("Grep", {"pattern": pattern, "output_mode": "content", "-n": True, "head_limit": 100_000}, LONG)
        return refused(answer), text_of(answer)

    def shared(self, seconds=LONG):
        """Waits until a search queries the PostgreSQL server; returns False after `seconds`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = self.world.postgres.asked("octet_length(body) as length")
            self.grep("spin_lock")
            if self.world.postgres.asked("octet_length(body) as length") > before:
                return True
            time.sleep(0.2)
        return False

    def said(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def end(self):
        self.pipe.kill()
        self.log.close()


def plain(world, root, pattern):
    """Returns the reply of a search that reads all files."""
    done = world.run("call", "--root", root, "--dialect", "claude", "Grep",
                     json.dumps({"pattern": pattern, "output_mode": "content", "-n": True, "head_limit": 100_000}))
    return bool(done.returncode), (done.stdout if done.returncode == 0 else done.stderr).rstrip("\n")


def lasting(answer):
    """An answer without the note about skipped files, which a session prints once and a one-shot call each time."""
    failed, words = answer
    lines = [line for line in words.rstrip("\n").split("\n") if not line.startswith("[toolpost: skipped ")]
    return failed, "\n".join(lines)


def same(world, served, root, what):
    for pattern in PATTERNS:
        found, wanted = lasting(served.grep(pattern)), lasting(plain(world, root, pattern))
        check(f"{what}: {pattern}", found == wanted, f"{str(found)[:400]}\n{str(wanted)[:400]}")


def edit(root, luck, step):
    """Makes random changes to the working tree."""
    files = sorted(path for path in root.rglob("*.c") if path.is_file())
    for number in range(3):
        path = luck.choice(files)
        if not path.exists():
            continue
        match luck.randrange(7):
            case 0:
                path.write_text(text(luck, 20) + f"edited {step}\n")
            case 1:
                with open(path, "a") as file:
                    file.write(f"marker{step}{number} edited\n")
            case 2:
                path.rename(path.with_name(f"moved{step}{number}.c"))
            case 3:
                path.unlink()
            case 4:
                (root / f"new{step}{number}.c").write_text(f"moved spin_lock {step}\n")
            case 5:
                # The length and the times of the file stay the same.
                was = path.stat()
                body = path.read_bytes()
                path.write_bytes(body.replace(b"alpha", b"delta").replace(b"lock", b"kcol"))
                os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
            case 6:
                shutil.copy(luck.choice(files) if luck.choice(files).exists() else root / "long.txt", root / f"copy{step}{number}.c")


def overlay(world):
    luck, root = random.Random(2), world.base / "overlay" / "tree"
    project(root, luck, 120)
    world.pushed(root, "tree")
    git(root, "checkout", "-q", "-b", "other")
    for path in sorted(root.rglob("*.c"))[::3]:
        path.write_text(text(luck, 30) + "edited on other\n")
    git(root, "commit", "-q", "-a", "-m", "other")
    git(root, "checkout", "-q", "main")
    served = Served(world, root, "tree", world.base / "overlay" / "cache")
    try:
        check("PostgreSQL is queried", served.shared())
        same(world, served, root, "as it was pushed")
        for step in range(12):
            edit(root, luck, step)
            same(world, served, root, f"after edits {step}")
        git(root, "checkout", "-q", "-f", "other")
        same(world, served, root, "on another branch")
        world.pushed(root, "tree")
        same(world, served, root, "when that was pushed, too")
        git(root, "clean", "-fdq")
        git(root, "checkout", "-q", "-f", "main")
        same(world, served, root, "back again")
        check("PostgreSQL is still queried", served.shared())
    finally:
        served.end()
    short = world.run("--root", root, "--index", world.address(), "--repository", "tree", "grep", "spin_lock", "--limit", "100000")
    without = world.run("--root", root, "grep", "spin_lock", "--limit", "100000")
    check("a command has the same output with and without the index", short.stdout == without.stdout and short.stdout, short.stderr)


def together(world):
    luck, root = random.Random(3), world.base / "together" / "tree"
    project(root, luck, 200)
    running = []
    for number in range(4):
        clone = world.base / "together" / f"clone{number}"
        git(root.parent, "clone", "-q", str(root), str(clone))
        git(clone, "checkout", "-q", "-b", f"branch{number % 2}")
        if number > 1:
            (clone / "more.c").write_text(f"more {number % 2}\n")
            git(clone, "add", "-A")
            git(clone, "commit", "-q", "-m", "more")
        running.append(subprocess.Popen([world.binary, "--root", str(clone), "--repository", "tree", "index", "push", "--json",
                                         world.address()], env=world.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    ended = [process.communicate(timeout=LONG) for process in running]
    check("several pushes at the same time succeed", all(process.returncode == 0 for process in running), ended)
    check("the index is sound after that", world.sound() == SOUND, world.sound())
    versions = world.sql("select branch, count(*) from toolpost.versions group by 1 order by 1")
    check("each branch has one commit", versions == "branch0|1\nbranch1|1", versions)
    sent = sum(json.loads(out)["sent"] for out, _ in ended)
    kept = int(world.sql("select count(*) from toolpost.blobs"))
    check("each content is stored once", kept in (207, 208) and sent >= kept, (kept, sent))


def killed(world):
    luck, root = random.Random(4), world.base / "killed" / "tree"
    project(root, luck, 300)
    before = world.pushed(root, "tree")
    for path in sorted(root.rglob("*.c")):
        path.write_text(text(luck, 400) + "afterwards\n")
    git(root, "commit", "-q", "-a", "-m", "second")
    for number in range(8):
        process = subprocess.Popen([world.binary, "--root", str(root), "--repository", "tree", "index", "push", world.address()],
                                   env=world.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.05 + 0.07 * number)
        alive = process.poll() is None
        process.kill()
        process.wait()
        if alive:
            commit = world.sql("select commit from toolpost.versions")
            check(f"a killed push leaves a complete commit {number}", commit == before["commit"] or len(commit) == 40, commit)
            lines, _ = world.across("afterwards", "tree")
            check(f"the index has the state before or after the push {number}", len(lines) == (0 if commit == before["commit"] else 300), len(lines))
    after = world.pushed(root, "tree")
    check("the next push sends the rest", len(world.across("afterwards", "tree")[0]) == 300, after)
    check("the index is sound after kills", world.sound() == SOUND, world.sound())


def away(world):
    luck, root = random.Random(5), world.base / "away" / "tree"
    project(root, luck)
    world.pushed(root, "tree")
    served = Served(world, root, "tree", world.base / "away" / "cache")
    try:
        check("PostgreSQL is queried", served.shared())
        world.postgres.stop()
        world.postgres.start()
        same(world, served, root, "after a restart")
        check("a restarted PostgreSQL is queried again", served.shared())
        world.postgres.freeze()
        try:
            began = time.monotonic()
            same(world, served, root, "while the server is frozen")
            took = time.monotonic() - began
        finally:
            world.postgres.thaw()
        check("searches wait for a frozen server only once", took < 60, took)
        world.postgres.stop()
        edit(root, luck, 1)
        same(world, served, root, "while the server is away")
        world.postgres.start()
        said = served.said()
        check("the missing server is reported once", said.count("searches do not use the shared index") == 1, said)
    finally:
        served.end()
    world.postgres.stop()
    try:
        served = Served(world, root, "tree", world.base / "away" / "cold")
        same(world, served, root, "if the server was never available")
        served.end()
        done = world.run("--index", world.address(), "grep", "spin_lock", "--repositories", "*")
        check("a search across repositories reports that the server cannot be reached", done.returncode == 2 and "cannot be reached" in done.stderr, done.stderr)
    finally:
        world.postgres.start()


def refused_(world):
    root = world.base / "refused" / "tree"
    project(root, random.Random(6), 3)
    world.postgres.make("ascii", "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0")
    world.postgres.make("bare")
    rows = [
        (world.address(password="wrong"), "refuses the user: password authentication failed"),
        (world.postgres.address("nowhere"), 'failed: database "nowhere" does not exist'),
        (world.address(port=1), "cannot be reached: Connection refused"),
        (world.postgres.address("ascii"), "has the encoding SQL_ASCII; create one with the encoding UTF8"),
        (world.address() + "?sslmode=require", "nothing was sent in plain text"),
        (world.address() + "?sslmode=prefer", "sslmode=prefer would continue in plain text if the server does not encrypt"),
        ("mysql://host/base", "is not the URL of an index"),
    ]
    for address, words in rows:
        done = world.push(root, "tree", address=address)
        check(f"a push reports: {words}", done.returncode == 2 and words in done.stderr and "a%20secret" not in done.stderr, done.stderr)
    done = world.run("--index", world.postgres.address("bare"), "grep", "x", "--repositories", "*")
    check("a database without an index", "has no index; `toolpost index push` creates one" in done.stderr, done.stderr)
    world.pushed(root, "tree")
    world.sql(f"alter database {world.name} set standard_conforming_strings = off")
    lines, _ = world.across(r"x\\'|it's nowhere", "tree")
    check("quotes in a pattern are literal", lines == [], lines)
    world.sql("update toolpost.schema set version = 99")
    done = world.push(root, "tree")
    check("tables of another version", "have version 99, and this program supports version" in done.stderr, done.stderr)
    outside = world.base / "refused" / "no repository"
    outside.mkdir()
    done = world.push(outside, "x")
    check("a directory without git", done.returncode == 2 and "git could not find the commit HEAD" in done.stderr, done.stderr)
    done = world.push(root / "part0", "tree")
    check("a directory below the top", done.returncode == 2 and f"pass --root {root}" in done.stderr, done.stderr)
    done = world.run("--index", world.address(), "grep", "(", "--repositories", "*")
    check("an invalid expression", done.returncode == 2 and done.stderr, done.stderr)


def damaged(world):
    luck, root = random.Random(7), world.base / "damaged" / "tree"
    project(root, luck)
    world.pushed(root, "tree")
    served = Served(world, root, "tree", world.base / "damaged" / "cache")
    try:
        check("PostgreSQL is queried", served.shared())
        world.sql("delete from toolpost.pieces where body like '%marker7%'")
        same(world, served, root, "when pieces were removed")
        world.sql("delete from toolpost.blobs where size > 1000")
        same(world, served, root, "when contents were removed")
        world.sql("truncate toolpost.pieces")
        same(world, served, root, "when all pieces were removed")
    finally:
        served.end()
    world.pushed(root, "tree")
    check("a push restores missing content", world.sound() == SOUND and len(world.across("marker7$", "tree")[0]) == 1, world.sound())
    world.sql("update toolpost.pieces set body = replace(body, 'marker7', 'MARKER7') where body like '%marker7\n%'")
    lines, summary = world.across("MARKER7", "tree")
    check("a text that does not match its hash is not shown",
          lines == [] and any("damaged text in the index (tree: part0/file7.c)" in note for note in summary["left_out"]), (lines, summary))
    world.sql("drop table toolpost.pieces cascade")
    done = world.run("--index", world.address(), "grep", "x", "--repositories", "*")
    check("a table that is gone", done.returncode == 2 and done.stderr, done.stderr)


def many(world):
    for number in range(30):
        root = world.base / "many" / f"tree{number}"
        project(root, random.Random(number), 8)
        (root / "own.c").write_text(f"own_word_{number}\nshared_word\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "own")
        world.pushed(root, f"team{number % 3}/tree{number}")
    lines, summary = world.across("shared_word", "*")
    check("all repositories are searched", (len(lines), summary["repositories"]) == (30, 30), summary)
    check("lines are sorted by repository and path", lines == sorted(lines), lines)
    lines, summary = world.across("shared_word", "team1/*, team2/tree2")
    check("selected repositories are searched", (len(lines), summary["repositories"]) == (11, 11), summary)
    lines, _ = world.across("own_word_27", "*")
    check("a text of one repository is found", lines == [("team0/tree27", "own.c", 1)], lines)
    lines, summary = world.across("shared_word", "*", "--limit", "12")
    check("a limit over repositories", (len(lines), summary["more"]) == (12, True), summary)
    done = world.run("--index", world.address(), "grep", "x", "--repositories", "nobody/*")
    check("no repository of that name", done.returncode == 2 and "the index has no repository nobody/*; its repositories are: team0/tree0," in done.stderr,
          done.stderr)
    done = world.run("--index", world.address(), "grep", "own_word_4$", "--repositories", "*")
    check("text output of lines", done.stdout == "team1/tree4: own.c:1:own_word_4\n", done.stdout)
    done = world.run("--index", world.address(), "grep", "nowhere_at_all", "--repositories", "*")
    check("nothing found is status 1", (done.returncode, done.stdout) == (1, ""), done)


CODE = {
    "src/session.rs": """/// Renews a session whose time is over, so that its owner need not log in again.
pub fn renew_session(session: &mut Session, now: Instant) -> bool {
    if session.expires < now {
        session.expires = now + LIFETIME;
        return true;
    }
    false
}

/// Ends a session and forgets its owner.
pub fn close_session(session: Session) {
    drop(session);
}
""",
    "src/parse.py": """def parse_header(line):
    \"\"\"Splits a header line of an HTTP message into its name and its value.\"\"\"
    name, _, value = line.partition(':')
    return name.strip().lower(), value.strip()


def read_configuration(path):
    \"\"\"Reads the configuration file and merges it with the defaults.\"\"\"
    with open(path) as file:
        return {**DEFAULTS, **json.load(file)}
""",
    "src/tree.h": """/* Removes a node of the balanced tree and rotates its children. */
int tree_remove(struct tree *tree, int key);
""",
    "src/queue.go": """package queue

// Retry sends a message again after a pause that doubles each time, until it is taken.
func Retry(send func() error, most int) error {
	pause := time.Second
	for i := 0; i < most; i++ {
		if send() == nil {
			return nil
		}
		time.Sleep(pause)
		pause *= 2
	}
	return errGivenUp
}
""",
    "tests/session_test.py": """def test_session_is_renewed():
    session = Session(expires=0)
    assert renew_session(session)
""",
    "README.md": "# Sessions\n\nA session ends after an hour.\n",
}
QUESTIONS = ["how is an expired session renewed", "split a header into name and value", "send again with exponential backoff",
             "load the configuration file", "delete a node from the tree"]


def code(root, **more):
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for path, text in {**CODE, **more}.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "code")


def near(world, root, question):
    """Returns the blocks that a search of a workspace finds: path and first line, with the similarity."""
    done = world.run("call", "--root", root, "--dialect", "trae", "search_codebase", json.dumps({"query": question}))
    found = []
    for line in done.stdout.splitlines():
        match = re.match(r"(\S+:\d+)-\d+\b.*\(score [\d.]+: similarity (-?[\d.]+)", line)
        if match:
            found.append((match[1], float(match[2])))
    return dict(found)


def shown(found):
    return [f"{block['path']}:{block['first_line']}-{block['last_line']}" for block in found["blocks"]]


def true_to(root, found):
    """Returns whether the text of each block equals the lines of the commit."""
    for block in found["blocks"]:
        lines = git(root, "show", f"{block['commit']}:{block['path']}").split("\n")
        for stretch in block["lines"]:
            own = stretch["text"].split("\n")
            if own != [line.rstrip("\r") for line in lines[stretch["first"] - 1:stretch["first"] - 1 + len(own)]]:
                return False
    return True


def ranked(world):
    root = world.base / "ranked" / "one"
    code(root)
    told = world.pushed(root, "one")
    check("a push sends blocks and embeddings", told["cut"] == len(CODE) and told["without_vectors"] is None, told)
    again = world.pushed(root, "one")
    check("a second push sends none", (again["cut"], again["sent"]) == (0, 0), again)
    wanted = ["src/session.rs:1-9", "src/parse.py:1-6", "src/queue.go:3-14", "src/parse.py:7-10", "src/tree.h:1-2"]
    for question, first in zip(QUESTIONS, wanted):
        found = world.search(question, "*", "--tests")
        best = shown(world.search(question, "*"))
        check(f"the best block: {question}", best[:1] == [first], best)
        check(f"the text is that of the commit: {question}", true_to(root, found) and found["model"] == "the built-in model", found)
        # The blocks of a workspace end before empty lines.
        here, there = near(world, root, question), {f"{block['path']}:{block['first_line']}": block["likeness"] for block in found["blocks"]}
        both = here.keys() & there.keys()
        check(f"the similarity equals that in a workspace: {question}", len(both) >= 4 and all(abs(here[name] - there[name]) < 0.011 for name in both),
              (here, there))
        check(f"the same order as in a workspace: {question}", list(here)[:3] == list(there)[:3], (here, there))
    found = world.search(QUESTIONS[0], "*")
    check("a block has the reasons of the match", {"session", "renewed"} & set(found["blocks"][0]["words"]) and found["blocks"][0]["likeness"] > 0.3, found["blocks"][:1])
    check("tests are left out", not any("session_test" in place for place in shown(found)), shown(found))
    found = world.search("session", "*", "README.md")
    check("one file", shown(found) and {block["path"] for block in found["blocks"]} == {"README.md"}, shown(found))
    found = world.search("session", "*", "/src/")
    check("one directory", shown(found) and all(path.startswith("src/") for path in shown(found)), shown(found))
    (root / "src" / "session.rs").write_text("fn nothing() {}\n")
    found = world.search(QUESTIONS[0], "one")
    check("a search across repositories shows the commit", shown(found)[:1] == wanted[:1] and found["blocks"][0]["commit"] == told["commit"], shown(found))
    git(root, "checkout", "-q", "-f", "-b", "side")
    (root / "src" / "zip.rs").write_text("/// Packs files into an archive of the zip format.\nfn pack_archive(files: &[File]) {}\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "side")
    side = world.pushed(root, "one")
    check("a branch sends only new blocks", (side["cut"], side["sent"]) == (1, 1), side)
    question = "pack files into a zip archive"
    check("branches are distinguished", ("src/zip.rs:1-2" in shown(world.search(question, "one")),
                                      shown(world.search(question, "one", "--branch", "side"))[:1]) == (False, ["src/zip.rs:1-2"]))
    code(world.base / "ranked" / "fork")
    world.pushed(world.base / "ranked" / "fork", "team/fork")
    found = world.search(QUESTIONS[0], "*")
    check("the same block in another repository is listed with the first one", found["blocks"][0]["also"] == ["team/fork: src/session.rs"]
          and shown(found).count("src/session.rs:1-9") == 1 and found["repositories"] == 2, found["blocks"][:1])
    check("a limit", len(world.search(QUESTIONS[0], "*", "--limit", "3")["blocks"]) == 3)
    check("a question without words", "has no words to search for" in world.search("?!", "*"))
    check("no repository of that name", "the index has no repository nobody; its repositories are: one, team/fork" in world.search("x", "nobody"))
    done = world.run("--index", world.address(), "search", QUESTIONS[0], "--repositories", "one")
    check("text output of blocks", done.stdout.startswith("one: src/session.rs:1-9  function renew_session\n") and "score 1.00; similarity 0." in done.stdout
          and "ranked by keywords and meaning (the built-in model)." in done.stdout, done.stdout)
    check("the index is sound", world.sound() == SOUND, world.sound())


def vectors(world):
    root = world.base / "vectors" / "one"
    code(root)
    world.pushed(root, "one")
    best = shown(world.search(QUESTIONS[0], "one"))[:1]
    said = lambda found: " ".join(found["left_out"])  # noqa: E731

    def mended(what):
        told = world.pushed(root, "one")
        found = world.search(QUESTIONS[0], "one")
        check(f"a push restores {what}", told["cut"] > 0 and world.sound() == SOUND and shown(found)[:1] == best and found["left_out"] == []
              and found["model"], (told, found["left_out"], world.sound()))

    world.sql("update toolpost.models set name = 'static-another'")
    found = world.search("renew session", "one")
    check("embeddings of another model are not used", found["model"] is None and shown(found)[:1] == best
          and all(block["likeness"] is None for block in found["blocks"]) and "embeddings, because the index has none of this program" in said(found), found)
    mended("embeddings of another model")
    world.sql("delete from toolpost.vectors where number = 0")
    found = world.search("renew session", "one")
    check("vectors that were removed", "the embeddings of 5 files" in said(found) and shown(found)[:1] == best, found["left_out"])
    mended("vectors that were removed")
    world.sql("update toolpost.vectors set scale = scale * 2")
    check("vectors that were changed", "the embeddings of " in said(world.search("renew session", "one")))
    mended("vectors that were changed")
    world.sql("delete from toolpost.blocks where name = 'renew_session'")
    found = world.search("renew session", "one")
    check("blocks that were removed", "1 file with blocks that are damaged" in said(found) and shown(found)[:1] != best, found["left_out"])
    mended("blocks that were removed")
    world.sql("update toolpost.blocks set first_line = first_line + 1")
    check("blocks that were changed", "5 files with blocks that are damaged" in said(world.search("renew session", "one")))
    mended("blocks that were changed")
    silent = "set session_replication_role = replica; "
    for what, change in [
        ("lines", "update toolpost.blocks set first_line = first_line + 1"),
        ("words", "update toolpost.blocks b set words = (select words from toolpost.blocks o where o.cut <> b.cut limit 1), "
                  "tokens = (select tokens from toolpost.blocks o where o.cut <> b.cut limit 1)"),
        ("vectors", "update toolpost.vectors v set parts = (select parts from toolpost.vectors o where o.cut <> v.cut limit 1)"),
        ("vectors of another size", "update toolpost.vectors set parts = '[1,2,3]'"),
        ("texts", "update toolpost.pieces set body = body || 'x'"),
    ]:
        world.sql(silent + change)
        found = world.search("renew session", "one")
        check(f"damaged data is not shown: {what}", true_to(root, found) and (found["left_out"] or not shown(found)
              or all(block["likeness"] is None for block in found["blocks"])), found)
        gone = world.run("index", "forget", "one", world.address())
        check(f"a damaged repository can be removed: {what}", gone.returncode == 0, gone.stderr)
        mended(what)
    world.sql("truncate toolpost.vectors")
    check("all vectors removed", "the embeddings of " in said(world.search("renew session", "one")))
    mended("all vectors")
    world.sql("drop table toolpost.vectors")
    check("no table of vectors", "embeddings, because the index has no table for them" in said(world.search("renew session", "one")))
    mended("the table of vectors")
    world.sql("truncate toolpost.blocks")
    check("all blocks removed", shown(world.search("renew session", "one")) == [])
    mended("all blocks")


def extension(world):
    """A server without pgvector, and a user who may not create the extension."""
    root = world.base / "extension" / "one"
    code(root)
    other = Postgres(without=["vector"])
    try:
        other.make("code")
        done = world.run("--root", root, "--repository", "one", "index", "push", other.address())
        check("a push reports that pgvector is missing", done.returncode == 0 and "The pushed code has no embeddings, so only keyword search finds it: the server has no extension vector; install pgvector"
              in done.stdout, done.stdout + done.stderr)
        found = world.run("--index", other.address(), "search", "renew session", "--repositories", "*", "--json")
        told = json.loads(found.stdout)
        check("a search without pgvector uses keywords only", shown(told)[:1] == ["src/session.rs:1-9"] and told["model"] is None
              and "embeddings, because the index has no table for them: install the extension `vector` on the server" in told["left_out"][0], told)
        lines = world.run("--index", other.address(), "grep", "renew_session", "--repositories", "*")
        check("grep works without pgvector", lines.stdout.count("\n") == 2, lines.stdout + lines.stderr)
    finally:
        other.end()
    world.sql("create role plain login password 'a secret'; grant create on database " + world.name + " to plain")
    address = world.postgres.address(world.name, user="plain")
    told = json.loads(world.push(root, "one", address=address).stdout)
    check("a user who may not create the extension", "permission denied to create extension" in told["without_vectors"]
          and "ask an administrator to run `create extension vector`" in told["without_vectors"], told)
    world.sql("create extension vector")
    told = json.loads(world.push(root, "one", address=address).stdout)
    check("embeddings are sent once the extension exists", told["without_vectors"] is None and told["cut"] == len(CODE) and world.sound() == SOUND, told)


def upgraded(world):
    one, two = world.base / "upgraded" / "one", world.base / "upgraded" / "two"
    code(one)
    code(two, **{"src/more.rs": "fn more() {}\n"})
    world.pushed(one, "one")
    world.sql("""drop table toolpost.vectors; drop table toolpost.blocks; drop table toolpost.cuts; drop table toolpost.models;
        drop function toolpost.break_cuts, toolpost.break_all_cuts; drop sequence toolpost.cut_numbers;
        alter table toolpost.files drop column way, drop column test; alter table toolpost.versions drop column has_ways;
        update toolpost.schema set version = 1""")
    older = "have version 1, and this program needs version 2; `toolpost index push` upgrades the index"
    check("an older index is refused", older in world.search("x", "*"), world.search("x", "*"))
    done = world.run("--index", world.address(), "grep", "x", "--repositories", "*")
    check("an older index is refused by grep, too", older in done.stderr, done.stderr)
    world.pushed(two, "two")
    check("a push upgrades the index, and nothing is lost", len(world.across("renew_session", "one")[0]) == 2)
    found = world.search("renew session", "*")
    check("repositories without blocks are reported", "1 repository that an older version of Toolpost pushed without the blocks that this search needs (one)" in found["left_out"][0]
          and {block["repository"] for block in found["blocks"]} == {"two"}, found["left_out"])
    told = world.pushed(one, "one")
    check("the next push of such a repository sends its blocks", (told["sent"], told["cut"]) == (0, len(CODE)) and world.search("x session", "*")["left_out"] == [], told)
    check("the index is sound", world.sound() == SOUND, world.sound())


def certificates(folder):
    """Creates an authority, its certificates for 127.0.0.1 and localhost and for another name, and another authority."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=folder)

    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "30",
                "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
    for name, names in (("server", "IP:127.0.0.1,DNS:localhost"), ("elsewhere", "DNS:elsewhere.example")):
        (folder / f"{name}.ext").write_text(f"subjectAltName={names}\n")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
                "-out", f"{name}.pem", "-extfile", f"{name}.ext")


def secured(world):
    root, keys = world.base / "secured" / "one", world.base / "secured" / "keys"
    code(root)
    keys.mkdir()
    certificates(keys)
    settings = "ssl = on\nssl_cert_file = 'server.pem'\nssl_key_file = 'server.key'\n"
    other = Secured(keys, settings)
    try:
        other.make("code")
        plain = other.address()
        authority, wrong = f"sslrootcert={keys}/ca.pem", f"sslrootcert={keys}/other.pem"

        def push(query, host="127.0.0.1"):
            done = world.push(root, "one", address=other.address(host=host) + query)
            return done.returncode, done.stdout + done.stderr

        for query, host in [("?sslmode=require", "127.0.0.1"), (f"?sslmode=verify-full&{authority}", "127.0.0.1"),
                            (f"?sslmode=verify-full&{authority}", "localhost"), (f"?sslmode=verify-ca&{authority}", "127.0.0.1"),
                            (f"?sslmode=require&{authority}", "127.0.0.1")]:
            before = other.asked("application_name=toolpost SSL enabled")
            status, words = push(query, host)
            check(f"a secured push: {query} {host}", status == 0 and other.asked("application_name=toolpost SSL enabled") > before, words)
        found = world.run("--index", f"{plain}?sslmode=verify-full&{authority}", "grep", "renew_session", "--repositories", "*")
        check("a secured search", found.returncode == 0 and found.stdout.count("\n") == 2, found.stderr)
        for query, said in [(f"?sslmode=verify-full&{wrong}", "UnknownIssuer"), (f"?sslmode=verify-ca&{wrong}", "UnknownIssuer"),
                            (f"?sslmode=require&{wrong}", "UnknownIssuer"), ("?sslmode=verify-full", "UnknownIssuer")]:
            status, words = push(query)
            check(f"an untrusted certificate is refused: {query}", status == 2 and said in words and "no secured connection to the index" in words
                  and "a secret" not in words, words)
        other.use("elsewhere")
        status, words = push(f"?sslmode=verify-full&{authority}")
        check("a certificate for another name", status == 2 and "not valid for name" in words, words)
        status, words = push(f"?sslmode=verify-ca&{authority}")
        check("verify-ca ignores the name in the certificate", status == 0, words)
        with open(other.data / "postgresql.conf", "a") as file:
            file.write("ssl = off\n")
        other.stop("fast")
        other.start()
        before = other.asked("connection authorized")
        status, words = push("?sslmode=require")
        check("a server that does not encrypt gets nothing", status == 2 and "nothing was sent in plain text" in words
              and other.asked("connection authorized") == before, words)
    finally:
        other.end()


class Secured(Postgres):
    """A server that encrypts."""

    def __init__(self, keys, settings):
        self.keys = keys
        super().__init__(settings=settings)

    def start(self):
        if not (self.data / "server.pem").exists():
            self.put("server")
        super().start()

    def put(self, name):
        for end in ("pem", "key"):
            place = self.data / f"server.{end}"
            place.unlink(missing_ok=True)
            shutil.copy(self.keys / f"{name}.{end}", place)
            place.chmod(0o600)
            if self.identity:
                os.chown(place, self.identity["user"], self.identity["group"])

    def use(self, name):
        self.put(name)
        self.stop("fast")
        self.start()


def removed(world):
    luck, root = random.Random(8), world.base / "removed" / "one"
    code(root)
    first = world.pushed(root, "one")
    git(root, "checkout", "-q", "-b", "side")
    (root / "side.rs").write_text("/// Only on the other branch.\nfn only_on_side() {}\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "side")
    world.pushed(root, "one")
    code(world.base / "removed" / "two")
    world.pushed(world.base / "removed" / "two", "two")

    def told(*arguments):
        done = world.run("index", *arguments, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    nothing = told("prune", world.address())
    check("nothing is unused", (nothing["contents"], nothing["blocks"], nothing["repositories"]) == (0, 0, 2), nothing)
    check("no such branch", "one has no branch nowhere in the index; its branches are: main, side" in told("forget", "one", world.address(), "--branch", "nowhere"))
    check("no such repository", "the index has no repository three; its repositories are: one, two" in told("forget", "three", world.address()))
    gone = told("forget", "one", world.address(), "--branch", "side")
    check("a branch is forgotten", (gone["branches"], gone["contents"]) == (["side"], 1) and world.across("only_on_side", "one", "--branch", "main")[0] == []
          and len(world.across("renew_session", "one")[0]) == 2 and world.sound() == SOUND, gone)
    world.pushed(root, "one")
    gone = told("forget", "one", world.address(), "--branch", "main")
    check("another branch replaces a removed default branch", gone["contents"] == 0
          and len(world.across("only_on_side", "one")[0]) == 1, gone)
    git(root, "checkout", "-q", "main")
    world.pushed(root, "one")
    (root / "src" / "session.rs").write_text("fn other() {}\n")
    git(root, "commit", "-q", "-a", "-m", "other")
    world.pushed(root, "one")
    world.run("index", "forget", "one", world.address(), "--branch", "side")
    dead = int(world.sql("select count(*) from toolpost.blobs b where not exists (select from toolpost.files f where (f.repository, f.hash) = (b.repository, b.hash))"))
    pruned = told("prune", world.address())
    check("content that no branch uses is pruned", dead == 0 and pruned["contents"] == 0 and world.sound() == SOUND, (dead, pruned))
    (root / "src" / "session.rs").write_text("fn another() {}\n")
    git(root, "commit", "-q", "-a", "-m", "another")
    world.pushed(root, "one")
    pruned = told("prune", world.address())
    check("content of an earlier commit is pruned", (pruned["contents"], pruned["blocks"]) == (1, 1) and world.sound() == SOUND, pruned)
    git(root, "checkout", "-q", "-f", first["commit"])
    served = Served(world, root, "one", world.base / "removed" / "cache")
    try:
        check("PostgreSQL is queried", served.shared())
        gone = told("forget", "one", world.address())
        check("a repository is forgotten", gone["contents"] >= len(CODE) and "the index has no repository one; its repositories are: two" in world.search("x", "one"), gone)
        same(world, served, root, "when the repository was forgotten")
        check("no content of a removed repository stays", world.sql("select count(*) from toolpost.pieces p join toolpost.repositories r on r.id = p.repository where r.name = 'one'") == "0")
        world.pushed(root, "one", "--branch", "trunk")
        same(world, served, root, "when it was pushed again")
        check("a removed repository can be pushed again", len(world.across("renew_session", "one")[0]) == 2)
    finally:
        served.end()
    clones = []
    for number in range(3):
        clone = world.base / "removed" / f"clone{number}"
        git(root.parent, "clone", "-q", str(root), str(clone))
        git(clone, "checkout", "-q", "-b", f"branch{number}")
        clones.append(clone)
    for step in range(6):
        for number, clone in enumerate(clones):
            (clone / f"new{number}.c").write_text(text(luck, 400) + f"step{step}\n")
            git(clone, "add", "-A")
            git(clone, "commit", "-q", "-m", "step")
        running = [subprocess.Popen([world.binary, *map(str, arguments)], env=world.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for arguments in [*(["--root", clone, "--repository", "one", "index", "push", world.address()] for clone in clones),
                                     ["index", "prune", world.address()], ["index", "prune", world.address()],
                                     ["index", "forget", "one", world.address(), "--branch", "trunk"]]]
        ended = [(process.communicate(timeout=LONG), process.returncode) for process in running]
        check(f"pushes and removals at the same time {step}", all(status == 0 for _, status in ended[:5]) and world.sound() == SOUND, (ended, world.sound()))
        for number in range(3):
            lines, _ = world.across(f"step{step}", "one", "--branch", f"branch{number}")
            check(f"each push is complete {step} {number}", len(lines) == 1, lines)


PARTS = {"pushes": pushes, "overlay": overlay, "together": together, "killed": killed, "away": away, "refused": refused_,
         "damaged": damaged, "many": many, "ranked": ranked, "vectors": vectors, "extension": extension, "upgraded": upgraded,
         "secured": secured, "removed": removed}


def main(binary, *names):
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory() as base:
            world = World(binary, postgres, pathlib.Path(base).resolve())
            for name, part in PARTS.items():
                if names and name not in names:
                    continue
                began = time.monotonic()
                part(world.fresh())
                print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    finally:
        postgres.end()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
