"""tf.random: stateful, stateless and from generators, with TensorFlow's
numbers for the same seeds."""

import operator

import graphkiln as tf
from graphkiln import raw_ops as ops
from graphkiln._random_seed import op_seeds
from graphkiln._random_seed import set_seed

__all__ = ["set_seed"]

_PHILOX = 1
_INTEGERS = (tf.int32, tf.int64, tf.uint32, tf.uint64)
_FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)


def _shape(shape: object) -> tf.Tensor:
    if isinstance(shape, int):
        raise ValueError(
            f"`shape` must be a list, tuple or tensor of rank 1, got {shape}"
        )
    if isinstance(shape, (list, tuple)) and not shape:
        return tf.constant([], tf.int32)
    return tf.convert_to_tensor(shape, dtype_hint=tf.int32, name="shape")


def _float_dtype(dtype: object, what: str) -> tf.DType:
    dtype = tf.as_dtype(dtype)
    if dtype not in _FLOATS:
        raise ValueError(
            f"Argument `dtype` of {what} must be a floating type, got "
            f"{dtype.name}"
        )
    return dtype


def _check_uniform(dtype: object, minval: object, maxval: object):
    dtype = tf.as_dtype(dtype)
    if dtype not in _INTEGERS + _FLOATS:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype!r}. Accepted dtypes "
            f"are {[t.name for t in _INTEGERS + _FLOATS]}."
        )
    if dtype in _INTEGERS and maxval is None:
        raise ValueError(
            "Must specify maxval for integer dtype "
            f"{dtype!r}. Got maxval={maxval}."
        )
    return dtype, 1 if maxval is None else maxval


def _limits(low: object, high: object, dtype: tf.DType) -> tuple:
    return (
        tf.convert_to_tensor(low, dtype=dtype, name="min"),
        tf.convert_to_tensor(high, dtype=dtype, name="max"),
    )


def _moments(mean: object, stddev: object, dtype: tf.DType) -> tuple:
    return (
        tf.convert_to_tensor(mean, dtype=dtype, name="mean"),
        tf.convert_to_tensor(stddev, dtype=dtype, name="stddev"),
    )


