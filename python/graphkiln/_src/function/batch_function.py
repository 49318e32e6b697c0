"""tf.nondifferentiable_batch_function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._src import ops
from graphkiln._src.function.function import function


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[[Callable], Callable]:
    """A decorator of functions of batches, through which no gradient goes.

    TensorFlow joins calls that threads make at the same time to one batch. Here
    every call is a batch of its own: on CPUs joined ones take as long.

    Args:
      num_batch_threads: accepted for compatibility.
      max_batch_size: rows that a call may have unless large ones are split.
      batch_timeout_micros: accepted for compatibility.
      allowed_batch_sizes: accepted for compatibility.
      max_enqueued_batches: accepted for compatibility.
      autograph: whether Python's control flow in the function is converted.
      enable_large_batch_splitting: takes calls of more rows, too.

    >>> @tf.nondifferentiable_batch_function(1, 4, 10)
    ... def double(x):
    ...     return x * 2
    >>> double(tf.constant([1, 2])).numpy().tolist()
    [2, 4]
    """

    def decorate(fn: Callable) -> Callable:
        traced = function(fn, autograph=autograph)

        @functools.wraps(fn)
        def call(*args: Any) -> Any:
            tensors = [_graphkiln.convert_to_tensor(a) for a in args]
            for t in tensors:
                if not t.shape.rank:
                    raise _graphkiln.InvalidArgumentError(
                        None, None,
                        "Batching input tensors must have at least one dimension",
                    )
                rows = t.shape[0]
                if (
                    rows is not None
                    and rows > max_batch_size
                    and not enable_large_batch_splitting
                ):
                    raise _graphkiln.InvalidArgumentError(
                        None, None,
                        f"Task size {rows} is larger than maximum input batch "
                        f"size {max_batch_size}",
                    )
            return nest.map_structure(ops.stop_gradient, traced(*tensors))

        return call

    return decorate
