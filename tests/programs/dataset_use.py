"""tf.data as programs use it: loops with jumps, nested structures, iterators
and datasets as arguments and captures."""

from __future__ import annotations

import collections

import numpy as np
from outcomes import better, failure


def _counts(f) -> int:
    return f.experimental_get_tracing_count()


def program_loops_with_jumps(tf):
    d = tf.data.Dataset.range(20)

    @tf.function
    def odd_until(d, limit):
        total = tf.constant(0, tf.int64)
        for i, x in d.enumerate():
            if x % 2 == 0:
                continue
            if i > limit:
                break
            total += x
        return total

    @tf.function
    def nested(d):
        found = tf.constant(0, tf.int64)
        for x in d.batch(4):
            for y in x:
                if y % 7 == 6:
                    break
                found += y
            if found > 60:
                break
        return found

    return [odd_until(d, 9), odd_until(d, 100), nested(d)]


@better([8, -1, 2])
def program_return_in_a_loop(tf):
    d = tf.data.Dataset.range(20)

    @tf.function
    def first_over(d, limit):
        for x in d:
            if x * x > limit:
                return x
        return tf.constant(-1, tf.int64)

    return [
        int(first_over(d, 50)), int(first_over(d, 10000)), _counts(first_over)
    ]


@better([[0, 13], [-1, -1]])
def program_return_in_nested_loops(tf):
    D = tf.data.Dataset

    @tf.function
    def pair_with_sum(a, b, wanted):
        for x in a:
            for y in b:
                if x + y == wanted:
                    return x, y
        return tf.constant(-1, tf.int64), tf.constant(-1, tf.int64)

    a, b = D.range(5), D.range(10, 15)
    return [
        [int(x) for x in pair_with_sum(a, b, wanted)] for wanted in (13, 99)
    ]


def program_nested_structures(tf):
    D = tf.data.Dataset
    point = collections.namedtuple("point", "x y")
    d = D.from_tensor_slices(
        {"a": ([1, 2], point([3.0, 4.0], ["p", "q"])), "b": [[5], [6]]}
    )

    @tf.function
    def f(d):
        total = tf.constant(0.0)
        text = tf.constant("")
        for e in d:
            n, p = e["a"]
            total += tf.cast(n, tf.float32) * p.x
            total += tf.cast(e["b"][0], tf.float32)
            text = text + p.y
        return total, text

    return [
        str(d.element_spec), f(d), str(d.batch(2).element_spec),
        d.reduce(0, lambda s, e: s + e["a"][0]),
        str(d.map(lambda e: e["a"][1]).element_spec),
        str(d.map(lambda e: (e["a"], {"z": e["b"]})).element_spec),
    ]


def program_zip_and_enumerate(tf):
    D = tf.data.Dataset
    images, labels = D.range(4).map(lambda x: x * x), D.from_tensor_slices(
        ["a", "b", "c"]
    )

    @tf.function
    def f(images, labels):
        text = tf.constant("")
        for i, (x, label) in D.zip((images, labels)).enumerate(start=1):
            text += tf.strings.as_string(i * x) + label + " "
        return text

    @tf.function
    def python_zip(images, labels):
        text = tf.constant("")
        for x, label in zip(images, labels):
            text += tf.strings.as_string(x) + label + " "
        return text

    return [f(images, labels), python_zip(images, labels)]


def program_reduce_with_tuples(tf):
    d = tf.data.Dataset.from_tensor_slices([3.0, 1.0, 2.0])
    mean = d.reduce((0.0, 0), lambda s, x: (s[0] + x, s[1] + 1))
    low_high = d.reduce(
        {"low": np.float32(np.inf), "high": np.float32(-np.inf)},
        lambda s, x: {
            "low": tf.minimum(s["low"], x), "high": tf.maximum(s["high"], x)
        },
    )

    @tf.function
    def inside(d):
        return d.reduce((0.0, tf.zeros([2])), lambda s, x: (s[0] + x, s[1] + x))

    return [mean, low_high, inside(d)]


