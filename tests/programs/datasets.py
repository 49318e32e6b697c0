"""tf.data: datasets, iterators, loops over them, and what they refuse."""

from __future__ import annotations

import collections

import numpy as np
from outcomes import better, failure, phrase


def _function(tf, body, *arguments):
    return tf.function(body)(*arguments)


def _all(dataset) -> list:
    return list(dataset)


def _kind(f, *args) -> str:
    """"ok", or the class of the error."""
    return failure(f, *args)[0]


def _ops(tf, f, *args) -> list:
    nodes = f.get_concrete_function(*args).graph.as_graph_def().node
    return [n.op for n in nodes if n.op != "Const"]


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


# --- Iterators.


def program_iterators(tf):
    it = iter(tf.data.Dataset.range(3))
    results = [next(it), it.get_next(), it.next(), isinstance(it, tf.data.Iterator)]
    results.append(failure(next, it))
    results.append(_kind(it.get_next))
    results.append(iter(it) is it)
    return results


def program_optionals(tf):
    O = tf.experimental.Optional
    it = iter(tf.data.Dataset.range(1))
    first, second = it.get_next_as_optional(), it.get_next_as_optional()
    empty = O.empty(tf.TensorSpec([2], tf.float32))
    full = O.from_value({"a": 1, "b": (2.0, "x")})
    return [
        first.has_value(), first.get_value(), second.has_value(),
        _kind(second.get_value), empty.has_value(), str(empty.element_spec),
        full.get_value(), str(full.element_spec),
        _function(tf, lambda o: o.get_value()["a"] + 1, full),
        _function(tf, lambda: O.from_value(3)).get_value(),
    ]


def program_iterator_in_functions(tf):
    it = iter(tf.data.Dataset.range(6))

    @tf.function
    def two(it):
        return next(it), it.get_next()

    return [
        two(it), two(it), _ops(tf, two, it),
        two.experimental_get_tracing_count(), next(it), _kind(two, it),
    ]


def program_captured_iterator(tf):
    it = iter(tf.data.Dataset.range(4))
    step = tf.function(lambda: next(it) * 10)
    return [step(), next(it), step()]


def program_iterator_made_in_a_function(tf):
    @tf.function
    def first_two(d):
        it = iter(d)
        return next(it), next(it)

    d = tf.data.Dataset.range(5, 9)
    return [first_two(d), first_two(d), _ops(tf, first_two, d)]


def program_loop_over_an_iterator(tf):
    it = iter(tf.data.Dataset.range(10))

    @tf.function
    def some(it, limit):
        total = tf.constant(0, tf.int64)
        for x in it:
            if x > limit:
                break
            total += x
        return total

    return [some(it, 2), next(it), some(it, 7), some(it, 100), some(it, 1)]


@better([0, -1, -1])
def program_next_with_a_default(tf):
    it = iter(tf.data.Dataset.range(1))

    @tf.function
    def f(it):
        return next(it, tf.constant(-1, tf.int64))

    return [int(f(it)), int(f(it)), int(f(it))]


@phrase("End of sequence", "IteratorGetNext")
def program_end_in_a_function(tf):
    return _function(tf, lambda it: next(it), iter(tf.data.Dataset.range(0)))


def program_iterator_signature(tf):
    spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))

    @tf.function(input_signature=[spec])
    def f(it):
        return next(it)

    return [
        f(iter(tf.data.Dataset.range(3, 5))),
        failure(f, iter(tf.data.Dataset.from_tensors("a")))[0],
    ]


# --- Datasets as values.


def program_datasets_as_arguments(tf):
    D = tf.data.Dataset

    @tf.function
    def total(d):
        return d.reduce(np.int64(0), lambda a, x: a + x)

    results = [total(D.range(3)), total(D.range(9)), total(D.range(9).map(lambda x: x))]
    results.append(total.experimental_get_tracing_count())
    results.append(str(total.get_concrete_function(D.range(2)).function_type))
    return results


def program_datasets_returned(tf):
    @tf.function
    def make(n):
        d = tf.data.Dataset.range(n)
        return d, {"twice": d.map(lambda x: x * n)}

    d, other = make(tf.constant(3, tf.int64))
    return [_all(d), _all(other["twice"]), str(d.element_spec)]


