"""Downloads and unpacks the sources of the packages in packages.toml, each through its registry's ordinary client."""

import argparse
import pathlib
import shutil
import subprocess
import tarfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).parent


def run(command, cwd):
    """Runs a client and says whether it succeeded; its last words are printed when it did not."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        print("failed:", " ".join(map(str, command)), "|", done.stderr.strip().splitlines()[-1:], flush=True)
    return done.returncode == 0


def unpack(archive, target):
    """Unpacks the members that are sources; nothing is executed and nothing leaves the target."""
    target.mkdir(parents=True, exist_ok=True)
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(target, [n for n in opened.namelist() if n.endswith(".py")])
        return
    wanted = (".py", ".rs", ".go", ".java", ".c", ".h", ".js", ".mjs", ".cjs", ".ts", ".tsx")
    with tarfile.open(archive) as opened:
        members = [m for m in opened if m.isfile() and m.name.endswith(wanted)]
        opened.extractall(target, members, filter="data")


def pypi(names, into):
    for name in names:
        target = into / "pypi" / name
        if target.exists():
            continue
        part = into / "part"
        shutil.rmtree(part, ignore_errors=True)
        if run(["pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(part), name], into):
            for archive in part.iterdir():
                unpack(archive, target)


def npm(names, into):
    for name in names:
        target = into / "npm" / name.replace("/", "+")
        if target.exists():
            continue
        part = into / "part-npm"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        if run(["npm", "pack", "--silent", name], part):
            for archive in part.iterdir():
                unpack(archive, target)


def debian(names, into, apt):
    for name in names:
        target = into / "debian" / name
        if target.exists():
            continue
        part = into / "part-deb"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        if run([*apt, "source", "--download-only", "-q", name], part):
            for archive in part.glob("*.tar.*"):
                if ".debian.tar" not in archive.name and not archive.name.endswith(".asc"):
                    unpack(archive, target)


def crates(names, into):
    """A crate of its own that depends on one package after another, so that one that cannot be had spoils no other."""
    home = into / "crates"
    for name in names:
        done = home / f"{name}.done"
        if done.exists():
            continue
        part = home / "part"
        shutil.rmtree(part, ignore_errors=True)
        (part / "src").mkdir(parents=True)
        (part / "src" / "lib.rs").write_text("")
        (part / "Cargo.toml").write_text(
            f'[package]\nname = "part"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n"{name}" = "*"\n[workspace]\n'
        )
        if run(["cargo", "fetch", "-q", "--target", "x86_64-unknown-linux-gnu"], part):
            done.write_text("")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("into", type=pathlib.Path, help="the folder that the sources are put into")
    parser.add_argument("--only", choices=["pypi", "npm", "debian", "crates"])
    parser.add_argument("--apt", default="apt-get", help="the apt-get to call, with deb-src lines enabled")
    args = parser.parse_args()
    args.into = args.into.resolve()
    args.into.mkdir(parents=True, exist_ok=True)
    packages = tomllib.loads((HERE / "packages.toml").read_text())
    if args.only in (None, "pypi"):
        pypi([n for part in packages["pypi"].values() for n in part], args.into)
    if args.only in (None, "npm"):
        npm(packages["npm"]["train"], args.into)
    if args.only in (None, "crates"):
        crates([n for part in packages["crates"].values() for n in part], args.into)
    if args.only in (None, "debian"):
        debian([n for part in packages["debian"].values() for n in part], args.into, args.apt.split())


if __name__ == "__main__":
    main()
