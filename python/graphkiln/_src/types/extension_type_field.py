"""Fields of extension types: which annotations are understood, and the
conversion of values to them."""

import collections.abc
import types
import typing

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import DType, Tensor, TensorShape, TensorSpec
from graphkiln._src.types.type_spec import CompositeTensor, TypeSpec

NO_DEFAULT = object()
_PLAIN = (int, float, str, bytes, bool, type(None))


class ImmutableDict(collections.abc.Mapping):
    """A mapping that does not change."""

    __slots__ = ("_items",)

    def __init__(self, *args, **kwargs):
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._items[key]

    def __contains__(self, key) -> bool:
        return key in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


class Field(typing.NamedTuple):
    """One field of an extension type."""

    name: str
    value_type: object
    default: object = NO_DEFAULT


def _arguments(value_type: object) -> tuple:
    return typing.get_args(value_type)


def _is_union(value_type: object) -> bool:
    return typing.get_origin(value_type) in (typing.Union, types.UnionType)


def _is_tuple(value_type: object) -> bool:
    return typing.get_origin(value_type) is tuple


def _is_mapping(value_type: object) -> bool:
    return typing.get_origin(value_type) is collections.abc.Mapping


def _is_unresolved(value_type: object) -> bool:
    return isinstance(value_type, (str, typing.ForwardRef))


def _is_composite(value_type: object) -> bool:
    return isinstance(value_type, type) and issubclass(
        value_type, CompositeTensor
    )


def check_annotation(value_type: object) -> bool:
    """TypeError unless values can be of that type; False if it names
    something that is not defined yet."""
    if _is_unresolved(value_type):
        return False
    if (
        value_type is None
        or value_type in _PLAIN
        or value_type in (Tensor, TensorShape, DType)
        or _is_composite(value_type)
    ):
        return True
    parts = _arguments(value_type)
    if _is_tuple(value_type) and (
        parts or "()" in repr(value_type)
    ):
        if len(parts) == 2 and parts[1] is Ellipsis:
            parts = parts[:1]
        return all([check_annotation(part) for part in parts])
    if (_is_mapping(value_type) or _is_union(value_type)) and parts:
        return all([check_annotation(part) for part in parts])
    if isinstance(value_type, type) and not parts:
        raise TypeError(
            f"Unsupported type annotation {value_type.__name__!r}"
        )
    raise TypeError(f"Unsupported type annotation {value_type!r}")


def _wrong(path: str, expected: str, value: object) -> TypeError:
    return TypeError(
        f"{path}: expected {expected}, got {type(value).__name__!r}"
    )


def convert(
    value: object, value_type: object, path: str, as_spec: bool = False
) -> object:
    """`value` as one of the type; `as_spec`: as what a spec holds of it.

    Raises TypeError that names the `path` of the part that does not fit.
    """
    if _is_unresolved(value_type):
        raise TypeError(f"{path}: unresolved forward reference {value_type!r}")
    if value_type is None or value_type is type(None):
        if value is not None:
            raise _wrong(path, "'NoneType'", value)
        return None
    if value_type in _PLAIN:
        if not isinstance(value, value_type):
            raise _wrong(path, repr(value_type.__name__), value)
        return value
    if value_type is Tensor:
        return _tensor(value, path, as_spec)
    if value_type is TensorShape:
        try:
            return TensorShape(value)
        except (TypeError, ValueError):
            raise _wrong(path, "'tf.TensorShape'", value) from None
    if value_type is DType:
        try:
            return _graphkiln.as_dtype(value)
        except (TypeError, ValueError):
            raise _wrong(path, "'tf.DType'", value) from None
    if _is_composite(value_type):
        return _composite(value, value_type, path, as_spec)
    if _is_tuple(value_type):
        return _tuple(value, _arguments(value_type), path, as_spec)
    if _is_mapping(value_type):
        return _mapping(value, _arguments(value_type), path, as_spec)
    return _union(value, value_type, path, as_spec)


def _tensor(value: object, path: str, as_spec: bool) -> object:
    if as_spec:
        if not isinstance(value, TensorSpec):
            raise _wrong(path, "a TensorSpec", value)
        return value
    if isinstance(value, Tensor):
        return value
    try:
        return _graphkiln.convert_to_tensor(value)
    except (TypeError, ValueError):
        raise _wrong(path, "a Tensor", value) from None


def _composite(
    value: object, value_type: type, path: str, as_spec: bool
) -> object:
    name = repr(value_type.__name__)
    if as_spec:
        if not isinstance(value, TypeSpec) or not issubclass(
            value.value_type, value_type
        ):
            raise _wrong(path, f"a TypeSpec of {name}", value)
        return value
    if not isinstance(value, value_type):
        raise _wrong(path, name, value)
    return value


def _tuple(value: object, parts: tuple, path: str, as_spec: bool) -> tuple:
    if not isinstance(value, collections.abc.Sequence):
        raise _wrong(path, "tuple", value)
    if len(parts) == 2 and parts[1] is Ellipsis:
        parts = parts[:1] * len(value)
    if len(parts) != len(value):
        raise TypeError(
            f"{path}: expected tuple with length {len(parts)}, got {value!r}"
        )
    return tuple(
        convert(item, part, f"{path}[{i}]", as_spec)
        for i, (item, part) in enumerate(zip(value, parts))
    )


def _mapping(
    value: object, parts: tuple, path: str, as_spec: bool
) -> ImmutableDict:
    if not isinstance(value, collections.abc.Mapping):
        raise _wrong(path, "mapping", value)
    key_type, item_type = parts
    return ImmutableDict(
        (
            convert(key, key_type, f"{path}[<key>]", as_spec),
            convert(item, item_type, f"{path}[{key!r}]", as_spec),
        )
        for key, item in value.items()
    )


def _union(
    value: object, value_type: object, path: str, as_spec: bool
) -> object:
    parts = _arguments(value_type)
    # What needs no conversion comes first.
    for part in sorted(
        parts, key=lambda t: not (isinstance(t, type) and type(value) is t)
    ):
        if part is Tensor and not as_spec and isinstance(
            value, CompositeTensor
        ):
            continue
        try:
            return convert(value, part, path, as_spec)
        except TypeError:
            pass
    raise _wrong(path, str(value_type), value)


def spec_of(value: object) -> object:
    """What a spec holds of the value of a field."""
    return nest.map_structure(
        lambda leaf: (
            TensorSpec(leaf.shape, leaf.dtype)
            if isinstance(leaf, Tensor)
            else leaf._type_spec if isinstance(leaf, CompositeTensor)
            else leaf
        ),
        value,
    )
