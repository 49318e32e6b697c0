"""tf.data: iterators, and datasets as values of functions."""

from __future__ import annotations

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
