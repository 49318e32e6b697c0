"""Truncated normal numbers, Sobol points, the greatest elements and features of
sound on both modules: to the bit where they are numbers of a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

SOUND = np.sin(np.arange(200.0) ** 1.3).reshape(100, 2).astype(np.float32)
TRUNCATED = "tf.random.stateless_parameterized_truncated_normal"
STATEFUL = "tf.raw_ops.ParameterizedTruncatedNormal"
PARTS = (
    "0., 1., -2., 2.", "0., 1., 3., 4.", "0., 1., -.1, .1", "1., 2., 5., 9.",
    "0., 1., -np.inf, 1.", "0., 1., -np.inf, -2.", "0., 1., 1.5, np.inf",
    "5., .5, 1., 2.", "0., 3., -8., -5.",
)
EXACT = [
    *(f"{TRUNCATED}([30], [{seed}, 2], {p})" for p in PARTS for seed in (1, 7)),
    *(
        f"{TRUNCATED}([30], [5, 6], *[tf.constant(v, tf.{t}) for v in ({p})])"
        for p in PARTS for t in ("float16", "float64")
    ),
    f"{TRUNCATED}([4, 2, 3], [1, 2], [0., 1., 2.], 1., [[-1.], [0.]], [9., 3., 4.])",
    f"{TRUNCATED}([5], tf.constant([1, 2], tf.int64))",
    f"{TRUNCATED}([0], [1, 2])",
    f"{TRUNCATED}([], [1, 2])",
    *(
        f"{STATEFUL}(shape={shape}, means={m}, stdevs=1.5, minvals={low},"
        " maxvals=2., seed=3, seed2=4)"
        for shape, m, low in (
            ("[30]", "0.", "-2."), ("[30]", "0.", "1.5"), ("[3, 50]", "[0.]", "-1."),
            ("[3, 2]", "[0., 1., -1.]", "[-2.]"), ("[0, 3]", "0.", "-2."),
            ("tf.constant([130], tf.int64)", "0.", "1."),
        )
    ),
    *(
        f"tf.math.sobol_sample({d}, {n}, {skip}, tf.{t})"
        for d, n, skip in ((1, 5, 0), (3, 70, 3), (1111, 40, 1000), (40, 1000, 5),
                           (2, 3, 2**20))
        for t in ("float32", "float64")
    ),
    "tf.math.approx_max_k([[1., 5., 3., 5.], [2., 2., 1., 7.]], 3)",
    "tf.nn.approx_max_k(tf.constant([1., 2., 4.], tf.float16), 2)",
    "tf.approx_top_k(tf.constant([1., -0., 4., 0.], tf.bfloat16), 4)",
    "tf.math.approx_max_k(tf.zeros([0, 3]), 2)",
    "tf.math.approx_max_k([[3.], [4.]], 0, aggregate_to_topk=False)",
]
CLOSE = [
    *(
        f"tf.raw_ops.AudioSpectrogram(input=sound, window_size={w}, stride={s},"
        f" magnitude_squared={q})"
        for w, s in ((6, 3), (8, 8), (33, 1), (2, 50), (101, 3))
        for q in (True, False)
    ),
    *(
        "tf.raw_ops.Mfcc(spectrogram=tf.raw_ops.AudioSpectrogram(input=sound,"
        f" window_size={w}, stride=10, magnitude_squared=True), sample_rate=16000,"
        f" {more})"
        for w in (16, 60)
        for more in (
            "filterbank_channel_count=4, dct_coefficient_count=3", "",
            "lower_frequency_limit=300., upper_frequency_limit=7000.",
            "upper_frequency_limit=9000.",
        )
    ),
]
BAD = [
    f"{TRUNCATED}([2, 3], [1, 2], [0., 1., 2., 4.])",
    f"{TRUNCATED}([5], [1, 2], 0., -1.)",
    f"{TRUNCATED}([5], [1, 2], 0., 1., 2., 1.)",
    f"{TRUNCATED}([5], [1, 2], 0., 1., -np.inf, np.inf)",
    f"{TRUNCATED}([5], [1, 2, 3])",
    f"{TRUNCATED}([2, 2], [1, 2], tf.constant([0., 0.], tf.float64), 1.)",
    f"{TRUNCATED}([3], [1, 2], 1, 2, 3, 4)",
    f"{TRUNCATED}([3], [1., 2.])",
    f"{STATEFUL}(shape=[3, 2], means=[0., 1., 2., 3.], stdevs=1., minvals=-2.,"
    " maxvals=4.)",
    f"{STATEFUL}(shape=[3, 2], means=[[0., 1.]], stdevs=1., minvals=-2., maxvals=4.)",
    f"{STATEFUL}(shape=[-1], means=0., stdevs=1., minvals=-2., maxvals=4.)",
    f"{STATEFUL}(shape=3, means=0., stdevs=1., minvals=-2., maxvals=4.)",
    f"{STATEFUL}(shape=[3], means=0., stdevs=0., minvals=-2., maxvals=4.)",
    "tf.math.sobol_sample(0, 3)",
    "tf.math.sobol_sample(2, 0)",
    "tf.math.sobol_sample(2, 3, -1)",
    "tf.math.sobol_sample(2, 3, 2**31 - 3)",
    "tf.math.sobol_sample([2], 3)",
    "tf.math.sobol_sample(2, 3, dtype=tf.int32)",
    "tf.math.approx_max_k([1., 2.], 3)",
    "tf.math.approx_max_k([1., 2.], -1)",
    "tf.math.approx_max_k(1., 1)",
    "tf.math.approx_max_k([1, 2], 1)",
    "tf.raw_ops.AudioSpectrogram(input=sound, window_size=1, stride=1)",
    "tf.raw_ops.AudioSpectrogram(input=sound, window_size=4, stride=0)",
    "tf.raw_ops.AudioSpectrogram(input=sound[0], window_size=4, stride=1)",
    "tf.raw_ops.Mfcc(spectrogram=sound, sample_rate=8000)",
    "tf.raw_ops.Mfcc(spectrogram=[sound], sample_rate=0)",
    "tf.raw_ops.Mfcc(spectrogram=[sound], sample_rate=[8000])",
    "tf.raw_ops.Mfcc(spectrogram=[sound], sample_rate=8000,"
    " lower_frequency_limit=-1.)",
    "tf.raw_ops.Mfcc(spectrogram=[sound], sample_rate=8000,"
    " dct_coefficient_count=41)",
]
SHAPES = [
    f"{TRUNCATED}(v, [1, 2])",
    f"{TRUNCATED}([3, 2], [1, 2], tf.cast(v[0], tf.float32))",
    "tf.math.sobol_sample(v[0], 3)",
    "tf.math.sobol_sample(2, v[0], dtype=tf.float64)",
    "tf.math.sobol_sample(2, 5)",
    "tf.math.approx_max_k(tf.zeros([3, 5]), 2)",
    "tf.raw_ops.AudioSpectrogram(input=tf.zeros(v), window_size=6, stride=3)",
    "tf.raw_ops.AudioSpectrogram(input=tf.zeros([10, 2]), window_size=6, stride=3)",
    "tf.raw_ops.Mfcc(spectrogram=tf.zeros([2, 7, 9]), sample_rate=v[0])",
]


def run(tf: Any, text: str) -> list[Any]:
    names = {"tf": tf, "np": np, "sound": SOUND}
    return tf.nest.flatten(eval(text, names))


@pytest.mark.parametrize("text", EXACT)
def test_exact_values(both, text: str):
    both.agree(lambda tf: run(tf, text))


@pytest.mark.parametrize("text", CLOSE)
def test_values(both, text: str):
    both.agree(lambda tf: run(tf, text), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("text", BAD)
def test_mistakes_have_the_same_class(both, text: str):
    both.agree_on_error(lambda tf: run(tf, text))


@pytest.mark.parametrize("text", SHAPES)
def test_static_shapes(both, text: str):
    found = []
    for tf in (both.ours, both.theirs):

        def f(v, tf=tf):
            return tf.nest.flatten(eval(text, {"tf": tf, "np": np, "v": v}))

        spec = tf.TensorSpec([2], tf.int32)
        made = tf.function(f, input_signature=[spec], autograph=False)
        outputs = made.get_concrete_function().outputs
        found.append([o.shape for o in outputs])
    ours, theirs = ([s.as_list() if s.rank is not None else None for s in shapes]
                    for shapes in found)
    assert ours == theirs


def test_streams_go_on(both):
    def draws(tf):
        tf.random.set_seed(3)
        arguments = {
            "shape": [5], "means": 0.0, "stdevs": 1.0, "minvals": -2.0,
            "maxvals": 2.0, "seed": 3, "seed2": 4,
        }
        op = tf.raw_ops.ParameterizedTruncatedNormal
        return [op(**arguments) for _ in range(3)]

    both.agree(draws)


@pytest.mark.parametrize("limits", ["-1., 2.", "1., 3.", "-np.inf, .5"])
def test_gradients_of_draws(both, limits: str):
    def gradients(tf):
        given = [tf.constant(v) for v in
                 ([0.1, 0.2], [[1.0], [2.0]], *eval(f"[{limits}]", {"np": np}))]
        with tf.GradientTape() as tape:
            tape.watch(given)
            draws = tf.random.stateless_parameterized_truncated_normal(
                [3, 2, 2], [1, 2], *given
            )
            loss = tf.reduce_sum(draws**2)
        return tape.gradient(loss, given)

    both.agree(gradients, rtol=2e-4, atol=1e-5)


def test_gradients_of_the_greatest(both):
    def gradients(tf):
        x = tf.constant([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            values, _ = tf.math.approx_max_k(x, 2)
            loss = tf.reduce_sum(values * [1.0, 2.0])
        return tape.gradient(loss, x)

    both.agree(gradients)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_the_least_are_what_compiled_code_finds(both, axis: int):
    """TensorFlow's CPU kernels know the greatest of the last dimension alone."""
    x = np.random.default_rng(1).integers(0, 5, [4, 6, 3]).astype(np.float32)
    values, places = both.ours.math.approx_min_k(x, 2, axis)
    order = np.argsort(x, axis, kind="stable").take([0, 1], axis)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, axis))
