"""tf.test.compute_gradient: derivatives against differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphkiln import _graphkiln, compat
from graphkiln._graphkiln import GradientTape, Tensor

_KINDS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _reals(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The numbers as a vector, complex ones as pairs."""
    return np.ascontiguousarray(array).ravel().view(dtype.real_dtype.as_numpy_dtype)


def _value(tensor: Any) -> np.ndarray:
    """That of a tensor, which the session runs if it is of a graph."""
    if isinstance(tensor, (np.ndarray, np.generic)):
        return np.asarray(tensor)
    if hasattr(tensor, "numpy"):
        return np.asarray(tensor.numpy())
    return np.asarray(_session().run(tensor))


def _session() -> Any:
    session = compat.v1.get_default_session()
    if session is None:
        raise ValueError(
            "Values of a graph need a session, as `tf.compat.v1.Session()`."
        )
    return session


def _prepared(f: Callable, like: Sequence[np.ndarray], dtypes: Sequence) -> Callable:
    """Gives values of f for arrays; in a graph it is traced once."""
    if _graphkiln.executing_eagerly():
        return lambda *arrays: f(*[
            _graphkiln.constant(a.copy(), t)
            for a, t in zip(arrays, dtypes, strict=True)
        ])
    fed = [
        compat.v1.placeholder(t, a.shape) for a, t in zip(like, dtypes, strict=True)
    ]
    made, session = f(*fed), _session()
    if made is None:
        return lambda *arrays: None
    return lambda *arrays: session.run(made, dict(zip(fed, arrays, strict=True)))


def _dense(grad: Any, shape: tuple) -> np.ndarray | None:
    if grad is None:
        return None
    if not hasattr(grad, "indices"):
        return _value(grad)
    dense = np.zeros(shape, _value(grad.values).dtype)
    np.add.at(dense, _value(grad.indices), _value(grad.values))
    return dense


def _derivatives(
    f: Callable, y: np.ndarray, y_type: Any, arrays: list, dtypes: list, at: int
) -> np.ndarray:
    """A row for each number of y, by gradients."""
    shape = arrays[at].shape
    dy = np.zeros(y.shape, y_type.as_numpy_dtype)
    numbers = dy.reshape(-1).view(y_type.real_dtype.as_numpy_dtype)
    jacobian = np.zeros(
        (numbers.size, _reals(arrays[at], dtypes[at]).size),
        dtypes[at].real_dtype.as_numpy_dtype,
    )

    def gradient(seed: Tensor, *xs: Tensor) -> Any:
        with GradientTape() as tape:
            tape.watch(xs[at])
            out = f(*xs)
        return tape.gradient(out, xs[at], seed)

    run = _prepared(gradient, [dy, *arrays], [y_type, *dtypes])
    for row in range(numbers.size):
        numbers[row] = 1
        found = _dense(run(dy, *arrays), shape)
        if found is not None:
            jacobian[row] = _reals(found, dtypes[at])
        numbers[row] = 0
    if numbers.size == 0:
        found = _dense(run(dy, *arrays), shape)
        if found is not None and found.shape != shape:
            raise ValueError(
                f"Empty gradient has wrong shape: expected {shape}, got {found.shape}"
            )
        if found is not None and np.any(found):
            raise ValueError("Empty tensor with nonzero gradients")
    return jacobian


def _differences(
    run: Callable, y: np.ndarray, y_type: Any, arrays: list, x_type: Any, at: int,
    delta: float,
) -> np.ndarray:
    """A column for each number of x, by central differences."""
    arrays = [np.array(a) for a in arrays]
    numbers = arrays[at].reshape(-1).view(x_type.real_dtype.as_numpy_dtype)
    y_size = _reals(np.zeros(y.shape, y_type.as_numpy_dtype), y_type).size
    jacobian = np.zeros((y_size, numbers.size), x_type.real_dtype.as_numpy_dtype)
    scale = np.asarray(2 * delta, dtype=y_type.real_dtype.as_numpy_dtype)[()]
    for column in range(numbers.size):
        before = numbers[column]
        numbers[column] = before + np.asarray(delta, numbers.dtype)
        high = _value(run(*arrays))
        numbers[column] = before - np.asarray(delta, numbers.dtype)
        low = _value(run(*arrays))
        numbers[column] = before
        jacobian[:, column] = _reals(
            np.asarray((high - low) / scale, y_type.as_numpy_dtype), y_type
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
    arrays, dtypes = [_value(t) for t in xs], [t.dtype for t in xs]
    y_types = []

    def function(*xs: Tensor) -> Tensor:
        made = _graphkiln.convert_to_tensor(f(*xs))
        y_types.append(made.dtype)
        return made

    run = _prepared(function, arrays, dtypes)
    y = _value(run(*arrays))
    y_type = y_types[0]
    exact, measured = [], []
    for i, dtype in enumerate(dtypes):
        for one, what in ((dtype, f"argument {i}"), (y_type, "y")):
            if one.name not in _KINDS:
                raise AssertionError(
                    "Cannot compute gradient for unsupported type "
                    f"{one.name} of {what}"
                )
        exact.append(_derivatives(f, y, y_type, arrays, dtypes, i))
        measured.append(_differences(run, y, y_type, arrays, dtype, i, delta))
    return tuple(exact), tuple(measured)


def max_error(grad1: Sequence, grad2: Sequence) -> float:
    """The largest distance of two lists of arrays."""
    gaps = [np.abs(a - b).max() for a, b in zip(grad1, grad2) if a.size or b.size]
    return max(gaps, default=0)
