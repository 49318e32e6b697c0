"""tf.random.Generator: random numbers from a state of its own."""

import enum
import functools
import random

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes
from graphkiln._src.variables.module import Module
from graphkiln._src.variables.variable import Variable


class Algorithm(enum.Enum):
    """The algorithms of random numbers; Philox runs on every device.

    >>> tf.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3

    def __index__(self) -> int:
        return self.value


_INT64 = 2**64


def _signed(value: int) -> int:
    value %= _INT64
    return value - _INT64 if value >= _INT64 // 2 else value


def create_rng_state(seed, alg):
    """The state that `Generator.from_seed(seed)` begins with.

    >>> tf.random.create_rng_state(5, "philox").numpy().tolist()
    [5, 0, 0]
    """
    _, size = _graphkiln.random_algorithm(alg)
    if isinstance(seed, Tensor):
        seed = ops.cast(ops.reshape(seed, [-1]), dtypes.int64)[:size]
        return ops.pad(seed, [[0, size - ops.size(seed)]])
    if not isinstance(seed, int):
        words = [int(word) for word in seed]
    else:
        words = []
        while True:
            words.append(seed % _INT64)
            seed //= _INT64
            if seed in (0, -1):
                break
    words = [_signed(word) for word in words[:size]]
    return _graphkiln.constant(words + [0] * (size - len(words)), dtypes.int64)


def _drawing(name: str):
    """A method of the core's function of a state."""
    draw = _graphkiln.composite_function(f"_generator.{name}")

    def decorate(method):
        @functools.wraps(method)
        def drawn(self, *args, **kwargs):
            return draw(self._state.handle, self._alg, *args, **kwargs)

        return drawn

    return decorate


class Generator(Module):
    """Random numbers from a state in a variable.

    >>> g = tf.random.Generator.from_seed(5)
    >>> g.uniform([3]).shape
    TensorShape([3])
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        """A copy of a generator, or one of this state and algorithm."""
        super().__init__()
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError(
                    "Arguments `state` and `alg` must be None when `copy_from`"
                    " is given."
                )
            state, alg = copy_from.state.value(), copy_from.algorithm
        if state is None or alg is None:
            raise ValueError(
                "Arguments `state` and `alg` are required without `copy_from`."
            )
        self._alg, size = _graphkiln.random_algorithm(alg)
        state = _graphkiln.convert_to_tensor(state, dtypes.int64)
        if not state.shape.is_compatible_with([size]):
            raise ValueError(
                f"Shapes {state.shape} and {[size]} are incompatible: the "
                f"state of algorithm {self._alg} is a vector of {size} numbers"
            )
        self._state = Variable(
            state,
            dtype=dtypes.int64,
            name="StateVar",
            trainable=False,
        )

    @classmethod
    def from_state(cls, state, alg):
        """A generator that goes on from `state`."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator of a seed: equal seeds draw equal numbers."""
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator of an unpredictable state."""
        alg = Algorithm.PHILOX if alg is None else alg
        _, size = _graphkiln.random_algorithm(alg)
        source = random.SystemRandom()
        state = [_signed(source.getrandbits(64)) for _ in range(size)]
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator of a key and a counter of two numbers."""
        return cls(state=_joined(key, counter), alg=alg)

    @property
    def state(self):
        """The variable: counter (low, high) and key."""
        return self._state

    @property
    def algorithm(self):
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self):
        """The key, an int64 scalar."""
        return self._state[2] if self._alg == 1 else self._state[1]

    def reset(self, state):
        """Sets the state."""
        self._state.assign(_graphkiln.convert_to_tensor(state, dtypes.int64))

    def reset_from_seed(self, seed):
        """Sets the state to that of `from_seed(seed)`."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Sets the state to this counter and key."""
        self._state.assign(_joined(key, counter))

    @_drawing("skip")
    def skip(self, delta):
        """Moves on as if `delta` numbers had been drawn; the old state."""

    @_drawing("uniform")
    def uniform(
        self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None
    ):
        """Uniform numbers in [minval, maxval)."""

    @_drawing("uniform_full_int")
    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """Integers of the whole range of `dtype`."""

    @_drawing("normal")
    def normal(
        self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None
    ):
        """Normal numbers."""

    @_drawing("truncated_normal")
    def truncated_normal(
        self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None
    ):
        """Normal numbers within two deviations."""

    def make_seeds(self, count=1):
        """Seeds [2, count] for stateless random ops."""
        keys = self.uniform_full_int([count], dtype=dtypes.int64)
        return ops.stack([keys, ops.zeros_like(keys)])

    def split(self, count=1):
        """`count` generators that are independent of this one."""
        keys = self.uniform_full_int([count], dtype=dtypes.int64)
        return [
            Generator.from_key_counter(key, [0, 0], self._alg)
            for key in ops.unstack(keys, num=count)
        ]


def _joined(key, counter):
    counter = ops.cast(_graphkiln.convert_to_tensor(counter), dtypes.int64)
    key = ops.reshape(
        ops.cast(_graphkiln.convert_to_tensor(key), dtypes.int64), [1]
    )
    return ops.concat([counter, key], 0)


_global: Generator | None = None


def get_global_generator():
    """The generator that is shared by the whole program.

    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    global _global
    if _global is None:
        with name_scope.init_scope():
            _global = Generator.from_non_deterministic_state()
    return _global


def set_global_generator(generator):
    """Replaces the global generator.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(7))
    """
    global _global
    _global = generator
