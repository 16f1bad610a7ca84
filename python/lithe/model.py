"""Models: read from files, built in code, changed value by value."""
from __future__ import annotations

import html
import os
import pathlib
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Sequence

from . import _core
from ._files import LARGEST_MODEL, read_regular, write_whole
from .document import Document, key_text, leaves, require_text
from .errors import InputError, warn

_NAMED_TABLES = ("materials", "sections")
_ARRAYS = ("links", "joints", "couplings", "motors", "moves", "payloads", "drives", "loads", "sensors", "references",
           "controllers", "analyses")


def _live(model: Model, path: str, value: Any) -> Any:
    """A table or a list of the text whose changes are changes of the model."""
    if isinstance(value, dict):
        return Table(model, path, {key: _live(model, f"{path}.{key_text(key)}", one) for key, one in value.items()})
    if isinstance(value, list):
        return Values(model, path, [_live(model, f"{path}[{index}]", one) for index, one in enumerate(value)])
    return value


class Table(Dict[str, Any]):
    """A table within a model: `model.links["arm"].nodes["tip"] = [0, 0, "8 mm"]` changes the model. Copies are plain."""

    __slots__ = ("_model", "_path")

    def __init__(self, model: Model, path: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_path", path)

    def __setitem__(self, key: str, value: Any) -> None:
        path = f"{self._path}.{key_text(key)}"
        self._model[path] = value
        super().__setitem__(key, self._model[path])

    def __delitem__(self, key: str) -> None:
        del self._model[f"{self._path}.{key_text(key)}"]
        super().__delitem__(key)

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"{self._path} has no key '{key}'") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __delattr__(self, key: str) -> None:
        del self[key]

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"change {self._path} key by key, or give it another value")

    pop = popitem = clear = setdefault = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class Values(List[Any]):
    """A list within a model: `model["gravity"][2] = -1.62` changes the model. Copies are plain."""

    __slots__ = ("_model", "_path")

    def __init__(self, model: Model, path: str, values: Sequence[Any]) -> None:
        super().__init__(values)
        self._model = model
        self._path = path

    def _changed(self, change: str, *arguments: Any, **more: Any) -> Any:
        values = list(self)
        result = getattr(values, change)(*arguments, **more)
        self._model[self._path] = values
        super().__setitem__(slice(None), self._model[self._path])
        return result

    def __setitem__(self, place: Any, value: Any) -> None:
        self._changed("__setitem__", place, value)

    def __delitem__(self, place: Any) -> None:
        self._changed("__delitem__", place)

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]
        self._changed("extend", values)
        return self

    def append(self, value: Any) -> None:
        self._changed("append", value)

    def extend(self, values: Iterable[Any]) -> None:
        self._changed("extend", values)

    def insert(self, place: Any, value: Any) -> None:
        self._changed("insert", place, value)

    def remove(self, value: Any) -> None:
        self._changed("remove", value)

    def pop(self, place: Any = -1) -> Any:
        return self._changed("pop", place)

    def clear(self) -> None:
        self._changed("clear")

    def reverse(self) -> None:
        self._changed("reverse")

    def sort(self, **how: Any) -> None:
        self._changed("sort", **how)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class Item:
    """A table of a model: `model.links["arm"].section = "tube"`. Values are as in the file: numbers in SI, or texts
    with a unit ("8 mm")."""

    __slots__ = ("_model", "_path")

    def __init__(self, model: Model, path: str) -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_path", path)

    def __getitem__(self, key: str) -> Any:
        return self._model[f"{self._path}.{key_text(key)}"]

    def __setitem__(self, key: str, value: Any) -> None:
        self._model[f"{self._path}.{key_text(key)}"] = value

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"{self._path} has no key '{key}'") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __delitem__(self, key: str) -> None:
        del self._model[f"{self._path}.{key_text(key)}"]

    def __delattr__(self, key: str) -> None:
        del self[key]

    def keys(self) -> list[str]:
        try:
            return list(self._model[self._path])
        except KeyError:
            return []

    def __dir__(self) -> list[str]:
        return self.keys()

    def __repr__(self) -> str:
        return f"<{self._path}: {self._model[self._path] if self.keys() else 'none'!r}>"


