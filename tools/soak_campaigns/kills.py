#!/usr/bin/env python3
"""Kills at random instants, full disks, little memory, jumping clocks: nothing may be lost, mixed or left over.

    tools/soak kills --count 1000                        # among the other campaigns: so many kills
    tools/soak_campaigns/kills.py --seconds 600 --seed 2 # alone; --program for another one than build/lithe

Per trial, one of simulate, sweep, control, condense and run is started and gets SIGKILL, SIGTERM, SIGINT or SIGHUP at a
random instant, or SIGKILL at a random one of its calls that change files, half a write done or none (disturb.c). It is
started again, and killed again, until it ends by itself. Then every result file must be, byte by byte, that of a run
that nobody disturbed. In a quarter of the trials the wall clock jumps by years; in some the program is stopped and goes
on later. Between the trials: a disk that fills up (a small tmpfs where this may be mounted, else a limit on file
sizes), limits of the address space, and two processes in one folder.
Prints what was done and every failure; exit code 1 when there is any."""
import argparse
import collections
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from soak_campaigns.preload import built  # noqa: E402

SHORT = 8  # kills of the short form
PIECE = 50  # kills between two records of a long campaign

ARM = """lithe = 1
gravity = [0, 0, -9.81]
[materials.m]
density = 2700
young_modulus = 70e9
poisson_ratio = 0.3
[sections.s]
shape = "rectangle"
width = 0.02
height = 0.03
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "m"
section = "s"
elements = 3
reduction = {internal_modes = 2}
[[joints]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
child = "beam"
child_node = "root"
damping = 0.05
limits = ["-100 deg", "100 deg"]
[[drives]]
name = "motor"
joint = "hinge"
torque = {table = "torque.csv"}
[[sensors]]
name = "tip"
quantity = "position"
link = "beam"
node = "tip"
[[sensors]]
name = "hinge"
quantity = "joint_value"
joint = "hinge"
[[analyses]]
kind = "modes"
[[analyses]]
kind = "simulate"
end_time = 0.5
[[analyses]]
kind = "spectrum"
sensor = "tip"
component = "z"
[[analyses]]
kind = "sweep"
analysis = "modes"
axes = ["joint.hinge = 0 : 1 : 40"]
"""
CONTROLLED = """lithe = 1
[[links]]
name = "bar"
type = "rigid"
nodes = {a = [0, 0, 0], b = [0.5, 0, 0]}
mass = 1
centre = [0.25, 0, 0]
inertia = [0.01, 0.02, 0.02]
[[links.masses]]
node = "b"
mass = 0.2
[[joints]]
name = "hinge"
child = "bar"
child_node = "a"
damping = 0.1
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "hinge"
[[references]]
name = "turn"
sensor = "angle"
signal = {move = {end_time = 0.2, end_value = "30 deg"}}
[[controllers]]
name = "pid"
type = "pid"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
proportional = [10]
derivative = [1]
[[controllers]]
name = "lqg"
type = "lqg"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
allowed_errors = [0.1]
allowed_efforts = [2]
[control]
payload_link = "bar"
payload_node = "b"
[[analyses]]
kind = "simulate"
end_time = 0.5
output_step = 2e-4
"""
TORQUE = "time, torque\n" + "".join(f"{0.05 * k}, {8 * ((k * 7) % 5 - 2)}\n" for k in range(200))


