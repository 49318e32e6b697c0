"""Functions of a saved model: called like the Python functions that were saved,
they run one of the traces that were."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import Function, Tensor, TensorSpec, TypeSpec, Variable
from graphkiln._src.types.spec_messages import structure_of_message

_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


class SavedTrace:
    """One trace of a file: takes a structure and gives one.

    Args:
      model: the core's model.
      name: of the function in the file.
      saved: its SavedConcreteFunction.
    """

    def __init__(self, model: Any, name: str, saved: Any) -> None:
        self._model = model
        self.name = name
        signature = structure_of_message(saved.canonicalized_input_signature)
        self.args, self.kwargs = signature or ((), {})
        self._outputs = structure_of_message(saved.output_signature)

    def serves(self, args: tuple, kwargs: dict, exactly: bool) -> bool:
        """Was it traced for such values? If not `exactly`, for such as they
        become: tensors."""
        given, wanted = (args, kwargs), (self.args, self.kwargs)
        try:
            nest.assert_same_structure(wanted, given, expand_composites=False)
        except (TypeError, ValueError):
            return False
        return all(
            _fits(spec, value, exactly)
            for spec, value in zip(
                nest.flatten(wanted), nest.flatten(given), strict=False
            )
        )

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        tensors: list[Any] = []
        wanted, given = (self.args, self.kwargs), (args, kwargs)
        for spec, value in zip(nest.flatten(wanted), nest.flatten(given), strict=False):
            if not isinstance(spec, TypeSpec):
                continue
            if isinstance(spec, TensorSpec):
                value = _graphkiln.convert_to_tensor(value, dtype=spec.dtype)
            for part in nest.flatten(value, expand_composites=True):
                if isinstance(part, Variable) and spec.dtype != part.dtype:
                    part = part.handle
                tensors.append(part)
        results = iter(self._model.call(self.name, tensors))
        return nest.map_structure(lambda spec: _result(spec, results), self._outputs)

    def signature_text(self) -> str:
        """What it takes, as explanations show it."""
        return _call_text(self.args, self.kwargs)


def _result(spec: Any, results: Iterator[Tensor]) -> Any:
    """The value of a spec, made of the next results."""
    if not isinstance(spec, TypeSpec):
        return spec
    parts = []
    for part in nest.flatten(spec, expand_composites=True):
        value = None if part is None else next(results)
        if isinstance(part, TensorSpec):
            value.set_shape(part.shape)
        parts.append(value)
    return nest.pack_sequence_as(spec, parts, expand_composites=True)


def _fits(spec: Any, value: Any, exactly: bool) -> bool:
    if isinstance(spec, TensorSpec):
        return _fits_tensor(spec, value, exactly)
    if isinstance(spec, TypeSpec):
        return spec.is_compatible_with(value)
    if isinstance(value, Tensor | TypeSpec | Variable):
        return False
    return type(spec) is type(value) and spec == value


def _fits_tensor(spec: TensorSpec, value: Any, exactly: bool) -> bool:
    if isinstance(value, Variable) and not exactly:
        value = value.value()
    if not isinstance(value, Tensor | TensorSpec):
        if exactly or value is None or isinstance(value, TypeSpec):
            return False
        try:
            value = _graphkiln.convert_to_tensor(value, dtype_hint=spec.dtype)
        except (TypeError, ValueError):
            return False
    return value.dtype == spec.dtype and spec.shape.is_compatible_with(value.shape)


def _call_text(args: tuple, kwargs: dict) -> str:
    lines = [f"Positional arguments ({len(args)} total):"]
    lines += [f"    * {value!r}" for value in args]
    return "\n".join(lines) + f"\n  Keyword arguments: {kwargs!r}"


def _mismatch(name: str, args: tuple, kwargs: dict, traces: list[SavedTrace]) -> str:
    options = "\n\n".join(
        f"Option {i + 1}:\n  {trace.signature_text()}" for i, trace in enumerate(traces)
    )
    return (
        "Could not find matching concrete function to call loaded from the "
        f"SavedModel. Got:\n  {_call_text(args, kwargs)}\n\n Expected these "
        f"arguments to match one of the following {len(traces)} option(s):\n\n"
        f"{options}"
    )


def _signature(spec: Any) -> inspect.Signature:
    """The parameters that a FunctionSpec tells of, without `self`."""
    fields = {
        pair.key: structure_of_message(pair.value)
        for pair in spec.fullargspec.named_tuple_value.values
    }
    names = list(fields.get("args") or [])
    defaults = list(fields.get("defaults") or [])
    if spec.is_method and names and names[0] == "self":
        names = names[1:]
    parameters = []
    for i, name in enumerate(names):
        at = i - (len(names) - len(defaults))
        default = defaults[at] if at >= 0 else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, _POSITIONAL, default=default))
    if fields.get("varargs"):
        kind = inspect.Parameter.VAR_POSITIONAL
        parameters.append(inspect.Parameter(fields["varargs"], kind))
    named_defaults = fields.get("kwonlydefaults") or {}
    for name in fields.get("kwonlyargs") or []:
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=named_defaults.get(name, inspect.Parameter.empty),
            )
        )
    if fields.get("varkw"):
        kind = inspect.Parameter.VAR_KEYWORD
        parameters.append(inspect.Parameter(fields["varkw"], kind))
    return inspect.Signature(parameters)


def _plain_name(name: str) -> str:
    """ "f" of "__inference_f_12"."""
    found = re.fullmatch(r"__inference_(.*?)(?:_\d+)?", name)
    return found.group(1) if found and found.group(1) else "function"


def _traced(
    traces: list[SavedTrace], name: str, signature: Any, input_signature: Any = None
) -> Function:
    """A Function that has the traces, each for what it was saved for."""
    adopted: list[SavedTrace | None] = [None]

    def body(*args: Any, **kwargs: Any) -> Any:
        trace = adopted[0]
        if trace is None:
            trace = _matching(traces, args, kwargs)
        if trace is None:
            raise ValueError(_mismatch(name, args, kwargs, traces))
        return trace(args, kwargs)

    body.__name__ = name
    body.__signature__ = signature
    options: dict[str, Any] = {"autograph": False}
    if input_signature is not None and len(traces) == 1 and not traces[0].kwargs:
        # With the names of the arguments.
        options["input_signature"] = traces[0].args
    made = Function(body, options)
    for trace in traces:
        adopted[0] = trace
        try:
            made.get_concrete_function(*trace.args, **trace.kwargs)
        finally:
            adopted[0] = None
    return made


def _matching(traces: list[SavedTrace], args: tuple, kwargs: dict) -> SavedTrace | None:
    for exactly in (True, False):
        for trace in traces:
            if trace.serves(args, kwargs, exactly):
                return trace
    return None


def restored_function(
    model: Any, names: list[str], spec: Any, saved: Callable[[str], Any]
) -> Function:
    """The Function of a SavedFunction.

    Args:
      model: the core's model.
      names: of its traces.
      spec: its FunctionSpec.
      saved: gives the SavedConcreteFunction of a name.
    """
    traces = [SavedTrace(model, name, saved(name)) for name in names]
    plain = _plain_name(names[0]) if names else "function"
    input_signature = structure_of_message(spec.input_signature)
    return _traced(traces, plain, _signature(spec), input_signature)


def restored_concrete_function(model: Any, bare: Any, saved: Any) -> Any:
    """The ConcreteFunction of a SavedBareConcreteFunction."""
    name = bare.concrete_function_name
    trace = SavedTrace(model, name, saved)
    names = list(trace.kwargs)
    if bare.HasField("function_spec") and not names:
        signature = _signature(bare.function_spec)
    else:
        keyword = inspect.Parameter.KEYWORD_ONLY
        signature = inspect.Signature(
            [
                *(
                    inspect.Parameter(f"arg{i}", _POSITIONAL)
                    for i in range(len(trace.args))
                ),
                *(inspect.Parameter(key, keyword) for key in sorted(names)),
            ]
        )
    made = _traced([trace], _plain_name(name), signature)
    concrete = made.get_concrete_function(*trace.args, **trace.kwargs)
    if names:
        concrete._num_positional_args = bare.allowed_positional_arguments
    return concrete
