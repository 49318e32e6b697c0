"""Checkpoints of TensorFlow's first format, of parts of variables, and of objects
as savers read them, in both directions."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

pytestmark = pytest.mark.filterwarnings("ignore")

# What TensorFlow writes in the first format.
DTYPES = (
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 "
    "complex128 string"
).split()
LIBRARIES = [gk, tf]


def variables(t):
    made = []
    for name in DTYPES:
        if name == "string":
            value = t.constant([["a", "", "x" * 300]])
        else:
            value = t.cast(t.constant([[0, 1, 2], [3, 4, 100]]), getattr(t, name))
        made.append(t.Variable(value, name=name))
    made.append(t.Variable(t.zeros([0, 3]), name="scope/empty"))
    made.append(t.Variable(2.5, name="scope/scalar"))
    return made


def write(t, path, **how):
    with t.Graph().as_default(), t.compat.v1.Session() as session:
        saver = t.compat.v1.train.Saver(variables(t), write_version=1, **how)
        session.run(t.compat.v1.global_variables_initializer())
        return saver.save(session, path, global_step=3)


def shown(t, path):
    reader = t.train.load_checkpoint(path)
    named = {}
    for name, shape in t.train.list_variables(path):
        dtype = reader.get_variable_to_dtype_map()[name]
        # TensorFlow's reader knows less types of this format than its ops.
        value = t.raw_ops.Restore(file_pattern=path, tensor_name=name, dt=dtype)
        named[name] = (shape, dtype.name, value.numpy().tolist())
    lines = sorted(reader.debug_string().decode().splitlines())
    return named, lines


@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("how", [{}, {"sharded": True}])
def test_the_first_format_goes_both_ways(tmp_path, writer, how):
    path = write(writer, str(tmp_path / "m"), **how)
    assert path.removeprefix(str(tmp_path)) == (
        "/m-3-?????-of-00001" if how else "/m-3"
    )
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == [
        "checkpoint",
        "m-3-00000-of-00001" if how else "m-3",
        "m-3.meta",
    ]
    ours, theirs = shown(gk, path), shown(tf, path)
    assert ours == theirs
    assert len(ours[0]) == len(DTYPES) + 2
    for t in LIBRARIES:
        assert t.compat.v1.train.checkpoint_exists(path)
        assert len(t.compat.v1.train.get_checkpoint_mtimes([path])) == 1
        assert t.train.latest_checkpoint(str(tmp_path)) == path
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            again = variables(t)
            t.compat.v1.train.Saver(again).restore(session, path)
            named = {v.name[:-2]: np.asarray(session.run(v)).tolist() for v in again}
        assert named == {name: value for name, (_, _, value) in ours[0].items()}
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            saver = t.compat.v1.train.import_meta_graph(str(tmp_path / "m-3.meta"))
            saver.restore(session, path)
            assert session.run("scope/scalar/Read/ReadVariableOp:0") == 2.5
            again = saver.save(session, str(tmp_path / t.__name__), write_state=False)
        assert shown(gk, again) == ours


@pytest.mark.parametrize("t", LIBRARIES)
def test_variables_of_the_first_format_by_name(tmp_path, t):
    path = write(tf, str(tmp_path / "m"))
    v = t.Variable(0.0, name="scope/scalar")
    status = t.train.Checkpoint(v=v).restore(path)
    status.assert_existing_objects_matched()
    assert v.numpy() == 2.5


def test_old_files_go(tmp_path):
    kept = []
    for t in LIBRARIES:
        folder = tmp_path / t.__name__
        folder.mkdir()
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            v = t.Variable(0.0, name="v")
            saver = t.compat.v1.train.Saver([v], max_to_keep=1, write_version=1)
            session.run(v.initializer)
            for step in range(3):
                saver.save(session, str(folder / "m"), global_step=step)
        kept.append(sorted(p.name for p in folder.iterdir()))
    assert kept[0] == kept[1] == ["checkpoint", "m-2", "m-2.meta"]


def partitioned(version, path):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(3)):
            w = v1.get_variable("w", [7, 2], initializer=tf.random_normal_initializer())
            b = v1.get_variable("b", [7], initializer=tf.random_normal_initializer())
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver([w, b], write_version=version).save(session, path)
        return path, session.run([w.as_tensor(), b.as_tensor()])


@pytest.mark.parametrize("version", [1, 2])
def test_parts_of_variables(tmp_path, version):
    path, (w, b) = partitioned(version, str(tmp_path / "m"))
    reader = gk.train.load_checkpoint(path)
    assert reader.get_variable_to_shape_map() == {"p/w": [7, 2], "p/b": [7]}
    np.testing.assert_array_equal(reader.get_tensor("p/w"), w)
    with gk.Graph().as_default(), gk.compat.v1.Session() as session:
        ours = gk.Variable(gk.zeros([7, 2]), name="p/w")
        saver = gk.compat.v1.train.Saver([ours])
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(ours), w)
    for text, want in (
        ("", w),
        ("7 2 3,2:-", w[3:5]),
        ("7 2 2,4:1,1", w[2:6, 1:]),
        ("7 2 -:0,1", w[:, :1]),
    ):
        for raw in (gk.raw_ops, tf.raw_ops):
            (part,) = raw.RestoreV2(
                prefix=path,
                tensor_names=["p/w"],
                shape_and_slices=[text],
                dtypes=[gk.float32 if raw is gk.raw_ops else tf.float32],
            )
            np.testing.assert_array_equal(part, want)
    part = gk.raw_ops.RestoreSlice(
        file_pattern=path, tensor_name="p/b", shape_and_slice="7 1,2", dt=gk.float32
    )
    np.testing.assert_array_equal(part, b[1:3])


def test_parts_are_written(tmp_path):
    path = str(tmp_path / "parts")
    a = np.arange(12, dtype=np.int32).reshape(4, 3)
    gk.raw_ops.SaveSlices(
        filename=path,
        tensor_names=["a", "a", "b"],
        shapes_and_slices=["4 3 0,1:-", "4 3 1,3:-", ""],
        data=[a[:1], a[1:], gk.constant("word")],
    )
    for t in LIBRARIES:
        restore = t.raw_ops.Restore
        value = restore(file_pattern=path, tensor_name="a", dt=t.int32)
        np.testing.assert_array_equal(value, a)
        assert t.train.load_variable(path, "b") == b"word"
    value = tf.raw_ops.Restore(file_pattern=path, tensor_name="b", dt=tf.string)
    assert value.numpy() == b"word"
    gk.raw_ops.Save(filename=path, tensor_names=["c"], data=[gk.constant(1.5)])
    value = tf.raw_ops.Restore(file_pattern=path, tensor_name="c", dt=tf.float32)
    assert value.numpy() == 1.5


def objects(t, path):
    root = t.Module()
    root.a = t.Variable([1.0, 2.0], name="a")
    root.b = t.Variable(3, name="scope/b")
    return t.train.Checkpoint(root=root).save(path)


@pytest.mark.parametrize("writer", LIBRARIES)
def test_savers_read_checkpoints_of_objects(tmp_path, writer):
    path = objects(writer, str(tmp_path / "ckpt"))
    failures = []
    for t in LIBRARIES:
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            a = t.Variable([0.0, 0.0], name="a")
            b = t.Variable(0, name="scope/b")
            saver = t.compat.v1.train.Saver()
            for _ in range(2):
                saver.restore(session, path)
            assert session.run(a).tolist() == [1.0, 2.0]
            assert session.run(b) == 3
            c = t.Variable(0, name="c")
            with pytest.raises(t.errors.NotFoundError) as missing:
                t.compat.v1.train.Saver([a, c]).restore(session, path)
            failures.append(str(missing.value).strip().splitlines()[:6])
        a = t.Variable([0.0, 0.0], name="a")
        t.compat.v1.train.Saver([a]).restore(None, path)
        assert a.numpy().tolist() == [1.0, 2.0]
    assert failures[0][:3] == failures[1][:3]
    assert "not in the checkpoint: c" in failures[0][0]


def failure(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001 - its kind is what is asked for
        return type(error).__name__
    return None


@pytest.mark.parametrize("how", [{}, {"sharded": True}])
def test_readers_by_pattern(tmp_path, how):
    path = write(tf, str(tmp_path / "m"), **how)
    shown = []
    for t in LIBRARIES:
        reader = t.compat.v1.train.NewCheckpointReader(path)
        shown.append(
            (reader.get_variable_to_shape_map(), reader.get_tensor("float32").tolist())
        )
        with pytest.raises(t.errors.NotFoundError):
            t.compat.v1.train.NewCheckpointReader(str(tmp_path / "none"))
    assert shown[0] == shown[1]


def test_what_is_no_checkpoint(tmp_path):
    text = tmp_path / "text"
    text.write_text("no table" * 20)
    path = write(tf, str(tmp_path / "m"))
    damaged = bytearray((tmp_path / "m-3").read_bytes())
    damaged[len(damaged) // 3] ^= 4
    (tmp_path / "bad").write_bytes(damaged)
    (tmp_path / "short").write_bytes(damaged[:-7])
    shown = []
    for t in LIBRARIES:
        read = t.train.load_checkpoint
        shown.append(
            [
                failure(lambda r=read: r(str(text))),
                failure(lambda r=read: r(str(tmp_path / "none"))),
                failure(lambda r=read: r(str(tmp_path / "short"))),
                failure(lambda r=read: r(path).get_tensor("none")),
            ]
        )
    assert shown[0] == shown[1]
    with pytest.raises(gk.errors.DataLossError, match="bad: .* checksum mismatch"):
        for name in DTYPES:
            gk.train.load_variable(str(tmp_path / "bad"), name)
    with pytest.raises(gk.errors.DataLossError, match="text: .*bad magic number"):
        gk.train.load_checkpoint(str(text))
