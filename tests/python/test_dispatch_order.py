"""What a program registered for its types comes before what functions do with
them by themselves."""

import inspect
import typing

import pytest

import graphkiln as tf

_RAGGED = ("abs", "add", "concat", "stack", "reduce_sum", "gather", "identity",
           "math.bincount", "where", "strings.format", "size", "expand_dims",
           "debugging.assert_equal", "zeros_like", "nn.relu")
_SPARSE = ("abs", "math.bincount", "shape", "identity", "zeros_like")


@pytest.fixture
def mine():
    """Registers functions, which return what they are given first."""
    registered = []

    def register(api, *signatures):
        def target(*args, **kwargs):
            return "mine", api

        registered.append(target)
        return tf.experimental.dispatch_for_api(api, *signatures)(target)

    yield register
    for target in registered:
        tf.experimental.unregister_dispatch_for(target)


def _api(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _first_parameter(api) -> str:
    names = [n for n in inspect.signature(api).parameters if n != "template"]
    return names[0]


def _arguments(name: str, x) -> tuple:
    more = {"add": (x,), "gather": ([0],), "concat": (0,), "expand_dims": (0,),
            "debugging.assert_equal": (x,)}
    if name == "strings.format":
        return "{}", x
    first = [x, x] if name in ("concat", "stack") else x
    return (first, *more.get(name, ()))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name,kind", [
    *((name, "ragged") for name in _RAGGED),
    *((name, "sparse") for name in _SPARSE),
])
def test_registered_functions_are_asked_first(mine, name, kind, traced):
    api = _api(name)
    if kind == "ragged":
        cls, x = tf.RaggedTensor, tf.ragged.constant([[1, 2], [3]])
    else:
        cls, x = tf.SparseTensor, tf.sparse.from_dense([1, 0])
    listed = name in ("concat", "stack")
    mine(api, {_first_parameter(api): typing.List[cls] if listed else cls})

    def call():
        return api(*_arguments(name, x))

    results = []
    if traced:
        tf.function(lambda: results.append(call()))()
    else:
        results.append(call())
    assert results == [("mine", api)]


def test_handlers_of_elementwise_functions_are_asked_first():
    seen = []

    @tf.experimental.dispatch_for_unary_elementwise_apis(tf.SparseTensor)
    def one(api, x):
        seen.append(api)
        return "one"

    @tf.experimental.dispatch_for_binary_elementwise_apis(
        tf.SparseTensor, tf.Tensor)
    def two(api, x, y):
        return "two"

    x = tf.sparse.from_dense([1.0, 0.0])
    try:
        assert tf.abs(x) == "one" and seen == [tf.abs]
        assert tf.nn.relu(features=x, name="n") == "one"
        assert tf.add(x, tf.constant(1.0)) == "two"
        assert tf.multiply(x=x, y=tf.constant(1.0)) == "two"
    finally:
        tf.experimental.unregister_dispatch_for(one)
        tf.experimental.unregister_dispatch_for(two)
    assert isinstance(tf.abs(x), tf.SparseTensor)


def test_tensors_and_plain_values_are_not_dispatched(mine):
    mine(tf.add, {"x": tf.Tensor})
    mine(tf.abs, {"x": int})
    assert int(tf.add(tf.constant(1), 2)) == 3
    assert int(tf.abs(-3)) == 3


def test_annotations_that_say_no_type_are_refused():
    for annotation in (typing.Callable, 3, "x"):
        with pytest.raises(ValueError, match="not currently supported"):
            tf.experimental.dispatch_for_api(tf.abs, {"x": annotation})(
                lambda x, name=None: x
            )


def test_calls_that_do_not_fit_fail_as_they_would():
    @tf.experimental.dispatch_for_api(tf.concat, {"axis": tf.RaggedTensor})
    def target(values, axis, name=None):
        return values

    try:
        with pytest.raises(TypeError, match="missing 1 required"):
            tf.concat([tf.ragged.constant([[1]])])
        with pytest.raises(TypeError, match="unexpected keyword"):
            tf.concat(tf.ragged.constant([[1]]), axes=1)
    finally:
        tf.experimental.unregister_dispatch_for(target)


def test_functions_without_a_name_are_called_in_its_scope():
    class Boxed(tf.experimental.ExtensionType):
        value: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.nn.relu)
    def target(features: Boxed):
        if features.value.dtype == tf.int32:
            raise KeyError("integers")
        return tf.nn.relu(features.value, name="inner")

    def names(x, **kwargs):
        graph = tf.Graph()
        with graph.as_default():
            box = Boxed(tf.constant(x, name="x"))
            try:
                tf.nn.relu(box, **kwargs)
            except KeyError:
                tf.nn.relu(box.value, name="after")
        return [op.name for op in graph.get_operations()]

    try:
        assert names(1.0, name="outer") == ["x", "outer/inner"]
        assert names(1.0, name=None) == ["x", "inner"]
        assert names(1.0) == ["x", "inner"]
        # The scope is left by errors, too.
        assert names(1, name="outer") == ["x", "after"]
    finally:
        tf.experimental.unregister_dispatch_for(target)