def program_iterator_argument_is_not_retraced(tf):
    @tf.function
    def step(it):
        return next(it) + 1

    D = tf.data.Dataset
    results = []
    for d in (D.range(3), D.range(5, 9), D.range(2).map(lambda x: x * 5)):
        results.append(step(iter(d)))
    results.append(_counts(step))
    results.append(step(iter(D.from_tensor_slices([1, 2]))))
    results.append(_counts(step))
    return results


def program_dataset_argument_is_not_retraced(tf):
    @tf.function
    def total(d):
        s = tf.constant(0, tf.int64)
        for x in d:
            s += x
        return s

    D = tf.data.Dataset
    r = D.range(5)
    return [
        total(r), total(r.take(2)), total(r.shuffle(5)), total(r.prefetch(1)),
        total(r.batch(2).unbatch()), total(D.from_tensors(np.int64(4))),
        _counts(total),
    ]


def program_captured_dataset(tf):
    d = tf.data.Dataset.range(4)
    scale = tf.Variable(2, dtype=tf.int64)

    @tf.function
    def f():
        s = tf.constant(0, tf.int64)
        for x in d.map(lambda x: x * scale):
            s += x
        return s

    first = f()
    scale.assign(3)
    return [first, f(), _counts(f)]


def program_dataset_made_in_a_function(tf):
    @tf.function
    def f(x, n):
        d = tf.data.Dataset.from_tensor_slices(x).batch(n)
        return d.reduce(0.0, lambda s, b: s * 10.0 + tf.reduce_sum(b))

    return [f([1.0, 2.0, 3.0], 2), f([1.0, 2.0, 3.0], 1)]


def program_dataset_returned(tf):
    @tf.function
    def doubled(d):
        return d.map(lambda x: x * 2)

    d = doubled(tf.data.Dataset.range(3))
    return [[int(x) for x in d], str(d.element_spec)]


def program_python_side_effects_once(tf):
    seen = []

    def f(x):
        seen.append("traced")
        return x + 1

    d = tf.data.Dataset.range(5).map(f)
    list(d), list(d)

    @tf.function
    def g(d):
        s = tf.constant(0, tf.int64)
        for x in d:
            seen.append("loop")
            s += x
        return s

    g(d), g(d)
    return [len(seen) - seen.count("loop"), seen.count("loop") >= 1]


def program_prints_of_maps(tf):
    def shown(x):
        tf.print("at", x)
        return x

    d = tf.data.Dataset.range(3).map(shown)
    return d.reduce(np.int64(0), lambda a, x: a + x)


def program_datasets_of_datasets(tf):
    D = tf.data.Dataset
    d = D.range(1, 4).map(D.range)

    @tf.function
    def f(d):
        s = tf.constant(0, tf.int64)
        for part in d:
            for x in part:
                s = s * 10 + x
        return s

    return [
        str(d.element_spec), [[int(x) for x in part] for part in d], f(d),
        [int(x) for x in d.flat_map(lambda part: part)],
        [b.numpy().tolist() for b in d.flat_map(lambda p: p.batch(2))],
        d.map(lambda p: p.cardinality()).reduce(
            np.int64(0), lambda a, n: a + n
        ),
    ]


def program_strings(tf):
    d = tf.data.Dataset.from_tensor_slices(["a b", "c", "", "d e f"])
    return [
        list(d.map(lambda s: s + "!").as_numpy_iterator()),
        list(d.map(tf.strings.length).as_numpy_iterator()),
        list(d.batch(3).as_numpy_iterator()),
        d.reduce("", lambda a, s: a + s),
        list(d.filter(lambda s: tf.strings.length(s) > 1).as_numpy_iterator()),
    ]


