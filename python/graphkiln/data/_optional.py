"""tf.experimental.Optional: an element, or nothing."""

from graphkiln import raw_ops
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes, type_spec
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _structure as structure


class Optional(type_spec.CompositeTensor):
    """A value that may be missing: what an iterator gives at its end.

    >>> o = tf.experimental.Optional.from_value(3)
    >>> bool(o.has_value()), int(o.get_value())
    (True, 3)
    >>> empty = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    >>> bool(empty.has_value())
    False
    """

    __slots__ = ()

    def has_value(self, name=None):
        """Is there a value? A bool scalar.

        >>> bool(tf.experimental.Optional.from_value(1.0).has_value())
        True
        """
        raise NotImplementedError("Optional.has_value()")

    def get_value(self, name=None):
        """The value.

        Raises:
          tf.errors.InvalidArgumentError: there is none.

        >>> float(tf.experimental.Optional.from_value(1.5).get_value())
        1.5
        """
        raise NotImplementedError("Optional.get_value()")

    @property
    def element_spec(self):
        """The structure of tf.TypeSpecs of the value."""
        raise NotImplementedError("Optional.element_spec")

    @staticmethod
    def empty(element_spec) -> "Optional":
        """An optional without a value.

        Args:
          element_spec: what a value would be.

        >>> o = tf.experimental.Optional.empty(tf.TensorSpec([2], tf.float32))
        >>> o.element_spec
        TensorSpec(shape=(2,), dtype=tf.float32, name=None)
        """
        return _OptionalImpl(raw_ops.OptionalNone(), element_spec)

    @staticmethod
    def from_value(value) -> "Optional":
        """An optional of this value, a structure of what can be tensors.

        >>> o = tf.experimental.Optional.from_value({"a": 1})
        >>> int(o.get_value()["a"])
        1
        """
        with name_scope.name_scope("optional"):
            value = structure.normalize(value)
            spec = structure.spec_of(value)
            handle = raw_ops.OptionalFromValue(
                components=structure.to_tensors(spec, value)
            )
        return _OptionalImpl(handle, spec)


class _OptionalImpl(Optional):
    __slots__ = ("_spec", "_variant_tensor")

    def __init__(self, variant_tensor, element_spec):
        self._variant_tensor = variant_tensor
        self._spec = element_spec

    def has_value(self, name=None):
        return raw_ops.OptionalHasValue(
            optional=self._variant_tensor, name=name
        )

    def get_value(self, name=None):
        components = raw_ops.OptionalGetValue(
            optional=self._variant_tensor, name=name,
            **structure.signature(self._spec),
        )
        return structure.from_tensors(self._spec, components)

    @property
    def element_spec(self):
        return self._spec

    @property
    def _type_spec(self) -> "OptionalSpec":
        return OptionalSpec(self._spec)


class OptionalSpec(type_spec.TypeSpec):
    """What is known of a tf.experimental.Optional.

    Args:
      element_spec: the structure of tf.TypeSpecs of the value.

    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int32))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)
    """

    def __init__(self, element_spec):
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """tf.experimental.Optional's own class."""
        return _OptionalImpl

    @staticmethod
    def from_value(value: Optional) -> "OptionalSpec":
        """The spec of an optional.

        >>> tf.OptionalSpec.from_value(tf.experimental.Optional.from_value(1))
        OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)
        """
        return OptionalSpec(value.element_spec)

    def _serialize(self) -> tuple:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> list:
        return [TensorSpec((), dtypes.variant)]

    def _to_components(self, value: Optional) -> list:
        return [value._variant_tensor]

    def _from_components(self, components) -> Optional:
        return _OptionalImpl(components[0], self._element_spec)
