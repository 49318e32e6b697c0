"""Structures of dataset elements: tuples, named tuples, attrs classes,
dataclasses that flatten themselves and mappings nest; lists and everything else are leaves, which become tensors.

A spec of an element is such a structure of tf.TypeSpecs. Its flat form is the
tensors that the core moves: the components.
"""

from collections.abc import Callable, Iterator, Mapping

import graphkiln as tf
from graphkiln import _composite
from graphkiln import _graphkiln
from graphkiln import _type_spec
from graphkiln.data import _encoding as encoding
from graphkiln.data import _nested as nested


def _parts(value: object) -> list | None:
    """The children of a structure; None: a leaf."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    if hasattr(type(value), "__attrs_attrs__"):
        return [getattr(value, a.name) for a in type(value).__attrs_attrs__]
    if _composite.is_structure(value):
        return list(_composite.flatten(value)[1])
    return None


def is_leaf(value: object) -> bool:
    """Is it no structure?"""
    return _parts(value) is None


def flatten(structure: object) -> list:
    """The leaves from left to right; mappings by sorted keys."""
    parts = _parts(structure)
    if parts is None:
        return [structure]
    return [leaf for part in parts for leaf in flatten(part)]


def map_structure(function: Callable, structure: object) -> object:
    """The structure with `function(leaf)` in place of each leaf."""
    return _pack(structure, map(function, flatten(structure)))


def pack_like(structure: object, leaves: list) -> object:
    """The structure with `leaves` in place of its own."""
    return _pack(structure, iter(leaves))


def _pack(structure: object, leaves: Iterator) -> object:
    if isinstance(structure, tuple):
        parts = [_pack(part, leaves) for part in structure]
        cls = type(structure)
        return cls(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, Mapping):
        made = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        ordered = {key: made[key] for key in structure}
        cls = type(structure)
        if cls is dict:
            return ordered
        if hasattr(structure, "default_factory"):
            return cls(structure.default_factory, ordered)
        return cls(ordered)
    if hasattr(type(structure), "__attrs_attrs__"):
        cls = type(structure)
        return cls(
            **{
                a.name.lstrip("_"): _pack(getattr(structure, a.name), leaves)
                for a in cls.__attrs_attrs__
            }
        )
    if _composite.is_structure(structure):
        metadata, parts = _composite.flatten(structure)
        return _composite.unflatten(
            type(structure), metadata, [_pack(part, leaves) for part in parts]
        )
    return next(leaves)


def _children_up_to(shallow: object, deep: object) -> list:
    """The parts of `deep` at the places of the parts of `shallow`, which has
    some."""
    count = len(_parts(shallow))
    if not isinstance(deep, (tuple, list, Mapping)) and _parts(deep) is None:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a "
            f"sequence. Input has type: {type(deep).__name__!r}."
        )
    if isinstance(shallow, Mapping) != isinstance(deep, Mapping):
        raise TypeError(
            "The two structures don't have the same sequence type. Input "
            f"structure has type {type(deep).__name__!r}, while shallow "
            f"structure has type {type(shallow).__name__!r}."
        )
    children = list(deep) if isinstance(deep, list) else _parts(deep)
    if len(children) != count:
        raise ValueError(
            "The two structures don't have the same sequence length. Input "
            f"structure has length {len(children)}, while shallow structure "
            f"has length {count}."
        )
    if isinstance(shallow, Mapping) and set(deep) != set(shallow):
        raise ValueError(
            "The two structures don't have the same keys. Input structure "
            f"has keys {list(deep)}, while shallow structure has keys "
            f"{list(shallow)}."
        )
    return children


def flatten_up_to(shallow: object, deep: object) -> list:
    """The parts of `deep` at the places of the leaves of `shallow`;
    TypeError or ValueError if it is not of that form."""
    parts = _parts(shallow)
    if parts is None:
        return [deep]
    return [
        leaf
        for part, child in zip(parts, _children_up_to(shallow, deep))
        for leaf in flatten_up_to(part, child)
    ]


def flatten_with_gaps(shallow: object, deep: object) -> list:
    """The same; None in `deep` stands for None at all leaves there."""
    parts = _parts(shallow)
    if deep is None:
        return [None] * len(flatten(shallow))
    if parts is None:
        return [deep]
    return [
        leaf
        for part, child in zip(parts, _children_up_to(shallow, deep))
        for leaf in flatten_with_gaps(part, child)
    ]


def normalize(value: object) -> object:
    """The structure with tensors for leaves that are none: values of NumPy
    and Python. Composite tensors and None stay."""
    with tf.name_scope("normalize_element"):
        return pack_like(
            value,
            [_leaf(leaf, i) for i, leaf in enumerate(flatten(value))],
        )


def _leaf(value: object, i: int) -> object:
    if value is None or _composite.is_composite(value):
        return value
    if isinstance(value, list):
        stack = nested.of_list(value)
        if stack is not None:
            return stack
    if isinstance(value, _type_spec.TypeSpec):
        raise TypeError(f"a value was expected, got the spec {value!r}")
    return _graphkiln.convert_to_tensor(value, name=f"component_{i}")


def spec_of(value: object) -> object:
    """The structure of specs of a value; lists are tensors."""
    return map_structure(_type_spec.type_spec_from_value, value)


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


def to_tensors(spec: object, value: object) -> list:
    """The components of a value that `spec` describes."""
    leaves = flatten_up_to(spec, value)
    return [
        tensor
        for leaf_spec, leaf in zip(flatten(spec), leaves)
        for tensor in encoding.encode(leaf_spec, leaf)
    ]


def to_rows(spec: object, value: object) -> list:
    """Tensors whose rows are the components of the rows of a value."""
    leaves = flatten_up_to(spec, value)
    return [
        tensor
        for leaf_spec, leaf in zip(flatten(spec), leaves)
        for tensor in encoding.encode_rows(leaf_spec, leaf)
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
        if not isinstance(leaf, _type_spec.TypeSpec):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of "
                f"`tf.TypeSpec` but found {type(leaf)} which is not."
            )
    return spec
