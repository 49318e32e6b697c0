"""tf.debugging: what assertions take that is Python's: conditions, data and
symbols of any kind. The assertions themselves are in the core.
"""

import numpy as np

from graphkiln import _graphkiln, errors
from graphkiln import raw_ops as ops
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes


def Assert(condition, data, summarize=None, name=None):
    """Raises InvalidArgumentError unless `condition` holds when run.

    Args:
      condition: a boolean scalar.
      data: tensors that are printed if it does not hold.
      summarize: how many elements of each are printed; 3 unless given, -1:
        all.
      name: of the op.

    Returns None when eager, else the operation that checks.

    >>> tf.debugging.Assert(True, [1])
    """
    if _graphkiln.executing_eagerly():
        if condition:
            return None
        shown = "\n".join(_summary(x, summarize) for x in data)
        raise errors.InvalidArgumentError(
            None, None,
            f"Expected '{condition!s}' to be true. Summarized data: {shown}",
        )
    with name_scope.name_scope(name or "Assert"):
        return ops.Assert(
            condition=condition,
            data=[_graphkiln.convert_to_tensor(x) for x in data],
            summarize=summarize,
        )


def _summary(value: object, summarize: int | None) -> str:
    """The first elements of a value, "..." for the rest."""
    tensor = _graphkiln.convert_to_tensor(value)
    if tensor.shape.rank == 0:
        return str(tensor.numpy())
    count = 3 if summarize is None else summarize
    flat = tensor.numpy().reshape(-1)
    shown = flat if count < 0 else flat[:count]
    return ", ".join([*map(str, shown), *["..."] * (shown.size < flat.size)])


def is_numeric_tensor(tensor):
    """Is it a tensor of numbers?

    >>> tf.debugging.is_numeric_tensor(tf.constant(1))
    True
    """
    return isinstance(tensor, Tensor) and (
        tensor.dtype.is_integer
        or tensor.dtype.is_floating
        or tensor.dtype.is_complex
    )


def assert_proper_iterable(values):
    """Checks for a list or another iterable that is no tensor, array or
    string; TypeError if not.

    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    improper = isinstance(values, (Tensor, np.ndarray, str, bytes))
    if improper or not hasattr(values, "__iter__"):
        kind = 'a "proper" iterable' if improper else "iterable"
        raise TypeError(
            f'Expected argument "values" to be {kind}.  Found: {type(values)}'
        )


def assert_same_float_dtype(tensors=None, dtype=None):
    """Checks for one floating dtype and returns it; float32 if none.

    Raises ValueError if there are several or another.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), None])
    tf.float32
    """
    dtype = None if dtype is None else _graphkiln.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if dtype is None:
            dtype, first = tensor.dtype, tensor
        elif tensor.dtype != dtype:
            other = "" if first is None else f" as {first!s}"
            raise ValueError(
                f"{tensor!s}, type={tensor.dtype}, must be of the same type "
                f"({dtype}){other}."
            )
    dtype = dtype or dtypes.float32
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Checks shapes that share symbolic sizes.

    Args:
      shapes: a mapping or list of pairs: a tensor and its sizes. They are
        numbers, symbols that stand for the same number everywhere, None or
        "." for any; "*" or ... in front stands for any leading dimensions.
      data: printed on failure in place of tensor and shape.
      summarize: how many elements of each are printed.
      message: put in front of the error's text.
      name: of the scope.

    Raises ValueError if a size is known to be another, InvalidArgumentError
    when run otherwise.

    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 3))])
    """
    pairs = shapes.items() if hasattr(shapes, "items") else shapes
    tensors, sizes, numbers = [], [], {}
    with name_scope.name_scope(name or "assert_shapes"):
        for pair in pairs:
            try:
                tensor, symbols = pair
            except TypeError:
                raise ValueError(
                    "`shapes` must hold pairs of a tensor and its shape, got "
                    f"{pair!r}"
                ) from None
            tensors.append(_graphkiln.convert_to_tensor(tensor))
            if not hasattr(symbols, "__iter__") and not hasattr(
                symbols, "__getitem__"
            ):
                raise ValueError(
                    f"{message + '.  ' if message else ''}Tensor "
                    f"{_title(tensors[-1])}.  Specified shape must be an "
                    "iterable.  An iterable has the attribute `__iter__` or "
                    "`__getitem__`.  Received specified shape: "
                    f"{symbols}"
                )
            if isinstance(symbols, TensorShape):
                symbols = symbols.as_list()
            sizes.append(" ".join(_symbol(s, numbers) for s in symbols))
        _assert_shapes(
            tensors, ";".join(sizes), data, summarize, message,
            name="assert_shapes",
        )


def _title(tensor: Tensor) -> str:
    if _graphkiln.executing_eagerly():
        return f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return tensor.name


def _symbol(symbol: object, numbers: dict) -> str:
    """What the core calls a size: its number, "." for any, "*" for any
    number of them, or the number of a symbol."""
    if symbol is None:
        return "."
    if symbol is ...:
        return "*"
    if isinstance(symbol, (int, np.integer)) or (
        isinstance(symbol, float) and symbol.is_integer()
    ):
        return str(int(symbol))
    if isinstance(symbol, str) and (symbol in ".*" or symbol.isdigit()):
        return symbol
    return f"#{numbers.setdefault(symbol, len(numbers))}"


_assert_shapes = _graphkiln.composite_function("_assert_shapes")
