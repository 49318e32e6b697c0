"""tf.data: datasets, generators, and what they refuse."""

from __future__ import annotations

import collections

import numpy as np
from outcomes import failure, phrase


def _all(dataset) -> list:
    return list(dataset)


def _kind(f, *args) -> str:
    """"ok", or the class of the error."""
    return failure(f, *args)[0]


# --- Kinds of datasets: elements, specs and cardinalities.


def _told(dataset) -> list:
    return [
        str(dataset), int(dataset.cardinality()), failure(len, dataset),
        _all(dataset.take(20)),
    ]


def program_sources(tf):
    D = tf.data.Dataset
    pair = collections.namedtuple("pair", "a b")
    return [
        _told(d)
        for d in (
            D.range(3), D.range(2, 5), D.range(5, 0, -2), D.range(3, 3),
            D.range(1, 3, output_type=tf.float32),
            D.from_tensors([1, 2]), D.from_tensors(("a", {"b": 1.5})),
            D.from_tensor_slices([[1, 2], [3, 4]]),
            D.from_tensor_slices(([1, 2], {"x": ["a", "b"]})),
            D.from_tensor_slices(pair([1], [2.0])),
            D.from_tensor_slices(np.zeros((0, 3), np.float32)),
            D.from_tensors(np.arange(4, dtype=np.uint8)),
        )
    ]


def program_transformations(tf):
    D = tf.data.Dataset
    r = D.range(5)
    return [
        _told(d)
        for d in (
            r.map(lambda x: x * 2), r.map(lambda x: (x, -x)),
            r.map(lambda x: {"a": x, "b": (x, [x, x])}),
            r.map(lambda x: x + 1, num_parallel_calls=2),
            r.map(lambda x: x + 1, num_parallel_calls=-1, deterministic=True),
            r.filter(lambda x: x % 2 == 0), r.take_while(lambda x: x < 2),
            r.batch(2), r.batch(2, drop_remainder=True), r.batch(7),
            r.batch(7, drop_remainder=True), r.batch(2, num_parallel_calls=2),
            r.batch(2).batch(2), r.batch(3).unbatch(),
            r.take(2), r.take(0), r.take(-1), r.take(9),
            r.skip(2), r.skip(0), r.skip(-1), r.skip(9),
            r.repeat(2), r.repeat(0), r.repeat(), r.repeat(-1),
            D.range(0).repeat(), D.range(0).repeat(3),
            r.shard(2, 0), r.shard(3, 2), r.shard(9, 7),
            r.prefetch(1), r.prefetch(0), r.prefetch(-1), r.cache(),
            r.enumerate(), r.enumerate(start=5),
            r.concatenate(D.range(2)), r.apply(lambda d: d.take(1)),
            r.scan(np.int64(1), lambda a, x: (a + x, a * x)),
            r.flat_map(lambda x: D.range(x)),
            r.flat_map(lambda x: D.from_tensors(x).repeat(x)),
            r.interleave(lambda x: D.range(x), cycle_length=2),
            r.interleave(
                lambda x: D.from_tensors(x).repeat(4), cycle_length=3,
                block_length=2,
            ),
            r.interleave(
                lambda x: D.range(x), cycle_length=2, num_parallel_calls=2
            ),
        )
    ]


def program_zip(tf):
    D = tf.data.Dataset
    a, b = D.range(3), D.range(10, 15).map(lambda x: (x, x * x))
    return [
        _told(d)
        for d in (
            D.zip((a, b)), D.zip(a, b), D.zip(a), D.zip({"x": a, "y": b}),
            D.zip((a, (b, a.repeat()))), D.zip(datasets=(a, a)),
        )
    ]


def program_concatenate_common_shape(tf):
    D = tf.data.Dataset
    return [
        _told(D.from_tensors([1, 2]).concatenate(D.from_tensors([1]))),
        _told(D.from_tensors([1, 2]).concatenate(D.from_tensors(1))),
    ]


def program_cardinality_of_chains(tf):
    D = tf.data.Dataset
    r = D.range(10)
    even = r.filter(lambda x: x % 2 == 0)
    return [
        int(d.cardinality())
        for d in (
            r.batch(3).repeat(2), r.repeat().take(7), r.repeat().skip(7),
            r.repeat().batch(2), even.take(2), even.skip(2), even.repeat(),
            even.batch(2), even.concatenate(r.repeat()),
            D.zip(even, r), D.zip(r.repeat(), r.take(4)),
            r.batch(5, drop_remainder=True).unbatch(), r.batch(5).unbatch(),
            even.concatenate(r), r.shard(3, 0), r.repeat().shard(3, 0),
            even.shard(2, 0), D.zip(r.repeat(), r.repeat()),
        )
    ]


