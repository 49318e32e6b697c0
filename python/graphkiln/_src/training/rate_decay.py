"""tf.compat.v1.train: learning rates that change with the step.

In graphs these are tensors, eagerly functions that give what holds now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._src import ops


def _made(compute: Callable) -> Any:
    return compute if _graphkiln.executing_eagerly() else compute()


def _decayed(
    what: str,
    rate: Any,
    global_step: Any,
    steps: Any,
    name: str | None,
    compute: Callable,
) -> Any:
    """The rate that `compute` gives of a rate, a step and a number of steps, all of
    the rate's dtype."""

    def value() -> Any:
        if global_step is None:
            raise ValueError(f"global_step is required for {what}.")
        with _graphkiln.name_scope(name or _SCOPES[what]):
            start = _graphkiln.convert_to_tensor(rate, name="learning_rate")
            step = ops.cast(global_step, start.dtype)
            return compute(start, step, ops.cast(steps, start.dtype))

    return _made(value)


_SCOPES = {
    "exponential_decay": "ExponentialDecay",
    "polynomial_decay": "PolynomialDecay",
    "natural_exp_decay": "ExponentialDecay",
    "inverse_time_decay": "InverseTimeDecay",
    "cosine decay": "CosineDecay",
    "cosine decay restarts": "SGDRDecay",
    "linear cosine decay": "LinearCosineDecay",
    "noisy linear cosine decay": "NoisyLinearCosineDecay",
}


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: in how many it decays once.
      decay_rate: by how much.
      staircase: does it decay at once, not step by step?
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.exponential_decay(1.0, 10, 10, 0.5)
    ...     session.run(rate).item()
    0.5
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        times = ops.floor(step / steps) if staircase else step / steps
        return ops.multiply(start, ops.pow(ops.cast(decay_rate, start.dtype), times))

    return _decayed(
        "exponential_decay", learning_rate, global_step, decay_steps, name, compute
    )


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: in how many it decays once.
      decay_rate: by how much.
      staircase: does it decay at once, not step by step?
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.natural_exp_decay(1.0, 10, 10, 0.0)
    ...     session.run(rate).item()
    1.0
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        times = ops.floor(step / steps) if staircase else step / steps
        once = ops.exp(ops.negative(ops.cast(decay_rate, start.dtype)))
        return ops.multiply(start, ops.pow(once, times))

    return _decayed(
        "natural_exp_decay", learning_rate, global_step, decay_steps, name, compute
    )


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: in how many it decays once.
      decay_rate: by how much.
      staircase: does it decay at once, not step by step?
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.inverse_time_decay(1.0, 10, 10, 1.0)
    ...     session.run(rate).item()
    0.5
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        times = ops.floor(step / steps) if staircase else step / steps
        return ops.divide(start, ops.cast(decay_rate, start.dtype) * times + 1.0)

    return _decayed(
        "inverse_time_decay", learning_rate, global_step, decay_steps, name, compute
    )


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """From one rate to another by a polynomial of the step.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: after how many the end is reached.
      end_learning_rate: at the end.
      power: of the polynomial.
      cycle: does it begin anew, with more steps, once the end is reached?
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.polynomial_decay(1.0, 5, 10, 0.0)
    ...     session.run(rate).item()
    0.5
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        end = ops.cast(end_learning_rate, start.dtype)
        if cycle:
            times = ops.where(ops.equal(step, 0), 1.0, ops.math.ceil(step / steps))
            steps = steps * ops.cast(times, start.dtype)
        else:
            step = ops.minimum(step, steps)
        left = ops.pow(1.0 - step / steps, ops.cast(power, start.dtype))
        return ops.add((start - end) * left, end)

    return _decayed(
        "polynomial_decay", learning_rate, global_step, decay_steps, name, compute
    )


def _wave(fraction: Any) -> Any:
    """From 1 at 0 to 0 at 1, along a cosine."""
    return 0.5 * (1.0 + ops.cos(ops.cast(math.pi, fraction.dtype) * fraction))


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """To a part of the rate along a cosine.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: after how many the end is reached.
      alpha: the part that is left at the end.
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.cosine_decay(1.0, 10, 10, 0.25)
    ...     session.run(rate).item()
    0.25
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        part = (1 - alpha) * _wave(ops.minimum(step, steps) / steps) + alpha
        return ops.multiply(start, part)

    return _decayed(
        "cosine decay", learning_rate, global_step, decay_steps, name, compute
    )


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Along a cosine again and again, each time with more steps.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      first_decay_steps: how many steps the first time takes.
      t_mul: by how much longer the next one is.
      m_mul: by how much the next one's first rate is multiplied.
      alpha: the part that is left at the end of each.
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.cosine_decay_restarts(1.0, 10, 10)
    ...     session.run(rate).item()
    1.0
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        longer = ops.cast(t_mul, start.dtype)
        done = step / steps

        def growing() -> tuple:
            times = ops.floor(
                ops.math.log(1.0 - done * (1.0 - longer)) / ops.math.log(longer)
            )
            before = (1.0 - longer ** times) / (1.0 - longer)
            return times, (done - before) / longer ** times

        def equal() -> tuple:
            times = ops.floor(done)
            return times, done - times

        times, fraction = _graphkiln.cond(ops.equal(longer, 1.0), equal, growing)
        first = ops.cast(m_mul, start.dtype) ** times
        return ops.multiply(start, (1 - alpha) * first * _wave(fraction) + alpha)

    return _decayed(
        "cosine decay restarts", learning_rate, global_step, first_decay_steps, name,
        compute,
    )


