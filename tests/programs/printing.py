"""tf.print: formats, streams and order."""

from __future__ import annotations

import collections
import os
import sys
import tempfile

import numpy as np

from outcomes import better, failure

# What is printed is part of every outcome.


def program_values(tf):
    for value in (
        1, 1.5, True, None, "text", b"bytes", 1 + 2j, np.float32(1.25),
        np.arange(3), np.array([[1.5, 2.0]]), tf.float32,
        tf.TensorShape([1, None]), (), [], {}, object, ...,
    ):
        tf.print(value)


def program_tensors(tf):
    for value in (
        tf.constant(1), tf.constant(1.5), tf.constant(True),
        tf.constant("text"), tf.constant(["a b", "c"]),
        tf.constant([1, 2, 3]), tf.constant([[1.0, 2.5], [3.0, 4.0]]),
        tf.zeros([0]), tf.zeros([2, 0]), tf.range(10),
        tf.reshape(tf.range(64), [8, 8]), tf.reshape(tf.range(8), [2, 2, 2]),
        tf.constant(1 + 2j), tf.constant([1 + 2j, 3.5 - 1j], tf.complex64),
        tf.constant(3, tf.uint8), tf.constant(-3, tf.int8),
        tf.constant([1.5, 2.5], tf.float16), tf.constant(1.5, tf.bfloat16),
        tf.constant([True, False]), tf.constant(2**62, tf.int64),
    ):
        tf.print(value)


def program_numbers(tf):
    values = [
        0.1, 1 / 3, 1e10, 1e-10, 123456789.0, 1e38, float("inf"),
        float("-inf"), float("nan"), 16777216.0, 1e5, 1e6, 1e7, 0.0001,
        0.00001, 100000.5,
    ]
    for dtype in (tf.float32, tf.float64):
        for value in values:
            tf.print(tf.constant(value, dtype))
        tf.print(tf.constant(values, dtype), summarize=-1)


def program_variables(tf):
    v = tf.Variable([1, 2, 3], name="v")
    tf.print(v)
    tf.print([v, v[0]], {"v": v})


def program_several(tf):
    tf.print("a", 1, tf.constant(2), [3, "b"], ("c",), sep=", ")
    tf.print("no end", end="")
    tf.print(" end", end="!\n")
    tf.print(1, 2, sep="")
    tf.print(1, 2, sep="\n")
    tf.print()
    tf.print("")
    tf.print("x", "", "y")
    tf.print("braces {} {0} %s %d", tf.constant(1), "{}")
    tf.print("quote' \"double\"", ["quote' \"double\""])


def program_structures(tf):
    point = collections.namedtuple("point", ["y", "x"])
    one, two = tf.constant(1), tf.constant([2, 3])
    tf.print([one, two])
    tf.print((one, (two,)))
    tf.print({"b": one, "a": [two, "text"]})
    tf.print(point(one, "text"))
    tf.print([point(1, 2), {"k": (1,)}])
    tf.print(collections.OrderedDict([("b", 1), ("a", one)]))
    tf.print([None, True, 1.5, b"x"], {1: "one", 2: two})
    tf.print([[], (), {}])
    tf.print([np.arange(3), np.float64(2.5)])
    tf.print([tf.constant("text"), "text"])
    tf.print({"nested": {"deep": {"er": one}}})


def program_summarize(tf):
    x = tf.range(12)
    y = tf.reshape(tf.range(100), [10, 10])
    for n in (-1, 1, 2, 3, 6, 100):
        tf.print(x, summarize=n)
    tf.print(y, summarize=2)
    tf.print(tf.reshape(tf.range(27 * 4), [3, 9, 4]), summarize=1)
    tf.print(x, y, summarize=1, sep="|")
    tf.print(tf.constant(["a", "b", "c", "d", "e"]), summarize=1)


def program_summarize_zero(tf):
    tf.print(tf.range(4), summarize=0)


def program_streams(tf):
    tf.print("one", output_stream=sys.stdout)
    tf.print("two", output_stream=sys.stderr)


