"""Requirements of the rows on the host, and the checks for them."""
import os
import shutil
import subprocess
import sys
import threading

#: Requirements that no installation on this machine can meet. Their rows count neither as passed nor as skipped.
ELSEWHERE = {
    "windows": "it needs Windows",
    "disposable-host": "it needs a machine that may crash",
    "casefold-fs": "it needs a kernel with case-insensitive file systems",
}


class Needs:
    """Checks each requirement once."""

    def __init__(self, setting):
        self.setting, self.known, self.lock = setting, {}, threading.Lock()

    def elsewhere(self, row):
        """Returns the reason why a row cannot run on this kind of machine, or an empty string."""
        reasons = [ELSEWHERE[need] for need in row.get("needs", []) if need in ELSEWHERE and self.why_not(need)]
        return "; ".join(reasons) or self.unseen(row)

    def unseen(self, row):
        """Returns the reason why a preloaded library cannot affect the binary, if the row needs one, or an empty string."""
        return self.why_not("ld-preload-static-ok") if "ld-preload-static-ok" in row.get("needs", []) else ""

    def missing(self, row):
        """Returns the reason why a row cannot run here, or an empty string."""
        reasons = [self.why_not(need) for need in row.get("needs", [])]
        return "; ".join(reason for reason in reasons if reason)

    def why_not(self, need):
        with self.lock:
            if need not in self.known:
                self.known[need] = self.find_out(need)
            return self.known[need]

    def find_out(self, need):
        if need in ELSEWHERE and need != "casefold-fs":
            return ELSEWHERE[need]
        if need == "linux":
            return "" if sys.platform == "linux" else "it needs Linux"
        if need == "acl":
            return "" if shutil.which("setfacl") and shutil.which("getfacl") else "it needs setfacl and getfacl (package acl)"
        if need == "xattr":
            return "" if shutil.which("setfattr") and shutil.which("getfattr") else "it needs setfattr and getfattr (package attr)"
        if need in ("strace", "strace-inject"):
            return self.strace()
        if need == "root-mount":
            return self.mounts(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        if need == "casefold-fs":
            return self.mounts(["mount", "-t", "tmpfs", "-o", "casefold", "tmpfs"]) and ELSEWHERE["casefold-fs"]
        if need == "ld-preload-static-ok":
            return self.preload()
        if need == "no-egress-ok":
            return self.strace()
        if need == "dns-sim":
            trial = ["unshare", "--user", "--map-root-user", "--mount", "mount", "--bind", "/etc/hosts", "/etc/hosts"]
            return "" if self.runs(trial) else "it needs a separate mount namespace"
        if need == "tls-listener":
            return "" if shutil.which("openssl") else "it needs openssl, to make a certificate"
        if need == "device-nodes":
            return "" if os.geteuid() == 0 else "it needs root, to make device nodes"
        raise KeyError(f"the need {need!r} is not known")

    def runs(self, command):
        """Returns whether a command succeeds here, as the user of the rows."""
        return subprocess.run(command, capture_output=True, check=False, **self.setting.identity).returncode == 0

    def strace(self):
        done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"], capture_output=True,
                              check=False, **self.setting.identity) if shutil.which("strace") else None
        return "" if done and done.returncode == 0 else "it needs strace, and the permission to trace"

    def mounts(self, command):
        if os.geteuid() != 0:
            return "it needs root, to mount"
        place = os.path.join(self.setting.place, "mount-trial")
        os.makedirs(place, exist_ok=True)
        if subprocess.run([*command, place], capture_output=True, check=False).returncode:
            return "mounting is not allowed here"
        subprocess.run(["umount", place], check=False)
        return ""

    def preload(self):
        """Returns the reason why a preloaded library cannot affect the writes of the binary, or an empty string."""
        library = os.path.join(self.setting.tools, "short_write.so")
        if not os.path.exists(library):
            return "it needs a C compiler, for the library that shortens writes"
        trial = {"PATH": os.environ.get("PATH", ""), "LD_PRELOAD": library, "HOME": self.setting.place}
        root, mark = os.path.join(self.setting.place, "preload-trial"), os.path.join(self.setting.place, "shortened")
        os.makedirs(root, exist_ok=True)
        self.setting.chown(root)
        write = '{"file_path":"f","content":"' + "x" * 4000 + '"}'
        subprocess.run([self.setting.binary, "call", "--root", root, "Write", write], env={**trial, "SHORT_WRITE_MARK": mark},
                       capture_output=True, check=False, **self.setting.identity)
        return "" if os.path.exists(mark) else "the binary makes its system calls directly, so a preloaded library cannot intercept them"
