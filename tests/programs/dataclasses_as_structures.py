"""Dataclasses that flatten themselves: as arguments, results, elements of
datasets, and what tapes differentiate."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from outcomes import failure


@dataclasses.dataclass
class Pair:
    x: Any
    y: Any
    meta: Any = None

    def __tf_flatten__(self):
        return (self.meta,), (self.x, self.y)

    @classmethod
    def __tf_unflatten__(cls, metadata, parts):
        return cls(*parts, *metadata)


def _shown(value):
    """The value with lists in place of Pairs."""
    if isinstance(value, Pair):
        return ["Pair", value.x, value.y, value.meta]
    if isinstance(value, (list, tuple)):
        return [_shown(item) for item in value]
    return value


def _pair(tf, meta=(1, 2), kind=list):
    meta = kind(meta) if isinstance(meta, tuple) else meta
    return Pair(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]), meta)


def _outcome(f, *args):
    return _shown(failure(f, *args))


def program_arguments_and_results(tf):
    traces = []

    @tf.function
    def f(p):
        traces.append(0)
        return Pair(p.x + p.y, p.y, p.meta)

    found = []
    for meta in (
        [1, 2], [1, 2], [1, 3], None, "s", {"a": 1}, {"a": 1}, {"a": [1]},
        [[1], [2]], {1, 2}, (1, [2]), 3.5,
    ):
        found += [_outcome(f, _pair(tf, meta)), len(traces)]
    found.append(_outcome(f, _pair(tf, np.array([1, 2])))[0])
    found.append(_outcome(f, Pair(tf.Variable([1.0, 2.0]), 1.0, [1])))
    concrete = f.get_concrete_function(_pair(tf))
    return [*found, _outcome(concrete, _pair(tf))]


def program_metadata_that_changes(tf):
    @tf.function
    def f(p):
        return p.x * float(len(p.meta))

    p = _pair(tf)
    first = f(p)
    q = _pair(tf, (1, 2, 3))
    return first, f(q), f(_pair(tf)), len(f(q)), p.meta


def program_signatures(tf):
    spec = Pair(tf.TensorSpec([None]), tf.TensorSpec([None]), [1, 2])
    f = tf.function(lambda p: p.x, input_signature=[spec])
    return f(_pair(tf)), failure(f, _pair(tf, (1, 5)))[0]


def program_control_flow(tf):
    @tf.function
    def repeated(p, n):
        i = 0
        while i < n:
            p = Pair(p.x + 1.0, p.y, p.meta)
            i += 1
        return p

    @tf.function
    def chosen(p, n):
        if n > 2:
            p = Pair(p.x + 1.0, p.y, p.meta)
        return p

    n = tf.constant(3)
    return [
        _outcome(repeated, _pair(tf), n), _outcome(chosen, _pair(tf), n),
        _outcome(
            tf.function(
                lambda n: tf.cond(n > 2, lambda: _pair(tf), lambda: _pair(tf))
            ), n,
        ),
        _outcome(
            tf.function(
                lambda: tf.while_loop(
                    lambda i, p: i < 3,
                    lambda i, p: (i + 1, Pair(p.x * 2.0, p.y, p.meta)),
                    (0, _pair(tf)),
                )[1]
            )
        ),
    ]


def program_tapes(tf):
    p = _pair(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(p)
        y = tf.reduce_sum(p.x * p.y)
    v = Pair(tf.Variable(2.0), tf.Variable(3.0), [1])
    with tf.GradientTape() as other:
        z = v.x * v.x * v.y
    return [
        _outcome(tape.gradient, y, p), _outcome(tape.gradient, y, [p, {"a": p}]),
        _outcome(other.gradient, z, v),
    ]


def program_datasets(tf):
    Dataset = tf.data.Dataset  # noqa: N806

    def rows():
        return Dataset.from_tensor_slices(_pair(tf))

    def counted():
        return Pair(tf.constant(0, tf.int64), tf.constant(1, tf.int64), [1])

    return [
        _outcome(f)
        for f in (
            lambda: list(Dataset.from_tensors(_pair(tf))),
            lambda: Dataset.from_tensors(_pair(tf)).element_spec,
            lambda: list(rows()),
            lambda: list(rows().map(lambda p: Pair(p.x * 2.0, p.y, p.meta))),
            lambda: list(Dataset.range(2).map(lambda i: Pair(i, i + 1, [1]))),
            lambda: list(rows().map(lambda p: p.x + p.y)),
            lambda: list(rows().batch(2)),
            lambda: list(rows().batch(2).unbatch()),
            lambda: list(Dataset.zip(rows(), Dataset.range(2))),
            lambda: list(rows().filter(lambda p: p.x > 1.0)),
            lambda: rows().reduce(0.0, lambda s, p: s + p.x),
            lambda: Dataset.range(3).reduce(
                counted(), lambda s, i: Pair(s.x + i, s.y, s.meta)
            ),
            lambda: list(
                Dataset.range(3).scan(
                    counted(), lambda s, i: (Pair(s.x + i, s.y, s.meta), s.x)
                )
            ),
            lambda: [
                [e["a"], e["b"]]
                for e in Dataset.from_tensor_slices(
                    {"a": _pair(tf), "b": tf.constant([5, 6])}
                )
            ],
            lambda: list(rows().repeat(2).take(3).prefetch(1)),
            lambda: Dataset.from_tensors(_pair(tf)).get_single_element(),
            lambda: next(iter(rows())),
            lambda: list(rows().flat_map(lambda p: Dataset.from_tensors(p))),
        )
    ]


def program_loops_over_datasets(tf):
    @tf.function
    def total(dataset):
        found = 0.0
        for p in dataset:
            found += p.x * p.y
        return found

    @tf.function
    def of_argument(p):
        dataset = tf.data.Dataset.from_tensor_slices(p)
        return dataset.reduce(0.0, lambda s, row: s + row.x)

    dataset = tf.data.Dataset.from_tensor_slices(_pair(tf))
    return [_outcome(total, dataset), _outcome(of_argument, _pair(tf))]
