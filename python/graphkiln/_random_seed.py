"""The seeds of stateful random ops, by TensorFlow's rules.

Eager ops without a seed of their own draw it from Python's generator, which
`set_seed` starts; in a graph they count.
"""

import random
import threading

from graphkiln import _config
from graphkiln import _graphkiln

# What an op's seed joins if no global seed was set.
_DEFAULT_SEED = 87654321
_MAX_INT32 = 2**31 - 1

_lock = threading.RLock()
_global_seed: int | None = None
_stream: random.Random | None = None


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
    global _global_seed, _stream
    seed = None if seed is None else int(seed)
    graph = _graphkiln.current_graph()
    if graph is not None:
        graph.seed = seed
        return
    with _lock:
        _global_seed = seed
        _stream = random.Random(seed)
    _graphkiln.reset_random_places()


def global_seed() -> int | None:
    """The seed of eager ops, which functions traced from now on share."""
    return _global_seed


def op_seeds(seed: int | None) -> tuple[int, int]:
    """The attributes seed and seed2 of an op with this `seed` argument."""
    graph = _graphkiln.current_graph()
    of_program = _global_seed if graph is None else graph.seed
    if of_program is None and seed is None:
        if _config.is_op_determinism_enabled():
            raise RuntimeError(
                "Random ops require a seed to be set when determinism is "
                "enabled. Please set a seed before running the op, e.g. by "
                "calling tf.random.set_seed(1)."
            )
        return 0, 0
    if of_program is None:
        pair = (_DEFAULT_SEED, int(seed) % _MAX_INT32)
    else:
        if seed is None:
            seed = _graphkiln.next_graph_seed()
            if seed < 0:
                with _lock:
                    seed = _stream.randint(0, _MAX_INT32)
        pair = (of_program % _MAX_INT32, int(seed) % _MAX_INT32)
    return (0, _MAX_INT32) if pair == (0, 0) else pair
