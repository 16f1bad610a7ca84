"""What the campaigns share: runs of the program under limits, and their tally."""
import collections
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

from soak_campaigns.fork_server import ForkServer

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
GRACE = 5  # s that a program may take to end after Ctrl-C
ADDRESS_SPACE = 6 << 30  # bytes: what asks for more must say so instead of taking the machine down
FILE_SIZE = 512 << 20  # bytes
SHORT = 25  # cases of the short form
WEIGHTS = {}  # of seeds, found once for all pieces of a campaign

# A sanitizer ends the program by SIGABRT instead of exit code 1. It maps terabytes, and cannot report a want of memory
# as the program would: limits of the address space do not go with it.
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:detect_stack_use_after_return=0",
              "UBSAN_OPTIONS": "abort_on_error=1:print_stacktrace=1", "TSAN_OPTIONS": "abort_on_error=1:halt_on_error=1"}
WANT_OF_MEMORY = (b"allocation-size-too-big", b"out-of-memory", b"requested allocation size")


def _limits(sanitized):
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    os.nice(10)


class Outcome:
    """How one run ended. `interrupted`: it went beyond its limit and ended by itself after Ctrl-C."""

    def __init__(self, code, seconds, interrupted, hung, stdout, stderr):
        self.code, self.seconds, self.interrupted, self.hung = code, seconds, interrupted, hung
        self.stdout, self.stderr = stdout, stderr


class Tally:
    """Cases, exit codes, longest times and failures, by command. Tallies of pieces are added up."""

    def __init__(self):
        self.cases, self.interrupted = collections.Counter(), collections.Counter()
        self.codes = collections.defaultdict(collections.Counter)
        self.slowest, self.spent = collections.Counter(), collections.Counter()
        self.seconds, self.failures, self.notes = 0.0, [], collections.Counter()

    def most(self):
        return max(self.cases.values(), default=0)

    def add(self, other):
        self.cases += other.cases
        self.interrupted += other.interrupted
        self.notes += other.notes
        for command, codes in other.codes.items():
            self.codes[command] += codes
        for command, seconds in other.slowest.items():
            self.slowest[command] = max(self.slowest[command], seconds)
        self.spent += other.spent
        self.seconds += other.seconds
        self.failures += other.failures

    def as_json(self):
        return {"cases": self.cases, "interrupted": self.interrupted, "codes": self.codes, "slowest": self.slowest, "spent": self.spent, "seconds": self.seconds,
                "failures": self.failures, "notes": self.notes}

    @staticmethod
    def of(data):
        tally = Tally()
        tally.cases.update(data["cases"])
        tally.interrupted.update(data["interrupted"])
        tally.slowest.update(data["slowest"])
        tally.spent.update(data["spent"])
        tally.notes.update(data["notes"])
        for command, codes in data["codes"].items():
            tally.codes[command].update({int(code): count for code, count in codes.items()})
        tally.seconds, tally.failures = data["seconds"], [tuple(failure) for failure in data["failures"]]
        return tally

    def summary(self, name):
        print(f"\n{name}: {sum(self.cases.values())} cases in {self.seconds:.0f} s")
        print(f"{'command':16} {'cases':>8} {'exit 0':>8} {'exit 1':>8} {'exit 2':>8} {'stopped':>8} {'slowest s':>10} {'in all s':>9}")
        for command, count in sorted(self.cases.items()):
            codes = self.codes[command]
            print(f"{command[:16]:16} {count:8} {codes[0]:8} {codes[1]:8} {codes[2]:8} {self.interrupted[command]:8} "
                  f"{self.slowest[command]:10.2f} {self.spent[command]:9.0f}")
        for note, count in self.notes.most_common(200):
            print(f"{count:8} {note}")
        print(f"{len(self.failures)} failures")
        for reason, words in self.failures:
            print(f"  {reason}: lithe {words}")
        return len(self.failures)


