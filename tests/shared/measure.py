"""Pushes repositories into a temporary PostgreSQL, and prints the figures for `docs/scale.md`.

usage: measure.py BINARY REPOSITORY...
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from postgres import PASSWORD, Postgres  # noqa: E402

#: The patterns: rare and frequent, case-sensitive and case-insensitive.
PATTERNS = ["fn from_str", "unsafe impl Send", "spin_lock_irqsave", "netif_carrier_off", "TODO", "impl.*Iterator for",
            "nowhere_at_all_in_here", "(?i)deprecated", "MODULE_LICENSE", "pub struct"]


QUESTIONS = ["where is an expired session renewed", "parse a date out of a string", "retry with exponential backoff", "spin lock"]


def size(bytes):
    return f"{bytes / 1e6:.1f} MB"


def main(binary, *repositories):
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory() as base:
            environment = {**os.environ, "XDG_STATE_HOME": base, "XDG_CONFIG_HOME": base, "XDG_CACHE_HOME": base}

            def run(*arguments):
                began = time.monotonic()
                done = subprocess.run([binary, *arguments], capture_output=True, text=True, env=environment)
                return done, time.monotonic() - began

            postgres.make("code")
            address = postgres.address()
            files, sent, text, took = 0, 0, 0, []
            for repository in repositories:
                done, seconds = run("--root", repository, "--repository", pathlib.Path(repository).name, "index", "push", "--json", address)
                if done.returncode:
                    print(repository, done.stderr)
                    continue
                told = json.loads(done.stdout)
                files, sent, text = files + told["files"], sent + told["sent"], text + told["sent_bytes"]
                took.append(seconds)
            print(f"{len(took)} repositories, {files} files, {sent} contents, {size(text)} of text; pushed in {sum(took):.1f} s, "
                  f"median {statistics.median(took):.2f} s, maximum {max(took):.1f} s")
            again = [run("--root", repository, "--repository", pathlib.Path(repository).name, "index", "push", address)[1]
                     for repository in repositories[:20]]
            print(f"pushed again: median {statistics.median(again):.3f} s, maximum {max(again):.2f} s")
            postgres.sql("vacuum analyze", "code")
            rows = postgres.sql("""select split_part(c.relname, '_', 1), sum(pg_relation_size(c.oid)), sum(pg_indexes_size(c.oid)),
                sum(coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'toolpost' and c.relkind = 'r' group by 1 order by 1""", "code")
            for row in rows.splitlines():
                table, own, indexes, toast = row.split("|")
                print(f"{table}: rows {size(int(own))}, indexes {size(int(indexes))}, long values {size(int(toast))}")
            print(f"pieces: {postgres.sql('select count(*) from toolpost.pieces', 'code')}; "
                  f"the database: {size(int(postgres.sql('select pg_database_size(current_database())', 'code')))}")
            for pattern in PATTERNS:
                seconds = [run("--index", address, "grep", pattern, "--repositories", "*", "--json")[1] for _ in range(3)]
                done, _ = run("--index", address, "grep", pattern, "--repositories", "*", "--json")
                print(f"across all, {pattern!r}: {min(seconds):.3f} s, {len(done.stdout.splitlines()) - 1} lines")
            asked(postgres, run, address, pathlib.Path(repositories[0]).name)
            questions(postgres)
    finally:
        postgres.end()


def asked(postgres, run, address, one):
    """Prints the number of blocks, and the times of questions about them."""
    blocks = int(postgres.sql("select count(*) from toolpost.blocks", "code"))
    print(f"blocks: {blocks}")
    for names in ("*", one):
        for question in QUESTIONS:
            seconds = min(run("--index", address, "search", question, "--repositories", names, "--json")[1] for _ in range(3))
            done, _ = run("--index", address, "search", question, "--repositories", names, "--json")
            told = json.loads(done.stdout)
            print(f"question to {names}, {question!r}: {seconds:.3f} s, {told['compared']} blocks, {told['model']}")
    near = ("explain (analyze, timing off) select cut, number from toolpost.vectors order by parts <=> "
            "(select parts from toolpost.vectors where scale > 0 limit 1) limit 400")
    for _ in range(3):
        print(f"all vectors compared: {postgres.sql(near, 'code').splitlines()[-1]}")
    began = time.monotonic()
    postgres.sql("copy (select scale, parts::real[] from toolpost.vectors limit 10000) to stdout (format binary)", "code", binary=True)
    print(f"vectors of 10000 blocks, fetched: {time.monotonic() - began:.2f} s")


def questions(postgres):
    """Prints how many queries of workspaces the server answers in a second; each query is about one repository."""
    found = postgres.sql("select id from toolpost.repositories order by id", "code").split()
    texts = ["from_str", "unsafe impl", "spin_lock_irqsave", "deprecated", "nowhere_at_all", "MODULE_LICENSE", "Iterator for"]
    for name, pick in [("small repositories", found[:-1] or found), ("the last repository", found[-1:])]:
        with tempfile.TemporaryDirectory() as folder:
            scripts = []
            for number, text in enumerate(texts):
                script = pathlib.Path(folder) / f"{number}.sql"
                script.write_text(
                    f"\\set id random({pick[0]}, {pick[-1]})\n"
                    "select r.learnt, r.forgotten, p.hash, p.start, p.length from (select learnt, forgotten from toolpost.repositories "
                    "where id in (:id)) r left join ((select hash, start, octet_length(body) as length from toolpost.pieces "
                    f"where repository = :id and body like '%{text.replace('_', chr(92) + '_')}%' limit 20001)) p on true;\n")
                scripts += ["-f", str(script)]
            for clients in (1, 8):
                done = subprocess.run(
                    [postgres.programs / "pgbench", "-n", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "toolpost", "-c", str(clients),
                     "-j", "1", "-T", "8", *scripts, "code"], env={**os.environ, "PGPASSWORD": PASSWORD}, capture_output=True, text=True)
                said = [line for line in done.stdout.splitlines() if line.startswith(("tps", "latency average"))][:2]
                print(f"{name}, {clients} at once: {'; '.join(said) or done.stderr[-200:]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
