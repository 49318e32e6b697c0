"""tf.experimental.ExtensionType: classes of tensors and Python values that
work as arguments and results of tf.functions."""

import collections.abc
import inspect
import typing

from graphkiln import _graphkiln
from graphkiln._graphkiln import (
    ExtensionTypeBatchEncoder,
    ExtensionTypeSpec,
    ExtensionValue,
    TypeSpec,
    extension_fields,
)

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


@typing.dataclass_transform(frozen_default=True)
class ExtensionTypeMetaclass(type):
    """Makes the constructor and the spec of each extension type."""

    def __init__(cls, name: str, bases: tuple, namespace: dict):
        super().__init__(name, bases, namespace)
        if namespace.get(_PREFIX + "abstract"):
            return
        cls._check_fields()
        _add_constructor(cls, cls)
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


def _add_constructor(cls: type, values: type) -> None:
    """Gives `cls`, a class of values or of the specs of `values`, an __init__:
    one that takes the fields, or its own with the checks that follow."""
    custom = cls.__dict__.get("__init__")
    if custom is None:
        inherited = cls.__init__
        if getattr(inherited, _PREFIX + "custom", False):
            return

        def __init__(self, *args, **kwargs):
            bound = _signature(values._fields(), cls is values).bind(
                *args, **kwargs
            )
            bound.apply_defaults()
            self.__dict__.update(bound.arguments)
            _graphkiln._finish_extension_value(self)

        try:
            own = _signature(values._fields(), cls is values)
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
            _graphkiln._finish_extension_value(self)

    wrapped.__wrapped__ = custom
    wrapped.__doc__ = custom.__doc__
    wrapped.__qualname__ = custom.__qualname__
    setattr(wrapped, _PREFIX + "custom", True)
    cls.__init__ = wrapped


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
    spec = type(
        name, (ExtensionTypeSpec,),
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
    _add_constructor(spec, cls)
    cls.Spec = spec


class ExtensionType(ExtensionValue, metaclass=ExtensionTypeMetaclass):
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
    __hash__ = None

    def __init__(self, *args, **kwargs):
        raise AssertionError(
            "Cannot create an instance of ExtensionType because ExtensionType "
            "is an abstract base class."
        )


class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be stacked and taken apart: they are
    elements of datasets that are batched, and tf.map_fn takes their rows.

    Its class attribute `__batch_encoder__` says how; by default each field is
    stacked.

    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = Point([1, 2, 3], [4, 5, 6])
    >>> dataset = tf.data.Dataset.from_tensor_slices(points)
    >>> [p.y.numpy().tolist() for p in dataset.batch(2)]
    [[4, 5], [6]]
    """

    _tf_extension_type_abstract = True
    __batch_encoder__ = ExtensionTypeBatchEncoder()


_graphkiln.provide(ImmutableDict)
