"""tf.RaggedTensorSpec: shape and types of a ragged tensor."""

from graphkiln import _graphkiln
from graphkiln._graphkiln import DType, Tensor, TensorShape, TensorSpec
from graphkiln._src.ragged.tensor import RaggedTensor
from graphkiln._src.types import dtypes, variable_spec
from graphkiln._src.types.type_spec import ShapedTypeSpec


class RaggedTensorSpec(ShapedTypeSpec):
    """What is known of a tf.RaggedTensor.

    Args:
      shape: None for ragged dimensions; may be unknown if the rank is given.
      dtype: of the values.
      ragged_rank: how many dimensions are partitioned; all but one unless
        given.
      row_splits_dtype: tf.int32 or tf.int64.
      flat_values_spec: of the values if they are composite.

    >>> spec = tf.RaggedTensorSpec([None, None], tf.int32)
    >>> f = tf.function(lambda x: x.values + 1, input_signature=[spec])
    >>> f(tf.ragged.constant([[1, 2], [3]])).numpy().tolist()
    [2, 3, 4]
    """

    def __init__(
        self,
        shape=None,
        dtype=dtypes.float32,
        ragged_rank=None,
        row_splits_dtype=dtypes.int64,
        flat_values_spec=None,
    ):
        self._shape = TensorShape(shape)
        self._row_splits_dtype = _graphkiln.as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif _graphkiln.as_dtype(dtype) != flat_values_spec.dtype:
                raise ValueError(
                    "dtype must be the same as flat_values_spec.dtype"
                )
        elif dtype is None:
            raise ValueError(
                "At least one of dtype or flat_values_spec must be provided"
            )
        self._dtype = _graphkiln.as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError(
                    "Must specify ragged_rank or a shape with a known rank."
                )
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank
        if not isinstance(ragged_rank, int):
            raise TypeError(
                f"Argument `ragged_rank` must be an int. Received {ragged_rank}."
            )
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than "
                f"rank ({rank})."
            )

    @classmethod
    def from_value(cls, value) -> "RaggedTensorSpec":
        """The spec of a ragged tensor."""
        flat = value.flat_values
        if isinstance(flat, Tensor):
            return cls(
                value.shape, value.dtype, value.ragged_rank,
                value.row_splits.dtype,
            )
        return cls(
            value.shape, None, value.ragged_rank, value.row_splits.dtype,
            variable_spec.type_spec_from_value(flat),
        )

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are partitioned."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """Of the row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self):
        """Of the innermost values, if given."""
        return self._flat_values_spec

    @property
    def value_type(self) -> type:
        """tf.RaggedTensor, or tf.Tensor if nothing is ragged."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    def _with_shape(self, shape) -> "RaggedTensorSpec":
        return RaggedTensorSpec(
            shape, self._dtype, self._ragged_rank, self._row_splits_dtype
        )

    def _serialize(self) -> tuple:
        parts = (
            self._shape, self._dtype, self._ragged_rank,
            self._row_splits_dtype,
        )
        if self._flat_values_spec is not None:
            parts += (self._flat_values_spec,)
        return parts

    @property
    def _component_specs(self) -> list:
        if self._ragged_rank <= 0:
            return [self._flat_values_spec or TensorSpec(
                self._shape, self._dtype
            )]
        flat = self._flat_values_spec
        if flat is None:
            inner = self._shape[self._ragged_rank + 1 :]
            flat = TensorSpec(TensorShape([None]) + inner, self._dtype)
        rows = self._shape[0] if self._shape.rank is not None else None
        outer = TensorSpec(
            [None if rows is None else rows + 1], self._row_splits_dtype
        )
        others = [
            TensorSpec([None], self._row_splits_dtype)
            for _ in range(1, self._ragged_rank)
        ]
        return [flat, outer, *others]

    def _to_components(self, value) -> list:
        if isinstance(value, RaggedTensor):
            return [value.flat_values, *value.nested_row_splits]
        return [value]

    def _from_components(self, components):
        result = components[0]
        for level in reversed(range(1, len(components))):
            known = (
                self._shape[level] if self._shape.rank is not None else None
            )
            splits = components[level]
            result = RaggedTensor(result, (splits, known), internal=True)
        return result

    def is_compatible_with(self, spec_or_value) -> bool:
        """Could the value be described by this spec?"""
        if self._ragged_rank == 0:
            flat = self._component_specs[0]
            if isinstance(spec_or_value, (Tensor, TensorSpec)):
                return flat.is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)
