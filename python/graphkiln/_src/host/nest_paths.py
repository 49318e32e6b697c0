"""Structures with the paths of their leaves, and structures taken apart only as
deep as another one goes: what TensorFlow has beside tf.nest."""

from __future__ import annotations

import collections
import collections.abc
from typing import Callable, Iterator

from graphkiln import _graphkiln, nest

_OTHER_TYPE = (
    "The two structures don't have the same sequence type. Input structure has "
    "type {}, while shallow structure has type {}."
)


def is_mapping(obj: object) -> bool:
    """Is it a mapping?

    >>> tf.__internal__.nest.is_mapping({})
    True
    """
    return isinstance(obj, collections.abc.Mapping)


def is_attrs(obj: object) -> bool:
    """Is it of a class that attrs made?

    >>> tf.__internal__.nest.is_attrs(3)
    False
    """
    return hasattr(type(obj), "__attrs_attrs__")


def is_namedtuple(obj: object, strict: bool = False) -> bool:
    """`strict`: is it of a class that namedtuple made, not of one below it?"""
    fields = getattr(obj, "_fields", None)
    return (
        isinstance(obj, tuple)
        and isinstance(fields, tuple)
        and all(isinstance(field, str) for field in fields)
        and not (strict and type(obj).__base__ is not tuple)
    )


def _is_composite(obj: object) -> bool:
    return isinstance(
        obj, (_graphkiln.CompositeTensor, _graphkiln.Variable)
    ) and hasattr(obj, "_type_spec")


def _is_spec(obj: object) -> bool:
    return isinstance(obj, _graphkiln.TypeSpec) and not isinstance(
        obj, (_graphkiln.TensorSpec, _graphkiln.VariableSpec)
    )


def is_nested_or_composite(obj: object) -> bool:
    return nest.is_nested(obj) or _is_composite(obj) or _is_spec(obj)


def _opens(expand_composites: bool) -> Callable[[object], bool]:
    return is_nested_or_composite if expand_composites else nest.is_nested


def _sorted_keys(mapping: collections.abc.Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def yield_sorted_items(node: object) -> Iterator[tuple]:
    """What is directly below a node, with its key: the place in a sequence, the
    key in a mapping, the name of a field."""
    if is_mapping(node):
        return ((key, node[key]) for key in _sorted_keys(node))
    if is_attrs(node):
        fields = (field.name for field in type(node).__attrs_attrs__)
        return ((name, getattr(node, name)) for name in fields)
    if is_namedtuple(node):
        return ((name, getattr(node, name)) for name in node._fields)
    if isinstance(node, (list, tuple)):
        return enumerate(node)
    if _is_spec(node):
        return iter([(node.value_type.__name__, node._component_specs)])
    if _is_composite(node):
        spec = node._type_spec
        return iter([(spec.value_type.__name__, spec._to_components(node))])
    if hasattr(node, "__tf_flatten__"):
        return enumerate(node.__tf_flatten__()[1])
    return enumerate(node)


def yield_value(node: object) -> Iterator[object]:
    return (value for _, value in yield_sorted_items(node))


def sequence_like(instance: object, args: object) -> object:
    """A node of the kind of `instance` that has `args` directly below it.

    >>> tf.__internal__.nest.sequence_like({"a": 1, "b": 2}, [3, 4])
    {'a': 3, 'b': 4}
    """
    kind = type(instance)
    if is_mapping(instance):
        values = dict(zip(_sorted_keys(instance), args))
        items = [(key, values[key]) for key in instance]
        if kind is collections.defaultdict:
            return kind(instance.default_factory, items)
        if not isinstance(instance, collections.abc.MutableMapping):
            return kind(items)
        made = kind()
        for key, value in items:
            made[key] = value
        return made
    if isinstance(instance, (collections.abc.MappingView, range)):
        return list(args)
    if is_namedtuple(instance) or is_attrs(instance):
        return kind(*args)
    if _is_spec(instance) or _is_composite(instance):
        spec = instance if _is_spec(instance) else instance._type_spec
        (components,) = args
        return spec._from_components(components)
    if hasattr(instance, "__tf_flatten__"):
        metadata = instance.__tf_flatten__()[0]
        return instance.__tf_unflatten__(metadata, tuple(args))
    return kind(args)


def assert_shallow_structure(
    shallow_tree: object,
    input_tree: object,
    check_types: bool = True,
    expand_composites: bool = False,
) -> None:
    """Does nothing if `input_tree` can be made of `shallow_tree` by putting
    structures into the places of its leaves.

    Raises:
      TypeError: a node is a leaf, or of another type.
      ValueError: a node has another number of parts, or other keys.
    """
    opens = _opens(expand_composites)
    if not opens(shallow_tree):
        return
    if not opens(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: {type(input_tree)}."
        )
    composites = [_is_composite(x) for x in (shallow_tree, input_tree)]
    specs = [_is_spec(x) for x in (shallow_tree, input_tree)]
    either = [a or b for a, b in zip(composites, specs)]
    if any(either) and not all(either):
        raise TypeError(_OTHER_TYPE.format(type(input_tree), type(shallow_tree)))
    if all(either):
        if any(composites):
            _assert_same_spec(shallow_tree, input_tree)
    else:
        if check_types and not _alike(shallow_tree, input_tree):
            raise TypeError(
                _OTHER_TYPE.format(type(input_tree), type(shallow_tree))
            )
        if len(input_tree) != len(shallow_tree):
            raise ValueError(
                "The two structures don't have the same sequence length. Input "
                f"structure has length {len(input_tree)}, while shallow "
                f"structure has length {len(shallow_tree)}."
            )
        absent = is_mapping(shallow_tree) and set(shallow_tree) - set(input_tree)
        if absent:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's "
                "keys. The shallow_tree has the following keys that are not in "
                f"the input_tree: {sorted(absent)}."
            )
    for shallow, deep in zip(yield_value(shallow_tree), yield_value(input_tree)):
        assert_shallow_structure(shallow, deep, check_types, expand_composites)


