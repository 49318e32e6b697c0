"""tf.summary: what stands in event files."""

from __future__ import annotations

import glob
import threading
import time

import numpy as np
import pytest

import graphkiln as tf


def events(folder) -> list:
    """The events of a folder's files, without those that tell the version."""
    found = []
    for path in sorted(glob.glob(str(folder) + "/events.out.tfevents.*")):
        read = list(tf.compat.v1.train.summary_iterator(path))
        assert read[0].file_version == "brain.Event:2"
        found += read[1:]
    return found


def values(folder) -> list[tuple]:
    """(step, tag, plugin, array) of each value, in the order of the files."""
    return [
        (
            event.step,
            value.tag,
            value.metadata.plugin_data.plugin_name,
            tf.make_ndarray(value.tensor),
        )
        for event in events(folder)
        for value in event.summary.value
    ]


def written(folder, write, **options) -> list[tuple]:
    writer = tf.summary.create_file_writer(str(folder), **options)
    with writer.as_default():
        write()
    writer.close()
    return values(folder)


def test_a_scalar(tmp_path):
    before = time.time()

    def write():
        with tf.name_scope("model"):
            assert tf.summary.scalar("a b", 3, step=5, description="*so*").numpy()

    ((step, tag, plugin, value),) = written(tmp_path, write)
    assert (step, tag, plugin) == (5, "model/a b", "scalars")
    assert value.dtype == np.float32 and value == 3 and value.shape == ()
    (event,) = events(tmp_path)
    assert before <= event.wall_time <= time.time()
    assert event.summary.value[0].metadata.summary_description == "*so*"


def test_the_name_of_the_file_and_its_first_event(tmp_path):
    folder = tmp_path / "new" / "folder"
    tf.summary.create_file_writer(folder, filename_suffix=".mine").close()
    (path,) = folder.iterdir()
    seconds, host, pid, number = (
        path.name.removeprefix("events.out.tfevents.")
        .removesuffix(".mine")
        .rsplit(".", 3)
    )
    assert len(seconds) == 10 and host and int(pid) and int(number) >= 0
    (first,) = tf.compat.v1.train.summary_iterator(path)
    assert first.file_version == "brain.Event:2" and first.source_metadata.writer


def test_steps(tmp_path):
    variable = tf.Variable(7, dtype=tf.int64)

    def write():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        with pytest.raises(ValueError, match="must be a scalar"):
            tf.summary.scalar("a", 1.0, step=[1, 2])
        tf.summary.scalar("a", 1.0, step=tf.constant(1, tf.int64))
        tf.summary.scalar("a", 1.0, step=np.int64(2))
        tf.summary.experimental.set_step(variable)
        tf.summary.scalar("a", 1.0)
        variable.assign_add(1)
        tf.summary.scalar("a", 1.0)
        tf.summary.experimental.set_step(None)
        with tf.summary.create_file_writer(str(tmp_path / "b")).as_default(step=20):
            assert tf.summary.experimental.get_step() == 20
            tf.summary.scalar("b", 1.0)
        assert tf.summary.experimental.get_step() is None

    assert [v[0] for v in written(tmp_path, write)] == [1, 2, 7, 8]
    assert [v[:2] for v in values(tmp_path / "b")] == [(20, "b")]


def test_without_a_writer_nothing_is_made():
    def never():
        raise AssertionError

    assert not tf.summary.write("a", never, step=0).numpy()
    assert not tf.summary.should_record_summaries().numpy()
    assert not tf.summary.scalar("a", 1.0).numpy()
    with tf.summary.create_noop_writer().as_default() as writer:
        assert writer is None and not tf.summary.scalar("a", 1.0).numpy()


def test_a_traced_function_writes_whenever_it_runs(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def train(x, step):
        with writer.as_default(step=step):
            tf.summary.scalar("x", x)
            for i in tf.range(2):
                tf.summary.scalar("inner", i)
            tf.summary.histogram("h", [x, x + 1], buckets=2)
        return x

    for step in range(3):
        train(tf.constant(float(step)), tf.constant(step, tf.int64))
    writer.close()
    assert [(v[0], v[1]) for v in values(tmp_path)] == [
        (step, tag)
        for step in range(3)
        for tag in ("x", "while/inner", "while/inner", "h")
    ]
    assert [v[3] for v in values(tmp_path) if v[1] == "while/inner"] == [0, 1] * 3


def test_a_function_has_the_step_of_its_tracing_unless_it_is_a_variable(tmp_path):
    step = tf.Variable(1, dtype=tf.int64)

    @tf.function
    def write():
        tf.summary.scalar("a", 1.0)

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=step):
        write()
        step.assign(5)
        write()
    writer.close()
    assert [v[0] for v in values(tmp_path)] == [1, 5]


