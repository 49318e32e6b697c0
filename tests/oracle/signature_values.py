"""Values for generated calls: each is made for one module and kept, so that
a call can pass the very same object again."""

from __future__ import annotations

import collections
import dataclasses
import enum
import random
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

Pair = collections.namedtuple("Pair", "first second")
Other = collections.namedtuple("Other", "first second")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Thing:
    """Compared by identity."""


class Named:
    """Compared by name."""

    def __init__(self, name: str):
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Unhashable:
    __hash__ = None

    def __repr__(self) -> str:
        return "Unhashable()"


@dataclasses.dataclass
class Plain:
    a: int


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: int


class Record:
    """An attrs class without the package."""

    class _Attribute:
        def __init__(self, name: str):
            self.name = name

    __attrs_attrs__ = (_Attribute("a"), _Attribute("b"))

    def __init__(self, a: object, b: object):
        self.a, self.b = a, b


@dataclasses.dataclass
class Masked:
    """Flattens itself."""

    mask: object
    value: object

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


class Values:
    """Makes the values of one program for one module."""

    def __init__(self, tf: types.ModuleType):
        self.tf = tf
        self._kept: dict[tuple, Any] = {}
        self._types: dict[str, type] = {}

    def get(self, recipe: tuple) -> Any:
        """The value of a recipe: a kind and its arguments."""
        if recipe not in self._kept:
            kind, *args = recipe
            self._kept[recipe] = getattr(self, kind)(*args)
        return self._kept[recipe]

    # --- Leaves.

    def literal(self, value: object) -> object:
        return value

    def tensor(self, dtype: str, shape: tuple) -> object:
        return self.tf.constant(self._array(dtype, shape))

    def array(self, dtype: str, shape: tuple) -> object:
        return self._array(dtype, shape)

    def scalar(self, dtype: str) -> object:
        return np.dtype(dtype).type(2)

    def _array(self, dtype: str, shape: tuple) -> np.ndarray:
        if dtype == "string":
            return np.full(shape, "s")
        return np.ones(shape, dtype)

    def variable(self, slot: int) -> object:
        dtype, shape, trainable = (
            ("float32", (), True), ("float32", (), True),
            ("float32", (2,), True), ("int32", (), True),
            ("float32", (), False),
        )[slot]
        return self.tf.Variable(np.ones(shape, dtype), trainable=trainable)

    def spec(self, dtype: str, shape: tuple | None) -> object:
        return self.tf.TensorSpec(shape, dtype)

    def thing(self, slot: int) -> object:
        return Thing()

    def named(self, name: str, slot: int) -> object:
        return Named(name)

    def nan(self, slot: int) -> float:
        return float("nan")

    def special(self, name: str) -> object:
        tf = self.tf
        return {
            "range": range(3), "range 4": range(4), "ellipsis": ...,
            "red": Color.RED, "blue": Color.BLUE, "class": Thing,
            "dtype": tf.int32, "shape": tf.TensorShape([1, None]),
            "frozenset": frozenset([2]), "bytes": b"b", "complex": 2 + 3j,
            "function": _function, "frozen": Frozen(2),
            "big": 2**70, "empty": "",
        }[name]

    def refused(self, name: str) -> object:
        return {
            "set": {2}, "slice": slice(2), "weakref": weakref.ref(_function),
            "plain": Plain(2), "deque": collections.deque([2]),
            "bytearray": bytearray(b"b"), "unhashable": Unhashable(),
        }[name]

    # --- Structures.

    def list(self, *items: tuple) -> list:
        return [self.get(item) for item in items]

    def tuple(self, *items: tuple) -> tuple:
        return tuple(self.get(item) for item in items)

    def pair(self, cls: str, *items: tuple) -> tuple:
        return {"Pair": Pair, "Other": Other}[cls](*map(self.get, items))

    def dict(self, cls: str, *items: tuple) -> object:
        pairs = [(key, self.get(item)) for key, item in items]
        if cls == "defaultdict":
            return collections.defaultdict(list, pairs)
        return {
            "dict": dict, "OrderedDict": collections.OrderedDict,
            "UserDict": collections.UserDict,
        }[cls](pairs)

    def record(self, a: tuple, b: tuple) -> Record:
        return Record(self.get(a), self.get(b))

    def masked(self, mask: object, value: tuple) -> Masked:
        return Masked(mask, self.get(value))

    # --- Composite tensors.

    def ragged(self, rows: tuple, dtype: str) -> object:
        return self.tf.ragged.constant([list(row) for row in rows], dtype)

    def sparse(self, count: int, shape: tuple) -> object:
        indices = [[i] + [0] * (len(shape) - 1) for i in range(count)]
        return self.tf.SparseTensor(
            np.reshape(indices, (count, len(shape))), [2.5] * count, shape
        )

    def slices(self, count: int, dense: bool) -> object:
        tf = self.tf
        return tf.IndexedSlices(
            tf.ones([count, 2]), tf.zeros([count], tf.int32),
            tf.constant([4, 2]) if dense else None,
        )

    def ragged_spec(self, shape: tuple, dtype: str) -> object:
        return self.tf.RaggedTensorSpec(shape, dtype)

    def sparse_spec(self, shape: tuple) -> object:
        return self.tf.SparseTensorSpec(shape)

    def extension(self, shape: tuple, number: int) -> object:
        return self._extension()(np.ones(shape, "float32"), number)

    def _extension(self) -> type:
        tf = self.tf
        if "Box" not in self._types:
            base = tf.experimental.ExtensionType
            self._types["Box"] = type(base)("Box", (base,), {
                "__annotations__": {"content": tf.Tensor, "number": int},
                "number": 2,
                "__module__": __name__,
            })
        return self._types["Box"]

    def parity(self, number: int) -> object:
        return self._parity()(number)

    def _parity(self) -> type:
        if "Parity" in self._types:
            return self._types["Parity"]

        class ParityType(self.tf.types.experimental.TraceType):
            def __init__(self, number):
                self.number = number

            def is_subtype_of(self, other):
                return self == other

            def most_specific_common_supertype(self, others):
                return None

            def placeholder_value(self, placeholder_context):
                return self.number

            def __eq__(self, other):
                return (
                    type(self) is type(other)
                    and self.number % 2 == other.number % 2
                )

            def __hash__(self):
                return self.number % 2

            def __repr__(self):
                return f"ParityType({self.number % 2})"

        class Parity:
            def __init__(self, number):
                self.number = number

            def __tf_tracing_type__(self, context):
                return ParityType(self.number)

        self._types["Parity"] = Parity
        return Parity


