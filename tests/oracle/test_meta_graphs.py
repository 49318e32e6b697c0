"""Meta graphs, savers and parts of graphs against TensorFlow's, in both
directions."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

pytestmark = pytest.mark.filterwarnings("ignore")


def build(t):
    """A model of two variables, and collections of all kinds."""
    v1 = t.compat.v1
    x = v1.placeholder(t.float32, [None, 2], name="x")
    v = t.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    with v1.variable_scope("layer"):
        b = v1.get_variable("b", [2], initializer=v1.ones_initializer())
    t.Variable(5, trainable=False, name="steps", dtype=t.int32)
    y = t.add(t.matmul(t.identity(x, name="in"), v), b, name="y")
    t.gather(v, [0], name="row")
    for key, value in (
        ("outputs", y),
        ("numbers", 3),
        ("rates", 0.5),
        ("texts", b"t"),
        ("words", "a"),
        ("doing", y.op),
    ):
        v1.add_to_collection(key, value)
    return y


FEED = {"x:0": [[1.0, 1.0], [2.0, 0.0]]}


def trained(t, folder, **how):
    """Builds, changes and saves; the path."""
    with t.Graph().as_default(), t.compat.v1.Session() as session:
        build(t)
        saver = t.compat.v1.train.Saver(**how)
        session.run(t.compat.v1.global_variables_initializer())
        session.run(t.compat.v1.global_variables()[0].assign([[1.0, 0.0], [2.0, 5.0]]))
        return saver.save(session, str(folder / "model"), global_step=7)


def restored(t, path, scope=None):
    with t.Graph().as_default() as graph, t.compat.v1.Session() as session:
        saver = t.compat.v1.train.import_meta_graph(path + ".meta", import_scope=scope)
        saver.restore(session, path)
        prefix = f"{scope}/" if scope else ""
        feed = {prefix + name: value for name, value in FEED.items()}
        names = [
            prefix + name for name in ("y:0", "row:0", "steps/Read/ReadVariableOp:0")
        ]
        kept = [
            [getattr(v, "name", v) for v in graph.get_collection(key)]
            for key in ("variables", "trainable_variables", "outputs", "doing")
        ]
        # Below a scope TensorFlow takes texts for names and numbers for mistakes.
        for key in ("numbers", "rates", "texts", "words"):
            kept.append(None if scope else graph.get_collection(key))
        values = [np.asarray(v).tolist() for v in session.run(names, feed)]
        again = saver.save(session, path + "-again", write_meta_graph=False)
        return values, kept, again.removeprefix(path)


@pytest.mark.parametrize("how", [{}, {"sharded": True}])
@pytest.mark.parametrize("scope", [None, "inside"])
def test_both_read_what_both_write(tmp_path, how, scope):
    shown = []
    for i, writer in enumerate((gk, tf)):
        folder = tmp_path / str(i)
        folder.mkdir()
        path = trained(writer, folder, **how)
        assert tf.train.latest_checkpoint(str(folder)) == path
        assert gk.train.latest_checkpoint(str(folder)) == path
        shown += [restored(reader, path, scope) for reader in (gk, tf)]
    for other in shown:
        assert other == shown[0]
    assert shown[0][0] == [[[4.0, 6.0], [3.0, 1.0]], [[1.0, 0.0]], 5]


def described(t, **how):
    """What a meta graph says, but values of constants and versions."""
    with t.Graph().as_default():
        build(t)
        message = t.compat.v1.train.Saver().export_meta_graph(**how)
    for node in message.graph_def.node:
        assert how.get("clear_devices") is None or not node.device
    return (
        [
            (n.name, n.op, list(n.input))
            for n in message.graph_def.node
            if n.name.startswith("save")
        ],
        # TensorFlow gathers from variables by an op of its own.
        [
            op.name
            for op in message.meta_info_def.stripped_op_list.op
            if op.name not in ("GatherV2", "ResourceGather")
        ],
        message.saver_def.SerializeToString(deterministic=True),
        {
            key: value.SerializeToString(deterministic=True)
            for key, value in message.collection_def.items()
        },
    )


def test_meta_graphs_say_the_same():
    ours, theirs = described(gk), described(tf)
    assert ours == theirs
    chosen = {"collection_list": ["numbers", "variables"], "clear_devices": True}
    assert described(gk, **chosen) == described(tf, **chosen)


def test_text_files(tmp_path):
    with tf.Graph().as_default():
        build(tf)
        file = str(tmp_path / "m.pbtxt")
        tf.compat.v1.train.export_meta_graph(file, as_text=True)
    with gk.Graph().as_default() as graph:
        assert gk.compat.v1.train.import_meta_graph(file) is not None
        assert graph.get_tensor_by_name("y:0").shape.as_list() == [None, 2]
        gk.compat.v1.train.export_meta_graph(file, as_text=True)
    with tf.Graph().as_default():
        assert tf.compat.v1.train.import_meta_graph(file) is not None


def frozen(t, outputs, **how):
    with t.Graph().as_default() as graph, t.compat.v1.Session() as session:
        build(t)
        session.run(t.compat.v1.global_variables_initializer())
        return t.compat.v1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), outputs, **how
        )


def run(t, message, outputs):
    definition = t.compat.v1.GraphDef.FromString(message.SerializeToString())
    with t.Graph().as_default(), t.compat.v1.Session() as session:
        t.graph_util.import_graph_def(definition, name="")
        return [v.tolist() for v in session.run([o + ":0" for o in outputs], FEED)]


def test_variables_become_constants():
    outputs = ["y", "row"]
    values = []
    for writer in (gk, tf):
        message = frozen(writer, outputs)
        assert not [n for n in message.node if n.op == "VarHandleOp"]
        names = {n.name for n in message.node}
        assert {"v", "layer/b", "x", "in", "MatMul", "y", "row"} <= names
        bare = writer.compat.v1.graph_util.remove_training_nodes(message, outputs)
        assert "in" not in {n.name for n in bare.node}
        values += [run(t, m, outputs) for t in (gk, tf) for m in (message, bare)]
    assert all(v == values[0] for v in values)
    for t in (gk, tf):
        message = frozen(t, ["y"], variable_names_blacklist=["layer/b"])
        left = [n.name for n in message.node if n.op == "VarHandleOp"]
        assert left == ["layer/b"]
        with pytest.raises(AssertionError, match="nothing is not in graph"):
            frozen(t, ["nothing"])


def test_parts_of_graphs():
    with tf.Graph().as_default() as graph:
        build(tf)
        definition = graph.as_graph_def()
    ours = gk.compat.v1.GraphDef.FromString(definition.SerializeToString())
    util, theirs = gk.compat.v1.graph_util, tf.compat.v1.graph_util
    for names in (["y"], ["row", "in"], ["layer/b/Assign"]):
        part = util.extract_sub_graph(ours, names)
        want = theirs.extract_sub_graph(definition, names)
        assert [n.name for n in part.node] == [n.name for n in want.node]
        rest = util.remove_training_nodes(part)
        want = theirs.remove_training_nodes(want)
        assert [(n.name, list(n.input)) for n in rest.node] == [
            (n.name, list(n.input)) for n in want.node
        ]
    for a, b in zip(ours.node, definition.node, strict=True):
        assert util.must_run_on_cpu(a) == theirs.must_run_on_cpu(b)
    with pytest.raises(TypeError, match="must be an iterable of strings"):
        util.extract_sub_graph(ours, "y")


def test_old_checkpoints_go(tmp_path):
    files = []
    for i, t in enumerate((gk, tf)):
        folder = tmp_path / str(i)
        folder.mkdir()
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            v = t.Variable(0.0, name="v")
            saver = t.compat.v1.train.Saver(
                {"w": v}, max_to_keep=2, pad_step_number=True
            )
            session.run(v.initializer)
            for step in range(4):
                saver.save(session, str(folder / "m"), global_step=step)
            kept = [p.rpartition("/")[2] for p in saver.last_checkpoints]
        state = (folder / "checkpoint").read_text().replace(str(folder), "")
        files.append((sorted(p.name for p in folder.iterdir()), kept, state))
        assert t.train.list_variables(str(folder)) == [("w", [])]
    assert files[0][:2] == files[1][:2]


def failure(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001 - its kind is what is asked for
        return type(error).__name__
    return None


def test_wrong_calls(tmp_path):
    shown = []
    path = str(tmp_path / "m")
    for t in (gk, tf):
        saver_class = t.compat.v1.train.Saver
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            kinds = [failure(saver_class)]
            v = t.Variable(0.0, name="v")
            w = t.Variable([0.0, 1.0], name="w")
            session.run(t.compat.v1.global_variables_initializer())
            saver = saver_class([v])
            saver.save(session, path)
            kinds += [
                failure(lambda s=saver_class: s(3)),
                failure(lambda s=saver_class, v=v: s({"a": v, "b": v})),
                failure(lambda s=saver_class, v=v: s([v], defer_build=True)),
                failure(lambda s=saver, n=session: s.restore(n, None)),
                failure(lambda s=saver, n=session: s.restore(n, path + "none")),
                failure(lambda s=saver_class, n=session, w=w: s([w]).restore(n, path)),
                failure(
                    lambda s=saver_class, n=session, w=w: s({"v": w}).restore(n, path)
                ),
                failure(lambda s=saver, n=session: s.save(n, "/none/of/these/m")),
                failure(
                    lambda s=saver, n=session: s.save(n, path, latest_filename="a/b")
                ),
                failure(
                    lambda t=t: t.compat.v1.train.import_meta_graph(path + "none.meta")
                ),
            ]
        kinds.append(failure(lambda t=t: t.compat.v1.train.export_meta_graph()))
        kinds.append(failure(saver_class))
        shown.append(kinds)
    assert shown[0] == shown[1]


def test_what_is_no_variable():
    with gk.Graph().as_default(), pytest.raises(TypeError, match="not a Variable: 3"):
        gk.compat.v1.train.Saver([3])


def test_eager(tmp_path):
    for t in (gk, tf):
        v = t.Variable([1.0, 2.0], name="v")
        saver = t.compat.v1.train.Saver([v])
        path = saver.save(None, str(tmp_path / t.__name__))
        for reader in (gk, tf):
            w = reader.Variable([0.0, 0.0], name="v")
            reader.compat.v1.train.Saver({"v": w}).restore(None, path)
            assert w.numpy().tolist() == [1.0, 2.0]
