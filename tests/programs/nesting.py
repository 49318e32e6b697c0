"""tf.nest over every kind of container, and what it says of those that
differ."""

from __future__ import annotations

import collections
import dataclasses
import types
from collections import abc

import numpy as np
from outcomes import failure

Point = collections.namedtuple("Point", "x y")
Place = collections.namedtuple("Place", "x y")


class Items(list):
    """A list of a class of its own."""


class Frozen(abc.Mapping):
    """A mapping that cannot change."""

    def __init__(self, items=()):
        self._items = dict(items)

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return f"Frozen({self._items})"


class Changing(Frozen, abc.MutableMapping):
    """One that can."""

    def __setitem__(self, key, value):
        self._items[key] = value

    def __delitem__(self, key):
        del self._items[key]


class Fixed(Frozen):
    """One that takes no items."""

    def __init__(self):
        super().__init__({"a": 1})


class Row(abc.Sequence):
    """A sequence that is no list."""

    def __init__(self, items=()):
        self._items = list(items)

    def __getitem__(self, i):
        return self._items[i]

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return f"Row({self._items})"


class Attributes:
    """What attrs makes of a class."""

    __attrs_attrs__ = (
        types.SimpleNamespace(name="x"), types.SimpleNamespace(name="_y"),
    )

    def __init__(self, x, y):
        self.x, self._y = x, y

    def __repr__(self):
        return f"Attributes({self.x}, {self._y})"


@dataclasses.dataclass
class Flat:
    """A dataclass that takes itself apart."""

    a: object
    b: object
    meta: object = "m"

    def __tf_flatten__(self):
        return (self.meta,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata, leaves):
        return cls(*leaves, *metadata)


@dataclasses.dataclass
class Plain:
    """One that does not."""

    a: object


def _structures(tf):
    return {
        "none": None,
        "number": 1,
        "text": "abc",
        "list": [1, [2, 3]],
        "tuple": (1, (2,)),
        "dict": {"b": 1, "a": [2, 3]},
        "empty list": [],
        "empty dict": {},
        "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
        "default": collections.defaultdict(list, {"b": 1, "a": 2}),
        "point": Point(1, (2, 3)),
        "place": Place(1, (2, 3)),
        "items": Items([1, 2]),
        "frozen": Frozen({"b": 1, "a": 2}),
        "changing": Changing({"b": 1, "a": 2}),
        "row": Row([1, 2]),
        "range": range(2),
        "set": {1},
        "deque": collections.deque([1, 2]),
        "flat": Flat(1, [2, 3]),
        "plain": Plain(1),
        "attributes": Attributes(1, [2]),
        "keys": {"a": 1, "b": 2}.keys(),
        "pairs": {"a": 1, "b": 2}.items(),
        "numbers as keys": {10: "x", 9: "y"},
        "array": np.array([1, 2]),
        "ragged": tf.ragged.constant([[1], [2, 3]]),
        "ragged floats": tf.ragged.constant([[1.0], [2.0, 3.0]]),
        "ragged spec": tf.RaggedTensorSpec([2, None], tf.int32),
        "slices": tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])),
        "counter": collections.Counter(a=1, b=2),
        "chain": collections.ChainMap({"a": 1}, {"b": 2}),
        "long": list(range(60)),
    }


def _plain_text(value):
    return repr(value).replace("\n", " ")


def program_flatten(tf):
    return {
        name: [
            tf.nest.is_nested(value), _plain_text(tf.nest.flatten(value)),
            _plain_text(tf.nest.map_structure(lambda x: x, value))
            if name != "slices" else None,
        ]
        for name, value in _structures(tf).items()
    }


def program_expanded(tf):
    structures = _structures(tf)
    made = {}
    for name in ("ragged", "ragged spec", "slices", "list", "flat"):
        flat = tf.nest.flatten([structures[name], 1], True)
        packed = tf.nest.pack_sequence_as([structures[name], 1], flat, True) \
            if name != "ragged spec" else None
        made[name] = [_plain_text(flat), type(packed).__name__]
    return made


def program_pack(tf):
    made = {}
    for name, value in _structures(tf).items():
        n = len(tf.nest.flatten(value))
        for count in (n - 1, n, n + 1):
            made[f"{name} {count - n}"] = failure(
                lambda v, c: _plain_text(
                    tf.nest.pack_sequence_as(v, list(range(10, 10 + c)))
                ),
                value, max(count, 0),
            )
    for given in (3, "ab", None, np.array([1])):
        made[f"given {given}"] = failure(
            tf.nest.pack_sequence_as, [1, 2], given
        )
    return made


def program_same(tf):
    structures = {
        name: value for name, value in _structures(tf).items()
        if name in (
            "none", "list", "tuple", "dict", "ordered", "point", "place",
            "items", "frozen", "row", "flat", "attributes", "numbers as keys",
        )
    }
    made = {"whole": failure(tf.nest.assert_same_structure, [1], [[2], 3])}
    for first, a in structures.items():
        for second, b in structures.items():
            kind, text = failure(tf.nest.assert_same_structure, a, b)
            reason = text.partition("More specifically: ")[2] if text else ""
            made[f"{first}, {second}"] = [
                kind, reason,
                failure(tf.nest.assert_same_structure, a, b, False)[0],
            ]
    return made


def program_same_expanded(tf):
    structures = _structures(tf)
    names = (
        "none", "list", "flat", "ragged", "ragged floats", "ragged spec",
        "slices", "dict",
    )
    made = {}
    for first in names:
        for second in names:
            if "slices" in (first, second) and first != second:
                made[f"{first}, {second}"] = failure(
                    tf.nest.assert_same_structure, structures[first],
                    structures[second], True, True,
                )[0]
                continue
            made[f"{first}, {second}"] = failure(
                tf.nest.assert_same_structure, structures[first],
                structures[second], True, True,
            )
    return made


def program_maps(tf):
    nest = tf.nest
    seen = []
    return [
        nest.map_structure(lambda x, y: x + y, [1, (2,)], [3, (4,)]),
        nest.map_structure(lambda x, y: x + y, [1], (2,), check_types=False),
        failure(nest.map_structure, lambda x, y: x, [1], (2,)),
        failure(nest.map_structure, lambda x: x),
        failure(nest.map_structure, 3, [1]),
        failure(nest.map_structure, lambda x: x, [1], other=1),
        failure(nest.map_structure, lambda x: {}[x], [1]),
        nest.map_structure(seen.append, {"b": 1, "a": [2, 3]}), seen,
        nest.flatten(structure={"b": 1, "a": 2}, expand_composites=False),
        nest.pack_sequence_as(structure=[1, [2]], flat_sequence=(3, 4)),
        failure(nest.assert_same_structure, nest1=[1], nest2=[1]),
    ]


def program_never_made(tf):
    """A mapping that nobody can make, and one that cannot be sorted."""
    fixed = Fixed()
    return [
        tf.nest.flatten(fixed),
        failure(tf.nest.map_structure, lambda x: x, fixed),
        failure(tf.nest.pack_sequence_as, {1: 2, "a": 3}, [1, 2]),
        failure(tf.nest.flatten, {1: 2, "a": 3})[0],
    ]
