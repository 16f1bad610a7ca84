"""External controllers that answer wrongly, too much, too late or not at all."""
import textwrap

from soak_campaigns.models import Case

MODEL = """lithe = 1
[[links]]
name = "bar"
type = "rigid"
nodes = {{a = [0, 0, 0]}}
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "hinge"
child = "bar"
child_node = "a"
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "hinge"
[[references]]
name = "turn"
sensor = "angle"
signal = 0
[[controllers]]
name = "mine"
type = "external"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
sample_time = 0.01
timeout = 0.3
protocol = "{protocol}"
command = ["./hostile"]
[[analyses]]
kind = "simulate"
end_time = 0.05
output_step = 0.01
"""
# Shell, since a Python would take longer to start than the case itself.
ANSWERS = ["0", "1e999", "nan", "-inf", "", " ", "0 0", "0 x", "x", "1e308", "-1e308", "0\\n0", "0\\n0\\n0\\n", "\\0", "\\377\\376",
           "0,0", "0x10", "1e", "+", "-", "0 # a", "\\033[2J", "0\\r", "9" * 400]


def script(random):
    """Greets, answers some samples, and misbehaves in one of many ways."""
    good = random.randrange(6)
    bad = random.choice(ANSWERS)
    end = random.choice(["exit 0", "exit 1", "kill -9 $$", "sleep 1", "exec cat /dev/zero | head -c 3000000", "exec 1>&-; sleep 1", ":"])
    misbehave = random.choice([f"printf '{bad}\\n'", f"printf '{bad}'", end, "sleep 1", f"printf '{bad}\\n{bad}\\n'",
                               "head -c 100000 /dev/urandom", "yes 0 | head -100000", "head -c 20000000 /dev/zero"])
    return textwrap.dedent(f"""\
        #!/bin/sh
        i=0
        read hello
        while read line; do
          if [ $i -lt {good} ]; then echo 0; else {misbehave}; fi
          i=$((i+1))
        done
        {end}
        """)


def run(context):
    server = context.server()
    file = context.folder / "hostile"
    while context.goes_on():
        protocol = context.random.choice(("text", "text", "binary"))
        (context.folder / "model.toml").write_text(MODEL.format(protocol=protocol), encoding="utf-8")
        file.unlink(missing_ok=True)
        file.write_text(script(context.random))
        file.chmod(0o755)
        command = context.random.choice((["simulate"], ["control", "--nominal"], ["run"]))
        words = [command[0], "model.toml", *command[1:], "--allow-commands", "-o", "out"] + (["--json"] if context.random.random() < 0.5 else [])
        context.judge(words, Case(server.run(words, limit=context.limit)).outcome, [file])
    server.close()
