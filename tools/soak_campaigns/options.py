"""Every command on every example model with every option of its help at the ends of its range."""
import json
import re
import tomllib

from soak_campaigns.context import MODELS, Outcome
from soak_campaigns.mutations import SEEDS

VALUES = ["", "0", "-1", "1", "nan", "inf", "-inf", "1e300", "-1e300", "1e15", "5e-324", "1e-15", "2147483648",
          "99999999999999999999", "x", "x" * 100000, "1,2", "1:2", "1:2:3", "1:2:1e9", "0:0:0", "nan:inf:3", "..",
          "/proc", "/dev/zero", "/dev/full", "\u00e9", "a=b", "=", ":", ",", "%s%n", "--", "a\nb", "\x1b[2J"]
# Words that make a command quick, unless an option under test replaces them.
QUICK = {"simulate": {"--end": "0.002"}, "control": {"--end": "0.02", "--nominal": None}, "compare": {"--end": "0.002"},
         "modes": {}, "check": {}, "info": {}, "condense": {}, "linearise": {}, "statespace": {}, "run": {}, "size": {"--end": "0.01"},
         "settle": {"--after": "0.01"}, "shape": {"--after": "0.01"}, "reduce": {"--modes": "2", "-o": "out.h5"},
         "export": {"--urdf": None, "-o": "out.urdf"}, "identify": {"--data": "measured.csv", "--fit": "links[0].mass", "-o": "out.toml"}}
LIMIT = 2  # s of the processor until a long computation is interrupted
PIECE = 500  # cases of the commonest command between two records of a long campaign
NODES = {"settle", "shape", "contributions"}  # they look at a node of a link
WITHOUT_MODEL = {"example": ["l_shape"], "reproduce": [], "completion": ["bash"], "reference": [], "version": [], "doctor": []}
SLOW = {"demo", "run", "watch"}  # no options of their own worth a minute each, or without an end
NEVER = {"--help", "--serve", "--allow-commands", "--allow-outside-files"}


def commands(context):
    text = context.run("--help").stdout.decode()
    part = re.split(r"(?im)^(?:subcommands|commands):", text)[-1]
    return re.findall(r"(?m)^  ([a-z-]+) ", part)


def options_of(context, command):
    """Option -> its choices (or [] for free values, None for flags)."""
    found = {}
    for line in context.run(command, "--help").stdout.decode().splitlines():
        match = re.match(r"\s+(?:-\w,\s*)?(--[a-z-]+)(?:,--[a-z-]+)*(.*)", line)
        if not match or match[1] in NEVER:
            continue
        rest = match[2]
        choices = re.match(r"\s+TEXT:\{([^}]*)\}", rest)
        takes = re.match(r"\s+(TEXT|FLOAT|INT|UINT|NUMBER)", rest)
        found[match[1]] = choices[1].split(",") if choices else ([] if takes else None)
    return found


def first_joint(context, model):
    answer = context.run("info", str(model), "--json")
    joints = json.loads(answer.stdout)["joints"] if answer.code == 0 else []
    return joints[0]["name"] if joints else "none"


def tool_of(text):
    """A node of a link of the model, or one that is none."""
    try:
        links = tomllib.loads(text).get("links", [])
        named = [(link["name"], list(link["nodes"])[-1]) for link in links if link["nodes"]]
        return "%s:%s" % named[-1]
    except (tomllib.TOMLDecodeError, RecursionError, LookupError, TypeError, AttributeError):
        return "none:none"


def base_words(command, model, joint):
    words = dict(QUICK.get(command, {}))
    if command == "contributions":
        words["--held"] = joint
    if command in NODES:
        words["--tool"] = tool_of(model.read_text(encoding="utf-8"))
    if command == "sweep":
        words["--axis"] = f"joint.{joint} = 0 : 0.01 : 2"
        words["--analysis"] = "modes"
    return [str(model)], words


def cases(context, models):
    """(words, options) of every case, in a random order."""
    recorded = None
    for command in commands(context):
        if command in SLOW:
            continue
        options = options_of(context, command)
        pairs = [(option, value) for option, kind in options.items()
                 for value in ([None] if kind is None else [*kind, *VALUES])]
        if command in WITHOUT_MODEL:
            subjects = [(WITHOUT_MODEL[command], {})] + [([value], {}) for value in VALUES]
        elif command in ("spectrum", "plot", "view"):
            if recorded is None:
                context.run("simulate", str(MODELS / "l_shape.toml"), "--end", "0.05", "-o", "recorded", limit=60)
                recorded = str(context.folder / "recorded" / "motion.csv")
            quick = {"view": {"--print": None}, "plot": {"--sensor": "energy", "-o": "p.svg"}, "spectrum": {"--sensor": "energy"}}
            subjects = [([recorded], quick[command])]
        elif command == "import":
            subjects = [([str(SEEDS / name)], {}) for name in ("r.urdf", "solid.msh", "solid.bdf")]
        elif command == "new":
            subjects = [(["fresh.toml"], {})]
        else:
            subjects = [base_words(command, model, joint) for model, joint in models]
        for words, quick in subjects:
            yield [command, *words], quick, None, None
            for option, value in pairs:
                yield [command, *words], quick, option, value


def run(context):
    files = sorted(MODELS.glob("*.toml"))
    if context.short:
        files = [MODELS / "planar_2r.toml", MODELS / "scara_dh.toml"]
    models = [(file, first_joint(context, file)) for file in files]
    (context.folder / "measured.csv").write_text("time [s],angle\n0,1\n0.001,2\n0.002,1\n0.003,0\n", encoding="utf-8")
    everything = list(cases(context, models))
    context.random.shuffle(everything)
    print(f"options: {len(everything)} cases are possible", flush=True)
    server = context.server()
    for words, quick, option, value in everything:
        if not context.goes_on():
            break
        chosen = {**quick, **({option: value} if option else {})}
        if option == "--output":
            chosen.pop("-o", None)
        else:
            chosen.setdefault("-o", "out")
        if words[0] in WITHOUT_MODEL or words[0] in ("check", "info", "view", "new"):
            chosen.pop("-o", None)
        full = list(words)
        for name, text in chosen.items():
            full += [name] if text is None else [name, text]
        if context.random.random() < 0.5 and "--json" not in full:
            full.append("--json")
        ended = server.run(full, limit=min(LIMIT, context.limit))
        context.judge(full, Outcome(ended.code, ended.seconds, ended.interrupted, ended.hung, ended.stdout, ended.stderr))
        for name in ("fresh.toml", "out", "out.h5", "out.urdf", "out.toml"):  # of new and import, which write over nothing
            if (context.folder / name).is_file():
                (context.folder / name).unlink()
    server.close()
