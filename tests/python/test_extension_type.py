"""tf.experimental.ExtensionType and user-defined type specs."""

import copy
import gc
import pickle
import typing
import weakref

import numpy as np
import pytest

import graphkiln as tf

ExtensionType = tf.experimental.ExtensionType


class Pair(ExtensionType):
    x: tf.Tensor
    y: int = 3


class Wide(ExtensionType):
    pair: Pair
    items: typing.Tuple[tf.Tensor, ...]
    two: typing.Tuple[int, str]
    by_name: typing.Mapping[str, tf.Tensor]
    maybe: typing.Optional[tf.Tensor] = None
    number: typing.Union[int, str] = 1
    shape: tf.TensorShape = None
    kind: tf.DType = tf.int32
    rows: typing.Union[tf.RaggedTensor, None] = None

    def __validate__(self):
        assert len(self.items) < 4, "too many"


def wide(**changes):
    return Wide(**{
        "pair": Pair([1, 2]), "items": [1, 2], "two": (1, "s"),
        "by_name": {"k": 1.0}, "shape": [1], **changes,
    })


def test_text_and_equality():
    assert repr(Pair([1])) == (
        "Pair(x=<tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], "
        "dtype=int32)>, y=3)"
    )
    assert bool(Pair([1, 2]) == Pair([1, 2]))
    assert bool(Pair([1, 2]) != Pair([1, 3]))
    assert (Pair([1]) == Pair([1], 4)) is False
    assert (Pair([1]) == Pair([1, 2])) is False
    assert (Pair([1]) == 3) is False
    with pytest.raises(TypeError, match="unhashable type: 'Pair'"):
        hash(Pair(1))


def test_copies():
    for again in (
        copy.copy(Pair([1])), copy.deepcopy(Pair([1])),
        pickle.loads(pickle.dumps(Pair([1]))),
    ):
        assert bool(again == Pair([1]))
    assert tf.experimental.extension_type.as_dict(Pair(1, 2))["y"] == 2


def test_conversions():
    value = wide(rows=tf.ragged.constant([[1], []]))
    assert [type(x) for x in (value.items, value.two)] == [tuple, tuple]
    assert value.items[0].dtype == tf.int32
    assert repr(value.by_name).startswith("ImmutableDict({'k': <tf.Tensor")
    assert (value.shape, value.kind) == ([1], tf.int32)
    assert Pair(np.ones(2)).x.dtype == tf.float64


@pytest.mark.parametrize(
    "made, error, text",
    [
        (lambda: Pair(), TypeError, "missing a required argument: 'x'"),
        (lambda: Pair(1, 2, 3), TypeError, "too many positional arguments"),
        (lambda: Pair(1, "s"), TypeError, "y: expected 'int', got 'str'"),
        (
            lambda: Pair(object()), TypeError,
            "x: expected a Tensor, got 'object'",
        ),
        (lambda: wide(pair=3), TypeError, "pair: expected 'Pair', got 'int'"),
        (lambda: wide(items=3), TypeError, "items: expected tuple, got 'int'"),
        (
            lambda: wide(two=(1, 2)), TypeError,
            "two[1]: expected 'str', got 'int'",
        ),
        (
            lambda: wide(by_name={3: 1.0}), TypeError,
            "by_name[<key>]: expected 'str', got 'int'",
        ),
        (
            lambda: wide(number=2.5), TypeError,
            "number: expected typing.Union[int, str], got 'float'",
        ),
        (lambda: wide(items=[1, 2, 3, 4]), AssertionError, "too many"),
        (lambda: ExtensionType(), AssertionError, "abstract base class"),
        (
            lambda: setattr(Pair(1), "x", 2), AttributeError,
            "Cannot mutate attribute `x` outside the custom constructor",
        ),
        (
            lambda: delattr(Pair(1), "x"), AttributeError,
            "Cannot mutate attribute `x`",
        ),
        (
            lambda: Pair.Spec(1, 2), TypeError,
            "x: expected a TensorSpec, got 'int'",
        ),
        (
            lambda: Pair.Spec(tf.TensorSpec([])), TypeError,
            "missing a required argument: 'y'",
        ),
    ],
)
def test_refusals(made, error, text):
    with pytest.raises(error) as e:
        made()
    assert text in str(e.value)


@pytest.mark.parametrize(
    "annotations, error, text",
    [
        (
            {"x": list}, TypeError,
            "In field 'x': Unsupported type annotation 'list'",
        ),
        (
            {"x": typing.List[int]}, TypeError,
            "Unsupported type annotation typing.List[int]",
        ),
        ({"self": int}, ValueError, "Field 'self' is reserved"),
        ({"Spec": int}, ValueError, "Field 'Spec' is reserved"),
    ],
)
def test_annotations_refused(annotations, error, text):
    with pytest.raises(error) as e:
        type(ExtensionType)("C", (ExtensionType,), {
            "__annotations__": annotations,
        })
    assert text in str(e.value)
    with pytest.raises(TypeError, match="default value for x: expected 'int'"):
        type(ExtensionType)("C", (ExtensionType,), {
            "__annotations__": {"x": int}, "x": "s",
        })


