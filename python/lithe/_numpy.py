"""NumPy, loaded when it is first needed: it takes most of the time of `import lithe`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            import numpy

            return getattr(numpy, name)

    np = _Later()

__all__ = ["np"]
