"""What an installed wheel must do where nothing else is: run by tools/try_wheel, with NumPy alone."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import lithe

folder = pathlib.Path(tempfile.mkdtemp())
arm = lithe.Model(name="cantilever", gravity=[0, 0, -9.81])
arm.materials.add("steel", density=7850, young_modulus="210 GPa", poisson_ratio=0.3)
arm.sections.add("bar", shape="rectangle", width="10 mm", height="10 mm")
arm.links.add("bar", nodes={"root": [0, 0, 0], "tip": [1, 0, 0]}, path=["root", "tip"], material="steel",
              section="bar", theory="euler_bernoulli", elements=10)
arm.joints.add("hinge", child="bar", child_node="root", axis=[0, 1, 0])
arm.sensors.add("tip", quantity="position", link="bar", node="tip")
path = arm.save(folder / "cantilever.toml")

# A clamped beam: w = 1.875104^2 sqrt(E I / (rho A)) / l^2, without its rotary inertia, of the order (h / l)^2 = 1e-4.
found = lithe.natural_modes(arm, link="bar", clamp=["root"], count=2).frequencies[0]
exact = 1.8751040687 ** 2 * math.sqrt(210e9 * 0.01 ** 2 / 12 / 7850) / (2 * math.pi)
assert abs(found / exact - 1) < 1e-4, (found, exact)

motion = lithe.simulate(arm, end_time=0.2)
assert motion.end == "finished" and abs(motion.energy["imbalance"]) < 1e-5 * motion.energy["largest_kinetic"]
assert {one.name for one in motion.save(folder / "run.h5")} == {"run.csv", "run.h5"}
assert (folder / "run.h5").read_bytes()[1:4] == b"HDF"
assert "<canvas" in motion.page() or "<script" in motion.page()
assert len(lithe.examples()) > 20 and lithe.example("l_shape").name == "L-shape"


def command(*words):
    """The command that the package installs, beside the interpreter."""
    done = subprocess.run([str(pathlib.Path(sys.executable).parent / "lithe"), *map(str, words)], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


listed = json.loads(command("modes", path, "--count", 4, "--json", "-o", "out"))["modes"]
assert [one["frequency_hz"] for one in listed] == lithe.natural_modes(arm, count=4).frequencies[:len(listed)].tolist()
command("simulate", path, "--end", 0.2, "-o", "out")
same = [line.split(",") for line in (folder / "out" / "motion.csv").read_text().split("\n") if line[:1].isdigit()]
mine = [line.split(",") for line in (folder / "run.csv").read_text().split("\n") if line[:1].isdigit()]
assert len(mine) == 201 and mine == same
command("linearise", path, "-o", "out")  # MATLAB's files as well
page = pathlib.Path(folder, command("view", "out", "--print").strip())
assert page.stat().st_size > 100_000
print(f"lithe {lithe.__version__}: module and program work here; first frequency {found:.4f} Hz, theory {exact:.4f} Hz")
