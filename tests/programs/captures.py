"""What a ConcreteFunction captured, changed after tracing, and functions put
into graphs' libraries."""

from outcomes import failure


def _traced(tf):
    scale, shift = tf.constant([1.0, 2.0]), tf.constant(10.0)

    @tf.function
    def f(x):
        return x * scale + shift

    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    return f, concrete, scale, shift


def program_set_external_captures(tf):
    f, concrete, *_ = _traced(tf)
    x = tf.constant([1.0, 1.0])
    before = concrete(x)
    result = concrete.set_external_captures(
        [tf.constant([5.0, 6.0]), tf.constant(0.0)]
    )
    same = f.get_concrete_function(x) is concrete
    return [
        before, result, concrete(x), f(x), concrete.captured_inputs, same,
        [outer for outer, _ in concrete.graph.captures],
    ]


def program_captures_that_are_asked_for(tf):
    f, concrete, *_ = _traced(tf)
    x = tf.constant([1.0, 1.0])
    box = [7.0]
    concrete.set_external_captures(
        [lambda: tf.constant([box[0], 8.0]), tf.constant(0.0)]
    )
    first = concrete(x)
    box[0] = 70.0
    both = f(x), concrete.captured_inputs
    concrete.set_external_captures(
        [lambda: [tf.constant([3.0, 4.0]), tf.constant(1.0)]]
    )
    return [first, both, concrete(x)]


def program_captures_that_do_not_fit(tf):
    x = tf.constant([1.0, 1.0])
    results = []
    for captures in (
        [x], [x, tf.constant(1.0), tf.constant(2.0)], [x, tf.constant(1)],
        [tf.constant([1.0, 2.0, 3.0]), tf.constant(0.0)], [5.0, 1.0],
        [tf.Variable(x), tf.constant(1.0)], None,
        [lambda: 3.0, tf.constant(0.0)],
    ):
        f, concrete, *_ = _traced(tf)
        done = concrete.set_external_captures(captures)
        results.append(
            [done, failure(concrete, x)[0], failure(f, x)[0]]
        )
    return results


def program_gradients_of_new_captures(tf):
    f, concrete, *_ = _traced(tf)
    x = tf.constant([1.0, 1.0])
    new = tf.constant([5.0, 6.0])
    concrete.set_external_captures([new, tf.constant(0.0)])
    results = []
    for called in (concrete, f):
        with tf.GradientTape() as tape:
            tape.watch(new)
            y = called(x)
        results.append(tape.gradient(y, new))

    @tf.function
    def outer(x):
        return concrete(x) + 1.0

    return [*results, outer(x), outer.get_concrete_function(x).captured_inputs]


def program_another_variable(tf):
    v, w = tf.Variable(1.0), tf.Variable(100.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        return x + v

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    concrete.set_external_captures([w.handle])
    return [
        concrete(tf.constant(1.0)), v.numpy(), w.numpy(),
        [x is v for x in concrete.variables],
    ]


def program_replace_a_capture(tf):
    f, concrete, scale, shift = _traced(tf)
    x = tf.constant([1.0, 1.0])
    spec = tf.TensorSpec([2], tf.float32)
    concrete.replace_capture_with_deferred_capture(
        scale, lambda: tf.constant([3.0, 4.0]), spec
    )

    def closure():
        return tf.constant([3.0, 4.0])

    replace = concrete.replace_capture_with_deferred_capture
    return [
        concrete(x), f(x), concrete.captured_inputs,
        failure(replace, x, closure, spec),
        failure(replace, shift, closure, spec),
    ]


def _names(graph):
    return sorted(
        f.signature.name.rpartition("_")[0]
        for f in graph.as_graph_def().library.function
    )


def program_add_to_graph(tf):
    _, concrete, *_ = _traced(tf)
    graph = tf.Graph()
    results = [
        concrete.add_to_graph(graph), concrete.add_to_graph(graph),
        concrete.add_to_graph(graph, overwrite=True), concrete.add_to_graph(),
    ]
    with tf.Graph().as_default() as other:
        concrete.add_to_graph()
    return [
        results, _names(graph), _names(other), len(graph.get_operations()),
    ]


def program_add_what_a_function_calls(tf):
    @tf.function
    def inner(x):
        return x + 1.0

    @tf.function
    def outer(x):
        return inner(x) * 2.0

    graph = tf.Graph()
    concrete = outer.get_concrete_function(tf.TensorSpec([], tf.float32))
    concrete.add_to_graph(graph)
    return [_names(graph), failure(concrete.add_to_graph, 3)[0] != "ok"]
