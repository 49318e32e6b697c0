"""Scopes and variables of parts, under names that the first version gave up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.version_one import variable_store
from graphkiln._src.version_one.functions import NameScope


@contextmanager
def op_scope(
    values: Any, name: str | None, default_name: str | None = None
) -> Iterator[str]:
    """`name_scope` with its arguments in another order.

    Args:
      values: accepted for compatibility.
      name: the scope's; that of `default_name` if it is None.
      default_name: the usual name.

    >>> with tf.Graph().as_default(), tf.compat.v1.op_scope([], "a"):
    ...     tf.constant(1).name
    'a/Const:0'
    """
    _graphkiln.warning(
        "tf.op_scope(values, name, default_name) is deprecated, use "
        "tf.name_scope(name, default_name, values)"
    )
    with NameScope(name, default_name, values) as scope:
        yield scope


@contextmanager
def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Callable | None = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Iterator[variable_store.VariableScope]:
    """`variable_scope` with its arguments in another order.

    Args:
      values: accepted for compatibility.
      name_or_scope: the name, or a scope to open again.
      default_name: made unique and taken if the name is None.
      initializer: as of `variable_scope`, as all that follow.
      regularizer: of variables that are not given one.
      caching_device: accepted for compatibility.
      partitioner: of the variables in it.
      custom_getter: makes variables.
      reuse: must variables be there?
      dtype: of variables that are not given one.
      use_resource: accepted for compatibility.
      constraint: of variables that are not given one.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_op_scope([], "a"):
    ...     tf.compat.v1.get_variable("v", [2]).name
    'a/v:0'
    """
    _graphkiln.warning(
        "tf.variable_op_scope(values, name, default_name) is deprecated, use "
        "tf.variable_scope(name, default_name, values)"
    )
    with variable_store.variable_scope(
        name_or_scope, default_name, values, initializer, regularizer,
        caching_device, partitioner, custom_getter, reuse, dtype, use_resource,
        constraint,
    ) as scope:
        yield scope


def container(container_name: str) -> Any:
    """A `with` statement whose resources stand in a container of that name.

    Args:
      container_name: of the container; "" is the usual one.

    >>> with tf.Graph().as_default(), tf.compat.v1.container("one"):
    ...     q = tf.queue.FIFOQueue(1, tf.int32)
    >>> q.queue_ref.op.get_attr("container")
    b'one'
    """
    return _graphkiln.get_default_graph().container(container_name)


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = _graphkiln.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list:
    """The parts of a variable that is cut along one dimension.

    Args:
      shape: of the whole.
      slicing: how many parts there are in each dimension; 1 in all but one.
      initializer: a tensor, or a function of a shape and a dtype.
      dtype: of the variables.
      trainable: do gradient tapes watch them?
      collections: of the graph, that they are put into.
      name: of the whole.
      reuse: must they be there?

    Raises:
      ValueError: for a shape and a slicing of different lengths, and a scalar.

    >>> with tf.Graph().as_default():
    ...     parts = tf.compat.v1.create_partitioned_variables(
    ...         [4, 2], [2, 1], tf.compat.v1.zeros_initializer(), name="v")
    ...     [(v.name, v.shape.as_list()) for v in parts]
    [('v/part_0:0', [2, 2]), ('v/part_1:0', [2, 2])]
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the "
            f"length: shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(
            f"A partitioned Variable must have rank at least 1: shape: {shape}"
        )
    with variable_store.variable_scope(name, "PartitionedVariable", reuse=reuse):
        scope = variable_store.get_variable_scope()
        if scope.custom_getter is not None:
            raise ValueError(
                "A custom getter is set: use get_variable with a partitioner instead "
                f"of create_partitioned_variables. It is: {scope.custom_getter}"
            )
        return list(variable_store.variable_of_parts(
            scope.name, shape, lambda **_: slicing,
            {
                "dtype": _graphkiln.as_dtype(dtype),
                "initializer": scope.initializer if initializer is None else initializer,
                "regularizer": scope.regularizer, "trainable": trainable,
                "collections": collections, "constraint": scope.constraint,
                "reuse": scope.reuse,
            },
        ))
