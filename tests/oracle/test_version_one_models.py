"""Models that TensorFlow 1 writes, without objects: what is loaded of them here and
by TensorFlow, and saved again."""

import pathlib

import numpy as np
import pytest
import tensorflow as original

import graphkiln as own

v1 = original.compat.v1
X = np.array([[1.0, -2.0, 3.0]], np.float32)
MODELS = {}


def model(build):
    MODELS[build.__name__] = build
    return build


def tensor_info(tensor):
    return v1.saved_model.build_tensor_info(tensor)


def signature(inputs, outputs):
    return v1.saved_model.build_signature_def(
        {name: tensor_info(t) for name, t in inputs.items()},
        {name: tensor_info(t) for name, t in outputs.items()},
        "tensorflow/serving/predict",
    )


def network(use_resource):
    x = v1.placeholder(original.float32, [None, 3], name="x")
    with v1.variable_scope("net", use_resource=use_resource):
        w = v1.get_variable(
            "w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2)
        )
        b = v1.get_variable("b", initializer=np.float32([0.5, -0.5]), trainable=False)
    y = original.nn.relu(original.matmul(x, w) + b, name="y")
    return x, w, b, y


@model
def resources(folder):
    x, _, _, y = network(True)
    return {"serving_default": signature({"x": x}, {"y": y})}, {}


@model
def references(folder):
    x, w, b, y = network(False)
    step = v1.get_variable("step", initializer=0, use_resource=False)
    with original.control_dependencies([v1.assign_add(step, 2)]):
        count = original.identity(step, name="count")
    total = original.reduce_sum(w) + original.reduce_sum(b)
    return {
        "serving_default": signature({"x": x}, {"y": y}),
        "count": signature({}, {"count": count, "total": total}),
    }, {}


@model
def tables(folder):
    words = pathlib.Path(folder).parent / "words.txt"
    words.write_text("a\nb\nc\n", encoding="utf-8")
    path = original.constant(str(words))
    v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, path)
    table = original.lookup.StaticHashTable(
        original.lookup.TextFileInitializer(
            path,
            original.string,
            original.lookup.TextFileIndex.WHOLE_LINE,
            original.int64,
            original.lookup.TextFileIndex.LINE_NUMBER,
        ),
        -1,
    )
    text = v1.placeholder(original.string, [None], name="text")
    found = table.lookup(text)
    return {"serving_default": signature({"text": text}, {"ids": found})}, {
        "main_op": v1.tables_initializer(),
        "assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
    }


@model
def branches_and_loops(folder):
    x = v1.placeholder(original.float32, [], name="x")
    v1.disable_control_flow_v2()
    try:
        y = v1.cond(x > 0, lambda: x * 2.0, lambda: -x)
        z = v1.while_loop(lambda v: v < 100.0, lambda v: v * 2.0 + 1.0, [y])
    finally:
        v1.enable_control_flow_v2()
    return {"serving_default": signature({"x": x}, {"y": y, "z": z})}, {}


@model
def two_inputs(folder):
    a = v1.placeholder(original.float32, [2], name="first")
    b = v1.sparse_placeholder(original.float32, [None, 2], name="second")
    y = v1.sparse_tensor_dense_matmul(b, original.expand_dims(a, 1))
    return {"serving_default": signature({"z": a, "b": b}, {"y": y})}, {}


CALLS = {
    "resources": [("serving_default", {"x": X})],
    "references": [
        ("serving_default", {"x": X}),
        ("count", {}),
        ("count", {}),
    ],
    "tables": [("serving_default", {"text": np.array([b"b", b"z"])})],
    "branches_and_loops": [
        ("serving_default", {"x": np.float32(3)}),
        ("serving_default", {"x": np.float32(-3)}),
    ],
    "two_inputs": [
        (
            "serving_default",
            {
                "z": np.float32([1, 2]),
                "b_indices": np.int64([[0, 1], [2, 0]]),
                "b_values": np.float32([3, 4]),
                "b_dense_shape": np.int64([3, 2]),
            },
        ),
    ],
}


def write(name, folder):
    with original.Graph().as_default(), v1.Session() as session:
        signatures, options = MODELS[name](folder)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session, ["serve"], signature_def_map=signatures, **options
        )
        builder.save()


def results(tf, loaded, name):
    found = []
    for key, inputs in CALLS[name]:
        function = loaded.signatures[key]
        outputs = function(**{k: tf.constant(v) for k, v in inputs.items()})
        # A copy: some of TensorFlow's are in the memory of a variable.
        found.append({k: np.array(v) for k, v in outputs.items()})
    return found


def compare(found, expected):
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        assert set(f) == set(e)
        for key in e:
            np.testing.assert_allclose(f[key], e[key], rtol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_signatures(name, tmp_path):
    folder = str(tmp_path / "model")
    write(name, folder)
    theirs = original.saved_model.load(folder)
    ours = own.saved_model.load(folder)
    assert sorted(ours.signatures) == sorted(theirs.signatures)
    compare(results(own, ours, name), results(original, theirs, name))
    if name == "references":  # which TensorFlow does not list
        assert [v.name for v in ours.variables] == ["net/w:0", "net/b:0", "step:0"]
        return
    assert [v.name for v in ours.variables] == [v.name for v in theirs.variables]
    assert [v.trainable for v in ours.variables] == [
        v.trainable for v in theirs.variables
    ]
    for o, t in zip(ours.variables, theirs.variables, strict=True):
        np.testing.assert_array_equal(o.numpy(), t.numpy())


@pytest.mark.parametrize("name", ["resources", "references", "tables"])
def test_saved_again(name, tmp_path):
    folder, again = str(tmp_path / "model"), str(tmp_path / "again")
    write(name, folder)
    expected = results(original, original.saved_model.load(folder), name)
    model = own.saved_model.load(folder)
    own.saved_model.save(model, again, signatures=dict(model.signatures))
    compare(results(original, original.saved_model.load(again), name), expected)
    compare(results(own, own.saved_model.load(again), name), expected)


def test_parts_are_cut_out(tmp_path):
    folder = str(tmp_path / "model")
    write("resources", folder)
    found = []
    for tf in (original, own):
        loaded = tf.saved_model.load(folder)
        cut = loaded.prune("x:0", "y:0")
        found.append(np.asarray(cut(tf.constant(X))))
        assert loaded.graph.get_tensor_by_name("y:0").dtype == tf.float32
        loaded.variables[0].assign(loaded.variables[0] * 2.0)
        found.append(np.asarray(cut(tf.constant(X))))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(
                loaded.signatures["serving_default"](x=tf.constant(X))["y"]
            )
        found.append(np.asarray(tape.gradient(loss, loaded.variables[0])))
        loaded.restore(folder + "/variables/variables")
        found.append(np.asarray(cut(tf.constant(X))))
    for o, t in zip(found[4:], found[:4], strict=True):
        np.testing.assert_allclose(o, t, rtol=1e-6)


def test_missing_placeholders_are_named(tmp_path):
    folder = str(tmp_path / "model")
    with original.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(original.float32, [], name="x")
        hidden = v1.placeholder(original.float32, [], name="hidden")
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            signature_def_map={"s": signature({"x": x}, {"y": x + hidden})},
        )
        builder.save()
    with pytest.raises(Exception, match="an input for each placeholder"):
        original.saved_model.load(folder)
    with pytest.raises(Exception, match=r"(?s)an input for each placeholder.*hidden"):
        own.saved_model.load(folder)
