"""ConcreteFunction: its two forms of call, what it tells, what functions
return; input signatures."""

import collections
import copy
import re

import numpy as np
import pytest

import graphkiln as tf

X = tf.constant(1.0)
Spec = tf.TensorSpec


@pytest.fixture(name="concrete")
def _concrete():
    @tf.function
    def h(a, b=3, *, c):
        return {"s": a, "t": (a + c, None)}

    return h.get_concrete_function(
        Spec([None], tf.float32, name="aa"), c=Spec([], tf.float32)
    )


TYPES = (
    "(a: TensorSpec(shape=(None,), dtype=tf.float32, name='aa'), "
    "b: Literal[3], *, c: TensorSpec(shape=(), dtype=tf.float32, name=None)) "
    "-> Dict[['s', TensorSpec(shape=(None,), dtype=tf.float32, name=None)], "
    "['t', Tuple[TensorSpec(shape=(None,), dtype=tf.float32, name=None), "
    "Literal[None]]]]"
)


def test_print(concrete):
    long = """Input Parameters:
  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=tf.float32, name='aa')
  b (POSITIONAL_OR_KEYWORD): Literal[3]
  c (KEYWORD_ONLY): TensorSpec(shape=(), dtype=tf.float32, name=None)
Output Type:
  Dict[['s', TensorSpec(shape=(None,), dtype=tf.float32, name=None)], ['t', Tuple[TensorSpec(shape=(None,), dtype=tf.float32, name=None), Literal[None]]]]
Captures:
  None"""
    assert str(concrete) == "ConcreteFunction " + long
    assert concrete.pretty_printed_signature() == long
    assert concrete.pretty_printed_signature(verbose=False) == TYPES
    assert repr(concrete) == (
        f"<ConcreteFunction {TYPES} at 0x{id(concrete):X}>"
    )


def test_print_captures_and_functions():
    v = tf.Variable(1.0)
    f = tf.function(lambda: v + 1.0)
    assert f.pretty_printed_concrete_signatures() == ""
    text = str(f.get_concrete_function())
    assert re.fullmatch(
        r"ConcreteFunction Input Parameters:\nOutput Type:\n  TensorSpec\("
        r"shape=\(\), dtype=tf.float32, name=None\)\nCaptures:\n  \d+: "
        r"TensorSpec\(shape=\(\), dtype=tf.resource, name=None\)",
        text,
    )
    g = tf.function(lambda x: x)
    g(X)
    g(1)
    first, second = g.pretty_printed_concrete_signatures().split("\n\n")
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(" in first
    assert "x (POSITIONAL_OR_KEYWORD): Literal[1]" in second


def test_kinds():
    @tf.function
    def f(a, b=2, *args, c=3, **kw):
        return a

    text = f.get_concrete_function(X, 1, 2, c=4, z=5).pretty_printed_signature(
        verbose=False
    )
    spec = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert text == (
        f"(a: {spec}, b: Literal[1], args_0: Literal[2], /, *, "
        f"c: Literal[4], z: Literal[5]) -> {spec}"
    )


def test_names(concrete):
    assert re.fullmatch(rb"__inference_h_\d+", concrete.name)
    anonymous = tf.function(lambda: X).get_concrete_function()
    assert re.fullmatch(rb"__inference_<lambda>_\d+", anonymous.name)


def test_structured_call(concrete):
    a = tf.ones([2])
    result = concrete(a, 3, c=X)
    assert result["s"].numpy().tolist() == [1.0, 1.0]
    assert result["t"][0].numpy().tolist() == [2.0, 2.0]
    assert result["t"][1] is None
    result = concrete(np.ones(2, np.float32), 3, c=5.0)
    assert result["t"][0].numpy().tolist() == [6.0, 6.0]


def test_copies(concrete):
    assert copy.copy(concrete) is concrete
    with pytest.raises(TypeError, match="cannot pickle"):
        copy.deepcopy(concrete)


def test_flat_call(concrete):
    a = tf.ones([2])
    for result in (concrete(a, c=X), concrete(a, X), concrete(aa=a, c=X)):
        assert result["t"][0].numpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "args, kwargs, reason, flat",
    [
        (
            (4,), {"c": X}, "Can not cast 4 to Literal[3]",
            "h(aa, c) got two values for 'c'.",
        ),
        (
            (), {}, "missing a required argument: 'b'",
            "h(aa, c) missing required arguments: c.",
        ),
        (
            (3,), {}, "missing a required argument: 'c'",
            "h(aa, c): expected argument #1(zero-based) to be a Tensor; got "
            "int (3).",
        ),
        (
            (3, X), {}, "too many positional arguments",
            "h(aa, c) takes 2 positional arguments, got 3.",
        ),
    ],
)
def test_wrong_calls(concrete, args, kwargs, reason, flat):
    args = (tf.ones([2]), *args)
    with pytest.raises(TypeError) as error:
        concrete(*args, **kwargs)
    assert str(error.value) == (
        f"Binding inputs to tf.function failed due to `{reason}`. Received "
        f"args: {args} and kwargs: {kwargs} for signature: {TYPES}.\n"
        f"Fallback to flat signature also failed due to: {flat}"
    )