class Context:
    def __init__(self, name, options, folder, random):
        self.name, self.folder, self.random = name, folder, random
        self.short, self.limit = options.short, 5 if options.short else options.limit
        self.program = str(pathlib.Path(options.program).resolve())
        self.seconds, self.count = options.seconds, options.count
        self.sanitized, self.share = options.sanitized, options.share
        self.weights = WEIGHTS
        if self.sanitized:
            os.environ.update(SANITIZERS)
        self.keep = pathlib.Path(options.keep) if options.keep else None
        self.begin = time.monotonic()
        self.sums = Tally()
        self.cases, self.codes, self.slowest = self.sums.cases, self.sums.codes, self.sums.slowest
        self.interrupted, self.failures, self.notes = self.sums.interrupted, self.sums.failures, self.sums.notes

    @property
    def tally(self):
        self.sums.seconds = time.monotonic() - self.begin
        return self.sums

    def goes_on(self):
        """Whether there is time for another case; the short form counts cases instead, whatever the machine does beside."""
        if self.short:
            return sum(self.cases.values()) < SHORT
        if self.count:
            return self.sums.most() < self.count
        return time.monotonic() - self.begin < self.seconds

    def start(self, *words, cwd=None):
        return subprocess.Popen([self.program, *words], cwd=cwd or self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: _limits(self.sanitized))

    def server(self):
        """For command lines by the thousand."""
        return ForkServer(self.program, self.folder, 0 if self.sanitized else ADDRESS_SPACE, FILE_SIZE)

    def run(self, *words, cwd=None, limit=None):
        begin = time.monotonic()
        process = self.start(*words, cwd=cwd)
        interrupted = hung = False
        try:
            out, err = process.communicate(timeout=limit or self.limit)
        except subprocess.TimeoutExpired:
            interrupted = True
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                hung = True
                process.kill()
                out, err = process.communicate()
        return Outcome(process.returncode, time.monotonic() - begin, interrupted, hung, out, err)

    def judge(self, words, outcome, inputs=()):
        """Counts a case; what must not happen is a failure, with its inputs kept."""
        command = words[0] if words else ""
        self.cases[command] += 1
        self.codes[command][outcome.code] += 1
        self.slowest[command] = max(self.slowest[command], outcome.seconds)
        self.sums.spent[command] += outcome.seconds
        self.interrupted[command] += outcome.interrupted and not outcome.hung
        reason = self.reason(words, outcome)
        if reason:
            self.fail(reason, words, outcome, inputs)
        return not reason

    def fail(self, reason, words, outcome, inputs=()):
        """Notes a failure, with its inputs kept."""
        shown = " ".join(word if len(word) < 60 else word[:50] + "..." for word in words)
        self.failures.append((reason, shown))
        print(f"{self.name}: {reason}: lithe {shown!r}", flush=True)
        if self.keep:
            place = self.keep / f"{self.name}_{len(self.failures):04}"
            place.mkdir(parents=True, exist_ok=True)
            (place / "case.txt").write_text(f"{reason}\n{words!r}\n" + outcome.stderr.decode("utf-8", "replace"))
            for file in inputs:
                shutil.copy(file, place)

    @staticmethod
    def reason(words, outcome):
        if outcome.hung:
            return "hangs, also after Ctrl-C"
        if outcome.interrupted:
            return None  # a long computation that can be stopped
        if outcome.code == -signal.SIGABRT and any(words in outcome.stderr for words in WANT_OF_MEMORY):
            return None  # of a sanitizer's allocator; without it, the program says so
        if outcome.code < 0 or outcome.code >= 128:
            return f"ended by signal {-outcome.code if outcome.code < 0 else outcome.code - 128}"
        if outcome.code not in (0, 1, 2):
            return f"exit code {outcome.code}"
        if outcome.code != 0 and not outcome.stderr and not outcome.stdout:
            return f"exit code {outcome.code} without a word"
        if "--json" in words:
            try:
                json.loads(outcome.stdout.decode("utf-8"))
            except ValueError:
                return f"no JSON, exit code {outcome.code}"
        return None
