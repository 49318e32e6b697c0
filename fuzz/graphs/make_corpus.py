"""Writes the corpora of the fuzz targets: graphs of small programs, as this
package and as TensorFlow write them, and files in TensorFlow's formats.

    python fuzz/graphs/make_corpus.py [graphkiln|tensorflow]
"""

from __future__ import annotations

import importlib
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import Any

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
FLOATS = [("float32", [None, 3])]


def arithmetic(tf: Any) -> Callable:
    return lambda x: tf.nn.relu(x * 2.0 - 1.0) / (tf.exp(-x) + 1.0)


def matrices(tf: Any) -> Callable:
    def f(x):
        y = tf.matmul(x, x, transpose_b=True)
        return tf.nn.softmax(y), tf.reduce_sum(y, 0), tf.cumsum(y)

    return f


def pieces(tf: Any) -> Callable:
    def f(x):
        a, b, c = tf.split(x, 3, axis=1)
        y = tf.concat([a, c, b], 1)
        z = tf.stack([y, x])
        return z[:, 1:, ::-1], tf.transpose(z), tf.gather(x, [0, 0]), tf.tile(
            tf.pad(y, [[1, 0], [0, 2]]), [2, 1]
        )

    return f


def search(tf: Any) -> Callable:
    def f(x):
        v, i = tf.math.top_k(x, 2)
        u, j = tf.unique(tf.reshape(tf.cast(x, tf.int32), [-1]))
        return v, i, u, j, tf.argmax(x, 1), tf.where(x > 0.0), tf.sort(x)

    return f


def segments(tf: Any) -> Callable:
    def f(x):
        k = tf.constant([0, 0, 1])
        t = tf.transpose(x)
        s = tf.math.unsorted_segment_sum(t, k, 3)
        return s, tf.tensor_scatter_nd_add(t, [[1]], t[:1]), tf.one_hot(k, 4)

    return f


def images(tf: Any) -> Callable:
    def f(x):
        i = tf.reshape(tf.tile(tf.reshape(x, [-1])[:1], [32]), [1, 4, 4, 2])
        y = tf.nn.conv2d(i, tf.ones([2, 2, 2, 3]), 1, "SAME")
        return tf.nn.max_pool2d(y, 2, 2, "VALID"), tf.nn.avg_pool2d(
            y, 2, 1, "SAME"
        )

    return f


def calls(tf: Any) -> Callable:
    inner = tf.function(lambda a, b: (a + b, a * 2.0))
    middle = tf.function(lambda a: inner(a, inner(a, a)[1]))

    def f(x):
        a, b = middle(x)
        c, _ = inner(b, a)
        return a + c, b

    return f


def branch(tf: Any) -> Callable:
    def f(x):
        return tf.cond(
            tf.reduce_sum(x) > 0.0, lambda: tf.sin(x) * x, lambda: -x
        )

    return f


def choice(tf: Any) -> Callable:
    def f(x):
        i = tf.cast(x[0, 0], tf.int32)
        return tf.switch_case(
            i, [lambda: x * x, lambda: tf.cos(x), lambda: x - 1.0]
        )

    return f


def loop(tf: Any) -> Callable:
    def f(x):
        return tf.while_loop(
            lambda i, y: i < 3,
            lambda i, y: (i + 1, tf.tanh(y) * x + y),
            [tf.constant(0), x],
        )

    return f


def nested_loops(tf: Any) -> Callable:
    def inner(y):
        return tf.while_loop(
            lambda i, z: i < 2, lambda i, z: (i + 1, z * z + 0.1), [0, y]
        )[1]

    def f(x):
        return tf.while_loop(
            lambda i, y: tf.logical_and(i < 2, tf.reduce_sum(y) < 100.0),
            lambda i, y: (
                i + 1,
                tf.cond(i > 0, lambda: inner(y), lambda: y + 1.0),
            ),
            [tf.constant(0), x],
        )

    return f


def growing_loop(tf: Any) -> Callable:
    def f(x):
        return tf.while_loop(
            lambda i, y: i < 3,
            lambda i, y: (i + 1, tf.concat([y, x], 0)),
            [tf.constant(0), x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
        )

    return f


def gradient(tf: Any) -> Callable:
    g = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * x))

    def f(x):
        y = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x]
        )[1]
        return tf.gradients(g(y), [x])

    return f