def test_wrong_dtype_and_shape():
    f = tf.function(lambda x: x + 1)
    concrete = f.get_concrete_function(Spec([2], tf.int32))
    name = concrete.name.decode()
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        concrete(tf.constant([1.0, 2.0]))
    assert str(error.value) == (
        f"cannot compute {name} as input #0(zero-based) was expected to be a "
        f"int32 tensor but is a float tensor [Op:{name}]"
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"shape \(2,\).*shape \(3,\)"
    ):
        concrete(tf.constant([1, 2, 3]))
    assert concrete(tf.constant([1, 2])).numpy().tolist() == [2, 3]


def test_what_it_tells():
    w, v = tf.constant([2.0, 3.0]), tf.Variable(4.0)
    frozen = tf.Variable(1.0, trainable=False)

    @tf.function
    def f(d, *args, **kwargs):
        return [d["x"][0] * v * frozen, w], args[1]

    concrete = f.get_concrete_function({"x": [X, 5]}, 1, [X], k=X)
    assert concrete.structured_input_signature == (
        (
            {"x": [Spec([], tf.float32, name="d_x_0"), 5]},
            1,
            [Spec([], tf.float32, name="args_1_0")],
        ),
        {"k": Spec([], tf.float32, name="k")},
    )
    (first, second), (third,) = concrete.structured_outputs
    assert [t.name for t in (first, second, third)] == [
        "Identity:0", "Identity_1:0", "Identity_2:0"
    ]
    assert [t.name for t in concrete.outputs] == [
        "Identity:0", "Identity_1:0", "Identity_2:0"
    ]
    shapes, last = concrete.output_shapes
    assert [s.as_list() for s in (*shapes, *last)] == [[], [2], []]
    assert concrete.output_dtypes == (
        [tf.float32, tf.float32], [tf.float32]
    )
    assert [t.name for t in concrete.inputs[:3]] == ["d:0", "args_1:0", "k:0"]
    assert len(concrete.inputs) == 6
    assert concrete.variables == (v, frozen)
    assert concrete.trainable_variables == (v,)
    assert any(t is w for t in concrete.captured_inputs)
    assert len(concrete.captured_inputs) == 3


# What functions return


def test_returns():
    pair = collections.namedtuple("pair", "a b")
    v = tf.Variable(7.0)

    @tf.function
    def f(x):
        return {
            "none": None, "number": 3, "text": "s", "array": np.ones(2),
            "variable": v, "pair": pair(x, [x]), "twice": (x, x),
        }

    result = f(X)
    assert list(result) == [
        "none", "number", "text", "array", "variable", "pair", "twice"
    ]
    assert result["none"] is None
    assert result["number"].dtype == tf.int32
    assert result["text"].numpy() == b"s"
    assert result["array"].dtype == tf.float64
    assert isinstance(result["variable"], tf.Tensor)
    assert result["variable"].numpy() == 7.0
    assert isinstance(result["pair"], pair)
    assert result["pair"].b[0].numpy() == 1.0
    graph = f.get_concrete_function(X)
    names = [t.name for t in graph.structured_outputs["twice"]]
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    "value, kind",
    [({1}, "set"), (len, "builtin_function_or_method"), (object(), "object"),
     (tf.float32, "DType")],
    ids=["set", "builtin", "object", "dtype"],
)
def test_cannot_return(value, kind):
    f = tf.function(lambda: (X, value))
    with pytest.raises(TypeError) as error:
        f()
    assert str(error.value) == (
        "To be compatible with tf.function, Python functions must return zero "
        "or more Tensors or ExtensionTypes or None values; in compilation of "
        f"{f.python_function!r}, found return value of type {kind}, which is "
        "not a Tensor or ExtensionType."
    )


# Input signatures


def test_signature_casts():
    @tf.function(input_signature=[Spec([None], tf.float32)])
    def f(x):
        return x * 2.0

    for value in ([1, 2], (1.0, 2.0), np.array([1, 2]), np.array([1.0, 2.0]),
                  tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])):
        assert f(value).numpy().tolist() == [2.0, 4.0]
    assert f.experimental_get_tracing_count() == 1
    assert f.get_concrete_function() is f.get_concrete_function(
        Spec([3], tf.float32)
    )
    assert f.input_signature == (Spec([None], tf.float32),)
    wanted = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    for value, reason in (
        (
            tf.ones([2, 2]),
            "Can not cast TensorSpec(shape=(2, 2), dtype=tf.float32, "
            f"name=None) to {wanted}",
        ),
        (
            tf.constant([1]),
            "Can not cast TensorSpec(shape=(1,), dtype=tf.int32, name=None) "
            f"to {wanted}",
        ),
        ("a", "Cannot convert 'a' to EagerTensor of dtype float"),
        (
            None,
            "Attempt to convert a value (None) with an unsupported type "
            "(<class 'NoneType'>) to a Tensor.",
        ),
    ):
        with pytest.raises(TypeError) as error:
            f(value)
        assert str(error.value) == (
            f"Binding inputs to tf.function failed due to `{reason}`. "
            f"Received args: {(value,)} and kwargs: {{}} for signature: "
            f"(x: {wanted})."
        )
    assert f.experimental_get_tracing_count() == 1


