"""tf.Variable: its interface, and its creation inside functions."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np

from outcomes import better, failure, phrase


def _count(f):
    return f.experimental_get_tracing_count()


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


def program_created_on_the_first_call(tf):
    class Counter:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(10.0, name="inside")
            return self.v.assign_add(x)

    c = Counter()
    results = [c(tf.constant(1.0)), c(tf.constant(2.0)), c(tf.constant(1.0))]
    return results, c.v.name, c.v


def program_tracing_count_with_variables(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(1.0))
        return made[0] + x

    counts = []
    for x in (1.0, 2.0, [1.0]):
        f(tf.constant(x))
        counts.append(_count(f))
    return counts


@phrase(
    "tf.function only supports singleton tf.Variables created on the first "
    "call. Make sure the tf.Variable is only created once or created outside "
    "tf.function. See "
)
def program_created_at_each_call(tf):
    @tf.function
    def f(x):
        return tf.Variable(1.0) + x

    f(tf.constant(1.0))


@phrase("tf.function only supports singleton tf.Variables")
def program_created_in_a_later_trace(tf):
    made = {}

    @tf.function
    def f(x, key):
        if key not in made:
            made[key] = tf.Variable(1.0)
        return made[key] + x

    f(tf.constant(1.0), "a")
    f(tf.constant(1.0), "b")


def program_two_optimizers(tf):
    class Optimizer:
        def __init__(self, rate):
            self.rate, self.slot = rate, None

        def apply(self, variable, gradient):
            if self.slot is None:
                self.slot = tf.Variable(tf.zeros_like(variable))
            self.slot.assign_add(gradient)
            variable.assign_sub(self.rate * self.slot)

    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step(optimizer, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x)
        optimizer.apply(w, tape.gradient(loss, w))
        return loss

    first, second = Optimizer(0.1), Optimizer(0.5)
    results = [step(first, tf.constant([1.0, 1.0]))]
    kind = failure(step, second, tf.constant([1.0, 1.0]))[0]
    make = tf.function(step.python_function)
    results += [make(second, tf.constant([1.0, 1.0])),
                make(second, tf.constant([2.0, 1.0]))]
    return results, kind, w


def program_initial_value_depends_on_the_argument(tf):
    class Model:
        v = None

        @tf.function
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(x * 2.0 + 1.0)
            return self.v + x

    m = Model()
    return m.f(tf.constant(3.0)), m.f(tf.constant(1.0)), m.v


def program_initial_value_is_a_function(tf):
    class Model:
        v = None

        @tf.function
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(lambda: tf.ones([2]) * 3.0)
            return self.v + x

    m = Model()
    return m.f(tf.constant(3.0)), m.v


def program_initial_value_of_shape(tf):
    class Model:
        w = None

        @tf.function
        def f(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([x.shape[-1], 3]), name="w")
            return tf.matmul(x, self.w)

    m = Model()
    return m.f(tf.ones([2, 4])), m.f(tf.ones([3, 4])), m.w.shape, m.w.name


def program_initial_value_of_another_variable(tf):
    class Model:
        a = b = None

        @tf.function
        def f(self, x):
            if self.a is None:
                self.a = tf.Variable(2.0)
                self.b = tf.Variable(self.a * 3.0)
            return self.a + self.b + x

    m = Model()
    return m.f(tf.constant(1.0)), m.a, m.b


def program_conditional_creation(tf):
    class Model:
        v = None

        @tf.function(autograph=False)
        def f(self, x, use):
            if use:
                if self.v is None:
                    self.v = tf.Variable(5.0)
                return self.v + x
            return x

    m = Model()
    return [
        m.f(tf.constant(1.0), True), m.f(tf.constant(1.0), False),
        m.f(tf.constant(1.0), True), m.v,
    ]


def program_creation_by_get_concrete_function(tf):
    class Model:
        v = None

        @tf.function
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(5.0)
            return self.v + x

    m = Model()
    concrete = m.f.get_concrete_function(tf.TensorSpec([], tf.float32))
    return concrete(tf.constant(1.0)), m.v, len(concrete.variables)


def program_creation_in_a_nested_function(tf):
    class Model:
        v = None

        @tf.function
        def inner(self, x):
            if self.v is None:
                self.v = tf.Variable(5.0)
            return self.v.assign_add(x)

        @tf.function
        def outer(self, x):
            return self.inner(x) + self.inner(x)

    m = Model()
    return [
        m.outer(tf.constant(1.0)), m.outer(tf.constant(1.0)), m.v,
        _count(m.outer), _count(m.inner),
    ]


def program_created_twice_in_one_call(tf):
    class Model:
        parts = None

        @tf.function
        def f(self, x):
            if self.parts is None:
                self.parts = [tf.Variable(float(i)) for i in range(3)]
            return sum(p + x for p in self.parts)

    m = Model()
    return m.f(tf.constant(1.0)), [p.name for p in m.parts], m.parts


def program_assigned_on_the_first_call(tf):
    class Model:
        v = None

        @tf.function
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(1.0)
                self.v.assign(10.0)
            return self.v.assign_add(x)

    m = Model()
    return m.f(tf.constant(1.0)), m.f(tf.constant(1.0)), m.v


def program_random_initial_value(tf):
    class Model:
        v = None

        @tf.function
        def f(self):
            if self.v is None:
                self.v = tf.Variable(tf.random.uniform([100]))
            return tf.reduce_sum(self.v)

    m = Model()
    return m.f() == m.f(), m.f() > 10.0


def program_returned_variable_is_its_value(tf):
    v = tf.Variable([1, 2])

    @tf.function
    def f():
        return v, {"v": v}, v.assign_add([1, 1])

    a, b, c = f()
    v.assign([9, 9])
    return a, b, c, v


def program_variables_as_arguments(tf):
    v, w = tf.Variable(1), tf.Variable(10)

    @tf.function
    def f(a, b):
        a.assign_add(1)
        return a + b

    return [f(v, w), f(w, v), f(v, v), f(v, 5), _count(f), v, w]


def program_variables_of_a_concrete_function(tf):
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(2.0, name="w", trainable=False)

    @tf.function
    def inner(x):
        return x * w

    @tf.function
    def f(x):
        return inner(x) + v

    concrete = f.get_concrete_function(tf.constant(1.0))
    return [
        sorted(x.name for x in concrete.variables),
        [x.name for x in concrete.trainable_variables],
        len(concrete.captured_inputs), len(concrete.graph.variables),
    ]


def program_reads_while_tracing(tf):
    v = tf.Variable(1)
    kinds = []

    @tf.function
    def f():
        kinds.append([
            v.value().op.type, v.read_value().op.type, (v + 1).op.type,
            tf.convert_to_tensor(v).op.type,
            failure(lambda: v.numpy())[0],
        ])
        return v.read_value()

    f()
    return kinds


def program_assign_while_tracing(tf):
    v = tf.Variable(1)
    kinds = []

    @tf.function
    def f(x):
        op = v.assign(x, read_value=False)
        kinds.append([getattr(op, "type", None)])
        y = v.assign_add(1)
        return y + 1, v.assign_sub(2)

    return f(tf.constant(5)), kinds, v


def program_is_initialized_while_tracing(tf):
    v = tf.Variable(1)
    return tf.function(lambda: v.is_initialized())()


def program_scatter_while_tracing(tf):
    v = tf.Variable([1, 2, 3])

    @tf.function
    def f(x):
        v.scatter_add(tf.IndexedSlices(x, tf.constant([0])))
        v.scatter_nd_update([[1]], [7])
        return v.sparse_read([0, 1])

    return f(tf.constant([10])), v


def program_gradients_of_reads(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v.sparse_read([1, 1])) + tf.reduce_sum(v[0] ** 2.0)
    return tf.convert_to_tensor(tape.gradient(y, v))


def program_gradient_through_assignment(tf):
    v = tf.Variable(2.0)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign(x * 2.0)
        y = v * v
    return tape.gradient(y, [x, v])


def program_captured_by_reference(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        return v + 0

    results = [f()]
    v.assign(7)
    return results + [f(), _count(f)]


def program_weakly_referenced_variables(tf):
    def make():
        v = tf.Variable(3.0)

        @tf.function
        def f(x):
            return v * x

        return f.get_concrete_function(tf.constant(1.0)), weakref.ref(v)

    concrete, ref = make()
    gc.collect()
    return concrete(tf.constant(2.0)), ref() is None


@phrase("tf.function only supports singleton tf.Variables")
def program_variable_in_init_scope_of_a_scope(tf):
    @tf.function
    def f(x):
        with tf.name_scope("scope"):
            with tf.init_scope():
                v = tf.Variable(1.0, name="v")
        names.append(v.name)
        keep.append(v)
        return x

    names, keep = [], []
    f(tf.constant(1))
    return names


def program_names_of_variables_made_in_functions(tf):
    class Model:
        v = None

        @tf.function
        def f(self, x):
            with tf.name_scope("scope"):
                if self.v is None:
                    self.v = tf.Variable(1.0, name="v")
            return self.v + x

    m = Model()
    with tf.name_scope("outside"):
        m.f(tf.constant(1.0))
    return m.v.name, m.v.device


def program_specs_of_variables(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([5.0, 6.0])
    spec = tf.type_spec_from_value(v)
    make = type(spec)
    f = tf.function(lambda a: a + 1.0, autograph=False)
    g = tf.function(lambda a, b: a.assign_add(b), autograph=False)
    concrete = f.get_concrete_function(make([2]))
    two = g.get_concrete_function(make([2], alias_id=0), make([2], alias_id=1))
    return [
        repr(spec), repr(make([2, None], tf.int32)),
        repr(make(None, tf.int32, False, 3)), isinstance(spec, tf.TypeSpec),
        spec.shape, spec.dtype, spec.trainable, spec.alias_id,
        repr(spec._component_specs), repr(spec._serialize()),
        spec.is_compatible_with(v), spec.is_compatible_with(tf.TensorSpec([2])),
        spec.is_compatible_with(make([None])), spec == make([2]),
        spec != make([2], trainable=False), hash(spec) == hash(make([2])),
        repr(spec.most_specific_common_supertype([make([3])])),
        spec.most_specific_common_supertype([make([3], tf.int32)]),
        concrete(v), repr(concrete.structured_input_signature), two(v, w),
        f.get_concrete_function(make([2])) is concrete, v.numpy(),
    ]


def program_variables_of_a_graph(tf):
    graph = tf.Graph()
    with graph.as_default():
        w = tf.Variable(3.0, name="w")
        again = tf.Variable([1, 2], name="w", trainable=False)
        with tf.name_scope("s"):
            made = tf.Variable(lambda: tf.ones([2]), shape=[None])
        y = w * 2.0
        slope = tf.gradients(y, w)[0]
        f = tf.function(lambda x: x * w)
        z = f(tf.constant(2.0))
        told = (w.initializer.name, w.initial_value.name, w.graph is graph)
    return (
        repr(w), again.name, made.name, made.shape.as_list(), again.trainable,
        told, w.op.name, slope.shape.as_list(), z.name,
        [(o.name, o.type, [i.name for i in o.inputs])
         for o in graph.get_operations() if o.name.startswith(("w", "s/"))],
        tf.executing_eagerly(),
    )


@phrase("out of scope")
def program_a_variable_of_a_graph_elsewhere(tf):
    with tf.Graph().as_default():
        w = tf.Variable(3.0)
    return w + 1.0


@phrase("eager")
def program_a_value_of_a_variable_of_a_graph(tf):
    with tf.Graph().as_default():
        return tf.Variable(3.0).numpy()


def program_classes_and_what_assignments_print(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    seen = [
        type(v).__name__, type(v) is tf.Variable, isinstance(v, tf.Variable),
        issubclass(type(v), tf.Variable),
    ]
    for change in (
        lambda: v.assign([3.0, 4.0]), lambda: v.assign_add([1.0, 1.0]),
        lambda: v.assign_sub([1.0, 1.0]),
        lambda: v.scatter_nd_update([[0]], [5.0]),
        lambda: v.scatter_update(tf.IndexedSlices([9.0], [1])),
        lambda: v.scatter_nd_add([[0]], [5.0]), lambda: v[0].assign(3.0),
        lambda: v.assign([1.0, 1.0]).assign_add([1.0, 1.0]),
        lambda: tf.compat.v1.assign(v, [0.0, 1.0]),
    ):
        a = change()
        seen.append([
            type(a).__name__, a is v, isinstance(a, type(v)), repr(a), str(a),
            a.name, str(a.shape), a.dtype.name, a.trainable, a.numpy(),
            failure(lambda: {a: 1})[0],
        ])
    seen.append(v.assign([1.0, 1.0], read_value=False))
    a = v.assign([2.0, 2.0])
    v.assign([4.0, 4.0])
    seen += [a.numpy(), a + 1.0, tf.reduce_sum(a), a.read_value(), a.value()]
    print(a, v)
    return seen


def program_assignments_in_functions_and_tapes(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        a = v.assign_add([1.0, 1.0])
        print(type(a).__name__, a.name, a)
        return a * 1.0, a

    seen = [f(), f(), repr(f()[1])]
    with tf.GradientTape() as tape:
        y = v.assign([3.0, 3.0]) * v
    seen += [tape.gradient(y, v), [w.name for w in tape.watched_variables()]]
    w = tf.Variable(1.0).assign_add(2.0)
    seen += [w.numpy(), w.assign(5.0).numpy(), w.numpy()]
    m = tf.Module()
    m.v, m.w = v, tf.Variable(0)
    return [*seen, [x.name for x in m.variables]]
