"""Results as one file: arrays of NumPy beside a heading of JSON, without pickles."""
from __future__ import annotations

import json
import pathlib
from typing import Any, Mapping

from . import _core
from ._files import write_whole
from ._numpy import np


def plain_text(value: Any) -> Any:
    """What JSON has no word for."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def own_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Without functions of the user, which belong to a run and not to its result."""
    return {key: value for key, value in settings.items() if key != "controllers"}


def save_result(result: Any, target: pathlib.Path) -> None:
    """The attributes of a result; `lithe.load` gives it back."""
    arrays: dict[str, Any] = {}
    values = {key: value for key, value in vars(result).items() if key not in ("model", "settings")}
    model = getattr(result, "model", None)
    heading = {"lithe": _core.version, "kind": "result", "class": type(result).__name__,
               "settings": getattr(result, "settings", {}), "values": _down(values, arrays, model),
               "model": model.__getstate__() if model is not None else None}
    text = np.array(json.dumps(heading, default=plain_text))
    write_whole(target, lambda file: np.savez_compressed(file, heading=text, **arrays))


def _down(value: Any, arrays: dict[str, Any], model: Any) -> Any:
    """Texts and numbers as they are; everything else as a dict of one key, its kind."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray):
        key = f"array_{len(arrays)}"
        arrays[key] = value
        return {"array": key}
    if isinstance(value, np.generic):
        return _down(value.item(), arrays, model)
    if isinstance(value, Mapping):
        return {"table": [[key, _down(item, arrays, model)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_down(item, arrays, model) for item in value]}
    if isinstance(value, (list, range)):
        return {"list": [_down(item, arrays, model) for item in value]}
    if hasattr(value, "core"):
        other = value.model.text if model is not None and value.model.text != model.text else None
        return {"motion": [value.kind, own_settings(value.settings), _down(value.core.pack(), arrays, model), other]}
    return {type(value).__name__: _down(vars(value), arrays, model)}


def _up(value: Any, arrays: Mapping[str, Any], model: Any, classes: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    (kind, content), = value.items()
    if kind == "complex":
        return complex(*content)
    if kind == "array":
        return arrays[content]
    if kind == "table":
        return {key: _up(item, arrays, model, classes) for key, item in content}
    if kind == "tuple":
        return tuple(_up(item, arrays, model, classes) for item in content)
    if kind == "list":
        return [_up(item, arrays, model, classes) for item in content]
    if kind == "motion":
        which, settings, packed, *other = content
        if other and other[0] is not None:  # of a model of its own, whose files lie where those of the result do
            model = type(model)(other[0], file=model.file, outside_files=model.outside_files)
        core = _core.CoreMotion.unpack(model.core, which, settings, _up(packed, arrays, model, classes))
        return classes["Motion"](model, settings, core, which)
    return _made(classes[kind], _up(content, arrays, model, classes))


def _made(kind: Any, values: dict[str, Any]) -> Any:
    made = kind.__new__(kind)
    made.__dict__.update(values)
    return made


def result_of(heading: dict[str, Any], arrays: Mapping[str, Any], model: Any, classes: Mapping[str, Any]) -> Any:
    """The result of a file, one of these classes."""
    values = _up(heading["values"], arrays, model, classes)
    own = {"model": model, "settings": heading["settings"]} if heading["model"] is not None else {}
    return _made(classes[heading["class"]], {**own, **values})