class Collection:
    """The links, joints, drives ... of a model, by name: `model.joints["shoulder"]`, `model.joints.add(...)`."""

    __slots__ = ("_model", "_key")

    def __init__(self, model: Model, key: str) -> None:
        self._model = model
        self._key = key

    def _values(self) -> Any:
        return self._model.to_dict().get(self._key, {} if self._key in _NAMED_TABLES else [])

    def names(self) -> list[str]:
        values = self._values()
        if isinstance(values, dict):
            return list(values)
        return [str(item.get("name", index)) for index, item in enumerate(values)]

    def __len__(self) -> int:
        return len(self._values())

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def _path(self, name: str | int) -> str:
        """By its name; by its number where it has none."""
        paths = [f"{self._key}[{name}]"] if isinstance(name, int) or name.isdigit() else []
        if not isinstance(name, int):
            paths.insert(0, f"{self._key}.{key_text(name)}")
        for path in paths:
            if path in self._model:
                return path
        raise KeyError(f"the model has no '{name}' in {self._key}; there are {self.names()}")

    def __getitem__(self, name: str | int) -> Item:
        return Item(self._model, self._path(name))

    def __setitem__(self, name: str, values: Mapping[str, Any]) -> None:
        """One that is there, or is added, with these values: `model.joints["elbow"] = {"value": "10 deg"}`."""
        for key, value in values.items():
            self._model[f"{self._key}.{key_text(name)}.{key_text(key)}"] = value

    def __delitem__(self, name: str | int) -> None:
        del self._model[self._path(name)]

    def remove(self, *names: str | int) -> None:
        """Takes these out of the model: `model.loads.remove("wind")`. What refers to them stays, and is an error."""
        paths = [self._path(name) for name in names]
        for path in sorted(paths, key=lambda one: ("[" in one, len(one), one), reverse=True):
            del self._model[path]

    def add(self, name: str | None = None, **values: Any) -> Item:
        """Adds one, with the keys of the model file (docs/model_file.md): `model.links.add("rod", nodes=..., ...)`."""
        if self._key in _NAMED_TABLES or isinstance(self._values(), dict):
            if not name:
                raise InputError(f"one of {self._key} needs a name")
            self._model._document.append_table(f"[{self._key}.{key_text(name)}]", values)
        else:
            self._model._document.append_item(self._key, {**({"name": name} if name else {}), **values})
        self._model._core = None
        return self[name] if name else self[len(self) - 1]

    def __repr__(self) -> str:
        return f"<{self._key}: {', '.join(self.names()) or 'none'}>"

    def _repr_html_(self) -> str:
        from .show import table

        values = self._values()
        items = values.values() if isinstance(values, dict) else values
        rows = [(name, ", ".join(f"{key} = {value}" for key, value in item.items() if key != "name"))
                for name, item in zip(self.names(), items)]
        return table([self._key, ""], rows)


