"""What a saved model sees of Python's objects: the answers to the core's questions
(ExportedObject)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

from graphkiln import _graphkiln, _proto, nest
from graphkiln._graphkiln import (
    ConcreteFunction,
    Function,
    TensorSpec,
    Variable,
    type_spec_from_value,
)
from graphkiln._src.checkpoint.auto_trackable import AutoTrackable
from graphkiln._src.checkpoint.graph_checkpoints import session_for
from graphkiln._src.checkpoint.objects import (
    Protocol,
    held_variable,
    named_children,
    named_parts,
)
from graphkiln._src.checkpoint.trackable import is_trackable
from graphkiln._src.function.function import function
from graphkiln._src.function.wrapped_function import WrappedFunction
from graphkiln._src.graph.tensor_message import make_tensor_proto
from graphkiln._src.internal import revived_types
from graphkiln._src.lookup.tables import (
    LookupInterface,
    StaticHashTable,
    StaticVocabularyTable,
)
from graphkiln._src.saved_model.dataset_tracker import DatasetTracker, is_dataset
from graphkiln._src.saved_model.late_functions import late_names
from graphkiln._src.saved_model.resources import (
    SAVED_AS,
    Asset,
    RestoredResource,
    TrackableResource,
)
from graphkiln._src.types.spec_messages import encode_structure
from graphkiln._src.variables.module import Module

_NONE = encode_structure(None)
_JIT = {None: 0, True: 1, False: 2}
# What is asked of objects that say what is in them.
_SAVE_TYPE = "savedmodel"


def output_specs(concrete: Any) -> Any:
    """What a ConcreteFunction gives, with specs for values."""

    def spec(value: Any) -> Any:
        # Loaded functions say specs themselves.
        if value is None or isinstance(value, _graphkiln.TypeSpec):
            return value
        return type_spec_from_value(value)

    return nest.map_structure(spec, concrete.structured_outputs)


def trace_of(concrete: Any) -> tuple[Any, bytes, bytes]:
    """A ConcreteFunction with what it takes and gives, for the core.

    Raises:
      TypeError: an argument has no lasting form.
    """
    try:
        inputs = encode_structure(concrete.structured_input_signature)
        outputs = encode_structure(output_specs(concrete))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{concrete.name.decode()} cannot be saved: {error} Functions that are "
            "saved take and give tensors, composites of them, numbers, texts and "
            "None, in lists, tuples and dictionaries."
        ) from None
    return concrete, inputs.SerializeToString(), outputs.SerializeToString()


def _encodable(value: Any) -> Any:
    """A default as a message; None if it has no lasting form."""
    if isinstance(value, _graphkiln.EagerTensor):
        return _proto.StructuredValue(tensor_value=make_tensor_proto(value.numpy()))
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        return _proto.StructuredValue(numpy_value=make_tensor_proto(value))
    try:
        return encode_structure(value)
    except (TypeError, ValueError):
        return None


def _function_spec(value: Any) -> Any:
    """The parameters of a Function as a FunctionSpec."""
    args: list[str] = []
    defaults: list[Any] = []
    named: list[str] = []
    named_defaults = _proto.StructuredValue()
    names = {"varargs": None, "varkw": None}
    for p in inspect.signature(value).parameters.values():
        has_default = p.default is not inspect.Parameter.empty
        default = _encodable(p.default) if has_default else None
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            names["varargs"] = p.name
        elif p.kind is inspect.Parameter.VAR_KEYWORD:
            names["varkw"] = p.name
        elif p.kind is inspect.Parameter.KEYWORD_ONLY:
            named.append(p.name)
            if default is not None:
                named_defaults.dict_value.fields[p.name].CopyFrom(default)
        else:
            args.append(p.name)
            # Those before one without a default have none either.
            defaults = [*defaults, default] if default is not None else []
    spec = _proto.FunctionSpec()
    full = spec.fullargspec.named_tuple_value
    full.name = "FullArgSpec"
    all_defaults = _proto.StructuredValue()
    all_defaults.tuple_value.values.extend(defaults)
    if not named_defaults.HasField("dict_value"):
        named_defaults = _NONE
    annotations = encode_structure({})
    for key, message in (
        ("args", encode_structure(args)),
        ("varargs", encode_structure(names["varargs"])),
        ("varkw", encode_structure(names["varkw"])),
        ("defaults", all_defaults if defaults else _NONE),
        ("kwonlyargs", encode_structure(named)),
        ("kwonlydefaults", named_defaults),
        ("annotations", annotations),
    ):
        full.values.add(key=key, value=message)
    if value._jit_compile is not None:
        spec.jit_compile = spec.ON if value._jit_compile else spec.OFF
    signature = value.input_signature
    spec.input_signature.CopyFrom(
        _NONE if signature is None else encode_structure(tuple(signature))
    )
    spec.jit_compile = _JIT.get(getattr(value, "_jit_compile", None), 0)
    return spec


def without_wrapper(value: Any) -> Any:
    """The ConcreteFunction in place of a function of part of a graph."""
    return value._part() if isinstance(value, WrappedFunction) else value


def _late_parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The functions and datasets among the attributes of an object and its class,
    those that properties give among them; not what its class tells of itself."""
    own = getattr(value, "__dict__", {})
    told = Function | ConcreteFunction if isinstance(value, AutoTrackable) else ()
    found: dict[str, None] = {}
    for cls in reversed(type(value).__mro__):
        for name, member in vars(cls).items():
            if isinstance(member, Function | property):
                found[name] = None
            else:
                found.pop(name, None)
    found.update(
        (name, None) for name, part in own.items() if not isinstance(part, told)
    )
    found.update(dict.fromkeys(late_names(value)))
    for name in sorted(found):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                member = getattr(value, name, None)
        except Exception:  # noqa: BLE001 - of a property that does not work now
            continue
        if isinstance(member, Function | ConcreteFunction | WrappedFunction):
            yield name, without_wrapper(member)
        elif is_dataset(member):
            yield name, member


