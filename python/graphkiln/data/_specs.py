"""tf.data.DatasetSpec, and how the specs of a state settle."""

from collections.abc import Callable

from graphkiln._graphkiln import TensorShape

from graphkiln._src.types import batchable, dtypes, type_spec
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _nested as nested
from graphkiln.data import _structure as structure

# The class, and how a variant tensor becomes a dataset: _dataset puts them
# here.
Dataset: type = object
make_dataset: Callable = lambda variant, spec: None


class DatasetSpec(type_spec.TypeSpec):
    """What is known of a tf.data.Dataset.

    Args:
      element_spec: the structure of tf.TypeSpecs of an element.
      dataset_shape: of the tensor that holds it.

    >>> spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    >>> f = tf.function(lambda d: d.cardinality(), input_signature=[spec])
    >>> int(f(tf.data.Dataset.range(3)))
    3
    """

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self):
        """The structure of tf.TypeSpecs of an element.

        >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3)).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        return self._element_spec

    @property
    def value_type(self) -> type:
        """tf.data.Dataset."""
        return Dataset

    @staticmethod
    def from_value(value) -> "DatasetSpec":
        """The spec of a dataset.

        >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
        DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), \
TensorShape([]))
        """
        return DatasetSpec(value.element_spec)

    def _serialize(self) -> tuple:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self._dataset_shape, dtypes.variant)

    def _to_components(self, value):
        return value._as_input()

    def _from_components(self, components):
        if self._dataset_shape.rank == 0:
            return make_dataset(components, self._element_spec)
        return nested._NestedVariant(
            components, self._element_spec, self._dataset_shape
        )


nested.make_spec = DatasetSpec
nested.common = structure.common


def _sliced(spec: DatasetSpec) -> DatasetSpec:
    if spec._dataset_shape.rank == 0:
        raise ValueError(
            "Slicing dataset elements is not supported for rank 0."
        )
    return DatasetSpec(spec.element_spec, spec._dataset_shape[1:])


def _batched(spec: DatasetSpec, size: int | None) -> DatasetSpec:
    first = TensorShape([None if size is None else int(size)])
    return DatasetSpec(
        spec.element_spec, first.concatenate(spec._dataset_shape)
    )


batchable.register_kind(DatasetSpec, _batched, _sliced)


def until_fixed(spec: object, trace: Callable, state_of: Callable):
    """(what `trace(spec)` made, spec) with a spec of the state that the state
    it returns fits: shapes that change become unknown.

    Raises:
      TypeError: the structure or a type changes.
    """
    while True:
        made = trace(spec)
        after = state_of(made)
        before, now = structure.flatten(spec), structure.flatten(after)
        try:
            structure.flatten_up_to(spec, after)
            same = len(before) == len(now)
        except (TypeError, ValueError):
            same = False
        if not same:
            raise TypeError(
                "The element structure for the new state must match the "
                f"initial state. Expected {spec} but got {after}."
            )
        types = [
            [getattr(s, "dtype", type(s)) for s in x] for x in (before, now)
        ]
        if types[0] != types[1]:
            shown = [
                structure.pack_like(spec, t) for t in types
            ]
            raise TypeError(
                "The element types for the new state must match the initial "
                f"state. Expected {shown[0]} but got {shown[1]}."
            )
        wider = structure.common(spec, after)
        if wider is None:
            raise TypeError(
                "The element classes for the new state must match the "
                f"initial state. Expected {spec} but got {after}."
            )
        if all(
            s.is_subtype_of(w)
            for s, w in zip(structure.flatten(wider), before)
        ):
            return made, spec
        spec = wider
