"""Damaged models, tables, matrices, meshes and robots through `check`, and through all other commands with hostile options."""
import collections
import json
import re
import shutil
import time

from soak_campaigns.context import MODELS, SHORT, Outcome
from soak_campaigns.fork_server import Ended
from soak_campaigns.mutations import ROOT, SEEDS, ModelMutator, damaged_bytes
from soak_campaigns.options import NODES, VALUES, options_of, tool_of

# What makes a command quick, unless an option under test replaces it.
QUICK = {"info": {}, "modes": {"--count": "5"}, "simulate": {"--end": "0.001"}, "condense": {}, "statespace": {}, "linearise": {},
         "equilibrium": {}, "control": {"--end": "0.01", "--nominal": None}, "compare": {"--end": "0.0005"}, "run": {},
         "inverse-dynamics": {"--end": "0.001"}, "sensitivity": {}, "sweep": {"--analysis": "modes", "--axis": "gravity[0] = 0, 1"},
         "import": {}, "size": {"--end": "0.01"}, "settle": {"--after": "0.01"}, "contributions": {},
         "identify": {"--data": "measured.csv", "--fit": "links[0].mass"}, "shape": {"--after": "0.01"}, "reduce": {"--modes": "2"},
         "export": {"--urdf": None}}
# They refuse a model for what they need and check does not ask for.
NEEDS_MORE = {"identify", "shape", "reduce", "export", "import", "size", "settle", "contributions", "condense", "statespace", "linearise", "control", "compare", "run", "sensitivity", "sweep", "equilibrium",
              "inverse-dynamics"}
WITHOUT_RESULTS = {"info"}
IMPORTED = {".urdf", ".xml", ".sdf", ".msh", ".inp", ".bdf"}  # what `import` reads
IMPORT_OUTPUTS = ("out.toml", "out.inp", "out.msh")
NAMED_OUTPUTS = {"identify": ("out.toml",), "shape": ("out.csv",), "reduce": ("out.h5",), "export": ("out.urdf", "out.xml"),
                 "import": IMPORT_OUTPUTS}  # files; the others write to a folder
MEASURED = ("time [s],angle [deg]\n0,1\n0.001,2\n0.002,1\n0.003,0\n", "frequency [Hz]\n3\n5\n",
            "mode,frequency [Hz],damping ratio\n1,12.5,0.01\n", "frequency [Hz],tip.z of motor real,tip.z of motor imaginary\n1,2,1\n2,1,-4\n")
DESCRIPTIONS, LARGEST_DESCRIPTION = {".urdf", ".xml", ".sdf"}, 4000  # bytes
ROBOT = 'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "%s"\n[[analyses]]\nkind = "modes"\n[[analyses]]\nkind = "simulate"\nend_time = 0.001\n'
BATCH = 100  # checks in one process
PIECE = 5000  # checks between two records of a long campaign
QUICK_CHECK, QUICK_RUN = 1e-3, 20e-3  # s
OTHER_LIMIT = 1  # s until a long computation is interrupted: it tells nothing that its first second does not
NORMAL = ["0", "1", "2", "3", "0.01", "1e-3", "10", "0:1:3", "1:10:3", "erls-cms", "floating-frame", "corotational"]


class Inputs:
    """Files of a case: a damaged model beside whole files, or a whole model beside a damaged table, matrix, mesh or robot."""

    def __init__(self, folder, random):
        self.folder, self.random = folder, random
        self.extra = {file.name: file.read_bytes() for file in sorted(SEEDS.iterdir()) if file.suffix != ".toml"}
        bad = ROOT / "tests" / "bad_input"
        own = {file.stem: file.read_text(encoding="utf-8") for file in sorted(SEEDS.glob("*.toml"))}
        # The same part from other formats; that of Nastran has its spiders itself.
        own["inp"] = own["solid"].replace("solid.msh", "solid.inp")
        own["bdf"] = re.sub(r"(?s)\[\[links.groups.*?(?=\[\[joints)", "", own["solid"]).replace("solid.msh", "solid.bdf") \
            .replace("masses =", "nodes = {root = [0, 0.01, 0.01], tip = [0.2, 0.01, 0.01]}\nmasses =")
        own["coupled_bdf"] = own["coupled"].replace("coupled.inp", "coupled.bdf")
        for file in sorted((ROOT / "tests" / "robots").iterdir()):
            if file.suffix in DESCRIPTIONS and file.stat().st_size < LARGEST_DESCRIPTION:
                self.extra[file.name] = file.read_bytes()
                own[file.name] = ROBOT % file.name
        self.users = {name: [text for text in own.values() if f'"{name}"' in text] for name in self.extra}
        texts = [file.read_text(encoding="utf-8") for file in sorted(MODELS.glob("*.toml"))]
        wrong = [file.read_text(encoding="utf-8", errors="replace") for file in sorted(bad.glob("*.toml"))]
        self.mutator = ModelMutator(texts, random)
        self.wrong = ModelMutator(wrong, random)
        texts += wrong
        self.own = ModelMutator(texts + list(own.values()), random)
        self.own.seeds = self.own.seeds[len(texts):]
        for name, data in self.extra.items():
            (folder / name).write_bytes(data)

    def write(self, number):
        """The files of a case, which no other has; the first is the model."""
        files = [f"model_{number}.toml"]
        if self.random.random() < 0.15:
            name = self.random.choice(sorted(self.extra))
            files.append(f"damaged_{number}_{name}")
            (self.folder / files[1]).write_bytes(damaged_bytes(self.extra[name], self.random))
            text = self.random.choice(self.users[name]).replace(f'"{name}"', f'"{files[1]}"')
        else:
            text = self.random.choices((self.own, self.mutator, self.wrong), (0.6, 0.35, 0.05))[0].model()
        (self.folder / files[0]).write_bytes(text.encode("utf-8", "surrogatepass"))
        return [self.folder / name for name in files]

    def weigh(self, cost_of, others, known):
        """Seeds that take long come rarely: their commands cost seconds, and break in no other way. `known`: weights that
        an earlier piece has found."""
        for mutator in (self.mutator, self.own):  # wrong ones end early
            for seed in mutator.seeds:
                if (seed.text, others) not in known:
                    (self.folder / "seed.toml").write_text(seed.text, encoding="utf-8")
                    check = cost_of(["check", "seed.toml"])
                    run = cost_of(["run", "seed.toml", "-o", "out"]) if others else 0
                    share = min(1.0, QUICK_CHECK / max(1e-4, check)) * min(1.0, QUICK_RUN / max(1e-4, run))
                    known[seed.text, others] = max(1e-3, share)
                seed.weight = known[seed.text, others]


