"""Ops and parts of them that metrics and optimizers of Keras' second version use."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.version_one.kept_names import free_name, known_variables
from graphkiln.compat import v1


def is_resource_variable(var: object) -> bool:
    """Is this a variable whose value is read by ops? Every one is.

    >>> tf.__internal__.ops.is_resource_variable(tf.Variable(1))
    True
    """
    return isinstance(var, _graphkiln.BaseVariable) or hasattr(
        var, "_should_act_as_resource_variable"
    )


def broadcast_weights(weights: object, values: object) -> object:
    """`weights` as often as `values` has elements for each.

    Args:
      weights: a tensor of the rank of `values`, whose sizes are those of `values` or
        1, or a scalar.
      values: a tensor.

    Returns:
      A tensor of the shape of `values`.

    Raises:
      ValueError: the shapes, as far as they are known, are others.
      InvalidArgumentError: they are others when it runs.

    >>> tf.__internal__.ops.broadcast_weights([[2.0]], tf.zeros([1, 3])).numpy()
    array([[2., 2., 2.]], dtype=float32)
    """
    with _graphkiln.name_scope("broadcast_weights"):
        values = _graphkiln.convert_to_tensor(values, name="values")
        weights = _graphkiln.convert_to_tensor(
            weights, dtype=values.dtype.base_dtype, name="weights"
        )
        mine, theirs = weights.shape, values.shape
        if (
            mine.is_fully_defined()
            and theirs.is_fully_defined()
            and mine.as_list() == theirs.as_list()
        ):
            return weights
        check = check_broadcastable(weights, values)
        with _graphkiln.control_dependencies([] if check is None else [check]):
            return ops.multiply(weights, ops.ones_like(values))


def check_broadcastable(weights: object, values: object) -> object:
    """Raises ValueError if the shapes do not fit; an assertion if they are not known
    yet, else None."""
    prefix = "weights can not be broadcast to values."
    mine, theirs = weights.shape, values.shape
    if mine.rank == 0:
        return None
    if mine.rank is not None and theirs.rank is not None:
        if mine.rank != theirs.rank:
            raise ValueError(
                f"{prefix} values.rank={theirs.rank}. weights.rank={mine.rank}. "
                f"values.shape={theirs}. weights.shape={mine}. "
                f"Received weights={weights}, values={values}"
            )
        for i, (a, b) in enumerate(zip(mine.as_list(), theirs.as_list())):
            if None not in (a, b) and a not in (1, b):
                raise ValueError(
                    f"{prefix} Mismatch at dim {i}. values.shape={theirs.as_list()}, "
                    f"weights.shape={mine.as_list()}. Received weights={weights}, "
                    f"values={values}"
                )
        if mine.is_fully_defined() and theirs.is_fully_defined():
            return None
    own, other = ops.shape(weights), ops.shape(values)
    if mine.rank is None or theirs.rank is None:
        fits = _graphkiln.cond(
            ops.equal(ops.rank(weights), 0),
            lambda: _graphkiln.convert_to_tensor(True),
            lambda: _graphkiln.cond(
                ops.equal(ops.rank(weights), ops.rank(values)),
                lambda: _sizes_fit(own, other),
                lambda: _graphkiln.convert_to_tensor(False),
            ),
        )
    else:
        fits = _sizes_fit(own, other)
    return _graphkiln.Assert(
        fits, [prefix, "weights.shape=", own, "values.shape=", other]
    )


def _sizes_fit(own: object, other: object) -> object:
    return ops.reduce_all(ops.logical_or(ops.equal(own, 1), ops.equal(own, other)))


def assign_moving_average(
    variable: object,
    value: object,
    decay: object,
    zero_debias: bool = True,
    name: str | None = None,
) -> object:
    """Moves `variable` towards `value`: by `(variable - value) * (1 - decay)`.

    Args:
      variable: a variable.
      value: a tensor of its shape.
      decay: a float or a float tensor, what stays of the variable.
      zero_debias: makes up for a variable that began as zeros (section 3 of Kingma
        and Ba, https://arxiv.org/abs/1412.6980).
      name: of the op.

    Returns:
      The variable, or its new value.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.__internal__.train.assign_moving_average(v, 2.0, 0.75, False)
    >>> v.numpy().item()
    1.25
    """
    with _graphkiln.name_scope(name or "AssignMovingAvg") as scope:
        value = _graphkiln.convert_to_tensor(value)
        rate = _graphkiln.convert_to_tensor(1.0 - decay)
        rate = ops.cast(rate, variable.dtype.base_dtype)
        if not zero_debias:
            return variable.assign_sub((variable - value) * rate, name=scope)
        # What the average would be without the division, and how often it moved:
        # of each call, unless the scope around says that it is shared.
        with v1.variable_scope(variable.name.partition(":")[0]) as around:
            biased = _of_call(around, "biased", ops.zeros_like(variable))
            step = _of_call(around, "local_step", ops.zeros([], variable.dtype))
        now = biased.assign_sub((biased - value) * rate)
        weight = 1.0 - ops.pow(1.0 - rate, step.assign_add(1.0))
        return variable.assign(now / weight, name=scope)


def _of_call(scope: Any, name: str, initial: Any) -> Any:
    """A variable of a name that is free in the scope, or of this name if it is
    there to be found."""
    if not scope.reuse:
        name = free_name(name, scope.name, known_variables())
    return v1.get_variable(
        name, initializer=initial, trainable=False, use_resource=True
    )
