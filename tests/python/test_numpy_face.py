"""tf.experimental.numpy against NumPy, and tensors that behave as its arrays: each
mode of that in a process of its own, for there is no way back."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import graphkiln as tf

tnp = tf.experimental.numpy

CUBE = np.arange(24, dtype=np.float64).reshape(2, 3, 4) - 11.5
SQUARE = np.array([[1.5, 2.0], [3.0, -4.0]])
# Names, arguments.
CALLS = [
    *((name, (CUBE,)) for name in """
      abs absolute ceil floor fix exp expm1 exp2 sin cos tan sinh cosh tanh arctan
      arcsinh square negative positive sign cbrt deg2rad rad2deg sinc isnan isfinite
      sum prod mean var std amax amin max min ptp all any cumsum cumprod argmax
      argmin ravel transpose flip fliplr flipud argsort sort diff nansum nanmean
      nanprod count_nonzero atleast_1d atleast_2d atleast_3d nonzero tril triu trace
      real imag conj iscomplex isreal logical_not around zeros_like ones_like copy
      average shape ndim rot90 signbit reciprocal diagonal
      """.split()),
    *((name, (CUBE, CUBE[0] + 0.25)) for name in """
      add subtract multiply divide true_divide floor_divide mod remainder maximum
      minimum arctan2 hypot logaddexp logaddexp2 heaviside power equal not_equal less
      less_equal greater greater_equal isclose allclose array_equal logical_and
      logical_or logical_xor nextafter divmod
      """.split()),
    *((name, (SQUARE, SQUARE.T)) for name in """
      dot matmul inner outer vdot kron tensordot concatenate append vstack hstack dstack
      """.split() if name not in ("concatenate", "vstack", "hstack", "dstack")),
    *((name, ([SQUARE, SQUARE.T],)) for name in
      ("concatenate", "vstack", "hstack", "dstack", "stack")),
    *((name, (np.array([12, 18, 7]), np.array([8, 27, 14]))) for name in
      ("gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor")),
    ("moveaxis", (CUBE, 0, -1)), ("swapaxes", (CUBE, 0, 2)), ("roll", (CUBE, 5)),
    ("reshape", (CUBE, (4, 6))), ("expand_dims", (CUBE, 1)), ("squeeze", ([[1]],)),
    ("tile", (SQUARE, (2, 3))), ("repeat", (SQUARE, 2, 1)),
    ("pad", (SQUARE, ((1, 0), (0, 2)), "constant")),
    ("split", (CUBE, 3, 1)), ("vander", (np.array([2, 3]), 3)),
    ("take", (CUBE, np.array([1, 0]), 1)), ("polyval", (np.array([1, 2, 3]), 2)),
    ("take_along_axis", (SQUARE, np.array([[1], [0]]), 1)),
    ("where", (SQUARE > 1, SQUARE, 0.0)), ("cross", (CUBE[0, :, :3], CUBE[1, :, 1:])),
    ("clip", (CUBE, -2, 3)), ("linspace", (1.0, 3.0, 5)), ("logspace", (0.0, 2.0, 3)),
    ("geomspace", (1.0, 8.0, 4)), ("arange", (1, 9, 2)), ("eye", (3, 4, 1)),
    ("identity", (3,)), ("tri", (3, 4, -1)), ("full", ((2, 3), 7)),
    ("diag", (SQUARE,)), ("diag", (np.array([1, 2]), -1)), ("diagflat", (SQUARE,)),
    ("meshgrid", (np.array([1, 2]), np.array([3, 4, 5]))),
    ("einsum", ("ij,kj->ik", SQUARE, SQUARE)), ("broadcast_to", (SQUARE[0], (3, 2))),
    ("ix_", (np.array([0, 1]), np.array([2, 3]))),
    ("select", ([SQUARE > 1, SQUARE < 0], [SQUARE, -SQUARE], 5.0)),
    ("compress", (np.array([True, False]), SQUARE, 1)),
]


@pytest.mark.parametrize(
    "name, args", CALLS, ids=[f"{i}-{name}" for i, (name, _) in enumerate(CALLS)]
)
def test_functions_give_what_numpy_gives(name, args):
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*args)
    found = getattr(tnp, name)(*args)
    several = isinstance(expected, (list, tuple)) and name != "shape"
    pairs = zip(found, expected, strict=True) if several else [(found, expected)]
    for ours, numpys in pairs:
        numpys = np.asarray(numpys)
        if hasattr(ours, "numpy"):
            assert ours.dtype.as_numpy_dtype == numpys.dtype
        np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-12, atol=1e-14)


def test_the_module_can_be_imported():
    import graphkiln.experimental.numpy as imported
    from graphkiln.experimental.numpy import random

    assert imported is tnp
    assert random is tnp.random
    assert tnp.ndarray is tf.Tensor
    assert tnp.float64 is np.float64
    assert tnp.newaxis is None


def _run(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr


def test_tensors_behave_as_arrays():
    _run("""
        import numpy as np
        import graphkiln as tf
        tnp = tf.experimental.numpy
        x = tf.constant([[1, 2, 3], [4, 5, 6]])
        assert not hasattr(x, "flatten") and not hasattr(x, "T")
        tnp.experimental_enable_numpy_behavior()
        assert x.T.shape == [3, 2] and x.size == 6
        assert x.reshape(3, -1).shape == [3, 2]
        assert (x + 2.5).dtype == tf.float64
        assert (x.astype(np.int8) + tf.constant(1, tf.uint8)).dtype == tf.int16
        assert (2.5 - x).numpy().tolist()[0] == [1.5, 0.5, -0.5]
        assert (x == 2.5).numpy().sum() == 0
        assert (x @ [1, 2, 3]).numpy().tolist() == [14, 32]
        assert x[[1, 0], [0, 2]].numpy().tolist() == [4, 3]
        assert x[:, [True, False, True]].numpy().tolist() == [[1, 3], [4, 6]]
        assert x[..., tf.constant([-1])].numpy().tolist() == [[3], [6]]
        assert (+x) is x and x.max().numpy() == 6
        f = tf.function(lambda x: (x + 0.5)[[0]].T)
        assert f(x).numpy().tolist() == [[1.5], [2.5], [3.5]]
        for wrong in ([0.5], "a", tf.constant([0, 1], tf.uint64)):
            try:
                x[wrong]
            except IndexError:
                pass
            else:
                raise AssertionError(wrong)
    """)


def test_types_of_numbers_yield():
    _run("""
        import graphkiln as tf
        tnp = tf.experimental.numpy
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
        w = tf.constant(1.5)
        assert repr(w) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.5, weak=True>"
        assert tf.is_tensor(w) and not isinstance(w, tf.Tensor)
        half = tf.constant(2.0, tf.float16)
        assert (w + half).dtype == tf.float16 == (half * 3).dtype
        assert "weak" in repr(w + 1) and "weak" not in repr(w + half)
        assert "weak" in repr(tf.abs([1.0, -2.0])) and "weak" in repr(tnp.array(1))
        assert "weak" not in repr(tf.abs(half)) and "weak" not in repr(tf.maximum(1, 2))
        f = tf.function(lambda x: x + 1)
        assert "weak" in repr(f(w)) and f(half).dtype == tf.float16
        v = tf.Variable(10)
        v.assign_add(tf.constant(5, tf.int16))
        assert v.numpy() == 15
        try:
            v.assign(2.5)
        except TypeError as error:
            assert "Variable dtype is immutable" in str(error)
        else:
            raise AssertionError()
        with tf.GradientTape() as tape:
            x = tf.constant([1.0, 2.0], tf.float32)
            tape.watch(x)
            y = tf.reduce_sum(x * x * 2)
        assert tape.gradient(y, x).numpy().tolist() == [4.0, 8.0]
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")
        try:
            tf.constant(1, tf.int32) + tf.constant(1, tf.float32)
        except TypeError as error:
            assert "PromoMode.SAFE" in str(error)
        else:
            raise AssertionError()
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
        assert "weak" not in repr(tf.constant(1.5))
        try:
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="x")
        except ValueError as error:
            assert "does not exist" in str(error)
        else:
            raise AssertionError()
    """)


def test_rounding_needs_no_behavior():
    assert round(tf.constant(1.25)).numpy() == 1.0
    assert abs(round(tf.constant(1.25, tf.float64), 1).numpy() - 1.2) < 1e-12


def test_weak_values_meet_others():
    _run("""
        import graphkiln as tf
        tnp = tf.experimental.numpy
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
        weak = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(weak)
            y = weak * weak
        gradient = tape.gradient(y, weak)
        assert gradient.numpy().tolist() == [2.0, 4.0] and "weak" in repr(gradient)
        rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
        assert tf.add(rows, 1).to_list() == [[2.0], [3.0, 4.0]]
        assert (rows + 1).to_list() == [[2.0], [3.0, 4.0]]
        assert tf.map_fn(lambda x: x * 2, weak).numpy().tolist() == [2.0, 4.0]
        grown = tf.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0),
            (tf.constant(0), tf.constant(1.0, tf.float16)),
        )
        assert grown[1].numpy() == 8.0 and grown[1].dtype == tf.float16
    """)
