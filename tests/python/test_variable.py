"""tf.Variable: creation, assignment, reading, copies, names."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from child_program import check_child
from op_support import needs_op

import graphkiln as tf


@pytest.fixture
def v():
    return tf.Variable([1.0, 2.0])


def test_repr(v):
    assert repr(v) == (
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, "
        "numpy=array([1., 2.], dtype=float32)>"
    )
    assert repr(tf.Variable(3, name="foo")) == (
        "<tf.Variable 'foo:0' shape=() dtype=int32, numpy=3>"
    )
    assert str(v) == repr(v)


def test_creation():
    assert tf.Variable(lambda: 3).numpy() == 3
    assert tf.Variable([1, 2], dtype=tf.float32).dtype == tf.float32
    assert tf.Variable([1, 2], shape=[None]).shape.as_list() == [None]
    assert tf.Variable([1, 2], shape=tf.TensorShape(None)).shape.rank is None
    assert tf.Variable("abc").numpy() == b"abc"
    assert tf.Variable(1.0, trainable=False).trainable is False
    assert tf.Variable(tf.Variable(2.0)).numpy() == 2.0


def test_creation_errors():
    with pytest.raises(ValueError, match="`initial_value` arg .* specified"):
        tf.Variable(None)
    with pytest.raises(
        ValueError, match=r"shape \(\(2,\)\) is not compatible with .* \(\[3\]\)"
    ):
        tf.Variable([1, 2], shape=[3])
    with pytest.raises(TypeError, match="Cannot convert 1.0 to EagerTensor"):
        tf.Variable(1.0, dtype=tf.int32)
    with pytest.raises(
        ValueError, match="initial_value: Tensor conversion requested dtype"
    ):
        tf.Variable(tf.constant(1.0), dtype=tf.int32)


def test_assignment(v):
    assert v.assign([3, 4]) is not None
    assert v.numpy().tolist() == [3.0, 4.0]
    v.assign_add([1.0, 1.0])
    v.assign_sub([0.5, 0.5])
    assert v.numpy().tolist() == [3.5, 4.5]
    assert v.assign([1.0, 1.0], read_value=False) is None


def test_assignment_errors(v):
    with pytest.raises(
        ValueError,
        match=r"Cannot assign value to variable ' Variable:0': Shape mismatch."
        r"The variable shape \(2,\), and the assigned value shape \(\) are "
        r"incompatible.",
    ):
        v.assign(3.0)
    with pytest.raises(ValueError, match="Tensor conversion requested dtype"):
        v.assign(tf.constant([1, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.assign_add(tf.constant([1.0, 2.0, 3.0]))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_reads_are_snapshots(v):
    before = v.value()
    v.assign_add([1.0, 1.0])
    assert before.numpy().tolist() == [1.0, 2.0]
    assert v.read_value().numpy().tolist() == [2.0, 3.0]


def test_operators_read(v):
    assert (v + 1).numpy().tolist() == [2.0, 3.0]
    assert (1 + v).numpy().tolist() == [2.0, 3.0]
    assert (v * v).numpy().tolist() == [1.0, 4.0]
    assert (np.ones(2) + v).numpy().tolist() == [2.0, 3.0]
    assert (tf.constant([1.0, 1.0]) - v).numpy().tolist() == [0.0, -1.0]
    assert not isinstance(v + v, tf.Variable)


def test_conversions(v):
    assert float(tf.Variable(1.5)) == 1.5
    assert int(tf.Variable(3)) == 3
    assert np.asarray(v).tolist() == [1.0, 2.0]
    assert [float(x) for x in v] == [1.0, 2.0]
    assert v[1].numpy() == 2.0
    with pytest.raises(TypeError, match="has no len"):
        len(v)


def test_kind_of_object(v):
    assert tf.is_tensor(v)
    assert not isinstance(v, tf.Tensor)
    assert isinstance(v, tf.Variable)
    assert isinstance(v, tf.__internal__.types.Tensor)


def test_conversion_to_another_dtype(v):
    with pytest.raises(ValueError, match="Incompatible type conversion"):
        tf.convert_to_tensor(v, tf.int32)


def test_unhashable(v):
    with pytest.raises(TypeError, match="Variable is unhashable"):
        hash(v)
    assert v.ref() == v.ref()


def test_copies(v):
    assert copy.copy(v) is v
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert other is not v and other.numpy().tolist() == [1.0, 2.0]
        other.assign([0.0, 0.0])
        assert v.numpy().tolist() == [1.0, 2.0]


def test_subclass():
    class Mine(tf.Variable):
        def double(self):
            return self * 2

    mine = Mine(2.0)
    assert mine.double().numpy() == 4.0
    assert (tf.constant(1.0) + mine).numpy() == 3.0


def test_lifetime():
    v = tf.Variable(1.0)
    handle, reference = v.handle, weakref.ref(v)
    del v
    gc.collect()
    assert reference() is None
    assert tf.raw_ops.ReadVariableOp(
        resource=handle, dtype=tf.float32
    ).numpy() == 1.0


def test_names_and_scopes():
    with tf.name_scope("outer") as scope:
        assert scope == "outer/"
        assert tf.Variable(1.0).name == "outer/Variable:0"
        with tf.name_scope("inner"):
            assert tf.Variable(1.0, name="v").name == "outer/inner/v:0"
    assert tf.Variable(1.0).name == "Variable:0"
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        tf.name_scope(3)


def test_creator_scope():
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(kwargs["name"])
        return next_creator(**dict(kwargs, trainable=False))

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, name="a")
    assert seen == ["a"] and not v.trainable


def test_a_creator_scope_decorates_functions():
    def frozen(next_creator, **arguments):
        return next_creator(**{**arguments, "trainable": False})

    @tf.variable_creator_scope(frozen)
    def made(value):
        """Makes one."""
        return tf.Variable(value)

    assert made.__doc__ == "Makes one."
    for value in (1.0, 2.0):
        v = made(value)
        assert v.numpy() == value and not v.trainable
    assert tf.Variable(1.0).trainable


@needs_op("OnesLike")
def test_tape_watches_trainable_variables(v):
    other = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * other
    assert tape.gradient(y, [v, other])[1] is None
    assert [id(w) for w in tape.watched_variables()] == [id(v)]


@needs_op("OnesLike", "ResourceGather")
def test_gather_gradient_is_slices(v):
    with tf.GradientTape() as tape:
        y = v.sparse_read([0])
    assert isinstance(tape.gradient(y, v), tf.IndexedSlices)


def test_updates_leave_another_librarys_array_alone():
    array = np.arange(1000, dtype=np.float32)
    given = tf.experimental.dlpack.from_dlpack(array.__dlpack__())
    v = tf.Variable(tf.zeros([1000]))
    v.assign(given)
    del given
    v.assign_add(tf.ones([1000]))
    assert array[0] == 0.0 and v.numpy()[0] == 1.0
    fresh = tf.Variable(tf.experimental.dlpack.from_dlpack(array.__dlpack__()))
    fresh.assign_add(tf.ones([1000]))
    tf.function(lambda: fresh.assign_add(tf.ones([1000])))()
    assert array[0] == 0.0 and fresh.numpy()[0] == 2.0


def test_what_an_assignment_gave_in_a_graph_is_forgotten(monkeypatch):
    # The object that an assignment gives may have been another one's, whose
    # graph is gone; glibc writes over what is freed.
    monkeypatch.setenv("MALLOC_PERTURB_", "165")
    out = check_child(
        """
        import gc
        import graphkiln as tf
        with tf.Graph().as_default():
            v = tf.Variable(1.0)
            given = [v.assign(2.0) for _ in range(20)]
        del given, v
        gc.collect()
        w = tf.Variable([1.0, 2.0])
        @tf.function
        def f(x):
            kept = [w.assign_add(x) for _ in range(20)]
            return [tf.identity(k) for k in kept][-1]
        print(f(tf.ones([2])).numpy())
        """
    )
    assert out.endswith("[21. 22.]\n")
