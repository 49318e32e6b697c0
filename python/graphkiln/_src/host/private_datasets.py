"""What TensorFlow's datasets keep for themselves of structures and specs: lists are
leaves there."""

from __future__ import annotations

from collections.abc import Callable

from graphkiln import _graphkiln, data, nest
from graphkiln._src.host import nest_paths


class _Leaf:
    """A list, which is no structure."""

    def __init__(self, value: object) -> None:
        self.value = value


def _hidden(structure: object) -> object:
    """The structure with its lists as leaves."""
    if isinstance(structure, list):
        return _Leaf(structure)
    if not nest.is_nested(structure):
        return structure
    items = [_hidden(item) for item in nest_paths.yield_value(structure)]
    return nest_paths.sequence_like(structure, items)


def _shown(leaf: object) -> object:
    return leaf.value if isinstance(leaf, _Leaf) else leaf


def is_nested(structure: object) -> bool:
    return nest.is_nested(structure) and not isinstance(structure, list)


def flatten(structure: object) -> list:
    return [_shown(leaf) for leaf in nest.flatten(_hidden(structure))]


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True
) -> None:
    nest.assert_same_structure(_hidden(nest1), _hidden(nest2), check_types)


def pack_sequence_as(structure: object, flat_sequence: object) -> object:
    return nest.pack_sequence_as(_hidden(structure), list(flat_sequence))


def map_structure(func: Callable, *structure: object, **options: object) -> object:
    return nest.map_structure(
        lambda *leaves: func(*map(_shown, leaves)),
        *map(_hidden, structure),
        **options,
    )


def flatten_up_to(shallow_tree: object, input_tree: object) -> list:
    found = nest_paths.flatten_up_to(_hidden(shallow_tree), _hidden(input_tree))
    return [_shown(leaf) for leaf in found]


def map_structure_up_to(
    shallow_tree: object, func: Callable, *inputs: object
) -> object:
    return nest_paths.map_structure_up_to(
        _hidden(shallow_tree),
        lambda *leaves: func(*map(_shown, leaves)),
        *map(_hidden, inputs),
    )


def assert_shallow_structure(
    shallow_tree: object, input_tree: object, check_types: bool = True
) -> None:
    nest_paths.assert_shallow_structure(
        _hidden(shallow_tree), _hidden(input_tree), check_types
    )


def are_compatible(spec1: object, spec2: object) -> bool:
    """Have two structures of specs the same form, and fit the specs?"""
    try:
        assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    pairs = zip(flatten(spec1), flatten(spec2), strict=True)
    return all(
        mine.is_compatible_with(other) and other.is_compatible_with(mine)
        for mine, other in pairs
    )


def type_spec_from_value(element: object, use_fallback: bool = True) -> object:
    """The structure of specs of a structure of values."""

    def spec_of(leaf: object) -> object:
        if leaf is None:
            return _graphkiln.NoneTensorSpec()
        if not isinstance(leaf, _graphkiln.CompositeTensor):
            leaf = _graphkiln.convert_to_tensor(leaf)
        return _graphkiln.type_spec_from_value(leaf)

    return map_structure(spec_of, element)


def get_flat_tensor_specs(element_spec: object) -> list:
    """The specs of the tensors that an element is made of."""
    return [
        part
        for spec in flatten(element_spec)
        for part in nest.flatten(spec, expand_composites=True)
    ]


def get_flat_tensor_shapes(element_spec: object) -> list:
    return [spec.shape for spec in get_flat_tensor_specs(element_spec)]


def get_flat_tensor_types(element_spec: object) -> list:
    return [spec.dtype for spec in get_flat_tensor_specs(element_spec)]


def convert_legacy_structure(
    output_types: object, output_shapes: object, output_classes: object
) -> object:
    """The specs of classes with these dtypes and shapes."""

    def spec_of(dtype: object, shape: object, cls: object) -> object:
        if isinstance(cls, _graphkiln.TypeSpec):
            return cls
        if issubclass(cls, _graphkiln.SparseTensor):
            return _graphkiln.SparseTensorSpec(shape, dtype)
        if issubclass(cls, _graphkiln.Tensor):
            return _graphkiln.TensorSpec(shape, dtype)
        raise TypeError(
            f"Could not build a structure for output class {cls.__name__}. Make sure "
            "any component class in `output_classes` inherits from "
            "`tf.Tensor` or `tf.sparse.SparseTensor`."
        )

    shapes = flatten_up_to(output_types, output_shapes)
    classes = flatten_up_to(output_types, output_classes)
    made = map(spec_of, flatten(output_types), shapes, classes)
    return pack_sequence_as(output_classes, list(made))


def toggle_test_mode(test_mode: bool) -> None:
    """Datasets do the same in tests."""


def variant_dataset(variant: object, structure: object) -> object:
    return data.experimental.from_variant(variant, structure)


class DatasetSource(data.Dataset):
    """A dataset that reads none: `variant_tensor` is what its op made, and the
    class says its `element_spec`."""

    def _inputs(self) -> list:
        return []


class UnaryDataset(data.Dataset):
    """A dataset that reads one."""

    def __init__(self, input_dataset: object, variant_tensor: object) -> None:
        self._input_dataset = input_dataset
        super().__init__(variant_tensor)

    def _inputs(self) -> list:
        return [self._input_dataset]


class UnaryUnchangedStructureDataset(UnaryDataset):
    """A dataset of another one's kind of elements."""

    @property
    def element_spec(self) -> object:
        return self._input_dataset.element_spec