class ExportProtocol(Protocol):
    """Answers the core, during the saving of one model."""

    def __init__(self, folder: Any) -> None:
        super().__init__()
        self._folder = folder
        # Objects that are made for the file, by what they are made of.
        self._made: dict[int, tuple[Any, Any]] = {}
        self._late: dict[int, tuple[Any, list]] = {}
        self._children: dict[int, tuple[Any, list]] = {}
        self._dependencies: dict[int, tuple[Any, dict]] = {}
        # Classes keep here what they make to be saved, by names of their own.
        self._kept: dict[Any, Any] = {}
        self.untraced: list[str] = []
        # The registered savers of objects whose values are not saved.
        self.without_values: list[str] = []

    def _once(self, value: Any, make: Any) -> Any:
        if id(value) not in self._made:
            self._made[id(value)] = value, make()
        return self._made[id(value)][1]

    def _late_parts(self, value: Any) -> list[tuple[str, Any]]:
        # Once: properties may give other ones each time.
        if id(value) not in self._late:
            self._late[id(value)] = value, list(_late_parts_of(value))
        return self._late[id(value)][1]

    def children(self, value: Any) -> list[tuple[str, Any]]:
        # Once: objects may make them when they are asked.
        if id(value) not in self._children:
            self._children[id(value)] = value, self._children_of(value)
        return self._children[id(value)][1]

    def dependencies(self, value: Any) -> dict[str, Any]:
        """What has to be there before an object is loaded, by its names for them."""
        if id(value) not in self._dependencies:
            ask = getattr(type(value), "_deserialization_dependencies", None)
            found = {} if ask is None else ask(value, dict(self.children(value)))
            self._dependencies[id(value)] = value, dict(found)
        return self._dependencies[id(value)][1]

    def _children_of(self, value: Any) -> list[tuple[str, Any]]:
        if isinstance(value, Function | ConcreteFunction | Asset):
            return []
        if is_dataset(value):
            tracker = self._once(value, lambda: DatasetTracker(value))
            return [("_variant_tracker", tracker)]
        if isinstance(value, DatasetTracker):
            return self._once(value, lambda: [*value.assets(), *value.functions()])
        if isinstance(value, StaticVocabularyTable):
            return [] if value._table is None else [("_table", value._table)]
        if isinstance(value, LookupInterface):
            own = self._once(value, lambda: _resource_functions(value))
            return [*value._trackable_children().items(), *own]
        if isinstance(value, RestoredResource):
            return [*self._late_parts(value), *named_children(value, _SAVE_TYPE)]
        parts = list(named_parts(value, _SAVE_TYPE, cache=self._kept))
        found = {name: part for name, part in parts if is_trackable(part)}
        found.update(
            (name, without_wrapper(part)) for name, part in parts if _is_saved(part)
        )
        if isinstance(value, Module | AutoTrackable):
            found.update(self._late_parts(value))
        if isinstance(value, TrackableResource):
            found.update(self._once(value, lambda: _resource_functions(value)))
        return [(name, held_variable(part)) for name, part in found.items()]

    def values(self, value: Any) -> list[tuple[str, str, list[str]]]:
        if isinstance(value, Function | ConcreteFunction | DatasetTracker):
            return []
        if isinstance(value, StaticHashTable | StaticVocabularyTable):
            return []
        return super().values(value)

    def value_in_graph(self, variable: Any) -> Any:
        return session_for(self._folder).run(super().value_in_graph(variable))

    def facts(self, value: Any) -> dict[str, Any]:
        """Of which kind an object is, and what the core needs of it."""
        message = _proto.SavedObject()
        facts: dict[str, Any] = {
            "traces": [],
            "tensors": [],
            "asset": "",
            "dependencies": self.dependencies(value),
            "saveables": {},
        }
        if isinstance(value, Variable):
            variable = message.variable
            variable.synchronization = value.synchronization.value
            variable.aggregation = value.aggregation.value
            if _graphkiln.is_symbolic_tensor(value.handle):
                variable.dtype = value.dtype.as_datatype_enum
                variable.shape.CopyFrom(value.shape.as_proto())
                variable.trainable = value.trainable
                variable.name = value.name.removesuffix(":0")
            facts["tensors"] = [value]
        elif isinstance(value, Function):
            message.function.function_spec.CopyFrom(_function_spec(value))
            facts["traces"] = [trace_of(c) for c in traces_to_save(value)]
            if not facts["traces"]:
                self.untraced.append(value.name)
        elif isinstance(value, ConcreteFunction):
            bare = message.bare_concrete_function
            bare.argument_keywords.extend(value._arg_keywords)
            taken = value.structured_input_signature
            bare.allowed_positional_arguments = (
                value._num_positional_args if taken is None else len(taken[0])
            )
            facts["traces"] = [trace_of(value)]
        elif isinstance(value, Asset):
            message.asset.SetInParent()
            facts["tensors"] = [value.asset_path]
            facts["asset"] = _asset_file(value)
        elif isinstance(value, DatasetTracker):
            message.resource.SetInParent()
            facts["tensors"] = [value.handle]
        elif _is_resource(value):
            message.resource.SetInParent()
            if isinstance(value, StaticHashTable):
                message.registered_name = "tf.StaticHashTable"
            if value.resource_handle is not None:
                facts["tensors"] = [value.resource_handle]
            facts["saveables"] = {
                name: _saveable_functions(self, value, name, suffixes)
                for name, _, suffixes in self.values(value)
            }
        else:
            user = message.user_object
            kind = revived_types.described(value)
            if kind is not None:
                user.CopyFrom(kind)
            else:
                user.identifier = _identifier(value)
                user.version.producer = user.version.min_consumer = 1
            self._keep_registration(value, message)
        facts["message"] = message.SerializeToString()
        return facts

    def _keep_registration(self, value: Any, message: Any) -> None:
        """Programs that have the class of a loaded object find it again. What a
        saver of theirs wrote of it, nobody else can read."""
        message_before = getattr(value, "__dict__", {}).get(SAVED_AS)
        if message_before is None:
            return
        saved = _proto.SavedObject.FromString(message_before)
        message.registered_name = saved.registered_name
        if saved.HasField("serialized_user_proto"):
            message.serialized_user_proto.CopyFrom(saved.serialized_user_proto)
        if saved.registered_saver:
            self.without_values.append(saved.registered_saver)


