"""tf.py_function and tf.numpy_function: Python that runs with the graph.

A node knows the token of a callback. The callback belongs to the Python face
of the graph that it was made in, and of those around it.
"""

import functools
import itertools
import traceback
import weakref
from collections.abc import Callable, Sequence

import numpy as np

from graphkiln import _graphkiln, errors, nest, raw_ops
from graphkiln._src.types.type_spec import CompositeTensor

_numbers = itertools.count()
# Without a lock: a finaliser may run, and come here, wherever something is
# allocated. Each access is one step of the interpreter's.
_callbacks: "weakref.WeakValueDictionary[str, _Callback]" = (
    weakref.WeakValueDictionary()
)


class _Callback:
    """What a node calls: a list of values to a list of values."""

    def __init__(self, call: Callable[[str, list], list]):
        self.call = call
        self.token = f"pyfunc_{next(_numbers)}"
        _callbacks[self.token] = self


def call_back(token: str, values: list) -> list:
    """Called by the nodes."""
    callback = _callbacks.get(token)
    if callback is None:
        return (
            errors.FAILED_PRECONDITION,
            f"The Python function {token} is gone: the tf.function that it "
            "was made in was deleted.",
        )
    try:
        return callback.call(token, values)
    except Exception as e:
        return _code_of(e), _text_of(e)


# The codes that exceptions of Python functions become, by class.
_CODES = (
    ((ValueError, TypeError), errors.INVALID_ARGUMENT),
    ((StopIteration,), errors.OUT_OF_RANGE),
    ((MemoryError,), errors.RESOURCE_EXHAUSTED),
    ((NotImplementedError,), errors.UNIMPLEMENTED),
)


_MOST_CHARACTERS = 8000


def _code_of(error: Exception) -> int:
    if isinstance(error, errors.OpError) and error.op is _CALL_BACK:
        return error.error_code
    for classes, code in _CODES:
        if isinstance(error, classes):
            return code
    return errors.UNKNOWN


def _text_of(error: Exception) -> str:
    """The exception with the user's lines that it came through."""
    if isinstance(error, errors.OpError) and error.op is _CALL_BACK:
        return error.message
    own = __file__.removesuffix("_src/host/py_function.py")
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(own)
    ]
    line = _shortened(f"{type(error).__name__}: {error}")
    lines = "\n".join(traceback.format_list(frames))
    return f"{line}\nTraceback (most recent call last):\n\n{lines}\n{line}\n\n"


def _shortened(text: str) -> str:
    """At most some thousand characters: the text of an error stands twice in
    that of the call around it, and calls may be deep."""
    if len(text) <= _MOST_CHARACTERS:
        return text
    half = _MOST_CHARACTERS // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[{left_out} characters]\n{text[-half:]}"


# Marks errors that are the call's own, not the function's.
_CALL_BACK = object()


def _keep(graph: _graphkiln.Graph, part: object) -> None:
    vars(graph).setdefault("_python_parts", []).append(part)