def test_record_if(tmp_path):
    calls = []

    def condition():
        calls.append(1)
        return len(calls) % 2 == 0

    def write():
        with tf.summary.record_if(condition):
            for step in range(4):
                tf.summary.scalar("called", 1.0, step=step)
        with tf.summary.record_if(tf.constant(False)):
            assert not tf.summary.scalar("no", 1.0, step=0).numpy()
            with tf.summary.record_if(True):
                assert tf.summary.scalar("yes", 1.0, step=0).numpy()
        assert tf.summary.should_record_summaries().numpy()

    assert [v[:2] for v in written(tmp_path, write)] == [
        (1, "called"),
        (3, "called"),
        (0, "yes"),
    ]


def test_record_if_of_a_tensor_in_a_function(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def write(step):
        with writer.as_default(), tf.summary.record_if(lambda: step % 2 == 0):
            return tf.summary.image("i", tf.zeros([1, 2, 3, 1]), step=step)

    wrote = [write(tf.constant(i, tf.int64)).numpy() for i in range(4)]
    writer.close()
    assert wrote == [True, False, True, False]
    assert [v[0] for v in values(tmp_path)] == [0, 2]


@pytest.mark.parametrize("traced", [False, True])
def test_histograms(tmp_path, traced):
    data = np.random.default_rng(0).normal(size=(20, 5))

    def write():
        tf.summary.histogram("some", data, step=0, buckets=7)
        tf.summary.histogram("default", data.astype(np.float32), step=0)
        tf.summary.histogram("equal", [3, 3, 3], step=0, buckets=4)
        tf.summary.histogram("empty", tf.zeros([0]), step=0, buckets=4)
        tf.summary.histogram("none", data, step=0, buckets=0)

    found = written(tmp_path, tf.function(write) if traced else write)
    some, default, equal, empty, none = (v[3] for v in found)
    counts, edges = np.histogram(data, 7)
    np.testing.assert_allclose(some, np.stack([edges[:-1], edges[1:], counts], 1))
    assert some.dtype == np.float64 and default.shape == (30, 3)
    assert default[:, 2].sum() == 100 and default[-1, 1] == data.astype("f4").max()
    assert equal.tolist() == [[3, 3, 0]] * 3 + [[3, 3, 3]]
    assert empty.tolist() == [[0, 0, 0]] * 4 and none.shape == (0, 3)


def test_images(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 4, 3, 3), np.uint8)

    def write():
        tf.summary.image("bytes", pixels, step=0)
        tf.summary.image("floats", pixels / np.float32(255), step=0, max_outputs=1)
        with pytest.raises(ValueError, match="must have rank 4"):
            tf.summary.image("bad", pixels[0], step=0)

    as_bytes, as_floats = written(tmp_path, write)
    assert as_bytes[2] == "images"
    assert as_bytes[3].tolist()[:2] == [b"3", b"4"] and len(as_bytes[3]) == 5
    for i in range(3):
        np.testing.assert_array_equal(
            tf.io.decode_png(as_bytes[3][2 + i]).numpy(), pixels[i]
        )
    np.testing.assert_array_equal(tf.io.decode_png(as_floats[3][2]).numpy(), pixels[0])


@pytest.mark.parametrize("traced", [False, True])
def test_sounds(tmp_path, traced):
    sound = np.sin(np.arange(200, dtype=np.float32) / 5).reshape(2, 50, 2) / 2

    def write():
        tf.summary.audio("tone", sound, 8000, step=0, max_outputs=1)
        with pytest.raises(ValueError, match="Unknown encoding: 'mp3'"):
            tf.summary.audio("tone", sound, 8000, step=0, encoding="mp3")

    ((_, _, plugin, files),) = written(
        tmp_path, tf.function(write) if traced else write
    )
    assert plugin == "audio" and files.shape == (1, 2) and files[0, 1] == b""
    decoded, rate = tf.audio.decode_wav(files[0, 0])
    assert rate.numpy() == 8000
    np.testing.assert_allclose(decoded.numpy(), sound[0], atol=1e-4)


def test_texts(tmp_path):
    def write():
        tf.summary.text("t", [["a", "b"], ["c", "é"]], step=0)
        with pytest.raises(TypeError, match="must be of type tf.string"):
            tf.summary.text("t", 3, step=0)

    ((_, _, plugin, texts),) = written(tmp_path, write)
    assert plugin == "text"
    assert texts.tolist() == [[b"a", b"b"], [b"c", "é".encode()]]


def test_any_tensor_with_its_metadata(tmp_path):
    metadata = tf.compat.v1.Summary().value.add().metadata
    metadata.plugin_data.plugin_name = "mine"
    arrays = [np.arange(6).astype(t).reshape(2, 3) for t in "f2 i8 u1 c8 ?".split()]

    def write():
        for array in arrays:
            tf.summary.write("x", array, step=0, metadata=metadata)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.summary.write("x", 1, step=0, metadata=b"\xff")

    for (_, _, plugin, got), array in zip(
        written(tmp_path, write), arrays, strict=True
    ):
        assert plugin == "mine" and got.dtype == array.dtype
        np.testing.assert_array_equal(got, array)


