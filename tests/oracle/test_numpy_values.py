"""NumPy numbers and arrays where an op has a dtype by default, and lists of NumPy
numbers where a dtype is demanded: dtypes, values and classes of errors."""

import numpy as np
import pytest

DTYPES = [
    "float16",
    "float32",
    "float64",
    "int8",
    "int32",
    "int64",
    "uint8",
    "bool",
    "complex64",
]


def number(dtype, value):
    return np.array(value).astype(dtype)[()]


def outcome(tf, call, in_function):
    try:
        result = tf.function(call)() if in_function else call()
    except Exception as error:
        return type(error).__name__
    return [(t.dtype.name, np.asarray(t).tolist()) for t in tf.nest.flatten(result)]


RAGGED_RANGE = {
    "number": lambda v: v,
    "no axes": np.array,
    "list": lambda v: [v],
    "array": lambda v: np.array([v]),
}


# TensorFlow cuts some of these to int32 eagerly, 0.5 to 0, and keeps them in
# functions: there the two are to agree, and eager calls with functions.
@pytest.mark.parametrize("in_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("form", RAGGED_RANGE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fractions_are_kept(both, dtype, form, in_function):
    def answer(tf, in_function):
        make = RAGGED_RANGE[form]
        return outcome(
            tf,
            lambda: tf.raw_ops.RaggedRange(
                starts=make(number(dtype, 0.5)),
                limits=make(number(dtype, 3.5)),
                deltas=make(number(dtype, 1)),
            ),
            in_function,
        )

    ours, theirs = both.ours, both.theirs
    wanted = answer(theirs, True)
    if form == "list" and dtype == "float64":
        wanted = answer(theirs, in_function)  # float32 in functions alone
    assert wanted[1][1] == [0.5, 1.5, 2.5]
    assert answer(ours, in_function) == wanted


@pytest.mark.parametrize("in_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("form", ["number", "no axes"])
def test_wide_integers_keep_their_dtype(both, form, in_function):
    def answer(tf):
        make = RAGGED_RANGE[form]
        return outcome(
            tf,
            lambda: tf.raw_ops.RaggedRange(
                starts=make(np.int64(0)),
                limits=make(np.int64(3)),
                deltas=make(np.int64(1)),
            ),
            in_function,
        )

    ours, theirs = both.ours, both.theirs
    assert answer(ours) == answer(theirs)


@pytest.mark.parametrize("in_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wanted", DTYPES)
def test_lists_of_numbers(both, dtype, wanted, in_function):
    def answer(tf):
        value = 2.5 if dtype[0] in "fc" else 2
        return outcome(
            tf,
            lambda: tf.convert_to_tensor(
                [number(dtype, value)], dtype=getattr(tf, wanted)
            ),
            in_function,
        )

    if dtype == wanted == "bool" and in_function:
        pytest.skip("TensorFlow refuses its own dtype there")
    ours, theirs = both.ours, both.theirs
    assert answer(ours) == answer(theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wished", DTYPES)
def test_lists_of_numbers_and_a_hint(both, dtype, wished):
    def answer(tf):
        value = 2.5 if dtype[0] in "fc" else 2
        return outcome(
            tf,
            lambda: tf.convert_to_tensor(
                [number(dtype, value)], dtype_hint=getattr(tf, wished)
            ),
            False,
        )

    ours, theirs = both.ours, both.theirs
    assert answer(ours) == answer(theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda tf, n: tf.raw_ops.Fill(dims=[n], value=1.0),
        lambda tf, n: tf.raw_ops.Reshape(tensor=[1.0, 2.0], shape=[n]),
        lambda tf, n: tf.raw_ops.BroadcastTo(input=1.0, shape=[n]),
        lambda tf, n: tf.raw_ops.Sum(input=[[1.0], [2.0]], axis=[n - n]),
        lambda tf, n: tf.raw_ops.OneHot(
            indices=[n], depth=3, on_value=1.0, off_value=0.0
        ),
        lambda tf, n: tf.reshape([1.0, 2.0], [n]),
        lambda tf, n: tf.fill([n], 1.0),
        lambda tf, n: tf.tile([1.0], [n]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_sizes_and_indices(both, call, dtype):
    def answer(tf):
        return outcome(tf, lambda: call(tf, number(dtype, 2)), False)

    ours, theirs = both.ours, both.theirs
    assert answer(ours) == answer(theirs)