def program_map_arguments(tf):
    D = tf.data.Dataset
    point = collections.namedtuple("point", "x y")
    pairs = D.from_tensor_slices(([1, 2], [3, 4]))
    return [
        _all(pairs.map(lambda a, b: a * b)),
        _all(pairs.map(lambda *both: both[0] - both[1])),
        _all(D.from_tensor_slices({"a": [1, 2]}).map(lambda d: d["a"] + 1)),
        _all(D.from_tensor_slices(point([1], [2])).map(lambda p: p.x + p.y)),
        _all(D.from_tensors(((1, 2), 3)).map(lambda ab, c: ab[0] + ab[1] + c)),
        _all(pairs.map(lambda a, b: [a, b])),
        _all(pairs.map(lambda a, b: point(b, a))),
    ]


def program_map_is_traced_once(tf):
    calls = []

    def f(x):
        calls.append(1)
        return x + 1

    d = tf.data.Dataset.range(4).map(f)
    return [_all(d), _all(d), len(calls)]


def program_map_with_control_flow(tf):
    def collatz(x):
        n = tf.constant(0)
        while x > 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            n += 1
        return n

    return _all(tf.data.Dataset.range(1, 8).map(collatz))


def program_variables_in_map(tf):
    v = tf.Variable(10, dtype=tf.int64)
    d = tf.data.Dataset.range(3).map(lambda x: x + v)
    first = _all(d)
    v.assign(20)
    counter = tf.Variable(0, dtype=tf.int64)
    counted = tf.data.Dataset.range(3).map(lambda x: counter.assign_add(x))
    return [first, _all(d), _all(counted), counter.numpy()]


def program_captured_tensors(tf):
    scale = tf.constant([1.0, 2.0])
    table = np.arange(6).reshape(3, 2)
    d = tf.data.Dataset.range(3).map(lambda i: tf.gather(table, i))
    return [
        _all(d.map(lambda row: tf.cast(row, tf.float32) * scale)),
        _all(d.filter(lambda row: tf.reduce_sum(row) > 1)),
    ]


def program_shuffle_seeds(tf):
    D = tf.data.Dataset
    tf.random.set_seed(42)
    results = []
    for d in (
        D.range(10).shuffle(4, seed=7), D.range(10).shuffle(4),
        D.range(10).shuffle(4, seed=7, reshuffle_each_iteration=False),
        D.range(6).shuffle(100, seed=1).repeat(3),
        D.range(6).shuffle(-2, seed=1), D.range(8).batch(2).shuffle(3, seed=0),
        D.range(5).shuffle(1, seed=5),
    ):
        results += [_all(d), _all(d)]
    return results


def program_shuffle_in_a_function(tf):
    tf.random.set_seed(3)

    @tf.function
    def f():
        return (
            tf.data.Dataset.range(6).shuffle(6).batch(9).get_single_element(),
            tf.data.Dataset.range(6).shuffle(6, seed=2).batch(9)
            .get_single_element(),
        )

    return [f(), f()]


def program_random_numbers_of_a_pass(tf):
    D = tf.data.Dataset
    tf.random.set_seed(1)

    def draw(x):
        return tf.random.uniform([], seed=4)

    def of(d):
        return [[round(float(x), 5) for x in d] for _ in range(2)]

    a = D.range(2).map(draw)
    branch = D.range(3).map(
        lambda x: tf.cond(x > -1, lambda: draw(x), lambda: 0.0)
    )
    return [
        of(a), of(a.repeat(3)), of(a.concatenate(a)), of(a.shuffle(2, seed=1)),
        of(D.zip((a, a)).map(lambda x, y: x - y).repeat(2)),
        of(D.range(3).flat_map(lambda x: D.range(2).map(draw))), of(branch),
        of(D.range(4).map(draw).batch(2).map(tf.reduce_sum)),
        float(a.reduce(0.0, lambda s, x: s * 10 + x)),
    ]


def program_random_numbers_of_a_loop(tf):
    tf.random.set_seed(1)

    @tf.function
    def f(d):
        s = tf.constant(0.0)
        for x in d:
            s = s * 10 + tf.random.uniform([], seed=9)
        return s

    return [float(f(tf.data.Dataset.range(2))) for _ in range(3)]