def _function() -> None:
    pass


_DTYPES = ("int32", "float32", "string", "bool", "float64")
_SHAPES = ((), (2,), (3,), (2, 2), (2, 3))
# No two of other types that compare equal: there graphkiln differs on purpose.
_LITERALS = (2, 3, 5, 2.5, 3.5, "a", "b", True, False, None)
_SPECIAL = (
    "range", "range 4", "ellipsis", "red", "blue", "class", "dtype", "shape",
    "frozenset", "bytes", "complex", "function", "frozen", "big", "empty",
)
_REFUSED = (
    "set", "slice", "weakref", "plain", "deque", "bytearray", "unhashable",
)


def _leaf(rng: random.Random) -> tuple:
    kind = rng.choice(
        ["tensor"] * 5 + ["literal"] * 4 + ["array", "scalar", "variable"] * 2
        + ["special"] * 2 + ["thing", "named", "nan", "parity"]
    )
    if kind in ("tensor", "array"):
        return (kind, rng.choice(_DTYPES[:3]), rng.choice(_SHAPES[:3]))
    if kind == "scalar":
        return (kind, rng.choice(("int32", "float32", "float64")))
    if kind == "literal":
        return (kind, rng.choice(_LITERALS))
    if kind == "variable":
        return (kind, rng.randrange(5))
    if kind == "special":
        return (kind, rng.choice(_SPECIAL))
    if kind == "named":
        return (kind, rng.choice("pq"), rng.randrange(2))
    if kind == "parity":
        return (kind, rng.choice((2, 3, 4, 5)))
    return (kind, rng.randrange(2))