def _linear_cosine(
    start: Any, step: Any, steps: Any, num_periods: float, alpha: Any, beta: Any,
    noise: Callable,
) -> Any:
    step = ops.minimum(step, steps)
    line = noise((steps - step) / steps, step)
    periods = ops.cast(2.0 * num_periods, start.dtype)
    wave = _wave(periods * (step / steps))
    alpha, beta = (ops.cast(x, start.dtype) for x in (alpha, beta))
    return ops.multiply(start, (alpha + line) * wave + beta)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    """Along a line and a cosine, multiplied.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: after how many the end is reached.
      num_periods: of the cosine.
      alpha: added to the line.
      beta: added to the product.
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.linear_cosine_decay(1.0, 10, 10, beta=0.5)
    ...     session.run(rate).item()
    0.5
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        return _linear_cosine(
            start, step, steps, num_periods, alpha, beta, lambda line, _: line
        )

    return _decayed(
        "linear cosine decay", learning_rate, global_step, decay_steps, name, compute
    )


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    """`linear_cosine_decay` with noise on the line.

    Args:
      learning_rate: at the beginning.
      global_step: which step it is.
      decay_steps: after how many the end is reached.
      initial_variance: of the noise at the beginning.
      variance_decay: how fast that becomes less.
      num_periods: of the cosine.
      alpha: added to the line.
      beta: added to the product.
      name: of the ops.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.noisy_linear_cosine_decay(
    ...         1.0, 10, 10, beta=0.5)
    ...     session.run(rate).item()
    0.5
    """

    def compute(start: Any, step: Any, steps: Any) -> Any:
        def noise(line: Any, step: Any) -> Any:
            first, fast = (
                ops.cast(x, start.dtype) for x in (initial_variance, variance_decay)
            )
            deviation = ops.sqrt(first / ops.pow(1.0 + step, fast))
            return line + ops.random.normal(
                line.shape, stddev=deviation, dtype=start.dtype
            )

        return _linear_cosine(start, step, steps, num_periods, alpha, beta, noise)

    return _decayed(
        "noisy linear cosine decay", learning_rate, global_step, decay_steps, name,
        compute,
    )


def piecewise_constant(
    x: Any, boundaries: Sequence, values: Sequence, name: str | None = None
) -> Any:
    """One value up to the first boundary, another up to the next, and so on.

    Args:
      x: a scalar, as the step.
      boundaries: of its dtype, in order; int32 ones are also those of an int64.
      values: one more than there are boundaries, of one dtype.
      name: of the ops.

    Raises:
      ValueError: for other lengths and dtypes.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.train.piecewise_constant(7, [5, 9], [1.0, 0.5, 0.1])
    ...     session.run(rate).item()
    0.5
    """
    flat_boundaries, flat_values = nest.flatten(boundaries), nest.flatten(values)
    if len(flat_boundaries) != len(flat_values) - 1:
        raise ValueError(
            "The length of boundaries should be 1 less than the length of values"
        )

    at = _graphkiln.convert_to_tensor(x)
    bounds = [_graphkiln.convert_to_tensor(b) for b in flat_boundaries]
    for bound in bounds:
        pair = bound.dtype.name, at.dtype.name
        if bound.dtype != at.dtype and pair != ("int32", "int64"):
            raise ValueError(
                f"Boundaries ({bound.dtype}) must have the same dtype as x ({at.dtype})."
            )
    parts = [_graphkiln.convert_to_tensor(v) for v in flat_values]
    for part in parts[1:]:
        if part.dtype != parts[0].dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({parts[0].dtype} vs {part.dtype})."
            )

    def compute() -> Any:
        with _graphkiln.name_scope(name or "PiecewiseConstant"):
            now = _graphkiln.convert_to_tensor(x)
            past = [now > ops.cast(bound, now.dtype) for bound in bounds]
            index = ops.reduce_sum(ops.cast(ops.stack(past), _graphkiln.int32))
            return ops.gather(ops.stack(parts), index)

    return _made(compute)
