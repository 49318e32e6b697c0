"""Tensors of datasets: what a list of datasets is as an element."""

from collections.abc import Callable

from graphkiln._src import ops
from graphkiln._src.types import type_spec


class _NestedVariant(type_spec.CompositeTensor):
    """Datasets whose elements have one spec, in a tensor of any rank."""

    def __init__(self, variant_tensor, element_spec, dataset_shape):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._dataset_shape = dataset_shape

    @property
    def _type_spec(self) -> type_spec.TypeSpec:
        return make_spec(self._element_spec, self._dataset_shape)

    def _as_input(self):
        return self._variant_tensor


# tf.data.DatasetSpec, the class of datasets, and the narrowest spec that covers
# those of two elements; _specs and _dataset put them here.
make_spec: Callable
common: Callable
Dataset: type = type(None)


def of_list(value: list) -> _NestedVariant | None:
    """A list of datasets, or of such lists, as one tensor. None if it holds
    something else, or datasets whose elements cannot be one's."""
    parts = [
        of_list(item) if isinstance(item, list) else item for item in value
    ]
    if not parts or not all(
        isinstance(part, (_NestedVariant, Dataset)) for part in parts
    ):
        return None
    own = [part._type_spec for part in parts]
    spec = own[0]._element_spec
    for other in own[1:]:
        spec = common(spec, other._element_spec)
        if spec is None:
            return None
    stack = ops.stack([part._as_input() for part in parts])
    return _NestedVariant(stack, spec, stack.shape)
