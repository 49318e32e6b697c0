"""tf.function: the decorator, and what its Functions do when no earlier call
was like the present one. Calls like an earlier one stay in C++."""

from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import Function


def function(
    func=None,
    input_signature=None,
    autograph=True,
    jit_compile=None,
    reduce_retracing=False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
    *,
    max_traces=None,
    on_baked_change=None,
):
    """Compiles a function into a callable graph.

    Args:
      func: the function; without one, a decorator is returned.
      input_signature: a tf.TensorSpec, or a structure of them, for each
        parameter: traced once.
      autograph: turn Python's control flow that depends on tensors into the
        graph's.
      jit_compile: accepted, and said to have no effect yet: every function
        is planned ahead of its runs, none becomes machine code.
      reduce_retracing: trace for general shapes when shapes differ.
      experimental_implements: the name of a known function that this one
        stands for, kept as an attribute of its graph.
      experimental_autograph_options: tf.autograph.experimental.Feature
        values to use besides.
      experimental_attributes: attributes of the function in graphs.
      experimental_relax_shapes, experimental_compile: the old names of
        `reduce_retracing` and `jit_compile`.
      experimental_follow_type_hints: no effect, as in TensorFlow.
      max_traces: keep at most so many traces; the one used longest ago is
        dropped first. None: no limit.
      on_baked_change: what a call does when a Python value that its trace
        froze (see `ConcreteFunction.baked_values`) has changed since:
        "warn", "retrace" or "error". None: such values are not looked at.

    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> print(double(tf.constant(2)).numpy())
    4

    Raises:
      TypeError: if the input signature holds anything but types.
      ValueError: for a limit below 1, an unknown word or attribute, or two
        names of one option.
    """
    options = _graphkiln.function_options(locals())

    def decorate(python_function: Callable) -> Function:
        return _graphkiln.decorated(python_function, options)

    return decorate if func is None else decorate(func)
