"""Drives the shared index against a real PostgreSQL.

usage: check.py BINARY [NAME...]
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pipe import Pipe, refused, text_of  # noqa: E402
from postgres import Postgres  # noqa: E402

#: Longer than anything takes here.
LONG = 120.0
WORDS = "alpha beta gamma delta epsilon lock spin_lock unlock return if else while Buffer buffer_len size_t struct".split()
PATTERNS = ["spin_lock", "Buffer", "(?i)buffer", "alpha beta", r"\bsize_t gamma\b", "marker[0-9]+", "epsilon|struct",
            "nowhere_at_all", "alpha.*delta", r"return\s+if", "unlock (alpha|beta)", "é", "edited", "moved"]
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
    """A repository with what an index has to tell apart."""
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
    """A server, a folder, and the binary."""

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
        """A database of its own."""
        self.count += 1
        self.name = f"code{self.count}"
        self.postgres.make(self.name)
        return self

    def sql(self, statement):
        return self.postgres.sql(statement, self.name)

    def across(self, pattern, names, *more):
        """Searches repositories: the lines as (repository, path, number), and what is said of all."""
        done = self.run("--index", self.address(), "grep", pattern, "--repositories", names, "--json", *more)
        if done.returncode > 1:
            raise RuntimeError(done.stderr)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        lines = [(line["repository"], line["path"], line["number"]) for line in told if line["type"] == "line"]
        return lines, told[-1]

    def sound(self):
        """How many contents are not whole, and how many files have none."""
        return self.sql("""select
          (select count(*) from toolpost.blobs b where b.pieces <> (select count(*) from toolpost.pieces p
             where (p.repository, p.hash) = (b.repository, b.hash))),
          (select count(*) from toolpost.files f where not exists (select from toolpost.blobs b
             where (b.repository, b.hash) = (f.repository, f.hash)))""")


def expected(root, pattern):
    """What git finds in the commit."""
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
        # What is not UTF-8 is in the index without its text.
        wanted = [line for line in expected(root, pattern) if line[0] != "latin.txt"]
        check(f"a search across says what git says: {pattern}", found == wanted and not summary["more"], (len(found), len(wanted)))
    _, summary = world.across("spin_lock", "one")
    check("what is not searched is told", summary["left_out"] == ["1 binary files", "2 files that are not UTF-8, or too long"], summary)
    lines, summary = world.across("spin_lock", "one", "--limit", "5")
    check("a limit is told", (len(lines), summary["more"], summary["lines"]) == (5, True, 5), summary)
    lines, _ = world.across("marker1", "one", "-g", "part1/*", "-g", "!file1.c")
    check("files are chosen by their names", {path for _, path, _ in lines} <= {"part1/file15.c"} and lines, lines)
    clone = world.base / "pushes" / "clone"
    git(root.parent, "clone", "-q", str(root), str(clone))
    git(clone, "checkout", "-q", "-b", "side")
    (clone / "new.c").write_text("only_on_side\n")
    git(clone, "rm", "-q", "part0/file0.c")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "side")
    side = world.pushed(clone, "one")
    check("a branch of a clone sends what is new", (side["sent"], side["branch"], side["files"]) == (1, "side", 66), side)
    check("branches are told apart", (world.across("only_on_side", "one")[0],
                                      len(world.across("only_on_side", "one", "--branch", "side")[0])) == ([], 1))
    by_name = world.run("--root", root, "--repository", "one", "index", "push", "--commit", "nowhere", world.address())
    check("a commit that is not there", by_name.returncode == 2 and "git could not find the commit nowhere" in by_name.stderr,
          by_name.stderr)
    (root / ".toolpost").mkdir()
    (root / "hidden.txt").write_text("hidden_word\n")
    (root / ".toolpost" / "policy.toml").write_text('[[rule]]\ntouch = ["read"]\npaths = ["hidden.txt"]\ndecide = "deny"\n')
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "hidden")
    kept = world.push(root, "one")
    if kept.returncode == 0:
        told = json.loads(kept.stdout)
        check("what the rules keep from being read is not sent", told["withheld"] >= 1 and world.across("hidden_word", "one")[0] == [], told)
    else:
        check("the rules are understood", False, kept.stderr)
    check("the index is sound", world.sound() == "0|0", world.sound())


class Served:
    """The binary, serving a workspace with the index."""

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
        """Waits until the server answers a search."""
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
    """What a search of all files says."""
    done = world.run("call", "--root", root, "--dialect", "claude", "Grep",
                     json.dumps({"pattern": pattern, "output_mode": "content", "-n": True, "head_limit": 100_000}))
    return bool(done.returncode), (done.stdout if done.returncode == 0 else done.stderr).rstrip("\n")


def same(world, served, root, what):
    for pattern in PATTERNS:
        found, wanted = served.grep(pattern), plain(world, root, pattern)
        check(f"{what}: {pattern}", (found[0], found[1].rstrip("\n")) == wanted, f"{found}\n{wanted}")


def edit(root, luck, step):
    """Changes the working tree somehow."""
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
                # The same length, and the same times.
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
        check("the server is asked", served.shared())
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
        check("the server is still asked", served.shared())
    finally:
        served.end()
    short = world.run("--root", root, "--index", world.address(), "--repository", "tree", "grep", "spin_lock", "--limit", "100000")
    without = world.run("--root", root, "grep", "spin_lock", "--limit", "100000")
    check("a command with the index says what one without says", short.stdout == without.stdout and short.stdout, short.stderr)


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
    check("several push at once", all(process.returncode == 0 for process in running), ended)
    check("the index is sound after that", world.sound() == "0|0", world.sound())
    versions = world.sql("select branch, count(*) from toolpost.versions group by 1 order by 1")
    check("each branch has one commit", versions == "branch0|1\nbranch1|1", versions)
    sent = sum(json.loads(out)["sent"] for out, _ in ended)
    kept = int(world.sql("select count(*) from toolpost.blobs"))
    check("each content is kept once", kept in (207, 208) and sent >= kept, (kept, sent))


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
            check(f"a push that was killed leaves a whole commit {number}", commit == before["commit"] or len(commit) == 40, commit)
            lines, _ = world.across("afterwards", "tree")
            check(f"the state before or the state after {number}", len(lines) == (0 if commit == before["commit"] else 300), len(lines))
    after = world.pushed(root, "tree")
    check("the next push brings all", len(world.across("afterwards", "tree")[0]) == 300, after)
    check("the index is sound after kills", world.sound() == "0|0", world.sound())


def away(world):
    luck, root = random.Random(5), world.base / "away" / "tree"
    project(root, luck)
    world.pushed(root, "tree")
    served = Served(world, root, "tree", world.base / "away" / "cache")
    try:
        check("the server is asked", served.shared())
        world.postgres.stop()
        world.postgres.start()
        same(world, served, root, "after a restart")
        check("a restarted server is asked again", served.shared())
        world.postgres.freeze()
        try:
            began = time.monotonic()
            same(world, served, root, "while the server is frozen")
            took = time.monotonic() - began
        finally:
            world.postgres.thaw()
        check("a frozen server is waited for once", took < 60, took)
        world.postgres.stop()
        edit(root, luck, 1)
        same(world, served, root, "while the server is away")
        world.postgres.start()
        said = served.said()
        check("it is said once that the server is away", said.count("searches do without the shared index") == 1, said)
    finally:
        served.end()
    world.postgres.stop()
    try:
        served = Served(world, root, "tree", world.base / "away" / "cold")
        same(world, served, root, "where the server was never there")
        served.end()
        done = world.run("--index", world.address(), "grep", "spin_lock", "--repositories", "*")
        check("a search across says that it is away", done.returncode == 2 and "cannot be reached" in done.stderr, done.stderr)
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
        (world.postgres.address("ascii"), "has the encoding SQL_ASCII; make one with the encoding UTF8"),
        (world.address() + "?sslmode=require", "asks for an encrypted connection, which is not spoken"),
        ("mysql://host/base", "is no address of an index"),
    ]
    for address, words in rows:
        done = world.push(root, "tree", address=address)
        check(f"a push says: {words}", done.returncode == 2 and words in done.stderr and "a%20secret" not in done.stderr, done.stderr)
    done = world.run("--index", world.postgres.address("bare"), "grep", "x", "--repositories", "*")
    check("a database without an index", "holds no index; `toolpost index push` makes one" in done.stderr, done.stderr)
    world.pushed(root, "tree")
    world.sql(f"alter database {world.name} set standard_conforming_strings = off")
    lines, _ = world.across(r"x\\'|it's nowhere", "tree")
    check("quotes are quotes", lines == [], lines)
    world.sql("update toolpost.schema set version = 99")
    done = world.push(root, "tree")
    check("tables of another version", "has version 99 of its tables, and this program knows version" in done.stderr, done.stderr)
    outside = world.base / "refused" / "no repository"
    outside.mkdir()
    done = world.push(outside, "x")
    check("a directory without git", done.returncode == 2 and "git could not find the commit HEAD" in done.stderr, done.stderr)
    done = world.push(root / "part0", "tree")
    check("a directory below the top", done.returncode == 2 and f"give --root {root}" in done.stderr, done.stderr)
    done = world.run("--index", world.address(), "grep", "(", "--repositories", "*")
    check("an expression that is none", done.returncode == 2 and done.stderr, done.stderr)


def damaged(world):
    luck, root = random.Random(7), world.base / "damaged" / "tree"
    project(root, luck)
    world.pushed(root, "tree")
    served = Served(world, root, "tree", world.base / "damaged" / "cache")
    try:
        check("the server is asked", served.shared())
        world.sql("delete from toolpost.pieces where body like '%marker7%'")
        same(world, served, root, "when pieces were removed")
        world.sql("delete from toolpost.blobs where size > 1000")
        same(world, served, root, "when contents were removed")
        world.sql("truncate toolpost.pieces")
        same(world, served, root, "when all pieces were removed")
    finally:
        served.end()
    world.pushed(root, "tree")
    check("a push mends what is missing", world.sound() == "0|0" and len(world.across("marker7$", "tree")[0]) == 1, world.sound())
    world.sql("update toolpost.pieces set body = replace(body, 'marker7', 'MARKER7') where body like '%marker7\n%'")
    lines, summary = world.across("MARKER7", "tree")
    check("a text that is not what its hash says is not shown",
          lines == [] and any("damaged (tree: part0/file7.c)" in note for note in summary["left_out"]), (lines, summary))
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
    check("by name and path", lines == sorted(lines), lines)
    lines, summary = world.across("shared_word", "team1/*, team2/tree2")
    check("some are searched", (len(lines), summary["repositories"]) == (11, 11), summary)
    lines, _ = world.across("own_word_27", "*")
    check("one has it", lines == [("team0/tree27", "own.c", 1)], lines)
    lines, summary = world.across("shared_word", "*", "--limit", "12")
    check("a limit over repositories", (len(lines), summary["more"]) == (12, True), summary)
    done = world.run("--index", world.address(), "grep", "x", "--repositories", "nobody/*")
    check("no repository of that name", done.returncode == 2 and "no repository in the index is called nobody/*; there are team0/tree0," in done.stderr,
          done.stderr)
    done = world.run("--index", world.address(), "grep", "own_word_4$", "--repositories", "*")
    check("lines for people", done.stdout == "team1/tree4: own.c:1:own_word_4\n", done.stdout)
    done = world.run("--index", world.address(), "grep", "nowhere_at_all", "--repositories", "*")
    check("nothing found is status 1", (done.returncode, done.stdout) == (1, ""), done)


PARTS = {"pushes": pushes, "overlay": overlay, "together": together, "killed": killed, "away": away, "refused": refused_,
         "damaged": damaged, "many": many}


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
