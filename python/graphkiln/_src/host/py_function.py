"""tf.py_function and tf.numpy_function: Python that runs with the graph, called
by the extension (python/src/graph/host_function.h)."""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from graphkiln import _graphkiln
from graphkiln._src.types.dispatched import dispatched

# Kinds of calls (function/host_call.h).
_DIFFERENTIABLE, _PLAIN, _PURE = range(3)


def _checked(name: str, wrapped: Callable, func, inp, Tout):
    """None if a call may go on; else the decorator to return."""
    if Tout is None:
        raise TypeError(
            "Missing required argument: 'Tout'\n"
            f"  If using {name} as a decorator, set `Tout`\n"
            "  **by name** above the function:\n"
            f"  `@{name}(Tout=tout)`"
        )
    if func is None:
        if inp is not None:
            raise TypeError(
                "Don't set the `inp` argument when using "
                f"{name} as a decorator (`func=None`)."
            )

        def decorate(function: Callable) -> Callable:
            @functools.wraps(function)
            def call(*args):
                return wrapped(function, args)

            return call

        return decorate
    if not callable(func) and name == "tf.py_function":
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type "
            f"{type(func)}."
        )
    return None


@dispatched
def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function of tensors whenever the program runs.

    In the function everything runs eagerly. It is differentiable with respect
    to `inp` if what it does is.

    Args:
      func: takes as many eager tensors as `inp` has; returns what can become
        tensors of the types `Tout`.
      inp: the arguments: tensors, or composite ones such as tf.RaggedTensor.
      Tout: the dtype of the result, or a list of dtypes of the results; a
        tf.TypeSpec where the shape is known or the result is composite.
      name: of the op.

    What the function raises comes out as an error of tf.errors:
    InvalidArgumentError for ValueError and TypeError, OutOfRangeError for
    StopIteration, UnimplementedError for NotImplementedError,
    ResourceExhaustedError for MemoryError, UnknownError for others.

    >>> @tf.function
    ... def f(x):
    ...     return tf.py_function(lambda x: x.numpy() * 2, [x], tf.int32)
    >>> f(tf.constant(2)).numpy().item()
    4
    """
    decorator = _checked(
        "tf.py_function",
        lambda f, args: py_function(f, args, Tout, name), func, inp, Tout,
    )
    if decorator is not None:
        return decorator
    return _graphkiln.call_on_host(
        func, inp or (), Tout, _DIFFERENTIABLE, name
    )


def _array(tensor: _graphkiln.Tensor) -> np.ndarray:
    """Eager calls get arrays even for scalars."""
    value = tensor.numpy()
    if tensor.dtype == _graphkiln.string:
        return np.array(value, dtype=object)
    return np.asarray(value)


@dispatched
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a Python function of NumPy arrays whenever the program runs.

    It has no gradient.

    Args:
      func: takes as many arrays as `inp` has; returns arrays of the types
        `Tout`.
      inp: the arguments.
      Tout: the dtype of the result, or a list of dtypes of the results.
      stateful: False promises that the results depend on the arguments alone
        and that there are no side effects.
      name: of the op.

    >>> @tf.function
    ... def f(x):
    ...     return tf.numpy_function(lambda x: x * x, [x], tf.float32)
    >>> f(tf.constant(3.0)).numpy().item()
    9.0
    """
    decorator = _checked(
        "tf.numpy_function",
        lambda f, args: numpy_function(f, args, Tout, stateful, name),
        func, inp, Tout,
    )
    if decorator is not None:
        return decorator
    if _graphkiln.executing_eagerly():
        return _eager_arrays(
            func(*(_array(_graphkiln.convert_to_tensor(x)) for x in inp or ()))
        )
    return _graphkiln.call_on_host(
        func, inp or (), Tout, _PLAIN if stateful else _PURE, name
    )


def _eager_arrays(result: object) -> object:
    """Eagerly the results keep the types that they have."""
    values: Sequence = (
        result if isinstance(result, (list, tuple)) else [result]
    )
    tensors = [
        None if value is None else _graphkiln.convert_to_tensor(value)
        for value in values
    ]
    return tensors[0] if len(tensors) == 1 else tensors
