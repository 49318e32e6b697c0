"""tf.autograph: conversion asked for by name."""

import functools
import types

from graphkiln import _graphkiln
from graphkiln.autograph import (
    calls,
    conversion,
    feature,
    operators,  # noqa: F401  what conversion needs
    source,
)
from graphkiln.autograph.verbosity import set_strict

_NOT_GIVEN = object()


def _python_function(entity):
    """The Python function of what can be converted."""
    if isinstance(entity, _graphkiln.Function):
        entity = entity.python_function
    if isinstance(entity, types.MethodType):
        entity = entity.__func__
    if isinstance(entity, types.FunctionType):
        if id(entity.__code__) in conversion.generated:
            return getattr(entity, "__ag_original__", entity)
        return entity
    call = getattr(type(entity), "__call__", None)
    if isinstance(call, types.FunctionType):
        return call
    raise TypeError(
        f"a Python function, method or callable object can be converted, got "
        f"{entity!r}"
    )


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """Converts a Python function.

    Args:
      entity: the function, method or callable object.
      recursive: accepted for compatibility; what it calls is converted too.
      experimental_optional_features: a Feature or a tuple of them.

    Returns:
      The converted function. Called while a graph is built, control flow that
      depends on tensors becomes part of it.

    Raises:
      ValueError: there is no source code, or it cannot be converted.
      TypeError: `entity` is no Python function.

    >>> def absolute(x):
    ...     return x if x > 0 else -x
    >>> int(tf.autograph.to_graph(absolute)(tf.constant(-2)))
    2
    """
    features = feature.checked_features(experimental_optional_features)
    function = _python_function(entity)
    made = conversion.convert(function, features)
    if isinstance(entity, types.MethodType):
        return types.MethodType(made, entity.__self__)
    if not isinstance(entity, (types.FunctionType, _graphkiln.Function)):
        return types.MethodType(made, entity)
    return made


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The source code of what `to_graph` makes.

    Args:
      entity: the function, method or callable object.
      recursive: accepted for compatibility.
      experimental_optional_features: a Feature or a tuple of them.

    Returns:
      A string.

    Raises:
      ValueError: there is no source code, or it cannot be converted.
      TypeError: `entity` is no Python function.

    >>> def absolute(x):
    ...     return x if x > 0 else -x
    >>> print(tf.autograph.to_code(absolute).split("(")[0])
    def tf__absolute
    """
    features = feature.checked_features(experimental_optional_features)
    return conversion.generated_source(_python_function(entity), features)


def do_not_convert(func=None):
    """Marks a function that AutoGraph leaves as it is.

    Returns:
      The function's equal that is never converted.

    >>> @tf.autograph.experimental.do_not_convert
    ... def f(x):
    ...     return x
    >>> f(2)
    2
    """
    if func is None:
        return do_not_convert
    if isinstance(func, types.MethodType):
        bound = func.__self__
        return types.MethodType(do_not_convert(func.__func__), bound)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        with _graphkiln.ConversionStatus(False):
            return func(*args, **kwargs)

    wrapper.__ag_do_not_convert__ = wrapper.__code__
    return wrapper


def set_loop_options(
    parallel_iterations=_NOT_GIVEN,
    swap_memory=_NOT_GIVEN,
    maximum_iterations=_NOT_GIVEN,
    shape_invariants=_NOT_GIVEN,
):
    """Options of the loop in whose body this is the first statement.

    Args:
      parallel_iterations: written into the graph.
      swap_memory: accepted for compatibility.
      maximum_iterations: the loop stops after so many iterations.
      shape_invariants: pairs (variable, shape); the variable may change its
        shape as far as the shape given allows.

    Outside of a converted loop it does nothing.

    >>> tf.autograph.experimental.set_loop_options(parallel_iterations=1)
    """


def set_element_type(entity, dtype, shape=None):
    """Says what the elements of a list are that grows in loops over tensors.

    Args:
      entity: a local variable that holds a list, as a rule an empty one.
      dtype: of the elements.
      shape: of the elements as far as all have it in common.

    It is needed where elements differ in shape, or where the list stays empty.
    Outside of converted functions it does nothing.

    >>> @tf.function
    ... def squares(n):
    ...     found = []
    ...     tf.autograph.experimental.set_element_type(found, tf.int32, [])
    ...     for i in tf.range(n):
    ...         found.append(i * i)
    ...     return found
    >>> squares(tf.constant(4)).numpy().tolist()
    [0, 1, 4, 9]
    """


def trace(*args):
    """Prints its arguments while tracing.

    >>> tf.autograph.trace("here", 1)
    here 1
    """
    print(*args)
