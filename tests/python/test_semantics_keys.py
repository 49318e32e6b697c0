"""How a call becomes the key of a trace: kinds of values, dispatch and
generalisation, binding."""

import collections
import dataclasses
import types
import weakref

import numpy as np
import pytest

import graphkiln as tf
from tracing_support import Masked, Pair, chosen, counting

Spec = tf.TensorSpec


# --- 1.1 Value to trace type.


def key(value):
    """The type of a value as the function's signature prints it."""
    cf = tf.function(lambda v: None).get_concrete_function(value)
    line = cf.pretty_printed_signature().splitlines()[1]
    return line.partition(": ")[2]


@pytest.mark.parametrize(
    "value, text",
    [
        (np.ones(2), "TensorSpec(shape=(2,), dtype=tf.float64, name=None)"),
        (np.bool_(1), "TensorSpec(shape=(), dtype=tf.bool, name=None)"),
        (
            np.array(["a"], object),
            "TensorSpec(shape=(1,), dtype=tf.string, name=None)",
        ),
        (True, "Literal[True]"), (None, "Literal[None]"),
        (2 + 3j, "Literal[(2+3j)]"), (..., "Literal[Ellipsis]"),
        (range(3), "Literal[range(0, 3)]"),
        (type("I", (int,), {})(4), "Literal[4]"),
        ([], "List[]"), ((1,), "Tuple[Literal[1]]"),
        (
            collections.OrderedDict(b=1, a=2),
            "Dict[['b', Literal[1]], ['a', Literal[2]]]",
        ),
        (
            types.MappingProxyType({"b": 1}), "Dict[['b', Literal[1]]]",
        ),
        (collections.UserDict(b=1), "Dict[['b', Literal[1]]]"),
        (Pair(1, 2), "Pair[['a', Literal[1]], ['b', Literal[2]]]"),
        (
            tf.ragged.constant([[1], [2, 3]]),
            "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)",
        ),
        (
            tf.SparseTensorSpec([None, 2]),
            "SparseTensorSpec(TensorShape([None, 2]), tf.float32)",
        ),
        (
            Masked("m", tf.constant(1)),
            "CustomNestTraceType [metadata=('m',), components=(TensorSpec("
            "shape=(), dtype=tf.int32, name=None),)]",
        ),
        (
            tf.Variable(1.0).handle,
            "TensorSpec(shape=(), dtype=tf.resource, name=None)",
        ),
        (b"b", "Literal[b'b']"),
    ],
    ids=str,
)
def test_1_1_types(value, text):
    assert key(value) == text


def test_1_1_arrays_share_with_tensors():
    f = counting()
    assert chosen(
        f, (np.ones(2),), (tf.ones([2], tf.float64),), (np.zeros(2),)
    ) == [1, 1, 1]


def test_1_1_literals_by_type_and_value():
    f = counting()
    nan = float("nan")
    assert chosen(
        f, (1,), (True,), (1.0,), (1,), (0.0,), (-0.0,), (nan,), (-nan,)
    ) == [1, 2, 3, 1, 4, 5, 6, 6]


def test_1_1_containers():
    f = counting()
    assert chosen(
        f, ([1],), ((1,),), ([1, 1],), ({"a": 1, "b": 2},),
        ({"b": 2, "a": 1},), (collections.OrderedDict(b=2, a=1),),
    ) == [1, 2, 3, 4, 4, 4]


def test_1_1_objects_by_weak_reference():
    class Thing:
        pass

    f = counting()
    thing = Thing()
    alive = weakref.ref(thing)
    assert chosen(f, (thing,), (thing,), (Thing(),)) == [1, 1, 2]
    del thing
    assert alive() is None
    assert chosen(f, (Thing(),)) == [3]


def test_1_1_dataclasses():
    @dataclasses.dataclass
    class Plain:
        a: int

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        a: int

    f = counting()
    with pytest.raises(TypeError, match="Could not generate a generic"):
        f(Plain(1))
    kept = Frozen(1)
    assert chosen(f, (kept,), (Frozen(1),), (Frozen(2),)) == [1, 1, 2]
    assert chosen(
        f, (Masked("m", 1.0),), (Masked("m", 1.0),), (Masked("n", 1.0),)
    ) == [3, 3, 4]


class Fruit:
    def __init__(self, name, weight):
        self.name, self.weight = name, weight

    def __tf_tracing_type__(self, context):
        return FruitType(self)


