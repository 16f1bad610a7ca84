"""A model file as text in which single values change and everything else stays: comments, order, units."""
from __future__ import annotations

import json
import math
import re
from typing import Any, Iterator, Mapping, Sequence, Tuple, Union

from . import _core
from .errors import InputError

Step = Union[str, int]
Tree = Tuple[str, int, int, Any]  # kind, line, column, content

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_STEP = re.compile(r"""\[(\d+)\]|"([^"]*)"|'([^']*)'|([^.\[\]"']+)""")


def require_text(text: str, file: str) -> str:
    """The text, if it is one that a file can hold: lone surrogates are none."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        column = error.start - text.rfind("\n", 0, error.start)
        message = f"the character {text[error.start]!a} is none of UTF-8"
        raise InputError(f"{file}:{line}:{column}: error: {message}", [(file, line, column, "", message)]) from None
    return text


def literal(value: Any) -> str:
    """A Python value as TOML: numbers, texts (with units), lists, dicts."""
    if hasattr(value, "tolist"):  # NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ("nan" if math.isnan(value) else "inf" if value > 0 else "-inf")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key_text(key)} = {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    raise TypeError(f"a model file cannot hold {value!r}")


def key_text(key: str) -> str:
    return key if _BARE_KEY.match(key) else json.dumps(key, ensure_ascii=False)


def steps_of(path: str) -> list[Step]:
    """'links.arm.nodes.tip[2]' -> ['links', 'arm', 'nodes', 'tip', 2]; names with dots stand in quotes."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        if steps and path[at] == ".":
            at += 1
        found = _STEP.match(path, at)
        if not found:
            raise InputError(f"'{path}' is no path: a name is missing at '{path[at:]}'")
        index, *names = found.groups()
        steps.append(int(index) if index is not None else next(name for name in names if name is not None))
        at = found.end()
    if not steps:
        raise InputError("an empty path names nothing")
    return steps


def plain(tree: Tree) -> Any:
    """Dicts, lists, texts and numbers, without places."""
    kind, _, _, content = tree
    if kind == "table":
        return {key: plain(value) for key, _, _, value in content}
    if kind == "array":
        return [plain(item) for item in content]
    return content


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text with its path; items of arrays by their names where they have one."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key_text(key)}" if path else key_text(key))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            named = isinstance(item, dict) and isinstance(item.get("name"), str)
            yield from leaves(item, f"{path}.{key_text(item['name'])}" if named else f"{path}[{index}]")
    else:
        yield path, value


def _end_of_text(text: str, at: int) -> int:
    for quotes in ('"""', "'''"):
        if text.startswith(quotes, at):
            return text.index(quotes, at + 3) + 3
    quote = text[at]
    at += 1
    while text[at] != quote:
        at += 2 if quote == '"' and text[at] == "\\" else 1
    return at + 1


def end_of_value(text: str, at: int) -> int:
    """The place behind the value that starts at `at`."""
    if text[at] in "\"'":
        return _end_of_text(text, at)
    if text[at] not in "[{":
        found = re.compile(r"[^,\]}\s#]+").match(text, at)
        return found.end() if found else at
    depth = 0
    while True:
        letter = text[at]
        if letter in "\"'":
            at = _end_of_text(text, at)
            continue
        if letter == "#":
            at = text.index("\n", at)
        depth += (letter in "[{") - (letter in "]}")
        at += 1
        if depth == 0:
            return at