def _composite(rng: random.Random) -> tuple:
    return rng.choice(
        [
            ("ragged", ((2, 3), (4,)), "int32"),
            ("ragged", ((2,), (4, 5, 6)), "int32"),
            ("ragged", ((2,), (4,), ()), "int32"),
            ("ragged", ((2.5,), ()), "float32"),
            ("sparse", 1, (2, 3)), ("sparse", 2, (2, 3)),
            ("sparse", 1, (2, 4)), ("sparse", 2, (4,)),
            ("slices", 1, True), ("slices", 2, True), ("slices", 1, False),
            ("extension", (2,), 2), ("extension", (3,), 2),
            ("extension", (2,), 3),
        ]
    )


def _structure(rng: random.Random, depth: int) -> tuple:
    def inner() -> tuple:
        return value(rng, depth + 1, refused=0.0)

    kind = rng.choice(
        ("list", "tuple", "dict", "dict", "pair", "record", "masked")
    )
    if kind in ("list", "tuple"):
        return (kind, *(inner() for _ in range(rng.randrange(3))))
    if kind == "dict":
        # TensorFlow cannot pass mapping proxies on.
        cls = rng.choice(("dict", "OrderedDict", "defaultdict", "UserDict"))
        keys = rng.sample("xyz", rng.randrange(1, 3))
        return (kind, cls, *((key, inner()) for key in keys))
    if kind == "pair":
        return (kind, rng.choice(("Pair", "Pair", "Other")), inner(), inner())
    if kind == "record":
        return (kind, inner(), inner())
    return (kind, rng.choice("mn"), inner())


def value(rng: random.Random, depth: int = 0, refused: float = 0.03) -> tuple:
    """The recipe of some value."""
    which = rng.random()
    if which < refused:
        return ("refused", rng.choice(_REFUSED))
    if which < 0.25 and depth < 2:
        return _structure(rng, depth)
    if which < 0.40:
        return _composite(rng)
    return _leaf(rng)


def similar(rng: random.Random, recipe: tuple) -> tuple:
    """The same recipe, or one that differs in a small way."""
    kind, *args = recipe
    if rng.random() < 0.4:
        return recipe
    if kind in ("tensor", "array"):
        return (
            rng.choice(("tensor", "array")), args[0], rng.choice(_SHAPES)
        )
    if kind == "variable":
        return (kind, rng.randrange(5))
    if kind in ("list", "tuple"):
        return (kind, *(similar(rng, item) for item in args))
    if kind == "dict":
        items = [(key, similar(rng, item)) for key, item in args[1:]]
        rng.shuffle(items)
        return (kind, rng.choice(("dict", "OrderedDict")), *items)
    if kind == "pair":
        return (kind, args[0], *(similar(rng, item) for item in args[1:]))
    if kind == "record":
        return (kind, *(similar(rng, item) for item in args))
    if kind == "masked":
        return (kind, args[0], similar(rng, args[1]))
    if kind in ("ragged", "sparse", "slices", "extension"):
        return _composite(rng)
    return _leaf(rng)


def spec_for(rng: random.Random, recipe: tuple) -> tuple:
    """A recipe with specs in place of tensors."""
    kind, *args = recipe
    if kind in ("tensor", "array"):
        shape = rng.choice((args[1], (None,) * len(args[1]), None))
        return ("spec", args[0], shape)
    if kind == "ragged":
        return ("ragged_spec", (None, None), args[1])
    if kind == "sparse":
        return ("sparse_spec", (None,) * len(args[1]))
    if kind in ("list", "tuple", "record"):
        return (kind, *(spec_for(rng, item) for item in args))
    if kind == "dict":
        return (
            kind, args[0],
            *((key, spec_for(rng, item)) for key, item in args[1:]),
        )
    if kind == "pair":
        return (kind, args[0], *(spec_for(rng, item) for item in args[1:]))
    return recipe


Maker = Callable[[tuple], Any]
