"""The initializers that need no Keras: tf.compat.v1.*_initializer and the
`random_*`, `zeros` and `ones` classes of the main name space."""

import random

from graphkiln import _graphkiln
from graphkiln._graphkiln import TensorShape
from graphkiln._src import ops
from graphkiln._src.types import dtypes


class Initializer:
    """Makes the first value of a variable: call it with a shape."""

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        raise NotImplementedError

    def get_config(self) -> dict:
        """What `from_config` needs to make an equal one."""
        return {
            name.lstrip("_"): value
            for name, value in vars(self).items()
            if not name.startswith("__")
        }

    @classmethod
    def from_config(cls, config):
        """An initializer of a configuration."""
        config = dict(config)
        config.pop("dtype", None)
        return cls(**config)


class Zeros(Initializer):
    """Zeros.

    >>> tf.zeros_initializer()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return ops.zeros(shape, dtype)


class Ones(Initializer):
    """Ones.

    >>> tf.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return ops.ones(shape, dtype)


class Constant(Initializer):
    """A constant.

    >>> tf.constant_initializer(3.)([2]).numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(self, value=0, support_partition=False):
        self.value = value

    def __call__(self, shape, dtype=None, **kwargs):
        value = _graphkiln.convert_to_tensor(self.value, dtype)
        if value.shape.rank:
            return ops.reshape(value, shape)
        return ops.fill(shape, value)


class _Random(Initializer):
    """Random numbers. Each call gives the same ones for a shape."""

    def __init__(self, seed=None):
        self.seed = seed
        self._chosen = random.randint(1, 10**9) if seed is None else seed

    def get_config(self) -> dict:
        return {
            name: value for name, value in vars(self).items()
            if not name.startswith("_")
        }

    def _draw(self, kind, shape, a, b, dtype):
        """Numbers of a stateless op with the two parameters of its kind."""
        dtype = _graphkiln.as_dtype(dtype or dtypes.float32)
        if kind == "uniform":
            # Python's numbers become float32 first, as in Keras.
            a, b = (
                ops.cast(_graphkiln.constant(n, dtypes.float32), dtype)
                for n in (a, b)
            )
        seed = [int(self._chosen) % (2**31 - 2), 0]
        return _STATELESS[kind](shape, seed, a, b, dtype)


class _RandomOfVersion2(_Random):
    """Random numbers; without a seed each call gives others."""

    def _draw(self, kind, shape, a, b, dtype):
        dtype = dtype or dtypes.float32
        if self.seed is None:
            return _STATEFUL[kind](shape, a, b, dtype)
        return _STATELESS[kind](shape, [self.seed, 0], a, b, dtype)


class _RandomOfVersion1(_Random):
    """Random numbers of a stateful op: each call gives others."""

    def _draw(self, kind, shape, a, b, dtype):
        dtype = dtype or dtypes.float32
        return _STATEFUL[kind](shape, a, b, dtype, seed=self.seed)


_STATELESS = {
    "uniform": ops.random.stateless_uniform,
    "untruncated_normal": ops.random.stateless_normal,
    "truncated_normal": ops.random.stateless_truncated_normal,
}
_STATEFUL = {
    "uniform": ops.random.uniform,
    "untruncated_normal": ops.random.normal,
    "truncated_normal": ops.random.truncated_normal,
}


class RandomUniform(_Random):
    """Uniform numbers.

    Args:
      minval: the least number.
      maxval: what all numbers are less than.
      seed: determines the numbers.

    >>> a = tf.initializers.RandomUniform(seed=1)
    >>> bool(tf.reduce_all(a([2, 3]) == a([2, 3])))
    True
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape, dtype=None, **kwargs):
        return self._draw("uniform", shape, self.minval, self.maxval, dtype)


class RandomNormal(_Random):
    """Normal numbers.

    Args:
      mean: of the numbers.
      stddev: their deviation.
      seed: determines the numbers.

    >>> tf.initializers.RandomNormal(seed=1)([2]).shape
    TensorShape([2])
    """

    _kind = "untruncated_normal"

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape, dtype=None, **kwargs):
        return self._draw(self._kind, shape, self.mean, self.stddev, dtype)


class TruncatedNormal(RandomNormal):
    """Normal numbers within two deviations.

    >>> tf.initializers.TruncatedNormal(seed=1)([2]).shape
    TensorShape([2])
    """

    _kind = "truncated_normal"


