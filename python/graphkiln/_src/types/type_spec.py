"""Kinds of tf.TypeSpec: what is known of a value made of tensors before it
exists."""

from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import (
    CompositeTensor,
    NoneTensorSpec,
    TensorSpec,
    TypeSpec,
)

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


_graphkiln.provide(type_spec_from_value)
