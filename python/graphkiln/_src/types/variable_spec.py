"""VariableSpec: the tf.TypeSpec of variables."""

from __future__ import annotations

from graphkiln import _graphkiln
from graphkiln._graphkiln import Variable
from graphkiln._src.types import type_spec


class VariableSpec(type_spec.TypeSpec):
    """What is known of a variable: shape, dtype, trainable.

    `alias_id` tells which variables of one call are the same; where it is
    None every spec stands for a variable of its own.

    >>> spec = tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    >>> spec
    VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)
    >>> f = tf.function(lambda v: v * 2.0)
    >>> f.get_concrete_function(spec)(tf.Variable([3.0, 4.0])).numpy().tolist()
    [6.0, 8.0]
    """

    def __init__(
        self, shape, dtype=_graphkiln.float32, trainable=True, alias_id=None
    ):
        self._shape = _graphkiln.TensorShape(shape)
        self._dtype = _graphkiln.as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value) -> VariableSpec:
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def shape(self) -> _graphkiln.TensorShape:
        """What values must match."""
        return self._shape

    @property
    def dtype(self) -> _graphkiln.DType:
        """Of the elements."""
        return self._dtype

    @property
    def name(self) -> None:
        """Variables are not told apart by name."""
        return None

    @property
    def value_type(self) -> type:
        """tf.Variable."""
        return Variable

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"trainable={self.trainable!r}, alias_id={self.alias_id!r})"
        )

    def _serialize(self) -> tuple:
        return self._shape, self._dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> list:
        return [_graphkiln.TensorSpec([], _graphkiln.resource)]

    def _to_components(self, value) -> list:
        return [value.handle]

    def _from_components(self, components):
        (handle,) = components
        known = _graphkiln.find_variable(handle)
        if known is not None:
            return known
        return _graphkiln.variable_of(
            handle, self._dtype, self._shape, self.trainable, "Variable"
        )

    def is_compatible_with(self, spec_or_value) -> bool:
        """Is it, or the spec of it, a variable that this may stand for?"""
        other = spec_or_value
        if isinstance(other, _graphkiln.BaseVariable):
            other = VariableSpec.from_value(other)
        return (
            isinstance(other, VariableSpec)
            and self._dtype == other._dtype
            and self.trainable == other.trainable
            and self._shape.is_compatible_with(other._shape)
        )

    def is_subtype_of(self, other) -> bool:
        """Can `other` stand for every variable that this stands for?"""
        return (
            isinstance(other, VariableSpec)
            and self._dtype == other._dtype
            and self.trainable == other.trainable
            and (other.alias_id is None or self.alias_id == other.alias_id)
            and self._shape.is_subtype_of(other._shape)
        )

    def __tf_tracing_type__(self, context) -> object:
        return _graphkiln.variable_type(
            self._dtype, self._shape, self.trainable, self.alias_id
        )


type_spec.register_type_spec_from_value_converter(
    Variable, VariableSpec.from_value, allow_subclass=True
)
# The public function, which knows of variables once this is loaded.
type_spec_from_value = type_spec.type_spec_from_value
