"""Functions that TensorFlow cut out of a graph and saved as attributes of a model."""

import pytest
import tensorflow as original

import graphkiln as own

CALLS = {
    "one": ("x",),
    "named": ("x",),
    "two": ("z", "x"),
    "signed": ("x",),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    tf = original
    model = tf.Module()
    model.v = v = tf.Variable(3.0)
    scalar = tf.TensorSpec([], tf.float32)
    whole = tf.compat.v1.wrap_function(
        lambda x, z: tf.identity(x * v, name="y") - z,
        [tf.TensorSpec([], name="x"), tf.TensorSpec([], name="z")],
    )
    model.one = whole.prune("x:0", "y:0")
    model.named = whole.prune(["x:0"], {"product": "y:0"})
    model.two = whole.prune(["z:0", "x:0"], ["y:0", "sub:0"])
    model.signed = whole.prune("x:0", "y:0", input_signature=((scalar,), {}))
    path = str(tmp_path_factory.mktemp("pruned"))
    tf.saved_model.save(model, path)
    return path


def outcome(tf, folder, name, by_name):
    values = {"x": tf.constant(2.0), "z": tf.constant(5.0)}
    f = getattr(tf.saved_model.load(folder), name)
    given = {k: values[k] for k in CALLS[name]}
    result = f(**given) if by_name else f(*given.values())
    return tf.nest.map_structure(lambda t: t.numpy().item(), result)


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_they_are_called_alike(folder, name, by_name):
    wanted = outcome(original, folder, name, by_name)
    assert outcome(own, folder, name, by_name) == wanted


@pytest.mark.parametrize("name", CALLS)
def test_they_tell_the_same_signature(folder, name):
    signatures = [
        getattr(tf.saved_model.load(folder), name).structured_input_signature
        for tf in (original, own)
    ]
    if name != "signed":
        assert signatures == [None, None]
        return
    for (spec,), named in signatures:
        assert spec.dtype.name == "float32" and named == {}


@pytest.mark.parametrize("name", CALLS)
def test_they_are_saved_again(folder, name, tmp_path):
    own.saved_model.save(own.saved_model.load(folder), str(tmp_path / "again"))
    wanted = outcome(original, folder, name, False)
    for tf in (own, original):
        assert outcome(tf, str(tmp_path / "again"), name, False) == wanted


def test_too_many_or_wrong_arguments_are_refused(folder):
    f = own.saved_model.load(folder).one
    one = own.constant(1.0)
    for args, named in (((one, one), {}), ((), {"w": one}), ((), {})):
        with pytest.raises(TypeError):
            f(*args, **named)
