"""tf.debugging: what its checks accept and with which words they refuse, when
eager, while tracing and when a traced function runs."""

from __future__ import annotations

import re

import numpy as np
from outcomes import failure


def _checks(tf):
    d = tf.debugging
    return {
        "equal": lambda x, y, **k: d.assert_equal(x, y, **k),
        "none_equal": lambda x, y, **k: d.assert_none_equal(x, y, **k),
        "less": lambda x, y, **k: d.assert_less(x, y, **k),
        "less_equal": lambda x, y, **k: d.assert_less_equal(x, y, **k),
        "greater": lambda x, y, **k: d.assert_greater(x, y, **k),
        "greater_equal": lambda x, y, **k: d.assert_greater_equal(x, y, **k),
        "near": lambda x, y, **k: d.assert_near(x, y, **k),
    }


def program_comparisons_eager_scalars(tf):
    return {
        name: [failure(check, a, b) for a, b in ((1, 1), (1, 2), (2, 1))]
        for name, check in _checks(tf).items()
        if name != "near"
    }


def program_comparisons_eager_arrays(tf):
    return {
        name: [
            failure(check, tf.constant([1.0, 2.0, 3.0]), b)
            for b in ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0], 2.0)
        ]
        for name, check in _checks(tf).items()
    }


def program_comparisons_messages(tf):
    return {
        name: failure(
            check, tf.constant([[1.0, 2.0], [3.0, 4.0]]),
            [[9.0, 2.0], [0.0, 4.0]], message="the message", summarize=2,
        )
        for name, check in _checks(tf).items()
    }


def program_comparisons_long(tf):
    x = tf.range(20)
    return failure(tf.debugging.assert_equal, x, x + tf.cast(x > 3, tf.int32))


def program_comparisons_summarize(tf):
    x = tf.range(20)
    y = x + tf.cast(x > 3, tf.int32)
    return [
        failure(tf.debugging.assert_equal, x, y, summarize=n)
        for n in (1, 5, 100)
    ]


def program_comparisons_broadcast_and_shape_errors(tf):
    return [
        failure(tf.debugging.assert_equal, [[1], [2]], [1, 2]),
        failure(tf.debugging.assert_equal, [1, 2, 3], [1, 2])[:1],
        failure(tf.debugging.assert_less, [], 1.0),
        failure(tf.debugging.assert_equal, [], []),
    ]


def program_comparisons_strings_and_bools(tf):
    return [
        failure(tf.debugging.assert_equal, ["a", "b"], ["a", "c"]),
        failure(tf.debugging.assert_equal, [True, False], [True, True]),
        failure(tf.debugging.assert_none_equal, ["a"], ["a"]),
    ]


def program_comparisons_dtype_mismatch(tf):
    return failure(
        tf.debugging.assert_equal, tf.constant(1), tf.constant(1.0)
    )[:1]


def program_signs_eager(tf):
    d = tf.debugging
    checks = (
        d.assert_positive, d.assert_negative, d.assert_non_negative,
        d.assert_non_positive,
    )
    return [
        [failure(check, tf.constant(x)) for x in ([1, 2], [0], [-1, 3], -2.0)]
        for check in checks
    ]


def program_signs_messages(tf):
    d = tf.debugging
    checks = (
        d.assert_positive, d.assert_negative, d.assert_non_negative,
        d.assert_non_positive,
    )
    return [
        failure(
            check, tf.constant([[1.0, -1.0]]), message="m", summarize=1,
            name="n",
        )
        for check in checks
    ]


def program_near_tolerances(tf):
    near = tf.debugging.assert_near
    return [
        failure(near, 1.0, 1.0 + 5e-7),
        failure(near, 1.0, 1.01, rtol=0.1),
        failure(near, 1.0, 1.01, atol=0.1),
        failure(near, tf.constant(1.0, tf.float64), 1.0 + 1e-10),
        failure(near, tf.constant(1.0, tf.float16), 1.005),
        failure(near, tf.constant([1.0, 2.0]), [1.0, 2.1], message="bad"),
        failure(near, tf.constant([1, 2]), [1, 3])[:1],
    ]


def _traced(tf, check, x, y, **kwargs):
    x = tf.convert_to_tensor(x)
    y = tf.convert_to_tensor(y)

    @tf.function(autograph=False)
    def f(x, y):
        check(x, y, **kwargs)
        return x

    return failure(f, x, y)


