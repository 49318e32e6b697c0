"""tf.random.Generator: random numbers from a state of its own."""

import enum
import random

import graphkiln as tf
from graphkiln import _random
from graphkiln import raw_ops as ops


class Algorithm(enum.Enum):
    """The algorithms of random numbers; Philox runs on every device."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_STATE_SIZE = {1: 3, 2: 2}
_INT64 = 2**64


def _signed(value: int) -> int:
    value %= _INT64
    return value - _INT64 if value >= _INT64 // 2 else value


def create_rng_state(seed, alg):
    """The state that `Generator.from_seed(seed)` begins with.

    >>> tf.random.create_rng_state(5, "philox").numpy().tolist()
    [5, 0, 0]
    """
    size = _STATE_SIZE[_random._algorithm(alg)]
    if isinstance(seed, tf.Tensor):
        seed = tf.cast(tf.reshape(seed, [-1]), tf.int64)[:size]
        return tf.pad(seed, [[0, size - tf.size(seed)]])
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
    return tf.constant(words + [0] * (size - len(words)), tf.int64)


class Generator(tf.Module):
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
        self._alg = _random._algorithm(alg)
        state = tf.convert_to_tensor(state, tf.int64)
        if self._alg in _STATE_SIZE:
            words = [_STATE_SIZE[self._alg]]
            if not state.shape.is_compatible_with(words):
                raise ValueError(
                    f"Shapes {state.shape} and {words} are incompatible: the "
                    f"state of algorithm {self._alg} is a vector of "
                    f"{words[0]} numbers"
                )
        self._state = tf.Variable(
            state,
            dtype=tf.int64,
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
        words = _STATE_SIZE[_random._algorithm(alg)]
        source = random.SystemRandom()
        state = [_signed(source.getrandbits(64)) for _ in range(words)]
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator of a key and a counter of two numbers."""
        counter = tf.cast(tf.convert_to_tensor(counter), tf.int64)
        key = tf.reshape(tf.cast(tf.convert_to_tensor(key), tf.int64), [1])
        return cls(state=tf.concat([counter, key], 0), alg=alg)

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
        self._state.assign(tf.convert_to_tensor(state, tf.int64))

    def reset_from_seed(self, seed):
        """Sets the state to that of `from_seed(seed)`."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Sets the state to this counter and key."""
        counter = tf.cast(tf.convert_to_tensor(counter), tf.int64)
        key = tf.reshape(tf.cast(tf.convert_to_tensor(key), tf.int64), [1])
        self._state.assign(tf.concat([counter, key], 0))

    def skip(self, delta):
        """Moves on as if `delta` numbers had been drawn; the old state."""
        return ops.RngReadAndSkip(
            resource=self._state.handle,
            alg=tf.constant(self._alg, tf.int32),
            delta=tf.cast(delta, tf.uint64),
        )

    def _draw(self, shape):
        """Takes as many numbers as `shape` has: shape, key and counter."""
        shape = _random._shape(shape)
        # A bad shape moves nothing on before its draw fails.
        size = tf.reduce_prod(tf.maximum(tf.cast(shape, tf.int64), 0))
        state = self.skip(size)
        counter = tf.bitcast(state[:2], tf.uint64)
        key = tf.bitcast(state[2:3], tf.uint64)
        return dict(shape=shape, key=key, counter=counter, alg=self._alg)

    def uniform(
        self, shape, minval=0, maxval=None, dtype=tf.float32, name=None
    ):
        """Uniform numbers in [minval, maxval)."""
        dtype, maxval = _random._check_uniform(dtype, minval, maxval)
        with tf.name_scope(name or "stateful_uniform"):
            given = self._draw(shape)
            if dtype in _random._INTEGERS:
                return ops.StatelessRandomUniformIntV2(
                    **given,
                    minval=tf.convert_to_tensor(minval, dtype),
                    maxval=tf.convert_to_tensor(maxval, dtype),
                )
            values = ops.StatelessRandomUniformV2(**given, dtype=dtype)
            low, high = _random._limits(minval, maxval, values.dtype)
            return values * (high - low) + low

    def uniform_full_int(self, shape, dtype=tf.uint64, name=None):
        """Integers of the whole range of `dtype`."""
        with tf.name_scope(name or "stateful_uniform_full_int"):
            return ops.StatelessRandomUniformFullIntV2(
                **self._draw(shape), dtype=dtype
            )

    def normal(
        self, shape, mean=0.0, stddev=1.0, dtype=tf.float32, name=None
    ):
        """Normal numbers."""
        with tf.name_scope(name or "stateful_normal"):
            values = ops.StatelessRandomNormalV2(
                **self._draw(shape), dtype=dtype
            )
            mean, stddev = _random._moments(mean, stddev, values.dtype)
            return values * stddev + mean

    def truncated_normal(
        self, shape, mean=0.0, stddev=1.0, dtype=tf.float32, name=None
    ):
        """Normal numbers within two deviations."""
        with tf.name_scope(name or "truncated_normal"):
            values = ops.StatelessTruncatedNormalV2(
                **self._draw(shape), dtype=dtype
            )
            mean, stddev = _random._moments(mean, stddev, values.dtype)
            return values * stddev + mean

    def make_seeds(self, count=1):
        """Seeds [2, count] for stateless random ops."""
        keys = self.uniform_full_int([count], dtype=tf.int64)
        return tf.stack([keys, tf.zeros_like(keys)])

    def split(self, count=1):
        """`count` generators that are independent of this one."""
        keys = self.uniform_full_int([count], dtype=tf.int64)
        return [
            Generator.from_key_counter(key, [0, 0], self._alg)
            for key in tf.unstack(keys, num=count)
        ]


_global: Generator | None = None


def get_global_generator():
    """The generator that is shared by the whole program."""
    global _global
    if _global is None:
        with tf.init_scope():
            _global = Generator.from_non_deterministic_state()
    return _global


def set_global_generator(generator):
    """Replaces the global generator."""
    global _global
    _global = generator