class Doubled(ExtensionType):
    x: tf.Tensor

    def __init__(self, value):
        self.x = tf.convert_to_tensor(value) * 2


class Incomplete(ExtensionType):
    x: tf.Tensor
    name: str = "n"

    def __init__(self, value):
        self.x = value


class Stray(ExtensionType):
    x: tf.Tensor

    def __init__(self, value):
        self.x = value
        self.other = 1


class Longer(Pair):
    z: float = 1.0


class Forward(ExtensionType):
    x: "tf.Tensor"
    next_one: typing.Optional["Forward"] = None


def test_constructors():
    assert Doubled(2).x.numpy() == 4
    with pytest.raises(ValueError, match=r"Missing required fields: {'name'}"):
        Incomplete(1)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `other`"):
        Stray(1)
    assert (Longer(1).y, Longer(1, 2, 3.0).z) == (3, 3.0)
    assert Forward(1, Forward(2)).next_one.x.numpy() == 2


class Base(ExtensionType):
    x: tf.Tensor
    y: int = 1


class Derived(Base):
    z: str

    def __init__(self, x, z):
        super().__init__(x, y=5)  # the checks are left to this constructor
        self.z = "unknown"
        assert self._type_spec is not None  # asked for before all is set
        self.z = z

    def __validate__(self):
        assert self.z != "bad"


def test_constructors_call_those_of_bases():
    made = Derived([1, 2], "a")
    assert repr(made._type_spec) == (
        "Derived.Spec(x=TensorSpec(shape=(2,), dtype=tf.int32, name=None), "
        "y=5, z='a')"
    )
    with pytest.raises(AssertionError):
        Derived([1], "bad")
    with pytest.raises(TypeError, match="z: expected 'str', got 'int'"):
        Derived([1], 2)


def test_failed_constructors_leave_values_closed():
    class Failing(ExtensionType):
        x: int

        def __init__(self, kept):
            kept.append(self)
            self.x = 1
            raise KeyError("no")

    kept = []
    with pytest.raises(KeyError):
        Failing(kept)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `x`"):
        kept[0].x = 2


def test_constructors_are_of_their_class():
    with pytest.raises(TypeError, match="needs one as its argument"):
        Pair.__init__(3, 4)
    with pytest.raises(TypeError, match="needs one as its argument"):
        Pair.__init__()
    assert Pair.__init__.__qualname__ == "Pair.__init__"
    assert Doubled.__init__.__wrapped__.__qualname__ == "Doubled.__init__"


def test_classes_are_freed():
    def made():
        class Local(ExtensionType):
            x: tf.Tensor = 1

        tf.function(lambda v: v)(Local())
        return weakref.ref(Local), weakref.ref(Local.Spec)

    for tries in range(5):
        classes = made()
        gc.collect()
        if all(c() is None for c in classes):
            return
    raise AssertionError("classes stay")


def test_unions_and_optional_types():
    class Any(ExtensionType):
        a: typing.Union[tf.Tensor, int]
        b: typing.Union[int, tf.Tensor]
        c: "int | None" = None

    made = Any(1, 1)
    assert isinstance(made.a, tf.Tensor) and made.b == 1 and made.c is None
    back = tf.function(lambda v: v)(Any(1, 2.5, 3))
    assert (back.a.numpy(), back.b.numpy(), back.c) == (1, 2.5, 3)


def test_specs_may_have_their_own_encoder():
    class Twice(tf.experimental.ExtensionTypeBatchEncoder):
        def encode(self, spec, value, minimum_rank=0):
            return value.x * 2

        def decode(self, spec, encoded_value):
            return One(encoded_value)

        def encoding_specs(self, spec):
            return spec.x

    class One(tf.experimental.BatchableExtensionType):
        x: tf.Tensor

        class Spec:
            __batch_encoder__ = Twice()

    rows = tf.data.Dataset.from_tensors(One(3)).batch(1)
    assert [e.x.numpy().tolist() for e in rows] == [[6]]


def test_spec():
    spec = Pair([1, 2])._type_spec
    assert repr(spec) == (
        "Pair.Spec(x=TensorSpec(shape=(2,), dtype=tf.int32, name=None), y=3)"
    )
    assert spec == Pair.Spec(tf.TensorSpec([2], tf.int32), 3)
    assert isinstance(spec, tf.TypeSpec) and spec.value_type is Pair
    assert spec.most_specific_common_supertype(
        [Pair([1])._type_spec]
    ) == Pair.Spec(tf.TensorSpec([None], tf.int32), 3)
    assert spec.most_specific_common_supertype(
        [Pair([1], 4)._type_spec]
    ) is None
    assert spec.is_compatible_with(Pair([3, 4]))
    assert not spec.is_compatible_with(Pair([3, 4], 5))
    assert pickle.loads(pickle.dumps(spec)) == spec


