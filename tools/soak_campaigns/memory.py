"""Commands under valgrind (where it is installed): reads of nothing, writes beyond ends, and threads that race in sweeps."""
import shutil

from soak_campaigns.context import Outcome
from soak_campaigns.mutations import SEEDS

ERRORS = 99  # exit code when valgrind has seen one
SLOWER = 60  # times
# A counter of std::shared_ptr goes to zero under atomic operations, which DRD does not see. One library ends mutexes that
# were never begun. The sizes of the processor's caches, a static of Eigen, are found once under the guard of C++, which DRD
# does not see either.
SUPPRESSED = "{\n  cache sizes\n  drd:ConflictingAccess\n  fun:*evaluateProductBlockingSizesHeuristic*\n}\n" \
    "{\n  the same, inlined\n  drd:ConflictingAccess\n  fun:_ZN5Eigen8internal23triangular_solve_matrix*\n}\n" \
    "{\n  counters of shared_ptr\n  drd:ConflictingAccess\n  fun:_ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv\n}\n" \
    "{\n  their vtables\n  drd:ConflictingAccess\n  ...\n  fun:_ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv\n}\n" \
    "{\n  at the end\n  drd:MutexErr\n  fun:pthread_mutex_destroy*\n  obj:*libp11-kit*\n}\n"
COMMANDS = [["check"], ["info"], ["modes"], ["equilibrium"], ["simulate", "--end", "0.001", "--vtk", "--gltf"], ["run"], ["statespace"],
            ["simulate", "--end", "0.001", "--integrator", "radau"], ["linearise"], ["condense"], ["sensitivity"], ["settle", "--after", "0.01"],
            ["compare", "--end", "0.0005"], ["inverse-dynamics", "--end", "0.001"], ["size"], ["control", "--end", "0.01", "--nominal"]]
SWEEPS = [["--analysis", "modes"], ["--analysis", "simulate", "--end", "0.001"], ["--analysis", "equilibrium"]]


MEASURED = "time [s],angle [deg]\n" + "".join(f"{i / 1000},{i % 7}\n" for i in range(40))
FIT = ["identify", "gearbox.toml", "--data", "measured.csv", "--fit", "links[0].mass", "--fit", "motors[0].stiffness", "--threads", "3"]
STUDIES = [["shape", "gearbox.toml", "--tool", "arm:tip", "--after", "0.01"], ["size", "gearbox.toml", "--flexible"],
           ["inverse-dynamics", "gearbox.toml", "--elastic"], ["contributions", "gearbox.toml", "--tool", "arm:tip"], FIT]


def run_under(context, tool, words):
    """As Context.run, with valgrind before the program."""
    program = context.program
    log = context.folder / "valgrind.log"
    more = ["--leak-check=no"] if tool == "memcheck" else ["--check-stack-var=no", f"--suppressions={context.folder / 'suppressed'}"]
    arguments = [f"--tool={tool}", "-q", f"--error-exitcode={ERRORS}", f"--log-file={log}", *more, program, *words]
    context.program = shutil.which("valgrind")
    try:
        outcome = context.run(*arguments, limit=SLOWER * context.limit)
    finally:
        context.program = program
    if outcome.code == ERRORS:
        outcome = Outcome(ERRORS, outcome.seconds, False, False, outcome.stdout, log.read_bytes())
    return outcome


def run(context):
    if not shutil.which("valgrind"):
        print("memory: valgrind is not installed")
        return
    for file in SEEDS.iterdir():
        shutil.copy(file, context.folder)
    (context.folder / "suppressed").write_text(SUPPRESSED)
    (context.folder / "measured.csv").write_text(MEASURED, encoding="utf-8")
    models = sorted(file.name for file in SEEDS.glob("*.toml"))
    cases = [("memcheck", [words[0], model, *words[1:]]) for words in COMMANDS for model in models]
    cases += [("drd", ["sweep", model, *words, "--axis", "gravity[0] = 0 : 1 : 6", "--threads", "3"]) for words in SWEEPS for model in models]
    cases += [("memcheck", words) for words in STUDIES] + [("memcheck", ["reduce", "solid.toml"]), ("drd", FIT)]
    context.random.shuffle(cases)
    for tool, words in cases:
        if not context.goes_on():
            return
        if words[0] not in ("check", "info"):
            words = [*words, "--results" if words[0] in ("identify", "shape") else "-o", "out.h5" if words[0] == "reduce" else "out"]
        context.judge(words, run_under(context, tool, words))
        context.notes[tool] += 1
        shutil.rmtree(context.folder / "out", ignore_errors=True)