def program_comparisons_traced(tf):
    return {
        name: [
            _traced(tf, check, [1.0, 2.0, 3.0], y)
            for y in ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
        ]
        for name, check in _checks(tf).items()
    }


def program_comparisons_traced_with_message(tf):
    return {
        name: _traced(
            tf, check, [1.0, 2.0], [2.0, 1.0], message="hello", summarize=1
        )
        for name, check in _checks(tf).items()
    }


def program_signs_traced(tf):
    d = tf.debugging
    results = []
    for check in (
        d.assert_positive, d.assert_negative, d.assert_non_negative,
        d.assert_non_positive,
    ):
        for value in ([1, 2], [0], [-1, 3]):
            @tf.function(autograph=False)
            def f(x):
                check(x, message="m")
                return x

            results.append(failure(f, tf.constant(value)))
    return results


def program_comparison_of_constants_fails_while_tracing(tf):
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 3]))
        return x

    return failure(f, tf.constant(1)), f.experimental_get_tracing_count()


def program_greater_of_constants_fails_while_tracing(tf):
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_greater(
            tf.constant([1, 2]), tf.constant([1, 3]), message="m"
        )
        return x

    return failure(f, tf.constant(1)), f.experimental_get_tracing_count()


def program_near_of_constants_fails_while_tracing(tf):
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_near(tf.constant([1.0]), tf.constant([2.0]))
        return x

    return failure(f, tf.constant(1)), f.experimental_get_tracing_count()


def program_static_success_makes_no_op(tf):
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 2]))
        tf.debugging.assert_positive(tf.constant([1, 2]))
        return x

    ops = f.get_concrete_function(tf.constant(1)).graph.get_operations()
    return [op.type for op in ops if op.type == "Assert"]


def program_results_of_assertions(tf):
    kinds = []

    @tf.function(autograph=False)
    def f(x):
        for result in (
            tf.debugging.assert_equal(x, 1),
            tf.debugging.assert_positive(x),
            tf.debugging.assert_rank(x, 0),
            tf.debugging.assert_integer(x),
            tf.debugging.assert_type(x, tf.int32),
            tf.debugging.assert_shapes([(x, ())]),
            tf.debugging.Assert(x > 0, [x]),
        ):
            kinds.append(type(result).__name__)
        return x

    f(tf.constant(1))
    eager = [
        tf.debugging.assert_equal(1, 1), tf.debugging.assert_rank(1, 0),
        tf.debugging.assert_shapes([(tf.constant(1), ())]),
        tf.debugging.Assert(True, [1]),
    ]
    return kinds, eager


def program_assert_eager(tf):
    return [
        failure(tf.debugging.Assert, True, [1]),
        failure(tf.debugging.Assert, False, [tf.constant([1, 2])]),
        failure(tf.debugging.Assert, tf.constant(False), ["text", 1.5]),
        failure(tf.debugging.Assert, False, [tf.range(10)], summarize=2),
        failure(tf.debugging.Assert, False, [tf.constant([["a", "b"]])]),
        failure(tf.debugging.Assert, False, []),
        failure(tf.debugging.Assert, [True, False], [1])[:1],
    ]


def program_assert_traced(tf):
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.Assert(
            tf.reduce_all(x > 0), ["x is", x, "of", tf.shape(x)], summarize=4
        )
        return x

    return [
        failure(f, tf.constant([1, 2])),
        failure(f, tf.constant([1, 2, 3, 4, 5, -1])),
        failure(f, tf.constant([[-1.5]])),
    ]


def program_assert_data_formats(tf):
    data = [
        tf.constant(True), tf.constant([1.5, 2.0]), tf.constant("a b"),
        tf.constant(["x", "y"]), tf.constant(1 + 2j, tf.complex64),
        tf.constant(3, tf.uint8), tf.constant(2.0, tf.float16),
        tf.zeros([0]), tf.constant([[1, 2], [3, 4]]),
        tf.constant(1e10), tf.constant(1e-10, tf.float64),
    ]

    @tf.function(autograph=False)
    def f(c):
        tf.debugging.Assert(c, data)
        return c

    return failure(f, tf.constant(False))


