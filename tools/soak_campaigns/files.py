"""Damaged checkpoints, recordings, unfinished sweeps and tables of results: refused, or used as far as they are whole."""
import os
import shutil
import subprocess

from soak_campaigns.kills import ARM, TORQUE
from soak_campaigns.models import Case
from soak_campaigns.mutations import damaged_bytes
from soak_campaigns.preload import built

SIMULATE = ["simulate", "arm.toml", "--end", "0.02", "--output-step", "1e-3", "--checkpoint", "c", "--checkpoint-interval", "0.005"]
LONGER = ["simulate", "arm.toml", "--end", "0.03", "--output-step", "1e-3", "--checkpoint-interval", "0.005", "--restart", "c"]
SWEEP = ["sweep", "arm.toml", "--analysis", "modes", "--axis", "joint.hinge = 0 : 1 : 12", "-o", "swept"]


class Files:
    def __init__(self, context):
        self.context, self.folder, self.random = context, context.folder, context.random
        (self.folder / "arm.toml").write_text(ARM, encoding="utf-8")
        (self.folder / "torque.csv").write_text(TORQUE, encoding="utf-8")
        self.server = context.server()
        self.must([*SIMULATE, "-o", "run"])
        self.good = {name: (self.folder / path).read_bytes() for name, path in
                     (("checkpoint", "c"), ("recording", "run/motion.part"), ("table", "run/motion.csv"))}
        self.rows = self.good["table"].decode().split("\n")
        self.must(SWEEP)
        self.swept = (self.folder / "swept/sweep.csv").read_bytes()
        shutil.rmtree(self.folder / "swept")
        self.good["sweep"] = self.unfinished_sweep()

    def unfinished_sweep(self):
        """About half of its points: killed one call later each time, until it has as many bytes."""
        for calls in range(5, 60):
            subprocess.run([self.context.program, *SWEEP], cwd=self.folder, check=False, capture_output=True,
                           env={**os.environ, "LD_PRELOAD": str(built("disturb")), "LITHE_SOAK_KILL": str(calls)})
            part = self.folder / "swept/sweep.part"
            data = part.read_bytes() if part.exists() else b""
            shutil.rmtree(self.folder / "swept", ignore_errors=True)
            if len(data) > 1800:
                return data
        raise SystemExit("the sweep is finished before it has half of its points")

    def must(self, words):
        ended = self.server.run(words, limit=60)
        if ended.code != 0:
            raise SystemExit(f"{words}: {ended.stderr.decode('utf-8', 'replace')}")

    def case(self, kind, words, damaged, refused=None):
        """`refused`: what is wrong where the program takes the file; given the end of the run."""
        ended = self.server.run(words, limit=self.context.limit)
        if not self.context.judge([kind, *words[1:]], Case(ended).outcome, [damaged]):
            return
        why = refused(ended) if refused and not ended.interrupted else None
        if why:
            self.context.failures.append((why, kind))
            print(f"files: {why}", flush=True)
            if self.context.keep:
                place = self.context.keep / f"files_{len(self.context.failures):04}"
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(damaged, place)

    def checkpoint(self, data):
        (self.folder / "c").write_bytes(data)
        same = data == self.good["checkpoint"]
        shutil.rmtree(self.folder / "again", ignore_errors=True)
        self.case("restart", [*LONGER, "-o", "again"], self.folder / "c",
                  lambda end: None if same or end.code == 2 else f"a damaged checkpoint gives exit code {end.code}")

    def recording(self, data):
        place = self.folder / "torn"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "motion.part").write_bytes(data)

        def wrong(_):
            if not (place / "motion_recovered.csv").exists():
                return None
            rows = [row for row in (place / "motion_recovered.csv").read_text().split("\n") if row and row[0] != "#"]
            whole = [row for row in self.rows if row and row[0] != "#"]
            return None if rows == whole[:len(rows)] else "recover makes rows that were not recorded"

        self.case("recover", ["recover", "torn/motion.part"], place / "motion.part", wrong)
        # The next run begins anew beside it, whatever it is.
        (self.folder / "c").write_bytes(self.good["checkpoint"])
        self.case("resume", [*LONGER, "-o", "torn"], place / "motion.part")

    def sweep(self, data):
        place = self.folder / "swept"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "sweep.part").write_bytes(data)

        def wrong(end):
            if end.code != 0:
                return None
            return None if (place / "sweep.csv").read_bytes() == self.swept else "a damaged sweep goes on with other points"

        self.case("sweep", SWEEP, place / "sweep.part", wrong)

    def table(self, data):
        (self.folder / "t.csv").write_bytes(data)
        (self.folder / "good.csv").write_bytes(self.good["table"])
        words = self.random.choice([["spectrum", "t.csv", "--sensor", "hinge", "-o", "out"],
                                    ["plot", "t.csv", "--sensor", "tip", "-o", "p.svg"],
                                    ["compare", "good.csv", "t.csv", "-o", "out"], ["compare", "t.csv", "good.csv", "-o", "out"]])
        self.case(words[0], words + (["--json"] if self.random.random() < 0.5 else []), self.folder / "t.csv")

    def run(self):
        kinds = [self.checkpoint, self.recording, self.sweep, self.table]
        names = ["checkpoint", "recording", "sweep", "table"]
        turn = 0
        while self.context.goes_on():
            kind = turn % len(kinds)
            turn += 1
            kinds[kind](damaged_bytes(self.good[names[kind]], self.random))
        self.server.close()


def run(context):
    Files(context).run()