def program_cache_keeps_what_was_seen(tf):
    v = tf.Variable(0)
    d = tf.data.Dataset.range(3).map(lambda x: v.assign_add(1)).cache()
    return [_all(d), _all(d), v.numpy()]


def program_reduce(tf):
    D = tf.data.Dataset
    r = D.range(5)
    return [
        r.reduce(np.int64(0), lambda a, x: a + x),
        r.reduce((np.int64(0), 1), lambda s, x: (s[0] + x, s[1] * 2)),
        r.reduce({"n": 0}, lambda s, x: {"n": s["n"] + 1}),
        D.range(0).reduce(5, lambda a, x: a),
        r.reduce(tf.zeros([0], tf.int64), lambda a, x: tf.concat([a, [x]], 0)),
        D.from_tensor_slices(([1, 2], [3, 4])).reduce(
            0, lambda a, x: a + x[0] * x[1]
        ),
    ]


def program_single_element(tf):
    D = tf.data.Dataset
    return [
        D.from_tensors((1, {"a": 2})).get_single_element(),
        tf.data.experimental.get_single_element(D.range(4).batch(4)),
        failure(D.range(0).get_single_element)[0],
        failure(D.range(2).get_single_element)[0],
    ]


def program_as_numpy(tf):
    D = tf.data.Dataset
    it = D.from_tensor_slices({"a": [1, 2], "b": [[1.5], [2.5]]}).as_numpy_iterator()
    first = next(it)
    return [
        first, list(it), list(D.from_tensors(["x", "y"]).as_numpy_iterator()),
        first["b"].flags.writeable,
    ]


def program_specs(tf):
    T = tf.TensorSpec
    a = tf.data.DatasetSpec(T([None], tf.int32))
    b = tf.data.DatasetSpec(T([2], tf.int32))
    it = iter(tf.data.Dataset.range(1))
    return [
        str(a), str(tf.data.IteratorSpec((T([]), T([2])))),
        str(tf.OptionalSpec(T([]))), a == b,
        a == tf.data.DatasetSpec(T([None], tf.int32)),
        b.is_subtype_of(a), a.is_subtype_of(b),
        str(a.most_specific_common_supertype([b])),
        str(tf.type_spec_from_value(it)), str(it.element_spec),
        str(tf.data.DatasetSpec.from_value(tf.data.Dataset.range(2))),
        b.is_compatible_with(tf.data.Dataset.from_tensors([1, 2])),
        tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY,
        tf.data.UNKNOWN_CARDINALITY,
    ]


# --- Generators.


def program_from_generator(tf):
    D = tf.data.Dataset

    def numbers(n=3):
        for i in range(n):
            yield i, [float(i)] * int(i)

    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))
    return [
        _told(D.from_generator(numbers, output_signature=signature)),
        _told(D.from_generator(numbers, (tf.int32, tf.float32), ([], [None]))),
        _told(D.from_generator(numbers, (tf.int32, tf.float32))),
        _told(D.from_generator(numbers, (tf.int32, tf.float32), args=(2,))),
        _told(D.from_generator(lambda: ["a", b"b"], tf.string)),
        _told(D.from_generator(lambda: iter([{"x": 1}, {"x": 2}]), {"x": tf.int64})),
        _told(D.from_generator(lambda: [], tf.int32)),
    ]


def program_generator_is_called_for_each_iteration(tf):
    calls = []

    def g():
        calls.append(len(calls))
        yield calls[-1]

    d = tf.data.Dataset.from_generator(g, tf.int32)
    return [_all(d), _all(d.repeat(2)), _all(d), len(calls)]


def program_generator_is_lazy(tf):
    seen = []

    def g():
        for i in range(100):
            seen.append(i)
            yield i

    it = iter(tf.data.Dataset.from_generator(g, tf.int32))
    before = list(seen)
    return [before, next(it), next(it), len(seen) < 50]


@phrase("`generator` yielded an element")
def program_generator_yields_something_else(tf):
    d = tf.data.Dataset.from_generator(
        lambda: [[1, 2]], output_signature=tf.TensorSpec([3], tf.int32)
    )
    return _all(d)


@phrase("ValueError: boom")
def program_generator_raises(tf):
    def g():
        yield 1
        raise ValueError("boom")

    return _all(tf.data.Dataset.from_generator(g, tf.int32))


