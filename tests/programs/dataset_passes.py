"""Programs of passes over datasets: caches, zips, what errors leave behind,
datasets of datasets."""

import os
import tempfile

import numpy as np
from outcomes import failure


def _counted(tf, log, name, n, bad=()):
    """A dataset of n numbers that says which were made."""

    def f(x):
        log.append(f"{name}{int(x)}")
        if int(x) in bad:
            raise ValueError("bad")
        return x

    return _as_written(
        tf,
        tf.data.Dataset.range(n).map(
            lambda x: tf.py_function(f, [x], tf.int64)
        ),
    )


def _as_written(tf, dataset):
    """The dataset without what the original adds: reading ahead."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


def _ints(dataset):
    return [
        [int(c) for c in x] if isinstance(x, tuple) else int(x)
        for x in dataset
    ]


def _drained(dataset, n):
    """What n calls of next gave."""
    seen, it = [], iter(dataset)
    for _ in range(n):
        try:
            x = next(it)
            seen.append([int(c) for c in x] if isinstance(x, tuple) else int(x))
        except Exception as error:
            seen.append(type(error).__name__)
    return seen


def program_zip_asks_every_part(tf):
    seen = []
    for a, b in ((3, 3), (2, 4), (4, 2)):
        log = []
        z = tf.data.Dataset.zip(
            (_counted(tf, log, "a", a), _counted(tf, log, "b", b))
        )
        seen.append([_drained(_as_written(tf, z), 6), log])
    return seen


def program_zip_stays_in_step_behind_an_error(tf):
    seen = []
    for a, b in (((1,), ()), ((), (1,)), ((1,), (1,)), ((0, 2), (1,))):
        log = []
        z = tf.data.Dataset.zip(
            (_counted(tf, log, "a", 4, a), _counted(tf, log, "b", 4, b))
        )
        seen.append([_drained(_as_written(tf, z), 6), log])
    return seen


def program_zip_with_a_cache_of_unknown_length(tf):
    log = []
    cached = _counted(tf, log, "b", 3).filter(lambda x: True).cache()
    z = _as_written(tf, tf.data.Dataset.zip((tf.data.Dataset.range(3), cached)))
    return [_ints(z), _ints(z), log]


def program_cache_is_whole_with_the_last_element(tf):
    tf.random.set_seed(1)
    def asserted(d):
        return d.filter(lambda x: True).apply(
            tf.data.experimental.assert_cardinality(4)
        )

    seen = {}
    for name, make in {
        "plain": lambda d: d.cache(),
        "filtered": lambda d: d.filter(lambda x: True).cache(),
        "asserted": lambda d: asserted(d).cache(),
        "repeated": lambda d: d.repeat(1).cache(),
        "batched": lambda d: d.batch(1).cache(),
        "cut": lambda d: d.take(9).cache(),
        "shuffled": lambda d: d.shuffle(4, seed=1).cache(),
    }.items():
        log = []
        cached = make(_counted(tf, log, "", 4))
        for _ in range(2):
            list(cached.take(4))
        it = iter(cached)
        for _ in range(4):
            next(it)
        list(cached)
        seen[name] = len(log)
    return seen


def program_cache_of_part(tf):
    log = []
    cached = _counted(tf, log, "", 4).cache()
    return [_ints(cached.take(2)), _ints(cached.take(3)), _ints(cached), log]


def program_cache_behind_an_error(tf):
    log = []
    cached = _counted(tf, log, "", 4, bad=(1,)).cache()
    return [_drained(cached, 6), _ints(cached), log]


def program_two_writers_of_a_file(tf):
    with tempfile.TemporaryDirectory() as folder:
        cached = tf.data.Dataset.range(4).cache(os.path.join(folder, "c"))
        first, second = iter(cached), iter(cached)
        seen = [int(next(first)), failure(lambda: next(second))[0]]
        # TensorFlow's second one may go on now, or not.
        seen += [[int(x) for x in first], sorted(os.listdir(folder))]
        del first, second
        return [*seen, _ints(cached)]


def program_a_file_cache_zipped_with_itself(tf):
    with tempfile.TemporaryDirectory() as folder:
        cached = tf.data.Dataset.range(4).cache(os.path.join(folder, "c"))
        z = _as_written(tf, tf.data.Dataset.zip((cached, cached)))
        seen = [failure(lambda: list(z))[0], os.listdir(folder)]
        return [*seen, _ints(cached), _ints(z)]


def program_shuffled_file_caches_zipped(tf):
    tf.random.set_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        z = tf.data.Dataset.zip(tuple(
            tf.data.Dataset.range(6).shuffle(6, seed=seed).cache(
                os.path.join(folder, str(seed))
            )
            for seed in (1, 2)
        ))
        return [_ints(z), _ints(z), _ints(z), sorted(os.listdir(folder))]


def program_a_shuffled_file_cache_repeated(tf):
    tf.random.set_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        d = tf.data.Dataset.range(6).shuffle(6, seed=1).cache(
            os.path.join(folder, "c")
        )
        return [_ints(d.repeat(2)), _ints(d.concatenate(d)), _ints(d)]


def program_a_lock_of_somebody_else(tf):
    with tempfile.TemporaryDirectory() as folder:
        lock = os.path.join(folder, "c_0.lockfile")
        with open(lock, "w") as file:
            file.write("whose?")
        cached = tf.data.Dataset.range(4).cache(os.path.join(folder, "c"))
        kind, text = failure(lambda: list(cached))
        if os.path.exists(lock):
            os.remove(lock)
        return [
            kind, text.replace(folder, "").partition(" [Op")[0], _ints(cached)
        ]


def _passes(tf, empty, repeats, prepare=lambda d: d):
    """A generator that gives nothing in the passes `empty`."""
    calls = []

    def generate():
        calls.append(None)
        if len(calls) not in empty:
            yield from range(len(calls) * 10, len(calls) * 10 + 2)

    d = tf.data.Dataset.from_generator(
        generate, output_signature=tf.TensorSpec((), tf.int32)
    )
    return [_ints(prepare(d).repeat(repeats).take(7)), len(calls)]


def program_generators_with_empty_passes(tf):
    return [
        _passes(tf, empty, repeats)
        for empty in ((), (1,), (2,), (2, 3), (1, 3))
        for repeats in (None, 5)
    ]


def program_shuffled_generators_with_empty_passes(tf):
    tf.random.set_seed(1)
    return [
        _passes(tf, empty, repeats, prepare)[0]
        for empty in ((), (1,), (2,), (2, 3), (1, 3), (1, 2))
        for repeats in (None, 5)
        for prepare in (
            lambda d: d.shuffle(2, seed=1),
            lambda d: d.shuffle(2, seed=1).prefetch(1),
            lambda d: d.shuffle(2, seed=1).map(lambda x: x + 1),
        )
    ]


def program_a_generator_behind_its_end(tf):
    class Counts:
        n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            if self.n % 3 == 0:
                raise StopIteration
            return self.n

    counts = Counts()
    d = tf.data.Dataset.from_generator(
        lambda: counts, output_signature=tf.TensorSpec((), tf.int32)
    )
    return [[_ints(d) for _ in range(3)], _ints(d.repeat(3)), _drained(d, 5)]


def program_padding_values_of_some_components(tf):
    d = tf.data.Dataset.range(1, 4).map(
        lambda n: (tf.fill([n], n), tf.strings.as_string(tf.fill([n], n)))
    )
    e = d.map(lambda a, s: (a, (tf.cast(a, tf.float32), {"s": s})))

    def rows(d, values):
        return failure(
            lambda: str(list(
                d.padded_batch(2, padding_values=values).as_numpy_iterator()
            ))
        )

    minus = np.int64(-1)
    return [
        [
            rows(d, v)
            for v in (None, (minus, None), (None, "x"), (None, None))
        ],
        [
            rows(e, v)
            for v in (
                (minus, None), (None, None), (None, (2.5, None)),
                (None, (None, {"s": "x"})), (minus, (None, {"s": None})),
            )
        ],
        [rows(d, v)[0] for v in ((minus,), {"a": minus}, (2.5, None), 0)],
    ]


def program_padded_shapes_say_all(tf):
    d = tf.data.Dataset.range(1, 4).map(lambda n: (tf.fill([n], n), n))
    return [
        failure(
            lambda: str(list(
                d.padded_batch(2, padded_shapes=shapes).as_numpy_iterator()
            ))
        )[: 2 if good else 1]
        for shapes, good in (
            (([4], []), True), (([None], []), True), ((4, ()), True),
            ((None, []), False), (([None], None), False),
            ((tf.TensorShape(None), []), False), (([None],), False),
        )
    ]


def program_lists_of_datasets(tf):
    D = tf.data.Dataset
    d = D.range(3)
    seen = []
    for value in (
        [d], [d, d.skip(1)], [[d, d], [d, d]], [d, d.batch(2)],
        [D.zip((d, d)), D.zip((d, d.batch(2)))], ([d, d], [1, 2]),
        {"a": [d, d], "b": [1, 2]}, [d.batch(2), d.batch(2, True)],
        [D.from_tensors(tf.ragged.constant([[1], [2, 3]]))] * 2,
    ):
        seen.append([
            failure(lambda: str(D.from_tensors(value).element_spec)),
            failure(lambda: str(D.from_tensor_slices(value).element_spec)),
        ])
    for value in (
        [d, 1], [1, d], [d, d.map(lambda x: tf.cast(x, tf.int32))], [d, D.zip((d, d))],
        [d, d.map(lambda x: {"a": x})], [d, [d]], d, (d,), (d, d),
    ):
        seen.append(failure(lambda: D.from_tensor_slices(value))[0])
    return seen


def program_what_lists_of_datasets_hold(tf):
    tf.random.set_seed(1)
    D = tf.data.Dataset
    d = D.range(3)
    two = D.from_tensor_slices([d, d.skip(1)])

    @tf.function
    def total(two):
        s = tf.constant(0, tf.int64)
        for part in two:
            for x in part:
                s = s * 2 + x
        return s

    zero = np.int64(0)
    nested = D.from_tensor_slices([[d, d], [d, d.take(1)]])
    return [
        [_ints(part) for part in two],
        _ints(two.flat_map(lambda part: part)),
        _ints(two.interleave(lambda part: part, cycle_length=2)),
        [
            [int(i), int(n)]
            for i, n in two.enumerate().map(
                lambda i, part: (i, part.reduce(zero, lambda a, x: a + x))
            )
        ],
        _ints(two.batch(2).unbatch().flat_map(lambda part: part)),
        _ints(two.repeat(2).shuffle(4, seed=1).flat_map(lambda part: part)),
        total(two),
        int(two.cardinality()),
        _ints(nested.unbatch().flat_map(lambda part: part)),
        type(D.from_tensors([d, d]).get_single_element()).__name__,
        type(next(iter(two))).__name__,
        failure(two.as_numpy_iterator)[0],
    ]
