"""Wrong kinds of values under every key of the schema, in every table of the example models that may have the key."""
import json
import pathlib
import re
import shutil

from soak_campaigns.context import MODELS, SHORT, Outcome
from soak_campaigns.fork_server import Ended
from soak_campaigns.mutations import SEEDS

# No key takes any of these, whatever its type: the message must stand at their line. (Of a key that is put in beside
# others that it excludes, somewhere.)
WRONG = {"a table": "{qqq = 1}", "a date": "1979-05-27", "nested arrays": '[[["qqq"]]]'}
# Some keys take these, others not: whatever comes of them, it comes in order.
HOSTILE = ["5e-324", "1e-160", "1e-20", "1e20", "1e160", "1.7e308", "-1e300", "true", "-7", "0.123", '"qqq"', "[]", '[1, "qqq", {}]', "nan", "[nan, inf, -inf]", "9223372036854775807",
           '"' + "q" * 3000 + '"', '"\\u202e\\u0000"', '"1e999 m"', '"5 furlongs"', "[" + "1, " * 5000 + "1]"]
# What `check` passes goes through one of these as well.
USES = [["info"], ["modes", "-o", "out"], ["simulate", "--end", "0.001", "-o", "out"], ["equilibrium", "-o", "out"], ["linearise", "-o", "out"],
        ["condense", "-o", "out"], ["inverse-dynamics", "--end", "0.001", "-o", "out"], ["run", "-o", "out"], ["size", "--end", "0.01", "-o", "out"]]
USE_LIMIT = 1  # s until it is interrupted
BATCH = 100  # checks in one process


def schema_of(context):
    return json.loads(context.run("reference", "--schema").stdout)["definitions"]


class Table:
    """Where a table of a model file begins and ends, and the name of its definition in the schema."""

    def __init__(self, text, head, end):
        self.begin, self.end = head.end() + 1, end
        self.name = head[1].replace('"', "")
        kind = re.search(r'(?m)^kind = "(\w+)"', text[self.begin:end])
        if self.name == "analyses" and kind:
            self.name = f"analyses.{kind[1]}"
        if self.name.split(".")[0] in ("materials", "sections"):  # [materials.steel]
            self.name = ".".join([self.name.split(".")[0], *self.name.split(".")[2:]])


def tables_of(text):
    heads = list(re.finditer(r"(?m)^\[+([^\[\]\n]+)\]+[ \t]*$", text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [Table(text, head, end) for head, end in zip(heads, ends)]


def places_of(text, definitions):
    """(definition, key, begin, end) of what a value replaces: the value of the key, or nothing at the table's first line."""
    for table in tables_of(text):
        body = text[table.begin:table.end]
        for key in definitions.get(table.name, {}).get("properties", {}):
            found = re.search(rf"(?m)^{key}[ \t]*=[ \t]*([^#\n]*[^#\s])", body)
            if not found:
                yield table.name, key, table.begin, table.begin
            elif found[1].count("[") == found[1].count("]") and found[1].count("{") == found[1].count("}"):  # in one line
                yield table.name, key, table.begin + found.start(1), table.begin + found.end(1)


def cases_of(definitions, texts):
    """(folder, model, what, line where it must be refused or 0, whether it must be refused) of every case: each key twice at most."""
    given = {}
    for folder, text in texts:
        for name, key, begin, end in places_of(text, definitions):
            there = given.setdefault((name, key, begin == end), [])
            if len(there) == 2:
                continue
            there.append(folder)
            for value in [*WRONG.values(), *HOSTILE]:
                new = f"{key} = {value}\n" if begin == end else value
                line = 0 if begin == end else text.count("\n", 0, begin) + 1
                yield folder, text[:begin] + new + text[end:], f"{name}.{key} = {value}", line, value in WRONG.values()


def refused_at(answer, line):
    try:
        return any(not line or error.get("line") == line for error in json.loads(answer.stdout).get("errors", []))
    except ValueError:
        return False


def outcome_of(ended):
    return Outcome(ended.code, ended.seconds, ended.interrupted, ended.hung, ended.stdout, ended.stderr)


class Campaign:
    def __init__(self, context):
        self.context = context
        texts = [(file.parent, file.read_text(encoding="utf-8")) for folder in (MODELS, SEEDS) for file in sorted(folder.rglob("*.toml"))]
        self.cases = list(cases_of(schema_of(context), texts))
        context.random.shuffle(self.cases)
        print(f"schema: {len(self.cases)} cases are possible", flush=True)
        # The files that models name lie beside them.
        for folder in {folder for folder, _ in texts}:
            place = context.folder / folder.name
            place.mkdir(exist_ok=True)
            for file in folder.iterdir():
                if file.is_file() and file.suffix != ".toml":
                    (place / file.name).write_bytes(file.read_bytes())

    def run(self):
        server = self.context.server()
        try:
            size = SHORT if self.context.short else BATCH
            for first in range(0, len(self.cases), size):
                if not self.context.goes_on():
                    return
                self.batch(server, self.cases[first:first + size])
        finally:
            server.close()

    def batch(self, server, cases):
        files = []
        for number, (folder, text, *_) in enumerate(cases):
            files.append(pathlib.Path(folder.name) / f"m{number}.toml")
            (self.context.folder / files[-1]).write_text(text, encoding="utf-8")
        lines = [["check", str(file), "--json"] for file in files]
        ended = server.run_many(lines, limit=self.context.limit)
        for number, (_, _, what, line, wrong) in enumerate(cases):
            answer = None
            if number < len(ended):
                code, out, err = ended[number]
                answer = Ended((code << 8, 0, 0, 0), out, err)
            else:  # one before it has ended the process
                answer = server.run(lines[number], limit=self.context.limit)
            outcome = outcome_of(answer)
            words, model = ["check", "--json", what], [self.context.folder / files[number]]
            good = self.context.judge(words, outcome, model)
            if good and wrong and not (answer.code == 2 and refused_at(answer, line)):
                self.context.fail("a value of a wrong kind is not refused at its line", words, outcome, model)
            if answer.code == 0:
                command, *options = self.context.random.choice(USES)
                used = server.run([command, str(files[number]), *options], limit=USE_LIMIT)
                self.context.judge([command, what, *options], outcome_of(used), model)
                shutil.rmtree(self.context.folder / "out", ignore_errors=True)


def run(context):
    Campaign(context).run()
