"""Proposals of boxes against what the op's description says, in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf


def expected(scores, shifts, info, anchors, overlap, before, least, after):
    images = scores.shape[0]
    boxes = np.zeros((images, after, 4))
    chances = np.zeros((images, after))
    flat = anchors.reshape(-1, 4)
    for i in range(images):
        score, shift = scores[i].reshape(-1), shifts[i].reshape(-1, 4)
        kept = []
        for at in np.argsort(-score, kind="stable")[:before]:
            y1, x1, y2, x2 = flat[at]
            size = np.array([y2 - y1, x2 - x1])
            middle = np.array([y1, x1]) + size / 2 + size * shift[at, :2]
            grown = size * np.exp(np.minimum(shift[at, 2:], np.log(1000 / 16)))
            low = np.clip(middle - grown / 2, 0, info[i, :2])
            high = np.clip(middle + grown / 2, 0, info[i, :2])
            if (high - low).min() < least * info[i, 2]:
                continue

            def shared(other, low=low, high=high):
                both = np.minimum(high, other[1]) - np.maximum(low, other[0])
                both = np.prod(np.maximum(both, 0))
                own = np.prod(high - low) + np.prod(other[1] - other[0])
                return both / (own - both)

            if all(shared(other) <= overlap for other in kept):
                kept.append((low, high))
                chances[i, len(kept) - 1] = score[at]
                if len(kept) == after:
                    break
        for n, (low, high) in enumerate(kept):
            boxes[i, n] = np.concatenate([low, high])
    return boxes, chances


@pytest.mark.parametrize("overlap", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("before, after", [(1000, 10), (5, 3), (7, 20)])
def test_boxes_and_scores(overlap, before, after):
    rng = np.random.default_rng(4)
    corner = rng.uniform(0, 60, [4, 5, 3, 2])
    anchors = np.concatenate([corner, corner + rng.uniform(5, 60, corner.shape)], -1)
    anchors = anchors.reshape(4, 5, 12)
    scores = rng.uniform(0, 1, [2, 4, 5, 3])
    shifts = rng.normal(0, 0.5, [2, 4, 5, 12])
    info = np.array([[80, 90, 1, 0, 0], [100, 50, 2, 0, 0]])
    given = [np.float32(v) for v in (scores, shifts, info, anchors)]
    boxes, chances = tf.image.generate_bounding_box_proposals(
        *given, overlap, before, 8.0, after
    )
    want = expected(*(v.astype(np.float64) for v in given), overlap, before, 8, after)
    np.testing.assert_allclose(boxes, want[0], rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(chances, want[1], rtol=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        {"nms_threshold": 1.5}, {"pre_nms_topn": 0}, {"post_nms_topn": 0},
        {"scores": tf.zeros([1, 1, 2, 1])}, {"anchors": tf.zeros([1, 1, 8])},
        {"image_info": tf.zeros([2, 5])}, {"bbox_deltas": tf.zeros([1, 1, 1, 8])},
    ],
)
def test_mistakes(change):
    call = {
        "scores": tf.zeros([1, 1, 1, 1]), "bbox_deltas": tf.zeros([1, 1, 1, 4]),
        "image_info": tf.zeros([1, 5]), "anchors": tf.zeros([1, 1, 4]), **change,
    }
    with pytest.raises((tf.errors.OpError, ValueError)):
        tf.image.generate_bounding_box_proposals(**call)