class VarianceScaling(_Random):
    """Random numbers whose variance follows from the shape of weights.

    Args:
      scale: of the variance.
      mode: "fan_in", "fan_out" or "fan_avg": what it is divided by.
      distribution: "truncated_normal", "untruncated_normal" or "uniform".
      seed: determines the numbers.

    >>> tf.initializers.VarianceScaling(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        scale=1.0,
        mode="fan_in",
        distribution="truncated_normal",
        seed=None,
    ):
        super().__init__(seed)
        _graphkiln.scaled_variance(scale, mode, distribution, [])
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def __call__(self, shape, dtype=None, **kwargs):
        dims = TensorShape(shape).as_list()
        drawn = _graphkiln.scaled_variance(
            self.scale, self.mode, self.distribution, dims
        )
        return self._draw(drawn[0], shape, *drawn[1:], dtype)


class _Named(VarianceScaling):
    """One of a scale, mode and distribution of its own."""

    _own: tuple[float, str, str]

    def __init__(self, seed=None):
        super().__init__(*self._own, seed)

    def get_config(self) -> dict:
        return {"seed": self.seed, "input_axes": None, "output_axes": None}


class GlorotUniform(_Named):
    """Uniform numbers within sqrt(6 / (fan_in + fan_out)).

    >>> tf.initializers.GlorotUniform(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _own = 1.0, "fan_avg", "uniform"


class GlorotNormal(_Named):
    """Truncated normal numbers of variance 2 / (fan_in + fan_out).

    >>> tf.initializers.GlorotNormal(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _own = 1.0, "fan_avg", "truncated_normal"


class HeUniform(_Named):
    """Uniform numbers within sqrt(6 / fan_in).

    >>> tf.initializers.HeUniform(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _own = 2.0, "fan_in", "uniform"


class HeNormal(_Named):
    """Truncated normal numbers of variance 2 / fan_in.

    >>> tf.initializers.HeNormal(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _own = 2.0, "fan_in", "truncated_normal"


class LecunUniform(_Named):
    """Uniform numbers within sqrt(3 / fan_in).

    >>> tf.initializers.LecunUniform(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _own = 1.0, "fan_in", "uniform"


class LecunNormal(_Named):
    """Truncated normal numbers of variance 1 / fan_in.

    >>> tf.initializers.LecunNormal(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _own = 1.0, "fan_in", "truncated_normal"


class RandomUniformOfVersion2(_RandomOfVersion2, RandomUniform):
    """Uniform numbers.

    Args:
      minval: the least number.
      maxval: what all numbers are less than.
      seed: determines the numbers; without one each call gives others.

    >>> tf.random_uniform_initializer(seed=1)([2]).shape
    TensorShape([2])
    """


class RandomNormalOfVersion2(_RandomOfVersion2, RandomNormal):
    """Normal numbers.

    Args:
      mean: of the numbers.
      stddev: their deviation.
      seed: determines the numbers; without one each call gives others.

    >>> tf.random_normal_initializer(seed=1)([2]).shape
    TensorShape([2])
    """


class TruncatedNormalOfVersion1(_RandomOfVersion1, TruncatedNormal):
    """Normal numbers within two deviations, others in each call.

    >>> tf.compat.v1.truncated_normal_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(mean, stddev, seed)


class VarianceScalingOfVersion1(_RandomOfVersion1, VarianceScaling):
    """Random numbers whose variance follows from the shape of weights, others
    in each call.

    >>> tf.compat.v1.variance_scaling_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        scale=1.0,
        mode="fan_in",
        distribution="truncated_normal",
        seed=None,
        dtype=dtypes.float32,
    ):
        super().__init__(scale, mode, distribution, seed)


class GlorotUniformOfVersion1(_RandomOfVersion1, GlorotUniform):
    """Uniform numbers within sqrt(6 / (fan_in + fan_out)), others in each
    call.

    >>> tf.compat.v1.glorot_uniform_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(seed)


class GlorotNormalOfVersion1(_RandomOfVersion1, GlorotNormal):
    """Truncated normal numbers of variance 2 / (fan_in + fan_out), others in
    each call.

    >>> tf.compat.v1.glorot_normal_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(seed)


def to_float(x, name="ToFloat"):
    """`x` as float32.

    >>> tf.compat.v1.to_float([1]).numpy().tolist()
    [1.0]
    """
    return ops.cast(x, dtypes.float32, name=name)


def to_double(x, name="ToDouble"):
    """`x` as float64.

    >>> tf.compat.v1.to_double([1, 2]).dtype
    tf.float64
    """
    return ops.cast(x, dtypes.float64, name=name)


def to_int32(x, name="ToInt32"):
    """`x` as int32.

    >>> tf.compat.v1.to_int32([1.5]).numpy().tolist()
    [1]
    """
    return ops.cast(x, dtypes.int32, name=name)


def to_int64(x, name="ToInt64"):
    """`x` as int64.

    >>> tf.compat.v1.to_int64([1.5]).numpy().tolist()
    [1]
    """
    return ops.cast(x, dtypes.int64, name=name)
