"""tf.function: the decorator, and what its Functions do when no earlier call
was like the present one. Calls like an earlier one stay in C++."""

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import NamedTuple

from graphkiln import _graphkiln, errors, raw_ops
from graphkiln._graphkiln import Function
from graphkiln._src.checks import debugging
from graphkiln._src.function import (
    baked_values,
    function_type_parts,  # adds binding to types
    retracing,
    tracing,
)
from graphkiln._src.function import function_binding as binding
from graphkiln._src.function import function_casting as casting
from graphkiln._src.host import logging as _logging
from graphkiln._src.variables import variable as _variable

_EXPERIMENTAL_ATTRIBUTES = frozenset(
    {
        "_OutputsOnOpDevice", "_disable_acd", "_implements", "_noinline",
        "_tf_data_function", "api_implements", "api_preferred_device",
        "disable_summaries_at_runtime", "experimental_ints_on_device",
        "function_runs_at_most_once", "go_backwards",
        "runtime_constant_optimization", "time_major",
    }
)


class CacheInfo(NamedTuple):
    """What `Function.cache_info` tells."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int
    evictions: int


class _State:
    """What a Function knows besides its cache."""

    def __init__(
        self,
        python_function: Callable,
        options: dict[str, object],
        instance: object = None,
        weak: bool = True,
    ):
        self.python_function = python_function
        self.options = options
        # A bound Function holds its object weakly where that can be.
        self.instance = (
            None if instance is None
            else weakref.ref(instance) if weak
            else lambda: instance
        )
        self.is_bound = instance is not None
        self.signature = binding.FunctionSignature(
            python_function, skip_first=self.is_bound
        )
        specs = options["input_signature"]
        # An input signature says nothing of `self`, so calls through the
        # class go by way of the object's own Function.
        self.needs_instance = (
            specs is not None
            and not self.is_bound
            and self.signature.takes_self(len(specs))
        )
        checked = (
            binding.FunctionSignature(python_function, skip_first=True)
            if self.needs_instance
            else self.signature
        )
        self.constraints = (
            None if specs is None else casting.constraints(checked, specs)
        )
        self.lock = threading.RLock()
        # By id of the object: (weak reference to it, its Function).
        self.bound: dict[int, tuple] = {}

    @property
    def name(self) -> str:
        return getattr(self.python_function, "__name__", "function")

    def body(self) -> Callable:
        """The Python function to trace, with its object if it has one."""
        if not self.is_bound:
            return self.python_function
        instance = self.instance()
        if instance is None:
            instance = _Gone(self.name)
        return _BoundBody(self.python_function, instance)


class _Gone:
    """Stands for `self` in a method whose object was collected: only code
    that does not touch it runs."""

    def __init__(self, method: str):
        object.__setattr__(self, "_method", method)

    def _refuse(self, *_):
        raise ReferenceError(
            "The object that the method "
            f"{object.__getattribute__(self, '_method')} is bound to has been "
            "deleted. A tf.function holds it weakly: keep the object while "
            "its method is in use."
        )

    __getattribute__ = __setattr__ = __delattr__ = __call__ = _refuse
    __getitem__ = __len__ = __iter__ = _refuse


class _BoundBody:
    """A method with its object, printed and named as the function."""

    def __init__(self, function: Callable, instance: object):
        self.__func__ = function
        self.__self__ = instance
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)

    def __repr__(self) -> str:
        return repr(self.__func__.__get__(self.__self__))


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
        casting.check_signature(input_signature)
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
        if name not in _EXPERIMENTAL_ATTRIBUTES:
            raise ValueError(
                f"`{name} is not supported by tf.function as an attribute."
            )
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
    return _new_function(_State(python_function, options))


def _new_function(state: _State) -> Function:
    f = Function()
    _install(f, state)
    return f


def _install(f: Function, state: _State) -> None:
    f._state = state
    python_function = state.python_function
    f._configure(
        state.name, state.options["reduce_retracing"],
        state.options["max_traces"] or 0, state.is_bound,
        retracing.detector_for(python_function),
        state.signature.described(),
        None if state.constraints is None else state.constraints.parameters,
        "_implements" in state.options["attributes"],
        state.options["on_baked_change"] is not None, state.needs_instance,
    )
    f.__wrapped__ = python_function
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        try:
            value = getattr(python_function, name)
        except AttributeError:
            continue
        setattr(f, name, "" if value is None else value)
    try:
        signature = inspect.signature(python_function)
        if state.is_bound:
            signature = state.signature.signature
        f.__signature__ = signature
    except (TypeError, ValueError):
        pass


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


def bind_to_instance(f: Function, instance: object, owner: type) -> object:
    """The Function of a method for one object, made once."""
    state = f._state
    key = id(instance)
    with state.lock:
        known = state.bound.get(key)
        if known is not None and known[0]() is instance:
            return known[1]
        table = weakref.ref(state)

        def forget(_):
            alive = table()
            if alive is not None:
                alive.bound.pop(key, None)

        try:
            reference = weakref.ref(instance, forget)
        except TypeError:
            # Cannot be held weakly, so every access makes a new one.
            if not state.needs_instance:
                return functools.partial(f, instance)
            return _new_function(
                _State(
                    state.python_function, state.options, instance, weak=False
                )
            )
        bound = _new_function(
            _State(state.python_function, state.options, instance)
        )
        state.bound[key] = (reference, bound)
        return bound


def call_python(f: Function, args: tuple, kwargs: dict) -> object:
    """The call while functions run eagerly."""
    return f._state.body()(*args, **kwargs)


def _creator(made: list) -> Callable:
    """Makes the variables of a function that is traced, and notes them."""

    def create(next_creator: Callable, **kwargs) -> object:
        if not _graphkiln.note_variable(_variable.is_lifted(kwargs)):
            return next_creator(**kwargs)
        value = kwargs.get("initial_value")
        kwargs["initial_value"] = _lifted(
            value() if callable(value) else value
        )
        variable = next_creator(**kwargs)
        made.append(weakref.ref(variable))
        return variable

    create.of_function = True
    return create


def trace_body(
    f: Function, type_: _graphkiln.FunctionType, variables: list, made: list
) -> _graphkiln.ConcreteFunction:
    """The trace of the Python function for parameters of a type. `variables`:
    those of the call, by alias. `made`: gets those that the trace makes."""
    state = f._state
    try:
        _refuse_generators(state.python_function)
        baked = _frozen_values(state, type_)
        concrete = tracing.trace(
            state.body(), state.name, type_, state.options["attributes"],
            _creator(made),
            variables=variables,
            autograph=state.options["autograph"],
            features=state.options["experimental_autograph_options"],
        )
        concrete._baked = baked_values.settle(baked)
        return concrete
    except Exception as error:
        debugging.without_own_frames(error)
        raise


def _frozen_values(state: _State, type_) -> tuple:
    objects = {
        name: part.value
        for name, _, _, part in type_._parameters
        if part.kind == "object" and part.value is not None
    }
    instance = state.instance() if state.is_bound else None
    return baked_values.snapshot(state.python_function, instance, objects)


def _lifted(value: object) -> object:
    """An initial value computed outside of the graph being traced."""
    try:
        return _graphkiln.lift(value)
    except errors.FailedPreconditionError as error:
        raise _variable.UnliftableError(
            f"Unable to lift tensor {value!r} because it depends transitively "
            f"on what is not known before a call: {error.message}"
        ) from None


def _method(name: str | None = None) -> Callable:
    """Adds a function to the type Function."""

    def add(python_function: Callable) -> Callable:
        setattr(Function, name or python_function.__name__, python_function)
        return python_function

    return add


def _property(python_function: Callable) -> None:
    setattr(Function, python_function.__name__, property(python_function))


@_property
def python_function(self):
    """The Python function that is traced."""
    return self._state.body()


@_property
def function_type(self):
    """The parameters of the Python function, with the types that an input
    signature gives them."""
    state = self._state
    if state.constraints is not None:
        return state.constraints.shown_type
    return state.signature.function_type


@_property
def function_spec(self):
    """The parameters and the input signature."""
    return FunctionSpec(self._state)


@_property
def input_signature(self):
    """The input signature given, or None."""
    return casting.public_signature(self._state)


@_property
def name(self):
    """The name of the Python function."""
    return self._state.name


@_method()
def experimental_get_compiler_ir(self, *args, **kwargs):
    """A function that gives a text of the compiled program.

    Raises ValueError unless the function has `jit_compile=True`.
    """
    if not self._state.options["jit_compile"]:
        raise ValueError(
            "Compiler IR can only be returned for functions marked with "
            "'jit_compile=True'"
        )
    concrete = self.get_concrete_function(*args, **kwargs)

    def text(stage="hlo", device_name=None, platform_name=None):
        if stage != "graph":
            raise ValueError(
                f"Unknown stage {stage!r}: there is \"graph\", the text of the "
                "traced program."
            )
        return str(concrete.graph.as_graph_def())

    return text


@_method()
def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
    """The signatures of all traces."""
    texts = [c.pretty_printed_signature(verbose) for c in self._traces()]
    return "\n\n".join(texts)


@_method()
def get_initialization_function(self, *args, **kwargs):
    """The ConcreteFunction that initialises the variables which a call with
    these arguments makes. Until it is called they have no values.

    Raises RuntimeError if the function was traced before.
    """
    if self.experimental_get_tracing_count() > 0:
        raise RuntimeError(
            "get_initialization_function cannot be called after the function "
            "has been used"
        )
    self.get_concrete_function(*args, **kwargs)
    made = [
        reference() for reference in vars(self).get("_created_variables", ())
    ]
    with _graphkiln.init_scope():
        starts = [
            (variable, variable.read_value())
            for variable in made if variable is not None
        ]
        for variable, _ in starts:
            raw_ops.DestroyResourceOp(
                resource=variable.handle, ignore_lookup_error=False
            )

    def initialize():
        for variable, value in starts:
            variable.assign(value)

    return function(initialize, autograph=False).get_concrete_function()


@_method("__repr__")
def _repr(self) -> str:
    return (
        f"<graphkiln.Function {self._state.name} at {id(self):#x}>"
    )


@_method("_decorate")
def _decorate_again(self, decorator: Callable) -> None:
    """Puts `decorator` around the Python function, before it is traced."""
    state = self._state
    if self._traced_once():
        raise ValueError(
            "Functions cannot be decorated after they have been traced."
        )
    _install(self, _State(decorator(state.python_function), state.options))


@_method("__copy__")
def _copy(self):
    state = self._state
    return _new_function(_State(state.python_function, state.options))


@_method("__deepcopy__")
def _deepcopy(self, memo):
    return _copy(self)


@_method("__reduce__")
def _reduce(self):
    state = self._state
    return _rebuild, (state.python_function, state.options)


def _rebuild(python_function, options):
    return _decorate(python_function, options)


class FunctionSpec:
    """What a Function says of its parameters."""

    def __init__(self, state: _State):
        self._state = state
        self.fullargspec = inspect.getfullargspec(state.python_function)
        self.input_signature = casting.public_signature(state)

    @property
    def function_type(self):
        """Names, kinds and defaults."""
        return self._state.signature.function_type

    @property
    def is_method(self) -> bool:
        """Is it bound to an object?"""
        return self._state.is_bound

    @property
    def arg_names(self) -> list[str]:
        """Names of the positional parameters."""
        return [p.name for p in self._state.signature.parameters]