class Campaign:
    def __init__(self, program, folder, chance):
        self.program, self.folder, self.chance = program, folder, chance
        self.counts, self.failures = collections.Counter(), []
        self.wholes, self.kills = {}, 0
        for name, text in (("arm.toml", ARM), ("torque.csv", TORQUE), ("controlled.toml", CONTROLLED)):
            (folder / name).write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "models" / "two_beam_frame.toml", folder)
        self.library = built("disturb")
        self.commands = {
            "simulate": ["simulate", "arm.toml", "--end", "1", "--output-step", "2e-4", "--checkpoint-interval", "0.1"],
            "sweep": ["sweep", "arm.toml", "--analysis", "simulate", "--end", "0.02", "--axis", "joint.hinge = 0 : 1 : 40"],
            "control": ["control", "controlled.toml"],
            "condense": ["condense", "two_beam_frame.toml", "--tool", "left:hinge"],
            "run": ["run", "arm.toml"],
        }

    def fail(self, what):
        self.failures.append(what)
        print("FAILURE:", what, flush=True)

    def run(self, arguments, **options):
        return subprocess.run([str(self.program), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              errors="replace", timeout=600, check=False, **options)

    def contents(self, name):
        folder = self.folder / name
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def environment(self, **settings):
        return {**os.environ, "LD_PRELOAD": str(self.library), **{f"LITHE_SOAK_{key}": str(value) for key, value in settings.items()}}

    def whole(self, kind):
        """Files, duration and calls that change files, of a run that nobody disturbs."""
        if kind not in self.wholes:
            checkpoint = ["--checkpoint", "whole.c"] if kind == "simulate" else []
            words = [*self.commands[kind], *checkpoint, "-o", f"whole_{kind}"]
            begin = time.monotonic()
            result = self.run(words)
            duration = time.monotonic() - begin
            if result.returncode != 0:
                raise SystemExit(f"{kind}: {result.stdout}{result.stderr}")
            files = self.contents(f"whole_{kind}")
            shutil.rmtree(self.folder / f"whole_{kind}")
            self.run(words, env=self.environment(CALLS=self.folder / "calls"))
            if self.contents(f"whole_{kind}") != files:
                self.fail(f"{kind}: two runs alike make different files")
            self.wholes[kind] = files, duration, int((self.folder / "calls").read_text())
        return self.wholes[kind]

    def start(self, command, **settings):
        return subprocess.Popen([str(self.program), *command], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True, errors="replace", env=self.environment(**settings))

    def disturbed(self, kind, command, clock):
        """One start that is killed. Its exit code, the signal, what it said."""
        files, duration, calls = self.whole(kind)
        if self.chance.random() < 0.4:
            half = {"HALF": 1} if self.chance.random() < 0.5 else {}
            process = self.start(command, KILL=1 + self.chance.randrange(calls), **half, **clock)
            _, errors = process.communicate(timeout=600)
            if process.returncode == -signal.SIGKILL:
                self.counts["kills of " + kind + " at a call"] += 1
                self.kills += 1
            return process.returncode, signal.SIGKILL, errors
        process = self.start(command, **clock)
        time.sleep(self.chance.random() * duration * 1.1)
        if self.chance.random() < 0.1 and process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            process.send_signal(signal.SIGCONT)
            self.counts["stopped for a while"] += 1
        number = self.chance.choice([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        if process.poll() is None:
            process.send_signal(number)
            self.counts["kills of " + kind + " at an instant"] += 1
            self.kills += 1
        else:  # the machine was slower before
            self.wholes[kind] = files, 0.9 * duration, calls
        _, errors = process.communicate(timeout=600)
        return process.returncode, number, errors

    def disturb(self, kind):
        """Starts, kills at a random instant, starts again, ... and compares."""
        whole = self.whole(kind)[0]
        name = f"killed_{kind}"
        shutil.rmtree(self.folder / name, ignore_errors=True)
        checkpoint = self.folder / f"{kind}.c"
        checkpoint.unlink(missing_ok=True)
        clock = {"CLOCK": self.chance.randrange(1, 1 << 30)} if self.chance.random() < 0.25 else {}
        self.counts["trials with a jumping clock"] += bool(clock)
        kills = self.chance.choice((1, 2, 3, 4))
        for attempt in range(kills + 1):
            command = [*self.commands[kind], "-o", name]
            if kind == "simulate":
                command += ["--checkpoint", checkpoint.name] + (["--restart", checkpoint.name] if checkpoint.exists() else [])
            if attempt < kills:
                code, number, errors = self.disturbed(kind, command, clock)
                # -number: the signal came before main().
                if code not in (0, -number) and (code != 128 + number or number == signal.SIGKILL) and not self.complete(code, errors):
                    self.fail(f"{kind}: exit code {code} after signal {number}: {errors}")
                if code == 0 or self.complete(code, errors):
                    break
                if code == -signal.SIGKILL and kills == 1:
                    self.check_whole_files(kind, name, whole)
                self.check_recovered(kind, name)
            else:
                process = self.start(command, **clock)
                _, errors = process.communicate(timeout=600)
                if process.returncode != 0 and not self.complete(process.returncode, errors):
                    self.fail(f"{kind}: exit code {process.returncode} in peace: {errors}")
        found = {key: value for key, value in self.contents(name).items()
                 if "_interrupted" not in key and "_recovered" not in key}
        for key in sorted(set(found) | set(whole)):
            if found.get(key) != whole.get(key):
                self.fail(f"{kind}: {key} is " + ("not there" if key not in found else "left over" if key not in whole else "different"))
        self.counts["restarts compared byte by byte"] += 1

    def check_whole_files(self, kind, name, whole):
        """After a kill, what has its name is whole; the rest are parts and temporary files."""
        if not (self.folder / name).exists():
            return
        for key, value in self.contents(name).items():
            if not key.endswith(".part") and value != whole.get(key):
                self.fail(f"{kind}: {key} is there and not whole after kill -9")
        self.counts["folders looked at after kill -9"] += 1

    @staticmethod
    def complete(code, errors):
        """The kill came after the last checkpoint: nothing is left to do."""
        return code == 2 and "the run is complete" in errors

    def check_recovered(self, kind, name):
        """Rows of a killed simulation are those of the whole one, from the first on."""
        if kind != "simulate" or not (self.folder / name / "motion.part").exists():
            return
        result = self.run(["recover", f"{name}/motion.part"])
        if result.returncode != 0:
            if "no instant was recorded" not in result.stderr and "not a recording" not in result.stderr:
                self.fail(f"recover: {result.stderr}")
            return
        rows = [line for line in (self.folder / name / "motion_recovered.csv").read_text().splitlines() if line[0] != "#"]
        whole = [line for line in self.whole(kind)[0]["motion.csv"].decode().splitlines() if line[0] != "#"]
        # An interrupted run records where it stopped, too: an instant of its own.
        rows = [row for row in rows if row in set(whole)] if rows[-1] not in whole else rows
        if rows != whole[:len(rows)]:
            self.fail("recover: rows differ from those of the whole run")
        self.counts["recordings recovered"] += 1

    def fill_disk(self):
        """A disk of random size: exit code 0 or 1, a sentence, and no result file that is cut."""
        kind = self.chance.choice(sorted(self.commands))
        whole = self.whole(kind)[0]
        size = self.chance.randrange(4096, 2 * sum(map(len, whole.values())))
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], capture_output=True, check=False).returncode == 0
        limit = None if mounted else (lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))))
        try:
            result = self.run([*self.commands[kind], "-o", "disk/out"], preexec_fn=limit)
            self.counts["full disks, tmpfs" if mounted else "full disks, limits of file size"] += 1
            if result.returncode not in (0, 1):
                self.fail(f"full disk of {size} bytes, {kind}: exit code {result.returncode}: {result.stderr[-500:]}")
            if result.returncode == 1 and "cannot" not in result.stderr:
                self.fail(f"full disk of {size} bytes, {kind}: no message: {result.stderr[-500:]}")
            found = self.contents("disk/out") if (disk / "out").exists() else {}
            for key, value in found.items():
                # The results of an interrupted or failed run are whole files of fewer rows; none is such here.
                if not key.endswith(".part") and kind != "run" and value != whole.get(key):
                    self.fail(f"full disk of {size} bytes, {kind}: {key} is cut")
            for key in found:
                if key.startswith(".lithe."):
                    self.fail(f"full disk of {size} bytes, {kind}: {key} is left over")
        finally:
            if mounted:
                subprocess.run(["umount", str(disk)], check=True)
            shutil.rmtree(disk, ignore_errors=True)

    def limit_memory(self):
        """Too little address space: an orderly end, never a signal."""
        kind = self.chance.choice(sorted(self.commands))
        size = self.chance.randrange(30, 400) << 20
        shutil.rmtree(self.folder / "memory", ignore_errors=True)
        self.counts["limits of the address space"] += 1
        try:
            result = self.run([*self.commands[kind], "-o", "memory"], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        except subprocess.TimeoutExpired:
            self.fail(f"{size >> 20} MB, {kind}: hangs")
            return
        # 127: the loader itself had no room for the libraries.
        if result.returncode not in (0, 1, 2, 127):
            self.fail(f"{size >> 20} MB, {kind}: exit code {result.returncode}: {result.stderr[-500:]}")

    def two_at_once(self):
        """Two of the same command in one folder: one works undisturbed, or both do one after the other."""
        kind = self.chance.choice(["simulate", "sweep", "run"])
        whole, duration, _ = self.whole(kind)
        shutil.rmtree(self.folder / "both", ignore_errors=True)
        command = [str(self.program), *self.commands[kind], "-o", "both"]
        both = []
        for _ in range(2):
            both.append(subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            time.sleep(self.chance.random() * duration * 0.3)
        errors = [process.communicate(timeout=600)[1] for process in both]
        codes = sorted(process.returncode for process in both)
        self.counts["two processes in one folder"] += 1
        if codes not in ([0, 0], [0, 1]):
            self.fail(f"two of {kind}: exit codes {codes}: {errors}")
        if codes == [0, 1] and "another program" not in "".join(errors):
            self.fail(f"two of {kind}: no message: {errors}")
        found = self.contents("both")
        for key in whole:
            if kind != "run" and key != "motion.part" and found.get(key) != whole[key]:
                self.fail(f"two of {kind}: {key} differs")

    def work(self, seconds, kills):
        """Until so many kills, or where that is 0 for so many seconds."""
        begin = last = time.monotonic()
        trials = [lambda kind=kind: self.disturb(kind) for kind in self.commands] * 4
        trials += [self.fill_disk, self.limit_memory, self.two_at_once]
        done = 0
        while self.kills < kills if kills else time.monotonic() - begin < seconds:
            trials[done % len(trials)]()
            done += 1
            if time.monotonic() - last > 60:
                last = time.monotonic()
                print(f"kills: {self.kills} kills, {len(self.failures)} failures, {last - begin:.0f} s", flush=True)
        for name, count in sorted(self.counts.items()):
            print(f"{count:6d} {name}")
        print(f"{self.kills:6d} kills in all")
        print(f"{len(self.failures):6d} failures")
        return 1 if self.failures else 0


def run(context):
    """For tools/soak."""
    campaign = Campaign(pathlib.Path(context.program), context.folder, context.random)
    campaign.work(context.seconds, SHORT if context.short else context.count)
    context.failures += [(failure, "kills") for failure in campaign.failures]
    context.cases["kills"] = campaign.kills
    context.notes.update(campaign.counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("LITHE_PROGRAM", ROOT / "build" / "lithe"), type=pathlib.Path)
    parser.add_argument("--seconds", default=600, type=float)
    parser.add_argument("--kills", default=0, type=int, help="so many instead of a time")
    parser.add_argument("--seed", default=1, type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lithe kills ") as folder:
        return Campaign(options.program.resolve(), pathlib.Path(folder), random.Random(options.seed)).work(options.seconds, options.kills)


if __name__ == "__main__":
    sys.exit(main())