class Model:
    """A mechanism of links, joints, drives, loads and sensors: the text of a model file, and what it means.

    `Model(gravity=[0, 0, -9.81])` begins an empty one; `lithe.read_model(path)` reads a file. Values are read and
    changed by their path: `model["sections.tube.diameter"] = "30 mm"`. Everything else in the text stays as it is,
    comments included. `model.core` is what the engine computes with; it is made, and checked, when it is first needed.
    """

    def __init__(self, text: str | None = None, *, file: str = "model.toml", outside_files: bool = False,
                 **values: Any) -> None:
        self._document = Document("lithe = 1\n" if text is None else text, file)
        self.outside_files = outside_files
        self._core: _core.CoreModel | None = None
        for key, value in values.items():
            self[key] = value

    # What it says.

    @property
    def text(self) -> str:
        """The model file."""
        return self._document.text

    @property
    def file(self) -> str:
        """Its name, as it stands in messages; tables and meshes are looked for in its folder."""
        return self._document.file

    @property
    def core(self) -> _core.CoreModel:
        """The checked model of the engine. Raises InputError with every error of the text."""
        if self._core is None:
            self._core = _core.read_model_text(require_text(self.text, self.file), self.file, self.outside_files)
        return self._core

    @property
    def name(self) -> str:
        return self.core.name

    def to_dict(self) -> dict[str, Any]:
        """All keys and values as they are written."""
        return self._document.plain()

    def __getitem__(self, path: str) -> Any:
        return _live(self, path, self._document.get(path))

    def __setitem__(self, path: str, value: Any) -> None:
        self._document.set(path, value)
        self._core = None

    def __delitem__(self, path: str) -> None:
        self._document.remove(path)
        self._core = None

    def __contains__(self, path: object) -> bool:
        try:
            self[str(path)]
        except (KeyError, InputError):
            return False
        return True

    links = property(lambda self: Collection(self, "links"), doc="Links by name.")
    joints = property(lambda self: Collection(self, "joints"), doc="Joints by name.")
    materials = property(lambda self: Collection(self, "materials"), doc="Materials by name.")
    sections = property(lambda self: Collection(self, "sections"), doc="Sections by name.")
    couplings = property(lambda self: Collection(self, "couplings"), doc="Couplings of joints, by number or name.")
    moves = property(lambda self: Collection(self, "moves"), doc="Planned moves, in their order: `model.moves[0]`.")
    payloads = property(lambda self: Collection(self, "payloads"), doc="What a robot takes and puts down.")
    motors = property(lambda self: Collection(self, "motors"), doc="Motors by name.")
    drives = property(lambda self: Collection(self, "drives"), doc="Drives by name.")
    loads = property(lambda self: Collection(self, "loads"), doc="Loads by name.")
    sensors = property(lambda self: Collection(self, "sensors"), doc="Sensors by name.")
    references = property(lambda self: Collection(self, "references"), doc="References by name.")
    controllers = property(lambda self: Collection(self, "controllers"), doc="Controllers by name.")
    analyses = property(lambda self: Collection(self, "analyses"), doc="Analyses that the file asks for.")

    robot = property(lambda self: Item(self, "robot"), doc="The robot description that the model uses in place.")
    dh = property(lambda self: Item(self, "dh"), doc="The table of Denavit and Hartenberg.")

    # Copies and files.

    def copy(self, changes: Mapping[str, Any] | None = None, **more: Any) -> Model:
        """Another model with some values changed: `model.copy(**{"sections.tube.diameter": 0.03})`."""
        other = Model(self.text, file=self.file, outside_files=self.outside_files)
        other._core = self._core
        for path, value in {**(changes or {}), **more}.items():
            other[path] = value
        return other

    def save(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the model file."""
        target = pathlib.Path(path)
        write_whole(target, lambda file: file.write(self.text.encode("utf-8")))
        return target

    def to_urdf(self) -> str:
        """A URDF of the undeformed links; what it cannot say is a LitheWarning and a comment in it."""
        return self._described("urdf")

    def to_mjcf(self) -> str:
        """The same for MuJoCo (MJCF), with loops, springs and rotors."""
        return self._described("mjcf")

    def _described(self, form: str) -> str:
        text, notes = _core.robot_text(self.text, self.file, self.outside_files, form)
        for note in notes:
            warn(note)
        return text

    def check(self) -> None:
        """Raises InputError where the model is wrong: its text, its meshes, its joints, its loops."""
        _core.inspect(self.core)

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "file": self.file, "outside_files": self.outside_files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._document = Document(state["text"], state["file"])
        self.outside_files = state["outside_files"]
        self._core = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def diff(self, other: Model) -> dict[str, tuple[Any, Any]]:
        """Where two models differ: path -> (value here, value there); None where there is none."""
        mine, theirs = dict(leaves(self.to_dict())), dict(leaves(other.to_dict()))
        paths = [*mine, *(path for path in theirs if path not in mine)]
        return {path: (mine.get(path), theirs.get(path)) for path in paths if mine.get(path) != theirs.get(path)}

    # Looking at it.

    def __repr__(self) -> str:
        values = self.to_dict()
        parts = [f"{len(values[key])} {key if len(values[key]) > 1 else key[:-1]}" for key in _ARRAYS if values.get(key)]
        return f"<lithe.Model '{values.get('name', pathlib.Path(self.file).stem)}': {', '.join(parts) or 'empty'}>"

    def __str__(self) -> str:
        return self.text

    def page(self) -> str:
        """The mechanism in 3-D as one HTML page."""
        return _core.model_page(self.core, self.text)

    def show(self) -> Any:
        """The 3-D page: in the notebook, or in a browser."""
        from .show import show_page

        return show_page(self.page())

    def _repr_html_(self) -> str:
        from .show import frame, table

        try:
            facts = _core.inspect(self.core)
        except InputError as error:  # a model that is being built
            return f"<p>{html.escape(repr(self))}</p>" + table(["not complete yet"], [[line] for line in str(error).split("\n")])
        rows = [("links", len(facts["links"])), ("joints", len(facts["joints"])), ("mobility", facts["mobility"]),
                ("mass", f"{sum(link['mass'] for link in facts['links']):.4g} kg"),
                ("elastic modes", facts["num_elastic"])]
        return f"<b>{self.name}</b>" + table(["", ""], rows) + frame(self.page())


def read_model(path: str | os.PathLike[str], *, outside_files: bool = False) -> Model:
    """Reads a model file. Raises InputError with every error in it at once.

    outside_files: whether tables and meshes may lie outside the folder of the model file.
    """
    try:
        text = read_regular(path, LARGEST_MODEL).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{path}: {reason}", [(str(path), 0, 0, "", str(reason))]) from error
    model = Model(text, file=str(path), outside_files=outside_files)
    model.core
    return model


def import_robot(path: str | os.PathLike[str], *, keep_fixed: bool = False, free_base: bool = False,
                 repair: bool = False) -> Model:
    """A robot description (URDF, MJCF, SDF) as a model, which lies beside it. Notes on it are warnings.

    keep_fixed: links on fixed joints stay links; else they become part of the link that carries them. free_base: the
    root link moves freely. repair: missing inertias and those that no body has are replaced."""
    text, _, notes = _core.import_robot(str(path), keep_fixed, free_base, repair)
    for note in notes:
        warn(note)
    model = Model(text, file=str(pathlib.Path(path).with_suffix(".toml")))
    model.core
    return model


def inspect_mesh(path: str | os.PathLike[str], *, units: str = "") -> dict[str, Any]:
    """What is in a finite-element mesh (Gmsh, Abaqus, CalculiX, Nastran), and what is wrong with it.

    units: of the file, "mm t s"; default: SI. Gives nodes, elements by kind, low and high corner (m), volume (m^3), mass
    (kg), materials, groups with their places, `errors` that keep it from being a link, `warnings`, and `model`: the
    text of a model file to begin with, where there are no errors."""
    import json
    import subprocess

    from .examples import program

    words = [str(program()), "import", str(path), "--json", *(["--units", units] if units else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
        found["nodes"]
    except (ValueError, KeyError):
        text = done.stderr.strip() or done.stdout.strip()
        raise InputError(text.removeprefix("lithe: error: ")) from None
    return found


def import_mesh(path: str | os.PathLike[str], *, units: str = "") -> Model:
    """A model of one link from a finite-element mesh, which lies beside it; the link hangs on its first interface.
    Doubts about the mesh are warnings.

    units: of the file, "mm t s"; default: SI. Raises InputError with all that is wrong with the mesh."""
    found = inspect_mesh(path, units=units)
    if found["errors"]:
        raise InputError("\n".join(f"{path}: error: {text}" for text in found["errors"]),
                         [(str(path), 0, 0, "", text) for text in found["errors"]])
    for doubt in found["warnings"]:
        warn(doubt)
    return Model(found["model"], file=str(pathlib.Path(path).with_suffix(".toml")))


def inspect(model: Model) -> dict[str, Any]:
    """Masses (kg), degrees of freedom, loops and notes of a model."""
    return _core.inspect(model.core)