def _is_resource(value: Any) -> bool:
    if isinstance(value, StaticVocabularyTable):
        return False
    return isinstance(value, LookupInterface | TrackableResource)


def _is_saved(value: Any) -> bool:
    """Is it saved where it is part of something? More is than checkpoints hold."""
    if isinstance(value, Function | ConcreteFunction | WrappedFunction):
        return True
    if isinstance(value, LookupInterface) or is_dataset(value):
        return True
    return is_trackable(value)


def _identifier(value: Any) -> str:
    for cls, identifier in (
        (list, "trackable_list_wrapper"),
        (tuple, "trackable_tuple_wrapper"),
        (dict, "trackable_dict_wrapper"),
    ):
        if isinstance(value, cls):
            return identifier
    own = getattr(value, "_object_identifier", None)
    return own if isinstance(own, str) else "_generic_user_object"


def _asset_file(asset: Asset) -> str:
    path = _graphkiln.get_static_value(asset.asset_path)
    if path is None:
        raise ValueError("An asset that is saved needs a path known by now.")
    return (path.item() if hasattr(path, "item") else path).decode()


def traces_to_save(value: Function) -> list[Any]:
    """The ConcreteFunctions of a Function: one with an input signature is traced
    if it was not; of others what was traced so far."""
    return list(value._trackable_children("savedmodel").values())


