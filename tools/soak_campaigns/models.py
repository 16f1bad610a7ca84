"""Damaged model files through all commands."""
import re

from soak_campaigns.context import MODELS

WORDS = ["nan", "-inf", "inf", "1e308", "-1e308", "1e160", "5e-324", "-1", "0", "1", "1e9", "1000000", "true", "[]", "{}", '""',
         "[1, 2]", '"8 kg"', '"90 deg"', '"ground"', '"rigid"', '"free"', '"spherical"', '"universal"', '"fixed"', '"general"',
         '"external"', "[0, 0, 0]", "[0, 0, 1]", "[1e160, 0, 0]", "{steps = [[0, 1]]}", '{table = "x.csv"}', '{table = "/dev/zero"}',
         '"1e999 m"', '"5 m^99"', "1979-05-27", '"\\u0000"', '"\\u001b[2J"', '"a\\nb"', '"' + "x" * 5000 + '"', "[[[["]
QUICK = {"check": [], "info": [], "modes": ["--count", "5"], "simulate": ["--end", "0.001"], "condense": [], "statespace": [],
         "linearise": [], "control": ["--end", "0.01", "--nominal"], "compare": ["--end", "0.0005"],
         "sweep": ["--analysis", "modes", "--axis", "gravity[0] = 0, 1"]}


def damaged(text, random):
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        if not text:
            break
        kind = random.randrange(8)
        at = random.randrange(len(text))
        if kind <= 3:  # a value replaced by another
            values = list(re.finditer(r"(?m)(?<=[=\[,] )[^,\[\]{}\n#]+", text))
            if values:
                value = random.choice(values)
                text = text[:value.start()] + random.choice(WORDS) + text[value.end():]
        elif kind == 4:  # a number made another
            numbers = list(re.finditer(r"\d+(\.\d+)?", text))
            if numbers:
                number = random.choice(numbers)
                text = text[:number.start()] + random.choice(["0", "-1", "1e9", "1e-9", "90", "1e160", "3"]) + text[number.end():]
        elif kind == 5:  # a line lost
            lines = text.splitlines(True)
            del lines[random.randrange(len(lines))]
            text = "".join(lines)
        elif kind == 6:  # a table lost, or there twice
            tables = re.split(r"(?m)^(?=\[)", text)
            place = random.randrange(len(tables))
            tables[place:place + 1] = random.choice([[], [tables[place]] * 2])
            text = "".join(tables)
        else:
            text = text[:at] + random.choice(["", text[at:at + 20], chr(random.randrange(1, 256))]) + text[at + random.randrange(20):]
    return text


def run(context):
    texts = [file.read_text() for file in sorted(MODELS.glob("*.toml"))]
    commands = list(QUICK)
    file = context.folder / "model.toml"
    while context.goes_on():
        file.write_text(damaged(context.random.choice(texts), context.random), encoding="utf-8")
        checked = ["check", "model.toml", "--json"]
        outcome = context.run(*checked)
        context.judge(checked, outcome, [file])
        # What check refuses, the others refuse for the same reason: one in twenty is tried all the same.
        if outcome.code != 0 and context.random.random() > 0.05:
            continue
        command = context.random.choice(commands[1:])
        words = [command, "model.toml", *QUICK[command]]
        if command not in ("check", "info"):
            words += ["-o", "out"]
        if context.random.random() < 0.5:
            words.append("--json")
        context.judge(words, context.run(*words), [file])
