"""tf.TypeSpec: what is known of a value made of tensors before it exists.

Adds methods to the type TypeSpec, from which TensorSpec derives as well.
"""

import collections.abc
from collections.abc import Callable, Sequence

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import TensorShape, TensorSpec, TypeSpec
from graphkiln._src.types import composite

_ABSTRACT = (
    "_component_specs", "_from_components", "_serialize", "_to_components",
    "value_type",
)


def _method(function: Callable) -> Callable:
    setattr(TypeSpec, function.__name__, function)
    return function


TypeSpec.__doc__ = """Describes values that are made of tensors.

    A subclass says with `_serialize` what it is made with, with
    `_component_specs` what the tensors inside are, and takes values apart
    and together with `_to_components` and `_from_components`.
    """


def _missing(name: str) -> Callable:
    def member(self, *args):
        raise NotImplementedError(f"{type(self).__name__}.{name}")

    return member


for _name in ("_from_components", "_serialize", "_to_components"):
    setattr(TypeSpec, _name, _missing(_name))
for _name in ("_component_specs", "value_type"):
    setattr(TypeSpec, _name, property(_missing(_name)))


def _new(cls, *args, **kwargs):
    if cls is TypeSpec:
        raise TypeError(
            "Can't instantiate abstract class TypeSpec with abstract methods "
            + ", ".join(_ABSTRACT)
        )
    return object.__new__(cls)


TypeSpec.__new__ = staticmethod(_new)


@classmethod
def _deserialize(cls, serialization: Sequence) -> TypeSpec:
    return cls(*serialization)


TypeSpec._deserialize = _deserialize


def _key(value: object) -> object:
    """Something hashable that is equal for equal parts of specs."""
    if isinstance(value, TypeSpec) and not isinstance(value, TensorSpec):
        return value._key()
    if isinstance(value, TensorShape):
        return (
            TensorShape, None if value.rank is None else tuple(value.as_list())
        )
    if isinstance(value, (list, tuple)):
        return tuple(_key(item) for item in value)
    if isinstance(value, collections.abc.Mapping):
        return (
            dict,
            tuple(sorted(((k, _key(v)) for k, v in value.items()), key=repr)),
        )
    if composite.is_structure(value):
        metadata, parts = _graphkiln.flatten_object(value)
        return type(value), type(metadata), _key(metadata), _key(parts)
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        return (
            type(value), str(value.dtype), value.shape, value.tobytes()
        )  # an array
    return value


@_method
def _key_of(self) -> object:
    known = self.__dict__.get("_cached_key")
    if known is None:
        known = (type(self), _key(self._serialize()))
        self.__dict__["_cached_key"] = known
    return known


TypeSpec._key = _key_of
del TypeSpec._key_of


@_method
def __eq__(self, other: object) -> bool:
    return type(other) is type(self) and self._key() == other._key()


@_method
def __ne__(self, other: object) -> bool:
    return not self == other


@_method
def __hash__(self) -> int:
    return hash(self._key())


@_method
def __repr__(self) -> str:
    return f"{type(self).__name__}{self._serialize()!r}"


@_method
def __reduce__(self):
    return type(self)._deserialize, (self._serialize(),)