def _resource_functions(value: Any) -> list[tuple[str, Function]]:
    """What makes, fills and destroys a resource in a loaded model."""

    def filled() -> Any:
        value._initialize()
        return _graphkiln.convert_to_tensor(1)

    def create() -> Any:
        return value._create_resource()

    def destroy() -> Any:
        return _graphkiln.convert_to_tensor(1)

    return [
        (name, function(body, input_signature=[], autograph=False))
        for name, body in (
            ("_create_resource", create),
            ("_initialize", filled),
            ("_destroy_resource", destroy),
        )
    ]


def _saveable_functions(
    protocol: ExportProtocol, value: Any, name: str, suffixes: list[str]
) -> tuple[Any, Any]:
    """The functions that save and restore a value of a resource."""

    def save(checkpoint_key: Any) -> list[dict[str, Any]]:
        tensors = protocol.save(value)
        return [
            {
                "name": checkpoint_key + suffix,
                "slice_spec": _graphkiln.convert_to_tensor(""),
                "tensor": tensor,
            }
            for suffix, tensor in zip(suffixes, tensors, strict=False)
        ]

    def restore(*tensors: Any) -> Any:
        protocol.restore(value, {name: list(tensors)})
        return _graphkiln.convert_to_tensor(1)

    if isinstance(value, RestoredResource):
        saved, restored = value._saveable_functions[name]
        return trace_of(saved()), trace_of(restored())
    specs = [
        TensorSpec(None, tensor.dtype, f"restored_tensors_{i}")
        for i, tensor in enumerate(protocol.save(value))
    ]
    key = TensorSpec([], _graphkiln.string, "checkpoint_key")
    saver = function(save, autograph=False).get_concrete_function(key)
    restorer = function(restore, autograph=False).get_concrete_function(*specs)
    return trace_of(saver), trace_of(restorer)