def program_cardinalities(tf):
    D = tf.data.Dataset
    r = D.range(10)
    return [
        int(d.cardinality())
        for d in (
            r, r.map(lambda x: x), r.filter(lambda x: x > 1), r.batch(3),
            r.batch(3, drop_remainder=True), r.padded_batch(4), r.take(3),
            r.skip(3), r.repeat(2), r.repeat(), r.shuffle(3), r.prefetch(2),
            r.cache(), r.enumerate(), r.window(3), r.window(3, 1),
            r.window(3, 1, 2, True), r.flat_map(D.range),
            r.interleave(D.range), r.scan(0, lambda s, x: (s, x)),
            r.take_while(lambda x: x < 3), r.unique(), r.shard(3, 1),
            r.concatenate(r), D.zip(r, D.range(4)), r.batch(2).unbatch(),
            r.group_by_window(lambda x: x, lambda k, d: d, 2),
            r.map(lambda x: x, num_parallel_calls=2),
            r.batch(3, num_parallel_calls=2),
            D.from_generator(lambda: [1], tf.int32), D.from_tensors(1),
            D.choose_from_datasets([r, r.repeat()], r),
            r.apply(tf.data.experimental.assert_cardinality(10)),
            r.ragged_batch(4), r.batch(4).rebatch(3), r.ignore_errors(),
            r.with_options(tf.data.Options()), D.random(), D.counter(),
        )
    ]


def program_training_steps(tf):
    tf.random.set_seed(3)
    x = np.arange(8, dtype=np.float32)
    d = tf.data.Dataset.from_tensor_slices((x, 2 * x)).shuffle(
        8, seed=2, reshuffle_each_iteration=False
    )
    d = d.batch(2).repeat(3).prefetch(tf.data.AUTOTUNE)
    w = tf.Variable(0.0)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - y) ** 2)
        w.assign_sub(0.01 * tape.gradient(loss, w))
        return loss

    @tf.function
    def steps(it, n):
        loss = tf.constant(0.0)
        for _ in tf.range(n):
            loss = step(*next(it))
        return loss

    it = iter(d)
    losses = [steps(it, 3), steps(it, 2)]
    for a, b in d.take(2):
        losses.append(step(a, b))
    return [np.round(v.numpy(), 3) for v in losses]


def program_iterators_side_by_side(tf):
    d = tf.data.Dataset.range(4)
    a, b = iter(d), iter(d)
    return [
        next(a), next(a), next(b), [int(x) for x in a], [int(x) for x in b],
        failure(next, a)[0],
    ]


def program_while_over_an_iterator(tf):
    @tf.function
    def f(it):
        total = tf.constant(0, tf.int64)
        o = it.get_next_as_optional()
        while o.has_value():
            total += o.get_value()
            o = it.get_next_as_optional()
        return total

    D = tf.data.Dataset
    return [f(iter(D.range(5))), f(iter(D.range(0)))]


def program_parallel_steps(tf):
    D = tf.data.Dataset
    r = D.range(9)
    return [
        [int(x) for x in d]
        for d in (
            r.map(lambda x: x * x, num_parallel_calls=3),
            r.interleave(
                lambda x: D.from_tensors(x).repeat(3), cycle_length=4,
                block_length=2, num_parallel_calls=4,
            ),
            r.interleave(
                D.range, cycle_length=3, num_parallel_calls=tf.data.AUTOTUNE,
                deterministic=True,
            ),
            r.batch(4, num_parallel_calls=2).unbatch(),
        )
    ] + [
        sorted(
            int(x)
            for x in r.interleave(
                D.range, cycle_length=3, num_parallel_calls=3,
                deterministic=False,
            )
        )
    ]


def program_conditional_dataset(tf):
    D = tf.data.Dataset

    @tf.function
    def f(many):
        s = tf.constant(0, tf.int64)
        if many:
            for x in D.range(10):
                s += x
        else:
            for x in D.range(3):
                s += x
        return s

    return [f(tf.constant(True)), f(tf.constant(False))]


def program_state_through_scan(tf):
    D = tf.data.Dataset
    fib = D.range(8).scan(
        (np.int64(0), np.int64(1)), lambda s, _: ((s[1], s[0] + s[1]), s[0])
    )
    running = D.from_tensor_slices([1.0, 2.0, 6.0]).scan(
        (0.0, 0.0),
        lambda s, x: (
            (s[0] + x, s[1] + 1.0), (s[0] + x) / (s[1] + 1.0)
        ),
    )
    return [[int(x) for x in fib], [float(x) for x in running]]
