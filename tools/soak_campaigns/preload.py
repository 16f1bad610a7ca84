"""Libraries that the program under test loads first."""
import atexit
import pathlib
import shutil
import subprocess
import tempfile


def built(name):
    """The library of soak_campaigns/<name>.c. LD_PRELOAD wants a path without spaces."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lithe_soak_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = folder / f"{name}.so"
    source = pathlib.Path(__file__).with_name(f"{name}.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library
