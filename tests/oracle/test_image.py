"""tf.image on both: values, dtypes, static shapes, gradients and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(7)
ARRAYS = {
    "f": RNG.uniform(0.05, 0.95, (7, 9, 3)).astype(np.float32),
    "fb": RNG.uniform(0.05, 0.95, (2, 7, 9, 3)).astype(np.float32),
    "g": RNG.uniform(0.05, 0.95, (2, 32, 35, 1)).astype(np.float32),
    "g2": RNG.uniform(0.05, 0.95, (2, 32, 35, 1)).astype(np.float32),
    "u": RNG.integers(0, 256, (7, 9, 3)).astype(np.uint8),
    "ub": RNG.integers(0, 256, (2, 7, 9, 3)).astype(np.uint8),
    "u2": RNG.integers(0, 256, (2, 16, 16, 3)).astype(np.uint8),
    "u3": RNG.integers(0, 256, (2, 16, 16, 3)).astype(np.uint8),
    "s": RNG.integers(-3000, 3000, (3, 4, 3)).astype(np.int16),
    "h": RNG.uniform(0, 1, (4, 5, 3)).astype(np.float16),
    "d": RNG.uniform(0, 1, (4, 5, 3)),
    "one": RNG.uniform(0, 1, (4, 5, 1)).astype(np.float32),
    "boxes": np.array(
        [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11],
         [0, 10.1, 1, 11.1], [0, 100, 1, 101]], np.float32),
    "many": RNG.uniform(0.05, 0.95, (2, 150, 4)).astype(np.float32),
    "many_scores": RNG.uniform(0.05, 0.95, (2, 150)).astype(np.float32),
    "scores": np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], np.float32),
}

# Calls of `im`, which is tf.image, on the arrays above.
CALLS = """
im.flip_left_right(f)
im.flip_left_right(ub)
im.flip_up_down(u)
im.flip_up_down(fb)
im.transpose(f)
im.transpose(fb)
im.rot90(f)
im.rot90(fb, 2)
im.rot90(u, k=3)
im.rot90(u, k=-1)
im.rot90(f, tf.constant(3))
im.rot90(f, k=0)
im.central_crop(f, 0.5)
im.central_crop(fb, 0.33)
im.central_crop(fb, 1)
im.central_crop(fb, tf.constant(0.7))
im.pad_to_bounding_box(f, 1, 2, 12, 13)
im.pad_to_bounding_box(ub, 0, 0, 7, 10)
im.pad_to_bounding_box(f, tf.constant(1), 2, tf.constant(12), 13)
im.crop_to_bounding_box(f, 1, 2, 3, 4)
im.crop_to_bounding_box(fb, tf.constant(1), 2, 3, tf.constant(4))
im.resize_with_crop_or_pad(f, 5, 12)
im.resize_with_crop_or_pad(fb, 12, 4)
im.resize_with_crop_or_pad(u, 8, 10)
im.resize_with_crop_or_pad(f, tf.constant(5), 12)
im.resize(f, [4, 5])
im.resize(u, [11, 20])
im.resize(ub, [4, 5], 'nearest')
im.resize(fb, [14, 3], 'bicubic')
im.resize(fb, [14, 3], 'bicubic', antialias=True)
im.resize(fb, [3, 4], 'bilinear', antialias=True)
im.resize(fb, [3, 4], 'area')
im.resize(u, [3, 4], im.ResizeMethod.AREA)
im.resize(fb, [3, 4], 'lanczos3')
im.resize(fb, [3, 14], 'lanczos5', antialias=True)
im.resize(fb, [3, 14], 'gaussian', antialias=True)
im.resize(fb, [9, 14], 'mitchellcubic')
im.resize(s, [5, 5])
im.resize(h, [5, 5])
im.resize(d, [5, 5], 'bicubic')
im.resize(f, [20, 20], preserve_aspect_ratio=True)
im.resize(f, tf.constant([4, 20]), preserve_aspect_ratio=True)
im.resize(f, [7, 9])
im.resize_with_pad(f, 20, 20)
im.resize_with_pad(fb, 5, 20, 'nearest')
im.resize_with_pad(u, 5, 5, antialias=True)
im.resize_with_pad(f, tf.constant(20), 20)
im.extract_patches(fb, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME')
im.crop_and_resize(fb, [[0., 0., .5, 1.], [.2, .3, .9, .1]], [0, 1], [3, 4])
im.crop_and_resize(ub, [[-.3, 0., .5, 1.]], [1], [3, 4], 'nearest', 2.5)
im.convert_image_dtype(u, tf.float32)
im.convert_image_dtype(u, tf.float16)
im.convert_image_dtype(u, tf.uint16)
im.convert_image_dtype(u, tf.int8)
im.convert_image_dtype(u, tf.int64)
im.convert_image_dtype(s, tf.uint8, saturate=True)
im.convert_image_dtype(f, tf.uint8)
im.convert_image_dtype(f * 2, tf.uint8, saturate=True)
im.convert_image_dtype(f, tf.int32, saturate=True)
im.convert_image_dtype(f, tf.float64)
im.convert_image_dtype(f, tf.float32)
im.adjust_brightness(f, 0.2)
im.adjust_brightness(u, -0.2)
im.adjust_brightness(h, tf.constant(0.25))
im.adjust_contrast(f, 1.7)
im.adjust_contrast(ub, 0.3)
im.adjust_gamma(f, 2)
im.adjust_gamma(u, 0.5, 1.5)
im.adjust_hue(f, 0.3)
im.adjust_hue(ub, -0.77)
im.adjust_saturation(f, 1.6)
im.adjust_saturation(ub, tf.constant(0.4))
im.rgb_to_hsv(f)
im.hsv_to_rgb(f)
im.rgb_to_hsv(d)
im.rgb_to_yiq(f)
im.yiq_to_rgb(fb)
im.rgb_to_yuv(f)
im.yuv_to_rgb(d)
im.rgb_to_grayscale(f)
im.rgb_to_grayscale(ub)
im.grayscale_to_rgb(one)
im.per_image_standardization(f)
im.per_image_standardization(ub)
im.per_image_standardization(tf.ones([2, 3, 4, 1]))
im.total_variation(f)
im.total_variation(fb)
im.image_gradients(fb)
im.sobel_edges(fb)
im.sobel_edges(g)
im.psnr(fb, fb * 0.9, 1.0)
im.psnr(u2, u3, 255)
im.psnr(f, fb, max_val=1)
im.ssim(g, g2, 1.0)
im.ssim(u2, u3, 255)
im.ssim(u2, u3, max_val=255, filter_size=5, filter_sigma=1.0, k1=0.02)
im.ssim(g, g2, 1.0, return_index_map=True)
im.ssim_multiscale(g, g2, 1.0, filter_size=2)
im.ssim_multiscale(u2, u3, 255, [0.2, 0.8], filter_size=4)
im.ssim_multiscale(g[:, :-1], g2[:, :-1], 1.0, (0.2, 0.3, 0.5), 5)
im.non_max_suppression(boxes, scores, 3)
im.non_max_suppression(boxes, scores, 30, 0.5, 0.55)
im.non_max_suppression(boxes, scores, max_output_size=2, iou_threshold=0.95)
im.non_max_suppression_with_scores(boxes, scores, 6, soft_nms_sigma=0.5)
im.non_max_suppression_with_scores(boxes, scores, 6, 0.5, 0.4)
im.non_max_suppression_overlaps(tf.ones([6, 6]) * .4, scores, 6, 0.3)
im.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 4, 5)
im.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 2, 9, pad_per_class=True, clip_boxes=False)
im.non_max_suppression_padded(boxes, scores, 3)
im.non_max_suppression_padded(boxes, scores, 30, 0.5, 0.55)
im.non_max_suppression_padded(boxes, scores, 9, 0.5, pad_to_max_output_size=True)
im.non_max_suppression_padded(boxes[::-1, ::-1], scores, 4, tf.constant(0.3), 0.35, True)
im.non_max_suppression_padded(tf.stack([boxes, boxes + .2]), tf.stack([scores, scores[::-1]]), 3, pad_to_max_output_size=True)
im.non_max_suppression_padded(tf.stack([boxes, boxes - 2., boxes * 3.])[None], tf.stack([scores] * 3)[None], 5, 0.4, 0.4, True, canonicalized_coordinates=True)
im.non_max_suppression_padded(tf.gather(boxes, tf.argsort(-scores)), tf.sort(scores)[::-1], 5, 0.9, pad_to_max_output_size=True, sorted_input=True, tile_size=4)
im.non_max_suppression_padded(many, many_scores, 40, 0.3, 0.2, True)
im.draw_bounding_boxes(fb, [[[.1, .2, .5, .9]]] * 2, [[1., .5, .2]])
im.draw_bounding_boxes(fb, [[[.1, .2, .5, .9]]] * 2, None)
im.extract_glimpse(fb, [3, 4], [[0.1, -0.2], [0.3, 0.1]])
im.extract_glimpse(fb, [9, 4], [[0.1, -0.2], [1., 2.]], noise='zero')
im.extract_glimpse(fb, [3, 4], [[1., 2.], [0., 0.]], False, False, 'zero')
im.stateless_random_flip_left_right(f, [1, 2])
im.stateless_random_flip_left_right(fb, [3, 4])
im.stateless_random_flip_up_down(u, [5, 6])
im.stateless_random_flip_up_down(ub, [7, 9])
im.stateless_random_crop(f, [3, 4, 3], [1, 2])
im.stateless_random_crop(f, tf.constant([3, 4, 3]), [1, 3])
im.stateless_random_brightness(f, 0.3, [1, 2])
im.stateless_random_brightness(ub, 0.3, seed=(1, 5))
im.stateless_random_contrast(f, 0.3, 0.9, [1, 2])
im.stateless_random_hue(f, 0.3, [1, 2])
im.stateless_random_saturation(f, 0.3, 0.9, [1, 2])
im.stateless_sample_distorted_bounding_box([50, 60, 3], [[[.1, .2, .8, .9]]], [4, 5])
im.stateless_sample_distorted_bounding_box([50, 60, 3], [[[.1, .2, .8, .9]]], [4, 5], 0.5, [0.5, 2.0], (0.1, 0.5), 10)
im.stateless_sample_distorted_bounding_box([50, 60, 3], tf.zeros([0, 0, 4]), [4, 6], use_image_if_no_bounding_boxes=True)
im.sample_distorted_bounding_box([50, 60, 3], [[[.1, .2, .8, .9]]], 3)
im.random_flip_left_right(f, seed=3)
im.random_flip_left_right(fb, seed=4)
im.random_flip_up_down(ub, 5)
im.random_crop(f, [3, 4, 3], seed=6)
im.random_brightness(f, 0.4, seed=6)
im.random_contrast(f, 0.4, 0.8, seed=6)
im.random_hue(f, 0.4, seed=6)
im.random_saturation(u, 0.4, 0.8, seed=6)
tf.extract_volume_patches(g[:, None], [1, 1, 3, 2, 1], [1, 1, 2, 3, 1], 'SAME')
"""

REFUSED = """
im.flip_left_right(f[0])
im.flip_left_right(fb[None])
im.flip_up_down(tf.zeros([0, 3, 3]))
im.rot90(f, [1, 2])
im.transpose(f[0])
im.central_crop(f, 0.0)
im.central_crop(f, 1.5)
im.central_crop(f[0], 0.5)
im.pad_to_bounding_box(f, -1, 0, 20, 20)
im.pad_to_bounding_box(f, 0, 0, 3, 20)
im.pad_to_bounding_box(f, tf.constant(-1), 0, 20, 20)
im.pad_to_bounding_box(f[0], 0, 0, 20, 20)
im.crop_to_bounding_box(f, 0, 0, 0, 3)
im.crop_to_bounding_box(f, 0, 8, 2, 3)
im.crop_to_bounding_box(f, tf.constant(0), 8, tf.constant(20), 1)
im.resize_with_crop_or_pad(f, 0, 3)
im.resize(f, [3])
im.resize(f, [3., 4.])
im.resize(f, 3)
im.resize(f, [0, 3])
im.resize(f[0], [3, 4])
im.resize(f, [3, 4], 'none')
im.resize(f, tf.constant([3, 4], tf.int64))
im.resize_with_pad(f, 0, 4)
im.extract_patches(f, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME')
im.crop_and_resize(f, [[0., 0., .5, 1.]], [0], [3, 4])
im.crop_and_resize(fb, [[0., 0., .5, 1.]], [2], [3, 4])
im.convert_image_dtype(u, tf.string)
im.convert_image_dtype(['a'], tf.uint8)
im.adjust_gamma(f, -1)
im.adjust_gamma(f, tf.constant(-1.0))
im.adjust_hue(f, 1.5)
im.adjust_hue(one, 0.5)
im.adjust_saturation(one, 0.5)
im.adjust_contrast(f[0], 2.0)
im.rgb_to_hsv(one)
im.rgb_to_yiq(one)
im.rgb_to_grayscale(one)
im.grayscale_to_rgb(f)
im.per_image_standardization(f[0])
im.total_variation(f[0])
im.total_variation(u)
im.image_gradients(f)
im.ssim_multiscale(g, g2, 1.0, filter_size=3)
im.psnr(f, f[:3], 1.0)
im.psnr(f[0], f[0], 1.0)
im.ssim(f, f, 1.0)
im.ssim(g, g2[:, :3], 1.0)
im.ssim_multiscale(f, f, 1.0)
im.non_max_suppression(boxes[0], scores, 3)
im.non_max_suppression(boxes, scores, -3)
im.non_max_suppression(boxes, scores, 3, 2.0)
im.non_max_suppression_padded(many, many_scores, 3)
im.random_flip_left_right(f[0])
im.random_crop(f, [30, 4, 3])
im.random_crop(f, [3, 4])
im.random_brightness(f, -1.0)
im.random_hue(f, 0.7)
im.random_hue(f, -0.7)
im.random_contrast(f, 0.7, 0.5)
im.random_contrast(f, -0.7, 0.5)
im.random_saturation(f, 0.7, 0.5)
im.stateless_random_brightness(f, 0.3, [1, 2, 3])
im.stateless_sample_distorted_bounding_box([50, 60], [[[.1, .2, .8, .9]]], [4, 5])
im.stateless_sample_distorted_bounding_box([50, 60, 3], [[[.1, .2, .8, 1.9]]], [4, 5])
im.sample_distorted_bounding_box([50, 60, 3], tf.zeros([0, 0, 4]))
im.draw_bounding_boxes(f, [[[.1, .2, .5, .9]]], None)
im.extract_glimpse(f, [3, 4], [[0.1, -0.2]])
"""

# Functions of unknown shapes: the arrays' names say what they are called with.
STATIC = """
im.flip_left_right(x)
im.transpose(x)
im.rot90(x)
im.central_crop(x, 0.5)
im.pad_to_bounding_box(x, 1, 2, 12, 13)
im.crop_to_bounding_box(x, 1, 2, 3, 4)
im.resize_with_crop_or_pad(x, 5, 12)
im.resize(x, [4, 5])
im.resize(x, [4, 5], 'area')
im.resize(x, [4, 5], 'lanczos3')
im.resize_with_pad(x, 5, 20)
im.convert_image_dtype(x, tf.uint8)
im.adjust_contrast(x, 0.5)
im.adjust_hue(x, 0.5)
im.rgb_to_hsv(x)
im.rgb_to_yiq(x)
im.rgb_to_grayscale(x)
im.per_image_standardization(x)
im.total_variation(x)
im.psnr(x, x * 0.5, 1.0)
im.ssim(x, x * 0.5, 1.0, filter_size=3)
im.ssim_multiscale(x, x * 0.5, 1.0, [0.5, 0.5], filter_size=3)
im.stateless_random_flip_left_right(x, [1, 2])
im.stateless_random_brightness(x, 0.5, [1, 2])
"""
SHAPES = {
    "known": (7, 9, 3), "batch": (2, 7, 9, 3), "sizes": (None, None, 3),
    "sizes of a batch": (None, None, None, 3), "rank 3": (None,) * 3,
    "rank": None,
}

# What has a gradient, of x; the tolerance is that of float32.
GRADIENTS = """
im.resize(x, [4, 5])
im.resize(x, [4, 5], 'bicubic')
im.resize(x, [4, 12], 'nearest')
im.resize(x, [4, 12], 'lanczos3')
im.resize(x, [4, 5], antialias=True)
im.crop_and_resize(x[None], [[0., 0., .5, 1.], [.2, .3, .9, .1]], [0, 0], [3, 4])
im.crop_and_resize(f[None], x[0, :2, :2] @ tf.ones([2, 4]) * .3, [0, 0], [3, 4])
im.rgb_to_hsv(x)
im.rgb_to_yuv(x)
im.rgb_to_grayscale(x)
im.total_variation(x)
im.sobel_edges(x[None])
im.psnr(x, f * 0.5, 1.0)
im.ssim(x, f * 0.5, 1.0, filter_size=3)
im.ssim_multiscale(x, f * 0.5, 1.0, [0.5, 0.5], filter_size=3)
im.per_image_standardization(x)
im.adjust_gamma(x, 2.0)
im.flip_up_down(x)
im.extract_patches(x[None], [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME')
tf.extract_volume_patches(x[None, None], [1, 1, 3, 2, 1], [1, 1, 2, 3, 1], 'SAME')
im.adjust_contrast(x, 2.0)
im.adjust_hue(x, 0.5)
im.resize(x, [4, 5], 'area')
im.hsv_to_rgb(x)
tf.raw_ops.ImageProjectiveTransformV3(images=x[None], transforms=[[.9, .2, .3, -.1, 1.1, .2, .01, .02]], output_shape=[5, 6], interpolation='BILINEAR', fill_value=0.5)
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def names(tf: Any) -> dict[str, Any]:
    return {"tf": tf, "im": tf.image, "np": np} | {
        name: tf.constant(value) for name, value in ARRAYS.items()
    }


@pytest.mark.parametrize("call", lines(CALLS))
def test_values(both, call: str):
    def run(tf: Any) -> Any:
        tf.random.set_seed(1)
        return eval(call, names(tf))

    both.agree(run, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("call", lines(REFUSED))
def test_refusals(both, call: str):
    both.agree_on_error(lambda tf: eval(call, names(tf)))


def static_shape(tf: Any, call: str, shape: Any) -> Any:
    @tf.function(
        input_signature=[tf.TensorSpec(shape, tf.float32)], autograph=False
    )
    def f(x: Any) -> Any:
        return eval(call, names(tf) | {"x": x})

    try:
        return str(f.get_concrete_function().structured_outputs.shape)
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("call", lines(STATIC))
def test_static_shapes(both, call: str, shape: str):
    ours, theirs = (
        static_shape(tf, call, SHAPES[shape]) for tf in (both.ours, both.theirs)
    )
    if "(" in theirs and ours != theirs:
        # More may be known.
        mine, expected = (both.ours.TensorShape(eval(s)) for s in (ours, theirs))
        assert mine.is_subtype_of(expected)
    else:
        assert theirs == "<unknown>" or ours == theirs


@pytest.mark.parametrize("shape", ["sizes", "rank"])
@pytest.mark.parametrize("call", lines(STATIC))
def test_unknown_shapes(both, call: str, shape: str):
    def run(tf: Any) -> Any:
        @tf.function(
            input_signature=[tf.TensorSpec(SHAPES[shape], tf.float32)],
            autograph=False,
        )
        def f(x: Any) -> Any:
            return eval(call, names(tf) | {"x": x})

        return f(tf.constant(ARRAYS["f"]))

    try:
        run(both.theirs)
    except Exception:
        if shape == "rank":
            return  # TensorFlow wants to know more than we
        both.agree_on_error(run)
        return
    both.agree(run, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("call", lines(GRADIENTS))
def test_gradients(both, call: str):
    def run(tf: Any) -> Any:
        x = tf.constant(ARRAYS["f"])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = eval(call, names(tf) | {"x": x})
            z = tf.reduce_sum(y * y)
        g = tape.gradient(z, x)
        return tf.zeros([]) if g is None else g

    try:
        run(both.theirs)
    except LookupError:
        with pytest.raises(LookupError):
            run(both.ours)
        return
    both.agree(run, rtol=1e-3, atol=2e-4)