def test_raw_messages(tmp_path):
    message = tf.compat.v1.Summary()
    message.value.add(tag="a", simple_value=0.5)

    def write():
        tf.summary.experimental.write_raw_pb([message.SerializeToString()] * 2, step=3)
        with pytest.raises(tf.errors.DataLossError, match="at index 1"):
            tf.summary.experimental.write_raw_pb(["", b"\xff"], step=3)

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        write()
    writer.close()
    (event,) = events(tmp_path)
    assert [value.simple_value for value in event.summary.value] == [0.5] * 2


def test_graphs(tmp_path):
    f = tf.function(lambda x: tf.sin(x) * 2)
    graph = f.get_concrete_function(1.0).graph

    def write():
        assert tf.summary.graph(graph).numpy()
        assert tf.summary.graph(graph.as_graph_def()).numpy()
        with pytest.raises(ValueError, match="not tf.Graph"):
            tf.summary.graph(3)

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        write()
    writer.close()
    for event in events(tmp_path):
        message = tf.compat.v1.GraphDef.FromString(event.graph_def)
        assert {"Sin", "Mul"} <= {node.op for node in message.node}


def collected(folder) -> list[tuple[str, list[str], list[str]]]:
    """(tag, ops, functions) of each graph that was exported."""
    from graphkiln import _proto

    found = []
    for _, tag, plugin, value in values(folder):
        assert plugin == "graph_run_metadata_graph"
        for each in _proto.RunMetadata.FromString(value.item()).function_graphs:
            graph = each.pre_optimization_graph
            names = [f.signature.name for f in graph.library.function]
            found.append((tag, [node.op for node in graph.node], names))
    return found


def test_graphs_as_they_run(tmp_path):
    from graphkiln import _proto

    f = tf.function(lambda x: x * (tf.constant(2.0) * tf.constant(3.0)))
    tf.summary.trace_on()
    f(tf.constant(1.0))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("folded", step=0)
    ((_, _, _, value),) = values(tmp_path)
    (told,) = _proto.RunMetadata.FromString(value.item()).function_graphs

    def products(graph) -> int:
        return sum(node.op == "Mul" for node in graph.node)

    assert products(told.pre_optimization_graph) == 2
    assert products(told.post_optimization_graph) == 1
    (partition,) = told.partition_graphs
    assert partition == told.post_optimization_graph


def test_graphs_of_the_functions_that_were_called(tmp_path):
    inner = tf.function(lambda x: tf.sin(x))

    @tf.function
    def looped(x):
        for _ in tf.range(3):
            x = inner(x)
        return x

    other = tf.function(lambda x: tf.cos(x))
    other(1.0)
    x = tf.constant(1.0)
    looped(x)
    tf.summary.trace_on()
    thread = threading.Thread(target=lambda: looped(x))
    thread.start()
    thread.join()
    looped(x)
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("looped", step=0)
        with pytest.raises(ValueError, match="Must enable trace before export"):
            tf.summary.trace_export("looped", step=0)
    ((tag, ops, functions),) = collected(tmp_path)
    assert tag == "looped" and {"While", "StatelessWhile"} & set(ops)
    assert any("lambda" in name for name in functions)
    tf.summary.trace_on()
    tf.summary.trace_off()


def test_a_closed_writer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    handle = writer._resource
    writer.close()
    writer.close()
    writer.flush()
    for use in (writer.init, writer.as_default, writer.set_as_default):
        with pytest.raises(RuntimeError, match="already closed"):
            use()
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        tf.raw_ops.WriteScalarSummary(writer=handle, step=0, tag="a", value=1.0)


def test_what_cannot_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.summary.create_file_writer(str(tmp_path / "file" / "logs"))
    with pytest.raises(tf.errors.UnimplementedError, match="data bases"):
        tf.raw_ops.CreateSummaryDbWriter(
            writer=tf.raw_ops.SummaryWriter(),
            db_uri="a",
            experiment_name="b",
            run_name="c",
            user_name="d",
        )


def test_writers_of_a_function_are_made_once(tmp_path):
    @tf.function
    def write(x):
        with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
            tf.summary.scalar("a", x)

    write(tf.constant(1.0))
    write(tf.constant(2.0))
    assert len(list(tmp_path.iterdir())) == 1

    @tf.function
    def bad(folder):
        tf.summary.create_file_writer(folder)

    with pytest.raises(ValueError, match="cannot consume graph tensors"):
        bad(tf.constant(str(tmp_path)))