def program_assert_summarize_traced(tf):
    results = []
    for n in (None, 0, 1, -1, 100):
        @tf.function(autograph=False)
        def f(x):
            tf.debugging.Assert(x[0] > 0, [x], summarize=n)
            return x

        results.append(failure(f, tf.range(6)))
    return results


def _sample(tf):
    return tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def program_ranks_eager(tf):
    d = tf.debugging
    x = _sample(tf)
    return [
        failure(d.assert_rank, x, 2),
        failure(d.assert_rank, x, 1),
        failure(d.assert_rank, x, tf.constant(1)),
        failure(d.assert_rank, x, 3, message="m"),
        failure(d.assert_rank, x, [1]),
        failure(d.assert_rank, x, 1.0)[:1],
        failure(d.assert_rank_at_least, x, 2),
        failure(d.assert_rank_at_least, x, 3),
        failure(d.assert_rank_at_least, x, 3, message="m"),
        failure(d.assert_rank_in, x, [1, 2]),
        failure(d.assert_rank_in, x, [0, 1]),
        failure(d.assert_rank_in, x, (3, 1), message="m"),
        failure(d.assert_scalar, 1)[:1],
        failure(d.assert_scalar, x),
        failure(d.assert_scalar, x, message="m"),
    ]


def program_ranks_while_tracing(tf):
    results = []
    d = tf.debugging
    for check in (
        lambda x: d.assert_rank(x, 1),
        lambda x: d.assert_rank(x, 1, message="m", name="n"),
        lambda x: d.assert_rank_at_least(x, 3),
        lambda x: d.assert_rank_in(x, [0, 1]),
        lambda x: d.assert_scalar(x),
        lambda x: d.assert_rank(x, 2),
    ):
        @tf.function(autograph=False)
        def f(x):
            check(x)
            return x

        results.append(failure(f, _sample(tf)))
    return results


def program_ranks_unknown(tf):
    results = []
    d = tf.debugging
    for check in (
        lambda x: d.assert_rank(x, 1),
        lambda x: d.assert_rank(x, 1, message="m"),
        lambda x: d.assert_rank_at_least(x, 3),
        lambda x: d.assert_rank_in(x, [0, 1]),
        lambda x: d.assert_rank_in(x, [0, 2]),
        lambda x: d.assert_rank(x, 2),
    ):
        @tf.function(autograph=False, input_signature=[
            tf.TensorSpec(None, tf.float32)
        ])
        def f(x):
            check(x)
            return x

        results.append(failure(f, _sample(tf)))
    return results


def program_types(tf):
    d = tf.debugging
    x = tf.constant([1.0])
    return [
        failure(d.assert_type, x, tf.float32),
        failure(d.assert_type, x, tf.int32),
        failure(d.assert_type, x, tf.int32, message="m"),
        failure(d.assert_type, 1, "int32"),
        failure(d.assert_integer, 1),
        failure(d.assert_integer, x),
        failure(d.assert_integer, x, message="m"),
        failure(d.is_numeric_tensor, x),
        failure(d.is_numeric_tensor, 1),
        failure(d.is_numeric_tensor, tf.constant("a")),
        failure(d.is_numeric_tensor, tf.constant(True)),
        failure(d.is_numeric_tensor, tf.constant(1j)),
        failure(d.is_numeric_tensor, tf.Variable(1)),
    ]


def program_types_while_tracing(tf):
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_type(x, tf.int32)
        return x

    @tf.function(autograph=False)
    def g(x):
        tf.debugging.assert_integer(x)
        return x

    return failure(f, tf.constant(1.0)), failure(g, tf.constant(1.0))


def program_proper_iterable(tf):
    check = tf.debugging.assert_proper_iterable
    return [
        failure(check, [1]), failure(check, (1,)), failure(check, {1}),
        failure(check, {"a": 1}), failure(check, "ab"),
        failure(check, b"ab"), failure(check, tf.constant([1]))[:1],
        failure(check, np.array([1])), failure(check, 3),
        failure(check, tf.Variable([1]))[:1],
        failure(check, iter([1])),
    ]


def program_same_float_dtype(tf):
    check = tf.debugging.assert_same_float_dtype
    a, b = tf.constant(1.0), tf.constant(1.0, tf.float64)
    i = tf.constant(1)
    return [
        failure(check), failure(check, [a]), failure(check, [a, b]),
        failure(check, [b], tf.float64), failure(check, [a], tf.float64),
        failure(check, [i]), failure(check, [], tf.int32),
        failure(check, [None, b]), failure(check, (a, a), tf.float32),
    ]


