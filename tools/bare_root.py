"""A bare Debian root, to try packages on: no compiler, and nothing of Lithe. Needs the rights of root."""
import contextlib
import os
import subprocess
import sys

SERVER = "http://deb.debian.org/debian"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def prepare(root, suite, include):
    """Makes it with debootstrap where it is missing; `include`: packages beyond the essential ones."""
    if os.geteuid() != 0:
        sys.exit("a bare root needs the rights of root: debootstrap, chroot")
    if not (root / "usr/bin/apt-get").exists():
        run("debootstrap", "--variant=minbase", *([f"--include={include}"] if include else []), suite, root, SERVER)
    for tool in ("usr/bin/gcc", "usr/bin/g++", "usr/bin/cc"):
        if (root / tool).exists():
            sys.exit(f"{root} is not bare: it has {tool}")


@contextlib.contextmanager
def entered(root):
    """Yields the words that run a command in the root, with /proc, where programs learn their own place."""
    mounted = (root / "proc/self").exists()
    if not mounted:
        run("mount", "-t", "proc", "proc", root / "proc")
    try:
        yield ["chroot", str(root)]
    finally:
        if not mounted:
            run("umount", root / "proc")
