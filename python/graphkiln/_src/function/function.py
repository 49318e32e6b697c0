"""tf.function: the decorator, and what its Functions do when no earlier call
was like the present one. Calls like an earlier one stay in C++."""

import inspect
from collections.abc import Callable, Mapping, Sequence

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Function
from graphkiln._src.function import baked_values, tracing
from graphkiln._src.host import logging as _logging


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
    if input_signature is not None:
        _graphkiln.check_input_signature(input_signature)
    if jit_compile is None:
        jit_compile = experimental_compile
    elif experimental_compile is not None:
        raise ValueError(
            "Cannot specify both 'experimental_compile' and 'jit_compile'."
        )
    if jit_compile:
        _logging.warn_first(
            "jit_compile=True has no effect yet: graphkiln plans every "
            "function ahead of its runs but makes no machine code of it. "
            "(Said once.)",
            times=1,
        )
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes
    attributes = _checked_attributes(
        experimental_attributes, experimental_implements
    )
    if max_traces is not None and (
        not isinstance(max_traces, int)
        or isinstance(max_traces, bool)
        or max_traces < 1
    ):
        raise ValueError(
            "max_traces must be a positive integer or None, got "
            f"{max_traces!r}."
        )
    if on_baked_change not in (None, *baked_values.MODES):
        raise ValueError(
            "on_baked_change must be None or one of "
            f"{', '.join(map(repr, baked_values.MODES))}, got "
            f"{on_baked_change!r}."
        )
    options = dict(
        max_traces=max_traces,
        on_baked_change=on_baked_change,
        input_signature=input_signature,
        autograph=autograph,
        jit_compile=jit_compile,
        reduce_retracing=bool(reduce_retracing),
        experimental_autograph_options=experimental_autograph_options,
        attributes=attributes,
    )

    def decorate(python_function: Callable) -> Function:
        return _decorate(python_function, options)

    return decorate if func is None else decorate(func)


def _checked_attributes(
    attributes: Mapping[str, object] | None, implements: str | None
) -> dict[str, object]:
    result = {}
    if attributes is not None and not isinstance(attributes, Mapping):
        raise TypeError(
            f"experimental_attributes must be a dictionary, got {attributes!r}"
        )
    for name, value in (attributes or {}).items():
        _graphkiln.check_function_attribute(name)
        result[name] = value
    if implements is not None:
        result["_implements"] = implements
    return result


def _decorate(python_function: Callable, options: dict) -> Function:
    if isinstance(python_function, (staticmethod, classmethod)):
        kind = type(python_function)
        return kind(_decorate(python_function.__func__, options))
    if isinstance(python_function, Function):
        python_function = python_function.python_function
    if not callable(python_function):
        raise TypeError(f"{python_function!r} is not a callable object")
    if inspect.iscoroutinefunction(python_function):
        raise TypeError(
            f"{python_function!r} is a coroutine function. A traced function "
            "returns tensors: decorate what it awaits."
        )
    return Function(python_function, options)


def _refuse_generators(python_function: Callable) -> None:
    if inspect.isgeneratorfunction(python_function) or (
        inspect.isasyncgenfunction(python_function)
    ):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return "
            "zero or more Tensors or ExtensionTypes or None values, and "
            f"{python_function!r} is a generator function: return a list, or "
            "decorate what the generator is used in."
        )


def trace_body(
    f: Function, type_: _graphkiln.FunctionType, variables: list
) -> _graphkiln.ConcreteFunction:
    """The trace of the Python function for parameters of a type. `variables`:
    those of the call, by alias."""
    try:
        _refuse_generators(f._unbound)
        objects = {
            name: part.value
            for name, _, _, part in type_._parameters
            if part.kind == "object" and part.value is not None
        }
        baked = baked_values.snapshot(f._unbound, f._instance, objects)
        concrete = tracing.trace(
            f.python_function, f.name, type_, f._options["attributes"],
            variables=variables,
            autograph=f._options["autograph"],
            features=f._options.get("experimental_autograph_options"),
        )
        concrete._baked = baked_values.settle(baked)
        return concrete
    except Exception as error:
        _graphkiln._without_own_frames(error)
        raise


def initialization_function(made: Sequence) -> _graphkiln.ConcreteFunction:
    """What initialises the variables that a trace made, given as weak
    references. Until it is called they have no values."""
    variables = [v for reference in made if (v := reference()) is not None]
    with _graphkiln.init_scope():
        starts = [variable.read_value() for variable in variables]
        for variable in variables:
            raw_ops.DestroyResourceOp(
                resource=variable.handle, ignore_lookup_error=False
            )

    def initialize():
        for variable, value in zip(variables, starts):
            variable.assign(value)

    return function(initialize, autograph=False).get_concrete_function()


_graphkiln.provide(_decorate, initialization_function, trace_body)
