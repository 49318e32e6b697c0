"""Orders and identities: watched variables, operations of a graph, traces of
specs that differ in name."""

from __future__ import annotations

from outcomes import failure


def program_watched_variables_in_order_of_creation(tf):
    a, b, c = (tf.Variable(1.0, name=name) for name in "abc")
    found = []

    def note(tape):
        found.append([v.name for v in tape.watched_variables()])

    with tf.GradientTape() as tape:
        c * b * a
    note(tape)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(c)
        tape.watch(a)
    note(tape)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([c, b])
        a * c
        note(tape)

    @tf.function
    def f():
        return c * a * b

    with tf.GradientTape() as tape:
        f()
    note(tape)

    @tf.function
    def g():
        with tf.GradientTape() as tape:
            y = c * a
        note(tape)
        return y

    g()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            c * b
        a * 1.0
    note(outer)
    note(inner)
    with tf.GradientTape() as tape:
        d, e = tf.Variable(1.0, name="d"), tf.Variable(1.0, name="e")
        e * d * c
    note(tape)
    return found


def program_an_operation_is_one_object(tf):
    @tf.function
    def f(x):
        return tf.nn.relu(x) + 1.0

    graph = f.get_concrete_function(tf.constant(1.0)).graph
    ops = graph.get_operations()
    relu = ops[1]
    plain = tf.Graph()
    with plain.as_default():
        a = tf.constant(1.0)
        b = a + 1.0
    return [
        [x is y for x, y in zip(ops, graph.get_operations())],
        graph.get_operation_by_name(relu.name) is relu,
        relu.outputs[0].op is relu, relu.inputs[0].op is ops[0],
        graph.as_graph_element(relu.name) is relu,
        ops[3].inputs[0].op is relu if ops[3].inputs else None,
        len({id(op) for op in ops}) == len(ops),
        {op: i for i, op in enumerate(ops)}[graph.get_operations()[1]],
        a.op is a.op, plain.get_operations()[0] is a.op,
        b.op.inputs[0] is a, b.op.inputs[0].op is a.op,
    ]


def program_specs_of_other_names(tf):
    found = []

    def note(concrete):
        found.append([
            str(concrete.structured_input_signature),
            [x.name for x in concrete.inputs],
        ])
        return concrete

    def spec(name=None, shape=()):
        return tf.TensorSpec(shape, tf.float32, name)

    f = tf.function(lambda x, y: x + y)
    ab = note(f.get_concrete_function(spec("a"), spec("b")))
    cd = note(f.get_concrete_function(spec("c"), spec("d")))
    note(f.get_concrete_function(spec(), spec()))
    same = f.get_concrete_function(spec("a"), spec("b"))
    one, two = tf.constant(1.0), tf.constant(2.0)
    found += [
        ab is cd, ab is same, f.experimental_get_tracing_count(),
        failure(lambda: ab(a=one, b=two)), failure(lambda: cd(c=one, d=two)),
        failure(lambda: cd(a=one, b=two))[0], failure(cd, one, two),
        f(one, two), f.experimental_get_tracing_count(),
    ]
    g = tf.function(lambda x: x["k"])
    note(g.get_concrete_function({"k": spec("a")}))
    note(g.get_concrete_function({"k": spec("b")}))
    h = tf.function(lambda x: x)
    h(one)
    note(h.get_concrete_function(spec("z")))
    note(h.get_concrete_function(one))
    r = tf.function(lambda x: x, reduce_retracing=True)
    for name, shape in (("a", [2]), ("b", [3]), ("b", [4]), ("b", [5])):
        note(r.get_concrete_function(spec(name, shape)))
    return [
        *found, g.experimental_get_tracing_count(),
        h.experimental_get_tracing_count(),
    ]