def _alike(shallow: object, deep: object) -> bool:
    if isinstance(deep, type(shallow)):
        return True
    if is_namedtuple(shallow) and is_namedtuple(deep):
        return (
            type(shallow).__name__ == type(deep).__name__
            and shallow._fields == deep._fields
        )
    return (isinstance(shallow, list) and isinstance(deep, list)) or (
        is_mapping(shallow) and is_mapping(deep)
    )


def _assert_same_spec(shallow: object, deep: object) -> None:
    first, second = (
        (x if _is_spec(x) else x._type_spec)._without_tensor_names()
        for x in (shallow, deep)
    )
    if first.most_specific_common_supertype([second]) is None:
        raise ValueError(
            f"Incompatible CompositeTensor TypeSpecs: {first} vs. {second}"
        )


def _paths_up_to(
    shallow: object, deep: object, opens: Callable, path: tuple = ()
) -> Iterator[tuple]:
    if not opens(shallow):
        yield path, deep
        return
    below = dict(yield_sorted_items(deep))
    for key, part in yield_sorted_items(shallow):
        yield from _paths_up_to(part, below[key], opens, (*path, key))


def flatten_with_tuple_paths_up_to(
    shallow_tree: object,
    input_tree: object,
    check_types: bool = True,
    expand_composites: bool = False,
) -> list:
    """(path, part) of `input_tree` for each leaf of `shallow_tree`."""
    assert_shallow_structure(
        shallow_tree, input_tree, check_types, expand_composites
    )
    return list(
        _paths_up_to(shallow_tree, input_tree, _opens(expand_composites))
    )


