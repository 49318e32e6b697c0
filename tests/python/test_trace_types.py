"""Trace types: texts, equality, subtypes and common supertypes."""

import collections

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import _graphkiln


def type_of(value):
    return _graphkiln.trace_type(value, [])


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    "value, text",
    [
        (
            tf.constant([1, 2]),
            "TensorSpec(shape=(2,), dtype=tf.int32, name=None)",
        ),
        (
            np.float32(1),
            "TensorSpec(shape=(), dtype=tf.float32, name=None)",
        ),
        (
            np.array(["a"]),
            "TensorSpec(shape=(1,), dtype=tf.string, name=None)",
        ),
        (
            tf.Variable(1.0),
            "VariableSpec(shape=(), dtype=tf.float32, trainable=True, "
            "alias_id=0)",
        ),
        (3, "Literal[3]"),
        ("s", "Literal['s']"),
        (None, "Literal[None]"),
        ([1, 2], "List[Literal[1], Literal[2]]"),
        ((1, 2), "Tuple[Literal[1], Literal[2]]"),
        ({"b": 1, "a": 2}, "Dict[['b', Literal[1]], ['a', Literal[2]]]"),
        (Pair(1, 2), "Pair[['a', Literal[1]], ['b', Literal[2]]]"),
        (
            tf.TensorSpec([None], tf.int32, "n"),
            "TensorSpec(shape=(None,), dtype=tf.int32, name='n')",
        ),
    ],
    ids=str,
)
def test_text(value, text):
    assert repr(type_of(value)) == text


def spec(shape, dtype=tf.float32):
    return type_of(tf.TensorSpec(shape, dtype))


@pytest.mark.parametrize(
    "narrow, wide, yes",
    [
        ([2], [None], True),
        ([2], None, True),
        ([None], None, True),
        ([None], [2], False),
        ([2, 3], [2, None], True),
        ([2], [2, None], False),
        (None, [2], False),
    ],
)
def test_subtypes_of_tensors(narrow, wide, yes):
    assert spec(narrow).is_subtype_of(spec(wide)) is yes
    in_list = type_of([tf.TensorSpec(narrow)])
    assert in_list.is_subtype_of(type_of([tf.TensorSpec(wide)])) is yes
    assert not spec(narrow).is_subtype_of(spec(wide, tf.int32))


@pytest.mark.parametrize(
    "one, other, common",
    [
        ([2], [3], [None]),
        ([2, 3], [2, 4], [2, None]),
        ([2], [2, 3], None),
        ([None], [3], [None]),
        (None, [3], None),
        ([2], [2], [2]),
    ],
)
def test_common_supertype(one, other, common):
    found = spec(one).most_specific_common_supertype([spec(other)])
    assert found == spec(common)
    found = type_of((tf.TensorSpec(one), 1)).most_specific_common_supertype(
        [type_of((tf.TensorSpec(other), 1))]
    )
    assert found == type_of((tf.TensorSpec(common), 1))


def test_no_common_supertype():
    for a, b in (
        (1, 2), ([1], (1,)), ([1], [1, 1]), ({"a": 1}, {"b": 1}),
        (tf.constant(1), tf.constant(1.0)),
    ):
        assert type_of(a).most_specific_common_supertype([type_of(b)]) is None


def test_equality():
    assert type_of({"a": 1, "b": 2}) == type_of(
        collections.OrderedDict(b=2, a=1)
    )
    assert type_of([1]) != type_of((1,))
    assert type_of(1) != type_of(True)
    assert type_of(1) != type_of(1.0)
    assert type_of(0.0) != type_of(-0.0)
    assert type_of(float("nan")) == type_of(-float("nan"))
    assert type_of(tf.TensorSpec([], name="a")) != type_of(
        tf.TensorSpec([], name="b")
    )
    assert hash(type_of({"a": 1, "b": 2})) == hash(type_of({"b": 2, "a": 1}))


class ByParity(tf.types.experimental.TraceType):
    """Numbers of the same parity share a trace."""

    def __init__(self, number):
        self.number = number

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return None

    def placeholder_value(self, placeholder_context):
        return Parity(self.number)

    def __hash__(self):
        return hash(self.number % 2)

    def __eq__(self, other):
        return (
            isinstance(other, ByParity)
            and other.number % 2 == self.number % 2
        )


class Parity:
    """A number that is traced by its parity."""

    def __init__(self, number):
        self.number = number

    def __tf_tracing_type__(self, context):
        return ByParity(self.number)


def test_tracing_protocol():
    f = tf.function(lambda p: tf.constant(p.number % 2))
    assert isinstance(
        Parity(1), tf.types.experimental.SupportsTracingProtocol
    )
    assert [f(Parity(n)).numpy() for n in (1, 3, 2, 4)] == [1, 1, 0, 0]
    assert f.experimental_get_tracing_count() == 2
