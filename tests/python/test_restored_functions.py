"""Functions of loaded models: which saved trace serves a call, what is said where
none does, and what a program does without that only loads and calls one."""

import collections
import inspect
import subprocess
import sys

import numpy as np
import pytest

import graphkiln as tf

Pair = collections.namedtuple("Pair", "left right")


def loaded(tmp_path, **functions):
    model = tf.Module()
    for name, f in functions.items():
        setattr(model, name, f)
    tf.saved_model.save(model, str(tmp_path / "m"), signatures={})
    return tf.saved_model.load(str(tmp_path / "m"))


LOADS_AND_CALLS = """
import sys
import graphkiln as tf
tf.constant(1.0) + 1.0
before = set(sys.modules)
model = tf.saved_model.load(sys.argv[1])
assert float(model.f(tf.constant(2.0))["y"]) == 6.0
assert float(model.signatures["serving_default"](x=tf.constant(1.0))["y"]) == 3.0
print(*set(sys.modules) - before)
"""


def test_loading_and_calling_takes_no_protobuf_and_no_inspect(tmp_path):
    model = tf.Module()
    model.v = tf.Variable(3.0)
    model.f = tf.function(
        lambda x: {"y": model.v * x}, input_signature=[tf.TensorSpec([], name="x")]
    )
    tf.saved_model.save(model, str(tmp_path))
    ran = subprocess.run(
        [sys.executable, "-c", LOADS_AND_CALLS, str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    modules = set(ran.stdout.split())
    assert "graphkiln._src.saved_model.load" in modules
    slow = {"google.protobuf", "inspect", "typing", "re", "enum", "pathlib", "weakref"}
    assert sorted(modules & slow) == []


def test_the_trace_of_the_type_serves_before_one_of_what_it_becomes(tmp_path):
    @tf.function
    def f(x, kind="none"):
        return tf.constant(f"{x.dtype.name} {x.shape} {kind}")

    for spec in ([None], [2], []):
        f.get_concrete_function(tf.TensorSpec(spec, tf.float32))
    f.get_concrete_function(tf.TensorSpec([], tf.int32), kind="some")
    f.get_concrete_function(tf.TensorSpec([], tf.int32), 7)
    model = loaded(tmp_path, f=f)
    said = lambda *args, **named: model.f(*args, **named).numpy().decode()  # noqa: E731
    assert said(tf.zeros([3])) == "float32 (None,) none"
    assert said(tf.zeros([2])) in ("float32 (None,) none", "float32 (2,) none")
    assert said(tf.zeros([])) == "float32 () none"
    assert said(1.0) == "float32 () none"
    assert said(tf.Variable(1.0)) == "float32 () none"
    assert said(tf.constant(1), "some") == "int32 () some"
    assert said(1, kind="some") == "int32 () some"
    assert said(tf.constant(1), kind=7) == "int32 () 7"


def test_containers_serve_for_their_own_kind_only(tmp_path):
    @tf.function
    def f(x):
        return tf.add_n(tf.nest.flatten(x))

    def two(make):
        return make(tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32))

    f.get_concrete_function(two(lambda a, b: [a, b]))
    f.get_concrete_function(two(lambda a, b: {"b": b, "a": a}))
    f.get_concrete_function(two(Pair))
    model = loaded(tmp_path, f=f)
    one, four = tf.constant(1.0), tf.constant(4.0)
    assert model.f([one, four]).numpy() == 5.0
    assert model.f({"b": one, "a": four}).numpy() == 5.0
    assert model.f(collections.OrderedDict(a=one, b=four)).numpy() == 5.0
    assert model.f(Pair(one, four)).numpy() == 5.0
    other = collections.namedtuple("Other", "left right")
    for refused in ((one, four), other(one, four), {"a": one}, [one]):
        with pytest.raises(ValueError, match="Could not find matching"):
            model.f(refused)


def test_order_of_the_tensors_of_dictionaries(tmp_path):
    @tf.function
    def f(x, y):
        return x["a"] - x["b"]["c"] + y

    part = tf.TensorSpec([], tf.float32)
    f.get_concrete_function({"b": {"c": part}, "a": part}, part)
    model = loaded(tmp_path, f=f)
    for x in (
        {"a": tf.constant(7.0), "b": {"c": tf.constant(2.0)}},
        {"b": {"c": tf.constant(2.0)}, "a": tf.constant(7.0)},
    ):
        assert model.f(x, tf.constant(10.0)).numpy() == 15.0
        assert model.f(x, 10).numpy() == 15.0


def test_composites_and_variables_among_other_arguments(tmp_path):
    @tf.function
    def f(first, ragged, v, w, last):
        v.assign_add(first)
        return ragged * w.read_value() + last, tf.nest.map_structure(tf.identity, last)

    v, w = tf.Variable(1.0), tf.Variable(2.0)
    scalar = tf.TensorSpec([], tf.float32)
    f.get_concrete_function(
        scalar, tf.RaggedTensorSpec([None, None], tf.float32), v, w, scalar
    )
    model = loaded(tmp_path, f=f)
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    got, last = model.f(tf.constant(5.0), ragged, v, w, tf.constant(100.0))
    assert isinstance(got, tf.RaggedTensor)
    assert got.to_list() == [[102.0, 104.0], [106.0]]
    assert last.numpy() == 100.0 and v.numpy() == 6.0
    sparse = tf.sparse.from_dense([[1.0]])
    with pytest.raises(ValueError, match="Could not find matching"):
        model.f(tf.constant(5.0), sparse, v, w, tf.constant(100.0))


def test_what_is_said_where_no_trace_serves(tmp_path):
    f = tf.function(lambda x, flag=True, *, mode="a": x)
    f.get_concrete_function(tf.TensorSpec([2], tf.float32, name="x"))
    f.get_concrete_function(tf.TensorSpec([], tf.int32), flag=False, mode="b")
    model = loaded(tmp_path, f=f)
    with pytest.raises(ValueError) as error:
        model.f(tf.constant(["a"]))
    text = str(error.value)
    assert "Could not find matching concrete function to call loaded from the" in text
    assert "Got:\n  Positional arguments (2 total):\n    * <tf.Tensor" in text
    assert "    * True\n  Keyword arguments: {'mode': 'a'}\n\n Expected these" in text
    assert "one of the following 2 option(s):\n\nOption 1:\n  Positional" in text
    assert "    * TensorSpec(shape=(2,), dtype=tf.float32, name='x')\n" in text
    assert "    * False\n  Keyword arguments: {'mode': 'b'}" in text


def test_parameters_are_those_of_the_function_that_was_saved(tmp_path):
    def f(x, y=2.0, *rest, mode="a", **more):
        return x

    traced = tf.function(f)
    traced.get_concrete_function(tf.TensorSpec([], tf.float32))
    traced.get_concrete_function(tf.TensorSpec([], tf.float32), 3.0, 4, mode="b", n=1)
    model = loaded(tmp_path, f=traced)
    assert inspect.signature(model.f) == inspect.signature(f)
    assert model.f(1.0).numpy() == 1.0
    assert model.f(1.0, 3.0, 4, n=1, mode="b").numpy() == 1.0
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        model.f()
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        model.f(1.0, x=2.0)


def test_a_loaded_function_that_is_bound_to_an_object(tmp_path):
    f = tf.function(lambda x, y: x + y)
    f.get_concrete_function(tf.TensorSpec([], tf.float32), 1.0)
    model = loaded(tmp_path, f=f)

    class Holder(float):
        g = model.f

    assert list(inspect.signature(Holder(2.0).g).parameters) == ["y"]


def test_results_have_the_shapes_and_the_nesting_that_were_saved(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x):
        return Pair(x, [None, {"s": tf.sparse.from_dense(x)}])

    model = loaded(tmp_path, f=f)
    left, (nothing, parts) = model.f(np.ones([3, 2], np.float32))
    assert left.shape == (3, 2) and nothing is None
    assert isinstance(parts["s"], tf.SparseTensor)
    outer = tf.function(lambda x: model.f(x)[0])
    whole = outer.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert whole.structured_outputs.shape.as_list() == [None, 2]


def test_gradients_go_through(tmp_path):
    model = tf.Module()
    model.v = tf.Variable(3.0)
    model.f = tf.function(lambda x: model.v * x * x)
    model.f.get_concrete_function(tf.TensorSpec([], tf.float32))
    tf.saved_model.save(model, str(tmp_path))
    model = tf.saved_model.load(str(tmp_path))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model.f(x)
    assert [g.numpy() for g in tape.gradient(y, [x, model.v])] == [12.0, 4.0]


def test_functions_run_eagerly_when_that_is_asked_for(tmp_path):
    f = tf.function(lambda x: x + 1.0)
    f.get_concrete_function(tf.TensorSpec([], tf.float32))
    model = loaded(tmp_path, f=f)
    tf.config.run_functions_eagerly(True)
    try:
        assert model.f(tf.constant(1.0)).numpy() == 2.0
    finally:
        tf.config.run_functions_eagerly(False)


def test_a_function_that_cannot_be_made_says_so_each_time(tmp_path, monkeypatch):
    from graphkiln._src.saved_model import load

    f = tf.function(lambda x: x)
    f.get_concrete_function(tf.TensorSpec([], tf.float32))
    model = loaded(tmp_path, f=f)
    original = load.Loader._make

    def fails(self, number, node):
        raise ValueError("not yet")

    monkeypatch.setattr(load.Loader, "_make", fails)
    for _ in range(2):
        with pytest.raises(ValueError, match="not yet"):
            _ = model.f
    monkeypatch.setattr(load.Loader, "_make", original)
    assert model.f(2.0).numpy() == 2.0


def test_literals_are_values_of_python(tmp_path):
    """Others of that name may live in the core when the model is loaded."""

    @tf.function
    def f(x, word="a word that nothing else has", *, number=12345.5):
        return x

    f.get_concrete_function(tf.TensorSpec([], tf.float32))
    model = loaded(tmp_path, f=f)
    concrete = model.f.get_concrete_function(tf.TensorSpec([], tf.float32))
    (_, word), named = concrete.structured_input_signature
    assert word == "a word that nothing else has" and named == {"number": 12345.5}


def test_a_function_that_was_never_traced_says_so(tmp_path):
    model = loaded(tmp_path, f=tf.function(lambda x: x + 1.0))
    with pytest.raises(ValueError, match="zero restored functions for caller"):
        model.f(tf.constant(1.0))


def test_aliases_are_loaded_where_they_are_asked_for(tmp_path):
    model, path = tf.Module(), str(tmp_path / "m")
    model.f = tf.function(lambda x: x + 1.0)
    model.g = tf.function(lambda x: x * 3.0)
    for function in (model.f, model.g):
        function(tf.constant(1.0))
        function(tf.constant([1.0]))
    tf.saved_model.save(
        model,
        path,
        signatures={},
        options=tf.saved_model.SaveOptions(function_aliases={"plus": model.f}),
    )
    assert not hasattr(tf.saved_model.load(path), "function_aliases")
    options = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(path, options=options)
    assert loaded.function_aliases == {"plus": loaded.f}
    assert loaded.function_aliases["plus"](tf.constant([2.0])).numpy() == [3.0]


def test_functions_tell_their_traces():
    f = tf.function(lambda x: x + 1.0)
    assert f._trackable_children() == f._trackable_children("savedmodel") == {}
    traces = [f.get_concrete_function(tf.constant(v)) for v in (1.0, [1.0])]
    assert f._trackable_children("checkpoint", cache={}) == {}
    told = f._trackable_children(save_type="savedmodel", cache={})
    assert list(told) == ["trace_0", "trace_1"]
    assert [t is c for t, c in zip(told.values(), traces, strict=True)] == [True, True]
    given = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([])])
    assert list(given._trackable_children("savedmodel")) == ["trace_0"]


