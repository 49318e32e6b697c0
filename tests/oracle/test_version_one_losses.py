"""tf.compat.v1.losses: values, what is kept, errors, on both modules."""

from __future__ import annotations

import numpy as np
import pytest

_RNG = np.random.default_rng(7)
A = _RNG.uniform(0.05, 0.95, (4, 3)).astype(np.float32)
B = _RNG.uniform(0.05, 0.95, (4, 3)).astype(np.float32)
HOT = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]
NUMBERS = np.array([0, 2, 1, 1])
WEIGHTS = {
    "one": 1.0,
    "zero": 0.0,
    "rows": np.array([[1.0], [0.0], [2.0], [0.5]], np.float32),
}
REDUCTIONS = (
    "NONE",
    "SUM",
    "MEAN",
    "SUM_OVER_BATCH_SIZE",
    "SUM_BY_NONZERO_WEIGHTS",
)
CALLS = {
    "absolute_difference": lambda m, **k: m.absolute_difference(A, B, **k),
    "mean_squared_error": lambda m, **k: m.mean_squared_error(A, B, **k),
    "cosine_distance": lambda m, **k: m.cosine_distance(A, B, axis=1, **k),
    "hinge_loss": lambda m, **k: m.hinge_loss(HOT, B - 0.5, **k),
    "huber_loss": lambda m, **k: m.huber_loss(A, 3 * B, delta=0.7, **k),
    "log_loss": lambda m, **k: m.log_loss(HOT, B, **k),
    "sigmoid_cross_entropy": lambda m, **k: m.sigmoid_cross_entropy(
        HOT, B, label_smoothing=0.2, **k
    ),
    "compute_weighted_loss": lambda m, **k: m.compute_weighted_loss(A, **k),
}
OF_ROWS = {
    "softmax_cross_entropy": lambda m, **k: m.softmax_cross_entropy(
        HOT, B, label_smoothing=0.1, **k
    ),
    "sparse": lambda m, **k: m.sparse_softmax_cross_entropy(NUMBERS, B, **k),
    "sparse of one column": lambda m, **k: m.sparse_softmax_cross_entropy(
        NUMBERS[:, None], B, **k
    ),
}


def _values(tf, call, weights):
    losses = tf.compat.v1.losses
    found = []
    for name in REDUCTIONS:
        kwargs = {"weights": weights, "reduction": getattr(losses.Reduction, name)}
        found.append(call(losses, **kwargs).numpy().tolist())
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            loss = call(losses, **kwargs)
            kept = losses.get_losses()
            found.append([len(kept), kept[0] is loss, loss.dtype.name])
            found.append(session.run(losses.get_total_loss()).tolist())
    return found


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", CALLS)
def test_weighted(both, name, weights):
    ours, theirs = (
        _values(tf, CALLS[name], WEIGHTS[weights]) for tf in (both.ours, both.theirs)
    )
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-6, atol=1e-6) if not isinstance(
            mine, list
        ) or not isinstance(mine[-1], str) else None
        if isinstance(mine, list) and isinstance(mine[-1], str):
            assert mine == other


@pytest.mark.parametrize("name", OF_ROWS)
def test_weighted_rows(both, name):
    weights = np.array([1.0, 0.0, 2.0, 0.5], np.float32)
    for given in (1.0, weights):
        ours, theirs = (
            OF_ROWS[name](tf.compat.v1.losses, weights=given).numpy()
            for tf in (both.ours, both.theirs)
        )
        np.testing.assert_allclose(ours, theirs, rtol=2e-6)


@pytest.mark.parametrize("weights", [1.0, 0.0, [[1.0], [0.0], [2.0], [0.5]]])
def test_pairs(both, weights):
    ours, theirs = (
        tf.compat.v1.losses.mean_pairwise_squared_error(A, B, weights=weights).numpy()
        for tf in (both.ours, both.theirs)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_gradients(both):
    def program(tf):
        x = tf.constant(B)
        found = []
        for call in (*CALLS, "softmax_cross_entropy"):
            if call in ("compute_weighted_loss", "log_loss"):
                continue
            with tf.GradientTape() as tape:
                tape.watch(x)
                losses = tf.compat.v1.losses
                loss = getattr(losses, call)(
                    HOT, x, **({"axis": 1} if call == "cosine_distance" else {})
                )
            found.append(tape.gradient(loss, x).numpy())
        return found

    for mine, other in zip(program(both.ours), program(both.theirs), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-6)


def test_shapes_unknown_until_run(both):
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, None)
            w = v1.placeholder(tf.float32, None)
            loss = v1.losses.absolute_difference(A, x, weights=w)
            found = [session.run(loss, {x: B, w: WEIGHTS["rows"]}).tolist()]
            found.append(session.run(loss, {x: B, w: 2.0}).tolist())
            try:
                session.run(loss, {x: B, w: np.ones((4, 2), np.float32)})
            except tf.errors.InvalidArgumentError:
                found.append("InvalidArgumentError")
            return found

    ours, theirs = program(both.ours), program(both.theirs)
    np.testing.assert_allclose(ours[:2], theirs[:2], rtol=1e-6)
    assert ours[2] == theirs[2]


BAD = {
    "no labels": lambda m: m.absolute_difference(None, 1.0),
    "no logits": lambda m: m.hinge_loss([1.0], None),
    "other shapes": lambda m: m.mean_squared_error([1.0], [1.0, 2.0]),
    "no reduction": lambda m: m.compute_weighted_loss([1.0], reduction="x"),
    "no axis": lambda m: m.cosine_distance([1.0], [1.0]),
    "weights' sizes": lambda m: m.compute_weighted_loss([1.0, 2.0], [1.0, 2.0, 3.0]),
    "weights' rank": lambda m: m.compute_weighted_loss([1.0, 2.0], [[1.0], [2.0]]),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(both, name):
    told = []
    for tf in (both.ours, both.theirs):
        with pytest.raises(ValueError) as error:
            BAD[name](tf.compat.v1.losses)
        told.append(str(error.value))
    assert told[0].split("Received")[0] == told[1].split("Received")[0]
