"""What larger suites of tests found apart: values, gradients, dtypes."""

import numpy as np
import pytest


def gradient(tf, f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@pytest.mark.parametrize(
    "equation, shape",
    [
        ("a...a->", (2, 2)),
        ("...aa->...", (3, 2, 2)),
        ("aab->", (2, 2, 3)),
        ("aa...->a...", (2, 2, 3)),
        ("a...->a", (3,)),
    ],
)
def test_gradients_of_sums_over_diagonals(both, equation, shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    both.agree(lambda tf: gradient(tf, lambda x: tf.einsum(equation, x), x))


def test_gradients_of_products_without_dimensions_in_their_ellipses(both):
    a, b = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])
    both.agree(lambda tf: gradient(tf, lambda x: tf.einsum("i...j,jk...->ik", x, b), a))


@pytest.mark.parametrize("x", [[1 + 1j, 0j, -2j], [1.0, 0.0, -2.0]])
def test_the_gradient_of_signs(both, x):
    both.agree(lambda tf: gradient(tf, tf.sign, x), rtol=1e-6)


@pytest.mark.parametrize("x", [[0.0, 0.0], [3.0, 4.0]])
def test_the_gradient_of_norms(both, x):
    both.agree(lambda tf: gradient(tf, tf.math.reduce_euclidean_norm, x), rtol=1e-6)


@pytest.mark.parametrize("shape", [[None, 1], [2, None], (None, None), [4, 1]])
def test_dropout_of_a_choice_left_open(both, shape):
    def program(tf):
        x = tf.ones([4, 3])
        made = [
            tf.nn.dropout(x, 0.5, noise_shape=shape, seed=1),
            tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2], noise_shape=shape),
        ]
        return made[1], [t.shape for t in made]

    if shape == [2, None]:
        both.agree_on_error(program)
    else:
        ours, theirs = program(both.ours), program(both.theirs)
        np.testing.assert_array_equal(ours[0], theirs[0])
        assert repr(ours[1]) == repr(theirs[1])


def test_dropout_of_a_choice_left_open_in_functions(both):
    def program(tf):
        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def f(x):
            return tf.nn.experimental.stateless_dropout(
                x, 0.5, [1, 2], noise_shape=[tf.shape(x)[0], 1]
            )

        return f(tf.ones([4, 3]))

    both.agree(program)


@pytest.mark.parametrize(
    "text",
    [
        "tf.range(np.float64(3))",
        "tf.range(np.float32(3))",
        "tf.range(np.int64(3))",
        "tf.range(0, np.float64(1), 0.25)",
        "tf.range(np.float16(3))",
    ],
)
def test_ranges_of_numpy_numbers(both, text):
    both.agree(lambda tf: eval(text, {"tf": tf, "np": np}))


def test_slices_of_graphs_by_numbers_and_tensors(both):
    def program(tf):
        with tf.Graph().as_default():
            n = tf.compat.v1.placeholder(tf.int32, [])
            y = tf.ones([2, 4, 2])
            parts = [y[:, :n, :], y[n], y[..., n:, 0], y[0, 1:n]]
            with tf.compat.v1.Session() as session:
                return [np.array(p.shape) for p in session.run(parts, {n: 1})]

    ours, theirs = program(both.ours), program(both.theirs)
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(our, their)


def test_gradients_compared_in_a_session(both):
    def program(tf):
        with tf.Graph().as_default(), tf.compat.v1.Session():
            return tf.test.compute_gradient(lambda x: x * x, [[3.0, 2.0]])

    ours, theirs = program(both.ours), program(both.theirs)
    np.testing.assert_allclose(ours[0][0], theirs[0][0])
    np.testing.assert_allclose(ours[1][0], theirs[1][0], rtol=1e-3)


def test_n_grams_as_wide_as_integers_go(both):
    call = lambda tf: tf.raw_ops.StringNGrams(
        data=["a", "b"],
        data_splits=np.int64([0, 2]),
        separator="",
        ngram_widths=[2**31 - 1],
        left_pad="",
        right_pad="",
        pad_width=0,
        preserve_short_sequences=False,
    )
    both.agree(lambda tf: [t for t in call(tf)])


@pytest.mark.parametrize("mode", range(-1, 10))
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "int32", "bool"]
)
def test_summaries_of_numbers(both, dtype, mode):
    values = [[1, -2, 0], [3, 0, 5]]
    if dtype.startswith("f") or dtype == "bfloat16":
        values = [[1.0, -2.0, 0.0, np.inf], [-np.inf, np.nan, np.nan, 3.0]]

    def summary(tf):
        x = tf.cast(tf.constant(values), dtype)
        return [
            tf.raw_ops.DebugNumericSummaryV2(
                input=tensor, tensor_debug_mode=mode, tensor_id=7, output_dtype=told
            )
            for tensor in (x, x[:0], x[0, 0], tf.zeros([1, 2, 3, 1, 1, 1, 2, 1]))
            for told in (tf.float32, tf.float64)
        ]

    if mode in (2, 3, 4, 5, 8):
        both.agree(summary)
    else:
        both.agree_on_error(summary)