def _united(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted, without overlaps."""
    whole: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((start, end))
    return whole


class Document:
    """The text of a model file and its tree."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._tree: Tree | None = None

    @property
    def tree(self) -> Tree:
        if self._tree is None:
            self._tree = _core.parse_toml(require_text(self.text, self.file), self.file)
            starts = [0]
            for line in self.text.split("\n"):
                starts.append(starts[-1] + len(line) + 1)
            self._line_starts = starts
        return self._tree

    def plain(self) -> dict[str, Any]:
        result: dict[str, Any] = plain(self.tree)
        return result

    def replace(self, start: int, end: int, new: str) -> None:
        self.text = self.text[:start] + new + self.text[end:]
        self._tree = None

    def offset(self, line: int, column: int) -> int:
        return self._line_starts[line - 1] + column - 1

    @staticmethod
    def child(tree: Tree, step: Step) -> Tree | None:
        kind, _, _, content = tree
        if kind == "table" and isinstance(step, str):
            return next((value for key, _, _, value in content if key == step), None)
        if kind == "array" and isinstance(step, int):
            return content[step] if step < len(content) else None
        if kind == "array":
            for item in content:
                if item[0] == "table" and any(key == "name" and value[3] == step for key, _, _, value in item[3]):
                    found: Tree = item
                    return found
        return None

    def find(self, steps: Sequence[Step]) -> Tree | None:
        tree: Tree | None = self.tree
        for step in steps:
            if tree is None:
                return None
            tree = self.child(tree, step)
        return tree

    def get(self, path: str) -> Any:
        found = self.find(steps_of(path))
        if found is None:
            raise KeyError(path)
        return plain(found)

    def set(self, path: str, value: Any) -> None:
        """Puts the value at its place; a key that is not there is added to its table."""
        steps = steps_of(path)
        found = self.find(steps)
        if found is not None:
            self._overwrite(path, found, value)
            return
        depth = len(steps) - 1
        while depth > 0 and self.find(steps[:depth]) is None:
            depth -= 1
        parent, rest = self.find(steps[:depth]), steps[depth:]
        if parent is None or parent[0] != "table" or not all(isinstance(step, str) for step in rest):
            raise InputError(f"the model has no '{path}', and no table in which to put it")
        if depth == 0 and len(rest) > 1 and rest[0] not in self._new_tables():
            raise InputError(f"the model has no '{'.'.join(map(str, rest[:-1]))}' in which to put '{rest[-1]}'")
        self._insert(parent, ".".join(key_text(str(step)) for step in rest), literal(value))

    def _new_tables(self) -> tuple[str, ...]:
        """What a first value may begin: beside a robot also what is said of its links and joints."""
        own = ("materials", "sections", "control", "initial", "damping", "robot", "dh")
        return (*own, "links", "joints") if self.find(["robot"]) is not None else own

    def _written_in_place(self, tree: Tree) -> bool:
        """Whether the value stands behind its key, not below a [header] or as parts of dotted keys."""
        kind, line, column, _ = tree
        letter = self.text[self.offset(line, column)] if line > 0 else ""
        if kind == "table":
            return letter == "{"
        if kind != "array":
            return True
        before = self.text[self._line_starts[line - 1]:self.offset(line, column)]
        return letter == "[" and before.strip() != ""

    def _overwrite(self, path: str, found: Tree, value: Any) -> None:
        if not self._written_in_place(found):
            if len(steps_of(path)) > 1 or isinstance(value, Mapping) and found[0] == "table":
                self.remove(path)
                self.set(path, value)
                return
            raise InputError(f"'{path}' is a table of its own; change the values in it")
        start = self.offset(found[1], found[2])
        self.replace(start, end_of_value(self.text, start), literal(value))

    def _end_of(self, tree: Tree) -> int:
        """Behind the last value of a tree that is written in place; 0 where nothing is."""
        if self._written_in_place(tree):
            return end_of_value(self.text, self.offset(tree[1], tree[2]))
        if tree[0] != "table" or self._is_header(tree):
            return 0
        return max((self._end_of(value) for _, _, _, value in tree[3]), default=0)

    def _is_header(self, tree: Tree) -> bool:
        _, line, _, _ = tree
        return line > 0 and self.text[self._line_starts[line - 1]:].lstrip(" \t").startswith("[")

    def _insert(self, parent: Tree, key: str, value: str) -> None:
        if self._written_in_place(parent):
            start = self.offset(parent[1], parent[2])
            end = end_of_value(self.text, start) - 1
            comma = ", " if parent[3] else ""
            self.replace(end, end, f"{comma}{key} = {value}")
            return
        after = max((self._end_of(member[3]) for member in parent[3]), default=0)
        if after == 0 and self._is_header(parent):
            after = self.offset(parent[1], parent[2])
        if after == 0 and parent is not self.tree:
            raise InputError(f"there is no place for '{key}' in the text of the model")
        line_end = self.text.find("\n", after)
        if after == 0:
            self.replace(0, 0, f"{key} = {value}\n")
        elif line_end < 0:
            self.replace(len(self.text), len(self.text), f"\n{key} = {value}\n")
        else:
            self.replace(line_end, line_end, f"\n{key} = {value}")

    # Removal.

    def remove(self, path: str) -> None:
        """Takes a value, a table or an item of an array out of the text, with the comments that lead it."""
        steps = steps_of(path)
        parent, found = self.find(steps[:-1]), self.find(steps)
        if parent is None or found is None:
            raise KeyError(path)
        for start, end in reversed(_united(self._spans(parent, found))):
            self.text = self.text[:start] + self.text[end:]
        self._tree = None

    def _spans(self, parent: Tree, tree: Tree) -> list[tuple[int, int]]:
        """Where the value stands: an entry in brackets, a line, tables with headers, or several dotted keys."""
        if self._written_in_place(parent):
            return [self._entry(parent, tree)]
        if self._written_in_place(tree):
            start = self.offset(tree[1], tree[2])
            return [self._lines(start, end_of_value(self.text, start))]
        own = [self._block(tree)] if tree[0] == "table" and self._is_header(tree) else []
        below = [value for _, _, _, value in tree[3]] if tree[0] == "table" else tree[3]
        return own + [span for value in below for span in self._spans(tree, value)]

    def _entry(self, parent: Tree, tree: Tree) -> tuple[int, int]:
        """Of a table or an array in brackets, with one comma."""
        table = parent[0] == "table"
        values = [member[3] for member in parent[3]] if table else parent[3]
        starts = [self.offset(line, column) for _, line, column, *_ in parent[3]]
        at = next(index for index, value in enumerate(values) if value is tree)
        end = end_of_value(self.text, self.offset(tree[1], tree[2]))
        if at + 1 < len(values):
            return starts[at], starts[at + 1]
        if at > 0:
            return end_of_value(self.text, self.offset(values[at - 1][1], values[at - 1][2])), end
        return starts[at], end

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        newline = self.text.find("\n", end)
        return self.text.rfind("\n", 0, start) + 1, len(self.text) if newline < 0 else newline + 1

    def _block(self, table: Tree) -> tuple[int, int]:
        """A header with the values below it, and the comments right above it."""
        header = self.offset(table[1], table[2])
        start, end = self._lines(header, max([header, *(self._end_of(value) for _, _, _, value in table[3])]))
        led = start
        while led > 0 and self.text[:led - 1].rpartition("\n")[2].lstrip().startswith("#"):
            led = self.text.rfind("\n", 0, led - 1) + 1
        if led > 0:  # comments at the beginning are those of the file
            start = led
        if self.text[:start].endswith("\n\n"):
            start -= 1
        return start, end

    def append_table(self, header: str, values: Mapping[str, Any]) -> None:
        """A table at the end of the file."""
        lines = [header, *(f"{key_text(key)} = {literal(value)}" for key, value in values.items())]
        self.text = self.text.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"
        self._tree = None

    def append_item(self, array: str, values: Mapping[str, Any]) -> None:
        """An item of an array of tables: [[links]], or in brackets where the array is written so."""
        found = self.find([array])
        if found is None or not self._written_in_place(found):
            self.append_table(f"[[{array}]]", values)
            return
        end = end_of_value(self.text, self.offset(found[1], found[2])) - 1
        comma = ", " if found[3] else ""
        self.replace(end, end, comma + literal(dict(values)))