def program_all_finite(tf):
    check = tf.debugging.assert_all_finite
    return [
        failure(check, tf.constant([1.0]), "m"),
        failure(check, tf.constant([1.0, float("nan")]), "m")[0],
        failure(check, tf.constant([float("inf")]), "m")[0],
        failure(check, tf.constant([1]), "m")[0],
    ]


def program_check_numerics(tf):
    check = tf.debugging.check_numerics
    return [
        failure(check, tf.constant([1.0]), "m"),
        failure(check, tf.constant([1.0, float("nan")]), "my text"),
        failure(check, tf.constant([float("inf")]), "my text"),
        failure(check, tf.constant([float("-inf"), 1.0]), "my text"),
        failure(check, tf.constant([float("inf"), float("nan")]), "my text"),
    ]


def program_check_numerics_traced(tf):
    @tf.function(autograph=False)
    def f(x):
        return tf.debugging.check_numerics(x, "my text")

    return [
        failure(f, tf.constant([1.0])),
        failure(f, tf.constant([float("nan")]))[0],
        "my text : Tensor had NaN values" in failure(
            f, tf.constant([float("nan")])
        )[1],
    ]


def program_aliases(tf):
    pairs = (
        ("assert_equal", "assert_equal"), ("assert_less", "assert_less"),
        ("assert_greater", "assert_greater"), ("assert_rank", "assert_rank"),
    )
    return [getattr(tf, a) is getattr(tf.debugging, b) for a, b in pairs] + [
        tf.Assert is tf.debugging.Assert
    ]


def program_traceback_filtering(tf):
    d = tf.debugging
    states = [d.is_traceback_filtering_enabled()]
    d.disable_traceback_filtering()
    states.append(d.is_traceback_filtering_enabled())
    d.enable_traceback_filtering()
    states.append(d.is_traceback_filtering_enabled())
    return states


def program_assertions_order_after_assignment(tf):
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def inner():
        v.assign_add(1)

    @tf.function(autograph=False)
    def f():
        inner()
        tf.debugging.assert_equal(v.read_value(), 1)
        inner()
        tf.debugging.assert_equal(v.read_value(), 2)
        return v.read_value()

    return f()


def program_failed_assertion_stops_what_follows_in_data(tf):
    @tf.function(autograph=False)
    def f(x):
        with tf.control_dependencies([tf.debugging.assert_positive(x)]):
            return tf.identity(x)

    return f(tf.constant(1)), failure(f, tf.constant(-1))[0]


def program_assertions_about_captured_tensors(tf):
    a, b = tf.constant([1, 2]), tf.constant([1, 3])
    real = tf.constant([1.0, 2.0])
    checks = tf.debugging
    calls = (
        ("assert_equal", (a, b)), ("assert_none_equal", (a, b)),
        ("assert_less", (a, b)), ("assert_less_equal", (b, a)),
        ("assert_greater", (a, b)), ("assert_greater_equal", (a, b)),
        ("assert_near", (real, real)), ("assert_negative", (a,)),
        ("assert_positive", (a - 1,)), ("assert_non_negative", (a - 2,)),
        ("assert_non_positive", (a,)), ("assert_rank", (a, 2)),
        ("assert_rank", (a, 1)), ("assert_rank_at_least", (a, 2)),
        ("assert_rank_in", (a, (2, 3))), ("assert_scalar", (a,)),
        ("assert_type", (a, tf.float32)), ("assert_integer", (real,)),
        ("assert_shapes", ([(a, ("N",)), (tf.ones([2, 3]), ("N", "Q"))],)),
        ("assert_shapes", ([(a, (3,))],)), ("assert_all_finite", (real, "m")),
    )
    results = []
    for name, args in calls:
        def check(name=name, args=args):
            getattr(checks, name)(*args)
            return tf.constant(1)

        kind, text = failure(tf.function(check, autograph=False))
        if kind != "ok":
            # Names of constants are numbers of the module's own.
            text = re.sub(r"assert_shapes/\w+", "assert_shapes/N", text)
            text = re.sub(r"(assert_\w+?)_\d+/", r"\1/", text)
        results.append([name, kind, text])
    return results
