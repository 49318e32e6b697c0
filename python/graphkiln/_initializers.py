"""The initializers that need no Keras: tf.compat.v1.*_initializer and the
`random_*`, `zeros` and `ones` classes of the main name space."""

import math

import graphkiln as tf
from graphkiln import _random


class Initializer:
    """Makes the first value of a variable: call it with a shape."""

    def __call__(self, shape, dtype=tf.float32, **kwargs):
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

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        return tf.zeros(shape, dtype)


class Ones(Initializer):
    """Ones.

    >>> tf.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        return tf.ones(shape, dtype)


class Constant(Initializer):
    """A constant.

    >>> tf.constant_initializer(3.)([2]).numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(self, value=0, support_partition=False):
        self.value = value

    def __call__(self, shape, dtype=None, **kwargs):
        value = tf.convert_to_tensor(self.value, dtype)
        if value.shape.rank:
            return tf.reshape(value, shape)
        return tf.fill(shape, value)


class RandomUniform(Initializer):
    """Uniform numbers."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        return _random.uniform(
            shape, self.minval, self.maxval, dtype, seed=self.seed
        )


class RandomNormal(Initializer):
    """Normal numbers."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        return _random.normal(
            shape, self.mean, self.stddev, dtype, seed=self.seed
        )


class TruncatedNormal(RandomNormal):
    """Normal numbers within two deviations."""

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        return _random.truncated_normal(
            shape, self.mean, self.stddev, dtype, seed=self.seed
        )


def _fans(shape) -> tuple[float, float]:
    shape = tf.TensorShape(shape).as_list()
    if not shape:
        return 1.0, 1.0
    if len(shape) == 1:
        return float(shape[0]), float(shape[0])
    field = math.prod(shape[:-2])
    return float(shape[-2] * field), float(shape[-1] * field)


class VarianceScaling(Initializer):
    """Random numbers whose variance follows from the shape of weights.

    Args:
      scale: of the variance.
      mode: "fan_in", "fan_out" or "fan_avg": what it is divided by.
      distribution: "truncated_normal", "untruncated_normal" or "uniform".
      seed: of the numbers.
    """

    def __init__(
        self,
        scale=1.0,
        mode="fan_in",
        distribution="truncated_normal",
        seed=None,
    ):
        if scale <= 0:
            raise ValueError(f"`scale` must be a positive number, got {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}")
        names = ("normal", "truncated_normal", "untruncated_normal", "uniform")
        if distribution not in names:
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale, self.mode, self.seed = scale, mode, seed
        self.distribution = distribution

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        fan_in, fan_out = _fans(shape)
        fan = {
            "fan_in": fan_in,
            "fan_out": fan_out,
            "fan_avg": (fan_in + fan_out) / 2,
        }[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return _random.uniform(
                shape, -limit, limit, dtype, seed=self.seed
            )
        if self.distribution == "untruncated_normal":
            return _random.normal(
                shape, 0.0, math.sqrt(scale), dtype, seed=self.seed
            )
        # The deviation of a normal distribution cut at two deviations.
        stddev = math.sqrt(scale) / 0.87962566103423978
        return _random.truncated_normal(
            shape, 0.0, stddev, dtype, seed=self.seed
        )


class GlorotUniform(VarianceScaling):
    """Uniform numbers within sqrt(6 / (fan_in + fan_out))."""

    def __init__(self, seed=None, dtype=tf.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(VarianceScaling):
    """Truncated normal numbers of variance 2 / (fan_in + fan_out)."""

    def __init__(self, seed=None, dtype=tf.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


def to_float(x, name="ToFloat"):
    """`x` as float32.

    >>> tf.compat.v1.to_float([1]).numpy().tolist()
    [1.0]
    """
    return tf.cast(x, tf.float32, name=name)


def to_double(x, name="ToDouble"):
    """`x` as float64."""
    return tf.cast(x, tf.float64, name=name)


def to_int32(x, name="ToInt32"):
    """`x` as int32."""
    return tf.cast(x, tf.int32, name=name)


def to_int64(x, name="ToInt64"):
    """`x` as int64."""
    return tf.cast(x, tf.int64, name=name)
