"""Initializers of the first version: called with a shape alone, they give numbers
of a dtype that they were made with."""

from __future__ import annotations

import math
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src import ops


class _Initializer:
    """Makes the first value of a variable.

    `initializer(shape, dtype=None, partition_info=None)` gives a tensor of that
    shape, of `dtype` or the one the initializer was made with."""

    def __init__(self, dtype: Any, **config: Any) -> None:
        self.dtype = _graphkiln.as_dtype(dtype)
        self._config = config
        self._check_dtype()

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> _graphkiln.Tensor:
        """A tensor of this shape; a part of one of `partition_info.full_shape`, from
        `partition_info.var_offset` on, if that is given."""
        dtype = self.dtype if dtype is None else _graphkiln.as_dtype(dtype)
        if partition_info is None:
            return self._make(shape, dtype)
        return self._make_part(shape, dtype, partition_info)

    def get_config(self) -> dict[str, Any]:
        """What makes another one like it."""
        return {**self._config, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> _Initializer:
        """One that `get_config` describes."""
        return cls(**config)

    def _check_dtype(self) -> None:
        if not self.dtype.is_floating:
            raise ValueError(
                "Argument `dtype` is expected to be floating point. "
                f"Received: {self.dtype}."
            )

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        raise NotImplementedError

    def _make_part(
        self, shape: Any, dtype: _graphkiln.DType, part: Any
    ) -> _graphkiln.Tensor:
        return self._make(shape, dtype)


class _ScaledInitializer(_Initializer):
    """Makes what depends on the shape of the whole, also in a part of it."""

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        return self._draw(shape, dtype, shape)

    def _make_part(
        self, shape: Any, dtype: _graphkiln.DType, part: Any
    ) -> _graphkiln.Tensor:
        return self._draw(shape, dtype, part.full_shape)

    def _draw(
        self, shape: Any, dtype: _graphkiln.DType, whole: Any
    ) -> _graphkiln.Tensor:
        raise NotImplementedError


class constant_initializer(_Initializer):
    """Makes tensors of given values.

    Args:
      value: a number, or as many numbers as the tensors have elements.
      dtype: of the tensors.
      verify_shape: are other shapes than the value's refused?

    >>> tf.compat.v1.constant_initializer(3.0)([2]).numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(
        self, value: Any = 0, dtype: Any = _graphkiln.float32, verify_shape: bool = False
    ) -> None:
        super().__init__(dtype, value=value)
        self.value = value
        self._verify_shape = verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> _graphkiln.Tensor:
        """A tensor of this shape."""
        dtype = self.dtype if dtype is None else dtype
        verify = self._verify_shape if verify_shape is None else verify_shape
        if verify:
            given = _graphkiln.constant(self.value, dtype).shape
            if given != _graphkiln.TensorShape(shape):
                raise TypeError(
                    f"Expected Tensor's shape: {tuple(shape)}, got {tuple(given)}."
                )
        return _graphkiln.constant(self.value, dtype, shape)

    def _check_dtype(self) -> None:
        pass


class zeros_initializer(_Initializer):
    """Makes tensors of zeros.

    Args:
      dtype: of the tensors.

    >>> tf.compat.v1.zeros_initializer()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def __init__(self, dtype: Any = _graphkiln.float32) -> None:
        super().__init__(dtype)

    def _check_dtype(self) -> None:
        pass

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        return ops.zeros(shape, dtype)


class ones_initializer(zeros_initializer):
    """Makes tensors of ones.

    Args:
      dtype: of the tensors.

    >>> tf.compat.v1.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        return ops.ones(shape, dtype)


class random_normal_initializer(_Initializer):
    """Draws normally distributed numbers.

    Args:
      mean: of the numbers.
      stddev: of the numbers.
      seed: of the draws.
      dtype: of the tensors.

    >>> tf.compat.v1.random_normal_initializer(dtype=tf.float64)([2]).dtype.name
    'float64'
    """

    _draw = staticmethod(ops.random.normal)

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: Any = _graphkiln.float32,
    ) -> None:
        super().__init__(dtype, mean=mean, stddev=stddev, seed=seed)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        return self._draw(shape, self.mean, self.stddev, dtype, seed=self.seed)


class truncated_normal_initializer(random_normal_initializer):
    """Draws normally distributed numbers, none more than two standard deviations
    from the mean.

    Args:
      mean: of the numbers.
      stddev: of the numbers before they are cut off.
      seed: of the draws.
      dtype: of the tensors.

    >>> tf.compat.v1.truncated_normal_initializer()([2]).shape
    TensorShape([2])
    """

    _draw = staticmethod(ops.random.truncated_normal)


class random_uniform_initializer(_Initializer):
    """Draws evenly distributed numbers.

    Args:
      minval: the least.
      maxval: what they are below; 1 unless given, which integers must be.
      seed: of the draws.
      dtype: of the tensors.

    >>> tf.compat.v1.random_uniform_initializer()([2], tf.float32).shape
    TensorShape([2])
    """

    def __init__(
        self,
        minval: float = 0.0,
        maxval: float | None = None,
        seed: int | None = None,
        dtype: Any = _graphkiln.float32,
    ) -> None:
        super().__init__(dtype, minval=minval, maxval=maxval, seed=seed)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _check_dtype(self) -> None:
        pass

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        return ops.random.uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)


class uniform_unit_scaling_initializer(_ScaledInitializer):
    """Draws evenly distributed numbers that keep the scale of what a matrix is
    multiplied by (Sussillo and Abbott, "Random walks: training very deep nonlinear
    feed-forward networks with smart initialization", 2014).

    Args:
      factor: of the range.
      seed: of the draws.
      dtype: of the tensors.

    >>> tf.compat.v1.uniform_unit_scaling_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = _graphkiln.float32
    ) -> None:
        super().__init__(dtype, factor=factor, seed=seed)
        self.factor, self.seed = factor, seed

    def _draw(
        self, shape: Any, dtype: _graphkiln.DType, whole: Any
    ) -> _graphkiln.Tensor:
        size = max(1.0, float(math.prod(int(n) for n in list(whole)[:-1])))
        bound = math.sqrt(3 / size) * self.factor
        return ops.random.uniform(shape, -bound, bound, dtype, seed=self.seed)


class variance_scaling_initializer(_ScaledInitializer):
    """Draws numbers whose variance follows the shape of the weights.

    Args:
      scale: a positive factor of the variance.
      mode: "fan_in", "fan_out" or "fan_avg": the number of inputs, of outputs or
        the mean of both divides the variance.
      distribution: "uniform", "truncated_normal" (or "normal") or
        "untruncated_normal".
      seed: of the draws.
      dtype: of the tensors.

    >>> tf.compat.v1.variance_scaling_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = _graphkiln.float32,
    ) -> None:
        if scale <= 0:
            raise ValueError(
                f"Argument `scale` must be a positive float. Received: {scale}"
            )
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                f"Received: {mode}"
            )
        kinds = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if distribution.lower() not in kinds:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', "
                f"'truncated_normal', 'untruncated_normal'). Received: {distribution}"
            )
        super().__init__(
            dtype, scale=scale, mode=mode, distribution=distribution, seed=seed
        )
        self.scale, self.mode, self.seed = scale, mode, seed
        self.distribution = distribution.lower()

    def _draw(
        self, shape: Any, dtype: _graphkiln.DType, whole: Any
    ) -> _graphkiln.Tensor:
        fan_in, fan_out = _fans([int(n) for n in whole])
        fan = {"fan_in": fan_in, "fan_out": fan_out}.get(
            self.mode, (fan_in + fan_out) / 2
        )
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            bound = math.sqrt(3.0 * scale)
            return ops.random.uniform(shape, -bound, bound, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return ops.random.normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        # What is cut off at two standard deviations varies less.
        stddev = math.sqrt(scale) / 0.87962566103423978
        return ops.random.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)


def _fans(shape: list[int]) -> tuple[float, float]:
    if len(shape) < 2:
        n = shape[0] if shape else 1
        return n, n
    field = math.prod(shape[:-2])
    return field * shape[-2], field * shape[-1]


class glorot_uniform_initializer(variance_scaling_initializer):
    """Evenly distributed numbers (Glorot and Bengio, "Understanding the difficulty
    of training deep feedforward neural networks", 2010).

    Args:
      seed: of the draws.
      dtype: has no effect, as in TensorFlow; the numbers are float32 unless the
        call asks for others.

    >>> tf.compat.v1.glorot_uniform_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    _kind = (1.0, "fan_avg", "uniform")

    def __init__(self, seed: int | None = None, dtype: Any = _graphkiln.float32) -> None:
        super().__init__(*self._kind, seed=seed)

    def get_config(self) -> dict[str, Any]:
        """What makes another one like it."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(glorot_uniform_initializer):
    """Normally distributed numbers (Glorot and Bengio, 2010).

    Args:
      seed: of the draws.
      dtype: has no effect, as in TensorFlow; the numbers are float32 unless the
        call asks for others.

    >>> tf.compat.v1.glorot_normal_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    _kind = (1.0, "fan_avg", "truncated_normal")


def _scaled(scale: float, distribution: str, seed: int | None) -> _Initializer:
    return variance_scaling_initializer(scale, "fan_in", distribution, seed)


def he_normal(seed: int | None = None) -> Any:
    """Normally distributed numbers (He and others, "Delving deep into rectifiers",
    2015).

    Args:
      seed: of the draws.

    >>> tf.compat.v1.initializers.he_normal()([2, 3]).shape
    TensorShape([2, 3])
    """
    return _scaled(2.0, "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> Any:
    """Evenly distributed numbers (He and others, 2015).

    Args:
      seed: of the draws.

    >>> tf.compat.v1.initializers.he_uniform()([2, 3]).shape
    TensorShape([2, 3])
    """
    return _scaled(2.0, "uniform", seed)


def lecun_normal(seed: int | None = None) -> Any:
    """Normally distributed numbers (LeCun and others, "Efficient backprop", 1998).

    Args:
      seed: of the draws.

    >>> tf.compat.v1.initializers.lecun_normal()([2, 3]).shape
    TensorShape([2, 3])
    """
    return _scaled(1.0, "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> Any:
    """Evenly distributed numbers (LeCun and others, 1998).

    Args:
      seed: of the draws.

    >>> tf.compat.v1.initializers.lecun_uniform()([2, 3]).shape
    TensorShape([2, 3])
    """
    return _scaled(1.0, "uniform", seed)


class orthogonal_initializer(_Initializer):
    """Draws orthogonal matrices (Saxe and others, "Exact solutions to the nonlinear
    dynamics of learning in deep linear neural networks", 2014). Tensors of higher
    rank are matrices of as many columns as their last axis is long.

    Args:
      gain: a factor.
      seed: of the draws.
      dtype: of the tensors.

    >>> tf.compat.v1.orthogonal_initializer()([3, 2]).shape
    TensorShape([3, 2])
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = _graphkiln.float32
    ) -> None:
        super().__init__(dtype, gain=gain, seed=seed)
        self.gain, self.seed = gain, seed

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        shape = [int(n) for n in shape]
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at "
                f"least two-dimensional. Received shape={tuple(shape)}"
            )
        columns, rows = shape[-1], math.prod(shape[:-1])
        drawn = ops.random.normal(
            (columns, rows) if rows < columns else (rows, columns), 0.0, 1.0, dtype,
            seed=self.seed,
        )
        q, r = ops.linalg.qr(drawn, full_matrices=False)
        q *= ops.sign(ops.linalg.diag_part(r))  # as evenly as the draws
        if rows < columns:
            q = ops.linalg.matrix_transpose(q)
        return self.gain * ops.reshape(q, shape)


class identity_initializer(_Initializer):
    """Makes identity matrices.

    Args:
      gain: a factor.
      dtype: of the matrices.

    >>> tf.compat.v1.initializers.identity()([2, 2]).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, gain: float = 1.0, dtype: Any = _graphkiln.float32) -> None:
        super().__init__(dtype, gain=gain)
        self.gain = gain

    def _make(self, shape: Any, dtype: _graphkiln.DType) -> _graphkiln.Tensor:
        if len(shape) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at "
                f"least two-dimensional. Received shape={shape}"
            )
        return self.gain * ops.eye(int(shape[0]), int(shape[1]), dtype=dtype)

    def _make_part(
        self, shape: Any, dtype: _graphkiln.DType, part: Any
    ) -> _graphkiln.Tensor:
        whole = self._make(part.full_shape, dtype)
        return ops.slice(whole, part.var_offset, shape)
