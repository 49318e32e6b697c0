"""tf.nest: nested lists, tuples, mappings, named tuples, attrs classes and
dataclasses with `__tf_flatten__`. Everything else is a leaf."""

import collections.abc
from collections.abc import Callable
from collections.abc import Iterator

from graphkiln import _composite
from graphkiln._graphkiln import TensorSpec

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]


def _is_attrs(value: object) -> bool:
    return hasattr(type(value), "__attrs_attrs__")


def _is_composite(value: object) -> bool:
    # On the class: asking a value for its spec may cost something.
    return hasattr(type(value), "_type_spec") or (
        hasattr(type(value), "_component_specs")
        and not isinstance(value, TensorSpec)
    )


def _spec_of(value: object) -> object:
    """The spec of a composite tensor, or a spec itself."""
    if hasattr(type(value), "_type_spec"):
        return value._type_spec
    return value


def is_nested(structure: object) -> bool:
    """Is it a structure rather than a leaf?

    >>> tf.nest.is_nested([1]), tf.nest.is_nested("abc")
    (True, False)
    """
    if isinstance(structure, (str, bytes)):
        return False
    return (
        isinstance(
            structure,
            (
                list,
                tuple,
                collections.abc.Mapping,
                collections.abc.MappingView,
                collections.deque,
            ),
        )
        or _is_attrs(structure)
        or _composite.is_structure(structure)
    )


