"""Input signatures: rules, errors, casts."""

import numpy as np
import pytest

import graphkiln as tf
from tracing_support import Masked, Pair

Spec = tf.TensorSpec


def plain(x, y=2):
    return x


@pytest.mark.parametrize(
    "function, signature, text",
    [
        (
            plain, 3, "input_signature must be either a tuple or a list, got "
            "<class 'int'>.",
        ),
        (
            plain, [1], "input_signature must be a possibly nested sequence of "
            "TensorSpec objects, got invalid args [1] with types [<class "
            "'int'>].",
        ),
        (
            plain, [[Spec([]), None]], "got invalid args [None] with types "
            "[<class 'NoneType'>].",
        ),
        (
            plain, [Spec([])] * 3,
            "input_signature contains 1 extra type constraints.",
        ),
        (
            lambda x, y: x, [Spec([])],
            "input_signature missing type constraint for y",
        ),
        (
            lambda x, *, y: x, [Spec([])],
            "Since input_signature is defined, keyword-only parameter `y` "
            "must have a default value",
        ),
    ],
)
def test_2_refused_at_decoration(function, signature, text):
    with pytest.raises(TypeError) as e:
        tf.function(function, input_signature=signature)
    assert text in str(e.value)


@pytest.mark.parametrize(
    "call, reason",
    [
        (lambda f: f(1.0, 3), "Can not cast 3 to Literal[2]"),
        (lambda f: f(), "missing a required argument: 'x'"),
        (lambda f: f(1.0, 2, 3), "too many positional arguments"),
        (lambda f: f(1.0, z=3), "got an unexpected keyword argument 'z'"),
        (lambda f: f("a"), "Cannot convert 'a' to EagerTensor of dtype float"),
        (
            lambda f: f(None),
            "Attempt to convert a value (None) with an unsupported type "
            "(<class 'NoneType'>) to a Tensor.",
        ),
        (
            lambda f: f(tf.constant(1)),
            "Can not cast TensorSpec(shape=(), dtype=tf.int32, name=None) to "
            "TensorSpec(shape=(), dtype=tf.float32, name=None)",
        ),
    ],
)
def test_2_refused_at_the_call(call, reason):
    f = tf.function(plain, input_signature=[Spec([])])
    with pytest.raises(TypeError) as e:
        call(f)
    assert f"failed due to `{reason}`" in str(e.value)


def test_2_arguments_are_cast():
    f = tf.function(lambda x: x, input_signature=[Spec([None])])
    for value in ([1, 2], np.ones(3), tf.Variable([1.0]), (1.5,)):
        assert f(value).dtype == tf.float32
    assert f.experimental_get_tracing_count() == 1
    any_shape = tf.function(lambda x: x, input_signature=[Spec(None)])
    assert [any_shape(v).shape.rank for v in (1.0, [1.0], [[1.0]])] == [0, 1, 2]


def test_2_symbolic_tensors_of_unknown_shape():
    inner = tf.function(lambda x: x * 2.0, input_signature=[Spec([2])])
    outer = tf.function(lambda x: inner(x), input_signature=[Spec(None)])
    assert outer([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    "spec, good, bad, reason",
    [
        ([Spec([])], [1.0], (1.0,), "to list type"),
        ({"a": Spec([])}, {"a": 1.0}, {"b": 1.0}, "has different keys"),
        ({"a": Spec([])}, {"a": 1.0}, [1.0], "to a Dict type"),
        (
            Pair(Spec([]), Spec([])), Pair(1.0, 2.0), (1.0, 2.0),
            "Cannot cast (1.0, 2.0) to type",
        ),
        (
            Masked("m", Spec([])), Masked("m", 1.0), Masked("n", 1.0),
            "Metadata mismatch: [('m',)] != [('n',)].",
        ),
        (
            tf.RaggedTensorSpec([None, None]), tf.ragged.constant([[1.0], []]),
            [[1.0], []], "Can not cast [[1.0], []] to RaggedTensorSpec",
        ),
        (
            tf.SparseTensorSpec([None]), tf.SparseTensor([[0]], [1.0], [2]),
            tf.SparseTensor([[0]], [1], [2]),
            "Can not cast TensorSpec(shape=(1,), dtype=tf.int32",
        ),
    ],
    ids=str,
)
def test_2_nested_and_composite(spec, good, bad, reason):
    f = tf.function(lambda x: x, input_signature=[spec])
    assert type(f(good)) is type(good)
    with pytest.raises(TypeError) as e:
        f(bad)
    assert reason in str(e.value)


def test_2_variable_and_keyword_arguments():
    f = tf.function(
        lambda *a: tf.add_n(list(a)), input_signature=[Spec([])] * 3
    )
    assert f(1.0, 2.0, 3.0).numpy() == 6.0
    for args, reason in (
        ((1.0,), "missing a required argument: 'a_1'"),
        ((1.0,) * 4, "too many positional arguments"),
    ):
        with pytest.raises(TypeError, match=reason):
            f(*args)
    g = tf.function(lambda x, **k: x, input_signature=[Spec([])])
    assert g(x=1.0).numpy() == 1.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        g(1.0, z=2)
    h = tf.function(lambda x, *, y=1: x * y, input_signature=[Spec([])])
    assert h(2.0, y=1).numpy() == 2.0
    with pytest.raises(TypeError, match=r"Can not cast 5 to Literal\[1\]"):
        h(2.0, y=5)


def test_2_one_trace_and_its_names():
    f = tf.function(lambda x, y: x, input_signature=[
        Spec([None], name="own"), Spec([]),
    ])
    cf = f.get_concrete_function()
    assert cf is f.get_concrete_function(Spec([3]), Spec([]))
    assert cf is f.get_concrete_function([1.0], 2.0)
    assert [t.op.name for t in cf.inputs] == ["own", "y"]
    assert f.input_signature == (Spec([None], name="own"), Spec([]))
    with pytest.raises(TypeError, match="Can not cast"):
        f.get_concrete_function(Spec([3], tf.int32), Spec([]))


def test_2_methods():
    class Owner:
        factor = 3.0

        @tf.function(input_signature=[Spec([])])
        def method(self, x, times=2):
            return x * self.factor * times

        @staticmethod
        @tf.function(input_signature=[Spec([])])
        def static(x):
            return x

    owner = Owner()
    assert owner.method(2).numpy() == 12.0
    assert Owner.method(owner, 2.0).numpy() == 12.0
    assert owner.method.get_concrete_function()(tf.constant(1.0)).numpy() == 6.0
    assert Owner.static(1).numpy() == 1.0


def test_2_type_hints_are_accepted():
    @tf.function(experimental_follow_type_hints=True)
    def f(x: tf.Tensor):
        return x

    assert f(tf.constant(1)).numpy() == 1