class FruitType(tf.types.experimental.TraceType):
    """By name only."""

    def __init__(self, fruit):
        self.fruit = fruit

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context):
        return self.fruit

    def __eq__(self, other):
        return (
            isinstance(other, FruitType) and other.fruit.name == self.fruit.name
        )

    def __hash__(self):
        return hash(self.fruit.name)


def test_1_1_tracing_protocol():
    f = counting()
    assert chosen(
        f, (Fruit("a", 1),), (Fruit("a", 2),), (Fruit("b", 1),),
        ([Fruit("a", 3)],), ([Fruit("a", 4)],),
    ) == [1, 1, 2, 3, 3]

    class Wrong:
        def __tf_tracing_type__(self, context):
            return 3

    with pytest.raises(TypeError, match="Expected an instance of TraceType"):
        f(Wrong())
    cf = tf.function(lambda fruit: fruit.weight).get_concrete_function(
        Fruit("a", 5)
    )
    assert cf(Fruit("a", 6)).numpy() == 5
    with pytest.raises(TypeError, match="Can not cast"):
        cf(Fruit("b", 5))


# --- 1.2 Dispatch and generalisation.


def test_1_2_the_most_specific_trace_serves():
    f = counting()
    narrow = f.get_concrete_function(Spec([None]))
    wide = f.get_concrete_function(Spec(None))
    assert chosen(f, (tf.ones([3]),), (tf.ones([3, 3]),)) == [1, 2]
    assert f.get_concrete_function(Spec([3])) is narrow
    assert f.get_concrete_function(Spec([3, None])) is wide
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.parametrize(
    "shapes, traces",
    [
        ([[1], [2], [3], [1]], [1, 2, 2, 1]),
        ([[1, 5], [2, 5], [2, 6]], [1, 2, 3]),
        ([[1], [1, 1], [2, 2, 2]], [1, 2, 2]),
    ],
    ids=str,
)
def test_1_2_reduce_retracing(shapes, traces):
    f = counting(reduce_retracing=True)
    assert chosen(f, *((tf.ones(s),) for s in shapes)) == traces
    f = counting(experimental_relax_shapes=True)
    assert chosen(f, *((tf.ones(s),) for s in shapes)) == traces


def test_1_2_what_is_not_generalised():
    f = counting(reduce_retracing=True)
    assert chosen(
        f, (tf.ones([1]),), (tf.ones([1], tf.int32),), (1,), (2,), ([1],),
        ([1, 1],),
    ) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "values",
    [
        [tf.ragged.constant([[1]] * n) for n in (1, 2, 3)],
        [tf.SparseTensor([[0]], [1.0], [n]) for n in (1, 2, 3)],
        [Masked("m", tf.ones([n])) for n in (1, 2, 3)],
        [[{"a": tf.ones([n])}] for n in (1, 2, 3)],
    ],
    ids=["ragged", "sparse", "dataclass", "nested"],
)
def test_1_2_composites_are_generalised(values):
    f = counting(reduce_retracing=True)
    assert chosen(f, *((value,) for value in values)) == [1, 2, 2]


# --- 1.3 Binding.


def test_1_3_defaults_are_filled_before_the_key():
    log = []

    @tf.function
    def f(a, b=2, *, c=3, **more):
        log.append((a, b, c, more))
        return tf.constant(len(log))

    for call in (
        lambda: f(1), lambda: f(1, 2), lambda: f(c=3, b=2, a=1),
        lambda: f(1, c=3),
    ):
        assert call().numpy() == 1
    assert f(1, x=1, y=2).numpy() == f(1, y=2, x=1).numpy() == 2


def test_1_3_kinds_and_names():
    cf = tf.function(lambda a, *args, k, **kw: a).get_concrete_function(
        1, 2, [3], k=4, z=5
    )
    kinds = {
        name: p.kind.name for name, p in cf.function_type.parameters.items()
    }
    assert kinds == {
        "a": "POSITIONAL_ONLY", "args_0": "POSITIONAL_ONLY",
        "args_1": "POSITIONAL_ONLY", "k": "KEYWORD_ONLY", "z": "KEYWORD_ONLY",
    }


def test_1_3_text_of_function_types():
    f = tf.function(lambda a, b=1, *args, c=2, **kw: a)
    assert str(f.function_type) == (
        "(a, b=<captured_default_value>, *args, c=<captured_default_value>, "
        "**kw)"
    )