def program_file(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.txt")
        tf.print("first", tf.constant([1, 2]), output_stream="file://" + path)
        tf.print("second", output_stream="file://" + path, end=";")

        @tf.function
        def f(x):
            tf.print("third", x, output_stream="file://" + path)

        f(tf.constant(3))
        f(tf.constant(4))
        with open(path) as file:
            return file.read()


def program_bad_streams(tf):
    return [
        failure(tf.print, 1, output_stream=stream)
        for stream in (
            "nothing", "file:/x", 3, None, "log(debug)", "sys.stdout",
            "stdout", "log(info)",
        )
    ]


def program_file_that_cannot_be_written(tf):
    return failure(
        tf.print, 1, output_stream="file:///nowhere/at/all/file.txt"
    )[0]


def program_bad_keywords(tf):
    return [
        failure(tf.print, 1, flush=True),
        failure(tf.print, 1, output="x"),
    ]


def program_bad_arguments(tf):
    return [
        failure(tf.print, 1, end=3)[0],
        failure(tf.print, 1, sep=3)[0],
    ]


def program_returns(tf):
    results = [tf.print("x")]

    @tf.function
    def f():
        results.append(type(tf.print("y", name="my_name")).__name__)
        return 1

    graph = f.get_concrete_function().graph
    results.append([
        (op.name, op.type) for op in graph.get_operations()
        if op.type in ("PrintV2", "StringFormat")
    ])
    return results


def program_in_a_function(tf):
    @tf.function
    def f(x, y):
        tf.print("first", x, [y, {"k": x}], "last", sep="_")
        tf.print(x, output_stream=sys.stdout, end="<")
        return x

    f(tf.constant(1), tf.constant([1.5, 2.5]))
    f(tf.constant(2), tf.constant([1.5, 2.5]))
    return f.experimental_get_tracing_count()


@better(
    6,
    "before 1\ninner 1 1\nafter 1 1\nbefore 2\ninner 2 3\nafter 2 3\n"
    "before 3\ninner 3 6\nafter 3 6\n",
)
def program_order_in_a_function(tf):
    v = tf.Variable(0)

    @tf.function
    def inner(i):
        tf.print("inner", i, v)

    @tf.function
    def f():
        for i in (1, 2, 3):
            tf.print("before", i)
            v.assign_add(i)
            inner(i)
            tf.print("after", i, v)
        return v

    return int(f())


def program_python_prints_while_tracing(tf):
    @tf.function
    def f(x):
        print("traced")
        sys.stdout.flush()
        tf.print("run", x)
        return x

    f(1), f(1), f(2)
    return f.experimental_get_tracing_count()


def program_unused_prints_run(tf):
    @tf.function
    def f(x):
        tf.print("unused")
        return x

    @tf.function
    def g(x):
        f(x)
        return x

    g(tf.constant(1))


def program_unknown_shapes(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        tf.print(x, tf.shape(x))

    f(1.0), f([1.0, 2.0]), f([[1.0]])


def program_string_tensor_alone(tf):
    tf.print(tf.constant("as it is {}"))
    tf.print(tf.constant(b"\xff\x00x"))
    tf.print(tf.constant(["\n", "'"]))
    tf.print("non-ascii ü", tf.constant("ü"))


def program_format(tf):
    form = tf.strings.format
    x = tf.constant([1, 2, 3, 4, 5, 6, 7])
    return [
        form("x: {}", x), form("{} and {}", (x, 1.5)),
        form("{}", [x], summarize=1), form("%s, {}", [x], placeholder="%s"),
        form("nothing", []), form("{}", tf.constant("s")),
        form("{}", tf.constant(["s", "t"])), form("{}", x, summarize=-1),
        failure(form, "{} {}", x), failure(form, "{}", [x, x]),
        form("{}", [1]),
    ]


def program_format_in_a_function(tf):
    @tf.function
    def f(x):
        return tf.strings.format("x = {}!", x, summarize=2)

    return f(tf.range(9)), f(tf.constant([[1.5]]))


def program_levels(tf):
    # Where they go differs; that they do not fail is what counts.
    logging = tf.compat.v1.logging
    return [
        failure(
            tf.print, output_stream="file:///dev/null" if level is None
            else level, end="",
        )
        for level in (None, logging.info, logging.warning, logging.error)
    ][:1]


def program_wide_structures(tf):
    tf.print(list(range(60)))
    tf.print([[tf.constant(1)] * 40])
    tf.print({f"key{i}": "value" * 3 for i in range(10)})
    tf.print({f"key{i}": tf.constant(i) for i in range(10)})
    tf.print([tf.range(100) for _ in range(3)], summarize=-1)
    tf.print("x" * 100, ["y" * 30] * 4)


def program_more_kinds(tf):
    tf.print(collections.defaultdict(int, {"b": 1, "a": 2}))
    tf.print({"a"}, frozenset({1}), collections.deque([1]), range(3))
    tf.print([range(3)], slice(1, 2), np.int64(3), [np.int64(3)])
    tf.print(b"x", "a\nb", ["a\nb"])
    tf.print([tf.constant("a"), ("b", tf.constant(["c"]))])
    tf.print([tf.float32, tf.TensorShape([1]), None, object])


def program_indexed_slices(tf):
    slices = tf.IndexedSlices(
        tf.constant([[1.0], [2.0]]), tf.constant([2, 0]), tf.constant([3, 1])
    )
    tf.print(slices)
    tf.print([slices], {"a": slices}, "text", slices)

    @tf.function(autograph=False)
    def traced():
        tf.print(slices, [slices])

    traced()
    shapeless = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    return failure(tf.print, shapeless)[0]
