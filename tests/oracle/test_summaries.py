"""The same program writes an event file with both modules, and both read both."""

from __future__ import annotations

import glob
import importlib.util

import numpy as np
import pytest

# What TensorFlow's functions for numbers, pictures and the like are in.
needs_tensorboard = pytest.mark.skipif(
    importlib.util.find_spec("tensorboard") is None,
    reason="TensorFlow's tf.summary.scalar and the like need tensorboard",
)


def read(tf, folder) -> list[tuple]:
    """What each event says, but when it was written."""
    (path,) = glob.glob(str(folder) + "/*")
    told = []
    for event in tf.compat.v1.train.summary_iterator(path):
        said = [event.step, event.WhichOneof("what"), event.file_version]
        said.append(event.source_metadata.SerializeToString())
        assert event.wall_time > 1e9
        for value in event.summary.value:
            said += [
                value.tag,
                value.node_name,
                value.WhichOneof("value"),
                value.metadata.SerializeToString(),
                value.simple_value,
                value.histo.SerializeToString(deterministic=True),
                value.audio.SerializeToString(),
            ]
            if value.HasField("image"):
                image = value.image
                said += [image.height, image.width, image.colorspace]
                said.append(pixels(tf, image.encoded_image_string))
            if value.HasField("tensor"):
                array = tf.make_ndarray(value.tensor)
                said += [value.tensor.dtype, array.shape]
                said.append(elements(tf, array))
        told.append(tuple(said))
    return told


def pixels(tf, png: bytes) -> list:
    return tf.io.decode_png(png).numpy().tolist()


def elements(tf, array) -> list:
    if array.dtype != object:
        return array.ravel().tolist()
    return [
        pixels(tf, each) if each.startswith(b"\x89PNG") else each for each in array.flat
    ]


def same_events(both, tmp_path, program) -> list[tuple]:
    folders = []
    for tf in (both.theirs, both.ours):
        folders.append(tmp_path / tf.__name__)
        program(tf, str(folders[-1]))
    told = [read(tf, folder) for folder in folders for tf in (both.theirs, both.ours)]
    for other in told[1:]:
        assert other == told[0]
    assert len(told[0]) > 1
    return told[0]


def writing(write):
    """A program that writes to a folder what `write(tf)` does, eagerly."""

    def program(tf, folder):
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default(step=3):
            write(tf)
        writer.close()

    return program


