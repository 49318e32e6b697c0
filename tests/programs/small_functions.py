"""Public functions that are few ops."""

from __future__ import annotations

from outcomes import failure

INF, NAN = float("inf"), float("nan")


def program_multiply_no_nan(tf):
    f = tf.math.multiply_no_nan

    def gradients(x, y):
        x, y = tf.constant(x), tf.constant(y)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f(x, y)
        return tape.gradient(z, [x, y])

    return (
        f([1.0, INF, NAN, 2.0], [0.0, 0.0, 0.0, 3.0]), f(2.0, [0.0, 3.0]),
        f([0.0, 1.0], [INF, NAN]), f(tf.constant([1 + 2j]), tf.constant([0j])),
        f(tf.constant([1.0], tf.float16), tf.constant([0.0], tf.float16)),
        gradients([1.0, INF, 2.0], [0.0, 0.0, 3.0]),
        gradients(2.0, [0.0, 0.0, 3.0]),
        tf.function(f)(tf.constant([[1.0], [INF]]), tf.constant([0.0, 2.0])),
        failure(f, [1], [2])[0],
    )


def program_logical_xor(tf):
    a = [True, True, False, False]
    return (
        tf.math.logical_xor(a, [True, False, True, False]),
        tf.math.logical_xor(tf.constant(True), a),
        tf.math.logical_xor(x=tf.constant(True), y=a, name="q"),
        tf.function(tf.math.logical_xor)(tf.constant(a), tf.constant(True)),
    )


def program_log_poisson_loss(tf):
    def rounded(*args, **kwargs):
        return (tf.nn.log_poisson_loss(*args, **kwargs).numpy() * 1e4).round()

    return (
        rounded([1.0, 2.0, 3.0], [0.1, 0.2, 0.3]),
        rounded([0.0, 1.0, 2.0, 9.0], [0.1, 0.2, 0.3, 0.4], True),
        rounded(targets=[1.0], log_input=[0.1], compute_full_loss=False),
        failure(tf.nn.log_poisson_loss, [1.0, 2.0], [0.1]),
    )


def program_reduce_join(tf):
    f = tf.strings.reduce_join
    x = [["a", "b"], ["c", "d"]]
    deep = [[["abc", "123"], ["def", "456"]], [["ghi", "789"], ["jkl", "000"]]]
    options = (
        {}, {"axis": 0}, {"axis": 1}, {"axis": -1}, {"axis": [0, 1]},
        {"axis": [1, 0]}, {"axis": 0, "keepdims": True},
        {"axis": 0, "separator": "-"}, {"separator": "+"}, {"axis": []},
        {"keepdims": True},
    )
    vague = tf.function(
        f, input_signature=[tf.TensorSpec(None, tf.string)]
    )
    return (
        [f(x, **kwargs) for kwargs in options], f(deep), f(deep, [0, 1]),
        f("abc"), f(tf.zeros([0, 2], tf.string), axis=0),
        vague(tf.constant(x)), failure(f, x, axis=2)[0],
        failure(f, [1, 2])[0],
    )


def program_indices_of_cases(tf):
    branches = [lambda: 10, lambda: 20]
    refused = [[1], [[1]], "a", 1, None, 1.0, tf.constant(1.0)]
    vector = tf.constant([1])
    return (
        [failure(tf.switch_case, i, branches) for i in refused],
        [
            failure(tf.function(
                lambda i=i: tf.switch_case(i, branches), autograph=False
            )) for i in refused
        ],
        failure(tf.switch_case, vector, branches)[0],
        failure(tf.function(
            lambda: tf.switch_case(vector, branches), autograph=False
        ))[0],
        tf.switch_case(tf.constant(1), branches),
    )


def program_shapes_of_labels(tf):
    def f(labels, logits):
        return tf.nn.softmax_cross_entropy_with_logits(labels, logits)

    one, two = [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]
    return (
        [
            (f(labels, logits).numpy() * 1e4).round()
            for labels, logits in (
                ([1.0, 0.0], one), ([[1.0, 0.0]], two), ([1.0, 0.0], two),
                ([1.0], one),
            )
        ],
        [
            failure(f, labels, logits)[0] for labels, logits in (
                (1.0, one), (1.0, 2.0), (1.0, two), ([1.0, 0.0, 0.0], one),
                ([[1.0, 0.0], [0.5, 0.5]], one),
            )
        ],
    )


def program_wide_seeds(tf):
    seeds = (
        [2**31 + 5, 0], [-1, 3], [2**32 + 1, 2], [2**63 - 1, -(2**63)],
    )

    def traced(seed):
        return tf.function(
            lambda: tf.random.stateless_uniform([2], seed=seed)
        )()

    return [
        (tf.random.stateless_uniform([2], seed=seed), traced(seed))
        for seed in seeds
    ], failure(tf.random.stateless_uniform, [2], seed=[2**64, 0])[0]