def _pairs(a: object, b: object) -> list[tuple[object, object]] | None:
    """Parts at the same place of two containers; None: not containers of one
    form."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return list(zip(a, b)) if len(a) == len(b) else None
    both = (a, b)
    if all(isinstance(m, collections.abc.Mapping) for m in both):
        return [(a[k], b[k]) for k in a] if set(a) == set(b) else None
    return None


def _is_container(value: object) -> bool:
    return isinstance(value, (list, tuple, collections.abc.Mapping))


def _is_subtype(a: object, b: object) -> bool:
    if _is_container(a):
        pairs = _pairs(a, b)
        return pairs is not None and all(_is_subtype(x, y) for x, y in pairs)
    if isinstance(a, (TypeSpec, TensorShape)):
        return type(a) is type(b) and a.is_subtype_of(b)
    return type(a) is type(b) and _key(a) == _key(b)


def _is_compatible(a: object, b: object) -> bool:
    if _is_container(a):
        pairs = _pairs(a, b)
        return pairs is not None and all(_is_compatible(x, y) for x, y in pairs)
    if isinstance(a, (TypeSpec, TensorShape)):
        return isinstance(b, type(a)) and a.is_compatible_with(b)
    return type(a) is type(b) and _key(a) == _key(b)


class _NoSupertype(Exception):
    pass


def _common(a: object, others: Sequence) -> object:
    if isinstance(a, collections.abc.Mapping):
        if any(_pairs(a, b) is None for b in others):
            raise _NoSupertype
        return {k: _common(v, [b[k] for b in others]) for k, v in a.items()}
    if isinstance(a, (list, tuple)):
        if any(_pairs(a, b) is None for b in others):
            raise _NoSupertype
        items = [
            _common(item, [b[i] for b in others]) for i, item in enumerate(a)
        ]
        return items if isinstance(a, list) else tuple(items)
    if any(type(a) is not type(b) for b in others):
        raise _NoSupertype
    if isinstance(a, (TypeSpec, TensorShape)):
        found = a.most_specific_common_supertype(others)
        if found is None:
            raise _NoSupertype
        return found
    if any(_key(a) != _key(b) for b in others):
        raise _NoSupertype
    return a


@_method
def is_subtype_of(self, other: object) -> bool:
    """Is every value of this spec one of `other`?"""
    return type(self) is type(other) and _is_subtype(
        self._serialize(), other._serialize()
    )


@_method
def most_specific_common_supertype(self, others: Sequence) -> TypeSpec | None:
    """The narrowest spec that covers this and `others`, or None."""
    if any(type(self) is not type(other) for other in others):
        return None
    try:
        serialized = _common(
            self._serialize(), [other._serialize() for other in others]
        )
    except _NoSupertype:
        return None
    return type(self)._deserialize(serialized)


@_method
def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
    """The narrowest spec that covers both; ValueError if there is none."""
    found = self.most_specific_common_supertype([other])
    if found is None:
        raise ValueError(
            f"No TypeSpec is compatible with both {self} and {other}"
        )
    return found


@_method
def is_compatible_with(self, spec_or_value: object) -> bool:
    """Could the value, or some value of the spec, be one of this spec?"""
    if not isinstance(spec_or_value, TypeSpec):
        try:
            spec_or_value = type_spec_from_value(spec_or_value)
        except TypeError:
            return False
    return type(self) is type(spec_or_value) and _is_compatible(
        self._serialize(), spec_or_value._serialize()
    )


# --- In tracing.


@_method
def __tf_tracing_type__(self, context) -> TypeSpec:
    return self


@_method
def flatten(self) -> list:
    """The specs of the tensors inside, from left to right."""
    return [
        leaf for spec in nest.flatten(self._component_specs)
        for leaf in spec.flatten()
    ]


@_method
def to_tensors(self, value: object) -> list:
    """The tensors inside `value`, in the order of `flatten`."""
    parts = self._to_components(value)
    specs = self._component_specs
    if (
        type(parts) in (list, tuple)
        and len(parts) == len(specs)
        and all([isinstance(part, _graphkiln.Tensor) for part in parts])
    ):
        return list(parts)
    parts, specs = nest.flatten(parts), nest.flatten(specs)
    if len(parts) != len(specs):
        raise TypeError(f"{value!r} does not have the components of {self}.")
    return [
        tensor for spec, part in zip(specs, parts)
        for tensor in spec.to_tensors(part)
    ]


@_method
def from_tensors(self, tensors) -> object:
    """The value made of the next of the iterator `tensors`."""
    tensors = iter(tensors)
    return self._from_components(
        nest.map_structure(
            lambda spec: spec.from_tensors(tensors), self._component_specs
        )
    )


@_method
def placeholder_value(self, placeholder_context) -> object:
    """A value whose tensors are arguments of the graph being traced."""
    return self._from_components(
        nest.map_structure(
            lambda spec: spec.placeholder_value(placeholder_context),
            self._component_specs,
        )
    )


@_method
def cast(self, value: object, casting_context) -> object:
    """`value` as one of this spec; TypeError if it cannot be."""
    if isinstance(value, TypeSpec):
        if not value.is_subtype_of(self):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value
    try:
        parts = self._to_components(value)
        nest.assert_same_structure(self._component_specs, parts, False)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise TypeError(f"Can not cast {value!r} to {self!r}") from None
    specs = nest.flatten(self._component_specs)
    parts = nest.flatten(parts)
    cast_parts = [s.cast(p, casting_context) for s, p in zip(specs, parts)]
    if all(new is old for new, old in zip(cast_parts, parts)):
        return value
    return self._from_components(
        nest.pack_sequence_as(self._component_specs, cast_parts)
    )


def _tensor_method(function: Callable) -> None:
    setattr(TensorSpec, function.__name__, function)


@_tensor_method
def _serialize(self) -> tuple:
    return self.shape, self.dtype, self.name


@_tensor_method
def _to_components(self, value: object) -> object:
    return value


@_tensor_method
def _from_components(self, components: object) -> object:
    return components


TensorSpec._component_specs = property(lambda self: self)


@_tensor_method
def from_tensors(self, tensors) -> object:
    """The next of the iterator `tensors`."""
    return next(iter(tensors))


@_tensor_method
def placeholder_value(self, placeholder_context) -> _graphkiln.Tensor:
    """A new argument of the graph being traced."""
    return placeholder_context.tensor(self)


@_tensor_method
def cast(self, value: object, casting_context) -> object:
    """`value` as a tensor of this spec; TypeError if it cannot be."""
    if not isinstance(value, (TensorSpec, _graphkiln.Tensor)):
        try:
            value = _graphkiln.convert_to_tensor(value, dtype=self.dtype)
        except ValueError as e:
            raise TypeError(str(e)) from None
    own = _graphkiln.trace_type(value)
    if not own.is_subtype_of(_graphkiln.trace_type(self)):
        # A symbolic tensor may turn out to fit.
        if not (
            isinstance(value, _graphkiln.Tensor)
            and value.dtype == self.dtype
            and self.shape.is_compatible_with(value.shape)
        ):
            raise TypeError(f"Can not cast {own} to {self!r}")
    return value


class ShapedTypeSpec(TypeSpec):
    """A spec of values that have a static shape and one dtype."""

    _shape: TensorShape
    _dtype: _graphkiln.DType

    @property
    def shape(self) -> TensorShape:
        """The static shape; None for what is not known or ragged."""
        return self._shape

    @property
    def dtype(self) -> _graphkiln.DType:
        """Of the values."""
        return self._dtype


class CompositeTensor:
    """A value made of tensors, which its `_type_spec` describes."""

    __slots__ = ("__weakref__",)

    @property
    def _type_spec(self) -> TypeSpec:
        raise NotImplementedError(f"{type(self).__name__}._type_spec")


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    @property
    def value_type(self) -> type:
        return type(None)

    def _serialize(self) -> tuple:
        return ()

    @property
    def _component_specs(self) -> list:
        return []

    def _to_components(self, value: object) -> list:
        return []

    def _from_components(self, components: object) -> None:
        return None

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        if type(other) is not NoneTensorSpec:
            raise ValueError(
                f"No `TypeSpec` is compatible with both {self} and {other}"
            )
        return self


_converters: list[tuple[type, Callable[[object], TypeSpec | None], bool]] = []


def register_type_spec_from_value_converter(
    type_object: type, converter_fn: Callable, allow_subclass: bool = False
) -> None:
    """Makes `type_spec_from_value` know a class that has no `_type_spec`."""
    _converters.append((type_object, converter_fn, allow_subclass))


def type_spec_from_value(value: object) -> TypeSpec:
    """The tf.TypeSpec of `value`.

    Args:
      value: a tensor, a composite tensor, or what can be made a tensor.

    Raises:
      TypeError: nothing of that kind can be a tensor.

    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    >>> tf.type_spec_from_value(tf.ragged.constant([[1], [2, 3]]))
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """
    if isinstance(value, _graphkiln.Tensor):
        return TensorSpec(value.shape, value.dtype)
    if value is None:
        return NoneTensorSpec()
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    for cls, converter, with_subclasses in reversed(_converters):
        if type(value) is cls or (with_subclasses and isinstance(value, cls)):
            found = converter(value)
            if found is not None:
                return found
    try:
        tensor = _graphkiln.convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a TypeSpec for {value!r} of unsupported type "
            f"{type(value)}."
        ) from None
    return TensorSpec(tensor.shape, tensor.dtype)