def command_line(command, model, options, random):
    chosen = dict(QUICK[command])
    plain = True
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        if not options:
            break
        option = random.choice(sorted(options))
        kind = options[option]
        plain = False
        chosen[option] = None if kind is None else random.choice([*(kind or NORMAL), *random.sample(VALUES, 3)])
    if command not in WITHOUT_RESULTS:
        chosen["-o"] = random.choice(NAMED_OUTPUTS.get(command, ("out",)))
        if command in ("identify", "shape"):
            chosen["--results"] = "out"
        chosen.pop("--output", None)
    words = [command, model]
    for name, value in chosen.items():
        words += [name] if value is None else [name, value]
    if random.random() < 0.5 and "--json" not in chosen:
        words.append("--json")
    return words, plain


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


class Campaign:
    def __init__(self, context):
        self.context = context
        self.options = {command: options_of(context, command) for command in QUICK}
        self.inputs = Inputs(context.folder, context.random)
        self.server = context.server()
        self.refusals = collections.Counter()
        self.others, self.last = 0, time.monotonic()
        if not context.short:
            self.inputs.weigh(lambda words: self.server.run(words, limit=2).seconds, context.share > 0, context.weights)

    def checks(self, cases):
        """Many in one process; where that ends too early, the next case alone."""
        waiting = list(cases)
        while waiting:
            lines = [["check", files[0].name, "--json"] for files in waiting]
            ended = self.server.run_many(lines, limit=self.context.limit) if len(waiting) > 1 else []
            for files, (code, out, err) in zip(waiting, ended):
                yield files, Ended((code << 8, 0, 0, 0), out, err)
            if len(ended) < len(waiting):
                self.context.notes["models: forks that end early, the next check runs alone"] += len(waiting) > 1
                yield waiting[len(ended)], self.server.run(lines[len(ended)], limit=self.context.limit)
            waiting = waiting[len(ended) + 1:]

    def other(self, files, check):
        """Another command on a model that `check` has seen."""
        parts = [file.name for file in files if file.suffix in IMPORTED]
        command = self.context.random.choice(sorted(QUICK if parts else set(QUICK) - {"import"}))
        subject = parts[0] if command == "import" else files[0].name
        if command == "identify":
            whole = self.context.random.choice(MEASURED).encode()
            data = damaged_bytes(whole, self.context.random) if self.context.random.random() < 0.7 else whole
            (self.context.folder / "measured.csv").write_bytes(data)
        words, plain = command_line(command, subject, self.options[command], self.context.random)
        if command in NODES and "--tool" not in words and self.context.random.random() < 0.9:
            tool = tool_of(files[0].read_text(encoding="utf-8", errors="replace"))
            words += ["--tool", tool.replace("\0", "")]
        ended = self.server.run(words, limit=min(OTHER_LIMIT, self.context.limit))
        self.others += 1
        self.context.judge(words, Case(ended).outcome, files)
        refused = later_refusal(words, plain, check, ended)
        if refused:
            self.refusals[(command, refused)] += 1
        for name in sum(NAMED_OUTPUTS.values(), ()):
            (self.context.folder / name).unlink(missing_ok=True)
        shutil.rmtree(self.context.folder / "out", ignore_errors=True)

    def batch(self):
        context = self.context
        cases = [self.inputs.write(number) for number in range(SHORT if context.short else BATCH)]
        for files, check in self.checks(cases):
            good = context.judge(["check", "--json"], Case(check).outcome, files)
            wanted = check.code == 0 or files[-1].suffix in IMPORTED or context.random.random() < 0.01
            if good and wanted and self.others < context.share * context.cases["check"]:
                self.other(files, check)
        for files in cases:
            for file in files:
                file.unlink()
        if time.monotonic() - self.last > 60:
            self.last = time.monotonic()
            print(f"models: {context.cases['check']} checks, {self.others} others, {len(context.failures)} failures, "
                  f"{self.last - context.begin:.0f} s", flush=True)

    def run(self):
        try:
            while self.context.goes_on():
                self.batch()
        finally:
            self.server.close()
        for (command, words), count in self.refusals.most_common():
            self.context.notes[f"models: check passes what {command} refuses: {words}"] += count


def run(context):
    Campaign(context).run()