def program_generator_refusals(tf):
    D = tf.data.Dataset
    return [
        failure(D.from_generator, lambda: [1]),
        failure(D.from_generator, [1], tf.int32),
        failure(
            lambda: D.from_generator(
                lambda: [1], tf.int32, output_signature=tf.TensorSpec([])
            )
        ),
        failure(lambda: D.from_generator(lambda: [1], output_signature=3)),
        _kind(lambda: _all(D.from_generator(lambda: ["a"], tf.int32))),
        _kind(lambda: _all(D.from_generator(lambda: [1], (tf.int32,) * 2))),
        _kind(lambda: _all(D.from_generator(lambda: [(1, 2, 3)], (tf.int32,) * 2))),
    ]


# --- Refusals.


def program_refusals(tf):
    D = tf.data.Dataset
    r = D.range(3)
    return [
        failure(D.range), failure(D.range, 1, 2, 3, 4),
        _kind(lambda: D.range(1, 2, 0)), failure(D.from_tensor_slices, 1),
        failure(D.from_tensor_slices, ([1, 2], [1, 2, 3])),
        failure(D.zip), failure(D.zip, (r, 1))[0], failure(D.zip, [r, r])[0],
        failure(r.concatenate, D.from_tensors("a")),
        failure(r.filter, lambda x: x),
        failure(r.map, lambda x: object())[0],
        failure(r.map, lambda x, y: x)[0],
        failure(r.reduce, 0, lambda a, x: x),
        failure(r.apply, lambda d: 1)[0],
        failure(r.unbatch),
        failure(D.from_tensors(([1, 2], [1, 2, 3])).unbatch),
        failure(lambda: len(r.repeat())),
        failure(lambda: len(r.filter(lambda x: x > 0))),
        failure(r.take, None)[0],
        failure(r.scan, np.int64(0), lambda a, x: a)[0],
    ]


def program_refusals_of_kernels(tf):
    D = tf.data.Dataset
    r = D.range(3)

    def of(f):
        found = failure(f)
        return found[0], str(found[1]).split(" [Op:")[0]

    return [
        of(lambda: r.batch(0)), of(lambda: r.batch(-3)),
        of(lambda: r.shuffle(0)), of(lambda: r.prefetch(-2)),
        of(lambda: r.shard(2, 2)), of(lambda: r.shard(0, 0)),
        of(D.range(0).get_single_element),
        of(
            lambda: _all(
                D.from_generator(
                    lambda: [[1], [1, 2]],
                    output_signature=tf.TensorSpec([None], tf.int32),
                ).batch(2)
            )
        ),
    ]


@phrase("Error in user-defined function passed to", "Integer division by zero")
def program_map_fails(tf):
    return _all(tf.data.Dataset.from_tensor_slices([1, 0]).map(lambda x: 1 // x))


@phrase("Integer division by zero")
def program_parallel_map_fails(tf):
    return _all(
        tf.data.Dataset.from_tensor_slices([1, 0, 1]).map(
            lambda x: 1 // x, num_parallel_calls=2
        )
    )


@phrase("All components must have the same size in the 0th dimension")
def program_slices_of_unequal_length(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def f(a, b):
        return tf.data.Dataset.from_tensor_slices((a, b)).reduce(
            0, lambda s, x: s + 1
        )

    return f([1, 2], [1, 2, 3])


def program_elements_behind_an_error(tf):
    it = iter(
        tf.data.Dataset.from_tensor_slices([1, 0, 2]).map(lambda x: 10 // x)
    )
    return [next(it), _kind(next, it), next(it), _kind(next, it)]


def program_gradient_through_a_dataset(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(d):
        with tf.GradientTape() as tape:
            s = v * 1.0
            for x in d:
                s += x * v
        return tape.gradient(s, v)

    @tf.function
    def over_iterator(it):
        s = v * 1.0
        for x in it:
            s += x * v
        return s

    d = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
    results = [f(d)]
    for target in (
        lambda: d.reduce(v * 1.0, lambda s, x: s + x * v),
        lambda: next(iter(tf.data.Dataset.from_tensors(v * 2.0))),
        lambda: over_iterator(iter(d)),
        lambda: tf.data.Dataset.from_tensors(v * 2.0).get_single_element(),
    ):
        with tf.GradientTape() as tape:
            y = target()
        results.append(failure(tape.gradient, y, v))
    return results


def program_gradient_inside_a_map(tf):
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x)

    return _all(tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(derivative))
