"""Structures of dataset elements: tuples, named tuples, attrs classes,
dataclasses that flatten themselves and mappings nest; lists and everything
else are leaves, which become tensors.

A spec of an element is such a structure of tf.TypeSpecs. Its flat form is the
tensors that the core moves: the components.
"""

from graphkiln._graphkiln import element_flatten as flatten
from graphkiln._graphkiln import element_flatten_up_to as flatten_up_to
from graphkiln._graphkiln import element_is_leaf as is_leaf
from graphkiln._graphkiln import element_map as map_structure
from graphkiln._graphkiln import element_pack as pack_like

from graphkiln import _graphkiln
from graphkiln._src.graph import name_scope
from graphkiln._src.types import composite, type_spec
from graphkiln.data import _encoding as encoding
from graphkiln.data import _nested as nested


def normalize(value: object) -> object:
    """The structure with tensors for leaves that are none: values of NumPy
    and Python. Composite tensors and None stay."""
    with name_scope.name_scope("normalize_element"):
        return pack_like(
            value,
            [_leaf(leaf, i) for i, leaf in enumerate(flatten(value))],
        )


def _leaf(value: object, i: int) -> object:
    if value is None or composite.is_composite(value):
        return value
    if isinstance(value, list):
        stack = nested.of_list(value)
        if stack is not None:
            return stack
    if isinstance(value, type_spec.TypeSpec):
        raise TypeError(f"a value was expected, got the spec {value!r}")
    return _graphkiln.convert_to_tensor(value, name=f"component_{i}")


def spec_of(value: object) -> object:
    """The structure of specs of a value; lists are tensors."""
    return map_structure(type_spec.type_spec_from_value, value)


def flat_specs(spec: object) -> list:
    """The tf.TensorSpecs of the components."""
    return [
        component
        for leaf in flatten(spec)
        for component in encoding.components(leaf)
    ]


def signature(spec: object) -> dict:
    """The attributes that dataset ops describe elements with."""
    flat = flat_specs(spec)
    return {
        "output_types": [s.dtype for s in flat],
        "output_shapes": [s.shape for s in flat],
    }


def to_tensors(spec: object, value: object, rows: bool = False) -> list:
    """The components of a value that `spec` describes; or tensors whose rows
    are the components of its rows."""
    return [
        tensor
        for own, leaf in zip(flatten(spec), flatten_up_to(spec, value))
        for tensor in encoding.encode(own, leaf, rows)
    ]


def from_tensors(spec: object, tensors: list) -> object:
    """The value made of components."""
    given = iter(tensors)
    return map_structure(lambda leaf: encoding.decode(leaf, given), spec)


def set_shapes(spec: object, tensors: list) -> list:
    """The same tensors, known to have the shapes of the spec."""
    for tensor, component in zip(tensors, flat_specs(spec)):
        if hasattr(tensor, "graph"):
            tensor.set_shape(component.shape)
    return tensors


def common(first: object, second: object) -> object:
    """The narrowest spec that covers both; None if their forms or types
    differ."""
    a, b = flatten(first), flatten(second)
    try:
        flatten_up_to(first, second)
        flatten_up_to(second, first)
    except (TypeError, ValueError):
        return None
    joined = [x.most_specific_common_supertype([y]) for x, y in zip(a, b)]
    return None if None in joined else pack_like(first, joined)


def is_compatible(spec: object, other: object) -> bool:
    """Could a value be of both specs?"""
    try:
        others = flatten_up_to(spec, other)
    except (TypeError, ValueError):
        return False
    return all(
        a.is_compatible_with(b) for a, b in zip(flatten(spec), others)
    )


def checked(spec: object) -> object:
    """`spec`, if all its leaves are tf.TypeSpecs; else TypeError."""
    for leaf in flatten(spec):
        if not isinstance(leaf, type_spec.TypeSpec):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of "
                f"`tf.TypeSpec` but found {type(leaf)} which is not."
            )
    return spec
