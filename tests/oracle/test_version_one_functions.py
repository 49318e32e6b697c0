"""Functions of tf.compat.v1 that have no twin of today: values, dtypes and classes
of errors, eagerly and in functions."""

import numpy as np
import pytest

IMAGES = np.arange(24, dtype=np.float32).reshape(1, 3, 4, 2)
PARTS = [np.float32([[0.0], [2.0], [4.0]]), np.float32([[1.0], [3.0]])]

CALLS = [
    "v.image.resize_bilinear(IMAGES, [5, 2])",
    "v.image.resize_bilinear(IMAGES, [5, 2], align_corners=True)",
    "v.image.resize_bilinear(IMAGES, [5, 2], half_pixel_centers=True)",
    "v.image.resize_nearest_neighbor(IMAGES, [5, 2])",
    "v.image.resize_bicubic(IMAGES, [5, 2])",
    "v.image.resize_area(IMAGES, [2, 3])",
    "v.image.resize_images(IMAGES, [5, 2])",
    "v.image.resize_images(IMAGES[0], [5, 2], 1)",
    "v.image.resize_images(IMAGES, [6, 6], preserve_aspect_ratio=True)",
    "v.image.resize_images(IMAGES, [3, 4], 3)",
    "v.image.resize_images(IMAGES, [3])",
    "v.image.resize_images(IMAGES[0, 0], [3, 2])",
    "v.image.resize_images(IMAGES, [3, 2], 9)",
    "v.image.resize_image_with_pad(IMAGES, 6, 6)",
    "v.image.resize_image_with_pad(IMAGES[0], 2, 6)",
    "v.image.draw_bounding_boxes(IMAGES[..., :1], [[[0.1, 0.1, 0.9, 0.9]]])",
    "v.extract_image_patches(IMAGES, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')",
    "v.nn.embedding_lookup(PARTS[0], [[0, 1], [2, 0]])",
    "v.nn.embedding_lookup(PARTS, [[0, 1], [2, 4]])",
    "v.nn.embedding_lookup(PARTS, [[0, 1], [2, 4]], partition_strategy='div')",
    "v.nn.embedding_lookup(PARTS, [4, 3], max_norm=2.0)",
    "v.nn.embedding_lookup(PARTS, [4, 3], partition_strategy='x')",
    "v.nn.fused_batch_norm(IMAGES, [1.0, 2.0], [0.5, 0.0])",
    "v.nn.fused_batch_norm(IMAGES, [1.0, 2.0], [0.5, 0.0], [1.0, 2.0], [3.0, 4.0],"
    " is_training=False)",
    "v.nn.fused_batch_norm(IMAGES, [1.0, 2.0], [0.5, 0.0], is_training=False)",
    "v.nn.xw_plus_b([[2.0, 1.0]], [[3.0], [1.0]], [1.0])",
    "v.nn.relu_layer([[2.0, 1.0]], [[-3.0], [1.0]], [1.0])",
    "v.clip_by_average_norm([3.0, 4.0], 1.0)",
    "v.clip_by_average_norm([0.3, 0.4], 1.0)",
    "v.assert_integer(tf.constant(1.5))",
    "v.assert_type(tf.constant(1.5), tf.int32)",
    "v.string_split(['a b', 'c  d', ''])",
    "v.string_split(['a b', 'c  d', ''], skip_empty=False)",
    "v.string_split(['a,b;c'], ',;')",
    "v.string_split(['abc'], '')",
    "v.string_split(['a b'], result_type='RaggedTensor')",
    "v.string_split(['a b'], result_type='x')",
    "v.sparse_to_dense([0, 2], [3], 7)",
    "v.sparse_to_dense([[0, 2], [1, 1]], [2, 3], [1.0, 2.0], -1.0)",
    "v.sparse_to_dense([2, 0], [3], 7)",
    "v.get_seed(3)",
    "v.batch_to_space_nd(tf.ones([4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]])",
    "v.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[1.0, 2.0]])",
    "v.Print(tf.constant(1.0), [], first_n=0)",
]


def outcome(tf, text, in_function):
    def call():
        return eval(
            text, {"tf": tf, "v": tf.compat.v1, "IMAGES": IMAGES, "PARTS": PARTS}
        )

    tf.random.set_seed(4)
    try:
        result = tf.function(call)() if in_function else call()
    except Exception as error:
        return type(error).__name__
    return [
        (x.dtype.name, np.asarray(x)) if hasattr(x, "dtype") else x
        for x in tf.nest.flatten(result, expand_composites=True)
    ]


@pytest.mark.parametrize("in_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("text", CALLS)
def test_same_outcome(both, text, in_function):
    ours = outcome(both.ours, text, in_function)
    theirs = outcome(both.theirs, text, in_function)
    if isinstance(theirs, str) or isinstance(ours, str):
        assert ours == theirs
        return
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        if not isinstance(their, tuple):
            assert our == their
            continue
        assert our[0] == their[0]
        if their[1].dtype == object:
            assert our[1].tolist() == their[1].tolist()
        else:
            np.testing.assert_allclose(our[1], their[1], rtol=1e-5, atol=1e-6)