def lists(tf: Any) -> Callable:
    def f(x):
        a = tf.TensorArray(tf.float32, 3, element_shape=[3])
        for i in range(3):
            a = a.write(i, x[0] * float(i))
        handle = tf.raw_ops.EmptyTensorList(
            element_shape=[-1], max_num_elements=-1, element_dtype=tf.float32
        )
        handle = tf.raw_ops.TensorListPushBack(
            input_handle=handle, tensor=x[0]
        )
        of_lists = tf.raw_ops.EmptyTensorList(
            element_shape=tf.constant([], tf.int32),
            max_num_elements=-1,
            element_dtype=tf.variant,
        )
        of_lists = tf.raw_ops.TensorListPushBack(
            input_handle=of_lists, tensor=handle
        )
        out, last = tf.raw_ops.TensorListPopBack(
            input_handle=handle, element_shape=[3], element_dtype=tf.float32
        )
        total = tf.raw_ops.AddN(inputs=[of_lists, of_lists])
        return (
            a.stack(),
            last,
            tf.raw_ops.TensorListLength(input_handle=total),
            tf.raw_ops.ZerosLike(x=out),
        )

    return f


def loop_of_lists(tf: Any) -> Callable:
    def f(x):
        a = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        _, a = tf.while_loop(
            lambda i, a: i < 3,
            lambda i, a: (i + 1, a.write(i, x * tf.cast(i, tf.float32))),
            [tf.constant(0), a],
        )
        return a.concat()

    return f


def variables(tf: Any) -> Callable:
    v = tf.Variable([1.0, 2.0, 3.0])

    def f(x):
        v.assign_add(x[0])
        with tf.control_dependencies([v.assign(v * 2.0)]):
            w = v + 0.0
        return w, tf.gather(v, [0, 2])

    return f


def optionals(tf: Any) -> Callable:
    def f(x):
        o = tf.raw_ops.OptionalFromValue(components=[x, tf.constant(["a"])])
        return tf.raw_ops.OptionalGetValue(
            optional=o,
            output_types=[tf.float32, tf.string],
            output_shapes=[[None, 3], [1]],
        ), tf.raw_ops.OptionalHasValue(optional=o)

    return f


def datasets(tf: Any) -> Callable:
    def f(x):
        ds = tf.data.Dataset.from_tensor_slices(x).map(lambda r: r * 2.0)
        ds = ds.filter(lambda r: tf.reduce_sum(r) > -10.0).batch(2).take(3)
        return ds.reduce(tf.zeros([3]), lambda s, b: s + tf.reduce_sum(b, 0))

    return f


def dataset_kinds(tf: Any) -> Callable:
    def f(x):
        a = tf.data.Dataset.range(5).shuffle(3, seed=1).repeat(2)
        b = tf.data.Dataset.zip((a, a.map(tf.strings.as_string))).skip(1)
        c = b.flat_map(lambda i, s: tf.data.Dataset.from_tensors((i, s)))
        c = c.concatenate(b).padded_batch(2).prefetch(1)
        return c.reduce(
            tf.constant(0, tf.int64), lambda s, e: s + tf.reduce_sum(e[0])
        )

    return f


def texts(tf: Any) -> Callable:
    def f(x):
        s = tf.strings.as_string(x)
        t = tf.strings.join([s, s], "|")
        return (
            tf.strings.length(t),
            tf.strings.substr(t, 0, 2),
            tf.strings.to_number(s),
        )

    return f


def random_numbers(tf: Any) -> Callable:
    def f(x):
        return (
            tf.random.uniform(tf.shape(x), seed=3),
            tf.random.stateless_normal([3], [1, 2]),
            tf.random.shuffle(x, seed=1),
        )

    return f


def effects(tf: Any) -> Callable:
    def f(x):
        tf.print(x)
        tf.debugging.assert_greater(tf.reduce_sum(x), -1e6)
        return tf.debugging.check_numerics(x, "bad") + 1.0

    return f


def types(tf: Any) -> Callable:
    def f(x):
        c = tf.complex(x, x)
        h = tf.cast(x, tf.float16) + tf.cast(x > 0.0, tf.float16)
        b = tf.bitcast(x, tf.int32)
        return tf.abs(c), h, b, tf.cast(c * c, tf.complex128), tf.cast(
            x, tf.bfloat16
        )

    return f


PROGRAMS = [
    arithmetic, matrices, pieces, search, segments, images, calls, branch,
    choice, loop, nested_loops, growing_loop, gradient, lists, loop_of_lists,
    variables, optionals, datasets, dataset_kinds, texts, random_numbers,
    effects, types,
]  # fmt: skip


