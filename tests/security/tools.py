"""Helper programs of the rows."""
import os
import shutil
import subprocess

ZIPBOMB = """import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("zeros", "w", force_zip64=True) as member:
        for _ in range(1500):
            member.write(bytes(1000000))
"""

SHORT_WRITE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
ssize_t write(int fd, const void *bytes, size_t count) {
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (count > 100) {
    const char *mark = getenv("SHORT_WRITE_MARK");
    if (mark && fd > 2) close(open(mark, O_CREAT | O_WRONLY, 0644));
    count = fd > 2 ? count / 2 : count;
  }
  return real(fd, bytes, count);
}
"""


def build_tools(folder):
    """Writes the programs into a folder."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "zipbomb.py"), "w") as file:
        file.write(ZIPBOMB)
    source = os.path.join(folder, "short_write.c")
    with open(source, "w") as file:
        file.write(SHORT_WRITE)
    if shutil.which("cc"):
        subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(folder, "short_write.so"), source, "-ldl"], check=False)
