"""rejection_resample and samples: how frequent classes become."""

from __future__ import annotations

import collections

import graphkiln as tf

D = tf.data.Dataset


def shares(dataset) -> list:
    seen = collections.Counter(int(c) for c, _ in dataset)
    return [seen[c] / sum(seen.values()) for c in range(3)]


def near(shares, target, by=0.05) -> bool:
    return all(abs(a - b) < by for a, b in zip(shares, target))


def uneven():
    values = [0] * 3000 + [1] * 900 + [2] * 600
    return D.from_tensor_slices(values).shuffle(5000, seed=4)


def test_known_frequencies():
    tf.random.set_seed(1)
    target = [0.2, 0.4, 0.4]
    made = uneven().rejection_resample(
        lambda x: x, target, [3000 / 4500, 900 / 4500, 600 / 4500], seed=1
    )
    assert near(shares(made), target)


def test_estimated_frequencies():
    tf.random.set_seed(1)
    target = [0.2, 0.4, 0.4]
    made = uneven().rejection_resample(lambda x: x, target, seed=1)
    assert near(shares(made), target, 0.08)


def test_elements_of_several_parts_and_control_flow():
    def class_of(x, y):
        if x > 1:
            return tf.constant(1)
        return tf.constant(0)

    data = D.from_tensor_slices(([0, 1, 2, 3], [4, 5, 6, 7]))
    made = data.rejection_resample(class_of, [0.5, 0.5], [0.5, 0.5])
    assert [
        (int(c), (int(x), int(y))) for c, (x, y) in made
    ] == [(0, (0, 4)), (0, (1, 5)), (1, (2, 6)), (1, (3, 7))]


def test_weights_of_a_sample():
    tf.random.set_seed(1)
    parts = [D.from_tensors((i, 0)).repeat() for i in range(3)]
    for weights in ([0.2, 0.5, 0.3], tf.constant([0.2, 0.5, 0.3])):
        made = D.sample_from_datasets(parts, weights, seed=3).take(3000)
        assert near(shares(made), [0.2, 0.5, 0.3])
