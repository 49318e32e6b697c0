"""tf.saved_model: what is saved and loaded, what is refused, and what is left of a
model that is not saved."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import _proto
from graphkiln._src.types.spec_messages import decode_proto

SPEC = tf.TensorSpec([None], tf.float32)


class Scale(tf.Module):
    def __init__(self, factor=3.0):
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")

    @tf.function(input_signature=[SPEC])
    def __call__(self, x):
        return {"scaled": self.factor * x}


def saved(tmp_path, obj, **named):
    folder = str(tmp_path / "model")
    tf.saved_model.save(obj, folder, **named)
    return folder


def test_the_only_function_is_the_signature(tmp_path):
    loaded = tf.saved_model.load(saved(tmp_path, Scale()))
    assert list(loaded.signatures) == ["serving_default"]
    serve = loaded.signatures["serving_default"]
    assert serve(x=tf.constant([2.0]))["scaled"].numpy().tolist() == [6.0]
    assert serve(tf.constant([2.0]))["scaled"].numpy().tolist() == [6.0]
    assert loaded([2.0])["scaled"].numpy().tolist() == [6.0]
    with pytest.raises(TypeError):
        loaded.signatures["other"] = serve


def test_two_arguments_of_a_signature_have_to_be_named(tmp_path):
    m = tf.Module()
    m.f = tf.function(lambda a, b: a - b, input_signature=[SPEC, SPEC])
    serve = tf.saved_model.load(saved(tmp_path, m)).signatures["serving_default"]
    a, b = tf.constant([3.0]), tf.constant([1.0])
    assert serve(b=b, a=a)["output_0"].numpy().tolist() == [2.0]
    with pytest.raises(TypeError, match="0 positional arguments"):
        serve(a, b)


def test_arguments_of_a_signature_go_by_their_names(tmp_path):
    m = tf.Module()
    m.f = tf.function(lambda x, a: x - a, input_signature=[SPEC, SPEC])
    serve = tf.saved_model.load(saved(tmp_path, m)).signatures["serving_default"]
    result = serve(x=tf.constant([5.0]), a=tf.constant([3.0]))["output_0"]
    assert result.numpy().tolist() == [2.0]


def test_loaded_functions_are_traced_no_more(tmp_path):
    loaded = tf.saved_model.load(saved(tmp_path, Scale()))
    before = loaded.__call__.experimental_get_tracing_count()
    for n in (1, 2, 3):
        loaded(tf.ones(n))
    assert loaded.__call__.experimental_get_tracing_count() == before


def test_values_train_on(tmp_path):
    loaded = tf.saved_model.load(saved(tmp_path, Scale()))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(tf.constant([1.0, 2.0]))["scaled"])
    assert tape.gradient(loss, loaded.factor).numpy() == 3.0
    loaded.factor.assign(1.0)
    assert loaded([2.0])["scaled"].numpy().tolist() == [2.0]


def with_gradient(gradient):
    @tf.custom_gradient
    def f(x):
        y = tf.exp(x)
        return y, lambda dy: gradient(dy, y)

    m = tf.Module()
    m.v = tf.Variable(0.5)
    m.f = tf.function(lambda: f(m.v * 1.0), input_signature=[])
    m.loop = tf.function(
        lambda: tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, f(x)), (0, m.v)),
        input_signature=[],
    )
    return m


def gradient_of(f, variable):
    with tf.GradientTape() as tape:
        y = tf.nest.flatten(f())[-1]
    return tape.gradient(y, variable)


def test_gradients_of_python_functions_are_saved(tmp_path):
    m = with_gradient(lambda dy, y: dy * y * 100.0)
    loaded = tf.saved_model.load(saved(tmp_path, m))
    again = tf.saved_model.load(saved(tmp_path / "again", loaded))
    for name in ["f", "loop"]:
        expected = gradient_of(getattr(m, name), m.v)
        for other in [loaded, again]:
            found = gradient_of(getattr(other, name), other.v)
            np.testing.assert_array_equal(found, expected)
    size = os.path.getsize(tmp_path / "again" / "model" / "saved_model.pb")
    third = saved(tmp_path / "third", again)
    assert os.path.getsize(f"{third}/saved_model.pb") < 1.2 * size


def test_without_its_gradient_there_is_none_rather_than_another_ones(tmp_path):
    m = with_gradient(lambda dy, y: dy * 100.0)
    folder = str(tmp_path / "model")
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(m, folder, options=options)
    loaded = tf.saved_model.load(folder)
    np.testing.assert_array_equal(loaded.f(), m.f())
    with pytest.raises((LookupError, tf.errors.FailedPreconditionError)):
        gradient_of(loaded.f, loaded.v)


def test_a_gradient_that_cannot_be_a_function_is_named(tmp_path):
    m = with_gradient(lambda dy, y: dy.numpy())
    match = "(?s)tracing gradients.*IdentityN.*experimental_custom_gradients"
    with pytest.raises(ValueError, match=match) as raised:
        tf.saved_model.save(m, str(tmp_path / "model"))
    assert isinstance(raised.value.__cause__, AttributeError)
    assert not os.path.exists(tmp_path / "model" / "saved_model.pb")


def test_functions_without_traces_are_told_of(tmp_path, caplog):
    m = Scale()
    m.later = tf.function(lambda x: x)
    with caplog.at_level("INFO", logger="absl"):
        saved(tmp_path, m)
    assert "Found untraced functions such as <lambda> while saving" in caplog.text
    assert "(showing 1 of 1)" in caplog.text


def test_a_variable_that_is_not_in_reach_is_named(tmp_path):
    lost = tf.Variable(1.0, name="lost")
    m = tf.Module()
    m.f = tf.function(lambda x: x * lost, input_signature=[SPEC])
    with pytest.raises(AssertionError, match="(?s)not reachable from root.*'lost'"):
        tf.saved_model.save(m, str(tmp_path / "model"))
    assert not os.path.exists(tmp_path / "model")


def test_a_model_stays_where_another_one_cannot_be_saved(tmp_path):
    folder = saved(tmp_path, Scale())
    m = tf.Module()
    m.asset = tf.saved_model.Asset(str(tmp_path / "missing"))
    m.f = tf.function(lambda: tf.io.read_file(m.asset.asset_path), input_signature=[])
    with pytest.raises(tf.errors.NotFoundError, match="missing"):
        tf.saved_model.save(m, folder)
    assert tf.saved_model.load(folder)([2.0])["scaled"].numpy().tolist() == [6.0]


@pytest.mark.parametrize(
    "obj, signatures, error, text",
    [
        (3, None, ValueError, "Expected an object of type `Trackable`"),
        (tf.Module(), lambda x: x, ValueError, "Expected a TensorFlow function"),
        (
            tf.Module(),
            tf.function(lambda x: {"a": [x, x]}, input_signature=[SPEC]),
            ValueError,
            "non-Tensor value for key 'a'",
        ),
    ],
)
def test_what_is_no_model_or_signature_is_refused(
    obj, signatures, error, text, tmp_path
):
    with pytest.raises(error, match=text):
        tf.saved_model.save(obj, str(tmp_path / "m"), signatures=signatures)


def test_nothing_is_saved_within_a_function(tmp_path):
    @tf.function
    def f():
        tf.saved_model.save(tf.Module(), str(tmp_path))

    with pytest.raises(AssertionError, match="inside a traced @tf.function"):
        f()


def test_loading_what_is_not_there():
    with pytest.raises(OSError, match="SavedModel file does not exist at: /no/such"):
        tf.saved_model.load("/no/such")
    assert not tf.saved_model.contains_saved_model("/no/such")


def test_tags_choose_the_graph(tmp_path):
    options = tf.saved_model.SaveOptions(extra_tags=["eval"])
    folder = saved(tmp_path, Scale(), options=options)
    assert tf.saved_model.contains_saved_model(folder)
    tf.saved_model.load(folder, tags=["eval", "serve"])
    with pytest.raises(ValueError, match="incompatible argument to `tags`"):
        tf.saved_model.load(folder, tags="serve")


def test_no_trace_for_a_call(tmp_path):
    m = tf.Module()
    m.f = tf.function(lambda x, k=2: x * float(k))
    m.f(tf.constant([1.0]))
    loaded = tf.saved_model.load(saved(tmp_path, m))
    text = "(?s)Could not find matching concrete function.*Option 1:.*TensorSpec"
    with pytest.raises(ValueError, match=text):
        loaded.f(tf.constant([1.0]), 7)


def test_equal_models_have_equal_fingerprints(tmp_path):
    prints = []
    for i, factor in enumerate((3.0, 3.0, 4.0)):
        folder = str(tmp_path / str(i))
        tf.saved_model.save(Scale(factor), folder)
        prints.append(tf.saved_model.experimental.read_fingerprint(folder))
    assert prints[0].checkpoint_hash == prints[1].checkpoint_hash
    assert prints[0].checkpoint_hash != prints[2].checkpoint_hash
    with pytest.raises(FileNotFoundError):
        tf.saved_model.experimental.read_fingerprint(str(tmp_path / "none"))


def test_values_may_be_left_out(tmp_path):
    folder = saved(tmp_path, Scale())
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    loaded = tf.saved_model.load(folder, options=options)
    with pytest.raises(tf.errors.FailedPreconditionError):
        loaded([1.0])
    for name in os.listdir(folder + "/variables"):
        os.remove(f"{folder}/variables/{name}")
    with pytest.raises(tf.errors.NotFoundError):
        tf.saved_model.load(folder)


def test_tables_and_their_later_content(tmp_path):
    m = tf.Module()
    m.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    m.table.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    spec = tf.TensorSpec([None], tf.string)
    m.find = tf.function(m.table.lookup, input_signature=[spec])
    first = tf.saved_model.load(saved(tmp_path, m))
    m.table.insert(tf.constant(["b"]), tf.constant([2], tf.int64))
    assert first.find(["a", "b"]).numpy().tolist() == [1, -1]
    folder = str(tmp_path / "again")
    tf.saved_model.save(first, folder)
    again = tf.saved_model.load(folder)
    assert again.find(["a", "b"]).numpy().tolist() == [1, -1]


def test_functions_of_many_threads(tmp_path):
    loaded = tf.saved_model.load(saved(tmp_path, Scale()))
    wrong = []

    def work(k):
        for n in range(50):
            y = loaded(tf.fill([n % 5 + 1], float(k)))["scaled"].numpy()
            if not (y == 3.0 * k).all():
                wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def _changed(data, rng):
    data = bytearray(data)
    kind = rng.randrange(3)
    if kind == 0 or not data:
        return bytes(data[: rng.randrange(len(data) + 1)])
    for _ in range(rng.choice((1, 4, 20))):
        at = rng.randrange(len(data))
        if kind == 1:
            data[at] = rng.randrange(256)
        else:
            data[at : at + rng.randrange(8)] = os.urandom(rng.randrange(8))
    return bytes(data)


def test_damaged_models_are_errors_or_right(tmp_path):
    m = Scale()
    m.table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1
    )
    m.find = tf.function(
        lambda x: m.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    folder = saved(tmp_path, m)
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    paths = [
        f"{folder}/saved_model.pb",
        f"{folder}/variables/variables.index",
        f"{folder}/variables/variables.data-00000-of-00001",
    ]
    whole = {path: open(path, "rb").read() for path in paths}
    for turn in range(200):
        path = rng.choice(paths[:2] + paths[:1])
        if turn % 10 == 0:
            path = paths[2]
        with open(path, "wb") as file:
            file.write(_changed(whole[path], rng))
        try:
            loaded = tf.saved_model.load(folder)
            for signature in loaded.signatures.values():
                signature(tf.constant([2.0]))
        except (
            tf.errors.OpError,
            ValueError,
            TypeError,
            OSError,
            RuntimeError,
            AttributeError,
            KeyError,
            AssertionError,
        ):
            pass
        except Exception as error:
            raise AssertionError(f"seed {seed}, turn {turn}") from error
        with open(path, "wb") as file:
            file.write(whole[path])
    result = tf.saved_model.load(folder)([2.0])["scaled"]
    np.testing.assert_array_equal(result, [6.0])


def test_loading_leaves_numpy_alone(tmp_path: Path) -> None:
    model = tf.Module()
    model.v = tf.Variable([1.0, 2.0])
    model.f = tf.function(
        lambda x: x * model.v, input_signature=[tf.TensorSpec([2], name="x")]
    )
    tf.saved_model.save(model, tmp_path)
    program = (
        "import sys, graphkiln as tf; m = tf.saved_model.load(sys.argv[1]);"
        "m.f(tf.constant([1.0, 1.0])); assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path], check=True)


@pytest.mark.parametrize("value", [3, 2.5, "x", [1, 2], [[True]], ["a", "b"]])
def test_tensors_in_messages_of_structures(value: object) -> None:
    message = _proto.StructuredValue()
    message.tensor_value.CopyFrom(tf.make_tensor_proto(value))
    found = decode_proto(message)
    expected = tf.make_ndarray(message.tensor_value)
    assert isinstance(found, np.ndarray)
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