def flatten_up_to(
    shallow_tree: object,
    input_tree: object,
    check_types: bool = True,
    expand_composites: bool = False,
) -> list:
    """The parts of `input_tree` in the places of `shallow_tree`'s leaves.

    >>> tf.__internal__.nest.flatten_up_to([0, 0], [1, [2, 3]])
    [1, [2, 3]]
    """
    found = flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, expand_composites
    )
    return [part for _, part in found]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: object, func: Callable, *inputs: object, **kwargs: object
) -> object:
    """`func(path, *parts)` in each leaf's place of `shallow_tree`."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    found = [
        flatten_with_tuple_paths_up_to(
            shallow_tree, tree, check_types, expand_composites
        )
        for tree in inputs
    ]
    results = [
        func(parts[0][0], *(part for _, part in parts), **kwargs)
        for parts in zip(*found)
    ]
    return nest.pack_sequence_as(
        shallow_tree, results, expand_composites=expand_composites
    )


def map_structure_up_to(
    shallow_tree: object, func: Callable, *inputs: object, **kwargs: object
) -> object:
    """`func(*parts)` in each leaf's place of `shallow_tree`. There are no keyword
    arguments but `check_types` and `expand_composites`.

    >>> tf.__internal__.nest.map_structure_up_to([0, 0], str, [1, [2, 3]])
    ['1', '[2, 3]']
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts: func(*parts), *inputs, **kwargs
    )


def map_structure_with_tuple_paths(
    func: Callable, *structure: object, **kwargs: object
) -> object:
    return map_structure_with_tuple_paths_up_to(
        structure[0], func, *structure, **kwargs
    )


def map_structure_with_paths(
    func: Callable, *structure: object, **kwargs: object
) -> object:
    """As with tuples, but a path is its keys joined by slashes."""

    def with_text(path: tuple, *parts: object, **rest: object) -> object:
        return func("/".join(map(str, path)), *parts, **rest)

    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)


def yield_flat_paths(
    nest: object, expand_composites: bool = False
) -> Iterator[tuple]:
    """The path of each leaf.

    >>> list(tf.__internal__.nest.yield_flat_paths({"a": [1, 2]}))
    [('a', 0), ('a', 1)]
    """
    for path, _ in _paths_up_to(nest, nest, _opens(expand_composites)):
        yield path


def flatten_with_tuple_paths(
    structure: object, expand_composites: bool = False
) -> list:
    return list(
        _paths_up_to(structure, structure, _opens(expand_composites))
    )


def flatten_with_joined_string_paths(
    structure: object, separator: str = "/", expand_composites: bool = False
) -> list:
    return [
        (separator.join(map(str, path)), part)
        for path, part in flatten_with_tuple_paths(structure, expand_composites)
    ]


def get_traverse_shallow_structure(
    traverse_fn: Callable, structure: object, expand_composites: bool = False
) -> object:
    """The structure of bools that tells how far `traverse_fn` wants to go down:
    it is asked about each node, and answers by a bool, or by one for each part.

    Raises:
      TypeError: it answers something else.

    >>> tf.__internal__.nest.get_traverse_shallow_structure(
    ...     lambda node: not isinstance(node, tuple), [1, (2, 3)]
    ... )
    [True, False]
    """
    opens = _opens(expand_composites)
    answer = traverse_fn(structure)
    if not opens(structure):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned structure: {answer} for non-structure: "
                f"{structure}"
            )
        return answer
    parts = list(yield_value(structure))
    if isinstance(answer, bool):
        if not answer:
            return False
        answers = [True] * len(parts)
    elif not opens(answer):
        raise TypeError(
            f"traverse_fn returned a non-bool scalar: {answer} for input: "
            f"{structure}"
        )
    else:
        assert_shallow_structure(
            answer, structure, expand_composites=expand_composites
        )
        answers = list(yield_value(answer))
    level = []
    for go_on, part in zip(answers, parts):
        if not isinstance(go_on, bool):
            raise TypeError(
                "traverse_fn didn't return a depth=1 structure of bools.  saw: "
                f"{answer}  for structure: {structure}"
            )
        level.append(
            go_on
            and get_traverse_shallow_structure(
                traverse_fn, part, expand_composites
            )
        )
    return sequence_like(structure, level)


def list_to_tuple(structure: object) -> object:
    """The structure with tuples in the places of lists.

    >>> tf.__internal__.nest.list_to_tuple([1, {"a": [2]}])
    (1, {'a': (2,)})
    """

    def walk(value: object) -> object:
        if isinstance(value, list):
            return tuple(walk(item) for item in value)
        if not nest.is_nested(value):
            return value
        items = [walk(item) for item in yield_value(value)]
        return sequence_like(value, items)

    return walk(structure)
