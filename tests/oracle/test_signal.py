"""tf.signal and its neighbours on both: values, dtypes, static shapes, gradients
and errors of a table of expressions of x."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(5)


def real(*shape: int, dtype: str = "float32") -> np.ndarray:
    return RNG.normal(size=shape).astype(dtype)


def complex_(*shape: int, dtype: str = "complex64") -> np.ndarray:
    return (RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype)


# Expression of x, and the values of x that it is tried with.
CALLS: list[tuple[str, list[np.ndarray]]] = [
    ("tf.signal.fft(x)", [complex_(8), complex_(3, 7), complex_(2, 3, 30),
                          complex_(2, 37, dtype="complex128"),
                          complex_(1031), complex_(0, 4), complex_(3, 4096)]),
    ("tf.signal.ifft(x)", [complex_(8), complex_(3, 7, dtype="complex128")]),
    ("tf.signal.fft2d(x)", [complex_(3, 4), complex_(2, 5, 17)]),
    ("tf.signal.ifft2d(x)", [complex_(3, 4)]),
    ("tf.signal.fft3d(x)", [complex_(3, 4, 5)]),
    ("tf.signal.ifft3d(x)", [complex_(2, 3, 4, 5)]),
    ("tf.signal.rfft(x)", [real(8), real(3, 7), real(2, 31, dtype="float64"),
                           real(2, 1000)]),
    ("tf.signal.rfft(x, [6])", [real(8), real(4), real(2, 6)]),
    ("tf.signal.rfft(x, fft_length=[7])", [real(8), real(2, 3)]),
    ("tf.signal.rfft2d(x)", [real(3, 4), real(2, 5, 7)]),
    ("tf.signal.rfft2d(x, [4, 6])", [real(3, 7)]),
    ("tf.signal.rfft3d(x)", [real(2, 3, 4)]),
    ("tf.signal.irfft(x)", [complex_(5), complex_(2, 4)]),
    ("tf.signal.irfft(x, [7])", [complex_(4), complex_(2, 3)]),
    ("tf.signal.irfft(x, [8])", [complex_(5), complex_(3)]),
    ("tf.signal.irfft2d(x)", [complex_(3, 4)]),
    ("tf.signal.irfft2d(x, [4, 5])", [complex_(4, 3)]),
    ("tf.signal.irfft3d(x)", [complex_(2, 3, 4)]),
    ("tf.signal.fftshift(x)", [real(5), real(4, 5)]),
    ("tf.signal.fftshift(x, 1)", [real(4, 5)]),
    ("tf.signal.fftshift(x, [0, -1])", [real(4, 5)]),
    ("tf.signal.ifftshift(x)", [real(5), real(4, 5)]),
    ("tf.signal.ifftshift(x, axes=-1)", [real(4, 5)]),
    *((f"tf.signal.{f}(x, type={t}, n={n}, norm={norm!r})",
       [real(8), real(2, 5, dtype="float64")])
      for f in ("dct", "idct") for t in (1, 2, 3, 4) for n in (None, 4, 9)
      for norm in ((None,) if t == 1 else (None, "ortho"))),
    ("tf.signal.frame(x, 4, 2)", [real(11), real(2, 8), real(3)]),
    ("tf.signal.frame(x, 3, 2, pad_end=True)", [real(11), real(2, 8)]),
    ("tf.signal.frame(x, 3, 5, pad_end=True, pad_value=7)", [real(2, 9)]),
    ("tf.signal.frame(x, 2, 2, axis=0)", [real(5, 3)]),
    ("tf.signal.frame(x, 4, 2, axis=1)", [real(2, 9, 3)]),
    ("tf.signal.overlap_and_add(x, 2)", [real(3, 4), real(2, 3, 5)]),
    ("tf.signal.overlap_and_add(x, 4)", [real(3, 4)]),
    ("tf.signal.overlap_and_add(x, 6)", [real(3, 4)]),
    ("tf.signal.stft(x, 8, 4)", [real(32), real(2, 21)]),
    ("tf.signal.stft(x, 6, 4, pad_end=True, window_fn=None)", [real(2, 21)]),
    ("tf.signal.stft(x, 6, 4, fft_length=5,"
     " window_fn=tf.signal.hamming_window)", [real(2, 21)]),
    ("tf.signal.inverse_stft(x, 8, 4)", [complex_(3, 5), complex_(2, 3, 5)]),
    ("tf.signal.inverse_stft(x, 6, 3, fft_length=8, window_fn="
     "tf.signal.inverse_stft_window_fn(3))", [complex_(3, 5)]),
    ("tf.signal.inverse_stft(x, 12, 3, fft_length=8, window_fn=None)",
     [complex_(3, 5)]),
    ("tf.signal.mdct(x, 8)", [real(32)]),
    ("tf.signal.mdct(x, 8, pad_end=True, norm='ortho', window_fn=None)",
     [real(2, 13)]),
    ("tf.signal.mdct(x, 8, window_fn="
     "tf.signal.kaiser_bessel_derived_window)", [real(2, 13)]),
    ("tf.signal.inverse_mdct(x)", [real(3, 4)]),
    ("tf.signal.inverse_mdct(x, window_fn=None, norm='ortho')", [real(3, 4)]),
    ("tf.signal.mfccs_from_log_mel_spectrograms(x)", [real(3, 8)]),
]
# Of no x.
CONSTANTS = [
    *(f"tf.signal.{w}_window({n}, {p}, dtype=tf.{t})"
      for w in ("hann", "hamming") for n in (1, 2, 5, 8) for p in (True, False)
      for t in ("float32", "float64")),
    "tf.signal.hann_window(5, dtype=tf.float16)",
    *(f"tf.signal.{w}_window({n}, beta={b})"
      for w in ("kaiser", "kaiser_bessel_derived") for n in (2, 5, 8)
      for b in (12.0, 4, 0.0)),
    "tf.signal.kaiser_window(7, dtype=tf.float64)",
    *(f"tf.signal.vorbis_window({n}, dtype=tf.{t})" for n in (1, 4, 9)
      for t in ("float32", "float64")),
    "tf.signal.inverse_stft_window_fn(3)(7, dtype=tf.float32)",
    "tf.signal.inverse_stft_window_fn(4, tf.signal.hamming_window)("
    "8, dtype=tf.float64)",
    "tf.signal.linear_to_mel_weight_matrix()",
    "tf.signal.linear_to_mel_weight_matrix(8, 33, 16000, 80., 7600.,"
    " tf.float64)",
    "tf.signal.linear_to_mel_weight_matrix(8, tf.constant(33),"
    " tf.constant(16000.))",
]
BAD = [
    "tf.signal.fft(tf.constant(1+0j, tf.complex64))",
    "tf.signal.fft2d(tf.zeros([3], tf.complex64))",
    "tf.signal.rfft(tf.zeros([2], tf.int32))",
    "tf.signal.rfft(1.)",
    "tf.signal.rfft([1., 2.], [3, 4])",
    "tf.signal.rfft([1., 2.], [-1])",
    "tf.signal.irfft(tf.zeros([2]))",
    "tf.raw_ops.RFFT(input=tf.zeros([4]), fft_length=[6])",
    "tf.raw_ops.RFFT(input=tf.zeros([4]), fft_length=4)",
    "tf.raw_ops.RFFT(input=tf.zeros([4]), fft_length=[4],"
    " Tcomplex=tf.complex128)",
    "tf.raw_ops.IRFFT(input=tf.zeros([4], tf.complex64), fft_length=[-3])",
    "tf.raw_ops.RFFT2D(input=tf.zeros([4]), fft_length=[4, 4])",
    "tf.signal.dct(tf.zeros([4]), type=5)",
    "tf.signal.dct(tf.zeros([4]), n=0)",
    "tf.signal.dct(tf.zeros([4]), norm='other')",
    "tf.signal.dct(tf.zeros([4]), type=1, norm='ortho')",
    "tf.signal.dct(tf.zeros([1]), type=1)",
    "tf.signal.frame(tf.zeros([4]), [2], 1)",
    "tf.signal.frame(1., 2, 1)",
    "tf.signal.overlap_and_add(tf.zeros([4]), 2)",
    "tf.signal.overlap_and_add(tf.zeros([4, 4]), 2.)",
    "tf.signal.hann_window(4, dtype=tf.int32)",
    "tf.signal.hann_window([4])",
    "tf.signal.mdct(tf.zeros([9]), 6)",
    "tf.signal.stft(1., 4, 2)",
    "tf.signal.linear_to_mel_weight_matrix(0)",
    "tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=-1.)",
    "tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=9000.)",
    "tf.signal.linear_to_mel_weight_matrix(sample_rate=-1.)",
    "tf.signal.linear_to_mel_weight_matrix(sample_rate=1000)",
    "tf.signal.linear_to_mel_weight_matrix(dtype=tf.int32)",
]


def run(tf: Any, text: str, x: Any = None) -> Any:
    return eval(text, {"tf": tf, "x": x, "np": np})


def value_and_gradient(tf: Any, text: str, given: np.ndarray) -> list[Any]:
    x = tf.constant(given)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(tf, text, x)
        size = tf.cast(tf.range(tf.size(y)), y.dtype)
        weighed = y * (tf.reshape(size, tf.shape(y)) + 1)
        total = tf.reduce_sum(tf.math.real(weighed) ** 2)
    return [y.numpy(), tape.gradient(total, x)]


def close(mine: Any, theirs: Any, what: str) -> None:
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    assert mine.dtype == theirs.dtype, what
    assert mine.shape == theirs.shape, what
    wide = mine.dtype in ("float64", "complex128")
    tol = 1e-10 if wide else 2e-3 if mine.dtype == "float16" else 3e-5
    scale = max(1.0, float(np.max(np.abs(theirs), initial=0)))
    np.testing.assert_allclose(
        mine / scale, theirs / scale, rtol=0, atol=tol, err_msg=what
    )


@pytest.mark.parametrize("text,values", CALLS, ids=[c[0] for c in CALLS])
def test_values_and_gradients(both, text: str, values: list[np.ndarray]):
    for x in values:
        try:
            theirs = value_and_gradient(both.theirs, text, x)
        except (LookupError, both.theirs.errors.InvalidArgumentError):
            # No gradient there, or none of what counts in part.
            theirs = [run(both.theirs, text, both.theirs.constant(x)), None]
        mine = value_and_gradient(both.ours, text, x)
        close(mine[0], theirs[0], f"{text} of {x.shape}")
        if theirs[1] is not None:
            close(mine[1], theirs[1], f"gradient of {text} of {x.shape}")


def static_shape(tf: Any, text: str, shape: Any, dtype: Any) -> Any:
    found = []

    def f(x):
        y = run(tf, text, x)
        found.append(y.shape)
        return y

    spec = tf.TensorSpec(shape, tf.as_dtype(dtype))
    function = tf.function(f, input_signature=[spec], autograph=False)
    function.get_concrete_function()
    shape = found[0]
    return function, (None if shape.rank is None else shape.as_list())


@pytest.mark.parametrize("text,values", CALLS, ids=[c[0] for c in CALLS])
def test_static_shapes(both, text: str, values: list[np.ndarray]):
    x = values[0]
    partial = [None, *x.shape[1:]] if x.ndim > 1 else [None]
    for shape in (list(x.shape), [None] * x.ndim, partial, None):
        try:
            _, theirs = static_shape(both.theirs, text, shape, x.dtype.name)
        except Exception:
            continue
        function, mine = static_shape(both.ours, text, shape, x.dtype.name)
        if theirs is not None:
            assert mine is not None, (text, shape)
            assert len(mine) == len(theirs), (text, shape, mine, theirs)
            for a, b in zip(mine, theirs, strict=True):
                assert b is None or a == b, (text, shape, mine, theirs)
        result = function(both.ours.constant(x)).numpy()
        close(result, run(both.ours, text, both.ours.constant(x)), text)


@pytest.mark.parametrize("text", CONSTANTS)
def test_constants(both, text: str):
    close(run(both.ours, text), run(both.theirs, text), text)


@pytest.mark.parametrize("text", BAD)
def test_errors(both, text: str):
    with pytest.raises(Exception) as theirs:
        run(both.theirs, text)
    with pytest.raises(Exception) as mine:
        run(both.ours, text)
    assert type(mine.value).__name__ == type(theirs.value).__name__, (
        mine.value, theirs.value)