def test_views_ask_the_class_of_the_view():
    class Told(tf.__internal__.tracking.AutoTrackable):
        def _trackable_children(self, save_type="checkpoint", **kwargs):
            return {"v": self.v} if save_type == "savedmodel" else {}

    class View(tf.train.TrackableView):
        @classmethod
        def children(cls, obj, save_type="savedmodel", **kwargs):
            return super().children(obj, save_type, **kwargs)

    told, root = Told(), tf.Module()
    told.v, root.told = tf.Variable(1.0), told
    assert tf.train.TrackableView(root).descendants() == [root, told]
    # The module's reference to itself is followed once.
    root.again = root
    found = View(root).descendants()
    assert [id(o) for o in found] == [id(root), id(told), id(told.v)]


def test_a_default_signature_that_cannot_be_made_is_none(tmp_path):
    class Model(tf.Module):
        @property
        def _default_save_signature(self):
            raise TypeError("not of this model")

        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x):
            return {"y": x + 1.0}

    tf.saved_model.save(Model(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert list(loaded.signatures) == ["serving_default"]


def test_tables_are_trackable_resources():
    # Keras' exports look for them so.
    resource = tf.saved_model.experimental.TrackableResource
    initializer = tf.lookup.KeyValueTensorInitializer(["a"], [1])
    assert isinstance(tf.lookup.StaticHashTable(initializer, 0), resource)
    for cls in (
        tf.lookup.StaticVocabularyTable,
        tf.lookup.experimental.MutableHashTable,
        tf.lookup.experimental.DenseHashTable,
    ):
        assert issubclass(cls, resource)
    assert not isinstance(initializer, resource)