def program_captured_dataset(tf):
    d = tf.data.Dataset.range(4)

    @tf.function
    def f():
        s = tf.constant(0, tf.int64)
        for x in d:
            s += x
        return s

    return [f(), f()]


def program_datasets_of_datasets(tf):
    D = tf.data.Dataset
    nested = D.range(3).map(lambda x: D.range(x + 1))
    return [
        str(nested), [_all(d) for d in nested],
        _all(nested.flat_map(lambda d: d.batch(2))),
    ]


def program_chosen_dataset(tf):
    D = tf.data.Dataset

    @tf.function
    def f(which):
        d = tf.cond(which, lambda: D.range(3), lambda: D.range(10, 12))
        return d.reduce(np.int64(0), lambda a, x: a + x)

    return [f(tf.constant(True)), f(tf.constant(False))]


# --- Loops in functions.


def program_loop(tf):
    @tf.function
    def train(d):
        loss = tf.constant(0)
        for x, y in d:
            loss += tf.abs(y - x)
        return loss

    d = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 0, 3]))
    return [train(d), _ops(tf, train, d)]


def program_loop_with_break_and_continue(tf):
    @tf.function
    def f(d):
        s, n = tf.constant(0, tf.int64), 0
        for x in d:
            if x % 2 == 1:
                continue
            if x > 6:
                break
            s += x
            n += 1
        return s, n

    d = tf.data.Dataset.range(100)
    return [f(d), f(d.take(3)), f(d.take(0)), _ops(tf, f, d)]


@better([3, -1])
def program_loop_with_return(tf):
    @tf.function
    def find(d, wanted):
        for i, x in enumerate(d):
            if x == wanted:
                return i
        return tf.constant(-1, tf.int64)

    d = tf.data.Dataset.range(5, 10)
    return [int(find(d, np.int64(8))), int(find(d, np.int64(80)))]


def program_loop_with_effects(tf):
    v = tf.Variable(0)

    @tf.function
    def f(d):
        v.assign(100)
        tf.print("before")
        for x in d:
            v.assign_add(x)
            tf.print("x =", x, "v =", v)
        v.assign_add(v)
        tf.print("after", v)
        return v.read_value()

    d = tf.data.Dataset.from_tensor_slices([1, 2, 3])
    return [f(d), v.numpy(), f(d.take(1))]


