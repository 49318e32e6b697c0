"""Special functions, quantization, stateless draws and sound on both modules:
values to the bit where they are numbers of a seed, near ones elsewhere, and
classes of errors."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from test_signal import close, run, static_shape, value_and_gradient

POSITIVE = np.array([1e-5, 0.3, 1, 1.2, 2.5, 7, 39, 41, 300], np.float64)
ANY = np.concatenate([-POSITIVE, [-0.0, 0.0, 0.19, 0.21, 1.49, 1.51, 1e-300],
                      POSITIVE])
# Of -1e300 and -inf TensorFlow's dawsn has the wrong sign.
EDGES = np.array([-700, 0, 1, 710, 1e300, np.inf, np.nan])
X = np.array([[-7, -1, -0.3, 0], [0.3, 0.8, 2, 7]], np.float32)

CALLS: list[tuple[str, list[np.ndarray]]] = [
    *((f"tf.math.special.{f}(x)", [ANY, ANY.astype("float32")])
      for f in ("dawsn", "fresnel_cos", "fresnel_sin")),
    *((f"tf.math.special.{f}(x)", [POSITIVE, POSITIVE[:-1].astype("float32")])
      for f in ("expint", "spence")),
    ("tf.math.erfcinv(x)", [np.array([0.1, 0.5, 1, 1.9]),
                            np.array([0.3, 1.5], np.float32)]),
    ("tf.math.lbeta(x)", [POSITIVE.reshape(3, 3)]),
    ("tf.math.polyval([2., x, 3.], x)", [X]),
    ("tf.math.unsorted_segment_mean(x, [1, 1], 3)", [X]),
    ("tf.math.unsorted_segment_mean(x, [2, 0], 3)", [X]),
    ("tf.math.unsorted_segment_sqrt_n(x, [1, 1], 2)", [X]),
    ("tf.math.unsorted_segment_mean(x, [[0, 1, 0, -1], [1, 1, 1, 0]], 3)", [X]),
    ("tf.quantization.fake_quant_with_min_max_args(x)", [X]),
    ("tf.quantization.fake_quant_with_min_max_args("
     "x, -1., 0.5, 4, narrow_range=True)", [X]),
    ("tf.quantization.fake_quant_with_min_max_args(x, 0.5, 3.)", [X]),
    ("tf.quantization.fake_quant_with_min_max_vars(x, -1.2, 3.)", [X]),
    ("tf.quantization.fake_quant_with_min_max_vars(x, 0., 0.)", [X]),
    ("tf.quantization.fake_quant_with_min_max_vars(-0.2, x[0, 0], x[1, 3])",
     [X]),
    ("tf.quantization.fake_quant_with_min_max_vars_per_channel("
     "x, [-1., -2., 0., 0.], [1., 0.5, 0., 9.], 3)", [X]),
    ("tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient("
     "x, x, [-1., -2., 0., 0.], [1., 0.5, 0., 9.], 3)[1]", [X]),
    *((f"tf.quantization.quantize_and_dequantize{v}(x, -1.5, 3.,"
       f" range_given={g}, num_bits={b}, signed_input={s}, narrow_range={n},"
       f" round_mode={m!r})", [X, X.astype("float64")])
      for v in ("", "_v2") for g in (True, False) for b in (3, 8)
      for s in (True, False) for n in (True, False)
      for m in ("HALF_TO_EVEN", "HALF_UP")),
    ("tf.quantization.quantize_and_dequantize(x, 0., 0., axis=1)", [X]),
    ("tf.raw_ops.QuantizeAndDequantizeV3(input=x, input_min=-1., input_max=2.,"
     " num_bits=5)", [X]),
]
EXACT = [
    *(f"tf.random.stateless_binomial({shape}, [3, {seed}], {n}, {p},"
      f" output_dtype=tf.{t})"
      for shape, n, p in (("[50]", "10.", "0.3"), ("[50]", "100.", "0.7"),
                          ("[20, 3]", "[10., 1000., 5.]", "[0.9, 0.5, 0.01]"),
                          ("[4, 2, 3]", "[[10.], [300.]]", "[0.2, 0.5, 0.8]"),
                          ("[3]", "[-1., 5., 7.]", "[.3, 1.5, -1.]"),
                          ("[0]", "3.", "0.5"))
      for seed in (1, 2) for t in ("int32", "float32", "int64")),
    "tf.random.stateless_gamma([5, 2], [1, 2], [0.5, 3.])",
    "tf.random.stateless_gamma([5, 2], [1, 2], [0.5, 3.], beta=[2., 4.])",
    "tf.random.stateless_gamma([4], [1, 2], 2., dtype=tf.float64)",
    "tf.random.stateless_poisson([5, 2], [1, 2], [0.5, 30.])",
    "tf.random.stateless_poisson([5], [1, 2], 3., tf.float32)",
    "tf.random_index_shuffle([0, 1, 2, 3, 4], [1, 2, 3], 4)",
    "tf.random_index_shuffle(tf.range(100), [7, 8, -9], 99, rounds=6)",
    "tf.random_index_shuffle(3, [[1, 2, 3], [4, 5, 6]], [10, 20])",
    "tf.random_index_shuffle(tf.constant(7, tf.int64),"
    " tf.constant([1, 2, -3], tf.int64), tf.constant(2 ** 40, tf.int64))",
    "tf.random_index_shuffle(tf.constant(70000, tf.uint32), [1, 2, 3],"
    " tf.constant(70000, tf.uint32))",
    "tf.random.experimental.index_shuffle(tf.range(9), [5, 9], 8)",
    "tf.random.Generator.from_seed(3).binomial([4], 10., 0.4)",
    "tf.random.Generator.from_seed(3).binomial([3, 2], [9., 80.], 0.4,"
    " tf.float32)",
    "tf.math.is_non_decreasing([1, 2, 2])",
    "tf.math.is_strictly_increasing([1, 2, 2])",
    "tf.math.is_non_decreasing([[1, 2], [1, 4]])",
    "tf.math.is_strictly_increasing(tf.zeros([0]))",
    "tf.math.is_non_decreasing([3.])",
]
BAD = [
    "tf.math.is_non_decreasing(['a'])",
    "tf.quantization.fake_quant_with_min_max_args([1.], min=1., max=0.)",
    "tf.quantization.fake_quant_with_min_max_args([1.], num_bits=1)",
    "tf.quantization.fake_quant_with_min_max_vars([1.], 0., 1., num_bits=17)",
    "tf.quantization.fake_quant_with_min_max_vars([1.], [0.], 1.)",
    "tf.quantization.fake_quant_with_min_max_vars_per_channel("
    "[1., 2.], [0.], [1.])",
    "tf.quantization.fake_quant_with_min_max_args_gradient([1., 2.], [0.])",
    "tf.quantization.quantize_and_dequantize([1.], 2., 1., range_given=True)",
    "tf.quantization.quantize_and_dequantize([1.], 0., 1., num_bits=0)",
    "tf.quantization.quantize_and_dequantize([1.], [0.], 1., range_given=True)",
    "tf.quantization.quantize_and_dequantize_v2([1.], 0., 1., axis=3)",
    "tf.random.stateless_binomial([3], [1, 2], [1., 2.], 0.5)",
    "tf.random.stateless_binomial([3], [1], 1., 0.5)",
    "tf.random_index_shuffle(9, [1, 2, 3], 4)",
    "tf.random_index_shuffle(-1, [1, 2, 3], 4)",
    "tf.random_index_shuffle(1, [1, 2], 4)",
    "tf.audio.encode_wav([1., 2.], 44100)",
    "tf.audio.encode_wav([[1.]], 0)",
    "tf.audio.encode_wav([[1.]], [1])",
]


def wav(fmt: bytes = b"", samples: bytes = b"", **change: int) -> bytes:
    head = {"size": 16, "format": 1, "channels": 2, "rate": 8000,
            "second": 32000, "sample": 4, "bits": 16, "data": 12, **change}
    return (b"RIFF\0\0\0\0WAVE" + b"fmt "
            + struct.pack("<IHHIIHH", *[head[k] for k in list(head)[:7]])
            + fmt + b"data" + struct.pack("<I", head["data"])
            + (samples or struct.pack("<6h", 0, 9, -9, 32767, -32768, 5)))


WAVS = [
    wav(), wav(fmt=b"\0\0", size=18), wav(size=8), wav(format=3),
    wav(channels=0), wav(channels=1), wav(bits=8), wav(sample=3),
    wav(second=3), wav(data=4), wav(data=3), wav(data=0x7FFFFFFF),
    wav(data=0), wav()[:30], wav()[:50], wav() + b"LIST\x02\0\0\0ab",
    wav() + wav()[36:], wav()[:36], wav()[:36] + b"LIST\x04\0\0\0abcd"
    + wav()[36:], b"", b"RIFF", b"XXXX" + wav()[4:], wav()[:8] + b"WAVX"
    + wav()[12:], wav()[:12] + b"junk\x02\0\0\0ab" + wav()[12:],
    wav()[:12] + b"JUNK\x02\0\0\0ab" + wav()[12:], wav() + b"\0",
]


@pytest.mark.parametrize("text,values", CALLS, ids=[c[0] for c in CALLS])
def test_values_and_gradients(both, text: str, values: list[np.ndarray]):
    for x in values:
        try:
            theirs = value_and_gradient(both.theirs, text, x)
        except LookupError:
            theirs = [run(both.theirs, text, both.theirs.constant(x)), None]
        mine = value_and_gradient(both.ours, text, x)
        theirs_value = np.asarray(theirs[0])
        keep = np.isfinite(theirs_value)
        assert (np.isfinite(np.asarray(mine[0])) == keep).all()
        close(np.asarray(mine[0])[keep], theirs_value[keep], text)
        if theirs[1] is not None:
            a, b = np.asarray(mine[1]), np.asarray(theirs[1])
            keep = np.isfinite(b)
            close(a[keep], b[keep], f"gradient of {text} of {x.dtype}")


@pytest.mark.parametrize("text,values", CALLS, ids=[c[0] for c in CALLS])
def test_static_shapes(both, text: str, values: list[np.ndarray]):
    x = values[0]
    for shape in (list(x.shape), [None] * x.ndim, None):
        try:
            _, theirs = static_shape(both.theirs, text, shape, x.dtype.name)
        except Exception:
            continue
        function, mine = static_shape(both.ours, text, shape, x.dtype.name)
        if theirs is not None:
            assert mine is not None and len(mine) == len(theirs), (text, shape)
            for a, b in zip(mine, theirs, strict=True):
                assert b is None or a == b, (text, shape, mine, theirs)
        function(both.ours.constant(x))


@pytest.mark.parametrize("name", "dawsn expint fresnel_cos fresnel_sin spence"
                         .split())
def test_ends(both, name: str):
    text = f"tf.math.special.{name}(x)"
    mine, theirs = (run(tf, text, tf.constant(EDGES)).numpy()
                    for tf in (both.ours, both.theirs))
    np.testing.assert_allclose(mine, theirs, rtol=1e-12)


@pytest.mark.parametrize("text", EXACT)
def test_the_same_numbers(both, text: str):
    mine, theirs = (np.asarray(run(tf, text)) for tf in (both.ours, both.theirs))
    assert mine.dtype == theirs.dtype
    if "gamma" in text:
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    else:
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("text", BAD)
def test_errors(both, text: str):
    names = []
    for tf in (both.theirs, both.ours):
        with pytest.raises(Exception) as error:
            run(tf, text)
        names.append(type(error.value).__name__)
    assert names[0] == names[1]


def outcome(tf: Any, text: bytes, **options: int) -> Any:
    try:
        audio, rate = tf.audio.decode_wav(text, **options)
        return audio.numpy().tolist(), rate.numpy().item()
    except tf.errors.OpError as error:
        return type(error).__name__, str(error).split(" [Op:")[0].split("}} ")[-1]


@pytest.mark.parametrize("number", range(len(WAVS)))
def test_wav_files(both, number: int):
    for options in ({}, {"desired_channels": 1}, {"desired_channels": 3,
                    "desired_samples": 5}, {"desired_samples": 1}):
        mine = outcome(both.ours, WAVS[number], **options)
        theirs = outcome(both.theirs, WAVS[number], **options)
        assert mine == theirs, WAVS[number]


def test_sound_there(both):
    x = np.array([[0, 1], [-1, 0.5], [2, -2], [1e-5, 0.99999]], np.float32)
    a, b = (tf.audio.encode_wav(x, 44100).numpy()
            for tf in (both.ours, both.theirs))
    assert a == b


def test_binomial_draws_move_the_generator_alike(both):
    for shape, n in (([4], 10.0), ([5, 2], [3.0, 50.0]), ([0], 1.0)):
        found = []
        for tf in (both.ours, both.theirs):
            generator = tf.random.Generator.from_seed(3)
            first = generator.binomial(shape, n, 0.4)
            state = generator.state.numpy().tolist()
            again = generator.binomial(shape, n, 0.4)
            found.append((first.numpy().tolist(), state, again.numpy().tolist()))
        assert found[0] == found[1]