def in_a_loop(tf, x):
    y = x * x

    def body(i, total):
        return i + 1, total + tf.gradients(y, x)[0]

    return tf.while_loop(lambda i, _: i < 3, body, [0, 0.0 * x])[1]


def in_a_loop_through_its_state(tf, x):
    y = x * x

    def body(i, total):
        return i + 1, total + tf.gradients(y * total, x)[0]

    return tf.while_loop(lambda i, _: i < 3, body, [0, 1.0 + 0.0 * x])[1]


def in_a_branch(tf, x):
    y = tf.sin(x) * x
    return tf.cond(x[0] > 0, lambda: tf.gradients(y, x)[0], lambda: x)


def row_by_row(tf, x):
    y = x * x * tf.reverse(x, [0])
    return tf.map_fn(
        lambda i: tf.gradients(y, x, tf.one_hot(i, 3))[0],
        tf.range(3),
        fn_output_signature=tf.float32,
    )


def two_graphs_further_in(tf, x):
    y = x * x

    def inner(j, total):
        z = y * total[0]
        both = tf.gradients([z, y], [x, y])
        return j + 1, total + both[0] + both[1]

    def outer(i, total):
        return i + 1, tf.while_loop(lambda j, _: j < 2, inner, [0, total])[1]

    return tf.while_loop(lambda i, _: i < 2, outer, [0, tf.ones_like(x)])[1]


def of_a_loop_outside(tf, x):
    y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * x), [0, x])[1]
    return tf.cond(x[0] > 0, lambda: tf.gradients(y, x)[0], lambda: x)


def with_a_stop(tf, x):
    y = x * x
    return tf.cond(
        x[0] > 0, lambda: tf.gradients(y * x, x, stop_gradients=[y])[0], lambda: x
    )


@pytest.mark.parametrize(
    "program",
    [
        in_a_loop,
        in_a_loop_through_its_state,
        in_a_branch,
        row_by_row,
        two_graphs_further_in,
        of_a_loop_outside,
        with_a_stop,
    ],
)
def test_gradients_of_what_is_outside_of_the_graph(both, program):
    x = np.float32([1.0, 2.0, 3.0])
    both.agree(
        lambda tf: tf.function(lambda x: program(tf, x))(tf.constant(x)), rtol=1e-5
    )


def test_gradients_by_variables_of_what_is_outside_of_the_graph(both):
    def run(tf):
        v = tf.Variable([1.0, 2.0])

        @tf.function
        def f():
            y = v * v

            def body(i, total):
                return i + 1, total + tf.gradients(y * v, v)[0]

            return tf.while_loop(lambda i, _: i < 3, body, [0, tf.zeros([2])])[1]

        return f()

    both.agree(run)


LENGTHS = ([1], [3]), ([3], [1]), ([3], [3]), ([1], [1]), ([3], [2]), ([2], [3])


@pytest.mark.parametrize("known", ["neither", "first", "second"])
@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_rows_of_values_whose_lengths_runs_tell(both, lengths, known):
    """What has one row has it for all; other lengths are refused."""
    first, second = (np.arange(1.0, n + 1, dtype=np.float32) for (n,) in lengths)

    def program(tf):
        specs = {
            "a": tf.TensorSpec([None if known != "first" else len(first)]),
            "b": tf.TensorSpec([None if known != "second" else len(second)]),
        }
        if known == "neither":
            specs["a"] = tf.TensorSpec(None)

        @tf.function(input_signature=list(specs.values()))
        def f(a, b):
            return tf.vectorized_map(lambda x: x[0] + 10 * x[1], (a, b))

        try:
            return f(first, second).numpy().tolist()
        except (tf.errors.InvalidArgumentError, ValueError):
            return "refused"

    assert program(both.ours) == program(both.theirs)


def test_batches_along_the_first_dimension_are_none(both):
    params, indices = [[1, 2], [3, 4]], [[0], [1]]
    both.agree(lambda tf: tf.gather(params, indices, axis=0, batch_dims=1))
    both.agree(lambda tf: tf.gather(params, indices, axis=tf.constant(0), batch_dims=1))
    both.agree(lambda tf: tf.gather(params, indices, axis=1, batch_dims=1))


@pytest.mark.parametrize(
    "text",
    [
        "tf.split([1, 2, 3, 4], tf.constant(2))",
        "tf.math.confusion_matrix([0, 1, 2], [0, 1, 3], num_classes=3)",
        "tf.math.confusion_matrix([0, 4, 2], [0, 1, 2], num_classes=3)",
        "tf.math.confusion_matrix([0, 1], [0, 1], num_classes=2, weights=[1, 2, 3])",
    ],
)
def test_errors_of_numbers_that_do_not_fit(both, text):
    told = []
    for tf in (both.ours, both.theirs):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as error:
            eval(text, {"tf": tf})
        told.append((error.type.__name__, str(error.value).split("\n")[0][:44]))
    assert told[0] == told[1]
