"""Datasets from databases and lists, snapshots, fingerprints and iterators that
are saved by hand, beside TensorFlow's."""

import pathlib
import sqlite3

import pytest

COLUMNS = "abcde"
TYPES = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "bool",
    "float64",
    "string",
    "uint32",
    "float32",
    "complex64",
]


@pytest.fixture
def base(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "base.db")
    with sqlite3.connect(path) as made:
        made.execute("create table t(a integer, b text, c real, d blob, e text)")
        rows = [
            (1, "x", 1.5, b"\0\xff", "7"),
            (-70000, "y", -2.7, b"\1", None),
            (2**63 - 1, "z", 1e300, None, "abc"),
        ]
        made.executemany("insert into t values (?, ?, ?, ?, ?)", rows)
    return path


def flat(element) -> tuple:
    return element if isinstance(element, tuple) else (element,)


def listed(dataset) -> list:
    """Its elements and at which of them what error came."""
    found: list = []
    iterator = iter(dataset)
    while len(found) < 20:
        try:
            found.append([str(x.numpy()) for x in flat(next(iterator))])
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001
            found.append(type(error).__name__)
    return found


def shown(tf, element) -> str:
    def plain(x):
        value = x.numpy()
        return value.tolist() if hasattr(value, "tolist") else value

    return str(tf.nest.map_structure(plain, element))


def outcome(make) -> list:
    try:
        dataset = make()
    except Exception as error:  # noqa: BLE001
        return [type(error).__name__]
    return [*listed(dataset), str(dataset.element_spec), int(dataset.cardinality())]


@pytest.mark.parametrize("dtype", TYPES)
def test_columns(both, base, dtype: str):
    def program(tf):
        sql = tf.data.experimental.SqlDataset
        kind = (getattr(tf, dtype),)
        return [
            outcome(lambda c=c: sql("sqlite", base, f"select {c} from t", kind))
            for c in COLUMNS
        ]

    assert program(both.ours) == program(both.theirs)


def test_queries(both, base):
    def program(tf):
        sql = tf.data.experimental.SqlDataset
        pair, one = (tf.int64, tf.string), (tf.int64,)
        return [
            outcome(lambda: sql("sqlite", base, "select a, b from t order by a", pair)),
            outcome(lambda: sql("sqlite", base, "select count(*) from t", one)),
            outcome(lambda: sql("sqlite", base, "select a from t where a = 5", one)),
            outcome(lambda: sql("mysql", base, "select a from t", one)),
            outcome(lambda: sql("sqlite", base, "select a, b from t", one))[0],
            outcome(
                lambda: (
                    sql("sqlite", base, "select a, b from t", pair)
                    .map(lambda a, b: (b, a))
                    .repeat(2)
                )
            ),
        ]

    assert program(both.ours) == program(both.theirs)


LISTS = [
    [1, 2, 3],
    [(1, b"a"), (2, b"b")],
    [{"x": 1.0}, {"x": 2.0}],
    [[1], [2, 3]],
    [],
    (1, 2),
]


@pytest.mark.parametrize("elements", LISTS)
def test_lists(both, elements):
    def program(tf):
        try:
            made = tf.data.experimental.from_list(elements)
        except Exception as error:  # noqa: BLE001
            return type(error).__name__
        about = [str(made.element_spec), int(made.cardinality())]
        return about + [shown(tf, e) for e in made]

    assert program(both.ours) == program(both.theirs)


def test_snapshots(both, tmp_path):
    def program(tf):
        home = tmp_path / tf.__name__.split(".")[0]
        found = []
        for name, options in (
            ("plain", {}),
            ("zipped", {"compression": "GZIP"}),
            ("sharded", {"shard_func": lambda x: x % 2}),
            (
                "read",
                {
                    "shard_func": lambda x: x % 2,
                    "reader_func": lambda s: s.flat_map(itself),
                },
            ),
        ):
            folder = str(home / name)
            d = tf.data.Dataset.range(6).map(lambda x: x * x)
            d = d.snapshot(folder, **options)
            found.append([int(d.cardinality()), str(d.element_spec)])
            found += [[int(x) for x in d] for _ in range(2)]
        return found

    assert program(both.ours) == program(both.theirs)


def test_a_snapshot_is_read_instead_of_what_it_was_made_of(both, tmp_path):
    def program(tf):
        folder = str(tmp_path / tf.__name__.split(".")[0])
        calls = tf.Variable(0, dtype=tf.int64)

        def count(x):
            calls.assign_add(1)
            return x + 1

        d = tf.data.Dataset.range(4).map(count).snapshot(folder)
        found = [next(iter(d)).numpy().item()]  # not to the end
        found += [int(x) for x in d] + [int(x) for x in d]
        return found, 0 < int(calls) < 12

    assert program(both.ours) == program(both.theirs)


def test_fingerprints(both):
    def program(tf):
        def of(*, n=3, size=2, factor=2):
            d = tf.data.Dataset.range(n).map(lambda x: x * factor).batch(size)
            return d.fingerprint()

        first = of()
        return [
            first.dtype.name,
            first.shape.as_list(),
            bool(first == of()),
            bool(first == of(n=4)),
            bool(first == of(size=1)),
            bool(first == of(factor=3)),
        ]

    assert program(both.ours) == program(both.theirs)


def test_numpy_iterators_are_saved(both):
    def program(tf):
        it = tf.data.Dataset.range(5).shuffle(5, seed=1).as_numpy_iterator()
        first = [int(next(it)) for _ in range(2)]
        state = it.save()
        rest = [int(x) for x in it]
        it.restore(state)
        return first, rest, [int(x) for x in it] == rest, state.dtype.name

    assert program(both.ours) == program(both.theirs)


def itself(x):
    return x


MAY_REPEAT = {
    "assert": lambda tf: lambda x: (tf.debugging.assert_less(x, 99 + 0 * x), x)[1],
    "uniform": lambda tf: lambda x: tf.random.uniform([]),
    "seeded": lambda tf: lambda x: tf.random.uniform([], seed=3),
    "python": lambda tf: lambda x: tf.py_function(lambda y: y, [x], tf.int64),
    "numpy": lambda tf: lambda x: tf.numpy_function(lambda y: y, [x], tf.int64),
    "file": lambda tf: lambda x: tf.io.read_file("/dev/null"),
    "clock": lambda tf: lambda x: tf.timestamp(),
    "branch": lambda tf: lambda x: tf.cond(x > 3, lambda: x, lambda: x + 1),
    "loop": lambda tf: (
        lambda x: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x])[0]
    ),
}


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("name", MAY_REPEAT)
def test_what_may_be_repeated(both, tmp_path, name: str, symbolic: bool):
    def program(tf):
        options = tf.data.Options()
        options.experimental_symbolic_checkpoint = symbolic
        d = tf.data.Dataset.range(3).map(MAY_REPEAT[name](tf))
        it = iter(d.with_options(options))
        next(it)
        try:
            tf.train.Checkpoint(it=it).save(str(tmp_path / tf.__name__ / "c"))
            return "saved"
        except Exception as error:  # noqa: BLE001
            return type(error).__name__

    assert program(both.ours) == program(both.theirs)
