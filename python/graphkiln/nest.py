"""tf.nest: nested lists, tuples, mappings, named tuples, attrs classes and
dataclasses with `__tf_flatten__`. Everything else is a leaf."""

from collections.abc import Callable, Sequence

from graphkiln import _graphkiln

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]


def is_nested(structure: object) -> bool:
    """Is it a structure rather than a leaf?

    >>> tf.nest.is_nested([1]), tf.nest.is_nested("abc")
    (True, False)
    """
    return _graphkiln.nest_is_nested(structure)


def flatten(structure: object, expand_composites: bool = False) -> list:
    """The leaves from left to right; mappings in the order of their keys.

    Args:
      structure: any nested structure, or a single leaf.
      expand_composites: whether composite tensors count as structures.

    >>> tf.nest.flatten({"b": 2, "a": [0, 1]})
    [0, 1, 2]
    """
    return _graphkiln.nest_flatten(structure, expand_composites)


def pack_sequence_as(
    structure: object,
    flat_sequence: Sequence,
    expand_composites: bool = False,
) -> object:
    """The leaves `flat_sequence` in the form of `structure`.

    Raises ValueError if their numbers differ.

    >>> tf.nest.pack_sequence_as({"a": 0, "b": [0]}, [1, 2])
    {'a': 1, 'b': [2]}
    """
    return _graphkiln.nest_pack(structure, flat_sequence, expand_composites)


def assert_same_structure(
    nest1: object,
    nest2: object,
    check_types: bool = True,
    expand_composites: bool = False,
) -> None:
    """Checks that two structures nest alike.

    Raises ValueError if they do not, and TypeError if `check_types` and the
    types of two sequences differ.

    >>> tf.nest.assert_same_structure([1, (2,)], [3, (4,)])
    """
    _graphkiln.nest_assert_same(nest1, nest2, check_types, expand_composites)


def map_structure(func: Callable, *structure: object, **kwargs) -> object:
    """Calls `func` on the leaves; the results in the form of the first.

    Args:
      func: takes one leaf of each structure.
      structure: structures that nest alike.
      check_types: whether sequence types must agree; True unless given.
      expand_composites: whether composite tensors count as structures.

    >>> tf.nest.map_structure(lambda x, y: x + y, [1, [2]], [3, [4]])
    [4, [6]]
    """
    return _graphkiln.nest_map(func, *structure, **kwargs)
