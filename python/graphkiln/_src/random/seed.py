"""tf.random.set_seed."""

from __future__ import annotations

from graphkiln import _graphkiln


def set_seed(seed: int | None) -> None:
    """Sets the global seed of random ops.

    Starts the sequence of all random ops anew: the same program draws the
    same numbers. While a graph is built it sets the seed of that graph only.

    Args:
      seed: an integer; None for other numbers each time.

    >>> tf.random.set_seed(1)
    >>> a = tf.random.uniform([])
    >>> tf.random.set_seed(1)
    >>> (a == tf.random.uniform([])).numpy().item()
    True
    """
    _graphkiln.set_random_seed(seed)
