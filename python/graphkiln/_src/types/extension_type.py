"""tf.experimental.ExtensionType: classes of tensors and Python values that
work as arguments and results of tf.functions."""

import collections.abc
import inspect
import typing
from collections.abc import Callable

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import DType, Tensor, TensorShape, extension_fields
from graphkiln._src import ops
from graphkiln._src.types.type_spec import CompositeTensor, TypeSpec

_RESERVED = frozenset({"self", "Spec", "_type_spec", "__dict__"})
_PREFIX = "_tf_extension_type_"
_CONSTRUCTING = _PREFIX + "constructing"
_NO_DEFAULT = object()


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
    default: object = _NO_DEFAULT


class _Guarded:
    """Attributes are set by the constructor and never again."""

    def __setattr__(self, name: str, value: object) -> None:
        if _CONSTRUCTING not in self.__dict__ or name not in {
            field.name for field in type(self)._fields()
        }:
            _refuse(name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        _refuse(name)


def _refuse(name: str) -> None:
    raise AttributeError(
        f"Cannot mutate attribute `{name}` outside the custom constructor of "
        "ExtensionType."
    )


def _annotations(cls: type) -> dict[str, object]:
    """Types of the fields by name; as text if not defined yet."""
    result: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if isinstance(base, ExtensionTypeMetaclass) and base is not cls:
            result.update(base.__dict__.get("__annotations__", {}))
    result.update(cls.__dict__.get("__annotations__", {}))
    try:
        hints = typing.get_type_hints(cls)
        return {name: hints.get(name, t) for name, t in result.items()}
    except NameError:
        return result


class ExtensionTypeMetaclass(type):
    """Makes the constructor and the spec of each extension type."""

    def __init__(cls, name: str, bases: tuple, namespace: dict):
        super().__init__(name, bases, namespace)
        if namespace.get(_PREFIX + "abstract"):
            return
        cls._check_fields()
        _add_constructor(cls, fields_as_specs=False)
        _add_spec(cls)

    def _check_fields(cls) -> None:
        for name in _annotations(cls):
            if name in _RESERVED or name.startswith(_PREFIX):
                raise ValueError(
                    f"The field annotations for {cls.__name__} are invalid. "
                    f"Field {name!r} is reserved."
                )
        cls._fields()

    def _fields(cls) -> tuple[Field, ...]:
        """The fields, those of base classes first."""
        known = cls.__dict__.get(_PREFIX + "fields")
        if known is not None:
            return known
        result, resolved = [], True
        for name, value_type in _annotations(cls).items():
            default = getattr(cls, name, _NO_DEFAULT)
            try:
                known = extension_fields.check_annotation(value_type)
            except TypeError as e:
                raise TypeError(f"In field {name!r}: {e}") from None
            resolved &= known
            if default is not _NO_DEFAULT and known:
                default = extension_fields.convert(
                    default, value_type, f"default value for {name}"
                )
            result.append(Field(name, value_type, default))
        if resolved:
            setattr(cls, _PREFIX + "fields", tuple(result))
        return tuple(result)


def _signature(all_fields: tuple, with_defaults: bool) -> inspect.Signature:
    parameters, optional_seen = [], False
    for field in all_fields:
        default = inspect.Parameter.empty
        if with_defaults and field.default is not _NO_DEFAULT:
            default, optional_seen = field.default, True
        kind = (
            inspect.Parameter.KEYWORD_ONLY
            if optional_seen and default is inspect.Parameter.empty
            else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        parameters.append(
            inspect.Parameter(
                field.name, kind, default=default, annotation=field.value_type
            )
        )
    parameters.sort(key=lambda p: p.kind)
    return inspect.Signature(parameters)


def _add_constructor(cls: type, fields_as_specs: bool) -> None:
    """Gives `cls` an __init__: one that takes the fields, or its own with
    the checks that follow."""
    custom = cls.__dict__.get("__init__")
    if custom is None:
        inherited = cls.__init__
        if getattr(inherited, _PREFIX + "custom", False):
            return

        def __init__(self, *args, **kwargs):
            all_fields = cls._fields()
            bound = _signature(all_fields, not fields_as_specs).bind(
                *args, **kwargs
            )
            bound.apply_defaults()
            self.__dict__.update(bound.arguments)
            _finish(self, fields_as_specs)

        try:
            own = _signature(cls._fields(), not fields_as_specs)
            __init__.__signature__ = own.replace(
                parameters=[
                    inspect.Parameter(
                        "self", inspect.Parameter.POSITIONAL_OR_KEYWORD
                    ),
                    *own.parameters.values(),
                ]
            )
        except ValueError:
            pass  # a field is named like a parameter of ours
        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = __init__
        return

    def wrapped(self, *args, **kwargs):
        outermost = _CONSTRUCTING not in self.__dict__
        self.__dict__[_CONSTRUCTING] = True
        try:
            custom(self, *args, **kwargs)
        finally:
            if outermost:
                del self.__dict__[_CONSTRUCTING]
        if outermost:
            _finish(self, fields_as_specs)

    wrapped.__wrapped__ = custom
    wrapped.__doc__ = custom.__doc__
    wrapped.__qualname__ = custom.__qualname__
    setattr(wrapped, _PREFIX + "custom", True)
    cls.__init__ = wrapped


def _finish(self, as_specs: bool) -> None:
    """Converts and checks what a constructor has set."""
    all_fields = type(self)._fields()
    missing = {f.name for f in all_fields if f.name not in self.__dict__}
    if missing:
        raise ValueError(f"Missing required fields: {missing}")
    for field in all_fields:
        self.__dict__[field.name] = extension_fields.convert(
            self.__dict__[field.name], field.value_type, field.name, as_specs
        )
    if not as_specs:
        self.__validate__()


class ExtensionTypeSpec(_Guarded, TypeSpec):
    """The spec of an extension type: the same fields, with specs in place of
    tensors."""

    def _values(self) -> list[object]:
        return [self.__dict__[f.name] for f in type(self)._fields()]

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        return cls.value_type._fields()

    @classmethod
    def from_value(cls, value) -> "ExtensionTypeSpec":
        """The spec of a value of the extension type."""
        return value._type_spec

    @classmethod
    def _of(cls, values: dict[str, object]) -> "ExtensionTypeSpec":
        spec = cls.__new__(cls)
        spec.__dict__.update(values)
        return spec

    def _serialize(self) -> tuple:
        return tuple(
            (field.name, _plain(value))
            for field, value in zip(type(self)._fields(), self._values())
        )

    @classmethod
    def _deserialize(cls, serialization) -> "ExtensionTypeSpec":
        return cls._of({
            name: _immutable(value) for name, value in serialization
        })

    @property
    def _component_specs(self) -> tuple:
        return tuple(
            leaf for leaf in nest.flatten(self._values())
            if isinstance(leaf, TypeSpec)
        )

    def _map(self, function: Callable) -> "ExtensionTypeSpec":
        """The same with `function(part)` for each part of the fields."""
        return type(self)._of({
            field.name: nest.map_structure(function, value)
            for field, value in zip(type(self)._fields(), self._values())
        })

    def _to_components(self, value) -> tuple:
        if not isinstance(value, self.value_type):
            raise TypeError(
                f"Expected a value of {self.value_type}, got {value!r}"
            )
        return tuple(
            leaf for leaf in nest.flatten(value._values())
            if isinstance(leaf, (Tensor, CompositeTensor))
            or not isinstance(leaf, _PYTHON)
        )

    def _from_components(self, components):
        parts = iter(components)
        value = self.value_type.__new__(self.value_type)
        value.__dict__.update({
            field.name: nest.map_structure(
                lambda leaf: (
                    next(parts) if isinstance(leaf, TypeSpec) else leaf
                ),
                item,
            )
            for field, item in zip(type(self)._fields(), self._values())
        })
        return value

    def cast(self, value, casting_context):
        """`value` as one of this spec; TypeError if it cannot be."""
        result = super().cast(value, casting_context)
        if not isinstance(result, TypeSpec) and not self.is_compatible_with(
            result
        ):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return result

    def __repr__(self) -> str:
        parts = ", ".join(f"{k}={v!r}" for k, v in self._serialize())
        return f"{type(self).__qualname__}({parts})"


# What of a field is no component.
_PYTHON = (
    int, float, str, bytes, bool, type(None), TensorShape, DType,
)


def _plain(value: object) -> object:
    if isinstance(value, ImmutableDict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return value


def _immutable(value: object) -> object:
    if isinstance(value, dict):
        return ImmutableDict(
            (key, _immutable(item)) for key, item in value.items()
        )
    if isinstance(value, tuple):
        return tuple(_immutable(item) for item in value)
    return value


def _add_spec(cls: type) -> None:
    """Makes cls.Spec, from the class of that name in `cls` if there is one."""
    given = cls.__dict__.get("Spec")
    if given is not None and not isinstance(given, type):
        raise TypeError(
            f"{cls.__name__}.Spec must be a nested class; got {given}."
        )
    if given is not None and given.__bases__ not in (
        (object,), (TypeSpec,), (ExtensionTypeSpec,)
    ):
        raise TypeError(
            f"{cls.__name__}.Spec must be directly subclassed from "
            "tf.TypeSpec."
        )
    body = {} if given is None else {
        key: value for key, value in vars(given).items()
        if key not in ("__dict__", "__weakref__")
    }
    name = f"{cls.__name__}.Spec"
    spec = type(ExtensionTypeSpec)(
        name, (cls._spec_base,),
        {
            **body,
            "__module__": cls.__module__,
            "__qualname__": f"{cls.__qualname__}.Spec",
            "value_type": cls,
        },
    )
    for field in cls._fields():
        if field.name in vars(spec):
            delattr(spec, field.name)
    _add_constructor(spec, fields_as_specs=True)
    cls.Spec = spec


class ExtensionType(
    _Guarded, CompositeTensor, metaclass=ExtensionTypeMetaclass
):
    """Base of classes whose annotated fields are tensors and Python values.

    Instances cannot be changed, compare with `==` to a scalar tensor, and
    may be given to and returned from tf.functions. The Python values of the
    fields are part of their type, the tensors are not. A subclass may check
    its fields in `__validate__`, and define its own `__init__`, which sets
    all of them.

    Fields are annotated with int, float, bool, str, bytes, None, tf.Tensor,
    tf.TensorShape, tf.DType, composite tensors, other extension types, or
    `typing`'s Tuple, Mapping, Optional and Union of these.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> m = Masked([1.0, 2.0], [True, False])
    >>> tf.function(lambda m: tf.where(m.mask, m.values, 0.0))(m).numpy()
    array([1., 0.], dtype=float32)
    """

    _tf_extension_type_abstract = True
    _spec_base = ExtensionTypeSpec
    __hash__ = None

    def __init__(self, *args, **kwargs):
        raise AssertionError(
            "Cannot create an instance of ExtensionType because ExtensionType "
            "is an abstract base class."
        )

    def __validate__(self) -> None:
        """Checks the fields; called by the constructor."""

    def _values(self) -> list[object]:
        return [self.__dict__[f.name] for f in type(self)._fields()]

    @property
    def _type_spec(self) -> ExtensionTypeSpec:
        key = _PREFIX + "cached_type_spec"
        spec = self.__dict__.get(key)
        if spec is None:
            spec = self.Spec._of({
                field.name: extension_fields.spec_of(value)
                for field, value in zip(type(self)._fields(), self._values())
            })
            self.__dict__[key] = spec
        return spec

    def __getstate__(self) -> dict:
        return as_dict(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)

    def __eq__(self, other: object):
        if type(self) is not type(other):
            return False
        spec = self._type_spec
        if not spec.is_compatible_with(other._type_spec):
            return False
        ours = nest.flatten(self, expand_composites=True)
        theirs = nest.flatten(other, expand_composites=True)
        conditions = []
        for x, y in zip(ours, theirs):
            if not x.shape.is_compatible_with(y.shape):
                return _graphkiln.constant(False)
            conditions.append(ops.reduce_all(ops.equal(x, y)))
        if not conditions:
            return True
        return ops.reduce_all(ops.stack(conditions))

    def __ne__(self, other: object):
        equal = self == other
        return (not equal) if isinstance(equal, bool) else (
            ops.logical_not(equal)
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{field.name}={value!r}"
            for field, value in zip(type(self)._fields(), self._values())
        )
        return f"{type(self).__qualname__}({parts})"


def as_dict(value: ExtensionType) -> dict[str, object]:
    """The fields of an extension type by name.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    >>> tf.experimental.extension_type.as_dict(Point(3))
    {'x': 3}
    """
    return {f.name: value.__dict__[f.name] for f in type(value)._fields()}
