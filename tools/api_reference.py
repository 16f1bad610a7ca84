"""The reference of what programs may use of Lithe: public C++ headers by Doxygen, the Python package from its source.
Part of tools/make_docs."""
import ast
import copy
import pathlib
import re
import subprocess
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]


def public_headers():
    """lithe/lithe.h and what it includes, as cmake/install_headers.cmake installs them."""
    todo, found = ["lithe/lithe.h"], []
    while todo:
        header = todo.pop(0)
        if header in found:
            continue
        found.append(header)
        todo += re.findall(r'(?m)^#include "(lithe/[^"]+)"', (ROOT / "src" / header).read_text(encoding="utf-8"))
    for private in ("kernels", "products"):
        found.remove(f"lithe/base/eigen_{private}.h")  # not installed
    return sorted(found)


def uncommented():
    """Public types without a sentence about them: header, line, name."""
    result = []
    for header in public_headers():
        lines = (ROOT / "src" / header).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            found = re.match(r"(?:struct|class|enum class|enum) (\w+)[^;]*$", line)
            before = lines[number - 1]
            if found and not (before.startswith("//") or before.startswith("template") and lines[number - 2].startswith("//")):
                # An enumeration whose values speak for themselves, or have a comment each.
                if not (line.startswith("enum") and ("}" in line or "//" in lines[number + 1])):
                    result.append(f"{header}:{number + 1}: {found.group(1)}")
    return result


def escaped(text):
    """Plain words of a comment, in which Doxygen sees commands, links and markup; what stands in backquotes stays."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\@#<>%*_&~])", r"\\\1", part) for part in parts)


def as_doxygen(text):
    """A header whose comments Doxygen reads: those above a declaration, those at the end of its line, and the one at the
    top of the file. Lines that are indented inside a comment are code."""
    result, top, code = [], True, False
    for line in text.splitlines():
        comment = re.match(r"^(\s*)//( ?.*)$", line)
        if top and not comment:
            top = False
        if not comment:
            code = False
            trailing = re.match(r"^(.*\S)\s{2,}// (.*)$", line)
            plain = trailing and re.search(r"[;,{}]$|^\s*[\w ]+$", trailing.group(1)) and not trailing.group(1).strip() in ("{", "}")
            result.append(f"{trailing.group(1)}  ///< {escaped(trailing.group(2))}" if plain else line)
            continue
        if top and not result:
            result.append("/// \\file")
        words = comment.group(2)
        indented = words.startswith("  ")
        if indented and not code:
            result.append(f"{comment.group(1)}///")
        result.append(f"{comment.group(1)}///{'      ' + words if indented else escaped(words)}")
        if code and not indented and words.strip():
            result.insert(len(result) - 1, f"{comment.group(1)}///")
        code = indented
    return "\n".join(result) + "\n"


SETTINGS = """
PROJECT_NAME = "Lithe"
PROJECT_BRIEF = "C++ reference"
INPUT = {source}
RECURSIVE = YES
FILE_PATTERNS = *.h
STRIP_FROM_PATH = {source}
STRIP_FROM_INC_PATH = {source}
OUTPUT_DIRECTORY = {target}
HTML_OUTPUT = cpp
GENERATE_LATEX = NO
HTML_COLORSTYLE_HUE = 204
HTML_COLORSTYLE_SAT = 90
GENERATE_TREEVIEW = YES
DISABLE_INDEX = NO
SEARCHENGINE = YES
SERVER_BASED_SEARCH = NO
JAVADOC_AUTOBRIEF = YES
EXTRACT_ALL = NO
EXTRACT_STATIC = YES
HIDE_UNDOC_MEMBERS = NO
HIDE_FRIEND_COMPOUNDS = YES
MACRO_EXPANSION = NO
SHOW_NAMESPACES = NO
VERBATIM_HEADERS = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
HTML_TIMESTAMP = NO
WARN_IF_UNDOCUMENTED = NO
WARN_IF_DOC_ERROR = YES
WARN_NO_PARAMDOC = NO
QUIET = YES
WARN_FORMAT = "$file:$line: $text"
"""


def cpp_site(target, work):
    """Writes target/cpp/index.html; returns what Doxygen complains about."""
    source = work / "headers"
    for header in public_headers():
        file = source / header
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(as_doxygen((ROOT / "src" / header).read_text(encoding="utf-8")), encoding="utf-8")
    target.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["doxygen", "-"], input=SETTINGS.format(source=source, target=target), capture_output=True,
                          text=True, check=True)
    return [line.replace(f"{source}/", "") for line in done.stderr.splitlines() if line.strip()]


def first_paragraphs(text):
    """A docstring as Markdown: indented lines are code, as they stand."""
    result = []
    head, _, rest = text.partition("\n")
    for block in re.split(r"\n\s*\n", f"{head}\n{textwrap.dedent(rest)}".strip()):
        lines = block.splitlines()
        code = [line for line in lines if line.startswith("    ")]
        plain = [line for line in lines if not line.startswith("    ")]
        if plain:
            result += [" ".join(line.strip() for line in plain), ""]
        if code:
            result += ["```python", *(line[4:] for line in code), "```", ""]
    return result


def signature(node, method=False):
    """`name(model, *, end_time=1.0)` of a function's definition."""
    args = copy.deepcopy(node.args)
    for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]:
        arg.annotation = None
    if method and args.args and not args.posonlyargs:
        args.args.pop(0)
    return f"{node.name}({ast.unparse(args)})"


