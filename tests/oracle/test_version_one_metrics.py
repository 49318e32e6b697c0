"""tf.compat.v1.metrics: values over batches, names of variables, what is kept, errors,
on both modules."""

from __future__ import annotations

import numpy as np
import pytest

_RNG = np.random.default_rng(11)
# Two batches of each.
TRUE = _RNG.integers(0, 2, (2, 12)).astype(np.float32)
SCORES = _RNG.uniform(0, 1, (2, 12)).astype(np.float32)
ROWS = _RNG.uniform(0, 1, (2, 4, 3)).astype(np.float32)
CLASSES = _RNG.integers(0, 3, (2, 4))
GUESSES = _RNG.integers(0, 3, (2, 4))
WEIGHTS = {"none": None, "one": 2.0, "each": _RNG.integers(0, 3, 12).astype(np.float32)}
ROW_WEIGHTS = {"none": None, "one": 2.0, "each": np.array([1.0, 0.0, 2.0, 1.0])}
# By name: further arguments.
OF_SCORES = {
    "accuracy": {},
    "mean_absolute_error": {},
    "mean_squared_error": {},
    "root_mean_squared_error": {},
    "mean_relative_error": {"normalizer": TRUE[0]},
    "true_positives": {},
    "true_negatives": {},
    "false_positives": {},
    "false_negatives": {},
    "precision": {},
    "recall": {},
    "true_positives_at_thresholds": {"thresholds": [0.2, 0.5, 0.9]},
    "true_negatives_at_thresholds": {"thresholds": [0.2, 0.5, 0.9]},
    "false_positives_at_thresholds": {"thresholds": [0.2, 0.5, 0.9]},
    "false_negatives_at_thresholds": {"thresholds": [0.2, 0.5, 0.9]},
    "precision_at_thresholds": {"thresholds": [0.2, 0.5, 0.9]},
    "recall_at_thresholds": {"thresholds": [0.2, 0.5, 0.9]},
    "sensitivity_at_specificity": {"specificity": 0.6},
    "specificity_at_sensitivity": {"sensitivity": 0.6},
}
AREAS = [
    {"curve": curve, "summation_method": method, **more}
    for curve in ("ROC", "PR")
    for method in ("trapezoidal", "careful_interpolation", "minoring", "majoring")
    for more in ({}, {"thresholds": [0.7, 0.3]}, {"num_thresholds": 20})
]
OF_RANKS = {
    "recall_at_k": {"k": 2},
    "recall_at_k of a class": {"k": 2, "class_id": 1},
    "precision_at_k": {"k": 2},
    "precision_at_k of a class": {"k": 1, "class_id": 2},
    "sparse_precision_at_k": {"k": 1},
    "average_precision_at_k": {"k": 3},
    "sparse_average_precision_at_k": {"k": 2},
}


