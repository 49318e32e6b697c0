"""Which of the callables that the library is given AutoGraph converts."""

from __future__ import annotations

import functools

from outcomes import failure


def _doubled(x):
    if x > 1:
        return x * 2
    return x


def _added(state, x):
    if x > 1:
        state = state + x
    return state


def _is_small(x):
    if x > 2:
        return False
    return True


class _Doubling:
    def __call__(self, x):
        if x > 1:
            return x * 2
        return x

    def method(self, x):
        if x > 1:
            return x * 2
        return x


class _Held:
    """A function without arguments."""

    def __init__(self, x):
        self.x = x

    def __call__(self):
        if self.x > 1:
            return self.x * 3
        return self.x


def _everywhere(tf, f):
    """What comes of calling f eagerly, traced, traced without AutoGraph, under
    do_not_convert, and as far as a plain graph is built."""

    def in_graph():
        with tf.Graph().as_default():
            return f(tf.constant([1, 2, 3])).dtype

    @tf.function
    def left_alone(v):
        return tf.autograph.experimental.do_not_convert(f)(v)

    v = tf.constant([1, 2, 3])
    found = [
        failure(f, v), failure(tf.function(f), v),
        failure(tf.function(f, autograph=False), v), failure(left_alone, v),
        failure(in_graph),
    ]
    return [x if x[0] == "ok" else x[0] for x in found]


def program_map_fn(tf):
    def function(v):
        return tf.map_fn(_doubled, v)

    def callable_object(v):
        return tf.map_fn(_Doubling(), v)

    def method(v):
        return tf.map_fn(_Doubling().method, v)

    def partial(v):
        return tf.map_fn(functools.partial(_doubled), v)

    def of_structures(v):
        def g(pair):
            if pair[0] > 1:
                return pair[0], pair[1] * 2
            return pair

        return tf.map_fn(g, (v, v))[1]

    def nested(v):
        def outer(x):
            return tf.reduce_sum(tf.map_fn(_doubled, tf.stack([x, x])))

        return tf.map_fn(outer, v)

    def left_alone(v):
        alone = tf.autograph.experimental.do_not_convert(_doubled)
        return tf.map_fn(alone, v)

    def functions(v):
        return tf.map_fn(tf.function(_doubled), v)

    def unconverted_functions(v):
        return tf.map_fn(tf.function(_doubled, autograph=False), v)

    return [
        _everywhere(tf, f)
        for f in (
            function, callable_object, method, partial, of_structures, nested,
            left_alone, functions, unconverted_functions,
        )
    ]


def program_map_fn_loops(tf):
    def g(x):
        total = 0
        while total < x:
            total += 2
        for i in tf.range(x):
            total += i
        return total

    return _everywhere(tf, lambda v: tf.map_fn(g, v))


def program_map_fn_calls(tf):
    def g(x):
        return _doubled(x) + 1

    return _everywhere(tf, lambda v: tf.map_fn(g, v))


def program_map_fn_of_a_signature(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(v):
        return tf.map_fn(_doubled, v)

    return f(tf.constant([0.5, 3.0]))


def program_map_fn_gradient(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.map_fn(_doubled, x)
        return tape.jacobian(y, x)

    return f(tf.constant([1.0, 2.0, 3.0]))


def program_map_fn_errors(tf):
    def g(x):
        raise KeyError("no such key")

    def f(v):
        return tf.map_fn(g, v)

    v = tf.constant([1, 2])
    return failure(f, v)


def program_folds(tf):
    return [
        _everywhere(tf, f)
        for f in (
            lambda v: tf.foldl(_added, v), lambda v: tf.foldr(_added, v),
            lambda v: tf.scan(_added, v),
            lambda v: tf.vectorized_map(_doubled, v),
        )
    ]


def program_control_flow(tf):
    return [
        _everywhere(tf, f)
        for f in (
            lambda v: tf.cond(v[0] > 0, _Held(v[1]), _Held(v[0])),
            lambda v: tf.case([(v[0] > 0, _Held(v[1]))], _Held(v[0])),
            lambda v: tf.switch_case(v[0], [_Held(v[1]), _Held(v[0])]),
        )
    ]


def program_loops(tf):
    def body(i):
        if i > 1:
            return [i + 2]
        return [i + 1]

    def condition(v):
        return tf.while_loop(_is_small, lambda i: [i + 1], [v[0]])[0]

    def steps(v):
        return tf.while_loop(lambda i: i < 5, body, [v[0]])[0]

    return [_everywhere(tf, f) for f in (condition, steps)]


def program_datasets(tf):
    def rows(v):
        return tf.data.Dataset.from_tensor_slices(v)

    def total(dataset):
        return dataset.reduce(0, lambda a, b: a + b)

    def scanned(state, x):
        if x > 1:
            state = state + x
        return state, state

    return [
        _everywhere(tf, f)
        for f in (
            lambda v: total(rows(v).map(_doubled)),
            lambda v: total(rows(v).filter(_is_small)),
            lambda v: total(rows(v).take_while(_is_small)),
            lambda v: total(rows(v).scan(0, scanned)),
            lambda v: rows(v).reduce(0, _added),
        )
    ]


def program_host_functions(tf):
    kinds = []

    def plain(x):
        kinds.append(tf.autograph.experimental is not None)
        if x > 1:
            return x * 2
        return x

    return [
        _everywhere(tf, f)
        for f in (
            lambda v: tf.py_function(plain, [v[1]], tf.int32),
            lambda v: tf.numpy_function(plain, [v[1]], tf.int32),
        )
    ], len(kinds)


def program_gradients(tf):
    @tf.custom_gradient
    def f(x):
        def gradient(upstream):
            if upstream > 0:
                return upstream
            return -upstream

        return x * 2.0, gradient

    @tf.custom_gradient
    def g(x):
        if x > 1:
            x = x * 2.0
        return x, lambda upstream: upstream

    def slope(v):
        x = tf.cast(v[1], tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return [
        _everywhere(tf, slope),
        _everywhere(tf, lambda v: g(tf.cast(v[1], tf.float32))),
        _everywhere(
            tf,
            lambda v: tf.recompute_grad(_doubled)(tf.cast(v[1], tf.float32)),
        ),
        _everywhere(tf, lambda v: tf.grad_pass_through(_doubled)(v[1])),
    ]
