"""Damaged and crossed model files, tables and matrices; quick enough for millions of them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = pathlib.Path(__file__).with_name("seeds")

# What stands for a value: ends of ranges, other types, other units, names of the format, files that are none.
VALUES = ["nan", "-inf", "inf", "1e308", "-1e308", "1e160", "1e-160", "5e-324", "-1", "0", "-0.0", "1", "2", "3", "1e9", "1e-9",
          "1000000", "9223372036854775807", "0.5", "true", "false", "[]", "{}", '""', "[1, 2]", "[0, 0, 0]", "[0, 0, 1]", "[1, 0, 0]",
          "[0, 1, 0]", "[1e160, 0, 0]", "[1e-160, 0, 0]", "[nan, 0, 0]", "[0, 0, 0, 1]", '"8 kg"', '"90 deg"', '"180 deg"',
          '"1e999 m"', '"5 m^99"', '"m"', '"ground"', '"rigid"', '"beam"', '"imported"', '"free"', '"spherical"', '"universal"',
          '"fixed"', '"revolute"', '"prismatic"', '"cylindrical"', '"planar"', '"general"', '"external"', '"craig_bampton"',
          "{steps = [[0, 1]]}", "{steps = []}", '{table = "x.csv"}', '{table = "t.csv"}', '{table = "t.csv", column = 7}',
          '{table = "/dev/zero"}', '{table = "/etc/passwd"}', '{table = "../t.csv"}', "{sine = {amplitude = 1, frequency = 0}}",
          "{ramp = {start = 1, end = 1}}", "{sum = [1, {steps = [[0, 1]]}]}", "1979-05-27", '"\\u0000"', '"\\u001b[2J"', '"a\\nb"',
          '"' + "x" * 5000 + '"', "[[[[", "[" * 300 + "]" * 300, '"é\\u202e"', "0x10", "1_000", "'''a'''"]
NUMBERS = ["0", "-1", "1e9", "1e-9", "90", "1e160", "3", "1e-160", "5e-324", "1e15", "1e308", "0.5", "2", "-0.0", "1e300"]
BYTES = ["\x00", "\ufeff", "\x1b", "\r", "\t", "\\", '"', "=", "[", "]", "{", "}", ",", "#", "\n", ".", "\u2028"]


def documented_keys():
    """Every key of the model file, from its reference."""
    text = (ROOT / "docs" / "model_file.md").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"(?m)^\| `([a-z_]+)` \|", text)))


class Seed:
    """A valid text, and where its values, numbers, lines and tables are."""

    def __init__(self, text, weight=1.0):
        self.text, self.weight = text, weight
        self.values = [(m.start(2), m.end(2), m[1]) for m in re.finditer(r"(?m)^[ \t]*([\w.\"-]+)[ \t]*=[ \t]*([^#\n]+?)[ \t]*(?:#.*)?$", text)]
        self.items = [m.span() for m in re.finditer(r"(?<=[=\[,{] )[^,\[\]{}\n#]+|(?<=[\[{])[^,\[\]{}\n#]+(?=[,\]}])", text)]
        self.numbers = [m.span() for m in re.finditer(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]
        self.lines = [m.span() for m in re.finditer(r"(?m)^.*\n", text)]
        heads = [m.start() for m in re.finditer(r"(?m)^\[", text)] + [len(text)]
        self.tables = list(zip(heads, heads[1:]))
        self.bodies = [text.index("\n", begin) + 1 for begin, end in self.tables if "\n" in text[begin:end]]


class ModelMutator:
    def __init__(self, texts, random):
        self.random = random
        self.seeds = [Seed(text) for text in texts]
        self.keys = documented_keys()
        self.pool = {}
        for seed in self.seeds:
            for begin, end, key in seed.values:
                self.pool.setdefault(key, set()).add(seed.text[begin:end])
        self.pool = {key: sorted(values) for key, values in self.pool.items()}

    def value_of(self, key):
        """Mostly one that some file has under this key; else anything."""
        known = self.pool.get(key)
        return self.random.choice(known) if known and self.random.random() < 0.6 else self.random.choice(VALUES)

    def edit(self, seed):
        """(begin, end, new text) of one edit."""
        random, text = self.random, seed.text
        kind = random.randrange(20)
        if kind < 6 and seed.values:
            begin, end, key = random.choice(seed.values)
            return begin, end, self.value_of(key)
        if kind < 9 and seed.items:
            return *random.choice(seed.items), random.choice(VALUES)
        if kind < 13 and seed.numbers:
            begin, end = random.choice(seed.numbers)
            near = f"{float(text[begin:end]) * random.choice((0.1, 0.5, 0.9, 1.1, 2, 10, -1)):.6g}"
            return begin, end, random.choice((near, near, random.choice(NUMBERS)))
        if kind == 13 and seed.lines:
            return *random.choice(seed.lines), ""
        if kind == 14 and seed.tables:
            begin, end = random.choice(seed.tables)
            return begin, end, random.choice(["", 2 * text[begin:end]])
        if kind < 18 and seed.bodies:
            at = random.choice(seed.bodies)
            key = random.choice(self.keys)
            return at, at, f"{key} = {self.value_of(key)}\n"
        if kind == 18 and seed.tables:  # a table of another file
            other = random.choice(self.seeds)
            if other.tables:
                begin, end = random.choice(other.tables)
                at = random.choice(seed.tables)[0]
                return at, at, other.text[begin:end]
        at = random.randrange(len(text) + 1)
        end = min(len(text), at + random.choice([0, 0, 1, 5, 20]))
        return at, end, random.choice([*BYTES, text[at:at + 20], chr(random.randrange(1, 0x250))])

    def model(self):
        seed = self.random.choices(self.seeds, [seed.weight for seed in self.seeds])[0]
        edits = sorted(self.edit(seed) for _ in range(self.random.choice((1, 1, 1, 1, 2, 2, 3))))
        text, at = [], 0
        for begin, end, new in edits:
            if begin < at:
                continue
            text += [seed.text[at:begin], new]
            at = end
        return "".join(text) + seed.text[at:]


def damaged_bytes(data, random, words=(b"nan", b"-1", b"1e999", b"", b"0", b"\x00", b"\xff", b",", b"\n", b"x", b"1e308")):
    """Of tables, matrices, checkpoints, recordings: bytes changed, removed, added, cut."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind == 0 and at < len(data):
            data[at] = random.randrange(256)
        elif kind == 1:
            del data[at:at + random.choice((1, 2, 8, 100))]
        elif kind == 2:
            data[at:at] = random.choice(words)
        elif kind == 3:
            data[at:at + random.choice((1, 3, 8))] = random.choice(words)
        elif kind == 4:
            other = random.randrange(len(data) + 1)
            data[at:at] = data[other:other + random.choice((1, 8, 40))]
        else:
            del data[at:]
    return bytes(data)