def is_property(node):
    return any(ast.unparse(one).split(".")[-1] in ("property", "cached_property") for one in node.decorator_list)


def settings_of(node):
    """The keyword arguments that a function takes beside those in its head: **settings: Unpack[S.SimulateSettings]."""
    annotation = ast.unparse(node.args.kwarg.annotation) if node.args.kwarg and node.args.kwarg.annotation else ""
    found = re.search(r"S\.(\w+)", annotation)
    if not found:
        return []
    text = (ROOT / "python/lithe/_settings.pyi").read_text(encoding="utf-8")
    body = re.search(rf"(?ms)^class {found.group(1)}\(.*?\):\n(.*?)(?=^class |\Z)", text)
    rows = re.findall(r"(?m)^    (\w+): ([^#\n]+?)(?:  # (.*))?$", body.group(1)) if body else []
    cell = lambda words: words.replace("|", "\\|").strip()  # noqa: E731
    return ["| setting | type | |", "|---|---|---|",
            *(f"| `{name}` | `{cell(kind)}` | {cell(words or '')} |" for name, kind, words in rows), ""] if rows else []


def function_text(node):
    text = ast.get_docstring(node, clean=False) or ""
    return [f"### {node.name}", "", "```python", f"lithe.{signature(node)}", "```", "", *first_paragraphs(text),
            *settings_of(node)]


def class_text(node):
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) != "object"]
    page = [f"### {node.name}", "", *first_paragraphs(ast.get_docstring(node, clean=False) or "")]
    if bases:
        page += [f"Based on {', '.join(f'`{base}`' for base in bases)}.", ""]
    members = []
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and (not member.name.startswith("_") or member.name == "__getitem__"):
            text = " ".join((ast.get_docstring(member) or "").split("\n\n")[0].split())
            shown = member.name if is_property(member) else signature(member, method=True)
            members.append((shown, text))
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and not member.target.id.startswith("_"):
            members.append((member.target.id, f"`{ast.unparse(member.annotation)}`"))
    if members:
        page += ["| member | |", "|---|---|", *(f"| `{shown}` | {text.replace('|', chr(92) + '|')} |" for shown, text in members), ""]
    return page


def values_of(source, file):
    """Names of values with the comment above each, `#: text`."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {ast.unparse(node.targets[0]): lines[node.lineno - 2][2:].strip() for node in source.body
            if isinstance(node, ast.Assign) and lines and lines[node.lineno - 2].startswith("#:")}


def python_page():
    """Every name of the package, by module in the order of __init__.py; also those that have no docstring."""
    package = ROOT / "python" / "lithe"
    top = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    public = next(ast.literal_eval(node.value) for node in top.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    page = ["# Python reference", "", "What `import lithe` gives, written from the package's own source. The "
            "[guide](../howto/python.md) explains it step by step, the [examples](../howto/python_gallery.md) show it at work.", ""]
    missing = []
    for statement in sorted(top.body, key=lambda one: getattr(one, "module", None) == "_core"):
        if not isinstance(statement, ast.ImportFrom) or not statement.level:
            continue
        names = [alias.name for alias in statement.names if alias.name in public]
        file = package / f"{statement.module}.py"
        source = ast.parse((file if file.exists() else file.with_suffix(".pyi")).read_text(encoding="utf-8"))
        found = {node.name: node for node in source.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        found |= values_of(source, file)
        names = [name for name in names if name in found]
        if not names:
            continue
        page += [f"## {statement.module.strip('_').replace('_', ' ').capitalize() if file.exists() else 'Names and units'}", ""]
        page += first_paragraphs(ast.get_docstring(source, clean=False) or "") if file.exists() else []
        for name in names:
            node = found[name]
            if isinstance(node, str):
                page += [f"### {name}", "", node, ""]
                continue
            if not ast.get_docstring(node):
                missing.append(f"{statement.module}.{name}")
            page += class_text(node) if isinstance(node, ast.ClassDef) else function_text(node)
    return "\n".join(page), missing


def cpp_page():
    headers = public_headers()
    page = ["# C++ reference", "", "[Classes, functions and files](cpp/annotated.html) of the public headers, by Doxygen. "
            "A program includes `lithe/lithe.h`; [how to](../howto/cpp.md) shows one.", "", "| header | |", "|---|---|"]
    for header in headers:
        text = (ROOT / "src" / header).read_text(encoding="utf-8")
        top = re.match(r"((?://.*\n)+)", text)
        words = " ".join(line[2:].strip() for line in (top.group(1).splitlines() if top else []) if not line.startswith("//  "))
        first = re.split(r"(?<=[a-z)])[.:] ", words)[0].rstrip(".:").replace("|", "\\|")
        page.append(f"| `{header}` | {first} |")
    return "\n".join(page) + "\n"