def _sorted_keys(mapping: collections.abc.Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _items(
    structure: object, expand_composites: bool
) -> list[tuple[object, object]] | None:
    """(path component, child) of a structure; None: a leaf."""
    if isinstance(structure, (str, bytes)):
        return None
    if isinstance(structure, (list, tuple, collections.deque)):
        return list(enumerate(structure))
    if isinstance(structure, collections.abc.Mapping):
        return [(key, structure[key]) for key in _sorted_keys(structure)]
    if isinstance(structure, collections.abc.MappingView):
        return list(enumerate(structure))
    if _is_attrs(structure):
        names = [a.name for a in type(structure).__attrs_attrs__]
        return [(name, getattr(structure, name)) for name in names]
    if _composite.is_structure(structure):
        _, components = structure.__tf_flatten__()
        return list(enumerate(components))
    if expand_composites and _is_composite(structure):
        spec = _spec_of(structure)
        parts = (
            spec._component_specs if spec is structure
            else spec._to_components(structure)
        )
        return list(enumerate(flatten(parts, True)))
    return None


def _leaves(structure: object, expand_composites: bool) -> Iterator[object]:
    items = _items(structure, expand_composites)
    if items is None:
        yield structure
        return
    for _, child in items:
        yield from _leaves(child, expand_composites)


def flatten(structure: object, expand_composites: bool = False) -> list:
    """The leaves from left to right; mappings in the order of their keys.

    Args:
      structure: any nested structure, or a single leaf.
      expand_composites: whether composite tensors count as structures.

    >>> tf.nest.flatten({"b": 2, "a": [0, 1]})
    [0, 1, 2]
    """
    if structure is None:
        return [None]
    return list(_leaves(structure, expand_composites))


def _rebuild(like: object, children: list) -> object:
    """A structure of the kind of `like` with these children."""
    kind = type(like)
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return kind(*children)
    if isinstance(like, collections.abc.Mapping):
        values = dict(zip(_sorted_keys(like), children))
        if isinstance(like, collections.defaultdict):
            result = kind(like.default_factory)
            for key in like:
                result[key] = values[key]
            return result
        # The order of insertion is kept.
        return kind((key, values[key]) for key in like)
    if isinstance(like, collections.abc.MappingView):
        return list(children)
    if _is_attrs(like):
        return kind(*children)
    if _composite.is_structure(like):
        metadata, _ = like.__tf_flatten__()
        return kind.__tf_unflatten__(metadata, tuple(children))
    if _is_composite(like):
        if hasattr(kind, "_with_components"):
            return like._with_components(children)
        spec = _spec_of(like)
        flat = iter(children)
        components = _pack(
            spec._component_specs if spec is like
            else spec._to_components(like), flat, True,
        )
        return spec._from_components(components)
    return kind(children)


def _pack(
    structure: object, leaves: Iterator[object], expand_composites: bool
) -> object:
    items = _items(structure, expand_composites)
    if items is None:
        return next(leaves)
    return _rebuild(
        structure,
        [_pack(child, leaves, expand_composites) for _, child in items],
    )


def pack_sequence_as(
    structure: object, flat_sequence: list, expand_composites: bool = False
) -> object:
    """The leaves `flat_sequence` in the form of `structure`.

    Raises ValueError if their numbers differ.

    >>> tf.nest.pack_sequence_as({"a": 0, "b": [0]}, [1, 2])
    {'a': 1, 'b': [2]}
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            "Attempted to pack value:\n"
            f"  {flat_sequence}\ninto a structure, but found incompatible "
            f"type `{type(flat_sequence)}` instead."
        )
    leaves = list(flat_sequence)
    expected = len(flatten(structure, expand_composites))
    if expected != len(leaves):
        if _items(structure, expand_composites) is None:
            raise ValueError(
                "The target structure is of type "
                f"`{type(structure)}`\n  {structure}\nHowever the input is a "
                f"sequence ({type(flat_sequence)}) of length {len(leaves)}.\n"
                f"  {flat_sequence}\nnest cannot guarantee that it is safe to "
                "map one to the other."
            )
        raise ValueError(
            "Could not pack sequence. Structure had "
            f"{expected} atoms, but flat_sequence had {len(leaves)} items.  "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(leaves), expand_composites)


def assert_same_structure(
    nest1: object,
    nest2: object,
    check_types: bool = True,
    expand_composites: bool = False,
) -> None:
    """Checks that two structures nest alike.

    Raises ValueError if they do not, and TypeError if `check_types` and the
    types of two sequences or mappings differ.

    >>> tf.nest.assert_same_structure([1, (2,)], [3, (4,)])
    """
    try:
        _assert_same(nest1, nest2, check_types, expand_composites)
    except (ValueError, TypeError) as e:
        raise type(e)(
            f"{e}\nEntire first structure:\n{_dots(nest1, expand_composites)}"
            f"\nEntire second structure:\n{_dots(nest2, expand_composites)}"
        ) from None


def _dots(structure: object, expand_composites: bool) -> str:
    class Dot:
        def __repr__(self) -> str:
            return "."

    n = len(flatten(structure, expand_composites))
    return str(_pack(structure, iter([Dot()] * n), expand_composites))


def _assert_same(
    a: object, b: object, check_types: bool, expand_composites: bool
) -> None:
    items_a = _items(a, expand_composites)
    items_b = _items(b, expand_composites)
    if (items_a is None) != (items_b is None):
        which = ("First", "second") if items_a is not None else ("Second", "first")
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: type={type(a).__name__} str={a}\n\n"
            f"Second structure: type={type(b).__name__} str={b}\n\n"
            f'More specifically: Substructure "type={type(a).__name__} '
            f'str={a}" {"is" if which[0] == "First" else "is not"} a sequence, '
            f'while substructure "type={type(b).__name__} str={b}" '
            f'{"is not" if which[0] == "First" else "is"}'
        )
    if items_a is None:
        return
    if check_types and not _same_kind(a, b):
        raise TypeError(
            "The two structures don't have the same sequence type. First "
            f"structure has type {type(a)}, while second structure has type "
            f"{type(b)}."
        )
    if len(items_a) != len(items_b):
        raise ValueError(
            "The two structures don't have the same number of elements.\n\n"
            f"First structure: {a}\n\nSecond structure: {b}"
        )
    if isinstance(a, collections.abc.Mapping) and isinstance(
        b, collections.abc.Mapping
    ):
        if set(a) != set(b):
            raise ValueError(
                "The two dictionaries don't have the same set of keys. First "
                f"structure has keys {list(a)}, while second structure has "
                f"keys {list(b)}"
            )
    for (_, x), (_, y) in zip(items_a, items_b):
        _assert_same(x, y, check_types, expand_composites)


def _same_kind(a: object, b: object) -> bool:
    if type(a) is type(b):
        return True
    if hasattr(type(a), "_type_spec") and hasattr(type(b), "_type_spec"):
        # Two kinds of dataset are alike if their elements are.
        return a._type_spec.is_compatible_with(b._type_spec)
    if hasattr(a, "_fields") and hasattr(b, "_fields"):
        return (
            type(a).__name__ == type(b).__name__ and a._fields == b._fields
        )
    both_mappings = isinstance(a, collections.abc.Mapping) and isinstance(
        b, collections.abc.Mapping
    )
    if both_mappings:
        return True
    # Wrappers of lists and tuples count as what they wrap.
    return (isinstance(a, list) and isinstance(b, list)) or (
        isinstance(a, tuple)
        and isinstance(b, tuple)
        and not hasattr(a, "_fields")
        and not hasattr(b, "_fields")
    )


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
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and "
            f"`expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(
            structure[0], other, check_types, expand_composites
        )
    flat = [flatten(s, expand_composites) for s in structure]
    return pack_sequence_as(
        structure[0], [func(*x) for x in zip(*flat)], expand_composites
    )
