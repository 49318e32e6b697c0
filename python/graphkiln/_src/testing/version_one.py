"""tf.compat.v1.test: derivatives of graphs against differences."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphkiln import _graphkiln, compat
from graphkiln._graphkiln import IndexedSlices, Tensor

_KINDS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _reals(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The numbers as a vector, complex ones as pairs; views what is contiguous."""
    return array.reshape(-1).view(dtype.real_dtype.as_numpy_dtype)


def _theory(
    x: Tensor, x_data: np.ndarray, y: Tensor, y_shape: Sequence, feeds: dict
) -> np.ndarray:
    """A column for each number of y, by gradients."""
    with x.graph.as_default():
        ones = np.ones(tuple(y_shape), y.dtype.as_numpy_dtype)
        dy = _graphkiln.constant(ones, y.dtype)
        dx = _graphkiln.gradients(y, x, dy)[0]
    if dx is None:
        raise ValueError(f"{y!r} has no gradient with respect to {x!r}.")
    seed = np.zeros(tuple(y_shape), y.dtype.as_numpy_dtype)
    numbers = _reals(seed, y.dtype)
    found = np.zeros(
        (_reals(x_data, x.dtype).size, numbers.size), x.dtype.real_dtype.as_numpy_dtype
    )
    session = compat.v1.get_default_session()

    def gradient() -> np.ndarray:
        made = session.run(dx, {**feeds, x: x_data, dy: seed})
        if not isinstance(dx, IndexedSlices):
            return made
        dense = np.zeros_like(x_data)
        np.add.at(dense, made.indices, made.values)
        return dense

    for column in range(numbers.size):
        numbers[column] = 1
        found[:, column] = _reals(np.ascontiguousarray(gradient()), x.dtype)
        numbers[column] = 0
    if numbers.size == 0:
        made = gradient()
        if made.shape != x_data.shape:
            raise ValueError(
                f"Empty gradient has wrong shape: expected {x_data.shape}, got "
                f"{made.shape}"
            )
        if np.any(made):
            raise ValueError("Empty tensor with nonzero gradients")
    return found


def _differences(
    x: Tensor, x_data: np.ndarray, y: Tensor, y_shape: Sequence, delta: float,
    feeds: dict,
) -> np.ndarray:
    """A row for each number of x, by central differences."""
    session = compat.v1.get_default_session()
    kind = y.dtype.real_dtype.as_numpy_dtype
    scale = np.asarray(2 * delta, kind)[()]
    moved = np.array(x_data)
    numbers = _reals(moved, x.dtype)
    empty = np.zeros(tuple(y_shape), y.dtype.as_numpy_dtype)
    found = np.zeros(
        (numbers.size, _reals(empty, y.dtype).size), x.dtype.real_dtype.as_numpy_dtype
    )
    for row in range(numbers.size):
        before = numbers[row]
        numbers[row] = before + np.asarray(delta, numbers.dtype)
        high = session.run(y, {**feeds, x: moved})
        numbers[row] = before - np.asarray(delta, numbers.dtype)
        low = session.run(y, {**feeds, x: moved})
        numbers[row] = before
        change = np.asarray((high - low) / scale, y.dtype.as_numpy_dtype)
        found[row] = _reals(np.ascontiguousarray(change), y.dtype)
    return found


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 0.001,
    init_targets: Any = None,
    extra_feed_dict: dict | None = None,
) -> Any:
    """The Jacobians of y by x, by gradients and by differences, as the default
    session computes them.

    Args:
      x: a tensor of a graph, or a list of them.
      x_shape: its shape, or a list of them.
      y: a tensor that is made of `x`.
      y_shape: its shape.
      x_init_value: at which value; random unless given.
      delta: by how much `x` is moved.
      init_targets: operations that run first.
      extra_feed_dict: values of other tensors.

    Returns:
      Two arrays, a row for each number of x and a column for each of y; a list of
      such pairs for a list.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     x = tf.constant([3.0])
    ...     a, b = tf.compat.v1.test.compute_gradient(x, [1], x * 2.0, [1])
    >>> a.tolist()
    [[2.0]]
    """
    feeds = dict(extra_feed_dict or {})
    several = isinstance(x, list)
    for target in init_targets or ():
        target.run()
    xs, shapes = (x, x_shape) if several else ([x], [x_shape])
    values = x_init_value if several else [x_init_value]
    if values is None:
        values = [None] * len(xs)
    pairs = []
    for tensor, shape, value in zip(xs, shapes, values, strict=True):
        for t in (tensor, y):
            if t.dtype.name not in _KINDS:
                raise AssertionError(f"Don't support type {t.dtype.name}")
        kind = tensor.dtype.as_numpy_dtype
        if value is None:
            value = np.random.random_sample(shape).astype(kind)
            if tensor.dtype.is_complex:
                value.imag = np.random.random_sample(shape)
        elif list(shape) != list(value.shape):
            raise AssertionError(
                f"x_shape = {shape}, init_data shape = {list(value.shape)}"
            )
        data = np.ascontiguousarray(value, dtype=kind).reshape(value.shape)
        pairs.append((
            _theory(tensor, data, y, y_shape, feeds),
            _differences(tensor, data, y, y_shape, delta, feeds),
        ))
    return pairs if several else pairs[0]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 0.001,
    init_targets: Any = None,
    extra_feed_dict: dict | None = None,
) -> float:
    """The greatest difference of the Jacobians that `compute_gradient` gives.

    Args:
      x: a tensor of a graph, or a list of them.
      x_shape: its shape, or a list of them.
      y: a tensor that is made of `x`.
      y_shape: its shape.
      x_init_value: at which value; random unless given.
      delta: by how much `x` is moved.
      init_targets: operations that run first.
      extra_feed_dict: values of other tensors.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     x = tf.constant([3.0])
    ...     bool(tf.compat.v1.test.compute_gradient_error(x, [1], x * x, [1]) < 0.01)
    True
    """
    made = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    error = 0.0
    for theory, numeric in made if isinstance(made, list) else [made]:
        if theory.size:
            error = np.maximum(error, np.fabs(theory - numeric).max())
    return error


def test_src_dir_path(relative_path: str) -> str:
    """The path of a source file of a test that Bazel runs.

    Args:
      relative_path: from the root of the sources.

    >>> import os
    >>> os.environ.update(TEST_SRCDIR="/a", TEST_WORKSPACE="b")
    >>> tf.compat.v1.test.test_src_dir_path("c")
    '/a/b/tensorflow/c'
    """
    root = os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tensorflow"
    return os.path.join(*root, relative_path)