def random(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def scalars(tf):
    tf.summary.scalar("a", 1)
    tf.summary.scalar("a b/ü", 2.5, step=np.int32(7), description="*long*")
    with tf.name_scope("x"), tf.name_scope("y"):
        tf.summary.scalar("a", tf.constant(3, tf.int64))
        tf.summary.scalar("a", True)


def histograms(tf):
    tf.summary.histogram("some", random(100), buckets=7)
    tf.summary.histogram("default", random(10, 10))
    tf.summary.histogram("ints", [1, 2, 2, 5], buckets=3, description="d")
    tf.summary.histogram("equal", [3.0, 3.0], buckets=3)
    tf.summary.histogram("empty", tf.zeros([0, 2]), buckets=3)
    tf.summary.histogram("none", [1.0, 2.0], buckets=0)
    tf.summary.histogram("negative", [1.0, 2.0], buckets=-2)


def images(tf):
    tf.summary.image("floats", np.abs(random(5, 4, 3, 3)), max_outputs=4)
    tf.summary.image("bytes", np.arange(24, dtype=np.uint8).reshape(2, 3, 4, 1))
    tf.summary.image("wide", np.arange(24, dtype=np.uint16).reshape(2, 3, 4, 1) * 1000)
    tf.summary.image("none", tf.zeros([2, 3, 4, 4]), max_outputs=0)


def sounds(tf):
    tf.summary.audio("tone", random(2, 30, 2) / 2, 8000)
    tf.summary.audio("one", random(2, 30, 1) / 2, 44100, max_outputs=1, encoding="wav")
    tf.summary.audio("none", random(0, 30, 1), 44100, description="d")


def texts(tf):
    tf.summary.text("one", "*a*")
    tf.summary.text("some", [["a", "b"], ["c", "ü"]], description="d")


@needs_tensorboard
@pytest.mark.parametrize("write", [scalars, histograms, images, sounds, texts])
def test_pages_of_tensorboard(both, tmp_path, write):
    same_events(both, tmp_path, writing(write))


@needs_tensorboard
@pytest.mark.parametrize("write", [scalars, histograms, images, sounds, texts])
def test_pages_of_tensorboard_in_functions(both, tmp_path, write):
    same_events(both, tmp_path, writing(lambda tf: tf.function(lambda: write(tf))()))


@needs_tensorboard
def test_conditions_and_loops(both, tmp_path):
    def program(tf, folder):
        writer = tf.summary.create_file_writer(folder, max_queue=1)
        count = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def train(x):
            count.assign_add(1)
            with writer.as_default(step=count):
                with tf.summary.record_if(lambda: count % 2 == 0):
                    tf.summary.scalar("even", x)
                    tf.summary.histogram("even", [x, x + 1], buckets=2)
                for i in tf.range(2):
                    tf.summary.scalar("inner", i)
                if x > 1:
                    tf.summary.text("large", "yes")
            return x

        for i in range(4):
            train(tf.constant(float(i)))
        writer.close()

    same_events(both, tmp_path, program)


def test_tensors(both, tmp_path):
    def write(tf):
        for dtype in "f2 f4 f8 i1 i4 i8 u1 u8 c8 c16 ?".split():
            tf.summary.write("t", np.arange(6).astype(dtype).reshape(2, 3))
        tf.summary.write("bfloat", tf.constant([1.5, 2.0], tf.bfloat16))
        tf.summary.write(
            "texts", [["a", "b"], ["", "ü"]], metadata=b"\x0a\x03\x0a\x01x"
        )
        tf.summary.write("scalar", 3)
        tf.summary.write("late", lambda: tf.constant([1.0]))
        metadata = tf.compat.v1.Summary.Value().metadata
        metadata.display_name = "shown"
        tf.summary.write("empty", tf.zeros([0, 3]), metadata=metadata)

    same_events(both, tmp_path, writing(write))


def test_old_forms(both, tmp_path):
    def program(tf, folder):
        writer = tf.summary.create_file_writer(folder)
        raw, to = tf.raw_ops, {"writer": writer._resource, "step": 4}
        for dtype in (tf.float32, tf.float64, tf.int32, tf.uint8, tf.half):
            raw.WriteScalarSummary(tag="s", value=tf.constant(3, dtype), **to)
        for values in (random(50), [0.0], [-1e30, 1e30, 1e-20], np.arange(5), [True]):
            raw.WriteHistogramSummary(tag="h", values=values, **to)
        raw.WriteHistogramSummary(tag="h", values=tf.zeros([0]), **to)
        red = tf.constant([255, 0, 0, 255], tf.uint8)
        bad = random(2, 3, 4, 3)
        bad[0, 1, 1, 2], bad[1, 0, 0, 0] = np.nan, np.inf
        for tensor, most in (
            (random(2, 3, 4, 1), 3),
            (np.abs(random(2, 3, 4, 4)), 1),
            (tf.constant(np.abs(random(2, 3, 4, 3)), tf.float16), 2),
            (tf.constant(np.arange(24).reshape(2, 3, 4, 1), tf.uint8), 2),
            (tf.zeros([1, 2, 2, 1], tf.float64), 1),
            (bad, 2),
        ):
            raw.WriteImageSummary(
                tag="i", tensor=tensor, bad_color=red, max_images=most, **to
            )
        raw.WriteAudioSummary(
            tag="a", tensor=random(2, 30, 2) / 2, sample_rate=8000.4, **to
        )
        raw.WriteAudioSummary(
            tag="a", tensor=random(2, 30), sample_rate=8e3, max_outputs=1, **to
        )
        raw.WriteRawProtoSummary(
            tensor=[raw.ScalarSummary(tags=["a", "b"], values=[1.0, 2.0]).numpy()] * 2,
            **to,
        )
        writer.close()

    same_events(both, tmp_path, program)


def test_graphs_are_written_whole(both, tmp_path):
    for tf in (both.theirs, both.ours):
        graph = (
            tf.function(lambda x: x * 2)
            .get_concrete_function(tf.TensorSpec([], tf.float32))
            .graph
        )
        folder = tmp_path / tf.__name__
        writing(lambda tf, graph=graph: tf.summary.graph(graph))(tf, str(folder))
        for reader in (both.theirs, both.ours):
            events = list(
                reader.compat.v1.train.summary_iterator(glob.glob(f"{folder}/*")[0])
            )
            assert [event.step for event in events] == [0, 0]
            message = reader.compat.v1.GraphDef.FromString(events[1].graph_def)
            assert "Mul" in [node.op for node in message.node]


def test_serialized_summaries(both):
    def made(tf):
        raw = tf.raw_ops
        scalar = raw.ScalarSummary(tags=["a", "b"], values=[1, 2])
        return [
            scalar,
            raw.ScalarSummary(tags="a", values=1.5),
            raw.HistogramSummary(tag="h", values=[1.0, 2.0, -3.0, 0.0]),
            raw.AudioSummaryV2(tag="s", tensor=random(2, 30) / 2, sample_rate=8000.0),
            raw.TensorSummary(tensor=[1.0, 2.0]),
            raw.TensorSummary(tensor=["a", "b"]),
            raw.TensorSummaryV2(
                tag="t", tensor=[[1]], serialized_summary_metadata=b"\xff"
            ),
            raw.MergeSummary(inputs=[scalar, raw.TensorSummary(tensor=3)]),
        ]

    both.agree(made)


@pytest.mark.parametrize(
    "call",
    [
        lambda tf: tf.raw_ops.ScalarSummary(tags=["a", "b"], values=[1.0]),
        lambda tf: tf.raw_ops.HistogramSummary(tag="a", values=[float("nan")]),
        lambda tf: tf.raw_ops.HistogramSummary(tag=["a"], values=[1.0]),
        lambda tf: tf.raw_ops.AudioSummaryV2(tag="a", tensor=[[1.0]], sample_rate=0.0),
        lambda tf: tf.raw_ops.AudioSummaryV2(tag="a", tensor=[1.0], sample_rate=1.0),
        lambda tf: tf.raw_ops.MergeSummary(inputs=[b"\xff"]),
        lambda tf: tf.raw_ops.MergeSummary(
            inputs=[tf.raw_ops.ScalarSummary(tags="a", values=1.0)] * 2
        ),
        lambda tf: tf.summary.trace_export("x"),
        lambda tf: tf.summary.flush(3),
    ],
)
def test_what_is_refused(both, call):
    both.agree_on_error(call)


@pytest.mark.parametrize(
    "call",
    [
        lambda tf: tf.summary.write("a", 1.0),
        lambda tf: tf.summary.write("a", 1.0, step=[1, 2]),
        lambda tf: tf.summary.write("a", 1.0, step=1.5),
        lambda tf: tf.summary.write(3, 1.0, step=1),
        lambda tf: tf.summary.graph(3),
        lambda tf: tf.summary.experimental.write_raw_pb(b""),
        lambda tf: tf.summary.experimental.write_raw_pb(b"\xff", step=1),
        lambda tf: tf.function(lambda: tf.summary.write("a", 1.0))(),
    ],
)
def test_what_a_writer_refuses(both, tmp_path, call):
    def refused(tf):
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default():
            call(tf)

    both.agree_on_error(refused)


def test_programs_of_version_one(both, tmp_path):
    def program(tf, folder):
        v1 = tf.compat.v1
        with tf.Graph().as_default() as graph, v1.Session() as session:
            x = v1.placeholder(tf.float32, [None])
            with tf.name_scope("scope"):
                v1.summary.scalar("sum", tf.reduce_sum(x))
                v1.summary.scalar("sum", tf.reduce_max(x), family="fam")
            v1.summary.histogram("his to", x)
            v1.summary.image("grey", tf.reshape(x, [1, 2, 2, 1]), max_outputs=1)
            v1.summary.audio("tone", tf.reshape(x / 9, [1, 4]), 8000)
            v1.summary.text("note", tf.constant(["a", "b"]))
            v1.summary.tensor_summary("all", x, summary_description="d")
            merged = v1.summary.merge_all()
            some = v1.summary.merge([v1.summary.scalar("more", 1.0)])
            writer = v1.summary.FileWriter(folder)
            for step in range(3):
                feed = {x: [1.0, 2.0, 3.0, float(step)]}
                writer.add_summary(session.run(merged, feed), step)
            writer.add_summary(session.run(some))
            writer.add_session_log(
                v1.SessionLog(status=v1.SessionLog.START, msg="on"), 7
            )
            assert graph.get_collection(v1.GraphKeys.SUMMARIES)
            writer.close()

    same_events(both, tmp_path, program)


def test_names_of_merged_summaries(both):
    def names(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            part = v1.summary.scalar("a", 0.5)
            made = [v1.summary.merge([part]), v1.summary.merge([part], name="x")]
            with tf.name_scope("s"):
                made.append(v1.summary.merge([part]))
            made.append(v1.summary.merge_all())
            return [tensor.name for tensor in made]

    assert names(both.ours) == names(both.theirs)
