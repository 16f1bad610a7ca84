"""Damaged models, tables and matrices through `check`, and through all other commands with hostile options."""
import collections
import json
import shutil
import time

from soak_campaigns.context import MODELS, Outcome
from soak_campaigns.fork_server import ForkServer
from soak_campaigns.mutations import ROOT, SEEDS, ModelMutator, damaged_bytes
from soak_campaigns.options import VALUES, options_of

# What makes a command quick, unless an option under test replaces it.
QUICK = {"info": {}, "modes": {"--count": "5"}, "simulate": {"--end": "0.001"}, "condense": {}, "statespace": {}, "linearise": {},
         "equilibrium": {}, "control": {"--end": "0.01", "--nominal": None}, "compare": {"--end": "0.0005"}, "run": {},
         "sensitivity": {"--parameter": "gravity[2]"}, "sweep": {"--analysis": "modes", "--axis": "gravity[0] = 0, 1"}}
# They refuse a model for what they need and check does not ask for.
NEEDS_MORE = {"condense", "statespace", "linearise", "control", "compare", "run", "sensitivity", "sweep", "equilibrium"}
WITHOUT_RESULTS = {"info"}
SHARE = 0.1  # other commands per check
NORMAL = ["0", "1", "2", "3", "0.01", "1e-3", "10", "0:1:3", "1:10:3", "erls-cms", "floating-frame", "corotational"]


class Inputs:
    """Files of a case: a damaged model beside whole tables, or a whole model beside a damaged table or matrix."""

    def __init__(self, folder, random):
        self.folder, self.random = folder, random
        self.extra = {file.name: file.read_bytes() for file in SEEDS.iterdir() if file.suffix != ".toml"}
        bad = ROOT / "tests" / "bad_input"
        self.with_files = [(SEEDS / name).read_text(encoding="utf-8") for name in ("loop.toml", "matrices.toml")]
        own = [file.read_text(encoding="utf-8") for file in sorted(SEEDS.glob("*.toml"))]
        texts = [file.read_text(encoding="utf-8") for file in sorted(MODELS.glob("*.toml"))]
        texts += [file.read_text(encoding="utf-8", errors="replace") for file in sorted(bad.glob("*.toml"))]
        self.mutator = ModelMutator(texts, random)
        self.own = ModelMutator(texts + own, random)
        self.own.seeds = self.own.seeds[len(texts):]
        self.damaged = None
        for name, data in self.extra.items():
            (folder / name).write_bytes(data)

    def next(self):
        if self.damaged:
            (self.folder / self.damaged).write_bytes(self.extra[self.damaged])
            self.damaged = None
        if self.random.random() < 0.08:
            self.damaged = self.random.choice(sorted(self.extra))
            (self.folder / self.damaged).write_bytes(damaged_bytes(self.extra[self.damaged], self.random))
            text = self.with_files["t.csv" != self.damaged]
        else:
            text = (self.own if self.random.random() < 0.6 else self.mutator).model()
        (self.folder / "model.toml").write_bytes(text.encode("utf-8", "surrogatepass"))

    def files(self):
        return [self.folder / name for name in ("model.toml", *self.extra)]


def command_line(command, options, random):
    chosen = dict(QUICK[command])
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        if not options:
            break
        option = random.choice(sorted(options))
        kind = options[option]
        chosen[option] = None if kind is None else random.choice([*(kind or NORMAL), *random.sample(VALUES, 3)])
    if command not in WITHOUT_RESULTS:
        chosen["-o"] = "out"
        chosen.pop("--output", None)
    words = [command, "model.toml"]
    for name, value in chosen.items():
        words += [name] if value is None else [name, value]
    if random.random() < 0.5 and "--json" not in chosen:
        words.append("--json")
    return words, len(chosen) == len(QUICK[command]) + (command not in WITHOUT_RESULTS)


class Case:
    """Outcome as the context judges it."""

    def __init__(self, ended):
        self.outcome = Outcome(ended.code, ended.seconds, ended.interrupted, ended.hung, ended.stdout, ended.stderr)


def later_refusal(words, plain, check, outcome):
    """The words with which a later command refuses what check had passed without a warning; or nothing."""
    if words[0] in NEEDS_MORE or not plain or outcome.code != 2 or check.code != 0:
        return None
    if json.loads(check.stdout)["warnings"]:
        return None
    return outcome.stderr.decode("utf-8", "replace").strip().splitlines()[-1][:300]


def run(context):
    options = {command: options_of(context, command) for command in QUICK}
    inputs = Inputs(context.folder, context.random)
    server = ForkServer(context.program, context.folder)
    refusals = collections.Counter()
    others, last = 0, time.monotonic()
    try:
        while context.goes_on():
            inputs.next()
            check = server.run(["check", "model.toml", "--json"], limit=context.limit, grace=60)
            context.judge(["check", "--json"], Case(check).outcome, inputs.files())
            if others < SHARE * context.cases["check"] and (check.code == 0 or context.random.random() < 0.01):
                command = context.random.choice(sorted(QUICK))
                words, plain = command_line(command, options[command], context.random)
                other = server.run(words, limit=min(4, context.limit), grace=60)
                others += 1
                context.judge(words, Case(other).outcome, inputs.files())
                refused = later_refusal(words, plain, check, other)
                if refused:
                    refusals[(command, refused)] += 1
                shutil.rmtree(context.folder / "out", ignore_errors=True)
            if time.monotonic() - last > 60:
                last = time.monotonic()
                print(f"models: {context.cases['check']} checks, {others} others, {len(context.failures)} failures, "
                      f"{last - context.begin:.0f} s", flush=True)
    finally:
        server.close()
    for (command, words), count in refusals.most_common():
        print(f"models: check passes what {command} refuses, {count} times: {words}")
