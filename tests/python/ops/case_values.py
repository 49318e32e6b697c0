"""Values that the tables of op calls are written with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class F:
    """Values of the main dtype, of this shape."""

    shape: tuple[int, ...]

    def __init__(self, *shape: int):
        object.__setattr__(self, "shape", shape)


class V(F):
    """A variable of such values, given by its handle."""


@dataclass
class Variable:
    """An input that is a variable holding `value`."""

    value: np.ndarray


def I64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)