def keyword_only(x, *, y):
    return x


@pytest.mark.parametrize(
    "function, signature, text",
    [
        (
            lambda x: x, 3,
            "input_signature must be either a tuple or a list, got <class "
            "'int'>.",
        ),
        (
            lambda x: x, [1],
            "input_signature must be a possibly nested sequence of TensorSpec "
            "objects, got invalid args [1] with types [<class 'int'>].",
        ),
        (
            lambda x: x, [Spec([]), Spec([])],
            "input_signature contains 1 extra type constraints.",
        ),
        (
            lambda x, y: x, [Spec([])],
            "input_signature missing type constraint for y",
        ),
        (
            keyword_only, [Spec([])],
            "Since input_signature is defined, keyword-only parameter `y` "
            "must have a default value",
        ),
    ],
)
def test_wrong_signatures(function, signature, text):
    with pytest.raises(TypeError) as error:
        tf.function(function, input_signature=signature)
    assert str(error.value) == text


def test_signature_freezes_defaults():
    @tf.function(input_signature=[Spec([], tf.float32)])
    def f(x, y=2):
        return x * y

    assert f(3.0).numpy() == f(3.0, 2).numpy() == 6.0
    with pytest.raises(TypeError) as error:
        f(X, 3)
    assert (
        "failed due to `Can not cast 3 to Literal[2]`" in str(error.value)
    )
    assert str(error.value).endswith(
        "(x: TensorSpec(shape=(), dtype=tf.float32, name=None), y: Literal[2]"
        " = <captured_default_value>)."
    )


def test_signature_structures():
    f = tf.function(
        lambda x: x["k"][0] + x["k"][1],
        input_signature=[{"k": [Spec([], tf.float32)] * 2}],
    )
    assert f({"k": [1, 2]}).numpy() == 3.0
    for value, reason in (
        ({"k": (X, X)}, "to list type."),
        ({"j": [X, X]}, "has different keys with the TraceType Dict[['k', "),
        (2, "Can not cast 2 to"),
        ({"k": [X]}, "of length 1"),
    ):
        with pytest.raises(TypeError, match=re.escape(reason)):
            f(value)


def test_signature_of_varargs_kwargs_and_methods():
    f = tf.function(
        lambda *a: a[0] + a[1], input_signature=[Spec([]), Spec([])]
    )
    assert f(1, 2).numpy() == 3.0
    with pytest.raises(TypeError, match="missing a required argument"):
        f(1)

    @tf.function(input_signature=[Spec([])])
    def g(x, **kwargs):
        return x

    assert g(1).numpy() == 1.0
    with pytest.raises(
        TypeError, match="got an unexpected keyword argument 'z'"
    ):
        g(1, z=2)

    class M:
        @tf.function(input_signature=[Spec([])])
        def double(self, x):
            return x * 2.0

    m = M()
    assert m.double(4).numpy() == 8.0
    assert M.double(m, 4).numpy() == 8.0
    assert m.double.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        M.double(3)
    placeholder = m.double.get_concrete_function().inputs[0]
    assert placeholder.name == "x:0"


def test_unknown_shape_is_checked_when_run():
    f = tf.function(lambda x: x + 1.0, input_signature=[Spec([2])])

    @tf.function(input_signature=[Spec(None)])
    def outer(x):
        return f(x)

    assert outer([1.0, 2.0]).numpy().tolist() == [2.0, 3.0]


def test_captures_must_fit():
    c = tf.constant([1.0, 2.0])
    f = tf.function(lambda x: x * c).get_concrete_function(Spec([2]))
    f.set_external_captures([tf.constant([1.0, 2.0, 3.0])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="have shape"):
        f(c)
    f.set_external_captures([tf.Variable(c)])
    with pytest.raises(TypeError, match="must be a tensor"):
        f(c)
    f.set_external_captures([c])
    assert f(c).numpy().tolist() == [1.0, 4.0]


def test_captured_variables_must_be_of_one_kind():
    v, w = tf.Variable([1.0]), tf.Variable([1, 2])
    f = tf.function(lambda: v + 1.0).get_concrete_function()
    f.set_external_captures([w.handle])
    with pytest.raises(tf.errors.InvalidArgumentError, match="holds values"):
        f()
    f.set_external_captures([tf.Variable([5.0]).handle])
    assert f().numpy().tolist() == [6.0]


def test_captures_may_change_captures():
    c = tf.constant(1.0)
    f = tf.function(lambda: c + 1.0).get_concrete_function()

    def once():
        f.set_external_captures([tf.constant(5.0)])
        return tf.constant(3.0)

    f.set_external_captures([once])
    assert [f().numpy(), f().numpy()] == [4.0, 6.0]


def test_a_function_of_no_captures_takes_none():
    f = tf.function(lambda x: x).get_concrete_function(Spec([]))
    f.set_external_captures([])
    assert f(X) is not None
    with pytest.raises(ValueError, match="captures 0 tensors, got 1"):
        f.set_external_captures([X])
