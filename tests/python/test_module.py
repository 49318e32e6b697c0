"""tf.Module: what is found in its attributes, in which order, by which ways.
What is expected is what TensorFlow shows."""

from __future__ import annotations

import collections
import gc
import weakref

import pytest

import graphkiln as tf

OWN = {"_name", "_name_scope"}


def paths(module, **options):
    return [
        path
        for path, _ in module._flatten(with_path=True, **options)
        if path[-1] not in OWN
    ]


def make(**attributes):
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


def test_composites_are_expanded_on_demand():
    module = make(
        s=tf.sparse.from_dense([[1, 0]]),
        r=tf.ragged.constant([[[1, 2], []], [[3]]]),
        spec=tf.RaggedTensorSpec([None, None]),
        v=tf.Variable(1.0),
    )
    assert paths(module) == [("r",), ("s",), ("spec",), ("v",)]
    assert paths(module, expand_composites=True) == [
        *[("r", "RaggedTensor", i) for i in range(3)],
        *[("s", "SparseTensor", i) for i in range(3)],
        ("spec",),
        ("v",),
    ]


def test_the_order_of_attributes_holds_in_modules_inside():
    module = make(a=1, b=make(c=1, d=2))
    backwards = {"attribute_traversal_key": lambda name: [-ord(c) for c in name]}
    assert paths(module, **backwards) == [("b",), ("a",), ("b", "d"), ("b", "c")]


def test_errors_of_properties_name_them():
    class Bad(dict):
        def __iter__(self):
            raise TypeError("mine")

        keys = __iter__

    for value in (Bad(a=1), {1: 2, "b": tf.Variable(1.0)}):
        module = make(d=value)
        with pytest.raises(ValueError, match="Error processing property 'd' of") as e:
            _ = module.variables
        assert isinstance(e.value.__cause__, TypeError)


def test_errors_of_the_program_pass():
    def bad(_):
        raise TypeError("mine")

    module = make(x=1, l=[1, 2])
    for option in ("predicate", "attribute_traversal_key"):
        with pytest.raises(TypeError, match="mine"):
            list(module._flatten(**{option: bad}))

    def stop(_):
        raise StopIteration

    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        list(module._flatten(predicate=stop))


def test_ways_end_where_a_module_is_inside_itself():
    module = make()
    module.m = module
    assert paths(module) == [("m",), ("m", "m")]
    assert module.submodules == ()
    outer = make(inner=make(x=3))
    outer.inner.up = outer
    assert paths(outer) == [
        ("inner",),
        ("inner", "up"),
        ("inner", "x"),
        ("inner", "up", "inner"),
    ]
    assert outer.submodules == (outer.inner,)


def test_ways_through_containers():
    Point = collections.namedtuple("Point", "x y")
    v = tf.Variable(1.0)
    module = make(
        p=Point(1, [2, v]), d={"b": 1, "a": v}, r=range(2), n=(None,), v=v
    )
    assert paths(module) == [
        ("d", "a"),
        ("d", "b"),
        ("n", 0),
        ("p", "x"),
        ("p", "y", 0),
        ("p", "y", 1),
        ("r", 0),
        ("r", 1),
        ("v",),
    ]
    assert module.variables == (v,)


def test_a_walk_is_lazy():
    module = make(x=1, y=2)
    with_path = module._flatten(with_path=True)
    next(with_path)
    del module.y
    with pytest.raises(KeyError, match="y"):
        list(with_path)
    module._flatten(predicate=lambda _: 1 / 0)


def test_ignored_attributes():
    class Ignoring(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(["hidden"])

    inner = Ignoring()
    inner.hidden, inner.shown = tf.Variable(1.0), tf.Variable(2.0)
    assert make(inner=inner).variables == (inner.shown,)


@pytest.mark.parametrize("name", ["é", "aé", "1a", "", "a b", "\ud800"])
def test_names_are_identifiers(name):
    with pytest.raises(ValueError, match="is not a valid module name"):
        tf.Module(name)


@pytest.mark.parametrize("name", ["a1", "_", "_A9", "a\n"])
def test_valid_names(name):
    assert tf.Module(name).name == name


def test_the_scope_is_one_object():
    with tf.name_scope("outer"):
        module = tf.Module("inner")
    assert module.name_scope is module.name_scope
    with module.name_scope, module.name_scope:
        assert tf.Variable(1.0, name="v").name == "outer/inner/v:0"


def test_scopes_with_halves_of_surrogate_pairs():
    scope = tf.name_scope("\ud800")
    assert scope.name == "\ud800"
    with scope as full:
        assert full == "\ud800/"
        assert tf.add(1, 2).numpy() == 3
    for outer, kind in (("", "root scope"), ("a", "scope")):
        with tf.Graph().as_default(), tf.name_scope(outer):
            with pytest.raises(ValueError, match=f"is not a valid {kind} name"):
                scope.__enter__()


def test_a_walk_is_closed_to_itself():
    module = make(a=1, b=2)
    seen = []

    def again(value):
        with pytest.raises(ValueError, match="generator already executing"):
            next(walk)
        seen.append(value)
        return value == 2

    walk = module._flatten(predicate=again)
    assert next(walk) == 2
    assert 1 in seen
    assert list(walk) == []


def test_a_walk_is_over_after_an_error():
    def fails(value):
        raise KeyError("mine")

    walk = make(a=1)._flatten(predicate=fails)
    with pytest.raises(KeyError, match="mine"):
        next(walk)
    assert list(walk) == []


def test_a_walk_begins_when_asked():
    module = make(a=1)
    walk = module._flatten(predicate=lambda value: value in (1, 2))
    module.b = 2
    assert list(walk) == [1, 2]


def test_walks_that_are_kept_in_their_module_are_collected():
    module = make(a=1)
    module.walk = module._flatten()
    next(module.walk)
    gone = weakref.ref(module)
    del module
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (3, "expected string or bytes-like object, got 'int'"),
        (b"a", "cannot use a string pattern on a bytes-like object"),
    ],
)
def test_names_that_are_no_texts(name, text):
    with pytest.raises(TypeError) as error:
        tf.Module(name=name)
    assert str(error.value) == text
