"""tf.Variable: its interface."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
from outcomes import better, failure


def program_creation(tf):
    return [
        tf.Variable(1), tf.Variable([1.5, 2.5]), tf.Variable("text"),
        tf.Variable(np.ones((2, 2))), tf.Variable(tf.constant(3)),
        tf.Variable(1, dtype=tf.float64), tf.Variable(lambda: [1, 2]),
        tf.Variable(True), tf.Variable([[1], [2]], dtype="int64"),
        tf.Variable(initial_value=2.0, name="n").name,
        tf.Variable(tf.Variable(4)), tf.Variable(1j),
        tf.Variable(1, True, True, None, "name", None, tf.float32),
    ]


def program_properties(tf):
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    w = tf.Variable(1, constraint=abs)
    return [
        v.name, v.dtype, v.shape, v.trainable, v.constraint, v.device,
        str(v.synchronization), str(v.aggregation), w.constraint is abs,
        w.trainable, v.get_shape(), v.shape.rank, w.name, v.handle.dtype,
        v.handle.shape, v.value(), v.read_value(), v.numpy(),
        v.is_initialized(), type(v).__name__ in ("Variable",
                                                 "ResourceVariable"),
        isinstance(v, tf.Variable), tf.is_tensor(v), v.ndim
        if hasattr(v, "ndim") else None,
    ]


def program_distribution_arguments(tf):
    v = tf.Variable(
        1.0, synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )
    w = tf.Variable(
        1.0, synchronization=tf.VariableSynchronization.NONE,
        aggregation=tf.VariableAggregation.MEAN,
    )
    return [
        str(v.synchronization), v.aggregation.name, v.trainable,
        str(w.synchronization), w.aggregation.name, w.trainable,
        failure(tf.Variable, 1.0, aggregation="sum"),
        failure(tf.Variable, 1.0, synchronization="none"),
        failure(
            tf.Variable, 1.0, trainable=True,
            synchronization=tf.VariableSynchronization.ON_READ,
        ),
    ]


def program_printing(tf):
    long = tf.Variable(tf.range(2000))
    return [
        repr(tf.Variable(1)), str(tf.Variable(1)), repr(tf.Variable([1.5])),
        repr(tf.Variable("s")), repr(tf.Variable(["a", "b"], name="names")),
        repr(tf.Variable([[1, 2], [3, 4]], dtype=tf.int64)), repr(long)[:90],
        repr(tf.Variable(1, shape=tf.TensorShape(None))),
        f"{tf.Variable(2.5):.2f}" if False else "",
        repr(tf.Variable(1.5, dtype=tf.bfloat16)),
    ]


def program_printing_while_tracing(tf):
    v = tf.Variable([1.0], name="v")
    seen = []

    @tf.function
    def f(w):
        seen.extend([repr(v), str(v)])
        return v

    f(tf.Variable(1))
    return seen


def program_creation_errors(tf):
    return [
        failure(tf.Variable), failure(tf.Variable, None),
        failure(tf.Variable, 1, constraint=3),
        failure(tf.Variable, 1, dtype=tf.string)[0],
        failure(tf.Variable, "a", dtype=tf.int32)[0],
        failure(tf.Variable, tf.constant(1), dtype=tf.float32)[0],
        failure(tf.Variable, [1, 2], shape=[3])[0],
        failure(tf.Variable, [[1], [1, 2]])[0],
        failure(tf.Variable, object())[0],
        failure(tf.Variable, 1, unknown=3)[0],
    ]


def program_shape_argument(tf):
    v = tf.Variable([1, 2], shape=tf.TensorShape(None))
    w = tf.Variable([[1.0]], shape=[None, 1])
    results = [v.shape, w.shape]
    v.assign([[1, 2], [3, 4]])
    w.assign([[1.0], [2.0]])
    return results + [
        v, w, failure(w.assign, [[1.0, 2.0]]), v.shape, w.shape,
        failure(lambda: w.assign([1.0]))[0],
    ]


def program_assign(tf):
    v = tf.Variable([1, 2])
    results = [v.assign([3, 4]), v.assign_add([1, 1]), v.assign_sub([2, 2])]
    results += [
        v.assign([5, 6], read_value=False), v.assign_add([1, 1], False),
        v.assign_sub([1, 1], use_locking=True, name="n", read_value=True),
        v.assign(value=[7, 8]), v.assign_add(delta=[1, 1]),
    ]
    return results, v


def program_assign_errors(tf):
    v = tf.Variable([1.0, 2.0], name="mine")
    return [
        failure(v.assign, [1.0, 2.0, 3.0]), failure(v.assign, 1.0),
        failure(v.assign, "text")[0], failure(v.assign, None)[0],
        failure(v.assign, tf.constant([1, 2]))[0],
        failure(v.assign_add, tf.constant([1, 2]))[0],
        failure(v.assign_add, [1.0, 2.0, 3.0])[0],
        failure(tf.Variable("a").assign_add, "b")[0] != "ok", v,
    ]


def program_assign_shape_error_names_the_variable(tf):
    v = tf.Variable([1.0, 2.0], name="mine")
    return failure(v.assign, [[1.0, 2.0]])


def program_assign_converts(tf):
    v = tf.Variable([1.0, 2.0])
    v.assign([1, 2])
    v.assign_add(np.array([0.5, 0.5]))
    v.assign_sub(tf.Variable([1.0, 1.0]))
    w = tf.Variable(1, dtype=tf.uint8)
    w.assign(200)
    return v, w


def program_assign_broadcast(tf):
    v = tf.Variable([1.0, 2.0])
    return failure(v.assign_add, 1.0)[0], v


def program_operators(tf):
    v = tf.Variable([1.0, -2.0])
    w = tf.Variable([3.0, 4.0])
    i = tf.Variable([6, 7])
    b = tf.Variable([True, False])
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return [
        v + w, v - 1.0, 2.0 * v, v / w, v // w, v % w, v**2.0, 2.0**v,
        -v, abs(v), v < w, v <= 0.0, v > w, v >= w, m @ m, i & 3, i | 1,
        i ^ 5, ~i, ~b, b & True, b | b, b ^ True, i // 2, i % 4, 7 - i,
        1.0 / w, 7 // i, 7 % i, v[0], v[::-1], m[:, 1], m[..., 0, tf.newaxis],
        m[1, 0], m[tf.constant(1)],
    ]


def program_equality_and_hash(tf):
    v, w = tf.Variable(1), tf.Variable(1)
    return [
        v == w, v == 1, v != w,
        failure(hash, v)[0], v.ref() == v.ref(), v.ref() == w.ref(),
        len({v.ref(), w.ref(), v.ref()}), v.ref().deref() is v,
        v.experimental_ref() == v.ref(), failure(lambda: {v: 1})[0],
        v in [v], tf.Variable([1, 2]) == [1, 3],
    ]


def program_conversions(tf):
    v = tf.Variable(2)
    x = tf.Variable([1.5, 2.5])
    return [
        int(v), float(v), bool(v), complex(v),
        np.asarray(x), np.array(v), len(x) if hasattr(x, "__len__") else 2,
        [float(e) for e in x], tf.convert_to_tensor(x), tf.cast(x, tf.int32),
        tf.convert_to_tensor(v, tf.int32), tf.identity(x), tf.stack([v, v]),
        tf.constant([1, 2]) * v, np.float32(2) * x, x * np.array([1.0, 2.0]),
        failure(int, x)[0], failure(bool, x)[0],
        failure(tf.convert_to_tensor, v, tf.float32)[0],
    ]


def program_len(tf):
    return [
        failure(len, tf.Variable([1, 2]))[0], failure(len, tf.Variable(1))[0],
        failure(iter, tf.Variable(1))[0],
        failure(lambda: list(tf.Variable(1)))[0],
    ]


def program_what_has_no_meaning_when_eager(tf):
    v = tf.Variable([1.0])
    return [failure(lambda: getattr(v, name)) for name in (
        "initializer", "initial_value",
    )] + [failure(lambda: getattr(v, name))[0] for name in (
        "graph", "op", "T", "size", "ndim",
    )] + [
        failure(v.to_proto), failure(tf.Variable.from_proto, None)[0],
        failure(v.eval),
    ]


def program_scatter(tf):
    slices = tf.IndexedSlices
    results = []
    for name, values in (
        ("scatter_add", [[1.0, 1.0], [2.0, 2.0]]),
        ("scatter_sub", [[1.0, 1.0], [2.0, 2.0]]),
        ("scatter_mul", [[2.0, 2.0], [3.0, 3.0]]),
        ("scatter_div", [[2.0, 2.0], [4.0, 4.0]]),
        ("scatter_max", [[2.0, 0.0], [9.0, 0.0]]),
        ("scatter_min", [[2.0, 0.0], [9.0, 0.0]]),
        ("scatter_update", [[7.0, 8.0], [9.0, 10.0]]),
    ):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        delta = slices(tf.constant(values), tf.constant([2, 0]))
        results += [getattr(v, name)(delta), v]
    return results


def program_scatter_errors(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    far = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([5]))
    return [
        failure(v.scatter_add, [[1.0, 1.0]])[0],
        failure(v.scatter_add, far)[0],
        failure(v.scatter_update, tf.constant(1.0))[0],
    ]


def program_scatter_nd(tf):
    results = []
    for name in (
        "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update",
        "scatter_nd_max", "scatter_nd_min",
    ):
        v = tf.Variable([1, 2, 3, 4, 5, 6, 7, 8])
        result = getattr(v, name)([[4], [3], [1], [7]], [9, 10, -11, 12])
        results += [result, v]
    return results


def program_batch_scatter_update(tf):
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    delta = tf.IndexedSlices(
        tf.constant([[10, 20], [30, 40]]), tf.constant([[0, 2], [1, 0]])
    )
    return v.batch_scatter_update(delta), v


def program_reads_of_parts(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return [
        v.sparse_read([2, 0]), v.sparse_read(tf.constant([[0], [1]])),
        v.gather_nd([[0, 1], [2, 0]]), v.gather_nd([[1]]),
        failure(v.sparse_read, [3])[0], failure(v.gather_nd, [[3, 0]])[0],
        tf.gather(v, [1]), tf.nn.embedding_lookup(v, [0, 2]),
    ]


def program_count_up_to(tf):
    v = tf.Variable(0)
    return [v.count_up_to(2), v.count_up_to(2), failure(v.count_up_to, 2)[0],
            v]


def program_slice_assignment(tf):
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    results = [v[0].assign([7, 8, 9]), v]
    v[:, 1].assign([0, 0])
    v[1, 2].assign(-1)
    v[..., :1].assign([[5], [5]])
    results.append(v.read_value())
    v[::-1, ::2].assign([[1, 2], [3, 4]])
    results += [v, failure(lambda: v[0].assign([1, 2]))[0]]

    def item():
        v[0] = 1

    return results + [failure(item)[0]]


def program_slice_assignment_in_a_function(tf):
    v = tf.Variable([1, 2, 3, 4])

    @tf.function
    def f(i, x):
        v[i:].assign(x)
        v[0].assign(9)
        return v[1:]

    return f(tf.constant(2), tf.constant([7, 8])), v


def program_copies(tf):
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    w = copy.deepcopy(v)
    w.assign([5.0, 6.0])
    shared = {"a": v, "b": v}
    twice = copy.deepcopy(shared)
    return [v, w.numpy(), w.trainable, w.dtype, twice["a"] is twice["b"],
            failure(copy.copy, v)[0]]


def program_pickling(tf):
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    return failure(lambda: pickle.loads(pickle.dumps(v)).numpy())


def program_deepcopy_while_tracing(tf):
    v = tf.Variable(1)

    @tf.function(autograph=False)
    def f():
        return failure(copy.deepcopy, v)[0]

    return str(f().numpy())


@better([[4, 6], "more", True, "Own", [3, 4]])
def program_subclass(tf):
    class Own(tf.Variable):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.extra = "more"

        def double(self):
            return self * 2

    v = Own([1, 2])
    v.assign_add([1, 1])
    return [
        v.double().numpy().tolist(), v.extra, isinstance(v, tf.Variable),
        type(v).__name__, tf.function(lambda: v + 1)().numpy().tolist(),
    ]


def program_collection(tf):
    v = tf.Variable([1.0])
    t = v + 1.0
    refs = [weakref.ref(v), weakref.ref(t)]
    v.me = v
    del v, t
    gc.collect()
    return [r() is None for r in refs]


def program_constraint_is_not_applied_by_assign(tf):
    v = tf.Variable(-1.0, constraint=tf.abs)
    v.assign(-2.0)
    return v, v.constraint(v)


def program_names(tf):
    with tf.name_scope("a"):
        v = tf.Variable(1, name="v")
        with tf.name_scope("b"):
            w = tf.Variable(1)
    return [v.name, w.name, tf.Variable(1, name="x:y").name,
            tf.Variable(1, name="same").name, tf.Variable(1, name="same").name,
            failure(tf.Variable, 1, name=3)[0]]


def program_creator_scope(tf):
    seen = []

    def outer(next_creator, **kwargs):
        seen.append(["outer", kwargs["name"]])
        kwargs["name"] = "changed"
        return next_creator(**kwargs)

    def inner(next_creator, **kwargs):
        seen.append(["inner", sorted(kwargs)])
        return next_creator(**kwargs)

    with tf.variable_creator_scope(outer):
        with tf.variable_creator_scope(inner):
            v = tf.Variable(1, name="n")
    return v.name, seen


def program_set_shape(tf):
    v = tf.Variable([1, 2])
    return [
        failure(v.set_shape, [2])[0], failure(v.set_shape, [3])[0],
        failure(v.load, [5, 6])[0], failure(v.eval)[0],
    ]
