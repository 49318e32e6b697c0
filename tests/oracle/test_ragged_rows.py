"""tf.ragged beside TensorFlow's: ranges, masks, stacks, partitions."""

from __future__ import annotations

import types

import pytest

CALLS = """
tf.ragged.range([3, 0, 2])
tf.ragged.range([1, 2], [4, 9], 2)
tf.ragged.range(0, [2, 4], 1)
tf.ragged.range([5], [0], [-2])
tf.ragged.range([0.5, 1], [2, 3.5], 0.5)
tf.ragged.range([2, 1], dtype=tf.int64, row_splits_dtype=tf.int32)
tf.ragged.range(tf.constant([2], tf.int64), 5)
tf.ragged.boolean_mask(d, [True, False])
tf.ragged.boolean_mask(d, [[True, False, True], [False, False, False]])
tf.ragged.boolean_mask(cube, d3)
tf.ragged.boolean_mask(cube, [[True, False], [True, True]])
tf.ragged.boolean_mask(r, [True, False, True])
tf.ragged.boolean_mask(r, mask)
tf.ragged.boolean_mask(deep, [False, True, True])
tf.ragged.boolean_mask(deep, tf.ragged.constant([[True, False], [True], []]))
tf.ragged.boolean_mask(d, tf.ragged.constant([[True, False, True], [False, True, True]]))
tf.ragged.stack([r, r])
tf.ragged.stack([r, r], axis=1)
tf.ragged.stack([r, r], -1)
tf.ragged.stack([deep, deep], 2)
tf.ragged.stack([r])
tf.ragged.stack(r)
tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])])
tf.ragged.stack([d, d])
tf.ragged.stack([d, d], 1)
tf.ragged.stack([d, d], 2)
tf.ragged.stack([cube, cube], 1)
tf.ragged.stack([tf.constant([[1, 2, 3]]), r])
tf.ragged.stack_dynamic_partitions(['a', 'b', 'c', 'd'], [3, 0, 3, 1], 5)
tf.ragged.stack_dynamic_partitions(d, [1, 0], 3)
tf.ragged.stack_dynamic_partitions(d, 1, 3)
tf.ragged.stack_dynamic_partitions(d, [[0, 1, 0], [2, 2, 1]], 3)
tf.ragged.stack_dynamic_partitions(r, [1, 1, 0], 2)
tf.ragged.stack_dynamic_partitions(r, tf.ragged.constant([[0, 1], [], [1]]), 2)
tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5])
tf.ragged.row_splits_to_segment_ids([0, 2], out_type=tf.int32)
tf.ragged.row_splits_to_segment_ids(tf.constant([0, 1, 3]))
tf.ragged.segment_ids_to_row_splits([0, 0, 2])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], 5)
tf.ragged.segment_ids_to_row_splits(tf.constant([0, 1]), out_type=tf.int64)
tf.ragged.map_flat_values(tf.abs, r)
tf.ragged.map_flat_values(tf.add, r, 5)
tf.ragged.map_flat_values(tf.multiply, r, r)
tf.ragged.map_flat_values(tf.stack, [r, r, 10 * r], axis=1)
tf.ragged.map_flat_values(tf.abs, d)
tf.ragged.map_flat_values(lambda x, y: x + y['k'][0], r, {'k': (r,)})
"""

ERRORS = """
tf.ragged.range([0, 1], [2])
tf.ragged.range([0], [2], 0)
tf.ragged.range([0], dtype=tf.string)
tf.ragged.boolean_mask(d, True)
tf.ragged.boolean_mask(d, [1, 0])
tf.ragged.boolean_mask(r, tf.ragged.constant([[True], [], [True]]))
tf.ragged.boolean_mask(d, [True])
tf.ragged.stack([])
tf.ragged.stack([d, r, deep])
tf.ragged.stack([r, r], 3)
tf.ragged.stack_dynamic_partitions(d, [0, 5], 3)
tf.ragged.stack_dynamic_partitions(d, [0, -1], 3)
tf.ragged.stack_dynamic_partitions(r, tf.ragged.constant([[0], [], [1]]), 2)
tf.ragged.row_splits_to_segment_ids([])
tf.ragged.row_splits_to_segment_ids([[0, 1]])
tf.ragged.map_flat_values(lambda x: x[:1], r)
tf.ragged.map_flat_values(tf.add, r, deep)
tf.ragged.map_flat_values(tf.add, r, tf.ragged.constant([[1], [2, 3], []]))
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def operands(tf: types.ModuleType) -> dict[str, object]:
    return {
        "tf": tf,
        "d": tf.constant([[1, 2, 3], [4, 5, 6]]),
        "cube": tf.reshape(tf.range(12), [2, 2, 3]),
        "d3": tf.reshape(tf.range(12) % 3 != 1, [2, 2, 3]),
        "r": tf.ragged.constant([[1, -2], [], [3]]),
        "mask": tf.ragged.constant([[True, False], [], [True]]),
        "deep": tf.ragged.constant([[[1, 2], []], [[3]], []]),
    }


@pytest.mark.parametrize("call", lines(CALLS))
@pytest.mark.parametrize("traced", [False, True])
def test_values(both, call, traced):
    ranks = {}

    def run(tf):
        given = operands(tf)
        del given["tf"]

        def f(*args):
            return eval(call, {"tf": tf, **dict(zip(given, args, strict=True))})

        if traced:
            f = tf.function(f, autograph=False)
        made = f(*given.values())
        ranks[tf] = getattr(made, "ragged_rank", 0), made.shape.as_list()
        return tf.nest.flatten(made, expand_composites=True)

    both.agree(run)
    assert ranks[both.ours] == ranks[both.theirs]


@pytest.mark.parametrize("call", lines(ERRORS))
def test_errors(both, call):
    both.agree_on_error(lambda tf: eval(call, operands(tf)))


@pytest.mark.parametrize(
    "call",
    [
        "tf.ragged.boolean_mask(x, [[True, False, True], [False, True, True]])",
        "tf.ragged.stack([x, x])",
        "tf.ragged.stack_dynamic_partitions(x, [1, 0], 2)",
        "tf.ragged.map_flat_values(tf.sin, tf.RaggedTensor.from_tensor(x))",
    ],
)
def test_gradients(both, call):
    def gradient(tf):
        x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(eval(call, {"tf": tf, "x": x}).flat_values ** 2)
        return tf.convert_to_tensor(tape.gradient(y, x))

    both.agree(gradient, rtol=1e-6)


def test_mask_of_slices(both):
    def masked(tf):
        a = tf.IndexedSlices(tf.ones([3, 2]), tf.constant([4, 0, 7]), [9, 2])
        kept = tf.sparse.mask(a, [0, 3])
        return kept.values, kept.indices

    both.agree(masked)
