"""Functions of tensors given structures: values, shapes and classes of errors.

TensorFlow has them once their module is imported, graphkiln always.
"""

import numpy as np
import pytest

VALUES = [
    {"x": 1, "y": [1, 2]},
    [{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3]}],
    [[{"x": 1}, {"x": 2}], [{"x": 3}], []],
    [[]],
    [{}, {}],
    {"a": {"b": [1]}},
    [{"a": [{"b": 1}]}, {"a": []}],
    [[[{"x": 1}]]],
]
CALLS = [
    "tf.shape(s)",
    "tf.shape(s, tf.int64)",
    "tf.rank(s)",
    "tf.size(s)",
    "tf.size(s, tf.int64)",
    "tf.zeros_like(s)",
    "tf.ones_like(s, tf.int32)",
    *(f"tf.expand_dims(s, {axis})" for axis in (-4, -3, -2, -1, 0, 1, 2, 3)),
    "tf.gather(s, [0])",
    "tf.gather(s, [[1, 0]])",
    "tf.gather(s, [0], axis=1)",
    "tf.gather(s, tf.ragged.constant([[0], [1, 0]]))",
    "tf.gather(s, [0], axis='x')",
    "tf.concat([s, s], 0)",
    "tf.concat([s, s], 1)",
    "tf.concat([s, s], -1)",
    "tf.size(tf.random.shuffle(s))",
]
OTHERS = [
    "tf.concat([S.from_pyval([{'a': 1}]), S.from_pyval([{'b': 1}])], 0)",
    "tf.concat([S.from_pyval([{'a': {'x': 1}}]), S.from_pyval([{'a': [{'x': 1}]}])], 0)",
    "tf.random.shuffle(S.from_pyval({'a': 1}))",
]


@pytest.fixture(scope="module", autouse=True)
def _registered():
    from tensorflow.python.ops.structured import structured_array_ops  # noqa: F401


def shown(tf, result):
    if isinstance(result, tf.experimental.StructuredTensor):
        return result.rank, result.to_pyval()
    if isinstance(result, tf.experimental.DynamicRaggedShape):
        return (
            result.dtype.name,
            result.rank,
            result.inner_shape.numpy().tolist(),
            [p.row_splits().numpy().tolist() for p in result.row_partitions],
        )
    if isinstance(result, tf.RaggedTensor):
        return result.dtype.name, result.to_list()
    return result.dtype.name, np.asarray(result).tolist()


def outcome(tf, text, value):
    S = tf.experimental.StructuredTensor
    try:
        result = eval(text, {"tf": tf, "S": S, "s": S.from_pyval(value)})
    except Exception as error:
        return type(error).__name__
    return shown(tf, result)


@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_same_outcome(both, value, text):
    assert outcome(both.ours, text, value) == outcome(both.theirs, text, value)


@pytest.mark.parametrize("text", OTHERS)
def test_refused(both, text):
    assert outcome(both.ours, text, []) == outcome(both.theirs, text, [])


def test_in_functions(both):
    def program(tf):
        s = tf.experimental.StructuredTensor.from_pyval([{"x": 1}, {"x": 2}])

        @tf.function
        def f(s):
            return tf.gather(tf.expand_dims(tf.concat([s, s], 0), 1), [3, 0])

        return f(s).to_pyval()

    assert program(both.ours) == program(both.theirs)
