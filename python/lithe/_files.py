"""Files as the program treats them: written whole or not at all, read within limits."""
from __future__ import annotations

import errno
import os
import pathlib
import stat
from typing import BinaryIO, Callable

LARGEST_MODEL = 64 << 20  # bytes


def write_whole(target: pathlib.Path, write: Callable[[BinaryIO], object]) -> None:
    """The file gets its name when it is whole: a full disk or a kill leaves the one before."""
    part = target.with_name(f".lithe.{target.name}.{os.getpid()}.0.part")
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    try:
        with part.open("xb") as file:
            write(file)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Raises OSError for devices, pipes and folders, which may have no end."""
    file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(0, "this is not a file")
    return file


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a file of at most `most` bytes; else OSError."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > most else file.read(most + 1)
        if max(size, len(data)) > most:
            raise OSError(0, f"the file has {max(size, len(data)) >> 20} MB; at most {most >> 20} MB are read")
        return data
