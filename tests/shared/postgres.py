"""A temporary PostgreSQL server."""
import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PASSWORD = "a secret"


class Postgres:
    """A PostgreSQL server that tests can start, stop, freeze and query."""

    def __init__(self, without=(), settings=""):
        """`without`: extensions that this server does not have."""
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda place: int(place.split("/")[4]))
        self.programs = pathlib.Path(found[-1])
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="toolpost-postgres-"))
        if without:
            self.programs = self._copy(without)
        self.data, self.log = self.folder / "data", self.folder / "log"
        # The server does not run as root.
        self.identity = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("postgres")
            self.identity = {"user": nobody.pw_uid, "group": nobody.pw_gid}
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run("initdb", "-D", self.data, "-U", "toolpost", "-A", "scram-sha-256", f"--pwfile={secret}",
                  "--locale=C.UTF-8", "-E", "UTF8")
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{self.folder}'\n"
                           "log_statement = 'all'\nlog_connections = on\nfsync = off\nshared_buffers = 256MB\n" + settings)
        self.start()

    def _copy(self, without):
        """Copies the installation without some extensions, because PostgreSQL looks for its files next to its programs."""
        version = self.programs.parent.name
        here = self.folder / "usr"
        programs = here / "lib" / "postgresql" / version / "bin"
        shutil.copytree(self.programs, programs)
        (programs.parent / "lib").symlink_to(self.programs.parent / "lib")
        shutil.copytree(f"/usr/share/postgresql/{version}", here / "share" / "postgresql" / version)
        for name in without:
            for path in (here / "share" / "postgresql" / version / "extension").glob(f"{name}[.-]*"):
                path.unlink()
        self.folder.chmod(0o755)
        return programs

    def _run(self, program, *arguments, check=True):
        return subprocess.run([self.programs / program, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              check=check, text=True, **self.identity)

    def start(self):
        # The output goes to the log, because the server would keep a pipe open.
        subprocess.run([self.programs / "pg_ctl", "-D", self.data, "-l", self.log, "-w", "start"], cwd=self.folder,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.identity)

    def stop(self, how="immediate"):
        self._run("pg_ctl", "-D", self.data, "-m", how, "-w", "stop", check=False)

    def _processes(self):
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        found = subprocess.run(["ps", "--ppid", str(first), "-o", "pid="], capture_output=True, text=True)
        return [first, *map(int, found.stdout.split())]

    def freeze(self):
        self.frozen = self._processes()
        for process in self.frozen:
            os.kill(process, signal.SIGSTOP)

    def thaw(self):
        for process in reversed(self.frozen):
            try:
                os.kill(process, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def address(self, base="code", password=PASSWORD, port=None, user="toolpost", host="127.0.0.1"):
        return f"postgres://{user}:{password.replace(' ', '%20')}@{host}:{port or self.port}/{base}"

    def sql(self, statement, base="code", binary=False):
        done = subprocess.run([self.programs / "psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port),
                               "-U", "toolpost", "-d", base, "-c", statement],
                              env={**os.environ, "PGPASSWORD": PASSWORD}, capture_output=True, text=not binary)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def make(self, base, *options):
        self.sql(f"create database {base} {' '.join(options)}", "postgres")

    def asked(self, words):
        """Returns how often the log contains a text."""
        return self.log.read_text(errors="replace").count(words)

    def end(self):
        self.stop()
        time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)