def _outcome(tf, make, batches):
    """What `make` gives for two batches: values, names, and what the graph keeps."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        given = [
            v1.placeholder(b.dtype, b.shape[1:], name=f"p{i}")
            for i, b in enumerate(batches)
        ]
        value, update = make(
            v1.metrics, *given, metrics_collections=["m"], updates_collections=["u"]
        )
        session.run(v1.local_variables_initializer())
        numbers = []
        for batch in zip(*batches, strict=True):
            feeds = dict(zip(given, batch, strict=True))
            numbers += [session.run(update, feeds), session.run(value)]
        keys = v1.GraphKeys
        facts = [
            [v.name for v in graph.get_collection(keys.METRIC_VARIABLES)],
            [v.name for v in graph.get_collection(keys.LOCAL_VARIABLES)],
            [v.trainable for v in graph.get_collection(keys.METRIC_VARIABLES)],
            [graph.get_collection(k)[0] is t for k, t in (("m", value), ("u", update))],
            [value.dtype.name, value.shape, update.shape],
            [n.dtype.name for n in numbers],
        ]
        return numbers, repr(facts)


def _agree(both, make, batches):
    ours, theirs = (_outcome(tf, make, batches) for tf in (both.ours, both.theirs))
    for mine, other in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-6)
    assert ours[1] == theirs[1]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", OF_SCORES)
def test_of_scores(both, name, weights):
    more = {"weights": WEIGHTS[weights], **OF_SCORES[name]}
    scores = SCORES
    if name.startswith(("true", "false", "precision", "recall", "accuracy")):
        scores = SCORES if "_at_" in name else np.round(SCORES)
    _agree(
        both, lambda m, a, b, **k: getattr(m, name)(a, b, **more, **k), [TRUE, scores]
    )


@pytest.mark.parametrize("options", AREAS, ids=str)
def test_areas(both, options):
    _agree(both, lambda m, a, b, **k: m.auc(a, b, **options, **k), [TRUE, SCORES])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_of_values(both, weights):
    given = WEIGHTS[weights]
    for name, more in (
        ("mean", {}),
        ("mean_tensor", {}),
        ("percentage_below", {"threshold": 0.4}),
    ):
        _agree(
            both,
            lambda m, a, name=name, more=more, **k: getattr(m, name)(
                a, weights=given, **more, **k
            ),
            [SCORES],
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["mean_iou", "mean_per_class_accuracy"])
def test_of_classes(both, name, weighted):
    def make(m, labels, predictions, **k):
        weights = labels + 1 if weighted else None
        return getattr(m, name)(labels, predictions, 3, weights=weights, **k)

    _agree(both, make, [CLASSES, GUESSES])


def test_cosines(both):
    _agree(
        both,
        lambda m, a, b, **k: m.mean_cosine_distance(a, b, dim=1, **k),
        [ROWS, ROWS[::-1]],
    )


@pytest.mark.parametrize("weights", ROW_WEIGHTS)
@pytest.mark.parametrize("name", OF_RANKS)
def test_of_ranks(both, name, weights):
    function, _, _ = name.partition(" ")
    more = {"weights": ROW_WEIGHTS[weights], **OF_RANKS[name]}
    _agree(
        both,
        lambda m, a, b, **k: getattr(m, function)(a, b, **more, **k),
        [CLASSES, ROWS],
    )
    several = np.stack([CLASSES, GUESSES, CLASSES + 1], axis=-1)
    if "class" not in name:
        _agree(
            both,
            lambda m, a, b, **k: getattr(m, function)(a, b, **more, **k),
            [several, ROWS],
        )


@pytest.mark.parametrize("name", OF_RANKS)
def test_of_sparse_labels(both, name):
    function, _, _ = name.partition(" ")

    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            labels = tf.SparseTensor(
                [[0, 0], [0, 1], [1, 0], [3, 0]], np.array([0, 2, 1, 7]), [4, 2]
            )
            value, update = getattr(v1.metrics, function)(
                labels, ROWS[0], **OF_RANKS[name]
            )
            session.run(v1.local_variables_initializer())
            return [session.run(update), session.run(value)]

    np.testing.assert_allclose(program(both.ours), program(both.theirs))


def test_shapes_unknown_until_run(both):
    def program(tf):
        v1 = tf.compat.v1
        found = []
        with tf.Graph().as_default(), v1.Session() as session:
            x, y, w = (v1.placeholder(tf.float32, None) for _ in range(3))
            _, update = v1.metrics.accuracy(x, y, w)
            session.run(v1.local_variables_initializer())
            for feeds in (
                ([1, 2, 3], [1, 2, 4], 1.0),
                ([[1], [2]], [1, 3], [1, 3]),
                ([1, 2], [[1], [3]], [[3], [1]]),
            ):
                found.append(session.run(update, dict(zip((x, y, w), feeds, strict=True))).tolist())
        return found

    assert program(both.ours) == program(both.theirs)


BAD = {
    "labels": lambda m: m.accuracy([1.0], [1.0, 2.0, 3.0]),
    "weights": lambda m: m.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0]),
    "curve": lambda m: m.auc([1.0], [1.0], curve="x"),
    "method": lambda m: m.auc([1.0], np.ones(1), summation_method="x"),
    "specificity": lambda m: m.sensitivity_at_specificity([1.0], [1.0], 2.0),
    "sensitivity": lambda m: m.specificity_at_sensitivity([1.0], [1.0], -1.0),
    "k": lambda m: m.average_precision_at_k([1], [[1.0]], 0),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(both, name):
    told = []
    for tf in (both.ours, both.theirs):
        with tf.Graph().as_default(), pytest.raises(ValueError) as error:
            BAD[name](tf.compat.v1.metrics)
        told.append(str(error.value).split("Received")[0])
    assert told[0] == told[1]


def test_out_of_range_and_eager(both):
    for tf in (both.ours, both.theirs):
        v1 = tf.compat.v1
        with pytest.raises(RuntimeError, match="tf.metrics.mean is not supported"):
            v1.metrics.mean([1.0])
        with tf.Graph().as_default(), v1.Session() as session:
            _, update = v1.metrics.auc(
                [1.0, 0.0], v1.placeholder_with_default([0.5, 2.0], [2])
            )
            session.run(v1.local_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match="must be in"):
                session.run(update)
