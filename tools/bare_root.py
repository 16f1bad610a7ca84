"""A bare root of Debian or Ubuntu, to try packages on: no compiler, nothing of Lithe. Needs the rights of root."""
import contextlib
import os
import pathlib
import subprocess
import sys

SERVER = "http://deb.debian.org/debian"
SCRIPTS = pathlib.Path("/usr/share/debootstrap/scripts")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def prepare(root, suite, include, server=SERVER):
    """Makes it with debootstrap where it is missing; `include`: packages beyond the essential ones. Suites of Ubuntu are
    younger than Debian's debootstrap, and all made alike; its keys are not here."""
    if os.geteuid() != 0:
        sys.exit("a bare root needs the rights of root: debootstrap, chroot")
    if not (root / "usr/bin/apt-get").exists():
        other = [] if server == SERVER else ["--no-check-gpg"]
        script = [] if (SCRIPTS / suite).exists() else [SCRIPTS / "jammy"]
        run("debootstrap", "--variant=minbase", *other, *([f"--include={include}"] if include else []), suite, root, server, *script)
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