class Shaped(ExtensionType):
    x: tf.Tensor

    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.x = tf.TensorSpec(shape, dtype)

        @property
        def shape(self):
            return self.x.shape

        def __repr__(self):
            return f"Shaped.Spec({self.shape})"


def test_own_spec():
    assert Shaped.Spec([1]) == Shaped([1.0])._type_spec
    assert Shaped([1.0])._type_spec.shape == [1]
    f = tf.function(lambda p: p, input_signature=[Shaped.Spec([None])])
    assert f(Shaped([1.0, 2.0])).x.shape == [2]


def test_in_functions():
    f = tf.function(lambda p: p)
    assert bool(f(wide()) == wide())
    assert isinstance(f(wide()).by_name["k"], tf.Tensor)
    assert f.experimental_get_tracing_count() == 1
    assert f(wide(number="s")).number == "s"
    assert f.experimental_get_tracing_count() == 2
    cf = tf.function(lambda p: p.x).get_concrete_function(
        Pair.Spec(tf.TensorSpec([None], tf.int32), 3)
    )
    assert cf(Pair([1, 2])).numpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="Can not cast"):
        cf(Pair([1.5]))
    with pytest.raises(TypeError, match="Can not cast"):
        cf(Pair([1], 4))
    assert isinstance(tf.function(Pair)(tf.constant([1.0])), Pair)


def test_nest_and_captures():
    value = wide()
    assert tf.nest.flatten(value) == [value] or (
        tf.nest.flatten(value)[0] is value
    )
    assert len(tf.nest.flatten(value, expand_composites=True)) == 4
    more = tf.nest.map_structure(
        lambda x: x + 1, value, expand_composites=True
    )
    assert more.pair.x.numpy().tolist() == [2, 3]
    captured = Pair([5, 6])
    f = tf.function(lambda: captured.x + 1)
    assert f().numpy().tolist() == [6, 7]
    assert not tf.is_tensor(captured)


class Two(tf.__internal__.CompositeTensor):
    """A composite tensor with a spec by hand."""

    def __init__(self, a, b):
        self.a = tf.convert_to_tensor(a)
        self.b = tf.convert_to_tensor(b)

    @property
    def _type_spec(self):
        return TwoSpec(
            tf.TensorSpec.from_tensor(self.a), tf.TensorSpec.from_tensor(self.b)
        )


class TwoSpec(tf.TypeSpec):
    def __init__(self, a, b):
        self.a, self.b = a, b

    value_type = Two

    def _serialize(self):
        return self.a, self.b

    @property
    def _component_specs(self):
        return [self.a, self.b]

    def _to_components(self, value):
        return [value.a, value.b]

    def _from_components(self, components):
        return Two(*components)


def test_specs_by_hand():
    f = tf.function(lambda t: Two(t.b, t.a), reduce_retracing=True)
    out = f(Two(1, [2.0]))
    assert isinstance(out, Two) and out.a.numpy().tolist() == [2.0]
    f(Two(1, [2.0, 3.0]))
    f(Two(1, [2.0, 3.0, 4.0]))
    assert f.experimental_get_tracing_count() == 2
    spec = TwoSpec(tf.TensorSpec([]), tf.TensorSpec([2]))
    assert spec == TwoSpec(tf.TensorSpec([]), tf.TensorSpec([2]))
    assert spec.is_subtype_of(TwoSpec(tf.TensorSpec([]), tf.TensorSpec([None])))
    assert spec.is_compatible_with(Two(1.0, [2.0, 3.0]))
    assert not spec.is_compatible_with(Two(1, [2.0, 3.0]))
    with pytest.raises(TypeError, match="abstract class TypeSpec"):
        tf.TypeSpec()


@pytest.mark.parametrize(
    "value, text",
    [
        (np.ones(2), "TensorSpec(shape=(2,), dtype=tf.float64, name=None)"),
        (None, "NoneTensorSpec()"),
        ("a", "TensorSpec(shape=(), dtype=tf.string, name=None)"),
        ([1, 2], "TensorSpec(shape=(2,), dtype=tf.int32, name=None)"),
    ],
    ids=str,
)
def test_type_spec_from_value(value, text):
    assert repr(tf.type_spec_from_value(value)) == text


def test_type_spec_from_value_refuses():
    with pytest.raises(TypeError, match="Could not build a TypeSpec for {1}"):
        tf.type_spec_from_value({1})


def test_results_of_map_fn_have_the_plain_values_of_the_signature():
    class Flagged(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        flag: int

    rows = Flagged([1, 2], 1)
    for other in (True, 2):
        with pytest.raises(ValueError, match="Expected `fn` to return a"):
            tf.map_fn(lambda e, other=other: Flagged(e.x, other), rows)
    assert tf.map_fn(lambda e: e, rows).flag == 1
