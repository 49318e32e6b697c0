"""tf.nn.experimental.general_dropout: dropout of numbers that the program
draws."""

import numbers

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types.dispatched import dispatched


@dispatched
def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """Sets a part of the elements to 0 and scales up the others.

    Args:
      x: a floating tensor.
      rate: the part, in [0, 1): a number or a scalar tensor.
      uniform_sampler: called with `shape` and `dtype`, gives uniform numbers of
        [0, 1).
      noise_shape: of these numbers, broadcast to the shape of `x`; None in it
        stands for the dimension of `x`.
      name: of the scope.

    >>> def sampler(shape, dtype):
    ...     return tf.constant([0.2, 0.8], dtype)
    >>> tf.nn.experimental.general_dropout(
    ...     [1.0, 1.0], 0.5, sampler).numpy().tolist()
    [0.0, 2.0]
    """
    known = isinstance(rate, numbers.Real)
    if known and not 0 <= rate < 1:
        raise ValueError(
            "`rate` must be a scalar tensor or a float in the range [0, 1). "
            f"Received: rate={rate}"
        )
    if not known and not _graphkiln.is_tensor(rate):
        raise ValueError(
            f"`rate` must be a scalar or scalar tensor. Received: rate={rate}"
        )
    with _graphkiln.name_scope(name or "general_dropout"):
        x = _graphkiln.convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "`x.dtype` must be a floating point tensor as `x` will be "
                f"scaled. Received: x_dtype={x.dtype}"
            )
        if known and rate == 0:
            return x
        if known:
            scaled = x * ops.cast(1 / (1 - rate), x.dtype)
            rate = ops.cast(rate, x.dtype)
        else:
            if rate.shape.rank not in (None, 0):
                raise ValueError(f"Shape {rate.shape} must have rank 0")
            if rate.dtype != x.dtype:
                raise ValueError(
                    "`x.dtype` must be compatible with `rate.dtype`. Received: "
                    f"x.dtype={x.dtype} and rate.dtype={rate.dtype}"
                )
            scaled = x / (ops.cast(1, x.dtype) - rate)
        drawn = uniform_sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
        zero = ops.cast(0, x.dtype)
        result = ops.where(drawn >= rate, scaled, zero)
        return ops.ensure_shape(result, x.shape)


def _noise_shape(x, noise_shape):
    if noise_shape is None:
        return ops.shape(x)
    if _graphkiln.is_tensor(noise_shape):
        return noise_shape
    dims = list(noise_shape)
    if x.shape.rank == len(dims):
        sizes = ops.shape(x)
        known = x.shape.as_list()
        for i, dim in enumerate(dims):
            if dim is None:
                dims[i] = sizes[i] if known[i] is None else known[i]
    return _graphkiln.convert_to_tensor(dims, dtype="int32")
