"""Creation of tf.Variable inside functions, and what functions do with variables."""

from __future__ import annotations

import gc
import weakref

from outcomes import failure, phrase


def _count(f):
    return f.experimental_get_tracing_count()


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