def program_effects_of_the_dataset(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        v.assign(10)
        d = tf.data.Dataset.range(3).map(lambda x: v.assign_add(1))
        v.assign(20)
        total = tf.constant(0)
        for x in d:
            total += x
        return total, v.read_value()

    return [f(), f()]


def program_nested_loops(tf):
    @tf.function
    def f(d, n):
        s = tf.constant(0, tf.int64)
        for x in d:
            for y in d:
                if y > x:
                    break
                for i in tf.range(n):
                    s += x * y + tf.cast(i, tf.int64)
        while s > 100:
            for x in d.take(2):
                s -= 50 + x
        return s

    return f(tf.data.Dataset.range(5), 2)


def program_loop_state_structures(tf):
    @tf.function
    def f(d):
        state = {"a": tf.constant(0, tf.int64), "b": (tf.constant(1.0), 2)}
        for x in d:
            state["a"] += x
            state = {"a": state["a"], "b": (state["b"][0] * 2, state["b"][1] + 1)}
        return state

    return f(tf.data.Dataset.range(3))


def program_loop_shapes_may_change(tf):
    @tf.function
    def f(d):
        seen = tf.zeros([0], tf.int64)
        for x in d:
            seen = tf.concat([seen, [x]], 0)
        return seen

    return f(tf.data.Dataset.range(4))


def program_loop_tensor_array(tf):
    @tf.function
    def f(d):
        ta = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        i = 0
        for x in d:
            ta = ta.write(i, x * x)
            i += 1
        return ta.stack()

    return f(tf.data.Dataset.range(4))


@better([6, "InvalidArgumentError"])
def program_loop_defines_a_symbol(tf):
    @tf.function
    def f(d):
        for x in d:
            y = x * 2
        return y

    return [
        int(f(tf.data.Dataset.range(4))),
        failure(f, tf.data.Dataset.range(0))[0],
    ]


@better(3)
def program_iterate_behind_the_loop(tf):
    @tf.function
    def f(d):
        for x in d:
            pass
        return x

    return int(f(tf.data.Dataset.range(4)))


@phrase("'s' has dtype int32 before the loop, but dtype int64 after one iteration")
def program_loop_changes_a_dtype(tf):
    @tf.function
    def f(d):
        s = 0
        for x in d:
            s = x
        return s

    return f(tf.data.Dataset.range(4))


def program_builtins_of_datasets(tf):
    @tf.function
    def f(d):
        s = tf.constant(0, tf.int64)
        for i, x in enumerate(d):
            s += i * x
        for i, x in enumerate(d, 5):
            s += i
        for a, b in zip(d, d.skip(1)):
            s += a * b
        for a in map(lambda x: x + 1, d):
            s += a
        for a in filter(lambda x: x > 2, d):
            s += a
        return s, len(d)

    @tf.function
    def g(d):
        big = d.map(lambda x: x > 3)
        return any(big), all(big), any(big.take(1)), all(big.skip(4))

    d = tf.data.Dataset.range(5)
    return [f(d), g(d)]


@phrase("len requires dataset with definitive cardinality, got")
def program_len_of_unknown(tf):
    return _function(tf, lambda d: len(d), tf.data.Dataset.range(3).filter(lambda x: x > 0))


def program_datasets_and_iterators_as_state(tf):
    D = tf.data.Dataset

    @tf.function
    def skipped(d, n):
        i = 0
        while i < n:
            d = d.skip(1)
            i += 1
        return d.reduce(np.int64(0), lambda a, x: a + x)

    @tf.function
    def chosen(it, flag):
        if flag:
            x = next(it)
        else:
            x = next(it) + 100
        return x

    @tf.function
    def drained(it):
        element = it.get_next_as_optional()
        s = tf.constant(0, tf.int64)
        while element.has_value():
            s += element.get_value()
            element = it.get_next_as_optional()
        return s

    @tf.function
    def three(d):
        it = iter(d)
        s = tf.constant(0, tf.int64)
        for _ in tf.range(3):
            s = s * 10 + next(it)
        return s

    @tf.function
    def inner(d):
        s = tf.constant(0, tf.int64)
        for x in d.map(lambda x: x + 1):
            for y in d.filter(lambda y: y < x):
                s += x * y
        return s

    r = D.range(5)
    it = iter(r)
    return [
        skipped(r, tf.constant(2)), chosen(it, tf.constant(True)),
        chosen(it, tf.constant(False)), drained(iter(r)), drained(it),
        three(r), three(r), inner(r),
    ]


def program_dataset_signature(tf):
    spec = tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))

    @tf.function(input_signature=[spec])
    def f(d):
        s = tf.constant(0, tf.int64)
        for x in d:
            s += tf.reduce_sum(x)
        return s

    D = tf.data.Dataset
    return [
        f(D.range(5).batch(2)), f(D.from_tensors(np.array([1, 2]))),
        failure(f, D.range(3))[0],
        failure(tf.function(lambda d: len(d), autograph=False), D.range(2)),
    ]


def program_training_loop(tf):
    x = np.linspace(-1, 1, 16).astype(np.float32)
    d = tf.data.Dataset.from_tensor_slices((x, 3 * x + 1)).batch(4).repeat(5)
    w, b = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def train(d):
        loss = tf.constant(0.0)
        for x, y in d:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + b - y) ** 2)
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(0.5 * dw)
            b.assign_sub(0.5 * db)
        return loss

    loss = train(d)
    return [np.round(v, 5) for v in (loss.numpy(), w.numpy(), b.numpy())]


def program_loop_over_python_iteration(tf):
    d = tf.data.Dataset.range(3).map(lambda x: x * x)
    return [[int(x) for x in d], [int(x) for _, x in zip(range(2), d)]]


def program_loop_in_graph_of_batches(tf):
    d = tf.data.Dataset.range(10).map(lambda x: x * x).batch(4).prefetch(2)

    @tf.function
    def f(d):
        n, s = tf.constant(0, tf.int64), tf.constant(0, tf.int64)
        for b in d:
            n += tf.size(b, tf.int64)
            s += tf.reduce_sum(b)
        return n, s

    return [f(d), f(d)]


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
