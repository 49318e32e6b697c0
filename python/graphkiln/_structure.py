"""Flattening of nested structures, for the core modules.

Lists, tuples, named tuples, mappings and dataclasses that flatten themselves
nest; None and all else are leaves.
Mappings are walked in the order of their sorted keys.
"""

import collections.abc

from graphkiln import _composite


def flatten(structure: object) -> list:
    """The leaves, from left to right."""
    leaves: list = []
    _flatten_into(structure, leaves)
    return leaves


def _keys(mapping: collections.abc.Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def _flatten_into(structure: object, leaves: list) -> None:
    if isinstance(structure, (list, tuple)):
        for item in structure:
            _flatten_into(item, leaves)
    elif isinstance(structure, collections.abc.Mapping):
        for key in _keys(structure):
            _flatten_into(structure[key], leaves)
    elif _composite.is_structure(structure):
        _flatten_into(_composite.flatten(structure)[1], leaves)
    else:
        leaves.append(structure)


def flatten_up_to(shallow: object, deep: object) -> list:
    """The parts of `deep` at the places of the leaves of `shallow`."""
    if isinstance(shallow, (list, tuple)):
        if len(shallow) != len(deep):
            raise ValueError(
                "The two structures don't have the same sequence length. "
                f"Input structure has length {len(deep)}, while shallow "
                f"structure has length {len(shallow)}."
            )
        return [
            leaf for s, d in zip(shallow, deep) for leaf in flatten_up_to(s, d)
        ]
    if isinstance(shallow, collections.abc.Mapping):
        return [
            leaf
            for key in _keys(shallow)
            for leaf in flatten_up_to(shallow[key], deep[key])
        ]
    if _composite.is_structure(shallow):
        return flatten_up_to(
            _composite.flatten(shallow)[1], _composite.flatten(deep)[1]
        )
    return [deep]


def pack_like(structure: object, leaves: list) -> object:
    """`leaves` in the form of `structure`."""
    return _pack(structure, iter(leaves))


def _pack(structure: object, leaves) -> object:
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_pack(item, leaves) for item in structure))
    if isinstance(structure, (list, tuple)):
        items = [_pack(item, leaves) for item in structure]
        return items if isinstance(structure, list) else tuple(items)
    if isinstance(structure, collections.abc.Mapping):
        packed = {key: _pack(structure[key], leaves) for key in _keys(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    if _composite.is_structure(structure):
        metadata, parts = _composite.flatten(structure)
        return _composite.unflatten(
            type(structure), metadata, [_pack(part, leaves) for part in parts]
        )
    return next(leaves)