def _differentiable(dtype: _graphkiln.DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def _count_error(token: str, found: int, expected: int) -> Exception:
    return errors.InvalidArgumentError(
        None, _CALL_BACK,
        f"{token} returns {found} values, but expects to see {expected} "
        "values.",
    )


def _results(token: str, result: object, types: list) -> list:
    """What a function of tensors returned, as tensors of `types`."""
    if result is None:
        result = []
    elif not isinstance(result, (list, tuple)):
        result = [result]
    if len(result) < len(types):
        raise _count_error(token, len(result), len(types))
    return [
        _graphkiln.convert_to_tensor(value, dtype=dtype)
        for value, dtype in zip(result, types)
    ]


class _Record:
    """One call: its inputs and outputs, and the tapes that saw it. The inner
    one gives the gradient; the outer one sees that too, and gives the
    gradient of the gradient."""

    def __init__(self, inputs: list, outputs: list, inner, outer):
        self.inputs = inputs
        self.outputs = outputs
        self.inner = inner
        self.outer = outer


def _tape_of(values: list) -> _graphkiln.GradientTape:
    tape = _graphkiln.GradientTape(
        persistent=True, watch_accessed_variables=False
    )
    for value in values:
        if _differentiable(value.dtype):
            tape.watch(value)
    return tape


def _recorded(function: Callable, types: list) -> Callable:
    """Calls `function`; the record of the call becomes the last output."""

    def call(token: str, values: list) -> list:
        outer, inner = _tape_of(values), _tape_of(values)
        with outer, inner:
            outputs = _results(token, function(*values), types)
        return [*outputs, _Record(values, outputs, inner, outer)]

    return call


def _tensors(values: list) -> list:
    return [_graphkiln.convert_to_tensor(value) for value in values]


def _dense(given: list, like: list) -> list:
    """Gradients as tensors, zeros for none."""
    return [
        raw_ops.ZerosLike(x=x) if g is None else _graphkiln.convert_to_tensor(g)
        for g, x in zip(given, like)
    ]


def _backward(
    graph: _graphkiln.Graph, inputs: list, outputs: list
) -> Callable:
    """The gradient of the node with these inputs and outputs, of which the
    last is the record of the call."""
    sources = [i for i, x in enumerate(inputs) if _differentiable(x.dtype)]
    targets = [
        i for i, y in enumerate(outputs[:-1]) if _differentiable(y.dtype)
    ]

    def call(_: str, values: list) -> list:
        record, *rest = values
        given = rest[: len(targets)]
        record.outer.watch(given)
        with record.outer:
            found = _tensors(record.inner.gradient(
                [record.outputs[i] for i in targets],
                [record.inputs[i] for i in sources],
                output_gradients=given,
                unconnected_gradients="zero",
            ))
        wanted = [*given, *(record.inputs[i] for i in sources)]
        return [*found, _Record(wanted, found, record.outer, None)]

    callback = _Callback(call)
    _keep(graph, callback)
    record = outputs[-1]
    dtypes = [inputs[i].dtype for i in sources]

    def gradient(output_gradients: list) -> list:
        found: list = [None] * len(inputs)
        if not targets:
            return found
        given = _dense(
            [output_gradients[i] for i in targets],
            [outputs[i] for i in targets],
        )
        # The inputs take no part, but the gradient depends on them.
        taken = [record, *given, *(inputs[i] for i in sources)]
        results = _call_node(
            taken, callback.token, [*dtypes, _graphkiln.variant], None,
            lambda results: _second_backward(graph, taken, results),
        )
        for i, result in zip(sources, results):
            found[i] = result
        return found

    return gradient


def _second_backward(
    graph: _graphkiln.Graph, inputs: list, outputs: list
) -> Callable:
    """The gradient of a gradient's node; it has none itself."""
    dtypes = [x.dtype for x in inputs[1:]]

    def call(_: str, values: list) -> list:
        record, *given = values
        return _tensors(record.inner.gradient(
            record.outputs, record.inputs, output_gradients=given,
            unconnected_gradients="zero",
        ))

    callback = _Callback(call)
    _keep(graph, callback)

    def no_third_order(_: list) -> list:
        raise LookupError(
            "The second gradient of tf.py_function cannot be differentiated "
            "again."
        )

    def gradient(output_gradients: list) -> list:
        given = _dense(output_gradients[: len(outputs) - 1], outputs[:-1])
        return [None, *_call_node(
            [outputs[-1], *given], callback.token, dtypes, None,
            lambda _: no_third_order,
        )]

    return gradient


def _call_node(
    inputs: list, token: str, types: list, name: str | None,
    make_gradient: Callable[[list], Callable],
) -> list:
    """The outputs of a node whose gradient is made by `make_gradient`."""
    graph = _graphkiln.current_graph()
    with _graphkiln.StopRecording(), _on_host():
        outputs = list(raw_ops.EagerPyFunc(
            input=inputs, token=token, Tout=types, name=name
        ))
    backward = make_gradient(outputs)
    if graph is not None:
        _graphkiln.set_own_gradient(graph, outputs[0], backward, len(outputs))
    _graphkiln.record_call(inputs, outputs, backward)
    return outputs


def _types(Tout: object) -> tuple[list, bool]:
    """The output types and whether a list of values is returned."""
    if isinstance(Tout, (list, tuple)):
        return [_graphkiln.as_dtype(t) for t in Tout], True
    return [_graphkiln.as_dtype(Tout)], False


def _pack(outputs: object, is_list: bool) -> object:
    if not isinstance(outputs, (list, tuple)):
        return outputs  # the operation, if it has no outputs
    return list(outputs) if is_list else outputs[0]


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
    if _has_composites(inp, Tout):
        return _of_composites(func, inp or (), Tout, name)
    types, is_list = _types(Tout)
    inputs = [_graphkiln.convert_to_tensor(x) for x in inp or ()]
    graph = _graphkiln.current_graph()
    if graph is None:
        return _pack(_eager_results(func, inputs, types), is_list)
    if not any(_differentiable(x.dtype) for x in inputs):
        callback = _Callback(
            lambda token, values: _results(token, func(*values), types)
        )
        _keep(graph, callback)
        with _on_host():
            results = raw_ops.EagerPyFunc(
                input=inputs, token=callback.token, Tout=types, name=name
            )
        return _pack(results, is_list)
    callback = _Callback(_recorded(func, types))
    _keep(graph, callback)
    outputs = _call_node(
        inputs, callback.token, [*types, _graphkiln.variant], name,
        lambda outputs: _backward(graph, inputs, outputs),
    )
    return _pack(outputs[:-1], is_list)


def _has_composites(inp: object, Tout: object) -> bool:
    types = Tout if isinstance(Tout, (list, tuple)) else [Tout]
    return any(isinstance(t, _graphkiln.TypeSpec) for t in types) or any(
        isinstance(value, CompositeTensor) for value in inp or ()
    )


def _of_composites(func: Callable, inp: Sequence, Tout: object, name):
    """A call with the tensors that arguments and results are made of."""
    is_list = isinstance(Tout, (list, tuple))
    wanted = [
        t if isinstance(t, _graphkiln.TypeSpec) else _graphkiln.as_dtype(t)
        for t in (Tout if is_list else [Tout])
    ]
    structure = list(inp)

    def flat(*tensors):
        result = func(*nest.pack_sequence_as(structure, tensors, True))
        if not isinstance(result, (list, tuple)):
            result = [result]
        flat_result = []
        for value, type_ in zip(result, wanted):
            flat_result += _tensors_of(func, result, value, type_, wanted)
        return flat_result

    types = [
        leaf for type_ in wanted for leaf in (
            [spec.dtype for spec in type_.flatten()]
            if isinstance(type_, _graphkiln.TypeSpec) else [type_]
        )
    ]
    results = py_function(flat, nest.flatten(structure, True), types, name)
    remaining = iter(results if isinstance(results, list) else ())
    packed = []
    for type_ in wanted:
        if not isinstance(type_, _graphkiln.TypeSpec):
            packed.append(next(remaining))
            continue
        parts = []
        for spec in type_.flatten():
            parts.append(next(remaining))
            parts[-1].set_shape(spec.shape)
        packed.append(
            parts[0] if isinstance(type_, _graphkiln.TensorSpec)
            else type_.from_tensors(iter(parts))
        )
    return packed if is_list else packed[0]


def _tensors_of(func, result, value, type_, wanted) -> list:
    """The tensors of one result. ValueError if it is of another type."""
    reason = None
    composite = isinstance(value, CompositeTensor)
    if isinstance(type_, _graphkiln.TypeSpec) and not isinstance(
        type_, _graphkiln.TensorSpec
    ):
        if not type_.is_compatible_with(value):
            reason = f"is not compatible with {type_!r}."
    elif composite:
        reason = "is not a Tensor."
    if reason is not None:
        raise ValueError(
            f"py_function: func={func} returned {result!r}, which did not "
            f"match Tout={wanted!r}.\nIn particular, {value!r} {reason}"
        )
    return nest.flatten(value, True) if composite else [value]


def _on_host() -> object:
    """Python runs in this process, whatever device is asked for."""
    return _graphkiln.device("/job:localhost/replica:0/task:0")


def _eager_results(func: Callable, inputs: list, types: list) -> list:
    """Its results; exceptions have the classes that a graph gives them."""
    try:
        results = _results(
            getattr(func, "__name__", "func"), func(*inputs), types
        )
        return [_graphkiln.here(tensor) for tensor in results]
    except Exception as e:
        kind = errors.exception_type_from_error_code(_code_of(e))
        text = f"{_text_of(e)} [Op:EagerPyFunc] name: "
        raise kind(None, None, text) from e


def _array(tensor: _graphkiln.Tensor) -> np.ndarray:
    """Eager calls get arrays even for scalars."""
    value = tensor.numpy()
    if tensor.dtype == _graphkiln.string:
        return np.array(value, dtype=object)
    return np.asarray(value)


def _array_or_scalar(tensor: _graphkiln.Tensor) -> object:
    return tensor.numpy()


def _from_arrays(token: str, result: object, types: list) -> list:
    """What a function of arrays returned, which must be of `types`."""
    if result is None:
        result = []
    elif not isinstance(result, (list, tuple)):
        result = [result]
    if len(result) != len(types):
        raise _count_error(token, len(result), len(types))
    tensors = []
    for i, (value, dtype) in enumerate(zip(result, types)):
        tensor = _graphkiln.convert_to_tensor(
            value if isinstance(value, _graphkiln.Tensor)
            else np.asarray(value)
        )
        if tensor.dtype != dtype:
            raise errors.InvalidArgumentError(
                None, _CALL_BACK,
                f"{i}-th value returned by {token} is "
                f"{_NAMES.get(tensor.dtype.name, tensor.dtype.name)}, but "
                f"expects {_NAMES.get(dtype.name, dtype.name)}",
            )
        tensors.append(tensor)
    return tensors


_NAMES = {"float64": "double", "float32": "float", "float16": "half"}


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
    types, is_list = _types(Tout)
    inputs = [_graphkiln.convert_to_tensor(x) for x in inp or ()]
    graph = _graphkiln.current_graph()
    if graph is None:
        return _eager_arrays(func(*map(_array, inputs)))
    callback = _Callback(
        lambda token, values: _from_arrays(
            token, func(*map(_array_or_scalar, values)), types
        )
    )
    _keep(graph, callback)
    op = raw_ops.PyFunc if stateful else raw_ops.PyFuncStateless
    with _on_host():
        results = op(
            input=inputs, token=callback.token, Tout=types, name=name
        )
    return _pack(results, is_list)


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
