"""Dtypes, shapes and specs as protobuf messages, and back."""

from __future__ import annotations

from collections.abc import Mapping

from graphkiln import _graphkiln, _proto, nest
from graphkiln._graphkiln import DType, TensorShape, TensorSpec, TraceType, TypeSpec
from graphkiln._src.types.spec_names import NAME_TO_TYPE_SPEC, TYPE_SPEC_TO_NAME

# The kinds of specs that messages know by a number.
_KINDS = {
    "SparseTensorSpec": "SPARSE_TENSOR_SPEC",
    "IndexedSlicesSpec": "INDEXED_SLICES_SPEC",
    "RaggedTensorSpec": "RAGGED_TENSOR_SPEC",
    "TensorArraySpec": "TENSOR_ARRAY_SPEC",
    "DatasetSpec": "DATA_DATASET_SPEC",
    "IteratorSpec": "DATA_ITERATOR_SPEC",
    "OptionalSpec": "OPTIONAL_SPEC",
    "VariableSpec": "VARIABLE_SPEC",
    "RowPartitionSpec": "ROW_PARTITION_SPEC",
}
_REGISTERED = {
    "NoneTensorSpec": "tf.NoneTensorSpec",
    "DynamicRaggedShapeSpec": "tf.DynamicRaggedShape.Spec",
}


def _shape_message(shape: TensorShape) -> object:
    return shape.as_proto()


def _tensor_spec_message(spec: TensorSpec) -> object:
    return _proto.TensorSpecProto(
        name=spec.name or "",
        shape=_shape_message(spec.shape),
        dtype=spec.dtype.as_datatype_enum,
    )


def _encode(value: object) -> object:
    """A value as a StructuredValue."""
    made = _proto.StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(_shape_message(value))
    elif isinstance(value, DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        made.tensor_spec_value.CopyFrom(_tensor_spec_message(value))
    elif isinstance(value, TypeSpec):
        made.type_spec_value.CopyFrom(_spec_message(value))
    elif isinstance(value, TraceType) and value.kind == "variable":
        spec = _graphkiln.VariableSpec(
            value.shape, value.dtype, value.trainable, value.alias_id
        )
        made.type_spec_value.CopyFrom(_spec_message(spec))
    elif isinstance(value, list):
        made.list_value.values.extend(_encode(v) for v in value)
        made.list_value.SetInParent()
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = made.named_tuple_value
        pairs.name = type(value).__name__
        for key in value._fields:
            pairs.values.add(key=key, value=_encode(getattr(value, key)))
    elif isinstance(value, tuple):
        made.tuple_value.values.extend(_encode(v) for v in value)
        made.tuple_value.SetInParent()
    elif isinstance(value, Mapping):
        for key, part in value.items():
            made.dict_value.fields[key].CopyFrom(_encode(part))
        made.dict_value.SetInParent()
    else:
        raise TypeError(f"No encoder for object {value!r} of type {type(value)}.")
    return made


def _spec_message(spec: TypeSpec) -> object:
    cls = type(spec)
    message = _proto.TypeSpecProto()
    if cls.__name__ in _KINDS:
        message.type_spec_class = getattr(message, _KINDS[cls.__name__])
        message.type_spec_class_name = cls.__name__
    elif isinstance(spec, _graphkiln.ExtensionTypeSpec):
        message.type_spec_class = message.EXTENSION_TYPE_SPEC
        message.type_spec_class_name = _extension_name(spec)
    elif cls.__name__ in _REGISTERED:
        message.type_spec_class = message.REGISTERED_TYPE_SPEC
        message.type_spec_class_name = _REGISTERED[cls.__name__]
    elif cls in TYPE_SPEC_TO_NAME:
        message.type_spec_class = message.REGISTERED_TYPE_SPEC
        message.type_spec_class_name = TYPE_SPEC_TO_NAME[cls]
    else:
        raise ValueError(f"TypeSpec {cls.__name__} has not been registered.")
    message.type_state.CopyFrom(_encode(spec._serialize()))
    message.num_flat_components = len(
        nest.flatten(spec._component_specs, expand_composites=True)
    )
    return message


def _extension_name(spec: TypeSpec) -> str:
    return f"{_own_name(spec.value_type)}.Spec"


def _own_name(extension_type: type | None) -> str:
    """The name that an extension type was given for messages, or its own."""
    if extension_type is None:
        return ""
    return vars(extension_type).get("__name__", extension_type.__name__)


def _below(cls: type) -> list[type]:
    return [c for s in cls.__subclasses__() for c in (s, *_below(s))]


def class_of_spec(name: str) -> type:
    """The class of specs that messages know by this name.

    Raises ValueError if there is none."""
    known = {c.__name__: c for c in _below(TypeSpec)}
    if name in _KINDS:
        return known[name]
    for own, registered in _REGISTERED.items():
        if registered == name:
            return known[own]
    if name in NAME_TO_TYPE_SPEC:
        return NAME_TO_TYPE_SPEC[name]
    for cls in reversed(_below(_graphkiln.ExtensionTypeSpec)):
        if f"{_own_name(getattr(cls, 'value_type', None))}.Spec" == name:
            return cls
    raise ValueError(
        f"The type '{name}' has not been registered. It must be registered "
        "before you load this object (typically by importing its module)."
    )


def encode_structure(nested_structure: object) -> object:
    """How a value nests, with specs and plain values, as a StructuredValue.

    Args:
      nested_structure: of lists, tuples, dicts, shapes, dtypes, specs, numbers and
        strings.

    Raises:
      TypeError: there is a value of another kind.

    >>> internal = tf.__internal__.saved_model
    >>> message = internal.encode_structure([tf.TensorShape([1, None]), tf.int32])
    >>> internal.decode_proto(message)
    [TensorShape([1, None]), tf.int32]
    """
    return _encode(nested_structure)


def decode_proto(proto: object) -> object:
    """The value that `encode_structure` encoded.

    >>> internal = tf.__internal__.saved_model
    >>> internal.decode_proto(internal.encode_structure({"a": (1, True)}))
    {'a': (1, True)}
    """
    return _graphkiln._structured_value(proto.SerializeToString())


def as_message(value: object) -> object:
    """A dtype, shape or spec as a message."""
    if isinstance(value, DType):
        return _proto.SerializedDType(datatype=value.as_datatype_enum)
    if isinstance(value, TensorShape):
        return _shape_message(value)
    if isinstance(value, TensorSpec):
        return _tensor_spec_message(value)
    return _spec_message(value)


def from_message(cls: type, message: object) -> object:
    """What a message of that class tells of."""
    if issubclass(cls, DType):
        return _graphkiln.as_dtype(message.datatype)
    if issubclass(cls, TensorShape):
        return _graphkiln._shape_of_message(message.SerializeToString())
    if issubclass(cls, TensorSpec):
        return _graphkiln._tensor_spec_of_message(message.SerializeToString())
    return _graphkiln._spec_of_message(message.SerializeToString())


def class_of_messages(cls: type) -> type:
    """The class of messages of that class."""
    for kind, message in (
        (DType, _proto.SerializedDType),
        (TensorShape, _proto.TensorShapeProto),
        (TensorSpec, _proto.TensorSpecProto),
    ):
        if issubclass(cls, kind):
            return message
    return _proto.TypeSpecProto


_graphkiln.provide(as_message, from_message, class_of_messages, class_of_spec)