def uniform(
    shape, minval=0, maxval=None, dtype=tf.float32, seed=None, name=None
):
    """Uniform numbers in [minval, maxval).

    Args:
      shape: of the result: ints or an integer tensor.
      minval, maxval: limits, broadcast to `shape`; integers need `maxval`.
      dtype: floating, int32 or int64.
      seed: of this op; see `tf.random.set_seed`.
      name: of the scope.

    Raises ValueError for another dtype or a missing `maxval`.

    >>> tf.random.uniform([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype, maxval = _check_uniform(dtype, minval, maxval)
    with tf.name_scope(name or "random_uniform") as scope:
        shape = _shape(shape)
        seed1, seed2 = op_seeds(seed)
        if dtype in _INTEGERS:
            return ops.RandomUniformInt(
                shape=shape,
                minval=tf.convert_to_tensor(minval, dtype, name="min"),
                maxval=tf.convert_to_tensor(maxval, dtype, name="max"),
                seed=seed1,
                seed2=seed2,
                name=scope or None,
            )
        if _is_number(minval, 0) and _is_number(maxval, 1):
            return ops.RandomUniform(
                shape=shape, dtype=dtype, seed=seed1, seed2=seed2
            )
        low, high = _limits(minval, maxval, dtype)
        values = ops.RandomUniform(
            shape=shape, dtype=dtype, seed=seed1, seed2=seed2
        )
        return tf.add(values * (high - low), low, name=scope or None)


def _is_number(value: object, number: int) -> bool:
    return isinstance(value, (int, float)) and value == number


def normal(
    shape, mean=0.0, stddev=1.0, dtype=tf.float32, seed=None, name=None
):
    """Normally distributed numbers of the given mean and deviation.

    >>> tf.random.normal([4]).shape
    TensorShape([4])
    """
    dtype = _float_dtype(dtype, "random.normal")
    with tf.name_scope(name or "random_normal") as scope:
        shape = _shape(shape)
        mean, stddev = _moments(mean, stddev, dtype)
        seed1, seed2 = op_seeds(seed)
        values = ops.RandomStandardNormal(
            shape=shape, dtype=dtype, seed=seed1, seed2=seed2
        )
        return tf.add(values * stddev, mean, name=scope or None)


def truncated_normal(
    shape, mean=0.0, stddev=1.0, dtype=tf.float32, seed=None, name=None
):
    """Normal numbers; those beyond two deviations are drawn again.

    >>> bool(abs(tf.random.truncated_normal([])) <= 2)
    True
    """
    dtype = _float_dtype(dtype, "random.truncated_normal")
    with tf.name_scope(name or "truncated_normal") as scope:
        shape = _shape(shape)
        mean, stddev = _moments(mean, stddev, dtype)
        seed1, seed2 = op_seeds(seed)
        values = ops.TruncatedNormal(
            shape=shape, dtype=dtype, seed=seed1, seed2=seed2
        )
        return tf.add(values * stddev, mean, name=scope or None)


def shuffle(value, seed=None, name=None):
    """The slices along the first dimension in random order.

    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    seed1, seed2 = op_seeds(seed)
    return ops.RandomShuffle(
        value=tf.convert_to_tensor(value), seed=seed1, seed2=seed2, name=name
    )


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Class numbers drawn from unnormalised log probabilities.

    Args:
      logits: [batch, classes].
      num_samples: how many for each row.
      dtype: int64 unless given.

    >>> tf.random.categorical([[0., -1e9]], 3).numpy().tolist()
    [[0, 0, 0]]
    """
    with tf.name_scope(name or "categorical"):
        seed1, seed2 = op_seeds(seed)
        return ops.Multinomial(
            logits=tf.convert_to_tensor(logits),
            num_samples=num_samples,
            seed=seed1,
            seed2=seed2,
            output_dtype=tf.int64 if dtype is None else dtype,
        )


def gamma(shape, alpha, beta=None, dtype=tf.float32, seed=None, name=None):
    """Gamma distributed numbers, of shape `shape` + that of alpha / beta.

    >>> tf.random.gamma([2], [1., 2.]).shape
    TensorShape([2, 2])
    """
    dtype = _float_dtype(dtype, "random.gamma")
    with tf.name_scope(name or "random_gamma"):
        alpha = tf.convert_to_tensor(alpha, dtype=dtype, name="alpha")
        beta = tf.convert_to_tensor(
            1 if beta is None else beta, dtype=dtype, name="beta"
        )
        alpha, beta = alpha + tf.zeros_like(beta), beta + tf.zeros_like(alpha)
        seed1, seed2 = op_seeds(seed)
        values = ops.RandomGamma(
            shape=_shape(shape), alpha=alpha, seed=seed1, seed2=seed2
        )
        return tf.maximum(
            tf.constant(dtype.as_numpy_dtype(_TINY[dtype]), dtype),
            values / beta,
        )


_TINY = {
    tf.float16: 6.104e-05,
    tf.bfloat16: 1.1754944e-38,
    tf.float32: 1.1754944e-38,
    tf.float64: 2.2250738585072014e-308,
}


def poisson(shape, lam, dtype=tf.float32, seed=None, name=None):
    """Poisson distributed numbers, of shape `shape` + that of `lam`.

    >>> tf.random.poisson([3], 0.).numpy().tolist()
    [0.0, 0.0, 0.0]
    """
    with tf.name_scope(name or "random_poisson"):
        seed1, seed2 = op_seeds(seed)
        return ops.RandomPoissonV2(
            shape=_shape(shape),
            rate=tf.convert_to_tensor(lam, name="lam"),
            dtype=dtype,
            seed=seed1,
            seed2=seed2,
        )


def _seed_pair(seed: object) -> tf.Tensor:
    return tf.convert_to_tensor(seed, dtype_hint=tf.int32, name="seed")


_ALGORITHMS = {"philox": 1, "threefry": 2, "auto_select": 3}


def _algorithm(alg: object) -> int:
    value = getattr(alg, "value", alg)
    if isinstance(value, tf.Tensor):
        return value  # the op's own check
    if isinstance(value, str):
        value = _ALGORITHMS.get(value.lower(), value)
    if isinstance(value, str) or (
        hasattr(value, "__index__") and operator.index(value) not in (1, 2, 3)
    ):
        raise ValueError(
            f"Argument `alg` got unsupported value {alg!r}. Supported values "
            "are 1 or 'philox' for the Philox algorithm, 2 or 'threefry' for "
            "the ThreeFry algorithm, and 3 or 'auto_select' for a choice by "
            "the device."
        )
    if not hasattr(value, "__index__"):
        raise TypeError(
            f"Can't convert argument `alg` (of value {alg} and type "
            f"{type(alg)}) to int."
        )
    return 2 if operator.index(value) == 2 else _PHILOX


def _key_and_counter(seed: object):
    if not isinstance(seed, tf.Tensor):
        # TensorFlow's name of that constant is inside the op's scope.
        with tf.name_scope("StatelessRandomGetKeyCounter") as scope:
            pair = ops.StatelessRandomGetKeyCounter(
                seed=_seed_pair(seed), name=scope or None
            )
    else:
        pair = ops.StatelessRandomGetKeyCounter(seed=seed)
    return pair.key, pair.counter


def stateless_uniform(
    shape,
    seed,
    minval=0,
    maxval=None,
    dtype=tf.float32,
    name=None,
    alg="auto_select",
):
    """Uniform numbers in [minval, maxval), a function of `seed` alone.

    Args:
      seed: two integers.
      minval, maxval: both None for integers: the whole range.

    >>> tf.random.stateless_uniform([], seed=[1, 2]).numpy().item() < 1
    True
    """
    dtype = tf.as_dtype(dtype)
    full_range = dtype in _INTEGERS and minval is None and maxval is None
    if not full_range:
        dtype, maxval = _check_uniform(dtype, minval, maxval)
    with tf.name_scope(name or "stateless_random_uniform") as scope:
        shape = _shape(shape)
        alg = _algorithm(alg)
        if not full_range:
            low, high = _limits(minval, maxval, dtype)
        key, counter = _key_and_counter(seed)
        given = dict(shape=shape, key=key, counter=counter, alg=alg)
        if full_range:
            return ops.StatelessRandomUniformFullIntV2(
                **given, dtype=dtype, name=scope or None
            )
        if dtype in _INTEGERS:
            return ops.StatelessRandomUniformIntV2(
                **given, minval=low, maxval=high, name=scope or None
            )
        values = ops.StatelessRandomUniformV2(**given, dtype=dtype)
        return tf.add(values * (high - low), low, name=scope or None)


def stateless_normal(
    shape,
    seed,
    mean=0.0,
    stddev=1.0,
    dtype=tf.float32,
    name=None,
    alg="auto_select",
):
    """Normal numbers, a function of `seed` alone.

    >>> tf.random.stateless_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    dtype = _float_dtype(dtype, "random.stateless_normal")
    with tf.name_scope(name or "stateless_random_normal") as scope:
        shape = _shape(shape)
        mean, stddev = _moments(mean, stddev, dtype)
        key, counter = _key_and_counter(seed)
        values = ops.StatelessRandomNormalV2(
            shape=shape,
            key=key,
            counter=counter,
            alg=_algorithm(alg),
            dtype=dtype,
        )
        return tf.add(values * stddev, mean, name=scope or None)


