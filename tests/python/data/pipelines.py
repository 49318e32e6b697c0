"""Random pipelines of datasets of int64 scalars and batches of them, made with
tf.data and, for comparison, with plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


class Plain:
    """A dataset as a function that iterates: what tf.data should do."""

    def __init__(self, elements):
        self.elements = elements

    def __iter__(self):
        return iter(self.elements())

    def map(self, f, **_):
        return Plain(lambda: map(f, self))

    def filter(self, f):
        return Plain(lambda: filter(f, self))

    def take_while(self, f):
        def elements():
            for x in self:
                if not f(x):
                    return
                yield x

        return Plain(elements)

    def batch(self, size, drop_remainder=False, **_):
        def elements():
            rows: list = []
            for x in self:
                rows.append(x)
                if len(rows) == size:
                    yield np.stack(rows)
                    rows = []
            if rows and not drop_remainder:
                yield np.stack(rows)

        return Plain(elements)

    def unbatch(self):
        return Plain(lambda: (row for x in self for row in x))

    def take(self, n):
        def elements():
            left = n
            if left == 0:
                return
            for x in self:
                yield x
                left -= 1
                if left == 0:
                    return

        return Plain(elements)

    def skip(self, n):
        def elements():
            if n < 0:
                return
            for i, x in enumerate(self):
                if i >= n:
                    yield x

        return Plain(elements)

    def shard(self, n, index):
        return Plain(
            lambda: (x for i, x in enumerate(self) if i % n == index)
        )

    def repeat(self, n):
        return Plain(lambda: (x for _ in range(n) for x in self))

    def prefetch(self, _):
        return self

    def cache(self):
        return self

    def concatenate(self, other):
        return Plain(lambda: (x for d in (self, other) for x in d))

    def numbered(self):
        return Plain(lambda: (i * 10 + x for i, x in enumerate(self)))

    def scan(self, first, f):
        def elements():
            state = first
            for x in self:
                state, made = f(state, x)
                yield made

        return Plain(elements)

    def summed_with(self, other):
        return Plain(lambda: (a + b for a, b in zip(self, other)))

    def interleave(self, f, cycle_length, block_length):
        def elements():
            source, parts = iter(self), [None] * cycle_length
            ended, at, done = False, 0, 0
            while not ended or any(parts):
                if parts[at] is None:
                    if ended:
                        at, done = (at + 1) % cycle_length, 0
                        continue
                    try:
                        parts[at] = iter(f(next(source)))
                    except StopIteration:
                        ended = True
                    continue
                try:
                    yield next(parts[at])
                    done += 1
                except StopIteration:
                    parts[at], done = None, block_length
                if done == block_length:
                    at, done = (at + 1) % cycle_length, 0

        return Plain(elements)


class Real:
    """The same of tf.data, with the same methods."""

    def __init__(self, tf: Any, dataset: Any):
        self.tf, self.dataset = tf, dataset

    def __getattr__(self, name: str):
        def call(*args, **kwargs):
            args = [a.dataset if isinstance(a, Real) else a for a in args]
            return Real(self.tf, getattr(self.dataset, name)(*args, **kwargs))

        return call

    def numbered(self):
        return Real(
            self.tf, self.dataset.enumerate().map(lambda i, x: i * 10 + x)
        )

    def summed_with(self, other):
        both = self.tf.data.Dataset.zip((self.dataset, other.dataset))
        return Real(self.tf, both.map(lambda a, b: a + b))

    def interleave(self, f, **kwargs):
        return Real(
            self.tf, self.dataset.interleave(lambda x: f(x).dataset, **kwargs)
        )


class Source:
    """Makes the beginnings of pipelines of one kind."""

    def __init__(self, tf: Any = None):
        self.tf = tf

    def range(self, n):
        if self.tf is None:
            return Plain(lambda: (np.int64(x) for x in range(int(n))))
        return Real(self.tf, self.tf.data.Dataset.range(n))

    def list(self, values):
        if self.tf is None:
            return Plain(lambda: (np.int64(x) for x in values))
        return Real(
            self.tf,
            self.tf.data.Dataset.from_tensor_slices(np.array(values, np.int64)),
        )

    def generator(self, values):
        if self.tf is None:
            return self.list(values)
        return Real(
            self.tf,
            self.tf.data.Dataset.from_generator(
                lambda: iter(values),
                output_signature=self.tf.TensorSpec([], self.tf.int64),
            ),
        )


FUNCTIONS = (
    lambda x: x + 1, lambda x: x * 2, lambda x: -x, lambda x: x // 3 + x % 5,
)
PREDICATES = (
    lambda x: x % 2 == 0, lambda x: x < 9, lambda x: x % 3 != 1,
)
SCANS = (
    lambda s, x: (s + x, s), lambda s, x: (x, x - s),
)


def program(seed: int):
    """A function of a Source that makes a pipeline."""
    steps = _steps(random.Random(seed), 0)
    return lambda source: _make(source, steps)


def _steps(r: random.Random, depth: int) -> list:
    kind = r.choice(("range", "list", "generator"))
    argument: Any = r.randrange(0, 12)
    if kind != "range":
        argument = [r.randrange(-20, 20) for _ in range(argument)]
    steps = [(kind, argument)]
    batched = 0
    for _ in range(r.randrange(1, 7)):
        step = _step(r, depth, batched)
        batched += {"batch": 1, "unbatch": -1}.get(step[0], 0)
        steps.append(step)
    return steps + [("unbatch",)] * batched if depth else steps


def _step(r: random.Random, depth: int, batched: int) -> tuple:
    names = [
        "map", "batch", "take", "skip", "shard", "repeat", "prefetch", "cache",
    ]
    if batched:
        names += ["unbatch"] * 3
    else:
        names += ["filter", "take_while", "numbered", "scan"]
        if depth < 2:
            names += ["concatenate", "summed_with", "interleave"]
    name = r.choice(names)
    if name == "map":
        parallel = {"num_parallel_calls": 3} if r.random() < 0.3 else {}
        return name, r.choice(FUNCTIONS), parallel
    if name in ("filter", "take_while"):
        return name, r.choice(PREDICATES)
    if name == "batch":
        # With remainders of other lengths a batch of batches would fail.
        return name, r.randrange(1, 4), {
            "drop_remainder": batched == 0 or r.random() < 0.5
        }
    if name == "shard":
        n = r.randrange(1, 4)
        return name, n, r.randrange(n)
    if name in ("take", "skip", "repeat", "prefetch"):
        return name, r.randrange(0, 5)
    if name in ("concatenate", "summed_with"):
        return name, _steps(r, depth + 1)
    if name == "interleave":
        return name, r.randrange(0, 3), {
            "cycle_length": r.randrange(1, 4),
            "block_length": r.randrange(1, 4),
        }
    if name == "scan":
        return name, np.int64(r.randrange(5)), r.choice(SCANS)
    return (name,)


def _make(source: Source, steps: list) -> Any:
    (kind, argument), *rest = steps
    pipeline = getattr(source, kind)(argument)
    for name, *args in rest:
        kwargs = args.pop() if args and isinstance(args[-1], dict) else {}
        if name in ("concatenate", "summed_with"):
            args = [_make(source, args[0])]
        elif name == "interleave":
            add = args[0]
            args = [
                lambda x, add=add: source.range(x % 4 + add).map(
                    lambda y: y + 10 * x
                )
            ]
        pipeline = getattr(pipeline, name)(*args, **kwargs)
    return pipeline
