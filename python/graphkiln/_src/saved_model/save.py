"""tf.saved_model.save."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Mapping
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import ConcreteFunction, Function
from graphkiln._src.checkpoint.sharding import policy_of
from graphkiln._src.checkpoint.trackable import is_trackable
from graphkiln._src.host.logging import get_logger
from graphkiln._src.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from graphkiln._src.saved_model.dependencies import check_dependencies
from graphkiln._src.saved_model.exported_objects import (
    ExportProtocol,
    output_specs,
    trace_of,
    traces_to_save,
    without_wrapper,
)
from graphkiln._src.saved_model.late_functions import SignatureMap
from graphkiln._src.saved_model.options import SaveOptions

_DEFAULT_ATTRIBUTE = "_default_save_signature"
_SIGNATURES = "signatures"
_SHOWN_UNTRACED = 5


def _concrete(function: Any) -> Any:
    """The one trace that a signature can be of, or None."""
    function = without_wrapper(function)
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    return None


def _gives_named_tensors(concrete: Any) -> bool:
    outputs = output_specs(concrete)
    if outputs is None:
        return False
    if isinstance(outputs, Mapping):
        outputs = list(outputs.values())
    if not isinstance(outputs, list | tuple):
        outputs = [outputs]
    return all(isinstance(o, _graphkiln.TypeSpec) for o in outputs)


def _property_of(obj: Any, name: str) -> Any:
    """What an attribute is that may be a property; None where that fails, as
    TensorFlow takes it: Keras has no default signature for some models."""
    try:
        return getattr(obj, name, None)
    except Exception:
        return None


def _function_to_export(children: dict[str, Any]) -> Any:
    """What is saved as a signature if none was asked for: the only function that
    can be one."""
    if _DEFAULT_ATTRIBUTE in children:
        return children[_DEFAULT_ATTRIBUTE]
    possible = []
    for child in children.values():
        if not isinstance(child, Function | ConcreteFunction):
            continue
        concrete = _concrete(child)
        if concrete is not None and _gives_named_tensors(concrete):
            possible.append(child)
    return possible[0] if len(possible) == 1 else None


def _check_reserved(obj: Any, protocol: ExportProtocol) -> None:
    """Raises if the place of the signatures of a loaded model is taken."""
    for name, child in protocol.children(obj):
        if name == _SIGNATURES and not isinstance(child, SignatureMap):
            raise ValueError(
                f"Exporting an object {obj} which has an attribute named "
                f"'{name}'. This is a reserved attribute used to store SavedModel "
                "signatures in objects which come from `tf.saved_model.load`. Delete "
                f"this attribute (e.g. `del obj.{name}`) before saving if this "
                "shadowing is acceptable."
            )


def _signatures(signatures: Any) -> list[tuple[str, Any, dict[str, Any]]]:
    if signatures is None:
        return []
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    found = []
    for key, function in signatures.items():
        if not isinstance(key, str):
            raise ValueError(
                "The names of signatures are strings: got the dictionary key "
                f"{key!r}, of type {type(key)}"
            )
        concrete = _concrete(function)
        if concrete is None:
            raise ValueError(
                "Expected a TensorFlow function for which to generate a signature, "
                f"but got {function}. Only `tf.functions` with an input signature or "
                "concrete functions can be used as a signature."
            )
        found.append((key, trace_of(concrete), _defaults(function, concrete)))
    return found


def _defaults(function: Any, concrete: Any) -> dict[str, Any]:
    """Values of arguments that need not be passed, by name."""
    if not isinstance(function, Function):
        return {}
    args, _ = concrete.structured_input_signature
    names = iter(concrete._arg_keywords)
    parameters = list(inspect.signature(function).parameters.values())
    defaults = {}
    for parameter, spec in zip(parameters, args, strict=False):
        specs = [
            s
            for s in nest.flatten(spec, expand_composites=True)
            if isinstance(s, _graphkiln.TensorSpec)
        ]
        own = [next(names, spec.name) for spec in specs]
        default = parameter.default
        if default is inspect.Parameter.empty or default is None:
            continue
        values = nest.flatten(default, expand_composites=True)
        if len(values) != len(specs):
            continue
        for name, part, value in zip(own, specs, values, strict=True):
            defaults[name] = _graphkiln.convert_to_tensor(value, dtype=part.dtype)
    return defaults


def _aliased(functions: Any) -> list[Any]:
    """The ConcreteFunctions that an alias is of."""
    if isinstance(functions, ConcreteFunction):
        return [functions]
    if isinstance(functions, Function):
        return traces_to_save(functions)
    if isinstance(functions, list):
        return [concrete for one in functions for concrete in _aliased(one)]
    raise TypeError(
        f"Unsupported type f{type(functions)}. Functions in `function_aliases` should "
        "be created by tf.function, or concrete functions, or lists of concrete "
        "functions."
    )


def save(
    obj: Any,
    export_dir: str | os.PathLike,
    signatures: Any = None,
    options: SaveOptions | None = None,
) -> None:
    """Writes an object and what is in it: variables, functions with all their
    traces, tables, files, modules, lists and dictionaries.

    `tf.saved_model.load` loads the folder, here and in TensorFlow, as do
    TensorFlow's servers and C++ programs; none of them needs the Python code.

    Args:
      obj: a tf.Module, or another object that a checkpoint can hold.
      export_dir: the folder, made if it is not there.
      signatures: what servers call: a Function that has an input signature, a
        ConcreteFunction, or a dictionary of such by name. By default the only
        function of `obj` that can be one.
      options: a tf.saved_model.SaveOptions.

    Raises:
      ValueError: `obj` cannot be saved, or a signature is none, or what objects
        need when they are loaded is not saved or needs them.
      AssertionError: called while a function is traced; or a signature uses a
        variable that is not in reach of `obj`; the message names both.
      KeyError: a function that is no signature does.
      TypeError: a trace takes what has no lasting form.

    >>> import tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    ...     def __call__(self, x):
    ...         return {"scaled": self.factor * x}
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Scale(), folder)
    >>> loaded = tf.saved_model.load(folder)
    >>> serve = loaded.signatures["serving_default"]
    >>> serve(x=tf.constant([2.0]))["scaled"].numpy().tolist()
    [6.0]
    """
    save_objects(obj, export_dir, signatures, options)


def save_objects(
    obj: Any,
    export_dir: str | os.PathLike,
    signatures: Any,
    options: SaveOptions | None,
) -> ExportProtocol:
    """Saves a model, and gives what told the core of its objects."""
    with _graphkiln.SavingScope():
        return _save_objects(obj, export_dir, signatures, options)


def _save_objects(
    obj: Any,
    export_dir: str | os.PathLike,
    signatures: Any,
    options: SaveOptions | None,
) -> ExportProtocol:
    if _graphkiln.inside_function():
        raise AssertionError(
            "tf.saved_model.save is not supported inside a traced @tf.function. "
            "Move the call to the outer eagerly-executed context."
        )
    if not is_trackable(obj):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a "
            "subclass of the `Trackable` class, for export. Got "
            f"{obj} with type {type(obj)}."
        )
    options = options or SaveOptions()
    protocol = ExportProtocol(export_dir)
    _check_reserved(obj, protocol)
    check_dependencies(obj, protocol.children, protocol.dependencies)
    if signatures is None:
        children = dict(protocol.children(obj))
        default = _property_of(obj, _DEFAULT_ATTRIBUTE)
        if isinstance(default, Function | ConcreteFunction):
            children[_DEFAULT_ATTRIBUTE] = default
        signatures = _function_to_export(children)
    aliases = [
        (concrete, alias)
        for alias, function in options.function_aliases.items()
        for concrete in _aliased(function)
    ]
    _graphkiln._save_model(
        obj,
        protocol,
        _signatures(signatures),
        os.fspath(export_dir),
        list(options.extra_tags or []),
        options.experimental_skip_saver,
        options.experimental_variable_policy.value is not None,
        options.experimental_custom_gradients,
        aliases,
        policy_of(options.experimental_sharding_callback),
        options.save_debug_info,
        bool(options.experimental_debug_stripper),
        options.namespace_whitelist,
    )
    if protocol.without_values:
        get_logger().warning(
            "%d loaded object(s) had values that a registered saver (%s) wrote, which "
            "this program does not have: they are saved without these values.",
            len(protocol.without_values),
            ", ".join(sorted(set(protocol.without_values))),
        )
    if protocol.untraced:
        shown = protocol.untraced[:_SHOWN_UNTRACED]
        # TensorFlow's module logs through absl's logger.
        logging.getLogger("absl").info(
            "Found untraced functions such as %s while saving (showing %d of %d). "
            "These functions will not be directly callable after loading.",
            ", ".join(shown),
            len(shown),
            len(protocol.untraced),
        )
    return protocol