def write_graphs(tf: Any, name: str) -> None:
    graphs, functions = CORPUS / "graphs", CORPUS / "functions"
    graphs.mkdir(parents=True, exist_ok=True)
    functions.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        f = tf.function(program(tf), autograph=False)
        concrete = f.get_concrete_function(
            tf.TensorSpec([2, 3] if program is gradient else [None, 3],
                          tf.float32, "x")
        )
        message = concrete.graph.as_graph_def(add_shapes=program is loop)
        for node in message.node:
            # Whole messages of how to run a call: bytes that say nothing.
            node.attr.pop("config_proto", None)
        for function in message.library.function:
            for node in function.node_def:
                node.attr.pop("config_proto", None)
        stem = f"{program.__name__}.{name}"
        (graphs / f"{stem}.pb").write_bytes(message.SerializeToString())
        if message.library.function:
            (functions / f"{stem}.pb").write_bytes(
                message.library.SerializeToString()
            )


def lists_of_version_1(tf: Any) -> Callable:
    def f(x):
        a = tf.TensorArray(tf.float32, 3).unstack(tf.stack([x, x * x, -x]))
        b = tf.TensorArray(tf.float32, 3)
        _, b = tf.compat.v1.while_loop(
            lambda i, b: i < 3,
            lambda i, b: (i + 1, b.write(i, tf.exp(a.read(i)))),
            [tf.constant(0), b],
        )
        return b.stack()

    return f


def gradient_of_version_1(tf: Any) -> Callable:
    def f(x):
        y = nested_loops(tf)(x)[1]
        return tf.compat.v1.gradients(branch(tf)(y), [x])

    return f


# Programs of control flow, of which there are lowered graphs, too.
LOWERED = [
    calls, branch, choice, loop, nested_loops, growing_loop, gradient,
    loop_of_lists, effects,
]  # fmt: skip


def write_lowered(tf: Any) -> None:
    """Switch, Merge, Enter, Exit and NextIteration: as frozen functions have
    them, and as control flow of version 1 makes them."""
    freezing = importlib.import_module(
        "tensorflow.python.framework.convert_to_constants"
    )
    for program in LOWERED:
        f = tf.function(program(tf), autograph=False)
        frozen = freezing.convert_variables_to_constants_v2(
            f.get_concrete_function(tf.TensorSpec([2, 3], tf.float32, "x")),
            lower_control_flow=True,
        )
        write_lowered_graph(frozen.graph, f"{program.__name__}.frozen.pb")
    old = tf.compat.v1
    old.disable_control_flow_v2()
    for program in [*LOWERED[1:-2], lists_of_version_1, gradient_of_version_1]:
        with old.Graph().as_default() as graph:
            program(tf)(old.placeholder(tf.float32, [2, 3], "x"))
        write_lowered_graph(graph, f"{program.__name__}.version_1.pb")
    old.enable_control_flow_v2()


def write_lowered_graph(graph: Any, name: str) -> None:
    message = graph.as_graph_def()
    for node in message.node:
        node.attr.pop("config_proto", None)
    (CORPUS / "graphs" / name).write_bytes(message.SerializeToString())


def write_files(tf: Any) -> None:
    records, tables = CORPUS / "records", CORPUS / "tables"
    records.mkdir(parents=True, exist_ok=True)
    tables.mkdir(parents=True, exist_ok=True)
    with tf.io.TFRecordWriter(str(records / "plain.tfrecord")) as writer:
        for record in (b"", b"one", b"x" * 300):
            writer.write(record)
    features = tf.train.Features(
        feature={
            "a": tf.train.Feature(
                float_list=tf.train.FloatList(value=[1.0, 2.0])
            ),
            "b": tf.train.Feature(
                bytes_list=tf.train.BytesList(value=[b"text"])
            ),
        }
    )
    with tf.io.TFRecordWriter(str(records / "examples.tfrecord")) as writer:
        writer.write(tf.train.Example(features=features).SerializeToString())
    with tempfile.TemporaryDirectory() as folder:
        events = tf.summary.create_file_writer(folder)
        with events.as_default():
            tf.summary.write("loss", 0.5, step=1)
        events.close()
        (found,) = pathlib.Path(folder).iterdir()
        (records / "events.tfrecord").write_bytes(found.read_bytes())
        values = tf.train.Checkpoint(
            a=tf.Variable([1.0, 2.0]), b=tf.Variable(["text"])
        )
        path = pathlib.Path(values.write(folder + "/checkpoint") + ".index")
        (tables / "checkpoint.index").write_bytes(path.read_bytes())


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "graphkiln"
    tf = importlib.import_module(name)
    write_graphs(tf, name)
    if name == "tensorflow":
        write_lowered(tf)
        write_files(tf)


if __name__ == "__main__":
    main()
