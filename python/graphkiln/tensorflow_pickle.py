"""Reads pickles that TensorFlow wrote.

They name its classes by where it keeps them
("tensorflow.python.framework.tensor.TensorSpec"), which are not there without
it, and which are not graphkiln's where it is. `load` and `loads` give
graphkiln's objects instead: tensors, variables, ragged and sparse tensors,
IndexedSlices, specs, shapes, dtypes, device specs, enumerations, errors,
options of datasets, initializers, the
public classes and functions themselves, and whatever holds them. Like all
pickles they run what they say: read only those that you trust.

What graphkiln itself writes names graphkiln, and needs none of this.
"""

from __future__ import annotations

import inspect
import io
import pickle
import types
from collections.abc import Callable
from typing import Any, BinaryIO

from graphkiln import _graphkiln, _namespaces
from graphkiln._graphkiln import (
    Dimension,
    IndexedSlices,
    RaggedTensor,
    SparseTensor,
    Variable,
    VariableAggregation,
)

__all__ = ["Unpickler", "load", "loads"]


def __dir__() -> list[str]:
    return __all__


def _become(self: object, made: object, cls: type) -> None:
    """Unpickling makes the object first and tells what it is then."""
    for base in cls.__mro__:
        for name in base.__dict__.get("__slots__", ()):
            if name != "__weakref__" and hasattr(made, name):
                object.__setattr__(self, name, getattr(made, name))
    if hasattr(made, "__dict__"):
        self.__dict__.update(made.__dict__)
    object.__setattr__(self, "__class__", cls)


def _with_state(cls: type, make: Callable) -> type:
    """A class whose objects become what `make` says of their state."""

    def __setstate__(self, state: dict) -> None:
        _become(self, make(cls, state), cls)

    return type(
        cls.__name__, (cls,), {"__slots__": (), "__setstate__": __setstate__}
    )


def _ragged(cls: type, state: dict) -> RaggedTensor:
    partition = state["_row_partition"]
    length = partition._uniform_row_length
    if length is not None:
        return RaggedTensor.from_uniform_row_length(
            state["_values"], length, nrows=partition._nrows
        )
    return RaggedTensor.from_row_splits(
        state["_values"], partition._row_splits, validate=False
    )


def _of_parts(*parts: str) -> Callable:
    """Makes objects of these attributes of their states."""
    return lambda cls, state: cls(*(state[part] for part in parts))


def _options(cls: type, state: dict) -> object:
    made = cls()
    for name, value in state["_options"].items():
        setattr(made, name, value)
    return made


def _initializer(cls: type, state: dict) -> object:
    known = inspect.signature(cls).parameters
    made = cls(**{name: state[name] for name in known if name in state})
    if "_init_seed" in state:
        # What was chosen where none was given.
        made.seed, made._chosen = state["_init_seed"], state["seed"]
    return made


def _variable(**parts: Any) -> Variable:
    parts.pop("distribute_strategy", None)
    return Variable(**parts)


_BY_NAME: dict[str, Callable] = {
    "Dimension": Dimension,
    "DeviceSpecV2": _graphkiln.DeviceSpec,
    "IndexedSlices": _with_state(
        IndexedSlices, _of_parts("_values", "_indices", "_dense_shape")
    ),
    "RaggedTensor": _with_state(RaggedTensor, _ragged),
    "ResourceVariable": _variable,
    # Its attributes are what the pickle says.
    "RowPartition": types.SimpleNamespace,
    "SparseTensor": _with_state(
        SparseTensor, _of_parts("_indices", "_values", "_dense_shape")
    ),
    "VariableAggregationV2": VariableAggregation,
    "as_dtype": _graphkiln.as_dtype,
    "convert_to_tensor": _graphkiln.convert_to_tensor,
    "convert_to_tensor_v2_with_dispatch": _graphkiln.convert_to_tensor,
}

# Where public names are, in the order of search.
_NAMESPACES = (
    "", "errors", "math", "nn", "data", "strings", "linalg", "random",
    "dtypes", "debugging", "ragged", "sparse", "types.experimental",
)


def _ours(module: str, name: str) -> Any:
    """graphkiln's object for TensorFlow's."""
    if module == "tensorflow.python.data.ops.options":
        found = _namespaces.found(f"data.{name}") or _namespaces.found(
            f"data.experimental.{name}"
        )
        if isinstance(found, type) and name.endswith("Options"):
            return _with_state(found, _options)
    if "initializers" in module or module.endswith(".init_ops_v2"):
        found = _namespaces.found(f"initializers.{name}")
        if isinstance(found, type):
            # One without arguments has no state.
            with_state = bool(inspect.signature(found).parameters)
            return _with_state(found, _initializer) if with_state else found
    if name in _BY_NAME:
        return _BY_NAME[name]
    for namespace in _NAMESPACES:
        found = _namespaces.found(f"{namespace}.{name}")
        if callable(found):
            return found
    raise pickle.UnpicklingError(
        f"The pickle names {module}.{name}, and graphkiln has nothing in its "
        "place."
    )


class Unpickler(pickle.Unpickler):
    """A pickle.Unpickler that takes graphkiln's objects for TensorFlow's."""

    def find_class(self, module: str, name: str) -> Any:
        # The initializers are Keras's, which is a part of it.
        if module.partition(".")[0] == "tensorflow" or module.startswith(
            "keras.src.initializers."
        ):
            return _ours(module, name)
        return super().find_class(module, name)


def load(file: BinaryIO) -> Any:
    """What a file holds that TensorFlow's objects were pickled to.

    Raises pickle.UnpicklingError if it names something that graphkiln does not
    have.
    """
    return Unpickler(file).load()


def loads(data: bytes) -> Any:
    """`load` of bytes."""
    return load(io.BytesIO(data))
