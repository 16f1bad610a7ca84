"""Functions of the user as controllers, drives and loads."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping, Sequence

from ._numpy import np
from .errors import InputError
from .model import Model

_POINTER = ctypes.POINTER(ctypes.c_double)

#: Of compiled controllers: time, measurements, references (value, rate, acceleration of each), outputs, memory.
controller_type = ctypes.CFUNCTYPE(None, ctypes.c_double, _POINTER, _POINTER, _POINTER, _POINTER)
#: Of compiled drives and loads: time, coordinates, speeds, result (three numbers of a prescribed motion), memory.
input_type = ctypes.CFUNCTYPE(None, ctypes.c_double, _POINTER, _POINTER, _POINTER, _POINTER)

#: The same for numba: `@numba.cfunc(lithe.numba_signature)`.
numba_signature = "void(float64, CPointer(float64), CPointer(float64), CPointer(float64), CPointer(float64))"


class compiled:
    """A compiled function in the loop, without the interpreter: a numba cfunc, a ctypes function, or an address.

    memory: an array of floats of its own, handed to every call; or None.
    """

    def __init__(self, function: Any, memory: Any = None) -> None:
        if isinstance(function, int):
            address: int | None = function
        elif hasattr(function, "address"):
            address = int(function.address)
        else:
            address = ctypes.cast(function, ctypes.c_void_p).value
        if not address:
            raise InputError("a compiled function has no address")
        self.function = function  # kept alive
        self.address = address
        self.memory = None if memory is None else np.ascontiguousarray(memory, dtype=float)


class Controller:
    """A controller of one's own: `function(time, measurements, references)` gives one force or torque per joint.

    joints: those that it drives; measurements: names of sensors of one number; references: names of references of the
    model, whose value, rate and acceleration are the rows of the third argument; sample_time in s. Further keywords are
    keys of [[controllers]] in the model file (delay, limits, noise ...). A function with an attribute `start` has it
    called, with the same arguments, before the first sample.
    """

    def __init__(self, function: Callable[..., Any] | compiled, *, joints: Sequence[str], measurements: Sequence[str],
                 references: Sequence[str] = (), sample_time: float | str = 1e-3, name: str = "controller",
                 **keys: Any) -> None:
        self.function = function
        self.name = name
        self.keys = {"type": "external", "command": ["a function of Python"], "joints": list(joints),
                     "measurements": list(measurements), "sample_time": sample_time, **keys}
        if references:
            self.keys["references"] = list(references)

    def added_to(self, model: Model) -> Model:
        """A copy of the model that has this controller."""
        other = model.copy()
        other.controllers.add(self.name, **self.keys)
        return other


def for_core(functions: Mapping[str, Any] | None) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, function in (functions or {}).items():
        if isinstance(function, compiled):
            result[name] = (function.address, function.memory)
        elif callable(function):
            result[name] = function
        else:
            raise TypeError(f"'{name}' needs a function, not {function!r}")
    return result
