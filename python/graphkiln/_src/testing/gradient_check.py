"""tf.test.compute_gradient: derivatives against differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphkiln import _graphkiln, compat
from graphkiln._graphkiln import GradientTape, IndexedSlices, Tensor

_KINDS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _reals(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The numbers as a vector, complex ones as pairs."""
    return np.ascontiguousarray(array).ravel().view(dtype.real_dtype.as_numpy_dtype)


def _value(tensor: Any) -> np.ndarray:
    """That of a tensor, which the session runs if it is of a graph."""
    if hasattr(tensor, "numpy"):
        return np.asarray(tensor.numpy())
    session = compat.v1.get_default_session()
    if session is None:
        raise ValueError(
            f"{tensor!r} is of a graph: its value needs a session, as "
            "`tf.compat.v1.Session()`."
        )
    return np.asarray(session.run(tensor))


def _dense(grad: Any, shape: tuple) -> np.ndarray | None:
    if grad is None:
        return None
    if isinstance(grad, IndexedSlices):
        dense = np.zeros(shape, grad.values.dtype.as_numpy_dtype)
        np.add.at(dense, _value(grad.indices), _value(grad.values))
        return dense
    return _value(grad)


def _derivatives(
    f: Callable, y: Tensor, xs: list[Tensor], at: int
) -> np.ndarray:
    """A row for each number of y, by gradients."""
    x = xs[at]
    shape = tuple(x.shape)
    x_size = _reals(np.zeros(shape, x.dtype.as_numpy_dtype), x.dtype).size
    dy = np.zeros(tuple(y.shape), y.dtype.as_numpy_dtype)
    numbers = dy.reshape(-1).view(y.dtype.real_dtype.as_numpy_dtype)
    jacobian = np.zeros(
        (numbers.size, x_size), x.dtype.real_dtype.as_numpy_dtype
    )

    def grad() -> np.ndarray | None:
        with GradientTape() as tape:
            tape.watch(x)
            out = f(*xs)
        seed = _graphkiln.constant(dy.copy(), y.dtype)
        return _dense(tape.gradient(out, x, seed), shape)

    for row in range(numbers.size):
        numbers[row] = 1
        found = grad()
        if found is not None:
            jacobian[row] = _reals(found, x.dtype)
        numbers[row] = 0
    if numbers.size == 0:
        found = grad()
        if found is not None and found.shape != shape:
            raise ValueError(
                f"Empty gradient has wrong shape: expected {x.shape}, got "
                f"{found.shape}"
            )
        if found is not None and np.any(found):
            raise ValueError("Empty tensor with nonzero gradients")
    return jacobian


def _differences(
    f: Callable, y: Tensor, xs: list[Tensor], at: int, delta: float
) -> np.ndarray:
    """A column for each number of x, by central differences."""
    arrays = [np.array(_value(x)) for x in xs]
    x, dtype = arrays[at], xs[at].dtype
    numbers = x.reshape(-1).view(dtype.real_dtype.as_numpy_dtype)
    kind = y.dtype.real_dtype.as_numpy_dtype
    y_size = _reals(np.zeros(tuple(y.shape), y.dtype.as_numpy_dtype), y.dtype).size
    jacobian = np.zeros(
        (y_size, numbers.size), dtype.real_dtype.as_numpy_dtype
    )
    scale = np.asarray(2 * delta, dtype=kind)[()]

    def value() -> np.ndarray:
        made = f(*[_graphkiln.constant(a.copy()) for a in arrays])
        return _value(_graphkiln.convert_to_tensor(made))

    for column in range(numbers.size):
        before = numbers[column]
        numbers[column] = before + np.asarray(delta, numbers.dtype)
        high = value()
        numbers[column] = before - np.asarray(delta, numbers.dtype)
        low = value()
        numbers[column] = before
        jacobian[:, column] = _reals(
            np.asarray((high - low) / scale, y.dtype.as_numpy_dtype), y.dtype
        )
    return jacobian


def compute_gradient(
    f: Callable, x: Sequence, delta: float | None = None
) -> tuple[tuple, tuple]:
    """The Jacobians of f at x, by gradients and by differences.

    Args:
      f: a function of as many tensors as `x` has.
      x: a list or tuple of values.
      delta: how far arguments are moved for differences; 1/1024 unless given.

    In a graph that is no function's, values come from the default session.

    Returns:
      Two tuples with an array for each argument, with a row for each number
      of the result and a column for each of the argument; complex numbers
      count as two.

    >>> exact, measured = tf.test.compute_gradient(lambda x: x * x, [3.0])
    >>> exact[0].tolist(), round(float(measured[0][0, 0]), 2)
    ([[6.0]], 6.0)
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor "
            f"(arguments to `f`), not a {type(x)}"
        )
    if delta is None:
        delta = 1.0 / 1024
    xs = [_graphkiln.convert_to_tensor(value) for value in x]
    y = _graphkiln.convert_to_tensor(f(*xs))
    exact, measured = [], []
    for i, argument in enumerate(xs):
        for dtype, what in ((argument.dtype, f"argument {i}"), (y.dtype, "y")):
            if dtype.name not in _KINDS:
                raise AssertionError(
                    "Cannot compute gradient for unsupported type "
                    f"{dtype.name} of {what}"
                )
        exact.append(_derivatives(f, y, xs, i))
        measured.append(_differences(f, y, xs, i, delta))
    return tuple(exact), tuple(measured)


def max_error(grad1: Sequence, grad2: Sequence) -> float:
    """The largest distance of two lists of arrays."""
    gaps = [np.abs(a - b).max() for a, b in zip(grad1, grad2) if a.size or b.size]
    return max(gaps, default=0)