def stateless_truncated_normal(
    shape,
    seed,
    mean=0.0,
    stddev=1.0,
    dtype=tf.float32,
    name=None,
    alg="auto_select",
):
    """Truncated normal numbers, a function of `seed` alone.

    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    dtype = _float_dtype(dtype, "random.stateless_truncated_normal")
    with tf.name_scope(name or "stateless_truncated_normal") as scope:
        shape = _shape(shape)
        mean, stddev = _moments(mean, stddev, dtype)
        key, counter = _key_and_counter(seed)
        values = ops.StatelessTruncatedNormalV2(
            shape=shape,
            key=key,
            counter=counter,
            alg=_algorithm(alg),
            dtype=dtype,
        )
        return tf.add(values * stddev, mean, name=scope or None)


def stateless_categorical(
    logits, num_samples, seed, dtype=tf.int64, name=None
):
    """Class numbers of unnormalised log probabilities, by `seed` alone.

    >>> tf.random.stateless_categorical([[0., -1e9]], 2, [1, 2]).shape
    TensorShape([1, 2])
    """
    with tf.name_scope(name or "stateless_categorical"):
        return ops.StatelessMultinomial(
            logits=tf.convert_to_tensor(logits),
            num_samples=num_samples,
            seed=_seed_pair(seed),
            output_dtype=dtype,
        )


def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """The slices along the first dimension in an order given by `seed`.

    >>> tf.random.experimental.stateless_shuffle([0, 1, 2, 3, 4, 5],
    ...     seed=[1, 2]).numpy().tolist()
    [4, 5, 0, 3, 1, 2]
    """
    with tf.name_scope(name or "stateless_shuffle"):
        key, counter = _key_and_counter(seed)
        return ops.StatelessShuffle(
            value=tf.convert_to_tensor(value),
            key=key,
            counter=counter,
            alg=_algorithm(alg),
        )


def split(seed, num=2, alg="auto_select"):
    """`num` new seeds [num, 2] of one.

    >>> tf.random.split([1, 2], 2).numpy().tolist()
    [[1105988140, 1738052849], [-335576002, 370444179]]
    """
    seed = _seed_pair(seed)
    return stateless_uniform(
        shape=[num, 2],
        seed=seed,
        dtype=seed.dtype,
        minval=None,
        maxval=None,
        alg=alg,
    )


def fold_in(seed, data, alg="auto_select"):
    """A new seed of a seed and a number.

    >>> tf.random.fold_in([1, 2], 3).numpy().tolist()
    [1105988140, 3]
    """
    data = tf.convert_to_tensor(data)
    first = stateless_uniform(
        shape=[],
        seed=_seed_pair(seed),
        dtype=data.dtype,
        minval=None,
        maxval=None,
        alg=alg,
    )
    return tf.stack([first, data])
