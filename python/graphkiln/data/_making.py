"""How the methods of tf.data.Dataset make datasets."""

import functools
import re
from collections.abc import Callable

import numpy as np
from graphkiln._graphkiln import DType, elements

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure

leaves, not_empty = elements.leaves, elements.not_empty
same_length = elements.same_length
_classes: dict[str, type] = {}


def make(kind: str, variant, spec: object, *parts) -> "specs.Dataset":
    """A dataset of the class that TensorFlow calls `kind`. It keeps what it
    was made of."""
    cls = _classes.get(kind)
    if cls is None:
        cls = _classes[kind] = type(
            kind, (specs.Dataset,), {"__module__": specs.Dataset.__module__}
        )
    made = cls(variant)
    made._element_spec = spec
    made._parts = parts
    return made


@functools.cache
def _facts(op: Callable) -> tuple[str, dict, list, bool]:
    """Of one of raw_ops: the name of the class of what it makes, the types of
    what it takes besides datasets, the names of what its functions captured,
    and whether it is told the types of elements."""
    record = _graphkiln.op_record(op._identity)
    kind = "_" + re.sub(r"V\d$", "", record["name"])
    kind = kind.replace("_Cache", "Cache")  # TensorFlow's has no underscore.
    inputs = record["inputs"]
    types = {
        i["name"]: i["type"]
        for i in inputs
        if i["type"] in (dtypes.int64, dtypes.bool, dtypes.string)
        and not i["number_attr"]
    }
    captures = [i["name"] for i in inputs if "other_arg" in i["name"]]
    attrs = [a["name"] for a in record["attrs"]]
    return kind, types, captures, "output_types" in attrs


def of(op: Callable, spec: object, **given) -> "specs.Dataset":
    """The dataset of elements of `spec` that `op`, one of raw_ops, makes of
    what it is given: datasets and functions, which it keeps, numbers and
    attributes."""
    kind, types, captures, told_types = _facts(op)
    parts: list = []
    for name, value in list(given.items()):
        several = isinstance(value, list)
        inputs = value if several else [value]
        if inputs and isinstance(inputs[0], specs.Dataset):
            parts += inputs
            variants = [d._as_input() for d in inputs]
            given[name] = variants if several else variants[0]
        elif isinstance(value, _graphkiln.ConcreteFunction):
            parts.append(value)
            (of_it,) = (
                c for c in captures if c.startswith((f"{name}_", "other_"))
            )
            given[of_it] = value.captured_inputs
        elif name in types:
            given[name] = tensor(value, types[name], name)
    given |= structure.signature(spec)
    if not told_types:
        del given["output_types"]
    return make(kind, op(**given), spec, *parts)


def typed(dataset: "specs.Dataset") -> tuple:
    """As the core takes it: its variant tensor, the types and the shapes of
    the components of its elements."""
    signature = structure.signature(dataset.element_spec)
    return dataset._as_input(), *signature.values()


def tensor(value, dtype: DType, name: str):
    """`value` as a tensor of this type; integers may have been others."""
    if dtype == dtypes.int64 and isinstance(value, _graphkiln.Tensor) and (
        value.dtype != dtypes.int64
    ):
        return ops.cast(value, dtypes.int64)
    return _graphkiln.convert_to_tensor(value, dtype=dtype, name=name)


def batches(size, drop_remainder, name: str = "batch_size") -> tuple:
    """Both as tensors, and how many elements all batches are known to have."""
    size = tensor(size, dtypes.int64, name)
    drop = tensor(drop_remainder, dtypes.bool, "drop_remainder")
    sizes = set(np.ravel(_graphkiln.get_static_value(size)).tolist())
    known = len(sizes) == 1 and _graphkiln.get_static_value(drop)
    return size, drop, sizes.pop() if known else None


def deterministic(value) -> str:
    """The attribute that says so."""
    if value is None:
        return "default"
    return "true" if value else "false"
